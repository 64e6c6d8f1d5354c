"""Whether two claims say the same."""
