"""Plain assertions: "the API timeout is 30 s", "orders stores its data in MySQL"."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from knowwhy.text.claims.nouns import Noun, Value, kind_of, measures, narrowing, noun, value
from knowwhy.text.claims.terms import is_number, is_product, root
from knowwhy.text.claims.topic_words import (
    BRANCHES,
    FIRST,
    MACHINES,
    MEETINGS,
    NAMED,
    PROGRAMS,
    PURPOSES,
    SOLE,
    SOLE_PRODUCTS,
    SOLE_PURPOSES,
    WE,
)
from knowwhy.text.patterns import regex

BE = r"(?:is|are|be|has been|have been)"  # what was is another matter
_DURATION = r"#[\d.]+(?:s|month)\b"
_PROVIDED = frozenset(["cache", "queue", "database", "storage"])  # purposes that are attributes


@dataclass(frozen=True, slots=True)
class Assertion:
    """A thing's attribute and its value."""

    thing: str
    attribute: str
    value: str
    where: str
    replaced: str | None = None


_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (attribute, regex(pattern))
    for attribute, pattern in (
        ("owner", rf"(?P<v>.+?) {BE} (?:responsible for|in charge of) (?P<s>.+)"),
        ("owner", rf"(?P<v>.+?) {BE} the (?:owner|maintainer) of (?P<s>.+)"),
        ("owner", rf"(?P<s>.+?) {BE} (?:owned|maintained) by (?P<v>.+)"),
        ("owner", r"(?P<s>.+?) belongs? to (?P<v>.+)"),
        ("owner", r"(?P<v>.+?) (?:owns|maintains) (?P<s>.+)"),
        ("lead", r"(?P<v>.+?) (?:leads|heads) (?!to\b|into\b)(?P<s>.+)"),
        ("lead", rf"(?P<s>.+?) {BE} (?:led|headed) by (?P<v>.+)"),
        ("host", rf"(?P<s>.+?) {BE} (?:hosted|found) (?:at|under) (?P<v>[^ .]+[.][^ ]+)"),
        (
            "language",
            rf"(?P<s>.+?) {BE} (?:re)?(?:written|implemented|coded|programmed) in (?P<v>.+)",
        ),
        (
            "port",
            rf"(?P<s>.+?) (?:listens?|runs?|serves?|{BE}(?: served| reachable| exposed)?)"
            r" on (?:the )?port (?P<v>#\d+\b.*)",
        ),
        (
            "region",
            rf"(?P<s>.+?) (?:runs?|lives?|{BE}(?: hosted| deployed| located)?)"
            r" in (?:the )?(?:region )?(?P<v>[a-z]{2}-[a-z]{2,12}-\d\b.*)",
        ),
        ("timeout", r"(?P<s>.+?) times? out (?:after|in) (?P<v>#.+)"),
        (
            "retention",
            rf"(?P<s>.+?) {BE} (?:kept|retained|stored|preserved|held) for (?P<v>{_DURATION}.*)",
        ),
        (
            "retention",
            rf"(?P<s>.+?) {BE} (?:deleted|removed|purged|erased) after (?P<v>{_DURATION}.*)",
        ),
        ("retention", rf"we (?:keep|retain|store|preserve) (?P<s>.+?) for (?P<v>{_DURATION}.*)"),
        (
            "lifetime",
            rf"(?P<s>.+?) (?:expires?|lives?|lasts?|{BE} valid) (?:for |after |in )?"
            rf"(?P<v>{_DURATION}.*)",
        ),
        ("retries", rf"(?P<s>.+?) {BE} retried (?:up to |at most )?(?P<v>#\d+\b)(?: times)?"),
        ("retries", r"(?P<s>.+? retr(?:y|ies)(?: .+?)??) (?:up to |at most )?(?P<v>#\d+) times"),
        ("limit", rf"(?P<s>.+?) {BE} (?:limited|capped|restricted) (?:to|at) (?P<v>#.+)"),
        (
            "database",
            r"(?P<s>.+?) (?:stores?|keeps?|persists?|saves?|holds?|puts?)"
            r" (?:its |their |our |all |the )*(?:data|state|records|rows) (?:in|on) (?P<v>.+)",
        ),
    )
)
_OF = regex(r"(?P<s>.+?) (?:has|have|gets?) an? (?P<a>(?:[\w-]+ ){0,2}[\w-]+) of (?P<v>.+)")
_IS = regex(rf"(?P<s>.+?) (?:{BE}|=|:|equals?) (?P<v>.+)")
_AT = regex(rf"(?P<s>.+?) (?:{BE}|starts?|begins?|takes? place)(?: at)? (?P<v>#t\d\d:\d\d.*)")
_BY = regex(
    r"(?:(?P<s>.+?) )??(?:sends?|delivers?|process(?:es)?|handles?|takes?|accepts?|collects?)"
    r" (?P<p>(?:[\w-]+ ){0,3}[\w-]+?) (?:with|via|through|using) (?P<v>.+)"
)
_DONE_BY = regex(
    rf"(?P<p>.+?) (?:{BE} (?:sent|delivered|processed|handled|accepted|taken|collected)"
    r"|(?:go|goes|runs?)(?: out)?) (?:with|via|through|using) (?P<v>.+)"
)
_OURS = regex(r"(?:our|my|we) ")
_IS_OURS = regex(rf"(?P<v>[^ ]+(?: [^ ]+){{0,2}}?) {BE} our (?P<s>[\w-]+(?: [\w-]+){{0,2}})")
_PURPOSE_IS = regex(rf"(?:our (?P<o>[\w-]+)|(?P<p>ci)) {BE} (?P<v>.+)")
_BUILT = regex(rf"(?P<s>.+?) {BE} (?:built|made|developed) (?:with|in|on|using) (?P<v>.+)")
_RUNS = regex(
    r"(?P<s>.+?) (?:runs?|{BE} (?:run|hosted|deployed))(?: on| in)? (?P<v>.+)".replace("{BE}", BE)
)
_KIND = regex(rf"(?P<s>.+?) {BE} an? (?P<v>[^ ]+) (?P<k>[\w-]+)(?P<w> .+)?")
_HOUR = regex(rf"(?P<s>.+?) (?:{BE}|starts?|begins?|takes? place) at #(?P<h>\d\d?)(?P<w> .+)?")
_INDENT = regex(
    r"(?:we |the code )?(?:indents?|(?:is |are )indented)(?: (?P<s>[\w+# -]+?))? (?:with|using|by)"
    r" (?P<v>(?:#\d+ )?(?:tab|space)s?)"
)
_INDENTED = regex(
    r"(?:we )?(?:use )(?P<v>(?:#\d+ )?(?:tab|space)s?) (?:for indentation|to indent)"
    r"(?: (?:of |in )?(?P<s>[\w+# -]+))?"
)
HOURS = 24
BUILT_WITH_ONE = ("language", "page framework")
_USES = regex(
    r"(?P<s>.+?) (?:(?P<sure>uses?|relies on|rely on|are using|is using)"
    r"|(?P<on>are on|is on)|adopts?|adopted|chose|picked) (?P<v>.+)"
)


