"""The seeds of one-time passwords: TOTP seed …, the 2FA key of the vault is …"""

import re
from collections.abc import Iterator

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_shapes import Span, looks_drawn
from knowwhy.text.secrets.secret_values import is_stand_in

REACH = 100  # characters from the kind of login to its seed
WHOLE_SEEDS = frozenset({16, 26, 32, 52, 64})  # characters of the usual ones in base32
COMMIT = 40  # digits of a hash
HEX = regex(r"[0-9a-f]+")

_LOGIN = regex(
    r"\b(?:TOTP|HOTP|OTP|2FA|MFA|(?:two|second|multi)[ -]factor(?:[ -]auth\w{0,12})?|authenticator"
    r"|one[ -]time[ -]passwords?)(?-i:(?![a-z\d]))",
    re.I,
)
_SEED = regex(
    r"seed|secret|key|geheimnis|schlüssel|clé|secrète|clave|semilla|secreto|chave|segredo|sleutel",
    re.I,
)
_SENTENCE_END = regex(r"[.!?]\s|\n\s*\n")
_VALUE = regex(
    r"(?<![\w+/-])(?:[A-Z2-7]{16,128}=*|(?:[A-Za-z2-7]{4}[ -]){3,31}[A-Za-z2-7]{4}"
    r"|[0-9a-f]{32,128}|[a-z2-7]{16,128})(?![\w+/-])"
)


def seeds(text: str) -> Iterator[Span]:
    """Yields what stands as a seed beside the name of a login by one-time passwords."""
    covered = 0
    for login in _LOGIN.finditer(text):
        if login.start() < covered:
            continue
        end = _sentence_end(text, login.end())
        covered = min(end, login.end() + REACH // 2)  # so that no sentence is read again and again
        named = _SEED.search(text, max(0, login.start() - len("semilla de ")), end)
        if named is None:
            continue
        for value in _VALUE.finditer(text, max(named.end(), login.end()), end):
            if _is_seed(value[0]):
                yield Span(*value.span(), "one-time-seed")


def _sentence_end(text: str, after: int) -> int:
    found = _SENTENCE_END.search(text, after, after + REACH)
    if found is not None:
        return found.start()
    reach = min(len(text), after + REACH)
    while reach < len(text) and reach < after + 2 * REACH and not text[reach].isspace():
        reach += 1  # a value that the reach cuts is read to its end
    return reach


def _is_seed(value: str) -> bool:
    if is_stand_in(value):
        return False
    letters = re.sub(r"[ =-]", "", value)
    if len(letters) == COMMIT and HEX.fullmatch(letters):
        return False
    if letters == value and letters.isupper() and len(letters) in WHOLE_SEEDS:
        return True
    return any(map(str.isdigit, letters)) and looks_drawn(letters)
