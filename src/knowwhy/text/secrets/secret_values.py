"""Whether a name promises a secret, and whether a value given to it keeps that promise."""

import base64
import binascii
import re
from enum import IntEnum

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_shapes import (
    ALNUM_RUN,
    CLASS_NAME,
    CLASS_RUN,
    is_dummy,
    looks_drawn,
)

WORDS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
SHORTEST_PASSWORD = 5  # characters; shorter ones are foo, pw1 and the like
SHORTEST_WORD_PASSWORD = 6  # letters; below that a lone word is more often a type or a flag
SHORTEST_KEY = 8  # characters; the weakest keys that anyone issues
DRAWN_TOKEN = 10  # characters in one run from which a bare `token` is believed
LONG_LETTERS = 16  # letters in one case that are no single word
BASIC_PAIR = 8  # base64 characters; the shortest user:password worth hiding


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Promise(IntEnum):
    """What a name says about its value."""

    NOTHING = 0
    MAYBE = 1  # token, credentials: as often a word of a parser as a secret
    KEY = 2  # api_key, client_secret: something that a machine drew
    PASSWORD = 3  # may be any word
    PAIR = 4  # auth: base64 of user:password
    VENDOR = 5  # sentry_key: as often of a cache or a table, so that only the value tells


class Setting(IntEnum):
    """How a value stands beside its name, from vague to sure."""

    PROSE = 0  # the password is …, a call, a table
    LOOSE = 1  # name: value without quotes
    LINE = 2  # an environment line, an option
    QUOTED = 3


QUALIFIERS = _words(
    "prod production dev development staging stage test testing qa uat live main primary "
    "secondary backup old new current previous value plain plaintext raw base b64 base64 fallback "
    "env default rw ro us eu"
)
PASSWORD_WORDS = ("password", "passwd", "passphrase", "passwort", "passcode", "pwd", "pswd")
SHORT_PASSWORD_WORDS = _words(
    "pass pw pswd psw dbpass userpass rootpass adminpass smtppass mypass ftppass"
)
KEYED_BY = _words(
    "api access secret private account auth signing encryption decryption master shared app "
    "application deploy deployment service subscription functions function host storage admin "
    "write read consumer client license webhook hmac jwt cookie session security "
    "integration ingestion sdk"
)
GLUED_KEYS = ("apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authkey", "appkey")
# What keeps data under keys, and keys that everybody may read.
_KEEPERS = """
redis valkey memcached kafka dynamo dynamodb postgres postgresql mysql mongo mongodb cassandra etcd
consul json yaml primary foreign public cache partition sort object idempotency row map dict the
each this that every our your any another same jira hash index config translation group lookup s3
bucket unique composite natural surrogate dedup event message session user order host pub
publishable site gpg pgp ssh kms dedupe routing shard state store query react element widget theme
lang locale i18n registry feature flag metric trace span job task lock rate limit fingerprint file
path blob image asset content etag build artifact layer digest checksum commit
"""
KEEPERS = _words(_KEEPERS)
CURSORS = frozenset({"next", "page", "continuation", "sync", "cursor", "resume"})
PARSED_TOKENS = _words(
    "start end eos bos pad unk cls sep mask special first last prev "
    "stop csrf open close left right op operator string name number this each word "
    "lookahead"
)


def promise_of(name: str) -> Promise:
    """Says what the end of a name promises: token_count is a count, DB_PASSWORD a password."""
    words = [word.lower() for word in WORDS.findall(name)]
    while len(words) > 1 and (words[-1] in QUALIFIERS or words[-1].isdigit()):
        words.pop()
    if not words:
        return Promise.NOTHING
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last.endswith(PASSWORD_WORDS) or last in SHORT_PASSWORD_WORDS:
        return Promise.PASSWORD
    if last.endswith(GLUED_KEYS) or (last == "key" and before in KEYED_BY):
        return Promise.KEY
    if last == "key" and before and before not in KEEPERS:
        return Promise.VENDOR
    if last.endswith("secret") or last in ("passwords", "secrets"):
        return Promise.KEY
    if last.endswith("token"):
        if before in CURSORS:
            return Promise.NOTHING
        return Promise.MAYBE if before in PARSED_TOKENS or name == last else Promise.KEY
    if last == "auth" and before in ("", "http", "registry", "docker", "npm"):
        return Promise.PAIR
    return Promise.MAYBE if last in ("credential", "credentials", "creds") else Promise.NOTHING