def read_assertion(clause: str, named: frozenset[str]) -> Assertion | None:
    """Reads a clause that denies nothing; `named` are the words that are written large in it."""
    for attribute, pattern in _RULES:
        if found := pattern.fullmatch(clause):
            return _of_verb(attribute, found["s"], found["v"])
    for pattern, read in _READERS:
        found = pattern.fullmatch(clause)
        said = read(found, named) if found else None
        if said:
            return said
    return None


def tool(thing: str, where: str, said: Value) -> Assertion:
    """Says of a thing that uses something what that something is to it."""
    where = " ".join(part for part in (where, said.where) if part)
    if said.purpose:
        *narrow, purpose = said.purpose.split()
        provided = purpose in _PROVIDED
        of = [root(word) for word in (*narrow, *(() if provided else (purpose,)))]
        both = " ".join(sorted({*thing.split(), *of}))
        return Assertion(both, purpose if provided else "provider", said.text, where)
    if attribute := said.role or kind_of(said.text):
        return Assertion(thing, attribute, said.text, where)
    name, _, version = said.text.rpartition(" ")
    if name and version.lstrip("#v")[:1].isdigit():
        both = " ".join(sorted({*thing.split(), *name.split()}))
        return Assertion(both, "version", version, where)
    return Assertion(thing, f"use {said.text}", said.text, where)


