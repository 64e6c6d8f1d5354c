"""What each tool answers as data, told to clients as JSON Schema so that they can rely on it.

Many clients show a model the structured answer and not the text beside it. So that is the same
text, fenced, with the few fields that the store has made itself; all of the data is for a program
that asks for it with the call.
"""

from collections.abc import Mapping

from knowwhy.mcp.toolbox.registry import Said
from knowwhy.types import Json

Schema = Mapping[str, Json]

ALL_DATA = "io.knowwhy/data"  # in the `_meta` of a call: true for the data instead of the text
OURS = "!"  # marks a text that the store has made or chosen; nobody's words can be in it
SCALARS = ("boolean", "integer", "number")  # which hold nobody's words either

TEXT: Schema = {"type": "string"}
ID: Schema = {"type": "string", OURS: True}
COUNT: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
ANY: Schema = {"type": "object"}
OPTIONAL = "?"  # ends the name of a field that an answer may be without


def shape(**fields: Schema) -> dict[str, Json]:
    """Describes an object by its fields; `maybe(...)` marks those that it may be without."""
    properties = {name: dict(about) for name, about in fields.items()}
    needed = [name for name, about in properties.items() if not about.pop(OPTIONAL, False)]
    return {"type": "object", "properties": properties, "required": needed}


def maybe(about: Schema) -> Schema:
    """Marks a field that an answer may be without."""
    return {**about, OPTIONAL: True}


def many(item: Schema) -> Schema:
    """Describes a list."""
    return {"type": "array", "items": dict(item)}


def null_or(about: Schema) -> Schema:
    """Describes a field that is null where there is nothing to say."""
    return {"anyOf": [dict(about), {"type": "null"}]}


