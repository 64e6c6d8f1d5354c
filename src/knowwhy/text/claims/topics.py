"""What a claim is about and what it says of it, so that two claims can be held together."""

from dataclasses import dataclass, replace

from knowwhy.text.claims import clauses
from knowwhy.text.claims.assertions import Assertion, read_assertion
from knowwhy.text.claims.contrasts import Exchange, read_contrast
from knowwhy.text.claims.gist import content, denied
from knowwhy.text.claims.means import read_means
from knowwhy.text.claims.measured import one_amount
from knowwhy.text.claims.successions import arrow_as_change, is_more, read_succession
from knowwhy.text.claims.terms import clean, is_number
from knowwhy.text.patterns import regex

MAX_SAID = 14  # words that say something in a claim that is compared as a whole
_AS_A_WHOLE = "~ "  # begins the topic of a claim that names no attribute
_CAPITAL = regex(r"\b[A-Z]\w{0,63}(?:[.+#-]\w{1,64}){0,7}")
_ZEROS = regex(r"(?<=#)(\d{1,18}(?:\.\d*[1-9])?)\.?0*(?= |$)")
_EVERYWHERE = ("", "product")  # what left production is gone
_OF_PERSONS = frozenset(("owner", "lead", "manager", "cto", "ceo", "time"))
_EACH = frozenset(("all", "ani", "each", "everi"))  # stems; without them it is said of as many
_POINTS_WORDS = """
it they he she
"""
_POINTS = frozenset(_POINTS_WORDS.split())  # at what stands elsewhere

corrects = clauses.corrects
says_newly = clauses.says_newly


@dataclass(frozen=True, slots=True)
class Statement:
    """What a claim says of what."""

    topic: str  # "order|database", "access token|lifetime"; " @ " begins where it holds
    value: str  # empty where the topic is all it says
    polarity: bool  # False where it denies
    replaced: str | None = None  # the value that it says is gone
    gone: str = ""  # the topic of a whole claim that it says is no more
    means: str = ""  # what something is done with, where that is all that is clear


def statement(text: str) -> Statement | None:
    """Reads what a claim says of what; None where that is not clear."""
    named = frozenset(word.lower() for word in _CAPITAL.findall(clean(text[: clauses.MAX_READ])))
    clause = arrow_as_change(text, named) or clauses.first_clause(text)
    if clause is None:
        return None
    found = read_contrast(clauses.first_sentence(text) or "", named)
    if isinstance(found, Exchange):
        return None if clauses.takes_back(text, _last(found.name)) else _exchanged(found, named)
    found = found or read_succession(clause, named)
    if found:
        undone = clauses.takes_back(text, _last(found.value), _last(str(found.replaced)))
        return None if undone else _statement(found)
    plain = clauses.read_denial(clause)
    said = None if " but " in clause else read_assertion(plain.text, named)
    amount = None if clauses.adds(text) else one_amount(clause, named)
    if said is None:
        whole = _whole(clause, amount)
        if whole and plain.ends:
            return replace(whole, replaced="")
        return whole and replace(whole, means=read_means(clause, named))
    told = _statement(said)
    if clauses.adds(text) and not (plain.ends or is_number(told.value)):
        return _whole(clause, amount)  # beside what others say of the same
    if plain.ends or (plain.denied and corrects(text)):  # "Actually we do not use it"
        return replace(told, polarity=False, replaced=told.value)
    return replace(told, polarity=not plain.denied)


def _last(name: str) -> str:
    return name.rpartition(" ")[2]


def conflict(a: Statement, b: Statement) -> bool:
    """Tells whether two claims cannot both hold."""
    if a.topic != b.topic or not _is_clear(a.topic) or not (a.polarity or b.polarity):
        return False
    is_version = _parts(a.topic)[1] == "version"
    same = _refines(a.value, b.value) if is_version else _plain(a.value) == _plain(b.value)
    agree = _covers(a.value, b.value) or same
    return not agree if a.polarity and b.polarity else agree


