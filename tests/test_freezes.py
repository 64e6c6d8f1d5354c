"""No text freezes a process: each pattern and each reader is given texts that are meant to."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pumping
from knowwhy.ingest.meetings import minutes
from knowwhy.text import suspicious
from knowwhy.text.doubt import hedges

PUMPING = Path(__file__).with_name("pumping.py")
SECONDS = 1_800  # on a loaded machine; alone it is a minute


def orders(separates, letter):
    """Gives the orders to a reader, with what stands between words and in them."""
    written = "|".join(pattern.pattern for _, pattern in suspicious._READ)
    return written.replace(r"[\W_]{1,5}", separates).replace(r"[^\W_]{", letter + "{")


# As they stood when they froze a server, a worker and a sync, and as they stand.
WE_FEEL = ("somehow){0,4}", r"somehow|\s{1,3}kinda)*")
BLANKS = r"(#{1,6})[ \t]+([^\n]{1,200}?)[ \t]*#{0,6}[ \t]*$"
FROZE = {
    "orders with signs in words": (orders(r"[\s\W_]{1,5}", r"\w"), "search"),
    "feelings in two ways": (hedges._WEAK.pattern.replace(*WE_FEEL), "search"),
    "headings that end in blanks": (BLANKS, "match"),
    "what looks at all that follows": (r"a+\.", "finditer"),
}
LINEAR = {
    "orders": (orders(r"[\W_]{1,5}", r"[^\W_]"), "search"),
    "feelings": (hedges._WEAK.pattern, "search"),
    "headings": (minutes._HEADING.pattern, "match"),
}


def pumped(what, given=""):
    """Runs the texts in a process of their own; gives what it found, a line each."""
    done = subprocess.run(
        [sys.executable, PUMPING, what],
        input=given,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("what", "fewest"), [("patterns", 900), ("readers", 300)])
def test_no_text_freezes_a_reader(what, fewest):
    (counted, *found) = pumped(what)

    assert fewest < counted["targets"]
    assert [] == found


def test_what_froze_once_is_named_and_what_is_linear_is_not():
    given = [
        {"name": name, "source": source, "flags": int(re.IGNORECASE), "use": use}
        for name, (source, use) in (FROZE | LINEAR).items()
    ]

    found = pumped("given", json.dumps(given))

    assert [*FROZE] == [line.split(",")[0] for line in found]


READERS = {
    "counts the rest at each place": "lambda t: sum(t.count('z', n) for n in range(0, len(t), 8))",
    "cuts off its beginning": "lambda t: [t := t[8:] for _ in range(len(t) // 8) if t.find('z')]",
    "counts once": "lambda t: [t.count(char) for char in 'abc' * 40]",
    "does nothing": "lambda t: None",
}


def test_a_reader_whose_cost_grows_with_the_square_is_named_however_fast_it_is():
    found = pumped("given readers", json.dumps(READERS))

    assert ["counts the rest at each place", "cuts off its beginning"] == [
        line.split(" on ")[0] for line in found
    ]
    assert all("times as much for four times the text" in line for line in found)


def test_readers_that_take_more_than_a_text_are_read():
    every = pumping.modules()

    names = {target.name.split(" of ")[0] for target in pumping.readers(every)}

    assert {
        "knowwhy.text.speech.facts.facts", "knowwhy.ingest.document.read_document",
        "knowwhy.ingest.adr.read_adr", "knowwhy.ingest.incidents.incident.read_incident",
        "knowwhy.ingest.meetings.meeting.read_meeting", "knowwhy.text.formats.fields.read",
        "knowwhy.ingest.chat.conversation.read_conversation", "knowwhy.text.sentences.sentences",
        "knowwhy.text.relating.relations.edges", "knowwhy.retrieval.understand.understand",
        "knowwhy.text.formats.toml_tables.read_toml", "knowwhy.graph.names.mentions",
    } <= names  # fmt: skip
