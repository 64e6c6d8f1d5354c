"""Memories: written, compared, looked after, kept as they were."""
