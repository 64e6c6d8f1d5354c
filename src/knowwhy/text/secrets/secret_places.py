"""The secrets that their place gives away: headers, commands, .netrc, .pgpass, Kubernetes."""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_shapes import Source, Span, looks_drawn
from knowwhy.text.secrets.secret_values import (
    Promise,
    Setting,
    is_basic_pair,
    is_phrase,
    is_scrambled,
    is_secret,
    is_stand_in,
    is_vendor_key,
    kind_of,
    promise_of,
)

SHORTEST_SESSION = 8  # characters; shorter cookie values are themes and languages
MOST_COOKIES = 50  # pairs in one header; browsers stop there
DRAWN_BEARER = 10  # characters in one run of a bearer token; words after "bearer" are not drawn


@dataclass(frozen=True, slots=True)
class Place:
    """A place where a password stands, behind some letters in lower case; its group is it."""

    anchors: tuple[str, ...]
    behind: re.Pattern[str]


def _place(anchors: str, behind: str) -> Place:
    return Place(tuple(anchors.split("|")), regex(behind))


WORD = r"[\"']?([^\s\"'`\\<>|;]{3,200})"  # one word of a command line
LINES = r"(?:[^\n|;`\\]|\\\r?\n|\\.){0,400}?\s"  # the same over lines that a backslash joins
LINE = r"[^\n|;&`]{0,160}?\s"  # what stands between a command and the option
FLAGS = "#0-46BGILNORSZfgijklnpqsv"  # of curl, which take no value and may stand before another

PLACES = (
    _place("mysql|mariadb", rf"{LINE}-p{WORD}"),
    _place("sshpass", rf"{LINE}-p\s{{0,2}}{WORD}"),
    _place("docker login|podman login|registry login|az login|mongo|mongosh|mongodump",
           rf"{LINE}-p\s{{1,2}}{WORD}"),
    _place("redis-cli", rf"{LINE}(?:-a|--pass)\s{{1,2}}{WORD}"),
    _place("curl |curl.exe |wget |http |https ",
           rf"(?:{LINES})?(?:-[{FLAGS}]{{0,8}}[uUa][ =]{{0,5}}(?!//)"
           r"|(?:--user|--proxy-user|--auth)[ =]{1,5})"
           r"(?:[\"']([^\s:\"']{8,200}):[\"']"  # a token without a password
           r"|[\"'][^\s:\"'`/]{0,80}[\"']?:[\"']?([^\s\"'][^\n\"']{2,199})[\"']"
           r"|[^\s:\"'`/]{1,80}:[\"']?([^\s\"'`\\]{3,200}))"),
    _place("ssh |ftp ",
           r"\s?(?:-\w{1,2}\s{1,2}(?:[^\s-]\S{0,60}\s{1,2})?){0,4}[\"']?[\w.-]{1,60}:"
           r"([^\s\"'`\\/@]{3,100})@(?=[A-Za-z\[]|\d{1,3}\.\d)"),
    _place("ldapsearch|ldapmodify|ldapadd|ldappasswd", rf"{LINE}-w\s{{1,2}}{WORD}"),
    _place("smbclient|rpcclient", rf"{LINE}-U\s{{0,2}}[\"']?[^\s%]{{1,60}}%{WORD}"),
    _place("sqlcmd|bcp ", rf"{LINE}-P\s{{0,2}}{WORD}"),
    _place("htpasswd -", rf"[A-Za-z]{{0,8}}b[A-Za-z]{{0,8}}\s+\S{{1,100}}\s+\S{{1,80}}\s+{WORD}"),
    _place("add_user |change_password ", rf"[\w.@-]{{1,60}}\s+{WORD}"),
    _place("chpasswd", r"\s*<<<\s*[\"']?[\w.-]{1,40}:([^\s\"'\\]{3,100})"),
    _place("echo ", r"(?:-n )?[\"']?(?:[\w.-]{1,40}:)?([^\s\"'|\\]{4,100})[\"']?\s{0,3}\|\s{0,3}"
           r"(?:sudo )?(?:chpasswd|passwd --stdin|sudo -S|docker login)"),
    _place("passin pass:|passout pass:|-pass pass:|-k pass:", r"([^\s\"'`\\]{4,100})"),
    _place("identified by|identified with", r"[\w\s]{0,60}?[\"']([^\"'\n\\]{3,200})[\"']"),
    _place("machine ",
           r"\S{1,200}\s+(?:(?:login|account)\s+\S{1,200}\s+){0,2}password\s+(\S{3,200})"),
    _place("auth=(|creds = (|basicauth(|auth = (",
           r"\s{0,40}[\"'][^\"'\n]{1,80}[\"'],\s{0,40}[\"']([^\"'\n]{3,200})[\"']"),
    _place("default login ", r"\S{1,100}\s+password\s+(\S{3,200})"),
    _place("--from-literal", r"[= ][\"']?[\w.-]{1,80}=([^\s\"'`\\]{3,400})"),
)  # fmt: skip