def succeeds(new: Statement, old: Statement) -> bool:
    """Tells whether a claim says that what another one says is gone."""
    if new.replaced is None or not old.polarity:
        return False
    if new.topic == old.topic and _is_clear(new.topic):
        return conflict(new, old)
    if new.gone and set(new.gone.split()) == set(old.topic.split()):
        return True
    had = old.means if old.topic.startswith(_AS_A_WHOLE) else old.value
    if not new.replaced or not had or not _is_same_name(new.replaced, had):
        return False
    thing, attribute, where = _parts(new.topic)
    old_thing, old_attribute, old_where = _parts(old.topic)
    if where not in (old_where, *_EVERYWHERE):
        return False  # elsewhere it still holds
    if old.topic.startswith(_AS_A_WHOLE):  # and what it is done with is what is gone
        return set(thing.split()) <= set(old_thing.split())
    if attribute.startswith("use "):
        attribute = ""
    if thing or is_number(new.value):
        return thing == old_thing and (not attribute or old_attribute.startswith("use "))
    if attribute:
        return attribute == old_attribute or old_attribute.startswith("use ")
    return old_attribute not in _OF_PERSONS  # what all have left, each of them has left


def ends_exactly(new: Statement, old: Statement) -> bool:
    """Tells whether a claim says by name, or word for word, that another one is gone."""
    had = old.means if old.topic.startswith(_AS_A_WHOLE) else old.value
    is_named = bool(new.replaced and had) and _is_same_name(str(new.replaced), had)
    return succeeds(new, old) and (is_named or not new.polarity or bool(new.gone))


def _exchanged(found: Exchange, named: frozenset[str]) -> Statement | None:
    """Reads what holds as a whole, and as a whole what no longer does."""
    kept, gone = _whole(found.kept, None), _whole(found.gone, None)
    if kept is None or gone is None:
        return None
    means = read_means(found.kept, named)
    return replace(kept, replaced=found.name, gone=gone.topic, means=means)


def _parts(topic: str) -> tuple[str, str, str]:
    """Returns the thing, its attribute, and where it holds."""
    thing, _, rest = topic.partition("|")
    attribute, _, where = rest.partition(" @ ")
    return thing, attribute, where


def _is_same_name(gone: str, kept: str) -> bool:
    """Tells whether what is gone is what is kept, and no part of it as "the Resend logo"."""
    said, had = gone.split(), kept.split()
    return _covers(gone, kept) and is_more([word for word in said if word not in had])


def _plain(value: str) -> str:
    """Writes 0.50 as 0.5: only versions differ by the zeros at their end."""
    return _ZEROS.sub(r"\1", value)


def _is_clear(topic: str) -> bool:
    """Tells whether a topic says more than that something has taken the place of something."""
    return bool(_parts(topic)[1]) or topic.startswith(_AS_A_WHOLE)


def _covers(a: str, b: str) -> bool:
    """Tells whether one value says no more than the other: "postgresql" and "postgresql 15"."""
    one, other = a.split(), b.split()
    if set(one) <= set(other) or set(other) <= set(one):
        return True
    return one[:-1] == other[:-1] != [] and _refines(one[-1], other[-1])


def _refines(a: str, b: str) -> bool:
    """Tells whether one version says no more than the other: 16 and 16.2."""
    short, long = sorted((a, b), key=len)
    return bool(short) and is_number(short) and long.startswith(f"{short}.")


def _statement(found: Assertion) -> Statement:
    where = f" @ {found.where}" if found.where else ""
    return Statement(f"{found.thing}|{found.attribute}{where}", found.value, True, found.replaced)


def _whole(clause: str, amount: tuple[str, str] | None) -> Statement | None:
    """Reads a claim as one thing that is so or not, or of which there is so much."""
    told, much = amount or (clause, "")
    words = clauses.without_more(told).split()
    said = [word for word in content(words) if word not in _EACH]
    clauses_deny = denied(words)
    if not 2 <= len(said) <= MAX_SAID or len(clauses_deny) != 1 or words[0] in _POINTS:
        return None
    return Statement(f"{_AS_A_WHOLE}{' '.join(said)}|", much, not clauses_deny[0])
