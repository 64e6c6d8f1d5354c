"""Stops the embedded database of a home: `python -m evaluation.stop HOME`."""

import sys
from pathlib import Path

from knowwhy.tables.homes import home

if __name__ == "__main__":
    home.stop(Path(sys.argv[1]))