def _of_verb(attribute: str, subject: str, written: str) -> Assertion | None:
    about, said = noun(subject, whole=True), value(written)
    if about is None or said is None or set(written.split()) <= WE:
        return None
    thing = about.thing
    if attribute == "retries":
        roots = {*thing.split(), root("retry")} - {root("request"), root("call")}
        thing, attribute = " ".join(sorted(roots)), "limit"
    return _placed(Noun(thing, attribute, about.where), said) if thing else _own(attribute, said)


def _own(attribute: str, said: Value) -> Assertion | None:
    """Reads what the speaker's project itself has: "we store our data in MySQL"."""
    return _placed(Noun("", attribute, ""), said) if attribute in ("database", "region") else None


def _placed(about: Noun, said: Value) -> Assertion:
    where = " ".join(part for part in (about.where, said.where, said.purpose or "") if part)
    return Assertion(about.thing, about.attribute or "", said.text, where)


def _of(found: re.Match[str], named: frozenset[str]) -> Assertion | None:
    return _measured(noun(f"{found['a']} of {found['s']}"), value(found["v"]), named)


def _is(found: re.Match[str], named: frozenset[str]) -> Assertion | None:
    about = noun(found["s"])
    if about and not (about.thing or _OURS.match(found["s"]) or about.attribute in ("cto", "ceo")):
        return None  # whose timeout, whose owner?
    return _measured(about, value(found["v"]), named)


def _measured(about: Noun | None, said: Value | None, named: frozenset[str]) -> Assertion | None:
    if about is None or about.attribute is None or said is None:
        return None
    has_number = is_number(said.text) or said.text.lstrip("v")[:1].isdigit()
    if has_number:
        fits = measures(about.attribute) or about.attribute == "version"
    else:
        is_branch = about.attribute == "branch" and said.text in BRANCHES
        fits = about.attribute in NAMED and (is_branch or _is_name(said.text, named))
    return _placed(about, said) if fits else None


def _is_ours(found: re.Match[str], named: frozenset[str]) -> Assertion | None:
    """Reads "Redis is our cache" as "our cache is Redis"."""
    about, said = noun(found["s"]), value(found["v"])
    is_sole = about and (about.attribute in SOLE or FIRST.intersection(found["s"].split()))
    if about is None or about.attribute not in NAMED or said is None or not is_sole:
        return None
    return _placed(about, said) if _is_name(said.text, named) else None


def _purpose_is(found: re.Match[str], named: frozenset[str]) -> Assertion | None:
    """Reads "our CI is Jenkins" as what one tool does for everybody."""
    purpose, said = found["o"] or found["p"], value(found["v"])
    purpose = PURPOSES.get(purpose, "cloud" if purpose == "cloud" else "")
    if purpose not in SOLE_PURPOSES or said is None or not _is_name(said.text, named):
        return None
    return tool("", "", replace(said, purpose=purpose))


def _runs(found: re.Match[str], _: frozenset[str]) -> Assertion | None:
    """Reads "CI runs on Jenkins", "production runs Debian 12": of such, there is one."""
    about, said = noun(found["s"], whole=True), value(found["v"])
    kind = SOLE_PRODUCTS.get(said.text.split()[0]) if said else None
    if about is None or not about.thing or said is None or kind in (None, "language"):
        return None
    if kind == "ci":
        return _placed(Noun("ci", "provider", about.where), said) if about.thing == "ci" else None
    if not MACHINES.intersection(found["s"].split()):
        return None
    return _placed(Noun(about.thing, kind, about.where), said)


