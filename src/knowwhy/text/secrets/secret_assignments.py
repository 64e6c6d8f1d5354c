"""The secrets that are given to a name: password = …, TOKEN=…, "api_key": …, --password …"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_shapes import Source, Span, looks_drawn
from knowwhy.text.secrets.secret_values import (
    KEYED_BY,
    MOST_PARTS,
    SHORTEST_KEY,
    Promise,
    Setting,
    is_part_of_token,
    is_scrambled,
    is_secret,
    kind_of,
    promise_of,
)

KEYWORDS = ("pass", "pwd", "pswd", "secret", "token", "cred", "key", "pw=", "pw:", 'pw"', 'auth"',
            "auth'", "auth=", "auth:", "pw =", "auth =")  # fmt: skip
NAME_WIDTH = 64  # characters; longer names are minified code
LEAD_WIDTH = 120  # characters of the line before a name that say what line it is
VALUE_WIDTH = 512  # characters judged; what is believed is followed to its end
QUOTED_WIDTH = 8192  # characters in which a closing quote is looked for
NAME_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

TYPE = (
    r"(?:\[\]|[*&])?(?:[\w.]{1,40}\.)?(?:[Ss]tring|byte|char|str|text|rune|[A-Z]\w{0,24}String)\b"
)
QUOTE = r"\\*[\"'`“‘]"
ATTRIBUTE = r"""[\w:.-]{1,60}+=(?:"[^"<>]{0,300}+"|'[^'<>]{0,300}+')"""
MOST_ATTRIBUTES = 8  # of an element that holds a secret
AFTER_NAME = regex(
    rf"""[\w-]{{0,{NAME_WIDTH}}}+
    (?P<close>\\*["'`”’]|\*\*|__)? [\])]? (?:\[\d{{0,4}}\])?
    (?:
      (?P<pair>[ ]{{0,8}}(?:,\s{{0,60}}+|\s{{1,60}}+)
        \\?["']?(?:[vV]alue|VALUE)\\?["']?[ ]{{0,4}}[:=]
        |["' ]{{0,3}}\{{[^{{}}]{{0,200}}?\bdefault[ ]{{0,8}}=)
      |(?P<attributes>(?:\s{{1,20}}+{ATTRIBUTE}){{1,{MOST_ATTRIBUTES}}}+\s{{0,20}}+>)
      |[ \t]{{0,20}}+ (?:
        (?P<typed>(?:[?!]?:[ ]{{0,4}}[A-Za-z_&*][\w.\[\]|<>:&*]{{0,40}}
          |(?<=[ \t])(?:[Aa]s[ ]{{1,4}})?{TYPE})
          (?:[ ]{{1,4}}=(?![=>])|=(?=[\s(]{{0,80}}[bBrRuUfFL@$]{{0,2}}{QUOTE})))
        |(?P<compare>[!=]={{1,2}}|\+=|,|\()
        |(?P<assign>:{{1,3}}=|=>|\?{{1,2}}=|\|\|=|\.=|=|:)(?:\*\*|__)?
        |(?P<cell>[`*]{{0,3}}[ ]{{0,60}}\|)
        |(?P<says>(?<=[ ])(?:is|was|to)(?:[ ](?:set|now|set[ ]to))?:?[ ])
        |(?P<element>>)
        |(?P<beside>(?<=[ ])(?=\S))
      )
    )""",
    re.VERBOSE,
)
OPENING = regex(
    rf"(?:[ \t]{{0,20}}+\(?\s{{0,80}}+)(?:[bBrRuUfFL@$]{{0,2}})(?P<quote>{QUOTE}{{1,3}})"
)
GAP = regex(r"[ \t]{0,20}+(?:\*\*)?[ \t]{0,4}")
CLOSING = {"“": "”", "‘": "’"}
ENTIRE = regex(rf"[^\s`]{{1,{VALUE_WIDTH}}}")
NEXT_PAIR = regex(r"[&;]\w[\w .-]{0,30}=|\\[nrt\"]")
PART = regex(rf"[^\s\"'`<>,;&(){{}}\[\]|\\]{{1,{VALUE_WIDTH}}}")
OPTION = regex(rf"[^\s\"'`<>|;&)\\]{{1,{VALUE_WIDTH}}}")
# What an element holds, over lines too; in braces is what a server has encrypted.
ELEMENT = regex(
    rf"\s{{0,200}}+(?:<!\[CDATA\[\s{{0,80}}+)?(?:\{{(?=[\w+/=-]{{24,}}+\}}))?"
    rf"(?P<value>[^\s<>{{}}\[\]&\"'`]{{1,{VALUE_WIDTH}}}+)\}}?\s{{0,200}}+(?:\]\]>\s{{0,80}}+)?</"
)
REST = regex(r"[\w+/=.~%-]*")
CALL = regex(r"[A-Za-z_][\w.]*[(\[]")