MAYBE = null_or(TEXT)
ERROR: Schema = {"required": ["error"]}  # with code, text and retryable; at every tool
REFUSED = many(shape(where=TEXT, why=TEXT))
HIT = shape(
    key=TEXT,
    **{"is": {"enum": ["record", "memory", "turn"]}},
    kind=TEXT,
    text=TEXT,
    excerpt=TEXT,
    score=NUMBER,
    title=maybe(TEXT),
    facts=maybe(TEXTS),
    status=maybe(TEXT),
    suspicious=maybe(TEXT),
)
FOUND = {
    "note": TEXT, "knows": FLAG, "unknown": TEXTS, "recall": ID, "hits": many(HIT),
    "notes": TEXTS,
}  # fmt: skip
MEMORY_FIELDS = {
    "key": ID,
    "kind": TEXT,
    "status": ID,
    "text": TEXT,
    "created_at": TEXT,
    "why": maybe(TEXT),
    "speaker": maybe(TEXT),
}
MEMORY = shape(**MEMORY_FIELDS)
MEMORIES = shape(note=TEXT, memories=many(MEMORY))
JUDGED = shape(judged=many(shape(key=TEXT, memory=null_or(ANY), error=MAYBE)))
ALIKE = shape(note=TEXT, pairs=many(shape(memory=ANY, alike=ANY, score=NUMBER)))
CHANGE = shape(memory_key=TEXT, what=TEXT, at=TEXT)
RECORD_FIELDS = {
    "key": TEXT,
    "kind": TEXT,
    "title": maybe(TEXT),
    "status": maybe(TEXT),
    "service": maybe(TEXT),
}
RECORDS = many(shape(**RECORD_FIELDS))
CHECKPOINT = shape(key=ID, name=TEXT, project=MAYBE, goes_to=MAYBE, at=TEXT)
DIFFERENCE = shape(note=TEXT, added=many(ANY), changed=many(ANY), retracted=many(ANY))
RETURN = shape(to=CHECKPOINT, left=CHECKPOINT, restored=COUNT, retracted=COUNT, told_since=COUNT)
JOB = shape(
    job=ID,
    state={"enum": ["waiting", "running", "stopping", "done", "failed", "cancelled"]},
    done=COUNT,
    total=null_or(COUNT),
    result=null_or(ANY),
)
TURN_FIELDS = {
    "key": ID, "at": TEXT, "session": MAYBE, "role": TEXT, "speaker": MAYBE, "text": TEXT,
}  # fmt: skip
TURN = shape(**TURN_FIELDS)
SPOKEN = shape(**TURN_FIELDS, note=TEXT)
TASK = shape(task=TEXT, details=ANY, repository=MAYBE, touched_at=TEXT)
COMMIT = shape(id=TEXT, author=TEXT, at=TEXT, subject=TEXT)
COMMITS = shape(note=TEXT, commits=many(COMMIT))
STATE = shape(
    note=TEXT,
    said=TEXT,
    branch=MAYBE,
    commit=MAYBE,
    changed_files=many(ANY),
    changed=COUNT,
    recent_commits=many(ANY),
)
READ = {"note": TEXT, "text": TEXT}
EDGE = shape(
    **{"from": TEXT}, relation=TEXT, to=TEXT, hop=COUNT, stated=many(shape(by=TEXT, origin=TEXT))
)
ORIGIN = {
    "note": TEXT, "tier": COUNT, "evidence": ANY,
    "earlier": many(ANY), "later": many(ANY), "changes": many(CHANGE),
}  # fmt: skip
MEMORY_ORIGIN = shape(**MEMORY_FIELDS, **ORIGIN)
LENT_ORIGIN = shape(**MEMORY_FIELDS, note=TEXT, lent_by=TEXTS, tier=COUNT, cites=TEXTS)
RECORD_ORIGIN = shape(
    note=TEXT, **RECORD_FIELDS, source=MAYBE, links=many(ANY), linked_from=many(ANY)
)
NIGHT = shape(
    run=TEXT, at=TEXT, ended_at=MAYBE, state=TEXT, only=MAYBE, undoes=MAYBE,
    steps=many(
        shape(name=TEXT, seconds=NUMBER, finished=FLAG, alarms=TEXTS,
              yours=maybe(COUNT), of_all=maybe(COUNT))
    ),
)  # fmt: skip
RAN = shape(name=TEXT, error=MAYBE, text=TEXT, data=null_or(ANY))
AGENT_FIELDS = {
    "agent_id": ID,
    "name": TEXT,
    "type": TEXT,
    "capabilities": TEXTS,
    "max_scope": TEXT,
    "project": MAYBE,
    "is_active": FLAG,
    "created_at": TEXT,
}
AGENT = shape(**AGENT_FIELDS)
SESSION = shape(session=ID, agent_id=ID)
BEGUN = shape(session=TEXT, started_at=TEXT)
ACT = shape(
    number=COUNT, at=TEXT, agent_id=MAYBE, act=TEXT, target=MAYBE, outcome=TEXT, reason=MAYBE
)
POOL = shape(pool=ID, name=TEXT, scope=TEXT, project=MAYBE)
SEAT = shape(
    pool=TEXT, name=TEXT, scope=TEXT, permission=TEXT, state=TEXT, members=COUNT, shared=COUNT
)
PLACE = shape(pool=ID, agent_id=ID, permission=null_or(ID))
COMPANION = shape(
    agent_id=TEXT, name=MAYBE, type=MAYBE, permission=TEXT, state=TEXT, is_active=null_or(FLAG)
)
SHARE = shape(pool=ID, key=ID)
HANDOFF_FIELDS = {
    "handoff": ID, "state": ID, "from_agent": ID, "from_name": TEXT, "to_agent": ID,
    "to_name": TEXT, "task": TEXT, "context": MAYBE, "memory_keys": TEXTS, "record_keys": TEXTS,
    "other_records": COUNT, "why": MAYBE, "result": MAYBE, "suspicious": MAYBE, "expires_at": TEXT,
}  # fmt: skip
HANDOFF = shape(**HANDOFF_FIELDS)
SHOWN_HANDOFF = shape(
    **HANDOFF_FIELDS, note=TEXT, packed=maybe(TEXT), tokens=maybe(COUNT), left_out=maybe(TEXTS)
)
HANDOFFS = shape(
    note=TEXT,
    handoffs=many(shape(**HANDOFF_FIELDS, more_memory_keys=COUNT, more_record_keys=COUNT)),
)
TOOL = shape(name=TEXT, description=TEXT, does=TEXT, arguments=maybe(ANY))

