"""Conversations as a person and a program read them again."""

import json

import pytest

SAID = [
    {"role": "user", "name": "Ann", "content": "Why Kafka?", "time": "2025-03-14T12:00:00+01:00"},
    {
        "role": "assistant",
        "content": "For [replay].\n\nSee ADR-12.",
        "time": "2025-03-14T12:01:00Z",
    },
]


@pytest.fixture(autouse=True)
def outside_of_any_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def told(knowwhy, tmp_path):
    (tmp_path / "plan.json").write_text(json.dumps({"session_id": "s-1", "messages": SAID}))
    for scope in (["--everybody"], ["--user", "ann", "--project", "orders"]):
        assert 0 == knowwhy("ingest", "conversation", tmp_path / "plan.json", *scope).code
    return knowwhy


def test_a_person_sees_when_who_where_and_what(told):
    done = told("history", "--user", "ann")

    assert (0, "") == (done.code, done.err)
    assert [
        "2025-03-14 12:01 UTC  assistant  s-1 · orders · ann",
        "   For [replay].",
        "",
        "   See ADR-12.",
        "",
        "2025-03-14 11:00 UTC  Ann (user)  s-1 · orders · ann",
        "   Why Kafka?",
        "",
    ] == done.out.splitlines()


def test_a_program_gets_every_field(told):
    turns = json.loads(told("history", "--user", "ann", "--json").out)

    assert ["For [replay].\n\nSee ADR-12.", "Why Kafka?"] == [turn["text"] for turn in turns]
    assert 32 == len(turns[0].pop("key"))
    assert {
        "at": "2025-03-14T12:01:00+00:00",
        "user": "ann",
        "project": "orders",
        "session": "s-1",
        "role": "assistant",
        "speaker": None,
        "text": "For [replay].\n\nSee ADR-12.",
        "context": "Ann: Why Kafka?",
        "expires_at": None,
    } == turns[0]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["--everybody"], 2),
        ([], 0),
        (["--user", "ann"], 2),
        (["--user", "bob"], 0),
        (["--project", "orders"], 0),
        (["--user", "ann", "--project", "orders"], 2),
        (["--user", "ann", "--project", "auth"], 0),
        (["--everybody", "--session", "s-1"], 2),
        (["--everybody", "--session", "s-2"], 0),
        (["--everybody", "--words", "kafka why"], 1),
        (["--everybody", "--words", "kafka replay"], 0),
        (["--everybody", "--limit", "1"], 1),
    ],
)
def test_only_what_is_asked_for_is_shown(told, asked, found):
    turns = json.loads(told("history", "--json", *asked).out)

    assert found == len(turns)
    assert {"ann" if "ann" in asked else None} >= {turn["user"] for turn in turns}


def test_nothing_found_is_said_and_is_no_error(told):
    done = told("history", "--user", "bob")

    said = "No such turns; --user names another user, --everybody those of no user.\n"
    assert (0, said) == (done.code, done.out)


def test_without_a_name_the_turns_are_those_of_the_user_of_the_system(told, monkeypatch):
    monkeypatch.setenv("LOGNAME", "ann")

    assert 2 == len(json.loads(told("history", "--json").out))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--limit", "0"], "The limit is 0; it must be from 1 to 1,000."),
        (["--limit", "x"], "not a valid integer"),
        (["--user", "u" * 201], "--user must be a name of at most 200 characters."),
        (["--session", " "], "--session must be a name"),
        (["--user", "ann", "--everybody"], "--user and --everybody exclude each other."),
        (["--words", "w " * 51], "at most 50 words"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_line(knowwhy, asked, said):
    done = knowwhy("history", *asked)

    assert done.code in (1, 2)
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "asked", [["--ttl-days", "0"], ["--ttl-days", "36501"], ["--user", "u" * 201]]
)
def test_what_an_ingest_cannot_mean_is_refused_before_anything_is_stored(knowwhy, tmp_path, asked):
    (tmp_path / "plan.json").write_text(json.dumps(SAID))

    assert 0 != knowwhy("ingest", "conversation", tmp_path / "plan.json", *asked).code
    assert "[]" == knowwhy("history", "--everybody", "--json").out.strip()


def test_a_stored_turn_cannot_steer_a_terminal(knowwhy, tmp_path):
    said = [{"role": "user", "content": "a\x1b[2Jb [bold]c[/bold]", "session": "\x1b]0;x\x07[red]"}]
    (tmp_path / "plan.json").write_text(json.dumps(said))

    knowwhy("ingest", "conversation", tmp_path / "plan.json")
    shown = knowwhy("history").out

    assert "\x1b" not in shown
    assert "a\\x1b[2Jb [bold]c[/bold]" in shown
    assert "[red]" in shown


def test_of_a_long_turn_a_person_sees_the_beginning(knowwhy, tmp_path):
    (tmp_path / "plan.json").write_text(
        json.dumps([{"role": "user", "content": "word " * 2_000 + "end"}])
    )

    knowwhy("ingest", "conversation", tmp_path / "plan.json")

    assert knowwhy("history").out.rstrip().endswith("…")
    assert "end" in knowwhy("history", "--json").out
