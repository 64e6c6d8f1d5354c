"""What a question takes for granted: names of which nothing speaks that its asker may see.

A question that names something unknown cannot be answered by what is nearest: of "Why did we choose
Pulsar?" a decision for another broker is no answer, however well it reads. A name is known by its
form. Other words that stand nowhere say less, because people ask in words of their own: they only
raise what the cross-encoder must say of the best hit.
"""

import calendar
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowwhy.graph.names import Mention
from knowwhy.text.claims.claim_words import LIGHT
from knowwhy.text.identifiers import is_label, is_release, is_tracked
from knowwhy.text.known_names import COMMON_WORDS, KNOWN
from knowwhy.text.patterns import regex
from knowwhy.text.question.question_grammar_words import SMALL_WORDS, STATUSES
from knowwhy.text.relating.relation_words import relation_of
from knowwhy.text.tokens import STOP_WORDS, find_ids, stem, tokens

MOST_WORDS = 40  # words; a longer text is told, and does not rest on each of its names
ENOUGH = 200  # passages; in fewer a plain word is absent because little was written
SLIP_LEAST = 6  # letters of a name, from which on one other letter makes a slip of it
PLAIN_SLIP_LEAST = 5  # the same of a plain word
LONGEST_SLIP = 24  # letters of a word whose other spellings are tried
MOST_SLIPS = 4  # unknown terms of a question that are tried so
SURE_SLIP = 8  # letters of a name, from which on hardly another word differs in one alone
SLIP_TOLD = 7  # letters of a plain word whose slip is told; "choose" is none of "chose"
MOST_CAPITAL = 0.5  # of the words inside a sentence; beyond it they are a heading's
FEWEST_GERMAN = 2  # words; one alone may be a name or another language's
LONGEST_NAME = 3  # words of a product that is looked up as one
LETTERS = "abcdefghijklmnopqrstuvwxyz"

_RUN = regex(r"(?<![\w-])(?:--|#(?=\d))?\w[\w+#]{0,63}(?:(?:[./:@'’-]|::)[\w+#]{1,64}){0,15}")
_CAMEL = regex(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]{2}")
_POSSESSIVE = regex(r"['’](?:s|S)?$")
_ENDS = regex(r"[.!?:;][\"'”’)»]{0,3}\s{1,9}\W{0,3}$|[¿¡]\W{0,3}$|^\W{0,9}$")
_LETTERS = regex(r"[^\W\d_]{4,40}")
_PERIOD = regex(r"(?:[QqHh][1-4]|[Ff][Yy]\d{2,4})")
_SUFFIX = regex(r"(?<=.)\.[A-Za-z]{1,4}$")
_ASKED_WORDS = """
according after against ago also anybody anyone anything became because become before began begin
behind beside besides came come date dates day days different during each earlier early either
else enough ever every exactly except explain far few first forward four get give given go goes
going gone good got happen happened happening happens instead kind kinds know known knows last
late later latest least less let like long longer made make makes making many matter mean means
might month months more most much must name named need needed new next nor now number off often
old older once one only open other our out over own part people per place please point question
quite rather really reason reasons same say says see seen several shall show side since some
somebody someone something speak speaks still such take taken takes tell than thing things think
three time times today together told took toward two until use used uses using usually want was
way ways week weeks were whether while whole whose wrong year years yesterday yet
"""
_ASKED = frozenset(_ASKED_WORDS.split())  # what questions are made of, whatever they are about
_LIGHT = LIGHT | SMALL_WORDS | STATUSES | STOP_WORDS | _ASKED
_GERMAN_WORDS = """
aber auf aus bei beim damit dass dem denen durch ein eine einem einen einer eines für gegen gibt
haben ich ist jetzt kann kein keine mit nach nicht noch oder ohne sich sie sind sondern und uns
unser unsere unserem unseren unserer warum weil welche welchem welchen welcher welches wem wen wenn
wer werden weshalb wie wieso wir wird wofür womit worden wozu wurde wurden zum zwischen über
"""
_ALSO_GERMAN = "am als an das den der des die es hat im in man so vom von war was wo zu zur"
_GERMAN = frozenset(_GERMAN_WORDS.split())
_GERMAN_OR_NOT = frozenset(_ALSO_GERMAN.split())  # or English, or a part of somebody's name
_DATES = frozenset(
    name.lower()
    for names in (calendar.month_name, calendar.month_abbr, calendar.day_name, calendar.day_abbr)
    for name in names
    if name
)
_IN_TITLES = "a an and as at by for from in nor of on or the to vs with"
_SMALL_IN_TITLES = frozenset(_IN_TITLES.split())
_SPELLINGS: dict[str, list[str]] = defaultdict(list)  # of each product
for _name, (_canonical, _type) in KNOWN.items():
    if _type != "pattern":
        _SPELLINGS[_canonical].append(_name)

