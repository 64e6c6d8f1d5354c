"""Texts of the messages: files beside the code, reviewed like code.

From May 2023 to April 2024 they were rows in the database, live on saving (ADR-0026). An unclosed
tag then sent 8,200 receivers an English mail (INC-2024-05).
"""

from functools import cache
from pathlib import Path
from typing import Any

from halmkit.logging import get_logger
from halmkit.metrics import count
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

from notify.messages import Kind

log = get_logger("notify")

FOLDER = Path(__file__).parents[1] / "templates"
LANGUAGES = ("nl", "fr", "de", "en", "pl")
FALLBACK = "en"


@cache
def environment() -> Environment:
    """Load the templates; a missing variable is an error and not an empty word."""
    return Environment(loader=FileSystemLoader(FOLDER), undefined=StrictUndefined, autoescape=False)


def render(kind: Kind, language: str, values: dict[str, Any]) -> str:
    """Render a message in a language, or in English with a count that WAY-931 alerts on."""
    try:
        return render_exactly(kind, language, values)
    except TemplateError as error:
        log.error("template_render_failed", kind=kind, language=language, exc=str(error))
        count("template_render_failed", kind=kind, language=language)
        return render_exactly(kind, FALLBACK, values)


def render_exactly(kind: Kind, language: str, values: dict[str, Any]) -> str:
    """Render a message in a language, or raise."""
    return environment().get_template(f"{kind}.{language}.txt").render(values)
