"""The tools: what each takes, does and answers."""
