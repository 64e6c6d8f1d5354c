"""What somebody has written keeps no other request waiting: it is read beside the loop."""

import sys
import threading
from contextlib import suppress

from mcp import StdioServerParameters
from wire import connected, environment

FEWEST = 5  # other requests that are answered while a costly text is looked at

# A server with a tool whose error is so long that looking through it takes seconds.
WITH_A_COSTLY_ERROR = """
import sys
from knowwhy.cli import run
from knowwhy.errors import NotFound
from knowwhy.mcp import server

named = server.tool_named

def costly(name):
    if name == "costly":
        raise NotFound("There is no " + "'one of many' " * 300_000)
    return named(name)

server.tool_named = costly
sys.exit(run(sys.argv[1:]))
"""


def test_a_costly_text_in_an_error_holds_up_no_other_request(store):
    command = ["-c", WITH_A_COSTLY_ERROR, "serve", "--user", "ann"]
    started = StdioServerParameters(command=sys.executable, args=command, env=environment())
    over, answered = threading.Event(), 0
    with connected(started) as assistant:
        assistant.tools()

        def ask():
            try:
                with suppress(Exception):  # a refusal by the protocol is one too
                    assistant.call("costly")
            finally:
                over.set()

        asking = threading.Thread(target=ask)
        asking.start()
        while not over.is_set():
            assistant.tools()
            answered += not over.is_set()
        asking.join()

    assert FEWEST <= answered
