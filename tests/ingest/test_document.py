import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.errors import BadInput
from knowwhy.ingest.document import read_document


def test_front_matter_says_what_the_document_is():
    text = (
        "---\ntitle: The `plan`\nauthors: [Ann Lee, '@bob']\ndate: 2024-03-12\nstatus: Draft\n---\n"
    )
    draft = read_document(text, path="x.md")
    assert ("document", "The plan", None) == (draft.kind, draft.title, draft.label)
    assert (("Ann Lee", "bob"), "draft") == (draft.authors, draft.status)
    assert datetime(2024, 3, 12, tzinfo=UTC) == draft.occurred_at
    expected = "2024-03-12"
    assert expected == draft.metadata["date"]
    assert text == draft.content


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("# The **plan**\n", "x.md", "The plan"),
        ("## Small\n\n# Big\n", "x.md", "Big"),
        ("#####\nTitle\n#####\n\nPart\n----\n", "x.rst", "Title"),
        ("Title: The plan\nAuthor: Ann Lee\n\n# Other\n", "x.md", "The plan"),
        ("words only", "docs/how-to_deploy.md", "How to deploy"),
        ("words only", "docs/deploy/README.md", "Deploy"),
        ("words only", "docs/v1.2-notes.txt", "V1.2 notes"),
        ("", "", ""),
    ],
)
def test_the_title_is_what_its_author_wrote_or_the_file_name(text, path, title):
    assert title == read_document(text or "x", path=path).title


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("---\nid: SPEC-037\n---\nx", "SPEC-37"),
        ("PEP: 8\nTitle: x\n\nText", "PEP-8"),
        ("---\nname: x\nnumber: 7\n---\nx", None),
        ("# ADR-7: x", None),
    ],
)
def test_only_its_fields_give_a_document_a_label(text, label):
    assert label == read_document(text, path="0009-x.md").label


def test_an_empty_document_is_refused():
    with pytest.raises(BadInput, match=r"x\.md is empty"):
        read_document("\n", path="x.md")


@given(st.text(min_size=1), st.text())
def test_any_text_is_read_or_refused(text, path):
    try:
        draft = read_document(text, path=path)
    except BadInput:
        return
    assert text == draft.content
    assert dict(draft.metadata) == json.loads(json.dumps(draft.metadata))
