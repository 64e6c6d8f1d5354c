import json
import threading
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.ingest import paper
from knowwhy.ingest.paper import PAGE_BREAK, pdf_to_text, read_pdf, read_webpage


def pdf(pages, info="", bookmarks=(), trailer=""):
    """Writes a small PDF by hand: lines of text a page, and bookmarks as (title, page)."""
    objects = ["", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            f" /Contents {len(objects)} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(len(objects))
    objects[1] = (
        f"<< /Type /Pages /Kids [{' '.join(f'{k} 0 R' for k in kids)}] /Count {len(kids)} >>"
    )
    objects.append(f"<< {info} >>")
    told = len(objects)
    first = told + 2
    for at, (title, page) in enumerate(bookmarks):
        following = f"/Next {first + at + 1} 0 R" if at + 1 < len(bookmarks) else ""
        target = f"/Dest [{kids[page]} 0 R /Fit] >>"
        entry = f"<< /Title ({title}) /Parent {first - 1} 0 R {following} {target}"
        objects.insert(told + at, entry)
    if bookmarks:
        objects.insert(
            told,
            f"<< /First {first} 0 R /Last {first + len(bookmarks) - 1} 0 R"
            f" /Count {len(bookmarks)} >>",
        )
    objects[0] = (
        f"<< /Type /Catalog /Pages 2 0 R {f'/Outlines {told + 1} 0 R' if bookmarks else ''} >>"
    )
    return assembled(objects, f"/Info {told} 0 R {trailer}")


def assembled(objects, trailer):
    out = "%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer << /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{len(out)}\n%%EOF"
    return f"{out}xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


def test_pages_are_kept_apart_and_words_whole():
    raw = pdf(
        [["Broken words are con-", "nected. A well-known and well-", "known one."], ["Page two"]]
    )

    text, facts = pdf_to_text(raw)

    assert (
        f"Broken words are connected. A well-known and well-known one.\n\n{PAGE_BREAK}\nPage two"
        == text
    )
    assert {"pages": 2} == facts


def test_running_titles_and_page_numbers_are_dropped_after_the_first_page():
    pages = [
        ["Handbook 2024", f"Text {'abcde'[n]} of it", "and more.", f"Page {n + 1} of 5"]
        for n in range(5)
    ]

    text, _ = pdf_to_text(pdf(pages))

    assert 1 == text.count("Handbook")
    assert "Page" not in text
    assert ["Text a of it", "Text e of it"] == [
        line for line in text.split("\n") if line[:6] in ("Text a", "Text e")
    ]


def test_two_pages_keep_what_they_share():
    text, _ = pdf_to_text(
        pdf([["Same title", "a b", "c d", "e f"], ["Same title", "g h", "i j", "k l"]])
    )

    assert 2 == text.count("Same title")


def test_bookmarks_make_headings():
    raw = pdf(
        [["1. Context", "Words."], ["2. Decision", "We use Kafka."]],
        bookmarks=[("Context", 0), ("Decision", 1)],
    )

    text, _ = pdf_to_text(raw)

    assert f"## 1. Context\n\nWords.\n\n{PAGE_BREAK}\n## 2. Decision\n\nWe use Kafka." == text


def test_lines_that_look_like_markup_are_no_headings():
    text, _ = pdf_to_text(pdf([["# a comment", "====", "plain"]]))

    assert "\\# a comment\n\\====\nplain" == text


def test_a_pdf_says_who_wrote_it_and_when():
    info = "/Title (The plan) /Author (Ann Lee and Bob Ray) /CreationDate (D:20240312100000+01'00')"
    draft = read_pdf(pdf([["Words of the plan"]], info), path="docs/x.pdf")

    assert ("document", "The plan", "Words of the plan") == (draft.kind, draft.title, draft.content)
    assert ("Ann Lee", "Bob Ray") == draft.authors
    assert datetime(2024, 3, 12, 9, 0, tzinfo=UTC) == draft.occurred_at
    assert ("pdf", 1) == (draft.metadata["format"], draft.metadata["pages"])


@pytest.mark.parametrize(
    ("info", "line", "title"),
    [
        ("/Title (Microsoft Word - x.docx)", "The first line", "The first line"),
        ("/Title (untitled)", "word", "My plan"),
        ("", "1234", "My plan"),
    ],
)
def test_a_title_that_a_program_gave_is_none(info, line, title):
    assert title == read_pdf(pdf([[line]], info), path="docs/my-plan.pdf").title


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("D:20240312", datetime(2024, 3, 12, tzinfo=UTC)),
        ("D:202403121030Z", datetime(2024, 3, 12, 10, 30, tzinfo=UTC)),
        ("20240312103000", datetime(2024, 3, 12, 10, 30, tzinfo=UTC)),
        ("D:2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("D:20241399", None),
        ("yesterday", None),
    ],
)
def test_pdf_dates_are_read(date, expected):
    assert expected == read_pdf(pdf([["a b"]], f"/CreationDate ({date})"), path="x.pdf").occurred_at