KINDS = (
    ("awssecret", "aws-secret-key"),
    ("accountkey", "azure-storage-key"),
    ("sharedaccess", "azure-storage-key"),
    ("privatekey", "private-key"),
    ("key", "api-key"),
    ("token", "token"),
    ("secret", "secret"),
)


def kind_of(name: str, promise: Promise) -> str:
    """Names the kind of secret that a name promises."""
    if promise is Promise.PASSWORD:
        return "password"
    if promise is Promise.PAIR:
        return "basic-auth"
    letters = re.sub(r"[^a-z]", "", name.lower())
    return next((kind for part, kind in KINDS if part in letters), "secret")


def is_secret(value: str, promise: Promise, setting: Setting) -> bool:
    """Whether a value that stands in this setting beside such a name is a secret."""
    if not value or is_stand_in(value) or _is_reference(value):
        return False
    if promise is Promise.PAIR:
        return is_basic_pair(value)
    if any(character.isspace() for character in value):
        return setting is Setting.QUOTED and _is_secret_of_words(value, promise)
    if promise is Promise.VENDOR:
        return is_vendor_key(value)
    if promise is Promise.PASSWORD:
        return _is_password(value, setting)
    if promise is Promise.KEY:
        return _is_key(value, setting)
    return promise is Promise.MAYBE and _is_drawn(value, setting)


def _is_secret_of_words(value: str, promise: Promise) -> bool:
    """Whether what has blanks is a passphrase, or a token of which each part was drawn by lot."""
    if promise is Promise.PASSWORD and is_phrase(value):
        return True
    parts = value.split()
    if promise is Promise.PAIR or len(parts) > MOST_PARTS:
        return False
    return any(map(is_part_of_token, parts)) and not any(map(str.isalpha, parts[1:]))


def is_part_of_token(part: str) -> bool:
    """Whether a part of what has blanks was drawn by lot."""
    return looks_drawn(part) or (HEX.fullmatch(part) is not None and len(part) >= HALF_TOKEN)


HALF_TOKEN = 16  # digits
MOST_PARTS = 4  # of a token with blanks; a scheme, and what copying has broken
SHORTEST_VENDOR_KEY = 16  # characters of a key that only a vendor's name calls secret
SHORTEST_HEX = 32  # digits; shorter ones are commits and colours
HEX = regex(r"[0-9a-fA-F]+")


def is_vendor_key(value: str) -> bool:
    """Whether a value is a key by itself, where its name says too little."""
    if len(value) < SHORTEST_VENDOR_KEY or is_stand_in(value):
        return False
    if HEX.fullmatch(value):
        return len(value) >= SHORTEST_HEX
    return looks_drawn(value, SHORTEST_VENDOR_KEY) and is_secret(value, Promise.KEY, Setting.PROSE)


def _is_password(value: str, setting: Setting) -> bool:
    if setting is Setting.PROSE:
        return len(value) >= SHORTEST_KEY and _is_mixed(value) and not _is_numbered_word(value)
    if _is_mixed(value) or (value.isdigit() and setting >= Setting.LINE):
        return len(value) >= SHORTEST_PASSWORD
    if looks_drawn(value, SHORTEST_KEY):
        return True  # letters of both cases, mixed as in no word
    if setting is Setting.LOOSE or len(value) < SHORTEST_WORD_PASSWORD:
        return False
    return not DESCRIBED.fullmatch(value) and not CLASS_NAME.fullmatch(value)


def _is_key(value: str, setting: Setting) -> bool:
    if len(value) < SHORTEST_KEY or DESCRIBED.fullmatch(value):
        return False
    if setting is Setting.PROSE:
        return _is_drawn(value, setting)
    if _has_digit_and_letter(value):
        return setting >= Setting.LINE or not _is_numbered_word(value)
    if setting is Setting.LINE:
        return value.isalpha() or looks_drawn(value)
    return looks_drawn(value) or (value.isalpha() and value.islower() and len(value) > LONG_LETTERS)


