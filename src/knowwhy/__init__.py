"""A technical memory that answers with where each fact came from."""

__version__ = "0.1.0"
