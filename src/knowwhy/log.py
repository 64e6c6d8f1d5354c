"""Logging: to stderr, with secrets redacted."""

import logging
import sys

from knowwhy.text.secrets.redact import redact


class RedactingFormatter(logging.Formatter):
    """Formats a record and redacts secrets in the whole of it."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line that is written."""
        return redact(super().format(record))


def set_up(*, verbose: bool = False) -> None:
    """Sends our own log records to stderr: warnings, or with verbose everything."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingFormatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("knowwhy")
    logger.handlers = [handler]
    logger.setLevel(logging.DEBUG if verbose else logging.WARNING)
    logger.propagate = False
    # A log that cannot be written, as on a full disk, is no reason to print a page for each line;
    # and that a connection has gone is told by whoever needed it.
    logging.raiseExceptions = verbose
    logging.getLogger("psycopg").setLevel(logging.DEBUG if verbose else logging.ERROR)
