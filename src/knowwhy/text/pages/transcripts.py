"""Reads what was said from captions (WebVTT, SRT) and from written transcripts."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import pairwise

from knowwhy.errors import BadInput
from knowwhy.text.patterns import regex

MAX_CUES = 100_000  # cues of one file; a whole day of captions has some 30,000
MAX_SPEAKER = 60  # characters of a speaker's name
MAX_SPEAKER_WORDS = 5  # words; more are the beginning of a sentence
MAX_CUE_LINES = 40  # lines of one cue; captions have two
TURN_CHARS = 600  # characters after which a long turn is continued in a new paragraph
TURN_LIMIT = 850  # characters at which it is, even within a sentence; passages hold 900
JOINED = 0.5  # seconds between two cues that show the same words in turn
FEWEST_TURNS = 3  # turns without times that make a transcript
FEWEST_TIMED = 2  # turns with times that do
FEWEST_RECURRING = 2  # turns of one speaker without which `Name:` lines are fields of minutes
TURN_SHARE = 0.5  # of the paragraphs of a transcript that begin with a speaker
MAX_TURNS = 100_000  # turns of one transcript; a day of quick talk has some 20,000
MAX_START = 300  # characters in which a line says who speaks
NOON = 12 * 3600  # seconds
EARLIEST_HOUR = 5  # a first 10:02 is a time of the day, a first 0:03 is one of the recording

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,3})?)?(?:\s?(?i:[ap]\.?m)\b\.?)?"
_STAMP = r"(?:\d{1,4}:)?\d{1,2}:\d{1,2}(?:[.,]\d{1,7})?"  # Teams pads none: 0:0:4.5
_TIMING = regex(rf"\s{{0,9}}({_STAMP})[ \t]*-->[ \t]*({_STAMP})(?:[ \t].*)?$")
_SKIPPED_BLOCK = regex(r"(?:NOTE|STYLE|REGION)(?:\s|$)")
_VOICE = regex(r"<v(?:\.[\w.-]{1,60})?[ \t]+([^<>\n]{1,100})>", re.I)
_TAG = regex(r"</?[A-Za-z][^<>\n]{0,100}>|<[\d:.]{4,16}>|\{\\an?\d\}")
_SAID = regex(r"(?:>>|[-–])?[ \t]*([^\s:<>][^:<>\n]{0,59}):[ \t]+(\S.*)$", re.S)
_SPEAKER_LINE = regex(
    r"[ \t]{0,3}(?:[-*>][ \t]{1,3})?(?:\*\*|__)?"
    rf"(?:[\[(]?(?P<before>{_CLOCK})[\])]?[ \t]{{0,4}}(?:[-–—|][ \t]{{0,4}})?(?:\*\*|__)?[ \t]*)?"
    r"(?:From[ \t]{1,3})?"
    r"(?:<(?P<nick>[^<>\s]{1,40})>[ \t]"
    rf"|(?P<name>[^\s:<>*|\[(][^:<>*|\[(\n]{{0,{MAX_SPEAKER - 1}}}?)(?:\*\*|__)?"
    rf"[ \t]{{0,6}}(?:\([^()\n]{{1,40}}\)[ \t]{{0,4}})?(?:[\[(]?(?P<after>{_CLOCK})[\])]?)?"
    r"[ \t]{0,4}(?:\*\*|__)?(?:(?P<colon>:)(?:\*\*|__)?(?=[ \t]|$)|(?=[ \t\r]*$)))"
)
_BARE_LINE = regex(
    rf"[ \t]{{0,3}}[\[(]?({_CLOCK})[\])]?[ \t]{{1,4}}"
    r"(?!From )([A-Z][\w'’-]{1,30} [A-Z][\w'’-]{1,30})[ \t]+(?=\S)"
)
_TO_WHOM = regex(r"(?<!\s)\s+to\s+(?:everyone|all panelists|hosts? and panelists)\s*$", re.I)
_NAME_WORD = regex(r"[^\W\d_][\w.'’\-‑]*\.?|\d{1,3}|@[\w.-]+|\(\w+\)")
_PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "da", "di", "du", "la", "le", "bin", "al")
)
_NO_SPEAKERS_WORDS = """
action actions agenda ai agreed apologies approved attendees background blockers chair conclusion
conclusions consequences context date decided decision decisions discussion due duration example
facilitator follow-up followup goal host http https impact info issue issues item items link links
location meeting minutes next note notes notetaker objective open organizer outcome outcomes owner
participants plan present problem proposal proposed purpose question questions reason recording
regrets resolution resolved result risk risks room rationale scribe scope status subject summary
time title tldr todo topic topics transcript update updates warning week when where who why
"""
_NO_SPEAKERS = frozenset(_NO_SPEAKERS_WORDS.split())
_SENTENCE_END = regex(r"[.!?…][\"'”’)]?$")


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that one person said, with its seconds from the start where they are known."""

    speaker: str | None
    text: str
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """A written transcript: its turns, its text with each a paragraph, and what nobody said."""

    turns: tuple[Turn, ...]
    text: str
    opening: str
    outside: str


