"""Secrets: found in any text and taken out of it before it is kept."""
