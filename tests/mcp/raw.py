"""A wire that sends whatever it is given, at both doors, and looks at what comes back."""

import itertools
import json
import queue
import re
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import Any

import httpx2
from wire import SERVE, environment

from knowwhy.text.characters import CONTROL, UNSEEN

ANSWER_SECONDS = 240.0  # that an answer may take on a loaded machine
LONGEST_ERROR = 700  # characters of a sentence that helps
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "hostile", "version": "1"},
}
LEAKS = re.compile(r"Traceback|File \\?\"/|site-packages|root:x:0|BEGIN \w+ KEY|gone wrong inside")
DEEP = "DEEP"  # stands for what no serializer writes
DEEPER = "[" * 10_000 + "]" * 10_000


@dataclass
class Answer:
    """What came back: of a tool, of the protocol, or nothing that is a message."""

    raw: dict[str, Any]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        parts = self.raw.get("result", {}).get("content", [])
        said = self.raw.get("error", {}).get("message", "")
        self.text = said or "\n".join(part["text"] for part in parts)

    @property
    def is_error(self) -> bool:
        """Whether it is an error of the tool or of the protocol."""
        return "error" in self.raw or self.raw["result"].get("isError", False)


class Stdio:
    """A server whose input is any bytes."""

    def __init__(self, *options: str, greet: bool = True) -> None:
        self._numbers = itertools.count(1)
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, *SERVE, *options],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self._read, daemon=True).start()
        if greet:
            self.greet()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(json.loads(line))

    def greet(self) -> None:
        """Says hello as a client does."""
        self.ask("initialize", HELLO)
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def write(self, line: bytes) -> None:
        """Writes a line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def next(self) -> Answer:
        """Gives the next message of the server."""
        return Answer(self._lines.get(timeout=ANSWER_SECONDS))

    def ask(self, method: str, params: Any = None) -> Answer:
        """Asks, and waits for the answer to it."""
        number = next(self._numbers)
        self.write(message(number, method, params))
        while (answer := self.next()).raw.get("id") != number:
            pass
        return answer

    def close(self) -> None:
        """Ends as a client does."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(ANSWER_SECONDS)


class Http:
    """A session of a user over HTTP."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self._numbers = url, itertools.count(1)
        # a server closes connections that are idle, maybe while the next request is on its way
        limits = httpx2.Limits(max_keepalive_connections=0)
        self.client = httpx2.Client(timeout=ANSWER_SECONDS, limits=limits)
        self.headers = {
            "authorization": f"Bearer {token}",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
        }
        opened = self.post(message(0, "initialize", HELLO))
        self.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        self.post(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def post(self, body: bytes, **headers: str) -> Any:
        """Posts a body as it is, with other headers where some are given."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(self.url, content=body, headers=self.headers | named)

    def ask(self, method: str, params: Any = None) -> Answer:
        """Asks, and reads the answer from the stream."""
        number = next(self._numbers)
        return answer_of(self.post(message(number, method, params)))

    def close(self) -> None:
        """Closes the connection."""
        self.client.close()


def answer_of(told: Any) -> Answer:
    """Reads an answer over HTTP, whether it is a stream or one message."""
    lines = [line[5:] for line in told.text.splitlines() if line.startswith("data:")]
    found = [json.loads(line) for line in (lines or [told.text]) if line.strip()]
    return Answer(next(one for one in found if one.keys() & {"result", "error"}))


def message(number: int, method: str, params: Any = None) -> bytes:
    """Writes a request; NaN, half surrogates and what is deep are written as they are."""
    named = {"jsonrpc": "2.0", "id": number, "method": method}
    line = json.dumps(named if params is None else {**named, "params": params})
    return line.replace(f'"{DEEP}"', DEEPER).encode()


def call(door: Any, tool: str, arguments: Any) -> Answer:
    """Calls a tool with whatever is given."""
    return door.ask("tools/call", {"name": tool, "arguments": arguments})


def is_safe(answer: Answer, secrets: tuple[str, ...] = ()) -> list[str]:
    """Tells what is wrong with an answer; nothing, if it is safe."""
    whole = json.dumps(answer.raw, ensure_ascii=False)
    wrong = [f"says {found[0]}" for found in LEAKS.finditer(whole)]
    wrong += [f"tells {secret}" for secret in secrets if secret in whole]
    if answer.is_error:
        text = answer.text
        wrong += ["is no sentence"] if not 5 < len(text) <= LONGEST_ERROR else []
        wrong += ["has characters that steer"] if CONTROL.search(text) else []
        wrong += ["has characters that nobody sees"] if UNSEEN.search(text) else []
    return wrong
