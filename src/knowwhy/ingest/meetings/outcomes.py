"""What came out of a meeting: its decisions and its action items, found by rules."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from knowwhy.ingest.incidents.entries import as_actions, is_nothing
from knowwhy.ingest.meetings.minutes import MAX_STATEMENT, Section, Statement
from knowwhy.text.pages.markdown import plain, tables
from knowwhy.text.pages.transcripts import Turn, is_speaker
from knowwhy.text.relating.people import is_proper
from knowwhy.text.times import find_time

MAX_OUTCOMES = 1000  # decisions or action items of one meeting
MAX_SAID = 400  # characters of a sentence that decides; captions without full stops run on
TRAILING_CHARS = 80  # at the end of a task in which its owner may be named
MAX_OWNER_WORDS = 3  # words of an owner's name

ACTION_FIELDS = ("item", "owner", "due", "status")
Action = dict[str, str]  # item, and owner, due and status where they are given

_OPEN, _CLOSE = r"[\[(*_~✅🔨➡️\s]{0,6}", r"[\])*_]{0,4}\s?"
_DECISION_MARK = re.compile(
    rf"{_OPEN}(?:(?i:decision|decided|agreed|agreement|resolution|consensus)|RESOLVED)"
    rf"(?:\s?#?\d{{1,3}})?{_CLOSE}(?::|\s[–—-](?=\s))[*_]{{0,2}}\s*(?P<text>\S.*)",
    re.S,
)
_ACTION_MARK = re.compile(
    rf"{_OPEN}(?:(?i:action(?: items?| points?)?|follow-?up action|to-?do|task)|AI|AP|A/I)"
    rf"(?:\s?#?\d{{1,3}})?{_CLOSE}"
    r"(?:[\[(](?P<inside>[^\[\]()\n]{1,60})[\])]|(?P<after>(?:(?i:for|on|by)\s)?@?[\w.-]{2,40}))?"
    r"\s?(?::|\s[–—-](?=\s))[*_]{0,2}\s*(?P<text>\S.*)",
    re.S,
)
_DECIDED = re.compile(
    r"\bwe(?:['’]ve| have)?(?: (?:all|both|now|just|finally|then))? (?:decided|agreed|resolved)"
    r" (?:to|that|on|not to|against|we)\b|\b(?:it (?:was|is)|was) (?:decided|agreed|resolved)"
    r" (?:to|that|not to)\b|\bthe decision (?:is|was) (?:to|that|not to)\b"
    r"|\b(?:the )?(?:group|team|committee|board|council|meeting) (?:decided|agreed|resolved)"
    r" (?:to|that|on|not to)\b|\bagreed: ",
    re.I,
)
_CHOSEN = re.compile(
    r"\blet['’]?s (?:just |all )?go with\b|\bwe(?:['’]ll| will|['’]re| are)(?: all)? "
    r"(?:go|going) with\b|\bthen it['’]s (?:decided|settled)\b",
    re.I,
)
_HEDGED = re.compile(  # in what was decided
    r"\?|\b(?:if|unless|whether|maybe|perhaps|might|may|probably|possibly|tentatively|not sure"
    r"|unclear|almost|for the sake of argument"
    r"|(?:agreed|decided|resolved) to (?:discuss|think|talk|revisit|come back|look into|disagree"
    r"|meet|defer|postpone))\b",
    re.I,
)
_HEDGED_BEFORE = re.compile(  # in the words that lead to it
    r"\b(?:if|unless|whether|maybe|perhaps|might|may|could|would|should|probably|possibly|suppose"
    r"|wish|proposed?|suggest(?:ed)?|almost|never|nothing|nobody|haven['’]t|hasn['’]t|didn['’]t"
    r"|don['’]t|not|unclear|imagine|used to|i (?:think|thought|believe|guess)"
    r"|last (?:week|month|year|time|quarter|meeting))\b"
    r"|\b(?:why|when|before|after|since|once|until|had|did)\s*$",
    re.I,
)
_UNDECIDED = re.compile(
    r"(?:no (?:\w+ )?(?:decisions?|actions?|consensus|agreement)|none|nothing|not yet|deferred"
    r"|postponed|pending|undecided|open(?: question)?:|parked|tabled)\b"
    r"|.{0,80}\b(?:no decision|not (?:yet )?decided|undecided|to be (?:decided|determined)"
    r"|decision (?:was )?(?:deferred|postponed))\b",
    re.I,
)
_OBJECTS = re.compile(
    r"\W*(?:no\b(?! problem| objection| worries)|nope|wait|hold on|hang on|i disagree|not sure"
    r"|i['’]m not sure|actually|but|i['’]d rather|hmm|i don['’]t (?:think|agree)|that won['’]t"
    r"|we can['’]t)",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_STOP = re.compile(r";|\b(?:because|so that|instead|rather)\b")
_TAKES = re.compile(
    r"\bI(?:['’]ll| will) take (?:the|an|that) (?:action|AI)(?: item)? (?:to|of|on) (\S.*)", re.S
)
_LEADING = re.compile(
    r"(?:\*\*|__)?(?:@(?P<at>[\w.-]{1,40})|[\[(](?P<in>[^\[\]()\n]{2,60})[\])]"
    r"|(?P<name>[^\W\d_][\w.'’ ,&/-]{1,60}?)(?=\s*(?:\*\*|__)?:))(?:\*\*|__)?\s*"
    r"(?::(?:\*\*|__)?|[–—-]\s|\bto\b|\bwill\b|,)?\s*(?P<rest>\S.*)",
    re.S,
)
_WILL = re.compile(
    r"(?P<name>@?[^\W\d_][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}) (?:to|will|should|shall) "
)
_TRAILING = re.compile(
    r"\s*(?:[\[(]\s?(?:owner: ?)?@?(?P<in>[^\[\]()\n@]{2,60}?)\s?[\])]"
    r"|[–—-]\s?@?(?P<dash>[^\W\d_][\w.' -]{1,40})"
    r"|@(?P<at>[\w.-]{2,40}))[\s.]*$"
)
_OWNER = re.compile(
    r"(?<![\s(\[,;–—-])[\s(\[,;–—-]*\b(?:owner|assignee|assigned to|responsible|dri)\s?:?\s+@?"
    r"([\w.-]+(?: [A-Z][\w.-]+)?)[\])]?",
    re.I,
)
_DUE = re.compile(
    r"(?<![\s(\[,;–—-])[\s(\[,;–—-]*\b(?:due|deadline|by|before|until|eta)\b:?\s"
    r"(?:date:? |by |on )?"
    r"(?P<due>\d{4}-\d\d-\d\d|(?:next |this |the )?(?:end of (?:the |this |next )?"
    r"(?:day|week|month|quarter|sprint|year)|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|satur|sun)(?:day)?\b"
    r"|next (?:week|month|sprint|meeting|quarter)|tomorrow|today|tonight|EO[DWMQ]\b|noon"
    r"|(?:\d{1,2}(?:st|nd|rd|th)? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b"
    r"\.?(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?:,? \d{4})?|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?)[\])]?",
    re.I,
)
_LOOSE = re.compile(r"(?<!\s)\s+([.,;:])")
_EDGES = " \t\r\n-–—,;:|*_"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The decisions and the action items of a meeting."""

    decisions: list[str]
    actions: list[Action]


