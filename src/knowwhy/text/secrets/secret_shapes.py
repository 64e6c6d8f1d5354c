"""The secrets that show by their own form: vendor tokens, key blocks, passwords in URLs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from knowwhy.text.patterns import regex

PLACEHOLDER_DISTINCT = 3  # characters; a body of so few different ones is xxxx or 0000
SHORTEST_TOKEN = 16  # characters without a space; every shape below has more
RANDOM_RUN = 12  # characters of letters and digits without a break; words are shorter
CHANGES_WITH_DIGITS = 0.2  # of neighbours differ in class; drawn hex has 0.47, camelCase2 0.17
CHANGES_OF_CASE = 0.3  # the same without digits; drawn letters have 0.5, camelCase 0.25
FIRST_PART = 48  # characters of a token that have to look drawn; what follows may be a path
PEM_FIRST_LINE = 16  # base64 characters; a line of a key is 64, prose words are shorter

ALNUM_RUN = regex(r"[A-Za-z0-9]+")
CLASS_RUN = regex(r"[a-z]+|[A-Z]+|[0-9]+")
CLASS_NAME = regex(r"(?:[A-Z][a-z]+){2,}|[a-z]+(?:[A-Z][a-z]+)+")
TOKEN_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
ESCAPE_BEFORE = regex(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})\Z")
BASE64_LEAD = 32  # characters before a token that make it a piece of base64
IN_BASE64 = regex(rf"[A-Za-z0-9+/]{{{BASE64_LEAD}}}\Z")
ESCAPE_WIDTH = 6  # characters of the longest escape, \u0000


class Span(NamedTuple):
    """A secret in a text, from start up to end."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A form that gives a secret away; group 1 is the secret, or else the whole match."""

    kind: str
    anchors: tuple[str, ...]  # one of them is in every secret of the shape, at `behind` or first
    pattern: re.Pattern[str]
    random: bool = False  # the body has to look drawn by lot: words share the prefix
    behind: str = ""  # characters of the secret that may stand before the anchor


def _shape(kind: str, anchors: str, pattern: str, **more: bool | str) -> Shape:
    return Shape(kind, tuple(anchors.split()), regex(pattern), **more)  # type: ignore[arg-type]


def _prefixed(kind: str, prefixes: str, least: int = 16) -> Shape:
    """A token that its vendor marks by a prefix, followed by at least `least` characters."""
    starts = "|".join(re.escape(prefix) for prefix in prefixes.split())
    return _shape(kind, prefixes, rf"(?:{starts})[\w-]{{{least},}}(?:\.[\w-]+)*=*", random=True)


