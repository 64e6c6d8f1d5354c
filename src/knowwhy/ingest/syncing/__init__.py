"""One command for a repository: its files, its conventions, its commits."""