def outcomes_of(
    sections: Sequence[Section], turns: Sequence[Turn], people: Collection[str]
) -> Outcomes:
    """Finds what was decided and what is to be done, in minutes or in what was said."""
    known = {word for name in people for word in (name.lower(), name.lower().split()[0])}
    decisions: list[str] = []
    actions: list[Action] = []
    for section in sections:
        found = _in_section(section, known)
        decisions += found.decisions
        actions += found.actions
    for turn, answer in zip_longest(turns, turns[1:]):
        found = _in_turn(turn, answer, known)
        decisions += found.decisions
        actions += found.actions
    clean = (plain(text).strip(_EDGES) for text in decisions)
    once = {text.casefold(): text for text in clean if not is_nothing(text)}
    tasks: dict[str, Action] = {}
    for action in actions:
        if not is_nothing(action["item"]):
            ordered = {name: action[name] for name in ACTION_FIELDS if action.get(name)}
            tasks.setdefault(action["item"].casefold(), ordered)
    return Outcomes(list(once.values())[:MAX_OUTCOMES], list(tasks.values())[:MAX_OUTCOMES])


def _in_section(section: Section, known: Collection[str]) -> Outcomes:
    found = Outcomes([], [])
    rest = [s for s in section.statements if not _marked(s.text, known, found)]
    if section.table:
        _from_table(section, found)
    if section.slot == "actions":
        found.actions.extend(_listed_actions(rest, known))
    elif section.slot in ("decisions", "both"):
        for statement in _top(rest):
            action = _action(statement, known)
            is_task = section.slot == "both" and ("owner" in action or "status" in action)
            if is_task:
                found.actions.append(action)
            elif not _UNDECIDED.match(plain(statement.text)):
                found.decisions.append(statement.text)
    elif not section.slot:
        for statement in rest:
            if statement.is_done is not None and "owner" in (action := _action(statement, known)):
                found.actions.append(action)
            else:
                found.decisions.extend(_decided(statement.text, (_DECIDED,)))
    return found


