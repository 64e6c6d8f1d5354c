"""The store: the only room that imports pixeltable.

Pixeltable binds `sys.stdout` when it is imported and greets there when it starts; stdout belongs to
whoever runs us (an MCP client, a pipe), so it is given stderr instead.
"""

import os
import sys
import warnings

os.environ.setdefault("PIXELTABLE_VERBOSITY", "0")

_stdout = sys.stdout
sys.stdout = sys.stderr
try:
    with warnings.catch_warnings():  # what its packages say of each other while they are imported
        warnings.simplefilter("ignore")
        import pixeltable  # noqa: F401  # for its binding, before any other module of the room
finally:
    sys.stdout = _stdout