Held = Callable[[Collection[str]], Collection[str]]  # tells which tokens the asker may see
Span = tuple[int, int]
Way = frozenset[str]  # tokens by which a term is known, where all of them are seen


@dataclass(frozen=True, slots=True)
class Premise:
    """What of a question stands in nothing that its asker may see."""

    names: tuple[str, ...] = ()  # names: nothing that is found can answer
    words: tuple[str, ...] = ()  # other words: what is found must answer the more clearly
    slips: tuple["Slip", ...] = ()  # what may have one wrong letter


@dataclass(frozen=True, slots=True)
class Slip:
    """A term of a question that stands nowhere, with the tokens seen that differ in one letter."""

    text: str
    near: Way
    is_name: bool  # else it is a plain word

    def meant(self, texts: Iterable[str]) -> str:
        """Gives the word of what is found that was meant, as it is written there.

        One letter makes many a short word of another: a short name is none that has no capital
        there, as Render is no reader.
        """
        has_capital = self.is_name and self.text[0].isupper() and len(self.text) < SURE_SLIP
        for text in texts:
            for word in _LETTERS.findall(text):
                if word[0].lower() != self.text[0].lower() or (has_capital and word.islower()):
                    continue
                if (found := tokens(word)) and self.near.issuperset(found):
                    return str(word)
        return ""


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a question that may be unknown, and the ways in which it would be known."""

    text: str
    ways: tuple[Way, ...]
    is_name: bool
    parts: Way = frozenset()  # where all of these are seen, a name is no more than a word
    slip_of: str = ""  # the word that may have one wrong letter


def premise_of(
    question: str, mentioned: Iterable[Mention], held: Held, *, is_large: bool
) -> Premise:
    """Says which terms of a question are unknown; what the graph has by a name is not."""
    if len(question.split()) > MOST_WORDS:
        return Premise()
    # A part of a title may have other words in between.
    apart = (m for m in mentioned if m.how != "part" or not question[m.start : m.end].count(" "))
    known = [(m.start, m.end) for m in apart]
    terms = [
        term
        for term, (start, end) in _terms(question)
        if all(end <= first or last <= start for first, last in known)
    ]
    seen = frozenset(held({token for t in terms for way in (*t.ways, t.parts) for token in way}))
    names: dict[str, None] = {}
    words: dict[str, None] = {}
    slips: dict[str, Slip] = {}
    unseen = [term for term in terms if not any(way <= seen for way in term.ways)]
    for number, term in enumerate(unseen):
        if near := _near(term.slip_of, held) if number < MOST_SLIPS else frozenset():
            if term.is_name or (is_large and len(term.text) >= SLIP_TOLD):
                slips[term.text] = Slip(term.text, near, term.is_name)
        elif term.is_name and not (term.parts and term.parts <= seen):
            names[term.text] = None
        elif is_large:
            words[term.text] = None
    return Premise(tuple(names), tuple(words), tuple(slips.values()))


def _near(word: str, held: Held) -> Way:
    """Gives the tokens that are seen of a word with another letter inside.

    The first letter is hardly ever wrong, and with another last one a stem may be any word's.
    """
    if not word or len(word) > LONGEST_SLIP:
        return frozenset()
    head, inside, last = word[0], word[1:-1], word[-1]
    cuts = [(inside[:at], inside[at:]) for at in range(len(inside) + 1)]
    edits = {a + b[1:] for a, b in cuts if b}
    edits |= {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    edits |= {a + c + b[1:] for a, b in cuts if b for c in LETTERS}
    edits |= {a + c + b for a, b in cuts for c in LETTERS}
    return frozenset(held({stem(head + edit + last) for edit in edits}))


def _terms(question: str) -> Iterator[tuple[Term, Span]]:
    """Yields what a question may rest on, by its forms."""
    runs = list(_RUN.finditer(question))
    says_nothing = question.isupper() or _is_heading(question, runs) or _is_german(runs)
    at = 0
    while at < len(runs):
        product, length = _product(question, runs, at)
        if product:
            yield product, (runs[at].start(), runs[at + length - 1].end())
            at += length
            continue
        run = runs[at]
        opens = bool(_ENDS.search(question, max(0, run.start() - 16), run.start()))
        for term in _of_run(run[0], is_capital_name=not (opens or says_nothing)):
            yield term, run.span()
        at += 1


def _is_heading(question: str, runs: Sequence[re.Match[str]]) -> bool:
    """Tells a heading, in which words have capitals that are no names: "How Does Login Work"."""
    words = [run[0] for run in runs[1:] if run[0][0].isalpha()]
    written_large = [word for word in words if word not in _SMALL_IN_TITLES]
    is_asked = len(written_large) < len(words) and runs[0][0].lower() in _LIGHT  # "Why X or Y?"
    if len(written_large) > 1 + is_asked and all(word[0].isupper() for word in written_large):
        return True
    inside = [word for word in words if word.lower() not in _LIGHT]
    large = sum(word[0].isupper() for word in inside)
    return len(inside) > LONGEST_NAME and large > MOST_CAPITAL * len(inside)


def _is_german(runs: Sequence[re.Match[str]]) -> bool:
    """Tells German, which writes every noun with a capital."""
    words = {run[0].lower() for run in runs if not run[0].isupper()}  # MIT is none of them
    sure = len(words & _GERMAN)
    return sure > 0 and sure + len(words & _GERMAN_OR_NOT) >= FEWEST_GERMAN


def _product(question: str, runs: Sequence[re.Match[str]], at: int) -> tuple[Term | None, int]:
    """Finds the longest product of public fame that begins at a word, in any of its spellings."""
    for length in range(min(LONGEST_NAME, len(runs) - at), 0, -1):
        words = runs[at : at + length]
        if any(question[a.end() : b.start()] != " " for a, b in pairwise(words)):
            continue
        text = question[words[0].start() : words[-1].end()]
        low = _POSSESSIVE.sub("", text).lower()
        meaning = KNOWN.get(low)
        if meaning is None or meaning[1] == "pattern":
            continue
        if low in COMMON_WORDS and (at == 0 or not text[0].isupper() or text.isupper()):
            return None, 0
        spellings = (low, *_SPELLINGS[meaning[0]])
        ways = tuple(frozenset(tokens(name)) for name in spellings)
        return Term(_POSSESSIVE.sub("", text), ways, is_name=True), length
    return None, 0


def _of_run(run: str, *, is_capital_name: bool) -> Iterator[Term]:
    """Yields the terms of one run of letters, digits and joints."""
    text = _POSSESSIVE.sub("", run)
    low, found = text.lower(), tokens(text)
    if is_release(text) or is_tracked(text):
        # Where the number alone stands it may be this one: 0.38.1 for v0.38.1, 4711 for #4711.
        either = found if text[0].isdigit() else found[1:]
        yield Term(text, (frozenset(found[:1]), frozenset(either[:1])), is_name=True)
        return
    if not found or text[0].isdigit() or _PERIOD.fullmatch(text) or low in _DATES:
        return
    if "'" in text or "’" in text:  # "don't", "we'll", "O'Reilly": too little to go by
        return
    if text.startswith("--"):
        yield Term(text, (frozenset(found[:1]),), is_name=True)
    elif any(mark in text for mark in "./:@"):
        yield from _of_path(text, found)
    elif "_" in text.strip("_") or _CAMEL.search(text.rstrip("s")):
        yield _of_code(text, found)
    elif any(letter.isdigit() for letter in text):
        yield from _of_number(text, found)
    elif "-" in text:
        yield from _of_compound(text, found, is_capital_name=is_capital_name)
    elif low not in _LIGHT and len(text) > 1:
        yield from _of_word(text, found, is_capital_name=is_capital_name)


def _of_path(text: str, found: Sequence[str]) -> Iterator[Term]:
    """Yields a path or a dotted name; it is known by its last part, a file with its ending."""
    parts = [part for part in re.split(r"[./:@]+", text) if part]
    if min(map(len, parts)) == 1 or "://" in text:  # "e.g.", "U.S.", an address
        return
    if "/" in text and "." not in text and len(parts) == 2:  # "and/or"
        for part in parts:
            yield from _of_run(part, is_capital_name=False)
        return
    is_file = "/" in text and _SUFFIX.search(text)
    last = tokens(text.rsplit("/", 1)[-1] if is_file else parts[-1])
    yield Term(text, (frozenset(found[:1]), frozenset(last[:1])), is_name=True)


def _of_code(text: str, found: Sequence[str]) -> Term:
    """Gives a name in code; one whose parts are all seen may be written apart elsewhere."""
    whole, *below = found
    plural = tokens(text.removesuffix("s"))[0] if text.endswith("s") else whole
    return Term(
        text, (frozenset((whole,)), frozenset((plural,))), is_name=True, parts=frozenset(below)
    )


def _of_number(text: str, found: Sequence[str]) -> Iterator[Term]:
    """Yields a name with digits: an id as a whole, another one also by what stands before them."""
    whole = frozenset(found[:1])
    if is_label(text) or find_ids(text):
        yield Term(text, (whole,), is_name=True)
        return
    base = re.split(r"[\d-]", text)[0]
    if len(base) > 2:
        yield Term(text, (whole, frozenset(tokens(base))), is_name=True)


def _of_compound(text: str, found: Sequence[str], *, is_capital_name: bool) -> Iterator[Term]:
    """Yields a word with hyphens: a name as a whole, else each part of it that is seen nowhere."""
    parts = [part for part in text.split("-") if part.lower() not in _LIGHT and len(part) > 2]
    if text[0].isupper() and is_capital_name and parts:
        ways = (frozenset(found[:1]), frozenset(t for part in parts for t in tokens(part)))
        yield Term(text, ways, is_name=True)
        return
    for part in parts:
        yield from _of_word(part, tokens(part), is_capital_name=False)


def _of_word(text: str, found: Sequence[str], *, is_capital_name: bool) -> Iterator[Term]:
    if not found or relation_of(text.lower()):
        return
    ways = (frozenset(found[:1]),)
    bare = text.removesuffix("s")
    if len(bare) > 1 and bare.isupper():
        yield Term(text, (*ways, frozenset(tokens(bare))), is_name=False)
    elif text[0].isupper() and is_capital_name:
        slip = text.lower() if len(text) >= SLIP_LEAST and text.isascii() else ""
        yield Term(text, ways, is_name=True, slip_of=slip)
    elif len(text) > 2:
        slip = text.lower() if len(text) >= PLAIN_SLIP_LEAST and text.isascii() else ""
        yield Term(text, (*ways, *_halves(text)), is_name=False, slip_of=slip)


def _halves(word: str) -> Iterator[Way]:
    """Yields the ways to write a word apart: "datacenter"."""
    for at in range(4, min(len(word), LONGEST_SLIP) - 3):
        yield frozenset((*tokens(word[:at]), *tokens(word[at:])))