def placed_secrets(text: str) -> Iterator[Span]:
    """Yields the secrets that stand where a format or a command keeps them."""
    lowered = text.replace("İ", "i").lower()  # the one letter whose lower case is longer
    for place in PLACES:
        yield from _in_place(text, lowered, place)
    yield from _authorizations(text, lowered)
    yield from _queried(text, lowered)
    yield from _named_after(text, lowered)
    yield from _cookies(text, lowered)
    yield from _login_addresses(text)
    yield from _pgpass_lines(text)
    yield from _table_columns(text)
    yield from _kubernetes(text)


def _in_place(text: str, lowered: str, place: Place) -> Iterator[Span]:
    for anchor in place.anchors:
        for after in _ends(lowered, anchor):
            matched = place.behind.match(text, after)
            told = matched.lastindex if matched is not None else None
            if matched is None or told is None:
                continue
            if _is_of_command(matched[told]):
                yield Span(*matched.span(told), "password", Source.GIVEN)


def _is_of_command(value: str) -> bool:
    """Whether a value is a password, which may have blanks where a command quotes it."""
    if is_secret(value, Promise.PASSWORD, Setting.LINE):
        return True
    return " " in value and is_phrase(value, LEAST_QUOTED) and not is_stand_in(value)


LEAST_QUOTED = 2  # words; in quotes behind a user nothing but a password stands


def _ends(text: str, anchor: str) -> Iterator[int]:
    place = text.find(anchor)
    while place != -1:
        yield place + len(anchor)
        place = text.find(anchor, place + len(anchor))


QUERY = regex(r"[\w.~%+/-]{16,512}=*")
QUERY_NAMES = ("key=", "sig=", "auth=")


def _queried(text: str, lowered: str) -> Iterator[Span]:
    """The keys that an address carries under names which say little elsewhere."""
    for name in QUERY_NAMES:
        for after in _ends(lowered, name):
            before = after - len(name) - 1
            value = QUERY.match(text, after) if before >= 0 and text[before] in "?&;" else None
            said = value[0].rstrip(".") if value is not None else ""
            if is_vendor_key(said):
                yield Span(after, after + len(said), "api-key")


VALUE_AND_NAME = regex(
    r"\s{0,20}+:\s{0,20}+\"([^\"\n]{1,512})\"\s{0,20}+,\s{0,60}+"
    r"\"(?:name|key)\"\s{0,20}+:\s{0,20}+\"([\w.-]{1,64})\""
)


def _named_after(text: str, lowered: str) -> Iterator[Span]:
    """The value of a pair in JSON that gives its name second."""
    for after in _ends(lowered, '"value"'):
        pair = VALUE_AND_NAME.match(text, after)
        promise = promise_of(pair[2]) if pair is not None else Promise.NOTHING
        if pair is not None and is_secret(pair[1], promise, Setting.QUOTED):
            yield Span(*pair.span(1), kind_of(pair[2], promise), Source.GIVEN)


AUTHORIZATION = regex(
    r"(?:[\"'\\\])]|\*\*){0,3}[ ]{0,3}[:=,][ ]{0,3}[bf]?[\"'`\\]{0,3}"
    r"(?:([A-Za-z][\w.+-]{0,40})[ ]{1,3})?([^\s\"'`\\,;<>]{6,4000})"
)
# What goes on behind it in a header: the other half of a token, or a signature.
AUTHORIZED_TOO = regex(r"(?:,?[ ]{1,2}|,)(?:[A-Za-z][\w-]{0,30}=)?\"?([^\s\"'`,\\]{1,4000})\"?")
MOST_AUTHORIZED = 6  # parts of one header
SCHEME_VALUE = regex(r"[ ]{1,3}([\w.~+/-]{8,4000}=*)")


def _authorizations(text: str, lowered: str) -> Iterator[Span]:
    for after in _ends(lowered, "authorization"):
        matched = AUTHORIZATION.match(text, after)
        if matched is not None and is_secret(matched[2], Promise.KEY, Setting.QUOTED):
            kind = (matched[1] or "authorization").lower()
            yield Span(*matched.span(2), SCHEME_KINDS.get(kind, "authorization"))
            yield from _authorized_too(text, matched.end())
    for after in _ends(lowered, "bearer"):
        matched = SCHEME_VALUE.match(text, after)
        if matched is not None and _is_bearer(matched[1]):
            yield Span(*matched.span(1), "bearer-token")
    for after in _ends(lowered, "basic"):
        matched = SCHEME_VALUE.match(text, after)
        if matched is not None and is_basic_pair(matched[1]):
            yield Span(*matched.span(1), "basic-auth")


