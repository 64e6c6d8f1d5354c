"""Readers of post-mortems."""
