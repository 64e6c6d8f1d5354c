"""What a record is called: the label its author gave it, and its title without that label."""

import re
from collections.abc import Mapping, Sequence

from knowwhy.text.pages.forms import bare
from knowwhy.text.pages.markdown import plain
from knowwhy.text.tokens import canonical_id, find_ids
from knowwhy.types import Json

DECISION_FOLDERS = frozenset(("decisions", "decision"))  # also what a program calls its parts
FAMILY = "ADR"  # the family of a decision that has only a number
FAMILIES = frozenset(("ADR", "RFC", "PEP", "KEP", "RFD", "JEP", "EIP"))  # known without a dash
FOLDER_FAMILIES = {  # what a bare number counts in a folder of that name
    **dict.fromkeys(("rfc", "rfcs", "request-for-comments", "requests-for-comments"), "RFC"),
    **{
        f"{name}{many}": name.upper()
        for name in ("kep", "pep", "rfd", "jep", "eip", "tep")
        for many in ("", "s")
    },
    **dict.fromkeys(("proposal", "proposals"), "PROPOSAL"),
    **dict.fromkeys(("enhancement", "enhancements", "enhancement-proposals"), "EP"),
    **dict.fromkeys(("design", "designs", "design-docs", "design-proposals"), "DESIGN"),
}
NAMED_ALONE = frozenset(("RFC", "KEP", "PEP", "RFD", "JEP", "EIP", "TEP"))  # nothing else is there
MIN_PADDED = 3  # digits; oep-0003 numbers a record, step-2 does not
MAX_FOLDER = 100  # characters of a folder's name that are looked at
FIRST_YEAR, LAST_YEAR = 1900, 2100  # "2024 - Plan" has a year in front, not a number

ID_NAMES = ("id", "adr id", "record id", "label", "identifier", "reference", "key")
NUMBER_NAMES = ("number", "adr number", "adr", "index", "no", "nr", "record", "decision")
OWN_NAMES = ("proposal", "enhancement", "design")  # `Proposal: SE-0040`, if the number is its own
_WHOLE_PATH = frozenset(("readme", "index", "adr", "decision", "rfc", "proposal", "kep"))

_COLLECTION = re.compile(  # what a folder of decisions is called, in lower case with dashes
    r"m?adrs?|adls?|adr-(?:logs?|records?)|(?:[a-z]{2,20}-){0,2}decisions?-(?:records?|logs?)"
    r"|(?:architectur(?:e|al)|design|technical|tech|engineering)-decisions?"
)
_DIGITS = re.compile(r"\s*#?(\d{1,6})\s*", re.A)
_NAMED_NUMBER = re.compile(r"([A-Za-z]{2,6})(?: (?:number|no|id))?")
_STEM = re.compile(
    r"(?P<family>(?:[A-Za-z]{2,10}[-_]){0,3}(?:[A-Za-z]{2,10}[-_]?)?)(?P<number>\d{1,6})"
    r"(?P<rest>(?=[-_. ]|$).*)",
    re.A | re.S,
)
_DATE_STEM = re.compile(r"(?:\d{4}[-_]\d{2}[-_]\d{2}|\d{8})(?!\d)[-_ ]*")
_WORDED = re.compile(
    r"(?:architectur\w{1,5} )?decision(?: record)?\s?[:#-]?\s?(\d{1,5})(?!\w|[.,]\d)", re.I | re.A
)
_NUMBERED = re.compile(
    r"#?(\d{1,5})(?:[.:)]\s{1,3}|\s{0,3}[–—|:]\s{1,3}|\s{1,3}-{1,2}\s{1,3}|[.:)]?$)", re.A
)
_PADDED = re.compile(r"(0\d{2,4})[ \t_-]{1,3}(?=\D)", re.A)
_LONG_ID = re.compile(  # ORG-ADR-MS-0004, which prose has no rule for
    r"(?:[A-Z][A-Z0-9]{1,9}-){3,4}\d{1,5}(?![\w.])", re.A
)
_SPACED = re.compile(r"([A-Z]{2,8})s? (?:#|no\.? ?)?(\d{1,6})(?!\w|[.,]\d)", re.A)  # SDD 0002
_ACRONYMS = re.compile(r"([A-Z]{2,8})s")  # a folder called SDDs
_JOINT = re.compile(r"[\s\])]{0,3}(?:[:.–—|-]{1,2}[\s]{0,3}|\s{1,3}|$)")
_CLEAR_JOINT = re.compile(r"[\s\])]{0,3}(?:[:.–—|]|-{1,2}\s|$)")


