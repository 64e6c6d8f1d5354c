"""What keeps the memories true while nobody looks: one module a step."""