def _is_drawn(value: str, setting: Setting) -> bool:
    return looks_drawn(value, DRAWN_TOKEN) or (
        setting >= Setting.LINE
        and len(value) >= SHORTEST_KEY
        and any(len(CLASS_RUN.findall(run)) > len(run) / 2 for run in ALNUM_RUN.findall(value))
        and _has_digit_and_letter(value)
    )


NUMBERED_WORD = regex(
    r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?\d{0,2}(?:[-_./]\d+)*|[A-Za-z]?\d+(?:[-./:]\d+)+\w{0,4}"
)
SYMBOLS = frozenset("!@#$%^&*+?~=|§€£")


def _is_mixed(value: str) -> bool:
    letter = any(character.isalpha() for character in value)
    digit = any(character.isdigit() for character in value)
    symbol = any(character in SYMBOLS for character in value)
    return digit + letter + symbol >= 2


def _has_digit_and_letter(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_numbered_word(value: str) -> bool:
    """step-2, ADR-12, sha256, v1.2.3: words and versions rather than something drawn."""
    return NUMBERED_WORD.fullmatch(value[:100]) is not None or value.lower() in DIGESTS


DIGESTS = _words("sha256 sha512 sha384 sha224 base64 argon2id pbkdf2 md5crypt aes-256-gcm")

SCRAMBLED = regex(r"[\w!$%^&*@+~?#-]+", re.ASCII)
# What names have too: a code point, a commit, Wav2Vec2, and the digits of algorithms and systems.
TECHNICAL = regex(
    r"(?i)\A(?:0x|u\+?)?[\da-f]+\Z|(?-i:\A(?:[A-Z][a-z]+\d){2,}\Z)|sha-?\d|md[45]|hmac|pbkdf"
    r"|argon|[bs]crypt|base\d|utf|aes|rsa|25519|oauth|x509|otp|k8s|ipv\d|win(?:32|64)|http"
)
LONGEST_PIECE = 3  # letters of one case or one name: words and the parts of identifiers are longer
MEAN_PIECE = 2.6  # characters; drawn letters and digits have 2.2, Glm4MoeLite 2.8


def is_scrambled(value: str) -> bool:
    """Whether letters and digits mix as in no name, version or algorithm: Kx40 yes, OAuth2 no."""
    if SCRAMBLED.fullmatch(value) is None or TECHNICAL.search(value):
        return False
    run = max(ALNUM_RUN.findall(value), key=len, default="")
    if len(run) < SHORTEST_KEY or not _has_digit_and_letter(run) or run.upper() == run:
        return False
    pieces = WORDS.findall(run)
    if run.lower() == run:  # fewer classes, so that words and digits in turns are more often names
        return len(pieces) > SHORTEST_KEY / 2 and len(run) <= 2 * len(pieces)
    if len(pieces) >= 6:
        return len(run) <= MEAN_PIECE * len(pieces)
    return len(pieces) >= 4 and max(map(len, filter(str.isalpha, pieces))) <= LONGEST_PIECE


STAND_IN = regex(
    r"\[redacted|\$\{|\$\(|\{\{|%\(|%[sr]\b|\A\$[A-Za-z_]\w*\Z|\A%\w+%\Z|\A\{[^{}]*\}\Z|\A\[.*\]\Z"
    r"|\{[A-Za-z_][\w.\[\]()]*(?:![rsa])?\}|\A<|>\Z|\A@\w+@\Z|\A__\w+__\Z|#\{|\A-+\Z|\A!\w+|\A%[\w{]"
)
DESCRIBED = regex(
    r"(?i)(?:string|str|bytes|text|char|varchar|number|integer|int|bool|boolean|object|any|optional|"
    r"required|true|false|none|null|nil|undefined|empty|missing|invalid|wrong|correct|incorrect|"
    r"hidden|hashed|encrypted|plain|plaintext|input|field|header|cookie|query|body|basic|bearer|"
    r"digest|value|values|data|user|username|admin|test|testing|tests|example|default|unknown|same|"
    r"enabled|disabled|always|never|prompt|manual|auto|external|internal|local|remote|global|"
    r"config|configuration|settings|vault|keychain|keyring|environment|email|login|account|name|"
    r"reset|change|forgot|expired|strength|policy|hasher|validators?|unusable|foobar|barfoo)"
)


def is_stand_in(value: str) -> bool:
    """Whether a value only holds the place of a secret: <token>, ${TOKEN}, xxxx, changeme."""
    return STAND_IN.search(value) is not None or is_dummy(value)


PATH = regex(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@ ~+-]*(?:[/\\][\w.@ ~+-]*)*")
FILE = regex(r"[\w./ -]+\.(?:pem|key|json|ya?ml|txt|env|toml|ini|cfg|conf|py|html?|md|rst|js|ts)")
PUBLIC_ADDRESS = regex(r"0x[0-9a-fA-F]{40}")  # of an account or a contract; its key has 64 digits
DOTTED = regex(r"[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_]\w*)+(?:\[.*|\(.*)?")
SCHEMED = regex(
    r"(?i)[a-z][a-z0-9+.-]*://|(?:arn|urn|vault|ssm|op|ref|env|file|secretref|enc|sops|cipher|"
    r"sha\d+|md5|data|alias|projects|keychain|awssm|gcpsm)[:+/\[]|ENC\[|ssh-|ecdsa-|pbkdf2_|bcrypt_"
)


def _is_reference(value: str) -> bool:
    """Whether a value names where the secret is, or another variable, rather than giving it."""
    if SCHEMED.match(value) or FILE.fullmatch(value) or PUBLIC_ADDRESS.fullmatch(value):
        return True
    if PATH.fullmatch(value) or DOTTED.fullmatch(value):
        return not looks_drawn(value)
    return _names_a_secret(value)


def _names_a_secret(value: str) -> bool:
    """`db_password`, `csrfmiddlewaretoken`, `model-1_api-key:ref`: a name of a secret as value."""
    if len(value) > LONGEST_NAME or WORDED.fullmatch(value) is None:
        return False
    words = [word.lower() for word in WORDS.findall(value)]
    names = ("_".join(words[: end + 1]) for end in range(len(words)))
    return any(word in NAMING for word in words) or any(map(promise_of, names))


LONGEST_NAME = 60  # characters; a value beyond that names nothing
WORDED = regex(r"[-_]*[A-Za-z]+(?:[-_.:/ ]+(?:[A-Za-z]+|\d{1,2}))*[-_]*\d?")
NAMING = _words("password passwd pwd secret secrets token tokens credential credentials")
SENTENCE_WORDS = _words(
    "a an and the your you this that is are be to of for in on with or not no must can will should "
    "if it please enter type confirm choose leave forgot repeat again new old at by from as when "
    "has have was were per only keep using use used same one any all user username login"
)
PHRASE_WORDS = 3  # the shortest passphrase that is told from two words of a label


def is_phrase(value: str, least: int = PHRASE_WORDS) -> bool:
    """Whether words are a passphrase rather than a sentence about one."""
    words = re.findall(r"[\w'-]+", value.lower())
    if len(words) < least or value.rstrip()[-1:] in (".", ":", "?", ","):
        return False
    return not any(word in SENTENCE_WORDS or word in NAMING for word in words)


ABOUT_PHRASES = _words(
    "minimum maximum characters letters digits symbols words long short longer shorter least "
    "required rotated invalid incorrect expired wrong stored hashed"
)


def is_told_phrase(words: str) -> bool:
    """Whether quoted words of a sentence are a passphrase rather than a rule about one."""
    if " " not in words or ABOUT_PHRASES & set(words.lower().split()):
        return False
    return is_phrase(words) and is_secret(words, Promise.PASSWORD, Setting.QUOTED)


def is_basic_pair(value: str) -> bool:
    """Whether a value is base64 of user:password."""
    if len(value) < BASIC_PAIR:
        return False
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in decoded and decoded.isprintable()
