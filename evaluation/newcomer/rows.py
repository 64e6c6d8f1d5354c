"""The rows of the set: repositories by commit, and questions with the facts that answer them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REPOSITORIES = HERE / "repositories.json"
QUESTIONS = HERE / "questions"
NOTHING = "nothing"  # is known: the false premises and what is simply not there
KINDS = ("id", "why", "when", "who", "relation", "code", "time", NOTHING)
HALVES = ("seen", "held")  # what may be read while the software is built, and what may not


@dataclass(frozen=True, slots=True)
class Repository:
    """A public repository at one commit, and the paths of it that are checked out."""

    name: str
    url: str
    commit: str
    licence: str
    paths: tuple[str, ...]  # as patterns of a sparse checkout

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Repository":
        """Reads one row."""
        return cls(**{**row, "paths": tuple(row["paths"])})

    @property
    def owner_and_name(self) -> str:
        """Gives the last two parts of the address, as a mirror names its folders."""
        return "+".join(self.url.removesuffix(".git").rsplit("/", 2)[-2:])


@dataclass(frozen=True, slots=True)
class Question:
    """One question; each of its facts has several spellings, any of which will do."""

    id: str
    kind: str
    half: str
    text: str
    facts: tuple[tuple[str, ...], ...]
    records: tuple[str, ...]  # paths of the files that answer

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Question":
        """Reads one row."""
        facts = tuple(tuple(fact) for fact in row["facts"])
        return cls(**{**row, "facts": facts, "records": tuple(row["records"])})

    @property
    def is_answerable(self) -> bool:
        """Tells whether the repository answers it."""
        return self.kind != NOTHING


def read_repositories(file: Path = REPOSITORIES) -> list[Repository]:
    """Reads all repositories."""
    return [Repository.of(row) for row in json.loads(file.read_text("utf-8"))]


def read_questions(repository: str, folder: Path = QUESTIONS) -> list[Question]:
    """Reads the questions on one repository."""
    lines = (folder / f"{repository}.jsonl").read_text("utf-8").splitlines()
    return [Question.of(json.loads(line)) for line in lines if line.strip()]


def of_half(questions: Iterable[Question], half: str) -> list[Question]:
    """Leaves the questions of one half, or all of both."""
    return [question for question in questions if half in ("both", question.half)]
