"""Measures quality and speed; every figure that the project states comes from here."""