# tool: the forms of its answer
GIVES: dict[str, tuple[Schema, ...]] = {
    "semantic_search": (shape(**FOUND),),
    "get": (
        shape(**RECORD_FIELDS, **READ, next_offset=maybe(COUNT)),
        shape(**MEMORY_FIELDS),
        SPOKEN,
    ),
    "remember": (MEMORY,),
    "recall": (shape(**FOUND), MEMORIES),
    "review_pending": (MEMORIES, JUDGED, MEMORY, ALIKE, shape(differ=TEXTS)),
    "set_task_context": (shape(task=null_or(TASK)),),
    "get_task_context": (shape(note=TEXT, task=null_or(TASK), left_behind=COUNTS),),
    "search_commits": (COMMITS,),
    "ingest": (JOB,),
    "why": (MEMORY_ORIGIN, LENT_ORIGIN, RECORD_ORIGIN, SPOKEN),
    "graph": (shape(note=TEXT, node=TEXT, title=MAYBE, edges=many(EDGE)),),
    "find_tools": (shape(tools=many(TOOL)),),
    "run_tool": (ANY,),
    "run_tools": (shape(results=many(RAN), left_out=COUNT),),
    "get_context": (shape(**FOUND, tokens=COUNT),),
    "get_memory_provenance": (MEMORY_ORIGIN, LENT_ORIGIN),
    "list_memories": (MEMORIES,),
    "update_memory": (MEMORY,),
    "invalidate_memory": (MEMORY,),
    "restore_memory": (MEMORY,),
    "create_memory": (MEMORY,),
    "get_memorules": (MEMORIES,),
    "get_pending_memories": (MEMORIES,),
    "approve_pending_memory": (JUDGED,),
    "reject_pending_memory": (JUDGED,),
    "correct_pending_memory": (MEMORY,),
    "get_review_history": (shape(note=TEXT, changes=many(CHANGE)),),
    "create_checkpoint": (CHECKPOINT,),
    "list_checkpoints": (shape(note=TEXT, checkpoints=many(CHECKPOINT)),),
    "diff": (DIFFERENCE,),
    "rollback_to": (RETURN, DIFFERENCE),
    "undo_rollback": (RETURN, DIFFERENCE),
    "ingest_code": (JOB,),
    "ingest_adr": (JOB,),
    "ingest_incident": (shape(key=TEXT, added=COUNT, unchanged=COUNT, refused=REFUSED),),
    "job_status": (JOB, shape(note=TEXT, jobs=many(JOB))),
    "cancel_job": (JOB,),
    "add_turn": (TURN,),
    "get_history": (shape(note=TEXT, turns=many(TURN)),),
    "list_records": (shape(note=TEXT, total=COUNT, records=RECORDS),),
    "service_overview": (
        shape(note=TEXT, service=TEXT, kinds=COUNTS, records=RECORDS),
        shape(note=TEXT, services=COUNTS),
    ),
    "statistics": (
        shape(note=TEXT, records=COUNT, kinds=COUNTS, services=COUNTS, memories=COUNTS),
    ),
    "search_health": (
        shape(
            note=TEXT,
            measurements=many(
                shape(
                    view=TEXT,
                    filter=TEXT,
                    recall_at_10=null_or(NUMBER),
                    worst=null_or(NUMBER),
                    baseline=null_or(NUMBER),
                    at=TEXT,
                    alarms=TEXTS,
                )
            ),
        ),
    ),
    "nightly_runs": (shape(note=TEXT, runs=many(NIGHT)),),
    "recent_commits": (COMMITS,),
    "git_status": (STATE,),
    "git_diff": (shape(note=TEXT, diff=TEXT),),
    "file_history": (COMMITS,),
    "register_agent": (AGENT,),
    "get_agent_info": (shape(**AGENT_FIELDS, note=TEXT, sessions=many(BEGUN)),),
    "get_agents_for_user": (shape(note=TEXT, total=COUNT, agents=many(AGENT)),),
    "deactivate_agent": (AGENT,),
    "start_agent_session": (SESSION,),
    "end_agent_session": (SESSION,),
    "get_agent_acts": (shape(note=TEXT, acts=many(ACT)),),
    "create_pool": (POOL,),
    "get_pools": (shape(note=TEXT, pools=many(SEAT)),),
    "get_pool_members": (shape(note=TEXT, pool=TEXT, members=many(COMPANION)),),
    "invite_to_pool": (PLACE,),
    "permit_in_pool": (PLACE,),
    "remove_from_pool": (PLACE,),
    "join_pool": (PLACE,),
    "leave_pool": (PLACE,),
    "archive_pool": (shape(pool=ID),),
    "share_memory_to_scope": (SHARE,),
    "withdraw_shared": (SHARE,),
    "query_shared": (shape(**FOUND),),
    "initiate_handoff": (HANDOFF,),
    "accept_handoff": (SHOWN_HANDOFF,),
    "reject_handoff": (HANDOFF,),
    "complete_handoff": (HANDOFF,),
    "fail_handoff": (HANDOFF,),
    "get_pending_handoffs": (HANDOFFS,),
    "list_handoffs": (HANDOFFS,),
    "get_handoff": (SHOWN_HANDOFF,),
    "search_code_kb": (shape(**FOUND),),
    "search_decisions": (shape(**FOUND),),
    "search_incidents": (shape(**FOUND),),
}


