"""How well the memory works: what a home looks like, and whether its searches find."""
