"""Fields of YAML, TOML and JSON: read with limits, changed in place."""
