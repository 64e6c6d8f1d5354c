"""The proof: a server driven from outside, every tool called."""