def label_of_path(path: str, family: str | None = None) -> str | None:
    """Read the label that a file's name carries: ADR-7 for 0007-use-redis.md.

    A bare number counts what its folder is called after: RFC-7 for rfcs/0007-use-redis.md.
    """
    stem = stem_of_path(path)
    match = None if _DATE_STEM.match(stem) else _STEM.match(stem)
    if not match:
        return None
    written, number = re.sub(r"[-_]+", "-", match["family"]).strip("-"), match["number"]
    if not written:
        family = family_of_folder(_folders(path)) or family
        is_dated = _is_year(number) and family not in NAMED_ALONE
        family = family or _acronym_of_folder(_folders(path)) or FAMILY
        return None if is_dated else f"{family}-{int(number)}"
    known = bool(FAMILIES & set(written.upper().split("-")))
    if not known and not written.isupper() and len(number) < MIN_PADDED:
        return None
    return f"{written.upper()}-{int(number)}" if known or canonical_id(f"{written}-1") else None


def title_of_path(path: str) -> str:
    """Make a readable title of a file's name, without its number or date."""
    stem = stem_of_path(path)
    match = _STEM.match(stem) if label_of_path(path) else None
    rest = match["rest"] if match else _DATE_STEM.sub("", stem, count=1)
    words = " ".join(re.split(r"[-_\s]+", rest.strip("-_. ") or stem)).strip()
    return words[:1].upper() + words[1:]


def label_of_fields(fields: Mapping[str, Json], otherwise: str | None = None) -> str | None:
    """Read the label that front matter or headers give: PEP-8 for `PEP: 8`.

    A field that only names a family is of the record itself unless that has another number: in
    ADR-9 the field `RFC: 12` points elsewhere.
    """
    by_name = {_folded(name): name for name in fields}
    for wanted in (*ID_NAMES, *NUMBER_NAMES):
        value = fields.get(by_name.get(wanted, ""))
        label = _label_of_value(value, wanted)
        if label:
            return label
    own = number_of(otherwise)
    for wanted in OWN_NAMES:
        label = _label_of_value(fields.get(by_name.get(wanted, "")), wanted)
        if own is not None and number_of(label) == own:
            return label
    pairs = filter(None, (_label_of_pair(n, v) for n, v in fields.items()))
    return next((label for label in pairs if own in (None, number_of(label))), otherwise)


def split_heading(heading: str, expected: int | None = None) -> tuple[str | None, str]:
    """Part a heading into its label and the title after it; an expected number needs no dot."""
    label, end = _leading_label(heading.lstrip("[("))
    spaced = _SPACED.match(heading.lstrip("[("))
    if spaced and int(spaced[2]) == expected and label in (None, f"{FAMILY}-{expected}"):
        label, end = f"{spaced[1]}-{expected}", spaced.end()
    bare = re.match(r"(\d{1,6})\s", heading, re.A)
    if not label and bare and int(bare[1]) == expected:
        label, end = f"{FAMILY}-{expected}", bare.end()
    if not label:
        return None, heading
    opened = len(heading) - len(heading.lstrip("[("))
    joint = _JOINT.match(heading, opened + end)
    title = heading[joint.end() if joint else opened + end :].strip()
    return label, title or heading


def number_of(label: str | None) -> int | None:
    """Give the number at the end of a label."""
    match = re.search(r"(\d{1,9})$", label or "", re.A)
    return int(match[1]) if match else None


def with_family(label: str | None, other: str | None) -> str | None:
    """Take the family that another name of the record gives for the same bare number."""
    is_bare = bool(label) and label == f"{FAMILY}-{number_of(label)}"
    return other if is_bare and other and number_of(other) == number_of(label) else label