def _authorized_too(text: str, after: int) -> Iterator[Span]:
    for _ in range(MOST_AUTHORIZED):
        part = AUTHORIZED_TOO.match(text, after)
        if part is None:
            return
        if looks_drawn(part[1]) and not is_stand_in(part[1]):
            yield Span(*part.span(1), "authorization")
        after = part.end()


SCHEME_KINDS = {"bearer": "bearer-token", "basic": "basic-auth", "token": "token"}


def _is_bearer(value: str) -> bool:
    return looks_drawn(value, DRAWN_BEARER) and not is_stand_in(value)


COOKIES = regex(
    rf"[\"'\\]{{0,3}}[ ]{{0,3}}[:=,][ ]{{0,3}}[\"'`\\]{{0,3}}"
    rf"(?:[\w.-]{{1,80}}=\"?[^;\s\"'`\\]{{0,4000}}"
    rf"\"?(?:;[ ]{{0,2}}|(?=[\s\"'`\\]|\Z))){{1,{MOST_COOKIES}}}"
)
COOKIE = regex(r"([\w.-]{1,80})=\"?([^;\s\"'`\\]{0,4000})")
SESSION_NAME = regex(r"(?i)sess|sid\b|auth|token|jwt|csrf|xsrf|remember|login")


def _cookies(text: str, lowered: str) -> Iterator[Span]:
    for after in _ends(lowered, "cookie"):
        header = COOKIES.match(text, after)
        if header is None:
            continue
        for pair in COOKIE.finditer(text, after, header.end()):
            if _is_session(pair[1], pair[2]):
                yield Span(*pair.span(2), "session-cookie")


def _is_session(name: str, value: str) -> bool:
    if len(value) < SHORTEST_SESSION or is_stand_in(value):
        return False
    named = SESSION_NAME.search(name) is not None
    return looks_drawn(value) or (named and any(map(str.isdigit, value)))


LOGIN_WIDTH = 170  # characters of user:password before the host
LOGIN = regex(r"(?P<user>[A-Za-z_][\w.-]{0,60}):(?P<password>[^\s:/]{8,100})\Z")
LOGIN_HOST = regex(r"@(?:[A-Za-z][\w-]*(?:[.:/\s,;)\"'`]|\Z)|\d{1,3}(?:\.\d{1,3}){3}|\[)")
BEFORE_LOGIN = regex(r"[\s\"'`(<>=,;|]")
NO_USERS_WORDS = """
mail email e-mail mailto cc bcc to from by author contact owner sip sips xmpp acct im npm pkg pip
workspace patch image sha256 md5
"""
NO_USERS = frozenset(NO_USERS_WORDS.split())


def _login_addresses(text: str) -> Iterator[Span]:
    """The password of user:password@host without a scheme, where it is like no mailbox."""
    for place in _ends(text, "@"):
        if LOGIN_HOST.match(text, place - 1) is None:
            continue
        floor = max(0, place - LOGIN_WIDTH)
        word = BEFORE_LOGIN.split(text[floor : place - 1])[-1]
        login = LOGIN.fullmatch(word)
        if login is None or login["user"].lower() in NO_USERS:
            continue
        password = login["password"]
        if is_scrambled(password) and is_secret(password, Promise.PASSWORD, Setting.PROSE):
            yield Span(place - 1 - len(password), place - 1, "password")


PG_PORT = regex(r":(?:\d{4,5}|\*):(?=[^:\s]{1,64}:[^:\s]{1,64}:\S)")
PG_HOST = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_*"
PG_LINE = regex(
    r"[\w.*-]{1,200}:(?:\d{4,5}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:([^\s:`]{4,200})(?=\s|`|\Z)"
)


def _pgpass_lines(text: str) -> Iterator[Span]:
    for port in PG_PORT.finditer(text):
        host = text[max(0, port.start() - 200) : port.start()]
        start = port.start() - (len(host) - len(host.rstrip(PG_HOST)))
        line = PG_LINE.match(text, start)
        if line is not None and is_secret(line[1], Promise.PASSWORD, Setting.LOOSE):
            yield Span(*line.span(1), "password")


RULE = regex(r"\n[ \t>]*+(?:\|[ \t]*+)?:?--[-:| \t]*+(?=\r?\n)")
ROW = regex(r"\r?\n([^\n|]*\|[^\n]*)")
CELL_VALUE = regex(r"[ \t`*]*([^\s`|]+?)[ \t`*]*\Z")
ROW_WIDTH = 2000  # characters of a header row looked at


