"""Homes as a whole: on disk, written out, restored, carried to another."""
