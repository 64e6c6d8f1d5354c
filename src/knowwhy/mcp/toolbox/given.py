"""Arguments that several tools take, each declared once."""

from typing import Annotated, Literal

from pydantic import Field

Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=2_000,
        description="A question or words, as a colleague would ask them.",
        examples=["Why did we choose PostgreSQL over MongoDB?"],
    ),
]
Service = Annotated[
    str | None,
    Field(max_length=200, description="A service, as records name it.", examples=["payments-api"]),
]
Kinds = Annotated[
    list[str] | None,
    Field(
        max_length=20,
        description="Only these kinds of record or memory.",
        examples=[["adr", "incident"]],
    ),
]
Since = Annotated[
    str | None, Field(max_length=100, description="From then on.", examples=["2 weeks"])
]
Until = Annotated[
    str | None, Field(max_length=100, description="Up to its end.", examples=["2023-Q3"])
]
Key = Annotated[
    str,
    Field(
        min_length=1,
        max_length=300,
        description="A key from an answer, or a label or path that only one record has.",
        examples=["ADR-5"],
    ),
]
MemoryKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="A memory's key.",
        examples=["m-3f2c1ab09d8e7f6a5b4c"],
    ),
]
Why = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1_000,
        description="The reason; it is kept.",
        examples=["We moved to Bento in March."],
    ),
]
MOST_CLAIM = 4_000  # characters that the store takes of a claim
MOST_RULE = 20_000  # of a memorule
AT_MOST = f"at most {MOST_CLAIM:,} characters but for a memorule"
Text = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MOST_CLAIM,
        description="One claim that stands alone, with its reason.",
        examples=["We use Kafka for the event backbone because we need replay (ADR-5)."],
    ),
]
Anew = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MOST_RULE,
        description=f"What it should say; {AT_MOST}.",
        examples=["We use Kafka 3.7 because 3.6 lost messages (INC-9)."],
    ),
]
Path = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4_000,
        description="A file or folder, from the repository on.",
        examples=["docs/adr"],
    ),
]
Limit = Annotated[int, Field(ge=1, le=100, description="How many at most.")]
Kind = Annotated[
    Literal["preference", "fact", "decision", "correction", "procedure", "note"] | None,
    Field(description="Left out: read from the text."),
]
SaidBy = Annotated[
    Literal["user", "assistant"],
    Field(description="user only for what the user has said; what you concluded is assistant."),
]
Name = Annotated[
    str,
    Field(min_length=1, max_length=200, description="The checkpoint's name.", examples=["v2"]),
]
AgentId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="Of your agent, as register_agent gave it.",
        examples=["a-5f0c2b9d…"],
    ),
]
OtherAgent = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="Another agent's id.",
        examples=["a-0d4be2c7…"],
    ),
]
AgentType = Literal[
    "human", "coding_assistant", "llm_agent", "orchestrator", "pipeline", "reviewer", "service"
]
Capability = Literal[
    "memory_read", "kb_search", "decision_read", "incident_read",
    "memory_write", "memory_retract", "handoff_initiate", "handoff_receive",
]  # fmt: skip
Scope = Literal["agent-private", "user", "project", "team", "global"]
Permission = Literal["read", "write", "admin"]
PermissionGiven = Annotated[Permission, Field(description="Each includes those before it.")]
PoolId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="As create_pool gave it.",
        examples=["p-91be07c3…"],
    ),
]
PoolScope = Annotated[
    str | None,
    Field(
        max_length=100,
        description="Only what this pool lends.",
        examples=["p-91be07c3…"],
    ),
]
HandoffId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        description="As get_pending_handoffs shows it.",
        examples=["h-c40d6f1b…"],
    ),
]
HandoffState = Literal["pending", "accepted", "rejected", "expired", "completed", "failed"]
Tokens = Annotated[int, Field(ge=200, le=20_000, description="Of what goes with it, at most.")]
