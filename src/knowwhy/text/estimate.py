"""How many tokens a text costs its reader, estimated without a tokenizer."""

from functools import lru_cache

from knowwhy.text.patterns import regex

# Counted against the WordPiece of all-MiniLM-L6-v2 on 384 passages: their sum is met within 2 %
# for code and 4 % for prose, always a little above, and 4 passages of 5 within 11 %.
_TOKEN = regex(r"[A-Z]?[a-z]{1,6}|[A-Z]{1,3}|\d{1,2}|[^\sa-zA-Z\d]")
KEPT = 4_096  # texts; what is shown is counted several times a search, and again by the next one
KEPT_CHARS = 4_000  # of a text that is held; longer ones are seldom counted again


def estimate_tokens(text: str) -> int:
    """Returns about how many tokens a text has; texts joined by blanks have the sum of theirs."""
    return _counted(text) if len(text) <= KEPT_CHARS else _count(text)


def _count(text: str) -> int:
    return _TOKEN.subn("", text)[1]  # counted in C: an iterator takes 1.6 times as long


_counted = lru_cache(maxsize=KEPT)(_count)