class Value(NamedTuple):
    """What stands behind a name."""

    start: int
    end: int
    setting: Setting
    until: int = 0  # where it ends if more of it follows what is judged


def assigned_secrets(text: str) -> Iterator[Span]:
    """Yields the values that a name calls secret and that look it."""
    lowered = text.replace("İ", "i").lower()  # the one letter whose lower case is longer
    seen: set[int] = set()
    for keyword in KEYWORDS:
        yield from _assigned_to(text, lowered, keyword, seen)


def _assigned_to(text: str, lowered: str, keyword: str, seen: set[int]) -> Iterator[Span]:
    reach = len(keyword.rstrip("=:\"' "))
    place = lowered.find(keyword)
    while place != -1:
        following = AFTER_NAME.match(text, place + reach)
        after = place + reach
        if following is not None and following.end() not in seen:
            seen.add(following.end())
            span = _judged(text, place, following)
            if span is not None:
                yield span
                after = span.end
        place = lowered.find(keyword, after)


def _judged(text: str, place: int, following: re.Match[str]) -> Span | None:
    name_start = _name_start(text, place)
    name_end = following.start("close") if following["close"] else _name_end(text, following)
    name = text[name_start:name_end]
    promise = promise_of(name)
    if promise in (Promise.NOTHING, Promise.MAYBE) and text[name_start - 1 : name_start] == " ":
        name = _with_word_before(text, name_start, name)
        promise = promise_of(name)
    if promise is Promise.NOTHING:
        return None
    value = _value(text, name_start, name, following)
    if value is None or not is_secret(text[value.start : value.end], promise, value.setting):
        return None
    if name.lower() == "pass" and TESTED.match(text, value.start, value.end):
        return None
    is_verb = name in VERB and _is_verb(following, _lead(text, name_start))
    if is_verb and _is_passed_on(text[value.start : value.end]):
        return None
    end = value.end
    if value.setting is not Setting.QUOTED and end - value.start == VALUE_WIDTH:
        end = REST.match(text, end).end()  # type: ignore[union-attr]  # matches the empty text too
    end = (
        _broken_end(text, end)
        if value.setting < Setting.QUOTED and promise < Promise.PASSWORD
        else end
    )
    end = max(end, value.until)
    source = Source.SAID if value.setting is Setting.PROSE else Source.GIVEN
    return Span(value.start, end, kind_of(name, promise), Source.GUESSED if is_verb else source)


VERB = ("pass", "Pass")
USER_WIDTH = 80  # characters before "pass" in which the user stands that it belongs to
USER = regex(
    r"(?i)\b(?:user(?:[ _]?name)?|login)"
    r"(?:\s?[:= ]\s?[^\s,;/|]{1,40}\s?[,;/|]|\s?[:=]\s?[^\s,;/|]{1,40})"
    r"\s?[\"'`(]?\Z"
)
PASSED_ON = regex(r"-|[A-Za-z_][\w.-]*[=(]")  # an option, a keyword argument, a call
IDENTIFIER = regex(r"[A-Za-z_][\w.]*")


def _is_verb(following: re.Match[str], lead: str) -> bool:
    """Tells "pass … to", after which anything may stand, from a field that is called pass."""
    says = following["says"] or "to"
    if following["assign"] is not None or following["typed"] is not None:
        return False
    return says.startswith("to") and USER.search(lead[-USER_WIDTH:]) is None


def _is_passed_on(value: str) -> bool:
    if PASSED_ON.match(value):
        return True
    return IDENTIFIER.fullmatch(value) is not None and not is_scrambled(value)


BROKEN = regex(r"[ ](?P<part>[\w+/=.~-]{6,512})(?=[\s\"'`,;]|\Z)")


def _broken_end(text: str, end: int) -> int:
    """Follows a key that copying has broken over its parts."""
    for _ in range(MOST_PARTS - 1):
        part = BROKEN.match(text, end)
        if part is None or not (is_scrambled(part["part"]) or is_part_of_token(part["part"])):
            break
        end = part.end()
    return end


TESTED = regex(r"[Tt]est|[A-Za-z_]\w{0,80}(?:/|::)\w")  # what has passed: TestX/case_2, mod::case


def _name_start(text: str, place: int) -> int:
    before = text[max(0, place - NAME_WIDTH) : place]
    return place - (len(before) - len(before.rstrip(NAME_CHARS)))


