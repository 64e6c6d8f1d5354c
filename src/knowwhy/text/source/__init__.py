"""Source code: its language, its syntax tree and its symbols."""
