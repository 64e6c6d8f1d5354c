"""Tools for conversations: messages kept, and read back."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field

from knowwhy.mcp.caller import Caller
from knowwhy.mcp.toolbox.given import Limit, Since, Until
from knowwhy.mcp.toolbox.registry import Said
from knowwhy.text.question.question_times import dated

MOST_WORDS = 50_000  # characters of all messages of an answer's data: one long one is whole

Session = Annotated[
    str | None,
    Field(
        max_length=200,
        description="The conversation; left out: this connection, where it has a session.",
        examples=["sprint-12"],
    ),
]


def add_turn(
    caller: Caller,
    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=50_000,
            description="What was said.",
            examples=["We chose Redis for sessions."],
        ),
    ],
    role: Annotated[Literal["user", "assistant"], Field(description="Who said it.")] = "user",
    session: Session = None,
    speaker: Annotated[
        str | None, Field(max_length=200, description="The name, among several.", examples=["Ada"])
    ] = None,
    id: Annotated[
        str | None,
        Field(
            max_length=200,
            description="Its own id: told again it is kept once.",
            examples=["1731936000.0042"],
        ),
    ] = None,
    ttl_days: Annotated[int | None, Field(ge=1, le=36_500, examples=[30])] = None,
) -> Said:
    """Keep one message of a conversation; what is worth remembering is learned from it later.

    Use it from clients that record conversations. Not for one thing to remember now (remember), nor
    for conversations in files (ingest).
    """
    from knowwhy.mcp.rendered import turn_data
    from knowwhy.tables.talk.said import Saying, add_turn

    asker = caller.asker
    ttl = None if ttl_days is None else timedelta(days=ttl_days)
    place = session or caller.session
    said = Saying(
        text,
        asker.user_id,
        asker.project,
        place,
        role=role,
        speaker=speaker,
        ttl=ttl,
        id=id,
        via=caller.via,
    )
    turn = add_turn(said)
    return Said(f"Kept as {turn.key}.", turn_data(turn))


def get_history(
    caller: Caller,
    session: Annotated[
        str | None,
        Field(max_length=200, description="Left out: all of them.", examples=["sprint-12"]),
    ] = None,
    words: Annotated[
        str | None,
        Field(
            max_length=500,
            description="All of these stand in the message.",
            examples=["redis sessions"],
        ),
    ] = None,
    limit: Limit = 20,
    since: Since = None,
    until: Until = None,
) -> Said:
    """Read back what was said in this user's conversations, newest first.

    Use it for the exact words, as for "what did we say yesterday?". Not for what a question is
    about (recall).
    """
    from knowwhy.mcp.rendered import MOST_ITEM, NOTE, listed, turn_data, turn_entry
    from knowwhy.tables.talk.turns import history

    asker = caller.asker
    within = dated(since, until)
    found = history(asker.user_id, asker.project, session, words, limit, caller.now(), within)
    text = listed(f"{len(found)} messages:", map(turn_entry, found), "No such messages.")
    each = max(MOST_ITEM, MOST_WORDS // max(1, len(found)))
    return Said(text, {"note": NOTE, "turns": [turn_data(turn, each) for turn in found]})
