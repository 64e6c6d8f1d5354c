"""Parses web pages and PDF files in a child process with limits: what parses them is native code.

A file that crashes its parser, or keeps it busy, costs that file and nothing else. The child has
none of our environment, and what it answers is read as JSON.
"""

import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

from knowwhy.errors import BadInput
from knowwhy.types import Json

SECONDS = 120  # that one file may take; the largest specification takes about ten
MEMORY = 3_000_000_000  # bytes of address space; a page of 20 MB takes about one billion
OPEN_FILES = 32  # of the child, its pipes included
MOST_ANSWER = 200_000_000  # bytes; ten times the longest text that is kept
IDLE_SECONDS = 30.0  # after which a waiting child is not used again
WEBPAGE, PDF = "page", "PDF"
PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")  # of our environment

Parsed = tuple[str, dict[str, Json]]  # the text, and what the file says of itself


def parse(what: str, raw: bytes) -> Parsed:
    """Gives the text of a web page (in UTF-8) or a PDF file, and its facts; or refuses it."""
    with _lock:
        child = _ready()
        late = threading.Timer(SECONDS, child.process.kill)
        late.daemon = True
        late.start()
        try:
            child.line.send_bytes(what.encode())
            child.line.send_bytes(raw)
            answer = json.loads(child.line.recv_bytes(MOST_ANSWER))
        except (EOFError, OSError):
            is_late = not late.is_alive()
            child.end()
            why = f"took more than {SECONDS} s" if is_late else "has crashed or grown too large"
            raise BadInput(f"The {what} cannot be read: its parser {why}.") from None
        finally:
            late.cancel()
        child.used = time.monotonic()
    if "refused" in answer:
        raise BadInput(str(answer["refused"]))
    return str(answer["text"]), dict(answer["facts"])


@dataclass(slots=True)
class _Child:
    """A process that parses one file after the other."""

    process: subprocess.Popen[bytes]
    line: "Connection[bytes, bytes]"
    used: float

    def end(self) -> None:
        """Ends it, whatever it is doing."""
        self.line.close()
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()  # there is one child, and it does one file at a time
_child: _Child | None = None


def _ready() -> _Child:
    """Gives a child that waits for a file."""
    global _child
    if _child is not None:
        if _child.process.poll() is None and time.monotonic() - _child.used < IDLE_SECONDS:
            return _child
        with contextlib.suppress(OSError):  # its end of the line may be closed already
            _child.end()
    _child = _start()
    return _child


def _start() -> _Child:
    ours, theirs = socket.socketpair()
    with theirs:
        start = f"import sys; sys.path[:] = {sys.path!r}; from knowwhy.ingest import apart"
        limits = f"{theirs.fileno()}, {SECONDS}, {MEMORY}"
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", f"{start}; apart.work({limits})"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
            start_new_session=True,  # a Ctrl-C is for us
        )
    return _Child(process, Connection(ours.detach()), time.monotonic())


def work(descriptor: int, seconds: int, memory: int) -> None:
    """Is the child: parses what comes until nobody is there any more."""
    from knowwhy.ingest.paper import pdf_to_text
    from knowwhy.text.pages.webpages import html_to_markdown

    line = Connection(descriptor)
    _limit(memory)
    with contextlib.suppress(EOFError, OSError):
        while line.poll(IDLE_SECONDS * 2):
            what, raw = line.recv_bytes().decode(), line.recv_bytes()
            _allow(seconds)
            try:
                read = pdf_to_text(raw) if what == PDF else html_to_markdown(raw.decode())
                answer: dict[str, Json] = {"text": read[0], "facts": read[1]}
            except BadInput as error:
                answer = {"refused": str(error)}
            except MemoryError:
                answer = {"refused": f"The {what} cannot be read: its parser has grown too large."}
            line.send_bytes(json.dumps(answer).encode())


def _limit(memory: int) -> None:
    """Takes from this process what no parser needs: room without end, files, core dumps."""
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)]
    limits += [(resource.RLIMIT_NOFILE, OPEN_FILES)]
    if sys.platform == "linux":  # elsewhere the address space is not limited so
        limits.append((resource.RLIMIT_AS, memory))
    for which, most in limits:
        _, hard = resource.getrlimit(which)
        low = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (low, low))


def _allow(seconds: int) -> None:
    """Lets the next file take so much processor time; then the system ends the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime) + seconds
    if hard == resource.RLIM_INFINITY or soft < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