def _with_word_before(text: str, name_start: int, name: str) -> str:
    """`api key` and `Access token` in prose are names of two words."""
    before = text[max(0, name_start - NAME_WIDTH) : name_start - 1].split(" ")[-1]
    return f"{before}_{name}" if before.lower() in KEYED_BY else name


NAME_REST = regex(r"[\w-]*")


def _name_end(text: str, following: re.Match[str]) -> int:
    return NAME_REST.match(text, following.start()).end()  # type: ignore[union-attr]


def _value(text: str, name_start: int, name: str, following: re.Match[str]) -> Value | None:
    how = following.lastgroup
    if how == "close":
        how = "beside"
    opening = OPENING.match(text, following.end())
    if opening is not None:
        return _quoted(text, opening, following, name)
    if how in ("typed", "compare"):
        return None
    start = GAP.match(text, following.end()).end()  # type: ignore[union-attr]
    lead = _lead(text, name_start)
    return _bare(text, start, lead, name, following)


def _quoted(text: str, opening: re.Match[str], following: re.Match[str], name: str) -> Value | None:
    quote = opening["quote"]
    start = opening.end()
    if len(quote.lstrip("\\")) == 2:  # an empty string
        return None
    end = text.find(CLOSING.get(quote, quote), start, start + QUOTED_WIDTH)
    while end > start and text[end - 1] == "\\" and "\\" not in quote:
        end = text.find(quote, end + 1, start + QUOTED_WIDTH)
    if end == -1 or (len(quote) == 1 and "\n" in text[start:end]):
        return None
    return Value(start, end, _quoted_setting(following, name))


def _quoted_setting(following: re.Match[str], name: str) -> Setting:
    how = following.lastgroup
    if how in ("assign", "typed", "pair") or (how == "beside" and name.startswith("--")):
        return Setting.QUOTED
    if (
        how == "says"
        and following["says"].startswith("to")
        and (following["close"] or name.lower() in VERBS)
    ):
        return Setting.PROSE  # from `Secret` to `ConfigMap`, pass to `expect`
    if how in ("says", "cell") or (how in ("beside", "close") and name.isupper()):
        return Setting.LINE
    return Setting.PROSE


VERBS = frozenset({"pass", "key", "token", "secret"})  # and nouns to which no "to" gives a value


def _lead(text: str, start: int) -> str:
    before = text[max(0, start - LEAD_WIDTH) : start]
    return re.split(r"\n|\\n|\r", before)[-1]


ENVIRONMENT = regex(
    r"[\s>$#`*-]*(?:(?:export|set|setx|declare|local|readonly|env|ENV|ARG|-e|--env|--set)[ =]+)*"
    r"(?:-{0,2}[\w.:/][\w.:/-]*)?\Z"
)


def _bare(text: str, start: int, lead: str, name: str, following: re.Match[str]) -> Value | None:
    sign, how = following["assign"], following.lastgroup
    token = lead.rsplit(None, 1)[-1] if lead and not lead[-1].isspace() else ""
    is_option = name.startswith("-") or token.startswith("-")
    if how in ("beside", "close"):
        return _beside(text, start, name)
    if how == "says":
        return _matched(PART, text, start, Setting.PROSE)
    below = _below(text, following.end(), lead) if sign == ":" else None
    if below is not None:
        return below
    if how in ("element", "attributes"):
        is_tag = TAG.search(lead) is not None
        if how == "attributes" and not is_tag:
            return None
        setting = Setting.LINE if is_tag else Setting.LOOSE
        element = ELEMENT.match(text, following.end())
        return Value(*element.span("value"), setting) if element is not None else None
    if how == "cell":
        return _matched(PART, text, start, Setting.LOOSE)
    if sign == "=" and start == following.end():
        if is_option or token.endswith(("?", "&", ";")):
            return _matched(PART, text, start, Setting.LINE)
        if name.isupper() or (ENVIRONMENT.match(lead) and not lead[:1].isspace()):
            return _entire(text, start)
    return _loose(text, start, lead, sign)


TAG = regex(r"<(?:[\w.-]{1,40}[:.])?\Z")
BLOCK = regex(
    r"[ \t]{0,20}+(?:[!&][\w!:.-]{0,40}+[ \t]{1,4}){0,2}(?P<style>[|>][+-]?\d?[+-]?)?[ \t]{0,20}+"
    r"(?:\#[^\n]{0,200}+)?\r?\n(?:[ \t]{0,80}+\r?\n){0,3}+(?P<indent>[ \t>]{1,80}+)"
)
QUOTED_LINE = regex(r"([\"'])[^\"'\n]+\1")
BLOCK_LINE = regex(
    rf"(?P<indent>[ \t>]{{0,80}}+)(?P<value>[^\r\n]{{1,{VALUE_WIDTH}}}+)(?=\r?\n|\Z)"
)
BLOCK_WORD = regex(r"[^\s\"'`]+(?<!:)")
MOST_LINES = 40  # of a value that is written below its name