def _built(found: re.Match[str], _: frozenset[str]) -> Assertion | None:
    """Reads "the portal is built with React": one language or framework does for a program."""
    about, said = noun(found["s"], whole=True), value(found["v"])
    kind = SOLE_PRODUCTS.get(said.text.split()[0]) if said else None
    if about is None or not about.thing or said is None or kind not in BUILT_WITH_ONE:
        return None
    return _placed(Noun(about.thing, kind, about.where), said)


def _kind(found: re.Match[str], _: frozenset[str]) -> Assertion | None:
    """Reads "billing is a Rust service" as the language it is written in."""
    about = noun(found["s"], whole=True)
    is_told = found["k"] in PROGRAMS and SOLE_PRODUCTS.get(found["v"]) == "language"
    if about is None or not about.thing or not is_told or found["w"]:
        return None
    return Assertion(about.thing, "language", found["v"], about.where)


def _hour(found: re.Match[str], named: frozenset[str]) -> Assertion | None:
    """Reads the whole hour at which a meeting begins."""
    is_meeting = any(word in MEETINGS for word in found["s"].split())
    hour = int(found["h"])
    if not is_meeting or hour >= HOURS:
        return None
    about, said = noun(found["s"], whole=True), value(f"#t{hour:02}:00{found['w'] or ''}")
    if about is None or said is None or not about.thing:
        return None
    return _placed(Noun(about.thing, "time", about.where), said)


def _indent(found: re.Match[str], _: frozenset[str]) -> Assertion | None:
    about = noun(found["s"] or "we", whole=True)
    unit = " ".join(root(word) if word.isalpha() else word for word in found["v"].split())
    return Assertion(about.thing, "indentation", unit, about.where) if about else None


def _is_name(text: str, named: frozenset[str]) -> bool:
    """Tells a name from a quality: "the database is MySQL", "the database is slow"."""
    return any(
        word in named or is_product(word) or re.search(r"[\d_-]", word) for word in text.split()
    )


def _at(found: re.Match[str], _: frozenset[str]) -> Assertion | None:
    about, said = noun(found["s"], whole=True), value(found["v"])
    if about is None or said is None or not about.thing:
        return None
    return _placed(Noun(about.thing, "time", about.where), said)


def _by(found: re.Match[str], _: frozenset[str]) -> Assertion | None:
    held = found["p"].split()
    purpose = next((PURPOSES[word] for word in held if word in PURPOSES), None)
    subject = found.groupdict().get("s")
    about, said = noun(subject or "we"), value(found["v"])
    if purpose is None or about is None or said is None or about.attribute:
        return None
    narrowed = " ".join([*narrowing(held), purpose])
    return tool(about.thing, about.where, Value(said.text, said.where, narrowed))


def _uses(found: re.Match[str], _: frozenset[str]) -> Assertion | None:
    about, said = noun(found["s"], whole=True), value(found["v"])
    if about is None or said is None or is_number(said.text):
        return None
    is_told = found["sure"] or (found["on"] and is_product(said.text.split()[0]))
    if not (is_told or said.purpose or said.role):
        return None  # what was chosen need not be for everything
    return tool(about.thing, about.where, said)


_Reader = Callable[[re.Match[str], frozenset[str]], Assertion | None]
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_INDENT, _indent), (_INDENTED, _indent), (_OF, _of), (_AT, _at), (_HOUR, _hour), (_IS, _is),
    (_IS_OURS, _is_ours), (_PURPOSE_IS, _purpose_is), (_KIND, _kind), (_BUILT, _built),
    (_DONE_BY, _by), (_BY, _by), (_RUNS, _runs), (_USES, _uses),
)  # fmt: skip