def _in_turn(turn: Turn, answer: Turn | None, known: Collection[str]) -> Outcomes:
    found = Outcomes([], [])
    objected = answer is not None and answer.speaker != turn.speaker
    objected = objected and bool(_OBJECTS.match(answer.text if answer else ""))
    patterns = (_DECIDED,) if objected else (_DECIDED, _CHOSEN)
    for sentence in _SENTENCE.split(turn.text):
        if _marked(sentence, known, found):
            continue
        found.decisions.extend(_decided(sentence, patterns))
        if (taken := _TAKES.search(sentence)) and not _HEDGED.search(sentence):
            action = _action(Statement(taken[1]), known)
            found.actions.append({"owner": turn.speaker or ""} | action)
    return found


def _marked(text: str, known: Collection[str], found: Outcomes) -> bool:
    """Takes a statement that says itself what it is: DECISION: …, ACTION(alice): …"""
    if action := _ACTION_MARK.match(text[:MAX_STATEMENT]):
        read = _action(Statement(action["text"]), known)
        owner = action["inside"] or _named_after(action["after"] or "", known)
        found.actions.append(read | ({"owner": owner.lstrip("@")} if owner else {}))
        return True
    decision = _DECISION_MARK.match(text[:MAX_STATEMENT])
    if decision and not _UNDECIDED.match(decision["text"]):
        found.decisions.append(decision["text"])
    return decision is not None


def _named_after(words: str, known: Collection[str]) -> str:
    """Gives the name in `ACTION @bob:`, `ACTION for Bob:` and, if he was there, `ACTION Bob:`."""
    before, _, name = words.rpartition(" ")
    return name if before or name[:1] == "@" or name.lower() in known else ""


