"""A set of conversations taken in as what was said, and learned from: `run DIR --as turns`."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from evaluation.sets import EvaluationSet
from knowwhy.grounding.learn import Learner
from knowwhy.grounding.worker import Worker
from knowwhy.tables.write import put_turns
from knowwhy.text.speech.turn_ends import turn_end
from knowwhy.types import Asker, Turn

LISTENER = "listener"  # the user whose conversations they all are
FIRST = datetime(2024, 1, 1, tzinfo=UTC)  # the sets give no times that order their turns
AT_ONCE = 500  # turns of one insert


def as_turns(given: EvaluationSet) -> EvaluationSet:
    """Gives the set with each question asked by the listener, in its group's project."""
    questions = tuple(replace(q, asker=Asker(LISTENER, q.project)) for q in given.questions)
    ids = {turn.key: id for id, turn in _turns(given)}
    return EvaluationSet(given.folder, questions, ids)


def listen(given: EvaluationSet, embedder: str) -> dict[str, Any]:
    """Takes in the turns of a set and learns from them; tells what came of it."""
    turns = [turn for _, turn in _turns(given)]
    for start in range(0, len(turns), AT_ONCE):
        put_turns(turns[start : start + AT_ONCE])
    learned = Worker(Learner(embedder)).run()
    return {"turns": len(turns), "read": learned.turns, "facts": learned.kept}


def _turns(given: EvaluationSet) -> Iterator[tuple[str, Turn]]:
    before: dict[Any, str] = defaultdict(str)
    with (given.folder / "docs.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            document = json.loads(line)
            about = document.get("metadata") or {}
            group, session = about.get("group"), str(about.get("session"))
            said = before[group, session]
            before[group, session] = document["text"]
            yield (
                document["id"],
                Turn(
                    key=f"{group}/{document['id']}",
                    user_id=LISTENER,
                    project=group,
                    session_id=session,
                    role="user",
                    speaker=about.get("speaker"),
                    content=document["text"],
                    context=turn_end(said) if said else None,
                    at=FIRST + timedelta(seconds=number),
                ),
            )
