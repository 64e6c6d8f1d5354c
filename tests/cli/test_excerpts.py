"""What is shown of a hit holds the answer, in the form of its source, through every door."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "mcp"))
from wire import over_stdio

FILLER = "The team had looked at brokers of messages for some months and compared their manuals. "
DECISION = """\
---
date: 2023-04-05
decision-makers: [Ann Bell, Bo Lindqvist]
severity: low
parent: Decisions
---
# Use Ferrybus as the broker

## Context and problem

{context}

## Options

* Ferrybus
* Mulecart
* Packtrain

## What we go for, and the reason

We chose Ferrybus because it replays a whole week of messages in nine minutes.

## Afterwards

{after}
"""
PEOPLE = [
    *("Ines Okafor", "Tomas Weil", "Mira Sand", "Jon Aske", "Lia Prem", "Otto Brun", "Eva Holm"),
]
COMPANIES = ["Quarry", "Lattice", "Fernweh", "Oakline", "Brightwater", "Tallow", "Moorgate"]


def decision(name="Ferrybus"):
    context = "\n\n".join(f"{FILLER * 3}Why a broker is needed at all was asked in round {n}."
                          for n in range(4))  # fmt: skip
    after = FILLER * 6
    return DECISION.format(context=context, after=after).replace("Ferrybus", name)


def maintainers(rows=80):
    lines = (
        f"| {PEOPLE[n % 7]} {n} | [@person{n}](https://example.com/people/person{n}) "
        f"| {'Cloudberry' if n == 61 else COMPANIES[n % 7]} |"
        for n in range(rows)
    )
    head = "| Maintainer | Handle | Employer |\n|------------|--------|----------|"
    return "\n".join(["# Maintainers", "", "Who maintains this.", "", head, *lines, ""])


CODE = '''\
"""Keeps parcels."""


def load(path):
    return path.read_text()


def retry_delay(attempt):
    """Says how long to wait before a parcel is sent again."""
    if attempt > 5:
        return 60
    return 2**attempt
'''


@pytest.fixture
def filled(knowwhy, tmp_path):
    """Gives a memory of a decision, a page with a long table, a list and a program."""
    for folder, name, text in (
        ("adr", "0003-use-ferrybus.md", decision()),
        ("docs", "MAINTAINERS.md", maintainers()),
        ("docs", "steps.md", "# Release\n\n" + "".join(
            f"{n}. Step {n} tells to {word} the build.\n"
            for n, word in enumerate(("lint", "pack", "sign", "tag", "publish", "announce"), 1))),
        ("code", "parcels.py", CODE),
    ):  # fmt: skip
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(text)
    assert 0 == knowwhy("ingest", "adr", tmp_path / "adr").code
    assert 0 == knowwhy("ingest", "document", tmp_path / "docs").code
    assert 0 == knowwhy("ingest", "code", tmp_path / "code").code
    return knowwhy


def first_hit(knowwhy, question):
    return json.loads(knowwhy("search", question, "--json").out)["hits"][0]


def test_the_decision_and_its_reason_speak_for_a_record_that_is_asked_why(filled):
    done = filled("search", "Why was Ferrybus taken as the broker?")

    shown = " ".join(done.out.split("2. ")[0].split())
    assert "because it replays a whole week of messages in nine minutes" in shown
    assert "What we go for, and the reason" in shown


def test_who_and_when_of_a_record_stand_beside_each_hit_through_every_door(filled):
    question = "Who decided on Ferrybus?"
    hit = first_hit(filled, question)

    assert any("Ann Bell, Bo Lindqvist" in fact for fact in hit["facts"])
    for told in (
        filled("search", question).out.split("2. ")[0],
        filled("context", question, "--tokens", 400).out,
    ):
        assert "Ann Bell, Bo Lindqvist" in told
        assert "severity: low" in told
        assert "2023-04-05" in told


def test_a_front_matter_is_no_passage_of_its_own(filled):
    hit = first_hit(filled, "date decision-makers severity parent Decisions")

    assert hit["text"].startswith("---")
    assert "The team had looked at brokers" in hit["text"]


def test_a_row_is_shown_under_the_header_of_a_table_that_was_cut(filled):
    hit = first_hit(filled, "Which maintainer works at Cloudberry?")

    lines = hit["excerpt"].splitlines()
    assert "| Maintainer | Handle | Employer |" in lines
    assert any(re.fullmatch(r"\| .* 61 \| .* \| Cloudberry \|", line) for line in lines)
    assert hit["path"].endswith("MAINTAINERS.md")
    assert hit["heading"].endswith("Maintainer | Handle | Employer")
    printed = filled("search", "Which maintainer works at Cloudberry?").out
    assert re.search(r"^ {3}\| Maintainer \| Handle \| Employer \|$", printed, re.M)
    assert re.search(r"^ {3}\| .* \| Cloudberry \|$", printed, re.M)


def test_code_is_shown_as_code_and_a_list_as_a_list(filled):
    code = first_hit(filled, "retry_delay attempt parcel")
    steps = first_hit(filled, "Which step of the release tells to publish?")

    assert "    if attempt > 5:\n        return 60" in code["excerpt"]
    assert "5. Step 5 tells to publish the build." in steps["excerpt"].splitlines()
    printed = filled("search", "retry_delay attempt parcel").out
    assert "       if attempt > 5:\n           return 60" in printed


def test_what_was_left_out_is_marked(filled):
    done = filled("search", "Why was Ferrybus taken as the broker?", "--json")
    hits = json.loads(done.out)["hits"]
    shorter = [hit for hit in hits if len(hit["excerpt"]) < 0.7 * len(hit["text"])]

    assert shorter
    assert all("…" in hit["excerpt"] for hit in shorter)


def test_words_of_the_question_are_bold_at_a_terminal_and_plain_for_programs(filled, monkeypatch):
    question = "Why was Ferrybus choosing the broker?"
    plain = filled("search", question, "--json").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    printed = filled("search", question).out

    assert "\x1b[1mFerrybus\x1b[0m" in printed
    assert "\\u001b" not in plain
    assert "\x1b" not in plain


def test_every_door_shows_the_same_words_of_a_hit(filled, tmp_path):
    question = "Why was Ferrybus taken as the broker?"
    hit = first_hit(filled, question)

    with over_stdio("--user", "ada", "--repo", str(tmp_path)) as assistant:
        told = assistant.ok("semantic_search", query=question)
    assert hit["excerpt"] == told.data["hits"][0]["excerpt"]
    assert hit["facts"] == told.data["hits"][0]["facts"]
    assert hit["excerpt"] in told.text
    printed = "".join(filled("search", question).out.split())
    assert "".join(hit["excerpt"].split()) in printed


def test_a_context_holds_all_that_the_best_record_answers_before_crumbs_of_others(
    knowwhy, tmp_path
):
    (tmp_path / "adr").mkdir()
    more = (
        "## Reasons that came later\n\n"
        + FILLER * 3
        + ("\n\nWe also chose Ferrybus because the harbour pays for its licence.\n")
    )
    names = ("Ferrybus", "Mulecart", "Packtrain", "Oxwagon", "Sledgeline", "Railpost")
    for number, name in enumerate(names, 1):
        text = decision(name) + more.replace("Ferrybus", name)
        (tmp_path / "adr" / f"{number:04}-use-{name.lower()}.md").write_text(text)
    assert 0 == knowwhy("ingest", "adr", tmp_path / "adr").code

    told = knowwhy("context", "Why did we choose Ferrybus as the broker?", "--tokens", 1200).out

    best = told.split("■2 ")[0]
    assert "We chose Ferrybus because it replays a whole week of messages in nine minutes." in best
    assert "We also chose Ferrybus because the harbour pays for its licence." in best
    assert "decision makers: Ann Bell, Bo Lindqvist" in best
    assert "■3 " in told


def test_a_change_of_how_records_are_cut_cuts_every_record_anew(knowwhy, tmp_path, monkeypatch):
    from knowwhy.text.pages import chunks

    (tmp_path / "0001-use-it.md").write_text(decision())
    assert "1 added" in knowwhy("ingest", "adr", tmp_path).out
    assert "1 unchanged" in knowwhy("ingest", "adr", tmp_path).out
    monkeypatch.setattr(chunks, "CUTTING", "cut_v0")

    assert "1 updated" in knowwhy("ingest", "adr", tmp_path).out


LINKS = "".join(
    f"- Harbour {name}: [berth {n} of the quay](https://example.com/harbours/{n})\n"
    for n, name in enumerate(("Alba", "Brest", "Calais", "Dover", "Emden", "Faro") * 12)
)
BARE_LINKS = "\n".join(
    f"[Kerb {name} number {n}](https://example.com/kerbs/{n})"
    for n, name in enumerate(("Ash", "Birch", "Cedar", "Dogwood", "Elm") * 14)
)
ASIDES = "".join(
    f"The pier number {n} was closed for {n} days (as the port's log of that year tells)\n"
    for n in range(60)
)
BLOCK = "".join(
    f"    gauge.calibrate(sluice, depth={n})\n    valve_{n} = open_valve({n});\n" for n in range(60)
)


@pytest.mark.parametrize(
    ("page", "question"),
    [
        (f"# Harbours\n\n{LINKS}", "Harbour Faro berth 65 of the quay"),
        (f"# Kerbs\n\n{BARE_LINKS}\n", "Kerb Elm number 64"),
        (f"# Piers\n\n{ASIDES}", "pier number 55 closed for 55 days"),
        (f"# Piers\n\n{ASIDES}\n```sh\nmake pier\n```\n", "pier number 55 closed for 55 days"),
    ],
)
def test_a_piece_of_a_list_or_of_sentences_is_never_shown_as_code(
    knowwhy, tmp_path, page, question
):
    (tmp_path / "page.md").write_text(page)
    assert 0 == knowwhy("ingest", "document", tmp_path).code

    shown = [
        hit["excerpt"] for hit in json.loads(knowwhy("search", question, "--json").out)["hits"]
    ]

    assert shown
    assert [] == [text for text in shown if text.startswith("```")]


def test_a_memory_that_ends_with_a_redacted_secret_is_never_shown_as_code(knowwhy):
    knowwhy("remember", "The password of the crane is hunter2-Quay!9")

    shown = first_hit(knowwhy, "What is the password of the crane?")["excerpt"]

    assert "[redacted" in shown
    assert "```" not in shown


def test_a_piece_that_was_cut_out_of_a_block_of_code_is_shown_as_code(knowwhy, tmp_path):
    (tmp_path / "page.md").write_text(
        f"# Sluices\n\nSo:\n\n```python\n{BLOCK}```\n\nThat is all.\n"
    )
    assert 0 == knowwhy("ingest", "document", tmp_path).code

    hit = first_hit(knowwhy, "valve_59 open_valve sluice depth 59")

    assert hit["excerpt"].startswith("```\n")
