"""Time in plain words: as filters of what is searched and listed, and as questions ask for it."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

RECORDS = [
    ("ADR-1", "adr", "Log as plain text", "2020-05-04", "We log as plain text."),
    ("ADR-2", "adr", "Log as JSON lines", "2021-06-01", "We log as JSON lines."),
    ("ADR-3", "adr", "Store tracking in PostgreSQL", "2021-09-01", "We chose PostgreSQL."),
    ("ADR-4", "adr", "Log with OpenTelemetry", "2024-02-10", "We log through OpenTelemetry."),
    ("ADR-5", "adr", "Queue with Kafka", "2025-01-10", "We queue with Kafka."),
    ("INC-1", "incident", "Disk full at payments", "2022-11-03", "Logging filled the disk."),
    ("INC-2", "incident", "Broker lost messages", "2023-04-20", "The broker lost messages."),
    ("INC-3", "incident", "Login failed", "2024-08-15", "A certificate had expired."),
    ("DOC-1", "document", "The 2021 roadmap", "2019-12-01", "The 2021 roadmap: logging first."),
    ("DOC-2", "document", "How we log", None, "Logging follows ISO 8601:2019 everywhere."),
]
UNREADABLE = "is no time that can be read: give a date (2024-03-01), a month (2024-03)"


def lines(rows):
    names = ("id", "kind", "title", "occurred_at", "text")
    kept = ({n: v for n, v in zip(names, row, strict=True) if v is not None} for row in rows)
    return "".join(json.dumps(row) + "\n" for row in kept)


@pytest.fixture
def dated(knowwhy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "records.jsonl").write_text(lines(RECORDS))
    assert 0 == knowwhy("ingest", "jsonl", tmp_path / "records.jsonl").code
    return knowwhy


def asked(knowwhy, *words):
    done = knowwhy(*words, "--json", "--explain")
    assert 0 == done.code, done.err
    answer = json.loads(done.out)
    return [hit["key"] for hit in answer["hits"]], answer


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        (("--since", "2022"), {"ADR-4", "ADR-5", "INC-1", "INC-2", "INC-3"}),
        (("--until", "2021"), {"ADR-1", "ADR-2", "ADR-3", "DOC-1"}),
        (("--since", "2021-06-01", "--until", "2021-06-01"), {"ADR-2"}),
        (("--since", "2021-Q2", "--until", "November 2022"), {"ADR-2", "ADR-3", "INC-1"}),
        (("--since", "early 2024", "--until", "the end of 2024"), {"ADR-4", "INC-3"}),
    ],
)
def test_a_filter_of_time_holds_in_every_command_and_leg(dated, limits, found):
    keys, answer = asked(dated, "search", "log logging", "--k", 20, *limits)

    assert found == set(keys)
    assert "1 without a date is left out" in answer["notes"]
    packed = json.loads(dated("context", "log logging", *limits, "--json").out)
    assert {item["key"] for item in packed["items"] if item["key"]} <= found


def test_a_filter_of_one_percent_still_gives_as_many_hits_as_are_asked_for(knowwhy, tmp_path):
    day = datetime(2020, 1, 1, tzinfo=UTC)
    rows = [
        (f"R-{n}", "note", f"Note {n}", f"{day + timedelta(n):%Y-%m-%d}", f"Log level {n} is set.")
        for n in range(600)
    ]
    (tmp_path / "many.jsonl").write_text(lines(rows))
    assert 0 == knowwhy("ingest", "jsonl", tmp_path / "many.jsonl").code

    keys, answer = asked(
        knowwhy, "search", "log level", "--since", "2020-05-01", "--until", "2020-05-06"
    )

    assert {f"R-{n}" for n in range(121, 127)} >= set(keys)
    assert 5 == len(keys)
    assert all(0 < found <= 6 for leg, found in answer["legs"].items() if leg != "graph")


def test_a_list_is_limited_to_a_time_and_says_what_has_no_date(dated):
    done = dated("list", "--since", "2022", "--until", "2023")

    assert ["INC-1", "INC-2"] == [line.split("\t")[0] for line in done.out.splitlines()]
    assert "note: 1 without a date is left out\n" == done.err
    only = dated("list", "--kind", "adr", "--since", "2025-01", "--json")
    assert (["ADR-5"], "") == ([row["key"] for row in json.loads(only.out)], only.err)


@pytest.mark.parametrize("command", [("search", "x"), ("context", "x"), ("recall", "x"), ("list",)])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--since", "soon"), f"since 'soon' {UNREADABLE}"),
        (("--until", "2024-02-30"), f"until '2024-02-30' {UNREADABLE}"),
        (("--since", "9999 years"), f"since '9999 years' {UNREADABLE}"),
        (("--since", "2024", "--until", "2023"), "since (2024-01-01) is later than until"),
    ],
)
def test_a_time_that_cannot_be_meant_is_one_clear_sentence(knowwhy, command, given, said):
    done = knowwhy(*command, *given)

    assert 1 == done.code
    assert "" == done.out
    assert done.err.startswith(f"knowwhy: {said}")
    assert 1 == done.err.count("\n")


def test_memories_and_turns_are_limited_by_when_they_were_said(knowwhy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = [
        {"role": "user", "content": f"We tune Kafka in {year}.", "time": f"{year}-03-14T12:00:00Z"}
        for year in (2023, 2024, 2025)
    ]
    (tmp_path / "chat.json").write_text(json.dumps({"session_id": "s", "messages": said}))
    assert 0 == knowwhy("ingest", "conversation", tmp_path / "chat.json", "--user", "ann").code
    knowwhy("remember", "We tune Kafka weekly because of its lag (ADR-5).", "--user", "ann")

    only = ("--user", "ann", "--since", "2024", "--until", "2024")
    _, answer = asked(knowwhy, "recall", "tune Kafka", *only)
    assert {"2024"} == {hit["occurred_at"][:4] for hit in answer["hits"]}
    turns = json.loads(knowwhy("history", *only, "--json").out)
    assert ["We tune Kafka in 2024."] == [turn["text"] for turn in turns]

    lately = ("--user", "ann", "--since", "yesterday")
    assert 1 == len(json.loads(knowwhy("memories", *lately, "--json").out))
    assert [] == json.loads(knowwhy("memories", "--user", "ann", "--until", "2024", "--json").out)


def test_records_of_the_time_asked_for_come_before_all_others(dated):
    keys, answer = asked(dated, "search", "What was decided in 2021?", "--k", 10)

    assert ["ADR-3", "ADR-2"] == keys[:2]
    assert "of 2021-01-01 to 2021-12-31" in answer["reading"]

    keys, answer = asked(dated, "search", "Which incidents happened since March 2023?")
    assert ["INC-3", "INC-2"] == keys[:2]
    assert "since 2023-03-01" in answer["reading"]


def test_of_what_answers_what_is_of_the_time_comes_first_and_nothing_is_hidden(dated):
    keys, answer = asked(dated, "search", "What did we decide about how to log in 2021?", "--k", 10)

    assert "ADR-2" == keys[0]
    assert "ADR-4" in keys
    assert "records of 2021-01-01 to 2021-12-31" == answer["reading"]


def test_the_most_recent_is_the_last_of_those_that_answer(dated):
    latest, answer = asked(dated, "search", "most recent decision on log", "--k", 10)
    oldest, _ = asked(dated, "search", "oldest decision on log", "--k", 10)

    assert ["ADR-4", "ADR-2", "ADR-1"] == latest[:3]
    assert ["ADR-1", "ADR-2", "ADR-4"] == oldest[:3]
    assert "records, the most recent first" == answer["reading"]


def test_what_changed_last_month_is_counted_from_the_day_of_the_user(knowwhy, tmp_path):
    first = datetime.now().astimezone().date().replace(day=1)
    last = first - timedelta(days=1)
    days = {"R-1": last.replace(day=1), "R-2": last, "R-3": first, "R-4": date(2020, 1, 1)}
    rows = [(key, "adr", f"On {key}", f"{at}", f"We set {key}.") for key, at in days.items()]
    (tmp_path / "records.jsonl").write_text(lines(rows))
    assert 0 == knowwhy("ingest", "jsonl", tmp_path / "records.jsonl").code

    keys, answer = asked(knowwhy, "search", "what changed last month?")

    assert ["R-2", "R-1"] == keys[:2]
    assert f"of {last.replace(day=1)} to {last}" in answer["reading"]


@pytest.mark.parametrize(
    "question",
    [
        "What happened in the 2021 roadmap?",
        "What was decided by ISO 8601:2019?",
        "Which decisions does Windows Server 2019 change?",
        "How did we log in 2021?",
        "Which format was used in 2021?",
        "What changed after 2000 requests failed?",
    ],
)
def test_a_year_of_a_name_or_of_what_held_is_no_limit(dated, question):
    _, answer = asked(dated, "search", question)

    assert "" == answer["reading"]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which decisions are from 2021?", ["ADR-3", "ADR-2"]),
        ("Which architecture decisions date from June 2021?", ["ADR-2"]),
        ("What was drafted in Q3 2021?", ["ADR-3"]),
        ("Which decision was drafted in September 2021?", ["ADR-3"]),
        ("What did they decide in Q3 2021?", ["ADR-3"]),
        ("Which decisions are older than 2021?", ["ADR-1"]),
        ("Which decisions were made from 2024 on?", ["ADR-5", "ADR-4"]),
        ("What was the last incident of 2023?", ["INC-2"]),
        ("How many incidents were there from 2022 to 2023?", ["INC-2", "INC-1"]),
        ("Which post-mortems were written after 2023?", ["INC-3"]),
    ],
)
def test_what_there_is_of_a_time_is_listed_whatever_was_done_to_it(dated, question, found):
    keys, _ = asked(dated, "search", question, "--k", len(found))

    assert found == keys


@pytest.mark.parametrize("limits", [("--kind", "incident"), ("--since", "2022")])
def test_that_there_is_nothing_of_a_time_is_not_said_of_what_the_filters_hide(dated, limits):
    _, answer = asked(dated, "search", "What was decided in 2021?", *limits)

    assert not any("there is no" in note for note in answer["notes"])


def test_that_no_record_is_of_a_time_is_not_said_where_none_was_looked_at(dated):
    dated("remember", "We tune Kafka weekly because of its lag (ADR-5).", "--user", "ann")

    _, answer = asked(dated, "recall", "What was decided in 2011?", "--user", "ann")

    assert not any("there is no" in note for note in answer["notes"])


def test_that_there_is_nothing_of_a_time_is_said(dated):
    _, answer = asked(dated, "search", "What was decided in 2011?")

    assert "there is no adr of 2011-01-01 to 2011-12-31" in answer["notes"]


def test_what_a_walk_finds_comes_before_what_only_speaks_of_the_time(knowwhy, tmp_path):
    head = "---\ndate: {}\nstatus: accepted\n{}---\n# {}\n\n## Decision\n\n{}\n"
    texts = {
        "0001-one.md": head.format("2021-02-03", "superseded-by: ADR-2\n", "Use Redis", "Redis."),
        "0002-two.md": head.format("2023-02-03", "", "Use Valkey", "Valkey."),
        "0003-three.md": head.format(
            "2023-05-06", "", "Keep ADR-1 decisions", "ADR-1 and decisions superseded."
        ),
    }
    folder = tmp_path / "adr"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    assert 0 == knowwhy("ingest", "adr", folder).code

    keys, _ = asked(knowwhy, "search", "Which decisions superseded ADR-1 in 2023?")

    assert "adr/0002-two.md" == keys[0]
