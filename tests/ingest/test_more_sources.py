"""Meetings, web pages and PDF files through the door."""

import json
from pathlib import Path

from test_paper import pdf  # the smallest writer of PDF files

CORPUS = Path(__file__).parents[2] / "golden" / "corpus"
PAGE = """<html><head><title>Cache policy</title><script>alert(1)</script></head><body>
<nav>Home</nav><main><h1>Cache policy</h1><h2>Eviction</h2>
<p>Sessions leave the cache after thirty minutes of silence.</p></main></body></html>"""


def test_meetings_of_every_form_come_in_once_and_say_when_and_who(knowwhy):
    first = knowwhy("ingest", "meeting", CORPUS / "meetings")
    again = knowwhy("ingest", "meeting", CORPUS / "meetings")

    assert first.out.startswith("10 added"), first.err
    assert "10 unchanged" in again.out
    rows = json.loads(knowwhy("list", "--json", "--kind", "meeting").out)
    assert all(row["occurred_at"] and row["authors"] for row in rows)


def test_captions_are_cited_without_lines_that_their_file_does_not_have(knowwhy, tmp_path):
    (tmp_path / "2024-03-12-cache.vtt").write_text(
        "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ann>We decided to keep sessions in Redis.\n\n"
        "00:05.000 --> 00:08.000\n<v Bo>Agreed, and we evict after thirty minutes.\n"
    )
    knowwhy("ingest", "meeting", tmp_path)

    found = knowwhy("search", "Where do we keep sessions?").out
    assert "Ann" in found
    assert "2024-03-12-cache.vtt]" in found
    assert "-->" not in found


def test_a_web_page_is_its_own_words_under_its_headings(knowwhy, tmp_path):
    (tmp_path / "cache.html").write_text(PAGE)
    assert "1 added" in knowwhy("ingest", "document", tmp_path).out
    assert "1 unchanged" in knowwhy("ingest", "document", tmp_path).out

    asked = knowwhy("search", "When do sessions leave the cache?", "--json").out
    hit = json.loads(asked)["hits"][0]
    assert "Cache policy" == hit["title"]
    assert "Eviction" in hit["text"] + hit["heading"]
    assert "alert" not in hit["text"]


def test_a_pdf_is_read_and_a_broken_one_is_named(knowwhy, tmp_path):
    (tmp_path / "good.pdf").write_bytes(pdf([["Queue policy", "Messages live for seven days."]]))
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4\nnothing of the kind")

    done = knowwhy("ingest", "document", tmp_path)

    assert 1 == done.code
    assert 1 == len(done.err.splitlines())
    assert "/bad.pdf: " in done.err
    assert "1 added" in done.out
    assert "seven days" in knowwhy("search", "How long do messages live?").out
