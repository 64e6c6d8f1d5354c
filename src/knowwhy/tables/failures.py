"""The store's own errors, told as ours."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pixeltable as pxt
import sqlalchemy as sql
from pixeltable.exceptions import ExprEvalError

from knowwhy.errors import StoreFailed
from knowwhy.text.secrets.redact import redact

OF_THE_STORE = (pxt.Error, ExprEvalError, sql.exc.SQLAlchemyError)
OF_ITS_SERVER = (OSError, subprocess.SubprocessError, AssertionError)  # it asserts what it reads
LINES_SHOWN = 2  # the first names the expression or statement, the second what went wrong
LONGEST = 300  # characters of the store's own words


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turns what the store raises while `doing` something into one clear sentence."""
    try:
        yield
    except (*OF_THE_STORE, *OF_ITS_SERVER) as error:
        raise StoreFailed(f"The store failed while {doing}: {_said(error)}") from error


def _said(error: BaseException) -> str:
    cause = error.exc if isinstance(error, ExprEvalError) else error
    text = " ".join(str(cause).split("\n")[:LINES_SHOWN]).strip() or type(cause).__name__
    return redact(text[:LONGEST])
