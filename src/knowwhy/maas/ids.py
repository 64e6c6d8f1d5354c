"""Ids that nobody guesses, and names that people give."""

import re
import secrets

from knowwhy.errors import BadInput
from knowwhy.text.characters import check_line
from knowwhy.text.secrets.redact import redact

BYTES = 16  # 128 bits: an id can be neither guessed nor met by chance
PREFIXES = {"agent": "a", "session": "s", "pool": "p", "handoff": "h"}
LONGEST_NAME = 200  # characters


def new_id(of: str) -> str:
    """Makes the id of a new agent, session, pool or handoff."""
    return f"{PREFIXES[of]}-{secrets.token_hex(BYTES)}"


def is_id(text: str, of: str) -> bool:
    """Tells whether a text has the form of such an id."""
    return re.fullmatch(rf"{PREFIXES[of]}-[0-9a-f]{{{2 * BYTES}}}", text) is not None


def checked_name(what: str, name: str) -> str:
    """Gives a name as it is kept, without secrets, or says what is wrong with it."""
    kept = " ".join(redact(name).split())
    if not kept or len(kept) > LONGEST_NAME:
        raise BadInput(f"The name of {what} must be one line of 1 to {LONGEST_NAME} characters.")
    try:
        return check_line(kept)
    except BadInput as error:
        raise BadInput(f"The name of {what} {error}.") from None


def one_of(what: str, given: str, known: tuple[str, ...]) -> str:
    """Gives what was chosen if it can be, or names the choices."""
    if given not in known:
        raise BadInput(f"{what} must be one of {', '.join(known)}.")
    return given