def _decided(text: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """Yields the sentences that say without a hedge that something was decided."""
    if not any(pattern.search(text) for pattern in patterns):
        return
    for sentence in _SENTENCE.split(text):
        match = next(filter(None, (pattern.search(sentence) for pattern in patterns)), None)
        if not match:
            continue
        start = 0 if len(sentence) <= MAX_SAID else match.start()
        said = sentence[start : start + MAX_SAID]
        before = sentence[max(0, match.start() - MAX_SAID // 4) : match.start()]
        if not _HEDGED_BEFORE.search(before) and not _HEDGED.search(_clause(said, match)):
            yield said.strip()


def _clause(said: str, match: re.Match[str]) -> str:
    """Gives what was decided, up to where a reason or an afterthought begins."""
    begin = said.find(match[0])
    stop = _STOP.search(said, begin + len(match[0]))
    asked = "?" if said.rstrip().endswith("?") else ""
    return said[begin : stop.start() if stop else len(said)] + asked


def _top(statements: Sequence[Statement]) -> list[Statement]:
    """Gives the outermost items; what is nested explains them. Without items, the paragraphs."""
    items = [s for s in statements if s.is_item]
    least = min((s.indent for s in items), default=0)
    chosen = [s for s in items if s.indent <= least] or list(statements)
    return [s for s in chosen if not (s.text.endswith(":") and not s.is_item)]


def _listed_actions(statements: Sequence[Statement], known: Collection[str]) -> Iterator[Action]:
    """Yields the items of a list of tasks; one that is only a name owns what is nested in it."""
    owner, depth = "", -1
    for statement in statements if any(s.is_item for s in statements) else _top(statements):
        name = plain(statement.text).strip(_EDGES).lstrip("@")
        if statement.indent <= depth:
            owner, depth = "", -1
        if not statement.is_item and any(s.is_item for s in statements):
            continue
        if _is_owner(name, known):
            owner, depth = name, statement.indent
        elif (action := _action(statement, known)) and not _UNDECIDED.match(action["item"]):
            yield ({"owner": owner} if owner else {}) | action


def _from_table(section: Section, found: Outcomes) -> None:
    body = "\n".join(section.table)
    if section.slot == "actions":
        found.actions.extend(as_actions(body))
    elif section.slot == "decisions":
        for table in tables(body):
            named = [at for at, name in enumerate(table.header) if _is_decision(name)] or [0]
            found.decisions.extend(row[named[0]] for row in table.rows if row[named[0] :])


def _is_decision(name: str) -> bool:
    return bool(re.search(r"decision|resolution|agreed|what|item", name, re.I))


def _action(statement: Statement, known: Collection[str]) -> Action:
    """Reads one task: who has it, until when, and whether it is done."""
    text = plain(statement.text[:MAX_STATEMENT]).strip()
    action: Action = {}
    if due := _DUE.search(text):
        moment = find_time(due["due"])
        action["due"] = moment.date().isoformat() if moment else due["due"].strip()
        text = f"{text[: due.start()]} {text[due.end() :]}".strip()
    owner, item = _owner(text, known)
    if owner:
        action["owner"] = owner
    if statement.is_done is not None:
        action["status"] = "done" if statement.is_done else "open"
    words = _LOOSE.sub(r"\1", " ".join(item.split())).strip(_EDGES).removesuffix(".")
    return {"item": words, **action}


def _owner(text: str, known: Collection[str]) -> tuple[str, str]:
    """Finds who has a task, and gives the task without that name."""
    if match := _OWNER.search(text):
        return match[1], f"{text[: match.start()]} {text[match.end() :]}"
    leading = _LEADING.match(text)
    if leading:
        name = leading["at"] or leading["in"] or leading["name"]
        if leading["at"] or _is_owner(name, known):
            return name.strip(), leading["rest"]
    will = _WILL.match(text)
    if will and (will["name"][0] == "@" or will["name"].lower() in known):
        return will["name"].lstrip("@"), text[will.end() :]
    trailing = _TRAILING.search(text[-TRAILING_CHARS:])
    if trailing:
        name = trailing["at"] or trailing["in"] or trailing["dash"]
        if trailing["at"] or _is_owner(name, known):
            return name.strip(), text[: len(text) - len(trailing[0])]
    return "", text


def _is_owner(name: str, known: Collection[str]) -> bool:
    """Tells who has a task from what it is about; where people are known, it is one of them."""
    words = [word.strip() for word in re.split(r"[,&/]|\band\b", name)]
    if known:
        return all(word.lower().lstrip("@") in known for word in words if word) and bool(words)
    is_short = 0 < len(name.split()) <= MAX_OWNER_WORDS and not name.isupper()
    return is_short and is_proper(name) and is_speaker(name)
