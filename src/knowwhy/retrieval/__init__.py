"""From a question to hits with their sources."""
