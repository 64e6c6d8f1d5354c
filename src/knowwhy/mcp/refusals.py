"""Tells a model what cannot be done: in our words, with names as data and tools for commands."""

import re

from knowwhy.text.secrets.redact import redact

MOST_WORDS = 4  # of a name in a sentence of ours; more of them can be read as an order
MOST_CHARS = 60  # of such a name
TOOL_FOR = {  # what a sentence that people read too says of the command line: the tool for it
    "agents list": "get_agents_for_user",
    "agents show": "get_agent_info",
    "checkpoint list": "list_checkpoints",
    "handoffs list": "get_pending_handoffs",
    "history": "get_history",
    "ingest": "ingest",
    "list": "list_records",
    "memories": "list_memories",
    "remember": "remember",
    "review": "review_pending",
    "sync": "ingest",
}
FOR_A_PERSON = {  # commands that no tool stands for, and why
    "backup": "writes a file of the whole home",
    "checkpoint delete": "a kept state is gone for good then",
    "doctor": "looks at files and packages of the machine",
    "export": "writes a file of the whole home",
    "health": "keeps a processor busy for minutes",
    "hook": "changes what git runs",
    "import": "fills a home that is not open yet",
    "nightly": "changes memories of all owners",
    "reembed": "makes all vectors of the home anew",
    "restore": "makes a home out of a file",
    "review conflicts": "a contradiction that a model has seen is judged by a person",
    "token": "decides who may ask the server at all",
}
BY_A_PERSON = "A person runs that at the server's machine."
REFUSED = "That cannot be done, for the reason below."

_COMMAND = re.compile(r"`knowwhy ([^`]+)`")
_NAME = re.compile(
    r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?!\w)|“.*”", re.DOTALL
)  # as Python and people quote; words between the curly ones may hold such marks themselves
_WORD = re.compile(r"(?<!\d)\d*[^\W\d_][^\W_]*")


def told(sentence: str) -> str:
    """Gives a sentence as a model reads it: what others may have written stands between tags."""
    from knowwhy.text.suspicious import suspicion

    whole = redact(sentence)
    names: list[str] = []

    def apart(found: re.Match[str]) -> str:
        name = found[0][1:-1]
        if found[0][0] != "“" and is_plain(name):
            return found[0]
        if name not in names:
            names.append(name)
        return f"[{names.index(name) + 1}]"

    said = for_tools(_NAME.sub(apart, whole))
    if suspicion(said):
        return _above(REFUSED, for_tools(whole))
    numbered = "\n".join(f"[{number}] {name}" for number, name in enumerate(names, 1))
    return _above(said, numbered) if names else said


def is_plain(name: str) -> bool:
    """Tells whether a name can stand in a sentence of ours: no words that could be an order."""
    from knowwhy.text.suspicious import suspicion

    is_short = len(name) <= MOST_CHARS and len(_WORD.findall(name)) <= MOST_WORDS
    return is_short and suspicion(name) is None


def for_tools(sentence: str) -> str:
    """Names the tools in the place of commands; where there is none, says who runs the command."""
    said = _COMMAND.sub(_as_tool, sentence)
    return f"{said} {BY_A_PERSON}" if _COMMAND.search(said) else said


def command_named(written: str) -> str:
    """Gives the command of a line that calls it, as the two tables name it."""
    words = written.split()
    known = {**TOOL_FOR, **FOR_A_PERSON}
    return next((name for n in (2, 1) if (name := " ".join(words[:n])) in known), written)


def _as_tool(found: re.Match[str]) -> str:
    tool = TOOL_FOR.get(command_named(found[1]))
    return f"`{tool}`" if tool else found[0]


def _above(said: str, inside: str) -> str:
    from knowwhy.mcp.rendered import data_block

    return data_block(said, inside)
