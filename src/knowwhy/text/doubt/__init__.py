"""Doubt: whether a text stands behind what it says."""
