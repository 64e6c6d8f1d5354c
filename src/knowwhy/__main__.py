"""Runs the command line as `python -m knowwhy`."""

from knowwhy.cli import main

main()