def caption_format(text: str) -> str | None:
    """Says whether a text is WebVTT or SRT, else None."""
    opening = text[:2000].lstrip("\ufeff \t\r\n")
    if opening.startswith("WEBVTT"):
        return "vtt"
    lines = [line for line in opening.split("\n", 6)[:6] if line.strip()]
    return "srt" if any(_TIMING.match(line) for line in lines[:2]) else None


def caption_title(text: str) -> str:
    """Gives the title that stands in the first line of a WebVTT file."""
    first = text[:1000].lstrip("\ufeff \t\r\n").split("\n", 1)[0]
    return first.removeprefix("WEBVTT").strip(" \t\r-–—:") if first.startswith("WEBVTT") else ""


def read_captions(text: str) -> list[Turn]:
    """Reads WebVTT or SRT into turns: cues of one speaker joined, repeated lines left out."""
    cues: list[Turn] = []
    shown: list[str] = []
    until = 0.0
    for count, (start, end, lines) in enumerate(_cues(text)):
        if count >= MAX_CUES:
            raise BadInput(f"The captions have more than {MAX_CUES:,} cues; split them.")
        known = shown if start - until <= JOINED else []
        fresh = lines[_overlap(known, lines) :]
        shown, until = lines or shown, end
        cues += [replace(turn, start=start, end=end) for turn in _said(fresh)]
    return _joined(cues)


def _cues(text: str) -> Iterator[tuple[float, float, list[str]]]:
    """Yields each cue with its lines, skipping headers, comments, styles and cue ids."""
    timing: tuple[float, float] | None = None
    lines: list[str] = []
    skipping = False
    for line in text.lstrip("\ufeff").split("\n"):
        match = _TIMING.match(line) if "-->" in line and not skipping else None
        if match:
            if timing:  # without a blank line before it; the line above is its number
                yield *timing, lines[:-1] if lines[-1:] and lines[-1].isdigit() else lines
            timing, lines = (_seconds(match[1]), _seconds(match[2])), []
        elif not line.rstrip("\r"):
            if timing:
                yield *timing, lines
            timing, lines, skipping = None, [], False
        elif timing and line.strip() and len(lines) < MAX_CUE_LINES:
            lines.append(" ".join(line.split()))
        elif not timing and _SKIPPED_BLOCK.match(line):
            skipping = True
    if timing:
        yield *timing, lines


def _overlap(shown: Sequence[str], lines: Sequence[str]) -> int:
    """Counts the first lines that stood last in the cue before."""
    bare_shown = [_bare(line) for line in shown]
    bare = [_bare(line) for line in lines]
    for size in range(min(len(bare_shown), len(bare)), 0, -1):
        if bare_shown[-size:] == bare[:size]:
            return size
    return 0