def _below(text: str, after: int, lead: str) -> Value | None:
    """The value that YAML writes on the deeper lines below its name."""
    block = BLOCK.match(text, after)
    if block is None or not KEY_LEAD.fullmatch(lead):
        return None
    line = BLOCK_LINE.match(text, block.start("indent"))
    if len(block["indent"]) <= len(lead.rstrip("\"'")) or line is None:
        return None
    start, end = line.start("value"), line.start("value") + len(line["value"].rstrip())
    is_word = BLOCK_WORD.fullmatch(text, start, end) is not None
    if QUOTED_LINE.fullmatch(text, start, end):
        return Value(start + 1, end - 1, Setting.QUOTED)
    if not block["style"]:
        return Value(start, end, Setting.LOOSE) if is_word else None
    until = end
    for _ in range(MOST_LINES):
        line = BLOCK_LINE.match(text, text.find("\n", line.end()) + 1 or len(text))
        if line is None or not line["indent"].startswith(block["indent"]):
            break
        until = line.end("value")
    return Value(start, end, Setting.LINE if is_word else Setting.QUOTED, until)


def _beside(text: str, start: int, name: str) -> Value | None:
    """`--password hunter2`, and without the dashes only what was clearly drawn by lot."""
    if name.startswith("-"):
        return _matched(OPTION, text, start, Setting.LOOSE)
    value = _matched(PART, text, start, Setting.PROSE)
    if value is None or not looks_drawn(text[value.start : value.end], SHORTEST_KEY):
        return None
    return None if NAME_OR_HEX.fullmatch(text, value.start, value.end) else value


NAME_OR_HEX = regex(r"[0-9a-f]+|[A-Z]?[a-z]{3,}\d[a-z]{1,8}[.!?]*")  # reset2fa, login2page


def _entire(text: str, start: int) -> Value | None:
    """The whole word on an environment line, up to another pair or the punctuation after it."""
    value = _matched(ENTIRE, text, start, Setting.LINE)
    if value is None:
        return None
    pair = NEXT_PAIR.search(text, start, value.end)
    end = pair.start() if pair is not None else value.end
    return value._replace(end=start + len(text[start:end].rstrip(";,.")))


KEY_LEAD = regex(r"[\s>-]*[\"']?\Z")
WHOLE = regex(
    rf"[^\s\"'`\\]{{1,{VALUE_WIDTH}}}(?<![,;])"
    r"(?=,?[ \t]*(?:\s\#[^\n]*)?(?:\r?\n|\\[nr]|\Z))"
)
NEIGHBOUR = regex(
    r"[ \t>-]*[\"']?(?:\w*[._-])?(?:user|username|user_name|login|host|hostname|port|database|db"
    r"|dbname|email|account)[\"']?[ ]*[:=][ ]*[^\s]+\s*\Z",
    re.IGNORECASE,
)
CODE_NAME = regex(
    r"(?:args?|params?|val|value|str|text|raw|input|field|new|old|tmp|buf|line|match|group|item|"
    r"row|col|var|res|result|node|self|this|request|form|kwargs|pass|pw|[a-z])_?\d*(?:\..*)?"
)


def _loose(text: str, start: int, lead: str, sign: str | None) -> Value | None:
    if sign == ":" and KEY_LEAD.fullmatch(lead):
        value = _matched(WHOLE, text, start, Setting.LOOSE)
        if value is not None and _stands_with_login(text, start, value.end):
            return value._replace(setting=Setting.LINE)
        if value is not None:
            return value
    value = _matched(PART, text, start, Setting.LOOSE)
    if value is None or CODE_NAME.fullmatch(text[value.start : value.end]):
        return None
    return value


def _stands_with_login(text: str, start: int, end: int) -> bool:
    """Whether the line before or after gives a user, a host or the like."""
    before = text[max(0, start - 2 * LEAD_WIDTH) : start].split("\n")[-2:-1]
    after = text[end : end + 2 * LEAD_WIDTH].split("\n")[1:2]
    return any(NEIGHBOUR.match(line) for line in (*before, *after))


def _matched(pattern: re.Pattern[str], text: str, start: int, setting: Setting) -> Value | None:
    matched = pattern.match(text, start)
    if matched is None or CALL.match(matched[0]):
        return None
    if text[matched.end() : matched.end() + 1] in ("(", "["):
        return None
    return Value(start, matched.end(), setting)