def answer_schema(tool: str) -> dict[str, Json]:
    """Gives the schema of all that a tool answers: the text, the data, and its errors.

    Some clients check an error against it too, so an error is one of the forms.
    """
    forms = list(GIVES[tool])
    if forms == [ANY]:
        return dict(ANY)
    return {
        "type": "object",
        "anyOf": [_unmarked(form) for form in (text_form(tool), *forms, ERROR)],
    }


def text_form(tool: str) -> dict[str, Json]:
    """Gives the schema of an answer as models are shown it."""
    fields: dict[str, Json] = {"text": TEXT}
    for form in GIVES[tool]:
        fields |= {name: about for name in _known(form) if (about := _ours(form, name))}
    told: dict[str, Json] = _unmarked({"type": "object", "properties": fields})
    return {**told, "required": ["text"], "additionalProperties": False}


def as_text(tool: str, said: Said) -> dict[str, Json]:
    """Gives an answer as models are shown it: its text, and of its data only what is ours.

    Keys of records are their authors' words, file names mostly: they stand in the text.
    """
    data = said.data
    forms = [form for form in GIVES[tool] if data.keys() >= set(form.get("required", ()))]
    kept = {
        name: value
        for name, value in data.items()
        if value is not None
        and (named := [form for form in forms if name in _known(form)])
        and all(_ours(form, name) for form in named)
    }
    return {**kept, "text": said.text}


def _known(form: Schema) -> Mapping[str, Schema]:
    fields: Mapping[str, Schema] = form.get("properties", {})
    return fields


def _ours(form: Schema, name: str) -> Schema | None:
    """Gives the schema of a field that can hold nobody's words, without its null; else nothing."""
    about = _known(form).get(name, {})
    (about, *others) = [one for one in about.get("anyOf", [about]) if one != {"type": "null"}]
    is_ours = OURS in about or "enum" in about or about.get("type") in SCALARS
    return about if is_ours and not others else None


def _unmarked(schema: Json) -> Json:
    """Gives a schema as clients are told it."""
    if isinstance(schema, Mapping):
        return {name: _unmarked(about) for name, about in schema.items() if name != OURS}
    return [_unmarked(one) for one in schema] if isinstance(schema, list | tuple) else schema
