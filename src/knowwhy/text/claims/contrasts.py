"""What was and what is, told in two halves: "we used to run Jenkins, now it is Buildkite"."""

import re
from dataclasses import dataclass, replace
from itertools import product

from knowwhy.text.claims.assertions import Assertion, read_assertion, tool
from knowwhy.text.claims.clauses import clause_of, of_change, read_denial
from knowwhy.text.claims.means import read_means
from knowwhy.text.claims.nouns import Value, noun, value
from knowwhy.text.claims.successions import LIMITED, UNREAL, changed_to, is_more, without
from knowwhy.text.claims.terms import is_number, is_product
from knowwhy.text.claims.topic_words import DROPPED, PREPOSITIONS, PURPOSES, UNCLEAR, WE
from knowwhy.text.patterns import regex

MAX_WORDS = 60  # of a sentence; a longer one tells more than one change
MAX_NAME = 3  # words of a name

_PREPOSITION = r"(?:with|on|in|at|by|to|via|through|using|under|from)"
_NAME = r"[^ ,]+(?: [^ ,]+){0,3}?"
_MARK = (
    r"(?:now|today|nowadays|these days|since then|from then on|meanwhile|as of (?:now|today)"
    r"|since #\S{1,20}|since (?:last )?[a-z]{3,9})"
)
_MARKED = regex(rf"(?P<was>.+?)(?: ,)?(?: (?:and|but|so))? {_MARK}(?: ,)? (?P<is>.+)")
_PARTED = regex(r"(?P<was>.+?)(?: ,(?: (?:and|but|so))?| but) (?P<is>.+)")
_USED_TO = regex(r"(?P<s>.+?) used to (?P<verb>[a-z]+) (?P<rest>.+)")
_WAS = regex(r"(?P<s>.+?) (?P<verb>was|were|used|sent|ran) (?P<rest>.+)")
_UNTIL = regex(r" (?:until|till|up to) .+")
_PRESENT = {"was": "is", "were": "are", "used": "use", "sent": "send", "ran": "run", "be": "is"}
_WE_DO = frozenset(("we", "i", "they", "you"))
_SERVES = regex(r"(?P<v>.+?) (?:is|are) used (?P<for>(?:for|as) .+)")
_DOES_OURS = regex(
    rf"(?P<v>{_NAME}) (?P<verb>send|deliver|handle|process|collect)(?:s|es) our (?P<o>.+)"
)
_NEW = regex(  # "we use Bento", "it is sent with Bento", "with Bento", "Bento does", "Bento"
    r"(?:(?:it|that|this|they|we|he|she) )?(?:(?:is|are|use|uses|run|runs|do|does|go|goes|send"
    r"|sends|handle|handles|have|has) )?(?:(?:it|that|this|them|so) )?"
    r"(?:(?:\w+ed|sent|built|done|run|kept|held|made|written|led) )?"
    rf"(?:(?P<by>{_PREPOSITION}) )?(?P<y>{_NAME})"
    r"(?: (?:is|are|does|do|has|took over|takes over|handles it|owns it|does (?:it|that|so)"
    r"|do (?:it|that|so)|is used|is responsible))?(?: instead)?"
)
_TAIL = regex(r" ,(?: and)? (?=no longer (?!than\b)[^ ,])")
_GONE = regex(  # "no longer with Resend", "not on Jenkins anymore"
    rf"(?P<said>.+?)(?: and)? (?:no longer|not) (?P<by>{_PREPOSITION}) (?P<x>{_NAME})"
    r"(?: (?:anymore|any more|any longer))?"
)
_GONE_BARE = regex(
    rf"(?P<said>.+?)(?: and)? (?:no longer (?P<x>{_NAME})"
    rf"|not (?P<z>{_NAME}) (?:anymore|any more|any longer))"
)
_LEFT_OFF = regex(  # "Bob owns billing, Alice no longer does"
    rf"(?P<said>.+?) , (?:(?:and|but) )?(?P<x>{_NAME})"
    r" (?:no longer (?:is|are|does|do)|(?:is|are|does|do) no longer|used to"
    r"|(?:is|are|does|do) not (?:anymore|any more|any longer))"
)
_INSTEAD = regex(
    rf"(?P<said>.+?) (?:instead of|in place of|rather than)(?: (?P<by>{_PREPOSITION}))? (?P<x>.+)"
)
_IT_IS = regex(rf"(?:(?:it|that|this) is )?(?P<y>{_NAME})")
_TOOK_ON = regex(
    r"(?P<y>.+?) (?:(?:has|have|fully|completely|finally) )*(?:took|taken|takes) over (?P<o>.+?)"
    r" from (?P<x>.+)"
)
_HANDED = regex(r"(?P<x>.+?) (?:has |have )?handed (?:over )?(?P<o>.+?)(?: over)? to (?P<y>.+)")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A clause that holds, and one that says of the same what no longer does."""

    kept: str
    gone: str
    name: str  # what is gone of it


def read_contrast(sentence: str, named: frozenset[str]) -> Assertion | Exchange | None:
    """Reads a sentence in canonical words that tells what is beside what no longer is."""
    if len(sentence.split()) > MAX_WORDS or LIMITED.search(sentence):
        return None
    clause = clause_of(_TAIL.sub(" ", sentence))
    if clause is None or UNREAL.search(of_change(_UNTIL.sub("", clause))):
        return None
    if told := _then_and_now(sentence, named):
        return told
    if UNREAL.search(clause):
        return None
    return (
        _handed_on(of_change(clause), named)
        or _left_off(sentence, named)
        or _ended(clause, named)
        or _instead(clause, named)
    )


def _then_and_now(sentence: str, named: frozenset[str]) -> Assertion | Exchange | None:
    """Reads "we used to …, now …", "… was … until May, now …", "… is no longer …, … is"."""
    parted = _PARTED.fullmatch(sentence)
    for found in filter(None, (_MARKED.fullmatch(sentence), parted)):
        was = _as_present(_bare(found["was"]), is_parted=found is parted)
        present = _bare(found["is"].split(" , ")[0])
        if UNREAL.search(present):
            continue
        for gone, now in product(was, (present, of_change(present))):
            if said := _exchanged(gone, now, named):
                return said
    return None


def _as_present(was: str, *, is_parted: bool) -> list[str]:
    """Puts what was, or no longer is, as if it still were; in the ways in which it may be said."""
    if found := _USED_TO.fullmatch(was):
        verb = _PRESENT.get(found["verb"], found["verb"])
        verbs = [verb] if found["s"] in _WE_DO or verb == "is" else [f"{verb}s", verb]
        return [_serving(f"{found['s']} {verb} {found['rest']}") for verb in verbs]
    plain = read_denial(was)
    if plain.ends and plain.denied:
        return [_serving(plain.text)]
    ended = _UNTIL.search(was)
    found = _WAS.fullmatch(_UNTIL.sub("", was))
    if found and (ended or not is_parted):
        return [_serving(f"{found['s']} {_PRESENT[found['verb']]} {found['rest']}")]
    return []


def _serving(clause: str) -> str:
    """Puts "Redis is used for caching", "Resend sends our mail" as what we do with it."""
    return _DOES_OURS.sub(
        r"we \g<verb> \g<o> with \g<v>", _SERVES.sub(r"we use \g<v> \g<for>", clause)
    )


def _exchanged(gone: str, present: str, named: frozenset[str]) -> Assertion | Exchange | None:
    """Holds what was against what is, which may be told by a name alone."""
    old, new = read_assertion(gone, named), read_assertion(present, named)
    if old and new and _is_about(old) == _is_about(new):
        return without(new, old.value)
    found = _NEW.fullmatch(present)
    after = _name_alone(found["y"], named) if found else None
    if found is None or after is None:
        return _sentences(gone, present, named)
    if old is None:
        return _renamed(gone, after, found["by"] or "", named)
    if is_number(old.value) != is_number(after) or old.value == after:
        return None
    if old.attribute.startswith("use "):
        return without(tool(old.thing, old.where, Value(after, "")), old.value)
    return replace(old, value=after, replaced=old.value)


def _is_about(said: Assertion) -> tuple[str, str, str]:
    return said.thing, said.attribute, said.where


def _renamed(gone: str, after: str, by: str, named: frozenset[str]) -> Exchange | None:
    """Says a clause anew with another name for what it says something is done with, or when."""
    means = read_means(gone, named)
    if not means:
        swapped = _swapped(gone, after, by, named)
        was = set(gone.split()) - set(swapped.gone.split()) if swapped else set()
        return Exchange(swapped.gone, gone, " ".join(sorted(was))) if swapped else None
    kept = re.sub(rf"(?<![^ ]){re.escape(means)}(?![^ ])", after, gone, count=1)
    return Exchange(kept, gone, means) if kept != gone else None


def _sentences(gone: str, present: str, named: frozenset[str]) -> Exchange | None:
    """Holds two whole sentences together that say with what one thing is done, was and is."""
    was, now = read_means(gone, named), read_means(present, named)
    if not was or not now or was == now:
        return None
    same = set(gone.split()) - {was} == set(present.split()) - {now}
    return Exchange(present, gone, was) if same else None


def _handed_on(clause: str, named: frozenset[str]) -> Assertion | None:
    """Reads "Valkey took over caching from Redis" and "Alice handed billing to Bob"."""
    found = _TOOK_ON.fullmatch(clause) or _HANDED.fullmatch(clause)
    if not found or " not " in clause:
        return None
    before, after = value(found["x"]), value(found["y"])
    if (
        before is None
        or after is None
        or not all(_is_called(v.text, named) for v in (before, after))
    ):
        return None
    where = f" in {before.where}" if before.where else ""
    if found["o"].split()[-1] in PURPOSES:
        said = read_assertion(f"we use {after.text} for {found['o']}{where}", named)
        return without(said, before.text)
    if is_product(before.text.split()[0]) or is_product(after.text.split()[0]):
        about = noun(found["o"])
        return changed_to(about, before, after) if about else None
    return without(read_assertion(f"{after.text} owns {found['o']}{where}", named), before.text)


def _left_off(sentence: str, named: frozenset[str]) -> Assertion | None:
    """Reads "Bob owns billing now, Alice no longer does"."""
    found = _LEFT_OFF.fullmatch(_bare(sentence))
    if not found or not _is_called(found["x"], named):
        return None
    return without(read_assertion(found["said"], named), found["x"])


def _ended(clause: str, named: frozenset[str]) -> Assertion | Exchange | None:
    """Reads "mail is sent with Bento, no longer with Resend"."""
    if found := _GONE.fullmatch(clause):
        return _with_another(found["said"], found["x"], found["by"], named)
    found = _GONE_BARE.fullmatch(clause)
    gone = found and value(found["x"] or found["z"])
    if not found or not gone or not (is_number(gone.text) or _is_called(gone.text, named)):
        return None
    return without(read_assertion(found["said"], named), found["x"] or found["z"])


def _instead(clause: str, named: frozenset[str]) -> Assertion | Exchange | None:
    """Reads "sessions are stored in Valkey instead of Redis"."""
    found = _INSTEAD.fullmatch(clause)
    if not found:
        return None
    before, it_is = value(found["x"]), _IT_IS.fullmatch(found["said"])
    if before and before.purpose and it_is and _name_alone(it_is["y"], named):
        said = tool("", "", Value(it_is["y"], before.where, before.purpose))
        return without(said, before.text)
    if found["by"] is None and read_assertion(found["said"], named):
        return None  # read as any succession
    by = found["by"] or next(
        (word for word in reversed(found["said"].split()) if word in PREPOSITIONS), ""
    )
    return _with_another(found["said"], found["x"], by, named)


def _with_another(
    said: str, gone: str, by: str, named: frozenset[str]
) -> Assertion | Exchange | None:
    """Tells what is gone of a clause when behind the same preposition another name stands."""
    if not _name_alone(gone, named) or f" {by} " not in said:
        return None
    if assertion := read_assertion(said, named):
        return without(assertion, gone)
    return _swapped(said, gone, by, named)


def _swapped(said: str, gone: str, by: str, named: frozenset[str]) -> Exchange | None:
    """Puts another name behind the last such preposition of a clause."""
    head, preposition, last = said.rpartition(f" {by} ")
    if not preposition:
        return None
    words = last.split()
    end = next((n for n, word in enumerate(words) if word in PREPOSITIONS), len(words))
    if not _name_alone(" ".join(words[:end]), named):
        return None
    rest = "".join(f" {word}" for word in words[end:])
    return Exchange(said, f"{head}{preposition}{gone}{rest}", gone)


def _name_alone(text: str, named: frozenset[str]) -> str | None:
    """Gives a name or a number that stands alone; None where more is told."""
    said = value(text)
    if said is None or said.where or said.purpose or said.role:
        return None
    return said.text if is_number(said.text) or _is_called(said.text, named) else None


def _is_called(text: str, named: frozenset[str]) -> bool:
    """Tells a name from other words: a product, or what is written large."""
    first, *rest = text.split()[: MAX_NAME + 1] or [""]
    if first in WE | UNCLEAR or len(rest) >= MAX_NAME:
        return False
    is_name = [word in named or is_product(word) for word in (first, *rest)]
    return is_name[0] and all(
        known or is_more([word]) for word, known in zip(rest, is_name[1:], strict=True)
    )


def _bare(half: str) -> str:
    """Gives one half without the words that change nothing of it."""
    kept = [word for word in half.strip(" .,").split() if word not in DROPPED]
    return re.sub(r" ,$", "", " ".join(kept))
