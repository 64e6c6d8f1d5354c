"""Vectors: the views that hold them, their indexes, how well these find, another model."""
