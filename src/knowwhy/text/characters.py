"""Characters that cannot be stored, and those that must not reach a terminal."""

import unicodedata

from knowwhy.errors import BadInput
from knowwhy.text.patterns import regex

SURROGATE = regex("[\ud800-\udfff]")
CONTROL = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")  # all but tab and newline
BREAK = regex("[\t\n]")  # what else a line does not hold

# Turns the direction, or takes no room at all; the joiners that scripts and emoji need are none.
UNSEEN = regex(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
TURNS = regex(
    "[\u202a-\u202e\u2066-\u2069]"
)  # what follows: a name that ends in .exe looks like a .txt
JOINERS = "\u200c\u200d"  # seen by what they do to the letters beside them


def check_text(text: str) -> str:
    """Refuses an empty text, and one with characters that no database column can hold."""
    if not text.strip():
        raise BadInput("is empty")
    return check_characters(text)


def check_characters(text: str) -> str:
    """Refuses characters that no database column can hold."""
    if "\0" in text:
        raise BadInput("holds a NUL character, so it is not text")
    if not is_unicode(text):
        raise BadInput("holds half of a surrogate pair, so it is not Unicode text")
    return text


def check_line(text: str) -> str:
    """Refuses what is no line that people can read: breaks, controls, and what turns or hides."""
    for found in (pattern.search(text) for pattern in (BREAK, CONTROL, SURROGATE, UNSEEN)):
        if found:
            raise BadInput(f"holds {_called(found[0])}, which does not belong there; leave it out")
    if not text.strip(f"{JOINERS} "):
        raise BadInput("holds nothing that can be seen")
    return text


def _called(character: str) -> str:
    """Names a character that cannot be shown."""
    name = unicodedata.name(character, "")
    return f"the character U+{ord(character):04X}{f' ({name})' if name else ''}"


def is_unicode(text: str) -> bool:
    """Tells whether a text can be written in UTF-8."""
    return text.isascii() or not SURROGATE.search(text)


def printable(text: str) -> str:
    """Shows control characters as escapes, so that a stored text cannot steer a terminal."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def without_unseen(text: str) -> str:
    """Drops what a reader of a text cannot see and a model can: it may say something else there."""
    return UNSEEN.sub("", text)


def one_line(text: str) -> str:
    """Shows a text on one line, as escapes its control characters, turns and half surrogates."""
    flat = printable(text.replace("\n", "\\n").replace("\t", " "))
    flat = TURNS.sub(lambda found: f"\\u{ord(found[0]):04x}", flat)
    return flat.encode("utf-8", "backslashreplace").decode("utf-8")
