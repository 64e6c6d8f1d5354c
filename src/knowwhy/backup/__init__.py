"""A home in one file: kept while it is written to, put back elsewhere, carried between versions."""
