"""Reads commits, and finds them by the words of their messages, authors and paths."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path

from knowwhy.errors import BadInput
from knowwhy.session.command import Said, ask, of_commits
from knowwhy.session.state import STATES, Commit, Found, Touched
from knowwhy.text.secrets.redact import redact
from knowwhy.text.tokens import tokens

REMEMBERED = 2_000  # commits that are searched at most: a year or two of a team
MOST_FILES = 300  # of a commit that are kept: with more it is an import or a reformatting
MOST_MESSAGE = 8_000  # characters of a message that are kept
MOST_QUERY = 1_000  # characters of a search; a longer one is no longer words
MOST_FOUND = 200  # commits that are given at once
# How much a word weighs by where it stands: a subject says more than a body, a path is an aside.
WEIGHTS = {"message": 3.0, "body": 1.0, "author": 2.0, "path": 2.0}
FULL_AT = 1.2  # how fast repetition stops to count, as in BM25
NEWER = 0.05  # of a score that the newest commit has over the oldest: among equals the newer one
_START = "\x01"  # before each commit, so that it is told from the state of a file
_FORMAT = f"--format=tformat:{_START}%H%x00%P%x00%an%x00%at%x00%s%x00%b"
_ID = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class Log:
    """Commits as git tells them, newest first."""

    commits: list[Commit]
    is_whole: bool  # none was left out, and none of their files


def read_log(root: Path, limit: int, *revisions: str, path: str | None = None) -> Log:
    """Reads commits with the files that each changed, where git tells these in time."""
    follow = ("--follow",) if path else ()
    paths = ("--", path) if path else ("--",)
    for files in (("--name-status", "-M", *follow), ("--no-patch",)):
        said = ask(
            root,
            *("--literal-pathspecs", "log", "-z", f"--max-count={limit}", "--no-color"),
            *("--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-mailmap"),
            *("--encoding=UTF-8", _FORMAT, *files, *of_commits(*(revisions or ("HEAD",))), *paths),
        )
        if said.code == 0:
            break
    if said.code and not said.is_cut:
        raise BadInput(redact(f"git does not tell the commits of {root}: {said.complaint}"))
    commits = list(_commits(said))
    has_files = "--name-status" in files and all(len(c.files) < MOST_FILES for c in commits)
    return Log(commits, has_files and not said.is_cut and len(commits) < limit)


def _commits(said: Said) -> Iterator[Commit]:
    """Reads what git wrote; of an answer that was cut the last commit is left out."""
    fields = said.out.decode("utf-8", "replace").split("\0")
    starts = [place for place, field in enumerate(fields) if field.startswith(_START)]
    whole = list(pairwise([*starts, len(fields)]))[: -1 if said.is_cut else None]
    for start, end in whole:
        if end - start >= len(_FORMAT.split("%x00")):
            yield _commit(fields[start:end])


def _commit(fields: Sequence[str]) -> Commit:
    commit, parents, author, at, subject, body, *rest = fields
    message = redact(f"{subject}\n\n{body.strip()[:MOST_MESSAGE]}")
    subject, _, body = message.partition("\n\n")
    if rest:
        rest = [rest[0].removeprefix("\n"), *rest[1:]]
    return Commit(
        id=commit.removeprefix(_START),
        parents=tuple(parents.split()),
        author=redact(author),
        at=_moment(at),
        subject=subject,
        body=body.strip(),
        files=tuple(islice(_touched(rest), MOST_FILES)),
    )


def _touched(fields: Sequence[str]) -> Iterator[Touched]:
    """Reads names with their states, as `--name-status -z` writes them."""
    waiting = iter(fields)
    for state in waiting:
        old = next(waiting, "") if state[:1] in ("R", "C") else None
        if path := next(waiting, ""):
            yield Touched(redact(path), STATES.get(state[:1], state), old and redact(old))


def _moment(written: str) -> datetime:
    try:
        return datetime.fromtimestamp(int(written), UTC)
    except (ValueError, OverflowError, OSError):  # a commit may claim any moment
        return datetime.fromtimestamp(0, UTC)


def is_after(root: Path, old: str, new: str) -> bool:
    """Tells whether a commit stands in the history of another."""
    return ask(root, "merge-base", "--is-ancestor", *of_commits(old, new)).code == 0


@dataclass(frozen=True, slots=True)
class Logbook:
    """Commits that can be searched, newest first."""

    commits: tuple[Commit, ...]
    words: dict[str, list[tuple[int, float]]]  # in which commits a word stands, and how it weighs
    is_whole: bool  # all commits of the branch are here, with all their files

    def search(
        self, query: str, n: int, *, author: str | None = None, path: str | None = None
    ) -> list[Found]:
        """Finds commits by an id, then by words, best first; newer ones before equal older ones.

        A number may be the start of an id as well as a word, and so may "added".
        """
        _check(query, n)
        named = self._named(query) if _ID.fullmatch(query.strip().lower()) else []
        known = {found.commit.id for found in named}
        said = (found for found in self._said(query, author, path) if found.commit.id not in known)
        return [*named, *islice(said, n)][:n]

    def _said(self, query: str, author: str | None, path: str | None) -> Iterator[Found]:
        """Finds commits by words; without any all are found."""
        wanted = list(dict.fromkeys(tokens(query)))
        scores = self._scores(wanted)
        best = sorted(scores, key=lambda place: (-scores[place], place))
        if not wanted:
            best = list(range(len(self.commits)))
        for place in best:
            commit = self.commits[place]
            if _fits(commit, author, path):
                yield Found(commit, round(scores[place], 4), _matched(commit, set(wanted)))

    def _scores(self, wanted: Sequence[str]) -> dict[int, float]:
        """Adds up what each word of a search gives each commit; one with all of them leads."""
        total = len(self.commits)
        scores: defaultdict[int, float] = defaultdict(float)
        counts: Counter[int] = Counter()
        for word in wanted:
            places = self.words.get(word, ())
            rarity = math.log(1 + (total - len(places) + 0.5) / (len(places) + 0.5))
            for place, weight in places:
                scores[place] += rarity * weight / (weight + FULL_AT)
                counts[place] += 1
        for place in scores:
            newness = 1 + NEWER * (1 - place / total)
            scores[place] *= newness * counts[place] / len(wanted)
        return scores

    def _named(self, query: str) -> list[Found]:
        start = query.strip().lower()
        return [Found(c, 1.0, ("id",)) for c in self.commits if c.id.startswith(start)]

    def history(self, path: str) -> list[Commit]:
        """Gives the commits that changed a file, followed through its renames."""
        found, name = [], path
        for commit in self.commits:
            touched = next((file for file in commit.files if file.path == name), None)
            if touched is not None:
                found.append(commit)
                name = touched.old_path or name if touched.state == "renamed" else name
        return found


def _check(query: str, n: int) -> None:
    if len(query) > MOST_QUERY:
        raise BadInput(f"A search for commits has at most {MOST_QUERY:,} characters.")
    if not 1 <= n <= MOST_FOUND:
        raise BadInput(f"{n} commits were asked for; it must be from 1 to {MOST_FOUND}.")


def _fits(commit: Commit, author: str | None, path: str | None) -> bool:
    if author is not None and author.lower() not in commit.author.lower():
        return False
    if path is None:
        return True
    start = path.strip("/")
    return any(
        file.path == start or file.path.startswith(f"{start}/") or file.old_path == start
        for file in commit.files
    )


def _fields(commit: Commit) -> dict[str, str]:
    paths = "\n".join(file.path for file in commit.files)
    return {
        "message": commit.subject,
        "body": commit.body,
        "author": commit.author,
        "path": paths,
    }


def _matched(commit: Commit, wanted: set[str]) -> tuple[str, ...]:
    where = [name for name, text in _fields(commit).items() if wanted & set(tokens(text))]
    return tuple(dict.fromkeys("message" if name == "body" else name for name in where))


def logbook(log: Log) -> Logbook:
    """Notes in which commits each word stands."""
    words: dict[str, list[tuple[int, float]]] = {}
    for place, commit in enumerate(log.commits):
        weights: defaultdict[str, float] = defaultdict(float)
        for name, text in _fields(commit).items():
            for word, times in Counter(tokens(text)).items():
                weights[word] += WEIGHTS[name] * times / (times + FULL_AT)
        for word, weight in weights.items():
            words.setdefault(word, []).append((place, weight))
    return Logbook(tuple(log.commits), words, log.is_whole)


def extended(book: Logbook, newer: Log) -> Logbook:
    """Puts newer commits before those that are known."""
    commits = [*newer.commits, *book.commits][:REMEMBERED]
    is_whole = book.is_whole and newer.is_whole and len(commits) < REMEMBERED
    return logbook(Log(commits, is_whole))
