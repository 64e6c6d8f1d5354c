"""The secrets that show by their own form: vendor tokens, key blocks, passwords in URLs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import NamedTuple

from knowwhy.text.patterns import regex

PLACEHOLDER_DISTINCT = 3  # characters; a body of so few different ones is xxxx or 0000
SHORTEST_TOKEN = 16  # characters without a space; every shape below has more
RANDOM_RUN = 12  # characters of letters and digits without a break; words are shorter
CHANGES_WITH_DIGITS = 0.2  # of neighbours differ in class; drawn hex has 0.47, camelCase2 0.17
CHANGES_OF_CASE = 0.3  # the same without digits; drawn letters have 0.5, camelCase 0.25
FIRST_PART = 48  # characters of a token that have to look drawn; what follows may be a path
SHORTEST_BODY = 10  # letters and digits behind a vendor's prefix; below that words come near
MEAN_OF_BODY = 4.0  # letters or digits in a row; drawn ones have 1.4 to 2.5, words 5
MEAN_OF_RUN = 6.0  # the same where nothing parts the body, as it would part words
PEM_FIRST_LINE = 16  # base64 characters; a line of a key is 64, prose words are shorter

ALNUM_RUN = regex(r"[A-Za-z0-9]+")
CLASS_RUN = regex(r"[a-z]+|[A-Z]+|[0-9]+")
PIECE = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")  # a capital belongs to its word
CLASS_NAME = regex(r"(?:[A-Z][a-z]+){2,}|[a-z]+(?:[A-Z][a-z]+)+")
TOKEN_CHARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
ESCAPE_BEFORE = regex(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2})\Z")
BASE64_LEAD = 32  # characters before a token that make it a piece of base64
IN_BASE64 = regex(rf"[A-Za-z0-9+/]{{{BASE64_LEAD}}}\Z")
ESCAPE_WIDTH = 6  # characters of the longest escape, \u0000


class Source(IntEnum):
    """How surely a place tells that its value is a secret, and so one elsewhere too."""

    GUESSED = 0  # behind the verb "pass", which has many other objects
    SAID = 1  # in a sentence, or by its form
    GIVEN = 2  # to a name, an option, a user


class Span(NamedTuple):
    """A secret in a text, from start up to end."""

    start: int
    end: int
    kind: str
    source: Source = Source.SAID


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
    _shape("aws-access-key", "AKIA ASIA ABIA ACCA A3T",
           r"(?:A[KSBC][IC]A|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws-session-token", "FwoGZXIvYXdz IQoJb3JpZ2lu",
           r"(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9+/]{40,}=*"),
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
    _shape("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe-",
           r"xox[abeprs]-(?:\d{8,}-){2,3}[A-Za-z0-9-]{20,}|xoxb-\d{8,}-\d{8,}[\w-]*"),
    _shape("slack-token", "xoxo- xoxs-", r"xox[os]-\d+-\d+-\d+-[0-9a-fA-F]{6,}"),
    _shape("slack-token", "xapp-", r"xapp-\d-[A-Z0-9]{6,}-\d{9,}-[0-9a-f]{32,}"),
    _shape("shop-token", "shpat_ shpss_ shpca_ shppa_",
           r"shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}(?!\w)"),
    _shape("monitoring-key", "NRAK-", r"NRAK-[A-Z0-9]{27}(?!\w)"),
    _shape("slack-webhook", "hooks.slack.com/",
           r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{16,})"),
    _shape("discord-webhook", "/api/webhooks/", r"/api/webhooks/\d{6,}/([\w-]{20,})"),
    _shape("teams-webhook", "webhook.office.com/", r"webhook\.office\.com/([\w/@-]{30,})"),
    _shape("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_",
           r"(?:[sr]k_(?:live|test|prod)|whsec)_[A-Za-z0-9+/]{10,}=*"),
    _prefixed("anthropic-key", "sk-ant-"),
    _prefixed("openai-key", "sk-", 20),
    _prefixed("model-api-key", "gsk_ xai- pplx- r8_ lsv2_ nvapi- tvly- jina_ csk-", 24),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}", random=True),
    _prefixed("pypi-token", "pypi-", 50),
    # All begin with the same base64 of a version and the name of the index.
    _shape("pypi-token", "pypi-AgE", r"pypi-AgE[\w-]{32,}"),
    _shape("huggingface-token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,}(?!\w)",
           random=True),
    _shape("sendgrid-key", "SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    _shape("sendgrid-key", "SG.", r"SG\.[\w=.-]{66}", random=True),
    _shape("twilio-key", "SK", r"SK[0-9a-fA-F]{32}(?![A-Za-z0-9])"),
    _shape("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _prefixed("mail-key", "xkeysib- xsmtpsib-", 22),
    _prefixed("monitoring-key", "NRAK- NRRA- NRII- NRSP- glsa_ glc_ sntrys_ sntryu_ dt0c01.", 20),
    _prefixed("shop-token", "shpat_ shpss_ shpca_ shppa_ sq0atp- sq0csp- EAAA", 20),
    _prefixed("cloud-token", "dop_v1_ doo_v1_ dor_v1_ pscale_tkn_ pscale_pw_ sbp_ HRKU- fo1_ fm2_ "
              "vercel_ nfp_ tskey- sgp_ dapi scw- LTAI rnd_", 16),
    _prefixed("payment-key", "duffel_test_ duffel_live_ shippo_test_ shippo_live_ FLWSECK_TEST- "
              "FLWSECK-", 12),
    _shape("payment-key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}(?!\w)"),
    _shape("password-manager-key", "A3-",
           r"A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}(?!\w)"),
    # Base64 with its plus and slash, which end other tokens.
    _shape("vault-token", "ops_eyJ", r"ops_eyJ[\w+/-]{60,}=*"),
    _shape("monitoring-key", "glc_ sntrys_", r"(?:glc|sntrys)_[\w+/=-]{32,}", random=True),
    _shape("monitoring-key", "eyJrIjoi", r"eyJrIjoi[\w+/-]{40,}=*"),
    _shape("cloud-token", "fm1a_ fm1r_ fm2_", r"fm(?:1[ar]|2)_[\w+/-]{40,}=*", random=True),
    _shape("cloud-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}", random=True),
    _shape("cloud-token", "sha256~", r"sha256~[\w-]{43}(?![\w-])"),
    _shape("cloud-token", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    _shape("cloud-token", "4b1d", r"4b1d[A-Za-z0-9]{38}(?!\w)", random=True),
    _shape("cloud-token", "API-", r"API-[A-Z0-9]{26}(?!\w)", random=True),
    _shape("cloud-token", "pat. sat.",
           r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}(?!\w)"),
    _shape("cloud-token", ".acc_ .acc-", r"\w{7,40}\.[A-Za-z0-9]{4,6}\.acc[_-][\w-]{10,32}\."
           r"[\w+/=-]{30,120}", behind=TOKEN_CHARS + "."),
    _shape("registry-token", "cmVmd", r"cmVmd[A-Za-z0-9]{59}(?!\w)"),
    _shape("jenkins-secret", "{AQAAABAAAA", r"\{AQAAABAAAA[A-Za-z0-9+/]{20,}=*\}"),
    _prefixed("vault-token", "hvs. hvb. hvr. dp.pt. dp.st. dp.ct. pul- ops_eyJ "
              "AGE-SECRET-KEY-1", 16),
    _prefixed("registry-token", "dckr_pat_ dckr_oat_ rubygems_ CLOJARS_ AKCp", 24),
    _prefixed("workspace-token", "lin_api_ lin_oauth_ ntn_ secret_ figd_ PMAK- ATATT3 ATCTT3 ATBB "
              "phc_ phx_ pat- sqp_ squ_ sqa_ tfp_ rdme_ aio_ pnu_ CFPAT- fio-u- tk-us- p8e- "
              "s-s4t2ud- s-s4t2af-", 24),
    _shape("terraform-token", ".atlasv1.",
           r"(?<![A-Za-z0-9])[A-Za-z0-9]{10,}+\.atlasv1\.[\w-]{30,}",
           behind=TOKEN_CHARS),
    _shape("jwt", "eyJ",
           r"eyJ[\w-]{8,1000}\.(?:eyJ[\w-]{4,}(?:\.[\w-]*)?|(?:[\w-]*\.){2,3}[\w-]{10,})"),
    _shape("jwt", "eyA ewo ey",
           r"e[yw][\w-]{15,1000}\.e[yw][\w/+-]{15,}\.[\w/+-]{10,}", random=True),
    _shape("map-token", "sk.eyJ", r"sk\.eyJ[\w-]{20,}\.[\w-]{16,}"),
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
    Found("vault-token", regex(r"(?<![\w.])s\.[A-Za-z0-9]{24}(?![\w(])"), "",
          regex(r"s\.[A-Za-z0-9]{24}")),
    Found("facebook-token", regex(r"\|[\w-]{24,40}(?![\w|-])"), "0123456789",
          regex(r"\d{15,16}\|[\w-]{24,40}")),
    Found("mailgun-key", regex(r"-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])"), "0123456789abcdef",
          regex(r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}")),
)  # fmt: skip

DUMMY = regex(
    r"(?i)example|placeholder|redacted|dummy|change[-_ ]?me|x{4,}|\*{3}|\.\.\.|…"
    r"|(?:\A|[^a-z])your(?=[^a-z]|\Z|api|key|secret|token|pass)"
)


@cache
def vendor_shapes() -> tuple[Shape, ...]:
    """Reads the forms that vendors give to their tokens from the data of a public rule set."""
    data = files(__package__).joinpath("vendor_shapes.json").read_text("utf-8")
    return tuple(
        Shape(VENDORS, tuple(one["leads"]), regex(one["pattern"] + end), random=end == TO_ITS_END)
        for one in json.loads(data)["shapes"]
        for end in (TO_ITS_END, *([NO_LONGER] if one["exact"] else []))
    )


VENDORS = "vendor-token"
NO_LONGER = r"(?![\w-])"  # a length that only the token has needs no look at what was drawn
TO_ITS_END = r"(?:(?<=\w)\w[\w-]*+)?={0,2}"  # of a token that has become longer since


def shaped_secrets(text: str) -> Iterator[Span]:
    """Yields the secrets that show by their own form."""
    long_words = "\n".join([word for word in text.split() if len(word) >= SHORTEST_TOKEN])
    for shape in chain(SHAPES, vendor_shapes()):
        for anchor in shape.anchors:
            if anchor in long_words:  # a look into few letters spares one into all
                yield from _anchored(text, shape, anchor)
    for found in SOUGHT:
        yield from _sought(text, found)
    yield from _labelled(text)
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
    if is_dummy(secret):
        return False
    return not shape.random or looks_drawn(secret[:FIRST_PART]) or _is_body(shape, secret)


def _is_body(shape: Shape, secret: str) -> bool:
    """Whether what follows a prefix was drawn, also where dashes part it into short pieces."""
    lead = max((a for a in shape.anchors if secret.startswith(a)), key=len, default="")
    body = secret[len(lead) : len(lead) + FIRST_PART]
    letters = "".join(ALNUM_RUN.findall(body))
    if len(letters) < SHORTEST_BODY:
        return False
    mean = len(letters) / len(PIECE.findall(letters))
    if letters.isdigit():
        return False
    if letters == body.strip("=-_"):  # no word of so many letters
        return mean <= MEAN_OF_RUN or body.isupper()
    return mean <= MEAN_OF_BODY


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


# A token of a vendor that nobody has listed: words, then what was drawn, in one word.
LABELLED = regex(r"[_-](?P<body>[A-Za-z0-9]{16,512})(?![A-Za-z0-9]|\.[a-z]{1,5}\b)")
LABEL = regex(r"[A-Za-z][A-Za-z0-9]{0,15}(?:[_-][A-Za-z0-9]{1,12}){0,3}")
LABEL_TAIL = regex(r"(?:[_-][A-Za-z0-9]+)*")
TELLING = frozenset(
    ("live", "test", "prod", "sandbox", "pat", "aat", "sat", "token", "tkn", "secret", "sk", "rk")
)
DIGEST = regex(r"(?i)sha-?\d*|md5|blake\w*|hash|digest|checksum|integrity|commit|rev|etag|build")
LONGEST_LABEL = 64  # characters; what is longer is the name of a file or of a resource
UNLABELLED_BODY = 24  # letters and digits, of both cases, where no label tells what they are
HEX_BODY = 32  # digits; shorter ones are commits and ids
MEAN_OF_MIXED = 3.0  # letters or digits in a row, of both cases and digits; drawn ones have 1.5


def _labelled(text: str) -> Iterator[Span]:
    """Yields the words that begin as a name does and end as only a token does."""
    for found in LABELLED.finditer(text):
        start = _run_start(text, found.start(), TOKEN_CHARS)
        start += text[start - 1 : start + 1] in (r"\n", r"\r", r"\t")
        lead = text[start : found.start()]
        if text[start - 1 : start] in (".", "/", "@", "#", "+") and start > 0:
            continue
        if LABEL.fullmatch(lead) is None or len(lead) > LONGEST_LABEL:
            continue
        labels = re.split(r"[_-]", lead.lower())
        if _is_labelled(found["body"], labels) and not is_dummy(found["body"]):
            end = LABEL_TAIL.match(text, found.end()).end()  # type: ignore[union-attr]
            yield Span(start, end, VENDORS)


def _is_labelled(body: str, labels: list[str]) -> bool:
    if any(map(DIGEST.fullmatch, labels)):
        return False
    is_told = not TELLING.isdisjoint(labels)
    if HEX_RUN.fullmatch(body):
        return is_told and len(body) >= HEX_BODY and looks_drawn(body)
    kinds = (str.isupper, str.islower, str.isdigit)
    if not is_told and (len(body) < UNLABELLED_BODY or not all(any(map(k, body)) for k in kinds)):
        return False
    return looks_drawn(body) and len(body) <= MEAN_OF_MIXED * len(PIECE.findall(body))


HEX_RUN = regex(r"[0-9a-f]+|[0-9A-F]+")
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
            yield Span(*matched.span(1), "password", Source.GIVEN)
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
                yield Span(*matched.span(1), "password", Source.GIVEN)
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
