"""Tools for the claims that wait for the user."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from knowwhy.errors import BadInput
from knowwhy.mcp.caller import Caller
from knowwhy.mcp.refusals import told
from knowwhy.mcp.toolbox.given import AT_MOST, MOST_RULE, Anew, Limit, MemoryKey
from knowwhy.mcp.toolbox.registry import Asked, Said
from knowwhy.types import REVIEW, Json, Memory

if TYPE_CHECKING:
    from knowwhy.grounding.review import Before

MOST_ASKED = 10  # claims that a person reads before they answer

Keys = Annotated[
    list[MemoryKey] | None,
    Field(max_length=100, description="Of claims that wait, or for differ of a pair; not to list."),
]
KeysNeeded = Annotated[
    list[MemoryKey],
    Field(min_length=1, max_length=100, description="Of claims that wait."),
]


def review_pending(
    caller: Caller,
    action: Annotated[
        Literal["list", "approve", "reject", "correct", "alike", "differ"],
        Field(description="What to do; alike lists kept memories that may say the same."),
    ] = "list",
    keys: Keys = None,
    text: Annotated[
        str | None,
        Field(
            max_length=MOST_RULE,
            description=f"For correct: what it should say; {AT_MOST}.",
            examples=["We use Kafka 3.7."],
        ),
    ] = None,
    why: Annotated[
        str | None,
        Field(
            max_length=1_000,
            description="For reject: the reason.",
            examples=["That was only a trial."],
        ),
    ] = None,
    limit: Limit = 20,
) -> Said:
    """List the claims that wait for the user, and approve, reject or correct them.

    Use it when a claim was put up for review, or when the user asks what waits. Judge only as they
    say: where the client can, they are asked themselves; else it is noted as an assistant's word.
    Not for memories that are kept (update_memory, invalidate_memory).
    """
    if action == "list":
        return get_pending_memories(caller, limit)
    if action == "alike":
        return _alike(caller, limit)
    caller.check(REVIEW, f"review_pending with {action}")
    if not keys:
        raise BadInput(f"{action} needs keys; review_pending without arguments lists them.")
    if action == "approve":
        return approve_pending_memory(caller, keys)
    if action == "reject":
        return reject_pending_memory(caller, keys, why or "")
    if action == "differ":
        return _differ(caller, keys)
    if len(keys) != 1 or not text:
        raise BadInput("correct needs one key and the text.")
    return correct_pending_memory(caller, keys[0], text)


def question(
    caller: Caller,
    action: str,
    keys: list[str] | None,
    text: str | None,
    why: str | None,
    limit: int,
) -> Asked | None:
    """Gives what a person is asked before a review; nothing where it judges nothing."""
    if action == "approve" and keys:
        return approval(caller, keys)
    if action == "reject" and keys:
        return rejection(caller, keys, why or "")
    if action == "correct" and text and keys and len(keys) == 1:
        return correction(caller, keys[0], text)
    return None


def approval(caller: Caller, keys: list[str]) -> Asked | None:
    """Asks whether claims are true."""
    from knowwhy.grounding.review import before_approval

    def look(key: str) -> "Before":
        return before_approval(caller.asker, key, embedder=caller.embedder, now=caller.now())

    return _asked(keys, look, "Shall this be kept as what you have checked?")


def rejection(caller: Caller, keys: list[str], why: str) -> Asked | None:
    """Asks whether claims are to be refused."""
    from knowwhy.grounding.review import before_rejection

    def look(key: str) -> "Before":
        return before_rejection(caller.asker, key, now=caller.now())

    return _asked(keys, look, "Shall this be refused?", f"Because: {why}")


def correction(caller: Caller, key: str, text: str) -> Asked | None:
    """Asks whether a claim is to be kept in other words."""
    from knowwhy.grounding.review import before_correction

    def look(key: str) -> "Before":
        return before_correction(
            caller.asker, key, text, embedder=caller.embedder, now=caller.now()
        )

    return _asked([key], look, "Shall this be kept in other words?", f"In these: {text}")


def _asked(keys: list[str], look: Callable[[str], "Before"], asks: str, more: str = "") -> Asked:
    """Puts claims to a person in full, so that nobody agrees to what they have not seen.

    What does not wait, or could not be judged so, is refused before anybody is asked.
    """
    from knowwhy.text.characters import one_line, without_unseen

    if len(keys) > MOST_ASKED:
        raise BadInput(
            f"A person is asked about at most {MOST_ASKED} claims at once; {len(keys)} were given."
        )
    lines, seen = [asks], set[tuple[str, datetime]]()
    for found in map(look, dict.fromkeys(keys)):
        lines += [f"- {_put(found.claim)}"]
        lines += [f"  It takes the place of {_put(old)}" for old in found.replaced]
        seen |= {(one.key, one.touched_at) for one in (found.claim, *found.replaced)}
    lines += [more] if more else []
    return Asked("\n".join(without_unseen(one_line(line)) for line in lines), frozenset(seen))


def _put(memory: Memory) -> str:
    """Says what a memory is and for whom it holds, and then what it says.

    Names that anybody can have chosen stand in quotes that they cannot close.
    """
    from knowwhy.mcp.rendered import headed

    def named(value: Json) -> str:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)

    rule = f"memorule ({memory.memorule_kind})" if memory.memorule_kind else memory.kind
    parts = [
        memory.key,
        rule,
        f"of {memory.user_id}" if memory.user_id else "everybody's",
        f"project {named(memory.project)}" if memory.project else None,
        f"service {named(memory.service)}" if memory.service else None,
        f"applies to {named(dict(memory.applies_to))}" if memory.applies_to else None,
    ]
    return f"{' · '.join(part for part in parts if part)}: {headed(memory)}"


def _alike(caller: Caller, limit: int) -> Said:
    """Lists the pairs of which the night could not tell whether they say the same."""
    from knowwhy.mcp.rendered import NOTE, about_memory, listed, memory_data, memory_text
    from knowwhy.tables.kept import lookalikes

    pairs = lookalikes.listed(caller.asker, limit, caller.now())
    entries = (
        (about_memory(p.one), f"{memory_text(p.one)}\nlike {p.other.key}: {memory_text(p.other)}")
        for p in pairs
    )
    text = listed(f"{len(pairs)} pairs may say the same:", entries, "No two are alike.")
    told = [
        {"memory": memory_data(p.one), "alike": memory_data(p.other), "score": p.score}
        for p in pairs
    ]
    return Said(text, {"note": NOTE, "pairs": told})


def _differ(caller: Caller, keys: list[str]) -> Said:
    """Notes that two do not say the same, because the user has said so."""
    from knowwhy.grounding import review

    if len(keys) != 2:
        raise BadInput("differ needs the two keys of a pair.")
    review.differ(caller.asker, keys[0], keys[1], now=caller.now())
    return Said("They stay beside each other.", {"differ": keys})


def get_pending_memories(caller: Caller, limit: Limit = 20) -> Said:
    """List the claims that wait for review, the oldest first.

    Use it to show the user what waits; review_pending without arguments answers the same.
    Not for what was judged already (get_review_history).
    """
    from knowwhy.grounding.review import pending
    from knowwhy.mcp.rendered import memories_said

    found = pending(caller.asker, limit, now=caller.now())
    return memories_said(f"{len(found)} claims wait:", found, "Nothing waits for review.")


def approve_pending_memory(caller: Caller, keys: KeysNeeded) -> Said:
    """Take in claims that wait, as they are, because the user has said so.

    Use it only for what the user has seen. Where the client can, they are asked; else it is noted
    that it was approved on an assistant's word.
    Not for a claim that needs other words (correct_pending_memory).
    """
    from knowwhy.grounding import review

    def judge(key: str) -> Memory:
        now, hand = caller.now(), caller.hand
        return review.approve(caller.asker, key, embedder=caller.embedder, now=now, hand=hand)

    return _each(keys, judge, "Approved")


def reject_pending_memory(
    caller: Caller,
    keys: KeysNeeded,
    why: Annotated[
        str,
        Field(
            max_length=1_000,
            description="The reason; it is kept.",
            examples=["That was only a trial."],
        ),
    ],
) -> Said:
    """Refuse claims that wait, with the reason, because the user has said so.

    Use it when the user says that a claim is wrong or not worth keeping. They are kept as refused;
    restore_memory undoes it. Not for a memory that is kept (invalidate_memory).
    """
    from knowwhy.grounding import review

    said = review.reason(why)

    def judge(key: str) -> Memory:
        return review.reject(caller.asker, key, said, now=caller.now(), hand=caller.hand)

    return _each(keys, judge, "Rejected")


def correct_pending_memory(
    caller: Caller,
    key: MemoryKey,
    text: Anew,
) -> Said:
    """Take in a claim that waits in other words, as the user has given them.

    Use it when the user says how a claim should read. Not for a memory that is kept
    (update_memory).
    """
    from knowwhy.grounding import review
    from knowwhy.mcp.toolbox.memory_tools import outcome

    now, hand = caller.now(), caller.hand
    done = review.correct(caller.asker, key, text, embedder=caller.embedder, now=now, hand=hand)
    return outcome(done, text)


def get_review_history(caller: Caller, limit: Limit = 20) -> Said:
    """List what was approved, corrected and rejected, newest first.

    Use it to see how claims were judged, when and by whom. Not for what still waits
    (get_pending_memories).
    """
    from knowwhy.grounding.memory_fields import by_whom, iso
    from knowwhy.grounding.review import history
    from knowwhy.mcp.origins import change_data
    from knowwhy.mcp.rendered import NOTE, listed

    judged = history(caller.asker, limit)
    entries = (
        (f"{iso(c.at)} {c.what} {c.memory_key} {by_whom(c)}".rstrip(), c.why or "") for c in judged
    )
    text = listed(f"{len(judged)} judgements:", entries, "Nothing has been judged yet.")
    return Said(text, {"note": NOTE, "changes": [change_data(change) for change in judged]})


def _each(keys: list[str], judge: Callable[[str], Memory], done: str) -> Said:
    """Judges each claim and says what became of it; when none could be judged it is an error."""
    from knowwhy.grounding.review import each
    from knowwhy.mcp.rendered import memory_data

    outcomes = each(keys, judge)
    if all(one.error for one in outcomes):
        raise BadInput(" ".join(str(one.error) for one in outcomes[:5]))
    lines = [
        f"{done} {o.key}." if o.memory else told(f"Not {o.key!r}: {o.error}") for o in outcomes
    ]
    data = [
        {
            "key": o.key,
            "memory": o.memory and memory_data(o.memory),
            "error": o.error and str(o.error),
        }
        for o in outcomes
    ]
    return Said("\n".join(lines), {"judged": data})
