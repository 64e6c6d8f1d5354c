"""Every tool of the server, in the order in which they are listed."""

from knowwhy.mcp import (
    checkpoint_tools,
    finding,
    listings,
    lookups,
    memory_tools,
    review_tools,
    taking,
    talking,
    working,
)
from knowwhy.mcp.registry import ADDS, CHANGES, HOME, MODELS, NOTHING, Tool

_LISTED = (
    Tool(lookups.semantic_search, "Search", needs=MODELS, default=True),
    Tool(lookups.get, "Read in full", default=True),
    Tool(memory_tools.remember, "Remember", does=ADDS, needs=MODELS, default=True),
    Tool(memory_tools.recall, "Recall", needs=MODELS, default=True),
    Tool(review_tools.review_pending, "Review claims", does=CHANGES, default=True),
    Tool(working.set_task_context, "Set the task", does=CHANGES, default=True),
    Tool(working.get_task_context, "Get the task", default=True),
    Tool(working.search_commits, "Search commits", needs=NOTHING, default=True),
    Tool(taking.ingest, "Take in files", does=CHANGES, needs=MODELS, default=True),
    Tool(
        lookups.why, "Where it comes from", default=True, topic="provenance origin evidence audit"
    ),
    Tool(lookups.graph, "Neighbours", default=True, topic="dependencies depends owner upstream"),
    Tool(finding.find_tools, "Find tools", needs=NOTHING, default=True),
    Tool(finding.run_tool, "Call a tool", does=CHANGES, needs=NOTHING, default=True),
    Tool(
        finding.run_tools,
        "Call several tools",
        does=CHANGES,
        needs=NOTHING,
        topic="batch several calls program",
    ),
    Tool(lookups.get_context, "Pack a context", needs=MODELS, topic="tokens budget prompt"),
    Tool(lookups.get_memory_provenance, "Provenance", topic="audit trail origin evidence"),
    Tool(memory_tools.list_memories, "List memories"),
    Tool(memory_tools.update_memory, "Update a memory", does=CHANGES, needs=MODELS, topic="change"),
    Tool(
        memory_tools.invalidate_memory,
        "Retract a memory",
        does=CHANGES,
        topic="delete forget remove",
    ),
    Tool(memory_tools.restore_memory, "Restore a memory", does=CHANGES, needs=MODELS, topic="undo"),
    Tool(
        memory_tools.create_memory,
        "Keep a rule",
        does=ADDS,
        needs=MODELS,
        topic="memorule convention",
    ),
    Tool(memory_tools.get_memorules, "Rules that hold here", topic="memorule convention persona"),
    Tool(review_tools.get_pending_memories, "Pending memories"),
    Tool(review_tools.approve_pending_memory, "Approve", does=CHANGES, needs=MODELS),
    Tool(review_tools.reject_pending_memory, "Reject", does=CHANGES),
    Tool(review_tools.correct_pending_memory, "Correct", does=CHANGES, needs=MODELS),
    Tool(review_tools.get_review_history, "Judgements"),
    Tool(checkpoint_tools.create_checkpoint, "Keep a state", does=ADDS, topic="snapshot save"),
    Tool(checkpoint_tools.list_checkpoints, "List states"),
    Tool(checkpoint_tools.diff, "Compare states", topic="checkpoint memories difference"),
    Tool(checkpoint_tools.rollback_to, "Go back", does=CHANGES, needs=MODELS, topic="undo revert"),
    Tool(
        checkpoint_tools.undo_rollback, "Undo going back", does=CHANGES, needs=MODELS, topic="redo"
    ),
    Tool(taking.ingest_code, "Take in code", does=CHANGES, needs=MODELS, topic="index codebase"),
    Tool(taking.ingest_adr, "Take in decisions", does=CHANGES, needs=MODELS, topic="index ADR"),
    Tool(
        taking.ingest_incident,
        "Keep an incident",
        does=ADDS,
        needs=MODELS,
        topic="outage postmortem",
    ),
    Tool(taking.job_status, "How far a job is", needs=NOTHING, topic="background progress"),
    Tool(taking.cancel_job, "Stop a job", does=CHANGES, needs=NOTHING, topic="abort"),
    Tool(talking.add_turn, "Keep a message", does=ADDS, needs=HOME, topic="conversation chat"),
    Tool(talking.get_history, "Conversations", topic="chat turns said messages"),
    Tool(listings.list_records, "List records", topic="decisions incidents meetings documents"),
    Tool(listings.service_overview, "Service overview", topic="services"),
    Tool(listings.statistics, "Statistics", topic="count status"),
    Tool(listings.search_health, "Search health", topic="recall index HNSW monitoring"),
    Tool(listings.nightly_runs, "Night runs", topic="janitor merged expired contradictions undo"),
    Tool(working.recent_commits, "Last commits", needs=NOTHING, topic="git log"),
    Tool(working.git_status, "Status", needs=NOTHING, topic="branch changed files"),
    Tool(working.git_diff, "Changes", needs=NOTHING, topic="uncommitted"),
    Tool(working.file_history, "History of a file", needs=NOTHING, topic="git log blame"),
)

TOOLS = {tool.name: tool for tool in _LISTED}