ENCRYPTED = (
    "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4"
    f" /O <{'ab' * 32}> /U <{'cd' * 32}> >> /ID [<00> <00>]"
)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "broken"),
        (b"no pdf", "broken"),
        (pdf([["a b"]])[:300], "broken"),
        (pdf([["a b"]], trailer=ENCRYPTED), "encrypted"),
        (pdf([[], []]), "only pictures"),
        (pdf([]), "broken"),
    ],
)
def test_what_has_no_text_is_refused_in_a_sentence(raw, why):
    with pytest.raises(BadInput, match=why):
        pdf_to_text(raw)


def test_a_pdf_that_is_too_large_is_refused(monkeypatch):
    raw = pdf([["some words"]] * 3)
    for limit, why in (
        ("MAX_PDF_BYTES", "larger"),
        ("MAX_PAGES", "3 pages"),
        ("MAX_TEXT", "characters"),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(paper, limit, 2)
            with pytest.raises(BadInput, match=why):
                pdf_to_text(raw)


def test_several_threads_read_at_once():
    raw = pdf([["some words"] * 40] * 20)
    found = []
    read = lambda: found.append(read_pdf(raw, path="x.pdf").metadata["pages"])  # noqa: E731
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [20] * 4 == found


def test_a_long_pdf_is_read():
    assert 500 == pdf_to_text(pdf([["words " * 10] * 40] * 500))[1]["pages"]


SMALL = pdf([["Some words", "more"]], "/Title (x)", bookmarks=[("Some words", 0)])


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(SMALL) - 1), st.binary(max_size=8))
def test_a_damaged_pdf_is_read_or_refused(place, bytes_):
    raw = SMALL[:place] + bytes_ + SMALL[place + len(bytes_) :]
    try:
        text, _ = pdf_to_text(raw)
    except BadInput:
        return
    assert text.strip()


def test_a_web_page_becomes_a_document():
    page = (
        "<html><head><meta name=author content='Ann Lee'><meta name=date content=2024-03-12>"
        "</head><body><nav>x</nav><h1>The plan</h1><p>Words.</p></body></html>"
    )
    draft = read_webpage(page, path="docs/plan.html")

    assert ("document", "The plan", "# The plan\n\nWords.") == (
        draft.kind,
        draft.title,
        draft.content,
    )
    assert ("Ann Lee",) == draft.authors
    assert datetime(2024, 3, 12, tzinfo=UTC) == draft.occurred_at
    assert "html" == draft.metadata["format"]
    assert dict(draft.metadata) == json.loads(json.dumps(draft.metadata))


def test_a_page_without_a_title_is_called_by_its_file():
    assert "My plan" == read_webpage("<p>words</p>", path="docs/my-plan.html").title


@pytest.mark.parametrize("html", ["", "<html></html>", "<script>x</script>", "<!-- x -->"])
def test_a_page_without_words_is_refused(html):
    with pytest.raises(BadInput, match="no text"):
        read_webpage(html, path="x.html")
