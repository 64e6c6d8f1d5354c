"""A server that stands in for the Anthropic API: it answers as it is told and keeps what it got."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-ant-" + "api03-" + "Zx8Qw2Rt6Yu1Io5Pa9Sd3Fg7Hj4Kl0Zx"
Reply = tuple[int, dict[str, str], Any]  # status, headers, and what is sent as JSON or as it is


@dataclass
class StandIn:
    """What is answered next, and what was asked."""

    url: str
    replies: list[Reply | Callable[[dict[str, Any]], Reply]] = field(default_factory=list)
    always: Callable[[dict[str, Any]], Reply] | None = None
    asked: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)
    slow: float = 0.0  # seconds before an answer

    def reply(self, body: dict[str, Any]) -> Reply:
        told = self.replies.pop(0) if self.replies else self.always
        assert told is not None, "nobody said what to answer"
        return told(body) if callable(told) else told


def message(facts: Any, *, stop: str = "tool_use", tokens: tuple[int, int] = (900, 100)) -> Reply:
    """An answer with these facts, as the API gives it."""
    used = [{"type": "tool_use", "id": "toolu_1", "name": "record_facts", "input": facts}]
    return answer(used if facts is not None else [{"type": "text", "text": "No."}], stop, tokens)


def answer(content: list[Any], stop: str, tokens: tuple[int, int] = (900, 100)) -> Reply:
    whole = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5-20251001",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }
    return 200, {}, whole


def error(status: int, kind: str, words: str, **headers: str) -> Reply:
    """An error as the API gives it."""
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, told, {"type": "error", "error": {"type": kind, "message": words}}


def fact(content: str, quote: str | None = None, kind: str = "decision", sure: Any = 0.9) -> Any:
    return {"kind": kind, "content": content, "quote": quote or content, "confidence": sure}


def said(body: dict[str, Any]) -> str:
    """The message that a request asks about."""
    text = body["messages"][0]["content"]
    return text.split(">\n", 1)[1].rsplit("\n</message-", 1)[0].rsplit(">\n", 1)[-1]


def each_sentence(body: dict[str, Any]) -> Reply:
    """An answer that takes every sentence for a fact."""
    sentences = [f"{part.strip()}." for part in said(body).split(".") if part.strip()]
    return message({"facts": [fact(sentence) for sentence in sentences]})


@contextmanager
def standing_in() -> Iterator[StandIn]:
    """Answers on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            stand_in.asked.append(({k.lower(): v for k, v in self.headers.items()}, body))
            time.sleep(stand_in.slow)
            status, headers, payload = stand_in.reply(body)
            sent = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            with contextlib.suppress(BrokenPipeError):  # of a client that has given up waiting
                self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stand_in = StandIn(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
