"""A technical memory that answers with where each fact came from."""

import os

__version__ = "0.1.0"

# ONNX Runtime reads this when it is loaded. Without it each process with a model writes a device id
# into the user's cache and looks up a server of the library's maker, again and again.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
