"""What each tool answers as data, told to clients as JSON Schema so that they can rely on it."""

from collections.abc import Mapping

from knowwhy.types import Json

Schema = Mapping[str, Json]

TEXT: Schema = {"type": "string"}
MAYBE: Schema = {"type": ["string", "null"]}
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


ERROR: Schema = {"required": ["error"]}  # with code, text and retryable; at every tool
REFUSED = many(shape(where=TEXT, why=TEXT))
HIT = shape(
    key=TEXT,
    **{"is": {"enum": ["record", "memory", "turn"]}},
    kind=TEXT,
    text=TEXT,
    score=NUMBER,
    title=maybe(TEXT),
    status=maybe(TEXT),
    suspicious=maybe(TEXT),
)
FOUND = {
    "note": TEXT, "knows": FLAG, "recall": TEXT, "hits": many(HIT), "notes": TEXTS,
}  # fmt: skip
MEMORY_FIELDS = {
    "key": TEXT,
    "kind": TEXT,
    "status": TEXT,
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
CHECKPOINT = shape(key=TEXT, name=TEXT, project=MAYBE, goes_to=MAYBE, at=TEXT)
DIFFERENCE = shape(note=TEXT, added=many(ANY), changed=many(ANY), retracted=many(ANY))
RETURN = shape(to=CHECKPOINT, left=CHECKPOINT, restored=COUNT, retracted=COUNT, told_since=COUNT)
JOB = shape(
    job=TEXT,
    state={"enum": ["waiting", "running", "stopping", "done", "failed", "cancelled"]},
    done=COUNT,
    total={"type": ["integer", "null"]},
    result={"type": ["object", "null"]},
)
TURN_FIELDS = {
    "key": TEXT, "at": TEXT, "session": MAYBE, "role": TEXT, "speaker": MAYBE, "text": TEXT,
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
    "agent_id": TEXT,
    "name": TEXT,
    "type": TEXT,
    "capabilities": TEXTS,
    "max_scope": TEXT,
    "project": MAYBE,
    "is_active": FLAG,
    "created_at": TEXT,
}
AGENT = shape(**AGENT_FIELDS)
SESSION = shape(session=TEXT, agent_id=TEXT)
BEGUN = shape(session=TEXT, started_at=TEXT)
ACT = shape(
    number=COUNT, at=TEXT, agent_id=MAYBE, act=TEXT, target=MAYBE, outcome=TEXT, reason=MAYBE
)
POOL = shape(pool=TEXT, name=TEXT, scope=TEXT, project=MAYBE)
SEAT = shape(
    pool=TEXT, name=TEXT, scope=TEXT, permission=TEXT, state=TEXT, members=COUNT, shared=COUNT
)
PLACE = shape(pool=TEXT, agent_id=TEXT, permission=MAYBE)
COMPANION = shape(
    agent_id=TEXT, name=MAYBE, type=MAYBE, permission=TEXT, state=TEXT, is_active=null_or(FLAG)
)
SHARE = shape(pool=TEXT, key=TEXT)
HANDOFF_FIELDS = {
    "handoff": TEXT, "state": TEXT, "from_agent": TEXT, "from_name": TEXT, "to_agent": TEXT,
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
    "archive_pool": (shape(pool=TEXT),),
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
    """Gives the schema of all that a tool answers, its errors included.

    Some clients check an error against it too, so an error is one of the forms.
    """
    forms = [dict(form) for form in GIVES[tool]]
    if forms == [ANY]:
        return dict(ANY)
    return {"type": "object", "anyOf": [*forms, dict(ERROR)]}
