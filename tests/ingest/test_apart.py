"""What parses web pages and PDF files natively runs apart: its end is one file's."""

import os
import subprocess
import sys
import threading
import time

import psutil
import pytest
from test_paper import pdf

from knowwhy.ingest import apart
from knowwhy.tables import queries

PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>Words of it.</p></body></html>"


@pytest.fixture(autouse=True)
def no_child():
    """Each test starts a child of its own, with its own limits."""
    yield
    if apart._child is not None:
        apart._child.end()
        apart._child = None


def kept():
    return {record.draft.title for record in queries.records()}


def parsers():
    """The processes that parse for this one."""
    found = []
    for child in psutil.Process().children():
        try:
            if "apart.work" in " ".join(child.cmdline()):
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


def test_no_native_parser_of_pages_runs_in_the_process_that_holds_the_store(tmp_path, home_folder):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "plan.html").write_text(PAGE.format("The plan"))
    (tmp_path / "docs" / "book.pdf").write_bytes(pdf([["Words of the book"]], "/Title (The book)"))
    ingest = (
        "import sys; from lxml import etree; import pypdfium2\n"
        "def used(*a, **k): raise SystemExit('parsed here')\n"
        "pypdfium2.PdfDocument.__init__ = used\n"
        "for name in ('HTMLParser', 'fromstring', 'parse', 'HTML'): setattr(etree, name, used)\n"
        "from knowwhy.cli import run; code = run(['ingest', 'document', sys.argv[1]])\n"
        "code = code or run(['list'])\n"
        "sys.exit(code)"
    )
    environ = {**os.environ, "PIXELTABLE_HOME": str(home_folder)}
    done = subprocess.run(
        [sys.executable, "-c", ingest, str(tmp_path / "docs")],
        env=environ, capture_output=True, text=True,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    assert "The plan" in done.stdout
    assert "The book" in done.stdout


def test_a_parser_that_is_killed_costs_its_file_only(knowwhy, tmp_path):
    (tmp_path / "a.html").write_text(PAGE.format("First"))
    (tmp_path / "b.html").write_text("<p>" + "<b>words</b> " * 400_000)
    (tmp_path / "c.html").write_text(PAGE.format("Third"))
    stop = threading.Event()

    def kill():
        """Kills who is at the large file: the only one that takes longer than a moment."""
        while not stop.wait(0.02):
            for child in parsers():
                if sum(child.cpu_times()[:2]) > 1.0:
                    child.kill()
                    return

    killer = threading.Thread(target=kill)
    killer.start()
    done = knowwhy("ingest", "document", tmp_path)
    stop.set()
    killer.join()

    assert 1 == done.code
    assert "The page cannot be read: its parser has crashed or grown too large." in done.err
    assert "Traceback" not in done.out + done.err
    assert {"First", "Third"} == kept()


def test_a_file_that_needs_too_much_room_is_refused(knowwhy, tmp_path, monkeypatch):
    monkeypatch.setattr(apart, "MEMORY", 400_000_000)
    (tmp_path / "a.html").write_text("<p>" + "<b>words</b> " * 700_000)
    (tmp_path / "b.pdf").write_bytes(pdf([["Words of the book"]], "/Title (The book)"))

    done = knowwhy("ingest", "document", tmp_path)

    assert 1 == done.code
    assert "grown too large" in done.err
    assert {"The book"} == kept()


def test_a_file_that_takes_too_long_is_refused(knowwhy, tmp_path, monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 1)
    (tmp_path / "a.html").write_text("<p>" + "<b>words</b> " * 700_000)
    (tmp_path / "b.html").write_text(PAGE.format("The next"))

    done = knowwhy("ingest", "document", tmp_path)

    assert 1 == done.code
    assert "The page cannot be read: its parser" in done.err
    assert {"The next"} == kept()


def test_the_child_has_none_of_our_secrets_and_may_write_no_file(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-for-parsers")
    apart.parse(apart.WEBPAGE, PAGE.format("x").encode())
    (child,) = parsers()

    assert set(child.environ()) <= {*apart.PASSED_ON, "LC_CTYPE"}  # Python sets the last itself
    if sys.platform == "linux":
        assert (0, 0) == child.rlimit(psutil.RLIMIT_FSIZE)
        assert (apart.MEMORY, apart.MEMORY) == child.rlimit(psutil.RLIMIT_AS)


def test_one_child_reads_many_files_and_ends_with_us(tmp_path):
    read = (
        "import os, psutil; from knowwhy.ingest import apart\n"
        "for n in range(3): apart.parse(apart.WEBPAGE, b'<p>words</p>')\n"
        "print(*[c.pid for c in psutil.Process().children()]); os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    (pid,) = map(int, done.stdout.split())
    deadline = time.monotonic() + 30
    while psutil.pid_exists(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(pid)
