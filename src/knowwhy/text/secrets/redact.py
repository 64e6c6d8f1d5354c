"""Secrets taken out of a text before it is kept, and everything else left as it is."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from knowwhy.text.patterns import regex
from knowwhy.text.secrets.secret_assignments import assigned_secrets
from knowwhy.text.secrets.secret_before_name import forenamed_secrets
from knowwhy.text.secrets.secret_beside_name import neighbouring_secrets
from knowwhy.text.secrets.secret_places import placed_secrets
from knowwhy.text.secrets.secret_repeats import Told, learn, learn_name, repeated_secrets
from knowwhy.text.secrets.secret_seeds import seeds
from knowwhy.text.secrets.secret_sentences import told_secrets
from knowwhy.text.secrets.secret_shapes import Source, Span, shaped_secrets
from knowwhy.text.secrets.secret_values import (
    Promise,
    Setting,
    is_secret,
    is_stand_in,
    kind_of,
    promise_of,
)

MARK = regex(r"\[redacted: [a-z0-9-]+\]")
MOST_ROUNDS = 8  # passes; one nearly always does, the next only proves that nothing is left
GENERIC_KINDS = frozenset({"api-key", "password", "secret", "token"})
HEADER_NAMES = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})


def redact(text: str, told: Told | None = None) -> str:
    """Replaces each secret by `[redacted: <kind>]` and leaves every other character alone.

    What is told a secret in one place is one in every other; `told` takes it to further texts of
    the same document.
    """
    told = Told() if told is None else told
    for _ in range(MOST_ROUNDS):
        spans = _secret_spans(text, told)
        if not spans:
            return text
        text = _without(text, spans)
    return text


def redact_json(value: Any) -> Any:
    """Redacts the strings of a JSON value, and whole what its keys call a secret.

    The strings are of one document: a secret that one of them tells goes from all.
    """
    told = Told()
    _note_names(value, told)
    value = _walked(value, lambda name, text: _redact_value(name, text, told), told)
    for _ in range(MOST_ROUNDS):
        known = len(told.secrets)
        if known:
            value = _walked(value, lambda _, text: _without_repeats(text, told), told)
        if len(told.secrets) == known:
            break
    return value


def _note_names(value: Any, told: Told) -> None:
    """Notes which strings of a JSON value its keys call a user, a database and the like."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, dict):
            named = item.get("name", item.get("key"))
            for key, part in item.items():
                name = named if key == "value" else key
                if isinstance(part, str) and isinstance(name, str):
                    learn_name(told, name, part)
                waiting.append(part)


def _walked(value: Any, change: Callable[[str, str], str], told: Told) -> Any:
    """Gives a JSON value with each string changed, which the change is told with its name."""
    holder: list[Any] = [None]
    waiting: list[tuple[Any, Any, str, Any]] = [(holder, 0, "", value)]
    while waiting:  # a loop: json.loads nests deeper than Python recurses
        into, at, name, item = waiting.pop()
        if isinstance(item, str):
            into[at] = change(name, item)
        elif isinstance(item, dict):
            into[at] = fresh = dict[Any, Any]()
            waiting.extend((fresh, *entry) for entry in _entries(item, fresh, told))
        elif isinstance(item, list):
            into[at] = listed = [None] * len(item)
            waiting.extend((listed, place, name, part) for place, part in enumerate(item))
        else:
            into[at] = item
    return holder[0]


def _without_repeats(text: str, told: Told) -> str:
    is_repeated = next(repeated_secrets(text, told), None) is not None
    return redact(text, told) if is_repeated else text


def _secret_spans(text: str, told: Told) -> list[Span]:
    """Gives the secrets in order, overlapping ones joined, outside what is redacted already."""
    readers = (
        shaped_secrets,
        assigned_secrets,
        placed_secrets,
        told_secrets,
        forenamed_secrets,
        neighbouring_secrets,
        seeds,
    )
    found = {span for read in readers for span in read(text)}
    if not found and not told.secrets:
        return []
    marks = [mark.span() for mark in MARK.finditer(text)]
    for span in _joined(_outside(sorted(found), marks)):
        learn(told, text[span.start : span.end], span.kind, span.source)
    found.update(repeated_secrets(text, told))
    return _joined(_outside(sorted(found), marks))


def _joined(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and span.start < joined[-1].end:
            joined[-1] = _join(joined[-1], span)
        else:
            joined.append(span)
    return joined


def _outside(spans: list[Span], marks: list[tuple[int, int]]) -> Iterator[Span]:
    starts = [start for start, _ in marks]
    for span in spans:
        before = bisect_left(starts, span.end) - 1
        if before < 0 or marks[before][1] <= span.start:
            yield span


def _join(one: Span, other: Span) -> Span:
    kind = other.kind if one.kind in GENERIC_KINDS else one.kind
    return Span(one.start, max(one.end, other.end), kind, max(one.source, other.source))


def _without(text: str, spans: list[Span]) -> str:
    parts, place = [], 0
    for span in spans:
        parts += [text[place : span.start], f"[redacted: {span.kind}]"]
        place = span.end
    return "".join((*parts, text[place:]))


def _entries(
    item: dict[Any, Any], fresh: dict[Any, Any], told: Told
) -> Iterator[tuple[Any, str, Any]]:
    """Gives the entries of a dict under redacted keys that stay distinct, with what names each."""
    named = item.get("name", item.get("key"))
    is_manifest = item.get("kind") == "Secret"
    for key, part in item.items():
        kept = redact(key, told) if isinstance(key, str) else key
        while kept in fresh:
            kept = f"{kept} {len(fresh)}"
        fresh[kept] = None
        name = _name_in(named if key == "value" else key)
        if is_manifest and name in ("data", "stringData") and isinstance(part, dict):
            part = {entry: _sealed(value, told) for entry, value in part.items()}
        yield kept, name, part


def _name_in(key: Any) -> str:
    """Gives what a key says once it is redacted itself, so that a mark in it promises nothing."""
    return MARK.sub("redacted", redact(key)) if isinstance(key, str) else ""


def _sealed(value: Any, told: Told) -> Any:
    if isinstance(value, str) and value and not is_stand_in(value):
        learn(told, value, "kubernetes-secret", Source.GIVEN)
        return "[redacted: kubernetes-secret]"
    return value


def _redact_value(name: str, value: str, told: Told) -> str:
    if name.lower() in HEADER_NAMES:
        lead = f"{name}: "
        return redact(lead + value, told).removeprefix(lead)
    promise = promise_of(name)
    if promise is not Promise.NOTHING and is_secret(value, promise, Setting.QUOTED):
        kind = kind_of(name, promise)
        learn(told, value, kind, Source.GIVEN)
        return f"[redacted: {kind}]"
    return redact(value, told)
