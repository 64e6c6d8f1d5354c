"""Readers of meetings."""
