"""Whether a sentence says plainly what a project does with which tool: "we send mail with X"."""

from knowwhy.text.claims.topic_words import PURPOSES
from knowwhy.text.entities import entities
from knowwhy.text.patterns import regex

_DO = (
    r"(?:send|deliver|handle|process|store|keep|save|cache|host|track|manage|monitor|search|queue"
    r"|bill|charge|collect|accept|take|sign|format|lint|test|serve|publish|render|generate|index"
    r"|archive|encrypt|persist|schedule|authenticate|receive|ship|run|write|deploy|build|review)"
)
_DONE = (
    r"(?:sent|delivered|handled|processed|stored|kept|saved|cached|hosted|tracked|managed"
    r"|monitored|queued|billed|collected|accepted|taken|signed|formatted|linted|tested|served"
    r"|published|rendered|generated|indexed|archived|encrypted|scheduled|received|deployed|built"
    r"|done|run|written)"
)
_WITH = r"(?:with|via|through|using|in|on|by|over)"
_OFTEN = r"(?:(?:now|always|only|still|all|currently|both|also) )*"
_ALL = r"(?i:(?:all |our |the )*)"
_OBJECT = r"(?P<object>(?:[\w-]{1,30} ){1,4}?)"
_NAME = r"(?:the )?(?P<name>[A-Z][\w.+#-]{1,40})"
_FORMS = tuple(
    regex(pattern)
    for pattern in (
        rf"(?:.{{0,20}}[,:] )?(?i:we|our team|the team) {_OFTEN}{_DO} {_OBJECT}{_WITH} {_NAME}",
        rf"{_ALL}{_OBJECT}(?:is|are) {_OFTEN}{_DONE} {_WITH} {_NAME}",
        rf"{_ALL}{_OBJECT}(?:go(?:es)?|runs?|lives?|sits?) (?:out )?{_WITH} {_NAME}",
        rf"{_NAME} {_OFTEN}{_DO}(?:s|es) (?:all )?our {_OBJECT}(?<= )(?:\Z|and\b|for\b|in\b)",
        rf"{_NAME} is our {_OBJECT}\Z",
        rf"(?i:our) {_OBJECT}is {_OFTEN}{_NAME}",
    )
)
# Nouns of software beside those that say what one tool does for everybody.
_THINGS_WORDS = """
sessions session tokens token invoices orders events event messages jobs tasks metrics traces logs
errors alerts docs documentation files images thumbnails assets uploads backups reports data records
rows state requests traffic secrets flags code config configuration builds artifacts packages
releases deploys repositories repos issues bugs tracker incidents dashboards analytics translations
webhooks notifications subscriptions database db cache queue broker cloud frontend backend services
service app site website registry pipeline pipelines certificates users accounts crawls indexes
migrations schema schemas containers images provider host hosting framework language editor tests
"""
THINGS = frozenset(_THINGS_WORDS.split()) | frozenset(PURPOSES)


def states_tool(core: str) -> bool:
    """Tells whether a sentence says what its project does with which tool."""
    plain = " ".join(core.replace("`", "").split()).rstrip(".!") + " "
    for form in _FORMS:
        if found := form.match(plain):
            things = found["object"].lower().split()
            return bool(THINGS.intersection(things)) or _is_tool(found["name"])
    return False


def _is_tool(name: str) -> bool:
    kinds = ("dependency", "framework")
    return any(found.type in kinds for found in entities(f"We use {name.rstrip('.,;:')}"))
