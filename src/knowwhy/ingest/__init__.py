"""Readers: a source becomes drafts, drafts become rows."""
