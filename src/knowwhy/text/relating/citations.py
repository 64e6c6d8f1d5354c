"""Pointers that a text makes to things outside itself: records, commits, issues, urls, paths."""

import re
from collections.abc import Iterator

from knowwhy.text.patterns import regex
from knowwhy.text.relating.record_words import DASHED_RECORDS, NOT_RECORDS
from knowwhy.text.tokens import find_ids
from knowwhy.types import Citation

# A url of which only a secret was taken out still says where it leads.
_URL = regex(r"(?:https?|ftp)://(?:[^\s<>\"'`{}|\\^\[\]’”]|\[redacted: [a-z\d-]{1,40}\]){1,2000}")
_NOWHERE = regex(r"\w+://(?:[^/?#]*@)?(?:\[redacted: [a-z\d-]+\](?!@)|[/?#@]|$)")
_TRAILING = ".,;:!?*…"

_EXTENSIONS = """
adoc asm astro avsc bash bat bicep bzl cc cfg cjs clj cljs cmake conf cpp cs csproj css csv cts cxx
dart eml erb erl exs fs go gql gradle graphql groovy haml hbs hcl hpp hrl htm html hxx ini ipynb j2
java jinja jinja2 jl js json json5 jsonc jsonl jsx kt kts lua markdown md mdx mjs mk mts nim nix pdf
php pl plist png proto ps1 psd1 psm1 pxd py pyi pyx rake rb rego rs rst sass sbt scala scss sh sln
sol sql svelte svg swift tex tf tfvars thrift tmpl toml tpl ts tsv tsx txt vb vue wsdl xaml xlsx xml
xsd xsl yaml yang yml zig zsh
"""
# Also the names of attributes and methods: only a folder before them makes a path of them.
_IN_FOLDERS = """
c d diff env ex feature h less lock log m ml mm org patch po pot properties r s src v
"""
_NEEDS_FOLDER = frozenset(_IN_FOLDERS.split())
_KNOWN = sorted((*_EXTENSIONS.split(), *_NEEDS_FOLDER), key=len, reverse=True)
_PATH = regex(
    r"(?<![\w./@~+\\-])(?!(?<=\.\. )_)"  # an RST target: ".. _apps.py:"
    r"((?:~/|\.{1,2}/|/)?[\w.@][\w.@+-]{0,99}(?:/[\w.@+-]{1,100}){0,30}\.("
    + "|".join(_KNOWN)
    + r"))(?:(?::|\#L)\d{1,7}(?:-L?\d{1,7}|:\d{1,5})?)?(?![\w/(-]|\.\w)"
)
_SCRIPTS = frozenset(("js", "mjs", "ts"))
# Products whose name ends like a script.
_SCRIPT_PRODUCTS = frozenset(("backbone", "d3", "ember", "express", "next", "node", "nuxt", "vue"))

_ISSUE = regex(r"(?<!&)(?P<mark>[#!])(?P<n>[1-9]\d{0,6})(?!\w|\.\d|-\w)")
_REPOSITORY = regex(r"(?<![\w./-])[A-Za-z\d][\w.-]{0,39}/[\w.-]{1,60}$")
_JOINED = regex(r"[\w#!/.-]$")
_WORD_BEFORE = regex(r"(?<![A-Za-z])([A-Za-z]+)[ \t]?$")
_PULL = regex(r"(?<![\w-])(GH|PR|MR)[- ]#?([1-9]\d{0,6})(?!\w|\.\d|-\w)")
_COUNTED = NOT_RECORDS - DASHED_RECORDS - {"pr", "pull", "merge"}
SMALL_NUMBER = 100  # "step #3" counts, "patch #652586" cites
REPOSITORY_REACH = 101  # characters; the longest owner/name that GitHub allows is about as long