def _table_columns(text: str) -> Iterator[Span]:
    """The cells of a Markdown table under a heading such as Password."""
    if "|" not in text:
        return
    for rule in RULE.finditer(text):
        head = text[max(0, rule.start() - ROW_WIDTH) : rule.start()].split("\n")[-1]
        promises = [promise_of(cell.strip().replace(" ", "_")) for cell in head.split("|")]
        if not any(promises) or "|" not in rule[0]:
            continue
        row = ROW.match(text, rule.end())
        while row is not None:
            yield from _cells(text, row.start(1), row[1].split("|"), promises)
            row = ROW.match(text, row.end())


def _cells(text: str, start: int, cells: list[str], promises: list[Promise]) -> Iterator[Span]:
    for cell, promise in zip(cells, promises, strict=False):
        value = CELL_VALUE.match(cell) if promise is not Promise.NOTHING else None
        if value is not None and is_secret(value[1], promise, Setting.LOOSE):
            yield Span(start + value.start(1), start + value.end(1), "password")
        start += len(cell) + 1


MANIFEST = regex(
    r"""^[ \t>-]*["']?kind["']?[ \t]{0,20}:[ \t]{0,20}["']?[Ss]ecret\b""", re.MULTILINE
)
MANIFEST_EDGE = regex(r"^[ \t>]*(?:---|```|~~~).*$", re.MULTILINE)
DATA_YAML = regex(
    r"^([ \t>]{0,80})[\"']?(data|stringData)[\"']?:[ \t]{0,80}+(?:\#[^\n]{0,400})?\r?\n",
    re.MULTILINE,
)
YAML_REMARK = regex(r"[ \t>]{0,200}+(?:\#[^\n]*)?\r?\n")
DATA_JSON = regex(r"\"(data|stringData)\"\s{0,20}:\s{0,20}\{([^{}]{0,20000})\}")
JSON_PAIR = regex(r"\"([^\"\n]{1,253})\"\s{0,20}:\s{0,20}\"([^\"\n]{1,20000})\"")
YAML_PAIR = regex(
    r"([ \t>]*+)[\"']?([\w.-]{1,253})[\"']?:[ \t]{0,80}([\"']?)([^\r\n]*?)\3[ \t]{0,80}"
    r"(?:[ \t]\#[^\r\n]*)?(?=\r?\n|\Z)"
)


def _kubernetes(text: str) -> Iterator[Span]:
    """The values of the Secrets among the manifests of a text."""
    if "ecret" not in text or (MANIFEST.search(text) is None and '"Secret"' not in text):
        return
    edges = [0, *(edge.start() for edge in MANIFEST_EDGE.finditer(text)), len(text)]
    for start, end in pairwise(edges):
        part = text[start:end]
        if MANIFEST.search(part) is not None or ONE_LINE_MANIFEST.search(part) is not None:
            yield from (_shifted(span, start) for span in _manifest_values(part))


ONE_LINE_MANIFEST = regex(r"\"kind\"\s{0,20}:\s{0,20}\"Secret\"")


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by, span.kind)


def _manifest_values(part: str) -> Iterator[Span]:
    for block in DATA_YAML.finditer(part):
        yield from _yaml_values(part, block.end(), len(block[1]), block[2] == "data")
    for block in DATA_JSON.finditer(part):
        for pair in JSON_PAIR.finditer(part, *block.span(2)):
            if _is_sealed(pair[2], block[1] == "data"):
                yield Span(*pair.span(2), "kubernetes-secret")


def _yaml_values(part: str, start: int, indent: int, is_encoded: bool) -> Iterator[Span]:
    """The values of the lines that stand deeper than the block's own name."""
    while True:
        remark = YAML_REMARK.match(part, start)
        if remark is not None:
            start = remark.end()
            continue
        pair = YAML_PAIR.match(part, start)
        if pair is None or len(pair[1]) <= indent:
            return
        span, start = pair.span(4), pair.end()
        if re.fullmatch(r"[|>][-+]?", pair[4]):
            deeper = re.compile(rf"(?:\r?\n(?:[ \t>]{{{len(pair[1]) + 1},}}[^\n]*|(?=\r?\n)))+")
            lines = deeper.match(part, start)
            span = (start + 1 + len(pair[1]), lines.end()) if lines is not None else (start, start)
            start = max(start, span[1])
        if _is_sealed(part[slice(*span)].strip(), is_encoded):
            yield Span(*span, "kubernetes-secret")
        start += 2 if part.startswith("\r\n", start) else 1


def _is_sealed(value: str, is_encoded: bool) -> bool:
    if not value or is_stand_in(value):
        return False
    if not is_encoded:
        return True
    try:
        return len(base64.b64decode("".join(value.split()), validate=True)) > 0
    except binascii.Error:
        return False
