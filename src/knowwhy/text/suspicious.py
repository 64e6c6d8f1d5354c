"""Stored text that speaks to its reader as if it could give orders."""

import re

from knowwhy.text.characters import without_unseen

LONGEST_READ = 50_000  # characters, as many as a turn may have
_SPACE = r"[\s\W_]{1,5}"
_PATTERNS = (
    (
        "it asks to ignore instructions",
        rf"\b(?:ignore|disregard|forget|override|bypass){_SPACE}(?:\w+{_SPACE}){{0,3}}"
        r"(?:instructions?|prompts?|rules|guidelines|constraints|context)\b",
    ),
    (
        "it gives its reader another role",
        rf"\b(?:you{_SPACE}are{_SPACE}now|from{_SPACE}now{_SPACE}on{_SPACE}you"
        rf"|act{_SPACE}as{_SPACE}(?:an?{_SPACE})?(?:\w+{_SPACE}){{0,2}}(?:assistant|admin|root|system)"
        rf"|pretend{_SPACE}(?:to{_SPACE}be|that{_SPACE}you))\b",
    ),
    (
        "it speaks as the system",
        r"(?:^|\n)[ \t>*#`]{0,8}(?:system|assistant|developer)[ \t]?(?:prompt|message)?[ \t]?:"
        r"|<\|?/?(?:im_start|im_end|system|endoftext)\b|\[/?INST\]",
    ),
    (
        "it asks to keep something from the user",
        rf"\b(?:do{_SPACE}not|don['’]?t|never){_SPACE}(?:tell|inform|mention|reveal|show){_SPACE}"
        rf"(?:\w+{_SPACE}){{0,4}}(?:user|human|operator|anyone)\b",
    ),
    (
        "it asks to send secrets somewhere",
        rf"\b(?:send|post|upload|exfiltrate|forward|e?-?mail|leak|print|reveal){_SPACE}"
        rf"(?:\w+{_SPACE}){{0,6}}(?:secrets?|passwords?|tokens?|api{_SPACE}keys?|credentials?"
        rf"|system{_SPACE}prompt|environment{_SPACE}variables?)\b",
    ),
    (
        "it asks for a tool to be run",
        rf"\b(?:you{_SPACE}must|please|immediately|now){_SPACE}(?:\w+{_SPACE}){{0,2}}"
        rf"(?:call|invoke|run|execute|use){_SPACE}(?:the{_SPACE})?(?:\w+{_SPACE}){{0,3}}"
        r"(?:tool|function|command|shell)\b",
    ),
    (
        "it asks to be believed",
        rf"\b(?:mark|treat|accept|approve|trust){_SPACE}(?:\w+{_SPACE}){{0,3}}(?:as{_SPACE})?"
        r"(?:verified|trusted|approved|authoritative|ground[ -]truth)\b",
    ),
)
_READ = tuple((what, re.compile(pattern, re.IGNORECASE)) for what, pattern in _PATTERNS)


def suspicion(text: str) -> str | None:
    """Says why a text is suspicious of giving orders to whoever reads it, or nothing."""
    read = without_unseen(text[:LONGEST_READ])
    return next((what for what, pattern in _READ if pattern.search(read)), None)