SHAPES = (
    _shape("aws-access-key", "AKIA ASIA ABIA ACCA", r"A[KSBC][IC]A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws-secret-key", "ABSK", r"ABSK[A-Za-z0-9+/]{60,}=*"),
    _shape("gcp-api-key", "AIza", r"AIza[\w-]{30,}"),
    _prefixed("gcp-oauth-token", "GOCSPX- ya29. 1//0", 20),
    _shape("azure-client-secret", "Q~", r"[\w~.-]{3}\dQ~[\w~.-]{25,}", behind=TOKEN_CHARS + "~."),
    _shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{20,}", random=True),
    _prefixed("github-token", "github_pat_", 20),
    _prefixed("gitlab-token", "glpat- gldt- glrt- glptt- glft- gloas- glcbt- glsoat- glagent-"),
    _shape("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xoxo- xapp-",
           r"x(?:ox[abeoprs]|app)[.-][\w.%-]{10,}", random=True),
    # Numbers, names and short bodies do not look drawn each time; these forms are nothing else.
    _shape("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs-",
           r"xox[abprs]-(?:\d{9,}-){2,3}[A-Za-z0-9]{20,}"),
    _shape("slack-token", "xapp-", r"xapp-\d-[A-Z0-9]{6,}-\d{9,}-[0-9a-f]{32,}"),
    _shape("gitlab-token", "glpat-", r"glpat-[A-Za-z0-9_]{20}(?!\w)"),
    _shape("shop-token", "shpat_ shpss_ shpca_ shppa_",
           r"shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}(?!\w)"),
    _shape("monitoring-key", "NRAK-", r"NRAK-[A-Z0-9]{27}(?!\w)"),
    _shape("slack-webhook", "hooks.slack.com/",
           r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{16,})"),
    _shape("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{6,}/([\w-]{20,})"),
    _shape("teams-webhook", "webhook.office.com/", r"webhook\.office\.com/([\w/@-]{30,})"),
    _shape("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
           r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/]{10,}=*"),
    _prefixed("anthropic-key", "sk-ant-"),
    _prefixed("openai-key", "sk-", 20),
    _prefixed("model-api-key", "gsk_ xai- pplx- r8_ lsv2_ nvapi- tvly- jina_ csk-", 24),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}", random=True),
    _prefixed("pypi-token", "pypi-", 50),
    # All begin with the same base64 of a version and the name of the index.
    _shape("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{32,}"),
    _shape("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}(?!\w)"),
    _shape("sendgrid-key", "SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    _shape("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _prefixed("mail-key", "xkeysib- xsmtpsib-", 22),
    _prefixed("monitoring-key", "NRAK- NRRA- NRII- NRSP- glsa_ glc_ sntrys_ sntryu_ dt0c01.", 20),
    _prefixed("shop-token", "shpat_ shpss_ shpca_ shppa_ sq0atp- sq0csp- EAAA", 20),
    _prefixed("cloud-token", "dop_v1_ doo_v1_ dor_v1_ pscale_tkn_ pscale_pw_ sbp_ HRKU- fo1_ fm2_ "
              "vercel_ nfp_ tskey- sgp_ dapi scw- LTAI rnd_", 16),
    _prefixed("vault-token", "hvs. hvb. hvr. dp.pt. dp.st. dp.ct. pul- ops_eyJ "
              "AGE-SECRET-KEY-1", 16),
    _prefixed("registry-token", "dckr_pat_ dckr_oat_ rubygems_ CLOJARS_ AKCp", 24),
    _prefixed("workspace-token", "lin_api_ lin_oauth_ ntn_ secret_ figd_ PMAK- ATATT3 ATCTT3 ATBB "
              "phc_ phx_ pat- sqp_ squ_ sqa_ tfp_ rdme_ aio_ pnu_ CFPAT-", 24),
    _shape("terraform-token", ".atlasv1.",
           r"(?<![A-Za-z0-9])[A-Za-z0-9]{10,}+\.atlasv1\.[\w-]{30,}",
           behind=TOKEN_CHARS),
    _shape("jwt", "eyJ",
           r"eyJ[\w-]{8,1000}\.(?:eyJ[\w-]{4,}(?:\.[\w-]*)?|(?:[\w-]*\.){2,3}[\w-]{10,})"),
    _shape("azure-sas-signature", "sig=", r"sig=([A-Za-z0-9%+/_-]{20,}={0,2})"),
    _shape("aws-signature", "X-Amz-Signature= X-Amz-Security-Token= X-Goog-Signature=",
           r"X-\w{1,20}-[\w-]{1,40}=([\w%+/=-]{20,})"),
    _shape("password-hash", "$2a$ $2b$ $2y$", r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}"),
    _shape("password-hash", "$6$ $5$ $y$",
           r"\$[56y]\$[^\s$:]{1,40}\$(?:[^\s$:]{1,40}\$)?[./\w]{40,}"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """A form that has no fixed letters; the regex starts with its rarest character."""

    kind: str
    seek: re.Pattern[str]
    behind: str
    whole: re.Pattern[str]


SOUGHT = (
    Found("discord-token", regex(r"\.[\w-]{6}\.[\w-]{27}"), TOKEN_CHARS,
          regex(r"[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}")),
    Found("telegram-token", regex(r":[\w-]{35}(?![\w-])"), "0123456789",
          regex(r"\d{8,10}:[\w-]{35}")),
    Found("mailgun-key", regex(r"-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"), "0123456789abcdef",
          regex(r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}")),
)  # fmt: skip

DUMMY = regex(
    r"(?i)example|placeholder|redacted|dummy|change[-_ ]?me|x{4,}|\*{3}|\.\.\.|…"
    r"|(?:\A|[^a-z])your(?=[^a-z]|\Z|api|key|secret|token|pass)"
)


def shaped_secrets(text: str) -> Iterator[Span]:
    """Yields the secrets that show by their own form."""
    long_words = "\n".join([word for word in text.split() if len(word) >= SHORTEST_TOKEN])
    for shape in SHAPES:
        for anchor in shape.anchors:
            if anchor in long_words:  # a look into few letters spares one into all
                yield from _anchored(text, shape, anchor)
    for found in SOUGHT:
        yield from _sought(text, found)
    yield from _secret_keys_after_ids(text)
    yield from _url_passwords(text)
    yield from _driver_passwords(text)
    yield from _key_blocks(text)


def is_dummy(secret: str) -> bool:
    """Whether a value says of itself that it only stands for a secret."""
    letters = {character for character in secret if character.isalnum()}
    return len(letters) <= PLACEHOLDER_DISTINCT or DUMMY.search(secret) is not None


def looks_drawn(body: str, least: int = RANDOM_RUN) -> bool:
    """Whether a run in it was drawn by lot: its letters and digits alternate as no words do."""
    return any(_alternates(run) for run in ALNUM_RUN.findall(body) if len(run) >= least)


def _alternates(run: str) -> bool:
    if CLASS_NAME.fullmatch(run):
        return False
    changes = len(CLASS_RUN.findall(run)) - 1
    has_digit = any(character.isdigit() for character in run)
    return changes >= (CHANGES_WITH_DIGITS if has_digit else CHANGES_OF_CASE) * (len(run) - 1)


def _starts_clean(text: str, start: int) -> bool:
    """Whether no word runs into the place, where an escape such as \\n is no word."""
    if start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_+/"):
        return True
    if text[start - 1] in "+/":
        return IN_BASE64.search(text, max(0, start - BASE64_LEAD), start) is None
    return ESCAPE_BEFORE.search(text, max(0, start - ESCAPE_WIDTH), start) is not None


def _anchored(text: str, shape: Shape, anchor: str) -> Iterator[Span]:
    place, run_end, tries = text.find(anchor), 0, 0
    while place != -1:
        if place >= run_end:
            run_end, tries = _run_end(text, place), 0
        tries += 1
        start = _run_start(text, place, shape.behind)
        matched = shape.pattern.match(text, start) if _may_start(text, start, shape) else None
        if matched is not None and _convinces(shape, matched):
            yield Span(*matched.span(matched.lastindex or 0), shape.kind)
        after = matched.end() if matched is not None else place
        if tries == MOST_TRIES:
            after = run_end
        place = text.find(anchor, max(after, place + len(anchor)))


TOKEN_RUN = regex(r"[\w.-]*")
MOST_TRIES = 16  # of one anchor in one run of letters, so that no run is read again and again


def _run_end(text: str, place: int) -> int:
    return TOKEN_RUN.match(text, place).end()  # type: ignore[union-attr]  # matches "" too


def _may_start(text: str, start: int, shape: Shape) -> bool:
    return bool(shape.pattern.groups) or _starts_clean(text, start)


def _convinces(shape: Shape, matched: re.Match[str]) -> bool:
    secret = matched[matched.lastindex or 0]
    return not is_dummy(secret) and (not shape.random or looks_drawn(secret[:FIRST_PART]))


def _run_start(text: str, place: int, characters: str) -> int:
    if not characters:
        return place
    before = text[max(0, place - 80) : place]  # characters; no such token has a longer head
    return place - (len(before) - len(before.rstrip(characters)))


def _sought(text: str, found: Found) -> Iterator[Span]:
    for hint in found.seek.finditer(text):
        start = _run_start(text, hint.start(), found.behind)
        matched = found.whole.match(text, start)
        if matched is not None and looks_drawn(matched[0]) and not is_dummy(matched[0]):
            yield Span(*matched.span(), found.kind)


AWS_ID = regex(r"A[KS]IA[A-Z0-9]{16}")
AWS_SECRET = regex(r"(?<![\w/+])(?=[^\s]{0,39}\d)(?=[^\s]{0,39}[A-Z])[A-Za-z0-9/+]{40}(?![\w/+=])")
DRIVER_WIDTH = 170  # characters of user:password before the host
NEAR_ID = 160  # characters between a key id and its secret: a line or two


def _secret_keys_after_ids(text: str) -> Iterator[Span]:
    """The forty characters that follow an access key id, in a table, a pair or a listing."""
    for anchor in ("AKIA", "ASIA"):
        place = text.find(anchor)
        while place != -1:
            matched = AWS_ID.match(text, place)
            if matched is not None:
                after = matched.end()
                secret = AWS_SECRET.search(text, after, after + NEAR_ID)
                if secret is not None and not is_dummy(secret[0]):
                    yield Span(*secret.span(), "aws-secret-key")
            place = text.find(anchor, place + len(anchor))


URL_PASSWORD = regex(r"""://[^\s:/@"'`<>\\]{0,100}:([^\s/"'`<>\\]{1,200})@(?=[\w\[.-])""")
URL_USER = regex(r"://([\w.-]{16,200})@(?=[\w\[])")
SLOT_NAMES = frozenset({"password", "passwd", "pass", "pwd", "secret", "token", "passwort"})
URL_DUMMY = regex(r"\$|%\(|%s|:|\{|\[")


def _url_passwords(text: str) -> Iterator[Span]:
    place = text.find("://")
    while place != -1:
        matched = URL_PASSWORD.match(text, place)
        if matched is not None and not _stands_for_password(matched[1]):
            yield Span(*matched.span(1), "password")
        user = URL_USER.match(text, place)
        if user is not None and looks_drawn(user[1]) and not is_dummy(user[1]):
            yield Span(*user.span(1), "token")
        place = text.find("://", matched.end() if matched is not None else place + 3)


DRIVER_PASSWORD = regex(r"[\w.-]{1,64}:([^\s\"'`@/]{1,100})@(?:tcp|unix)\(")


def _driver_passwords(text: str) -> Iterator[Span]:
    """The password of user:password@tcp(host), the address form of the Go drivers."""
    for anchor in ("@tcp(", "@unix("):
        place = text.find(anchor)
        while place != -1:
            before = text[max(0, place - DRIVER_WIDTH) : place]
            start = place - len(re.split(r"[\s\"'`@/=]", before)[-1])
            matched = DRIVER_PASSWORD.match(text, start)
            if matched is not None and not _stands_for_password(matched[1]):
                yield Span(*matched.span(1), "password")
            place = text.find(anchor, place + len(anchor))


def _stands_for_password(password: str) -> bool:
    if password.lower() in SLOT_NAMES or URL_DUMMY.match(password):
        return True
    return DUMMY.search(password) is not None or set(password) <= set("x*._-")


BLOCK_START = regex(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
BLOCK_END = regex(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
BETWEEN_LINES = r"(?:[\s>|\"'+,;#*]|\\[nrt\\]){1,60}+"  # line ends, quoting, indenting, joining
BLOCK_LINES = regex(
    rf"(?:{BETWEEN_LINES}(?:[A-Z][A-Za-z-]{{2,30}}: [^\n\\]{{1,200}}"
    rf"|[A-Za-z0-9+/=]{{{PEM_FIRST_LINE},}}))+"
)
BLOCK_REST = regex(
    r"(?:\r?\n|\\n)[ \t>]*(?=[A-Za-z+/]*[0-9=+/])[A-Za-z0-9+/=]{1,63}(?=\s|\\|\Z|\"|`)"
)
BASE64_RUN = regex(rf"[A-Za-z0-9+/]{{{PEM_FIRST_LINE},}}")
PUTTY = regex(
    r"PuTTY-User-Key-File-\d: [^\n]{1,100}"
    r"(?:\r?\n[ \t>]*+(?:[A-Z][\w-]{2,30}: [^\n]{0,200}|[A-Za-z0-9+/]{20,}=*|[A-Za-z0-9+/]+=+))+"
)


def _key_blocks(text: str) -> Iterator[Span]:
    for name, finder in (("BEGIN ", _pem_end), ("PuTTY-User-Key-File-", _putty_end)):
        place = text.find(name)
        while place != -1:
            start, end = finder(text, place)
            if end > start:
                yield Span(start, end, "private-key")
            place = text.find(name, max(end, place + len(name)))


def _putty_end(text: str, place: int) -> tuple[int, int]:
    matched = PUTTY.match(text, place)
    return (place, matched.end()) if matched is not None else (place, place)


def _pem_end(text: str, place: int) -> tuple[int, int]:
    """Gives where the private key around `BEGIN ` starts and ends; equal when there is none."""
    start = _run_start(text, place, "- ")
    start += len(text[start:place]) - len(text[start:place].lstrip(" "))
    head = BLOCK_START.match(text, start)
    if head is None:
        return place, place
    closing = text.find("----", head.end())
    tail = BLOCK_END.match(text, closing) if closing != -1 else None
    if tail is not None and _is_key_body(text[head.end() : closing]):
        return start, tail.end()
    lines = BLOCK_LINES.match(text, head.end())
    if lines is None or not _is_key_body(lines[0]):
        return place, place
    rest = BLOCK_REST.match(text, lines.end())
    return start, rest.end() if rest is not None else lines.end()


def _is_key_body(body: str) -> bool:
    runs = BASE64_RUN.finditer(body)
    return "[redacted" not in body and any(looks_drawn(run[0]) for run in runs)