def _bare(line: str) -> str:
    return " ".join(unescape(_TAG.sub("", line)).split())


def _said(lines: Sequence[str]) -> Iterator[Turn]:
    """Yields what each voice says in one cue."""
    text = "\n".join(lines)
    voices = _VOICE.split(text)
    if spoken := _bare(voices[0]):
        yield _named(spoken) if len(voices) == 1 else Turn(None, spoken)
    for name, words in zip(voices[1::2], voices[2::2], strict=True):
        if spoken := _bare(words):
            yield Turn(" ".join(unescape(name).split()), spoken)


def _named(spoken: str) -> Turn:
    match = _SAID.match(spoken)
    if match and is_speaker(match[1]):
        return Turn(match[1].strip(), match[2])
    return Turn(None, spoken.removeprefix(">>").strip())


def _joined(cues: Iterable[Turn]) -> list[Turn]:
    """Joins neighbouring cues of one speaker; a cue without a name belongs to the last one."""
    turns: list[Turn] = []
    pieces: list[str] = []
    size = 0

    def close() -> None:
        if turns and pieces:
            turns[-1] = replace(turns[-1], text=" ".join(pieces))

    for cue in cues:
        last = turns[-1] if turns else None
        speaker = cue.speaker or (last.speaker if last else None)
        if last and speaker == last.speaker and not _is_full(size, pieces[-1]):
            pieces.append(cue.text)
            turns[-1] = replace(last, end=cue.end)
        else:
            close()
            turns.append(replace(cue, speaker=speaker))
            pieces, size = [cue.text], 0
        size += len(cue.text) + 1
    close()
    return turns


def _is_full(size: int, last: str) -> bool:
    return size >= TURN_LIMIT or (size >= TURN_CHARS and bool(_SENTENCE_END.search(last)))


def written_out(turns: Sequence[Turn]) -> str:
    """Writes turns as a transcript, each a paragraph with its time and its speaker."""
    return "\n\n".join(
        " ".join(
            filter(
                None,
                (
                    f"[{clock(turn.start)}]" if turn.start is not None else "",
                    f"{turn.speaker}:" if turn.speaker else "",
                    turn.text,
                ),
            )
        )
        for turn in turns
    )


def clock(seconds: float) -> str:
    """Writes seconds as 00:01:02."""
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _seconds(stamp: str) -> float:
    total = 0.0
    for part in stamp.replace(",", ".").split(":"):
        total = total * 60 + float(part)
    return total


def read_transcript(text: str) -> Transcript | None:
    """Reads a written transcript into turns; None for a text that is something else."""
    lines = text.split("\n")
    starts = _starts(lines)
    if not starts:
        return None
    headings = {at for at, line in enumerate(lines) if line.startswith("#")}
    turns, outside = [], lines[: min(starts)]
    for at, end in pairwise(sorted({*starts, *headings, len(lines)})):
        if at in starts:
            speaker, start, rest = starts[at]
            words = " ".join(" ".join([rest, *lines[at + 1 : end]]).split())
            turns.append(Turn(speaker, words, start))
        elif at > min(starts):
            outside += lines[at:end]
    before = "\n".join(lines[: min(starts)])
    text = "\n".join(_apart(lines, starts))
    return Transcript(tuple(turns), text, before, "\n".join(outside))


Start = tuple[str, float | None, str]  # who speaks, from when, and what else is in the line


