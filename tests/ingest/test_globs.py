"""Patterns match as those of git do, in a time that no pattern can stretch."""

import time
import warnings

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from knowwhy.errors import BadInput
from knowwhy.ingest.syncing.globs import (
    GLOB_CHARS_AT_MOST,
    PATTERN_CHARS,
    PATTERNS_AT_MOST,
    read_globs,
)
from knowwhy.ingest.syncing.ignores import Ignores
from knowwhy.ingest.syncing.layout import parse_layout

# Sets of all but some: those of pathspec take a slash too, which git's never do.
ALL_BUT = {"[!a]": "[]b.*]", "[^]b]": "[a.*]"}
PIECES = (
    *("a", "b", "*", "?", "**", "/", "/", "**/", "/**", "[ab]", "[a-b]", "[]a]", "[0-a]"),
    *("\\*", "\\a", "\\ ", "\\", "!", "#", " ", ".", "***", "]"),
)
PATTERNS = st.one_of(
    *(
        st.lists(st.sampled_from((*PIECES, *more)), max_size=9).map("".join)
        for more in (["["], ALL_BUT)
    )
)
NAMES = st.text("ab.*]", min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
FOLDERS = st.lists(NAMES, min_size=1, max_size=6).map("/".join)
PATHS = st.tuples(FOLDERS, st.sampled_from(("", "/"))).map("".join)


def as_pathspec_writes(line):
    for ours, theirs in ALL_BUT.items():
        assume("\\" + ours not in line)
        line = line.replace(ours, theirs)
    assume("[!" not in line)
    return line


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PATTERNS, min_size=1, max_size=4), st.lists(PATHS, max_size=6))
def test_patterns_match_as_those_of_git_do(lines, paths):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            reference = GitIgnoreSpec.from_lines(map(as_pathspec_writes, lines), backend="simple")
        except ValueError:
            with pytest.raises(ValueError, match="git pattern"):
                read_globs(lines)
            return

    read = read_globs(lines)

    assert [reference.check_file(path).include for path in paths] == [*map(read.check, paths)]


@pytest.mark.parametrize(
    ("line", "hit", "missed"),
    [
        ("a[!b]c", "axc", "a/c"),
        ("[z-a]x", "", "ax"),
        ("[!z-a]x", "bx", "x"),
        ("a*b?c", "a\nbxc", "abc"),
        ("/a/**/*.py[cod]", "a/b/c/d.pyc", "b/a/d.pyc"),
    ],
)
def test_a_pattern_hits_what_it_says(line, hit, missed):
    globs = read_globs([line])

    assert (bool(hit), False) == (globs.match(hit), globs.match(missed))


def cost(pattern, path):
    """Measures what a match costs a processor."""
    globs = read_globs([pattern])

    def once():
        began = time.thread_time()
        for _ in range(20):
            globs.check(path)
        return time.thread_time() - began

    return min(once() for _ in range(5))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a*a*b/*a*a*b", lambda n: "a" * n + "b/" + "a" * n),
        ("*a" * 60 + "*b", lambda n: "a" * n),
        ("*[ab]?a*?a*[!a]", lambda n: "a" * n),
        ("**/a/" * 30 + "b", lambda n: "a/" * n + "c"),
        ("**/*a*/" * 30 + "b", lambda n: "aa/" * n + "c"),
    ],
)
def test_no_pattern_takes_more_than_its_length_times_that_of_the_path(pattern, path):
    assert cost(pattern, path(1_600)) < 8 * cost(pattern, path(400))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["a" * PATTERN_CHARS + "b"], f"a pattern with more than {PATTERN_CHARS} characters"),
        ([f"a{n}" for n in range(PATTERNS_AT_MOST + 1)], f"more than {PATTERNS_AT_MOST:,} pat"),
        (["*a" * 200] * 51, f"wildcards with more than {GLOB_CHARS_AT_MOST:,} characters in all"),
    ],
)
def test_too_many_patterns_are_refused_and_those_before_still_hide(tmp_path, lines, said):
    (tmp_path / ".gitignore").write_text("\n".join(["secret.py", *lines]))
    ignores = Ignores(tmp_path)

    hidden = ignores.hides("secret.py")
    with pytest.raises(BadInput) as refused:
        parse_layout(f"exclude = {lines}")

    assert hidden
    assert said in ignores.faults[".gitignore"]
    assert said in str(refused.value)
