"""Agents: their registries, what they lend and hand over, and their audit."""
