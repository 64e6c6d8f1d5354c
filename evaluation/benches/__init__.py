"""One file a bench; each gives a table of figures."""
