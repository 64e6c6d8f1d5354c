"""Sizes at which a vector search is worth a look of its own, whatever its recall."""

REVIEWS = {  # rows of a table: what to review there
    10_000: (
        "Look at p95 of `python -m evaluation.bench search` on a copy, and take this run as the "
        "baseline (`knowwhy health --baseline`): from here on searches go over the index."
    ),
    50_000: (
        "Look at the recall under filters that keep 1 %: raise hnsw.ef_search and "
        "hnsw.scan_mem_multiplier if it falls. Give Postgres shared_buffers that hold the index."
    ),
    100_000: (
        "Build the index with a denser graph (ALTER INDEX … SET (m = 32, ef_construction = 200), "
        "then REINDEX INDEX CONCURRENTLY), or keep old records in a home of their own."
    ),
}


def milestone(rows: int) -> int | None:
    """Gives the highest milestone that so many rows have passed."""
    return max((size for size in REVIEWS if rows >= size), default=None)


def reviews(rows: int, known: int) -> list[tuple[int, str]]:
    """Gives the milestones that were passed since the highest known one, and what to review."""
    return [(size, REVIEWS[size]) for size in sorted(REVIEWS) if known < size <= rows]
