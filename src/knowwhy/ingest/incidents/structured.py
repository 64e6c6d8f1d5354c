"""Loads YAML and JSON, and writes their fields as readable markdown."""

from collections.abc import Mapping

from knowwhy.errors import BadInput
from knowwhy.ingest.incidents.entries import as_text, label
from knowwhy.text.formats.fields import read
from knowwhy.types import Json

MAX_INLINE = 120  # characters; a longer field is a section of its own


def load(text: str, suffix: str) -> dict[str, Json]:
    """Loads the fields of one thing; a single key that holds them all is left out."""
    language = "JSON" if suffix == ".json" else "YAML"
    loaded = read(text, language)
    if isinstance(loaded, list) and len(loaded) == 1:
        loaded = loaded[0]
    if not isinstance(loaded, dict) or not loaded:
        raise BadInput(f"The {language} must be one group of named fields, such as `title: …`.")
    inner = next(iter(loaded.values()))
    return inner if len(loaded) == 1 and isinstance(inner, dict) and inner else loaded


def markdown(title: str, fields: Mapping[str, Json]) -> str:
    """Writes fields as a document: short ones as a list below the title, others as sections."""
    short: list[str] = []
    sections: list[str] = []
    for key, value in fields.items():
        text = as_text(value)
        if not text or text == title:
            continue
        if isinstance(value, (Mapping, list)) or "\n" in text or len(text) > MAX_INLINE:
            sections.append(f"## {label(key)}\n\n{text}")
        else:
            short.append(f"- **{label(key)}:** {text}")
    return "\n\n".join(filter(None, [f"# {title}", "\n".join(short), *sections])) + "\n"