def family_of_folder(folders: Sequence[str]) -> str | None:
    """Give the family of records that the nearest folder is called after: KEP for keps/sig-node."""
    for folder in reversed(folders):
        name = dashed(folder)
        if is_collection(name) or name in DECISION_FOLDERS:
            return FAMILY
        known = FOLDER_FAMILIES.get(name) or ("PROPOSAL" if name.startswith("proposals-") else None)
        if known:
            return known
    last = dashed(folders[0]).rpartition("-")[2] if folders else ""  # shop-rfcs
    return found if (found := FOLDER_FAMILIES.get(last)) in NAMED_ALONE else None


def _acronym_of_folder(folders: Sequence[str]) -> str | None:
    """Give the letters in which a folder names what it holds, which may be anything: SDDs."""
    named = (_ACRONYMS.fullmatch(folder[:MAX_FOLDER]) for folder in reversed(folders))
    return next((match[1] for match in named if match), None)


def is_collection(folder: str) -> bool:
    """Tell whether a folder's name says that it holds decisions: adr, architecture-decision-log."""
    return _COLLECTION.fullmatch(dashed(folder)) is not None


def dashed(folder: str) -> str:
    """Write a folder's name in lower case with dashes."""
    return re.sub(r"[_ ]", "-", folder[:MAX_FOLDER].lower())


def _leading_label(heading: str) -> tuple[str | None, int]:
    dashed = _LONG_ID.match(heading)
    if dashed:
        family, _, number = dashed[0].rpartition("-")
        return f"{family}-{int(number)}", dashed.end()
    for label, start, end in find_ids(heading[:80]):
        sure = label.split("-")[0] in FAMILIES or _CLEAR_JOINT.match(heading, end)
        return (label, end) if start == 0 and sure else (None, 0)
    worded = _WORDED.match(heading)
    if worded:
        return f"{FAMILY}-{int(worded[1])}", worded.end()
    numbered = _NUMBERED.match(heading) or _PADDED.match(heading)
    if numbered and not (_is_year(numbered[1]) and heading[numbered.end(1) :][:1] != "."):
        return f"{FAMILY}-{int(numbered[1])}", numbered.end()
    return None, 0


def _label_of_value(value: Json, name: str) -> str | None:
    if value is None or isinstance(value, (bool, dict, list)):
        return None
    written = plain(str(value)).strip()
    digits = _DIGITS.fullmatch(written)
    if digits:
        return f"{FAMILY}-{int(digits[1])}"
    known = canonical_id(written) or next((label for label, *_ in find_ids(written[:80])), None)
    return known or (written or None if name in ID_NAMES else None)


def _label_of_pair(name: str, value: Json) -> str | None:
    match = _NAMED_NUMBER.fullmatch(_folded(name))
    if not match or isinstance(value, (bool, dict, list)):
        return None
    digits = _DIGITS.fullmatch(str(value))
    family = match[1].upper()
    if digits and (name.isupper() or family in FAMILIES):
        return canonical_id(f"{family}-{digits[1]}")
    ids = [
        label for label, *_ in find_ids(plain(str(value))[:80]) if label.startswith(f"{family}-")
    ]
    return ids[0] if ids and name.isupper() else None


def _folders(path: str) -> tuple[str, ...]:
    """Give the folders above what a path is called after."""
    pure = bare(path.replace("\\", "/"))
    is_whole = pure.stem.lower() in _WHOLE_PATH and pure.parent.name
    return (pure.parent if is_whole else pure).parent.parts


def stem_of_path(path: str) -> str:
    """Give what a path is called after: its name, or its folder where the name says nothing."""
    pure = bare(path.replace("\\", "/"))
    stem = pure.name.removesuffix(pure.suffix) if pure.suffix[1:].isalpha() else pure.name
    return pure.parent.name if stem.lower() in _WHOLE_PATH and pure.parent.name else stem


def _is_year(number: str) -> bool:
    return len(number) == 4 and FIRST_YEAR <= int(number) <= LAST_YEAR


def _folded(name: str) -> str:
    return " ".join(re.sub(r"[^\w]|_", " ", name).lower().split())