_COMMIT = regex(r"(?<![\w#&./-])[0-9a-fA-F]{7,40}(?![\w-]|\.\w)")
_COMMIT_BEFORE = regex(
    r"(?:\b(?:commits?|sha|sha1|rev|revision|changeset|cherry-picked from)[\s:=#(`]{1,4}|@)$",
    re.IGNORECASE,
)
COMMIT_REACH = 24  # characters before a hash in which a word may call it a commit
_BARE_HASH = regex(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]+")
_NO_COMMIT = regex(r"\d+e\d+|0b[01]+|[a-f]{1,2}\d+")  # 12e45678, 0b1101110, ed25519
UUID_DIGITS = 32  # hexadecimal digits; a hash this long is a checksum or a UUID, not a commit

_ORDER = {"url": 0, "path": 1, "record": 2, "issue": 3, "commit": 4}  # who wins at one start


def citations(text: str) -> list[Citation]:
    """Return what a text cites, in order and without overlaps."""
    found = [*_urls(text), *_paths(text), *_records(text), *_issues(text), *_commits(text)]
    found.sort(key=lambda c: (c.start, _ORDER[c.kind]))
    kept: list[Citation] = []
    for citation in found:
        if not kept or citation.start >= kept[-1].end:
            kept.append(citation)
    return kept


def _urls(text: str) -> Iterator[Citation]:
    for match in _URL.finditer(text):
        url = _trim(match[0])
        if _NOWHERE.match(url):
            continue
        yield Citation("url", url, match.start(), match.start() + len(url))


def _trim(url: str) -> str:
    """Drop the sentence's punctuation from the end of a url, and brackets that it never opened."""
    unopened = url.count(")") - url.count("(")
    end = len(url)
    while end and (url[end - 1] in _TRAILING or (url[end - 1] == ")" and unopened > 0)):
        unopened -= url[end - 1] == ")"
        end -= 1
    return url[:end]


def _paths(text: str) -> Iterator[Citation]:
    for match in _PATH.finditer(text):
        if _is_path(match[1], match[2], has_line=match.end() > match.end(1)):
            yield Citation("path", match[1].removeprefix("./"), *match.span())


def _is_path(path: str, extension: str, has_line: bool) -> bool:
    if "/" in path:
        return True
    if "@" in path or extension in _NEEDS_FOLDER:
        return False
    name = path.removesuffix(f".{extension}")
    is_product = name[0].isupper() or name in _SCRIPT_PRODUCTS
    return has_line or extension not in _SCRIPTS or not is_product


def _records(text: str) -> Iterator[Citation]:
    for record, start, end in find_ids(text):
        yield Citation("record", record, start, end)


def _issues(text: str) -> Iterator[Citation]:
    for match in _PULL.finditer(text):
        mark = "!" if match[1] == "MR" else "#"
        yield Citation("issue", mark + match[2], *match.span())
    for match in _ISSUE.finditer(text):
        before = text[max(0, match.start() - REPOSITORY_REACH) : match.start()]
        repository = _repository(before)
        if repository or (not _JOINED.search(before) and _is_issue(before, *match.groups())):
            start = match.start() - len(repository)
            yield Citation("issue", repository + match[0], start, match.end())


def _repository(before: str) -> str:
    """Return the owner/name that the text before an issue's mark ends with, or nothing."""
    if not _JOINED.search(before) or "/" not in before:
        return ""
    found = _REPOSITORY.search(before)
    return found[0] if found and not _PATH.fullmatch(found[0]) else ""


def _is_issue(before: str, mark: str, number: str) -> bool:
    if mark == "!":
        return len(number) > 1  # !0 and !1 are how minified code says true and false
    if len(number) == 6 and before.rstrip(" \"'").endswith((":", "=")):
        return False  # a colour
    word = _WORD_BEFORE.search(before[-20:])
    counts = word is not None and word[1].lower() in _COUNTED
    return not counts or int(number) >= SMALL_NUMBER


def _commits(text: str) -> Iterator[Citation]:
    for match in _COMMIT.finditer(text):
        before = text[max(0, match.start() - COMMIT_REACH) : match.start()]
        if _is_commit(match[0]) or _COMMIT_BEFORE.search(before):
            yield Citation("commit", match[0].lower(), *match.span())


def _is_commit(digits: str) -> bool:
    if len(digits) == UUID_DIGITS or not _BARE_HASH.fullmatch(digits):
        return False
    return not _NO_COMMIT.fullmatch(digits)
