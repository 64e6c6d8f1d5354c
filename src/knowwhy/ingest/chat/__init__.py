"""Readers of conversations."""