def _starts(lines: Sequence[str]) -> dict[int, Start]:
    """Finds the lines where somebody begins to speak, if the text is a transcript."""
    full_names = _recurring_names(lines)
    found: dict[int, Start] = {}
    for at, line in enumerate(lines):
        if start := _bare_line(line, full_names) or _speaker_line(line):
            found[at] = start
    timed = {at: start for at, start in found.items() if start[1] is not None}
    if 2 * len(timed) >= len(found):
        found = timed
    counts = Counter(speaker for speaker, _, _ in found.values())
    recurring = any(count >= FEWEST_RECURRING for count in counts.values())
    fewest = FEWEST_TIMED if found is timed else FEWEST_TURNS
    if len(found) < fewest or not (recurring or found is timed):
        return {}
    if len(found) > MAX_TURNS:
        raise BadInput(f"The transcript has more than {MAX_TURNS:,} turns; split it.")
    paragraphs = _paragraph_starts(lines, min(found))
    is_transcript = len(found) >= TURN_SHARE * len(paragraphs | set(found))
    return _on_one_clock(found) if is_transcript else {}


def _paragraph_starts(lines: Sequence[str], first: int) -> set[int]:
    return {
        at
        for at in range(first, len(lines))
        if lines[at].strip() and (at == first or not lines[at - 1].strip())
    }


def _recurring_names(lines: Sequence[str]) -> set[str]:
    """Finds the full names that follow a time on several lines: `10:02 Alice Smith I think …`."""
    names = Counter(match[2] for line in lines if (match := _BARE_LINE.match(line[:MAX_START])))
    return {name for name, count in names.items() if count >= FEWEST_RECURRING}


def _bare_line(line: str, names: Collection[str]) -> Start | None:
    match = _BARE_LINE.match(line[:MAX_START]) if names else None
    if not match or match[2] not in names:
        return None
    return match[2], _offset(match[1]), line[match.end() :].strip()


def _speaker_line(line: str) -> Start | None:
    match = _SPEAKER_LINE.match(line[:MAX_START]) if line[:1] != "#" else None
    if not match:
        return None
    speaker = _TO_WHOM.sub("", match["nick"] or match["name"]).strip(" \t*_-–—|,")
    at = match["before"] or match["after"]
    rest = line[match.end() :].strip()
    if not match["nick"] and not match["colon"] and (not at or rest):
        return None
    if not is_speaker(speaker, may_be_small=bool(at or match["nick"])):
        return None
    return speaker, _offset(at) if at else None, rest


def _offset(at: str) -> float:
    """Reads a time into seconds; one of two parts as minutes and seconds."""
    seconds = _seconds(re.sub(r"[^\d:.,]", "", at).strip(".,"))
    is_afternoon = "p" in at.lower() and seconds < (NOON if at.count(":") > 1 else NOON / 60)
    return seconds + is_afternoon * (NOON if at.count(":") > 1 else NOON / 60)


def _on_one_clock(found: dict[int, Start]) -> dict[int, Start]:
    """Takes times of two parts for hours and minutes when they begin late and rise in a day."""
    times = [start for _, start, _ in found.values() if start is not None]
    if not times or times[0] < EARLIEST_HOUR * 60 or max(times) >= 2 * NOON / 60:
        return found
    return {
        at: (speaker, None if start is None else start * 60, rest)
        for at, (speaker, start, rest) in found.items()
    }


def is_speaker(name: str, *, may_be_small: bool = False) -> bool:
    """Tells a name before a colon from a field, a heading or the beginning of a sentence."""
    words = name.strip().split()
    if not words or len(words) > MAX_SPEAKER_WORDS or len(name) > MAX_SPEAKER:
        return False
    if words[0].lower().strip("*_") in _NO_SPEAKERS or not all(map(_NAME_WORD.fullmatch, words)):
        return False
    return all(
        may_be_small or word[0].isupper() or not word[0].isalpha() or word in _PARTICLES
        for word in words
    ) and any(word[0].isalpha() or word[0] == "@" for word in words)


def _apart(lines: Sequence[str], starts: Iterable[int]) -> Iterator[str]:
    """Yields the lines with a blank one before each turn."""
    begins = set(starts)
    for at, line in enumerate(lines):
        if at in begins and at and lines[at - 1].strip():
            yield ""
        yield line
