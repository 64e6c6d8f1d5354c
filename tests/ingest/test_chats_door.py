"""Chats through the door: taken in once, brought up to date, and without their secrets."""

import getpass
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS / "text"))

from test_redact import SECRETS, filled, secrets_of  # noqa: E402  # secrets that are no real ones

from knowwhy.ingest.chat.messages import MAX_CONTENT  # noqa: E402
from knowwhy.session.git import open_repository  # noqa: E402
from knowwhy.tables.write import table  # noqa: E402

CHATS = TESTS.parent / "golden" / "corpus" / "conversations"
RUN = [sys.executable, "-c", "from knowwhy.cli import main; main()"]
TOKEN = "ghp_" + "NqVw3xYz8aBcDeFg1HiJ" + "2kLm4nOp6qRs"
BIG = 8_000  # turns; seconds of writing in which to be killed
FEWEST = 5  # characters; a shorter secret also stands in other words
SHOWN = ("user_id", "project", "session_id", "speaker", "content", "context")


@pytest.fixture(autouse=True)
def outside_of_any_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def message(number, content=None, *, timed=True, **more):
    at = datetime(2025, 3, 14, 12, 0, tzinfo=UTC) + timedelta(minutes=number)
    said = {
        "role": "user" if number % 2 == 0 else "assistant",
        "content": content or f"No {number}",
    }
    return said | ({"time": at.isoformat()} if timed else {}) | more


def rows(*names):
    turns = table("turns")
    return list(turns.order_by(turns.at).select(**{n: getattr(turns, n) for n in names}).collect())


def column(name):
    return [row[name] for row in rows(name)]


@pytest.fixture
def take(knowwhy, tmp_path):
    """Writes a chat and takes it in; gives the summary as a program sees it."""

    def call(content, *options, file="chats/plan.json"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        done = knowwhy("ingest", "conversation", path, "--json", *options)
        summary = json.loads(done.out)
        assert (1 if summary["refused"] else 0) == done.code
        return summary

    return call


def counts(summary):
    return tuple(summary[name] for name in ("added", "updated", "unchanged", "expired"))


def test_the_golden_chats_go_in_whole_and_once(knowwhy, tmp_path):
    done = knowwhy("ingest", "conversation", CHATS)

    assert (0, "") == (done.code, done.err)
    assert done.out.startswith("12 files, 195 added, 0 updated, 0 unchanged, 0 expired, 0 refused")
    elsewhere = shutil.copytree(CHATS, tmp_path / "conversations")
    for again in ([CHATS], sorted(CHATS.iterdir()), [CHATS.parent / "conversations"], [elsewhere]):
        assert "12 files, 0 added, 0 updated, 195 unchanged" in (
            knowwhy("ingest", "conversation", *again).out
        )
    assert 195 == json.loads(knowwhy("status", "--json").out)["turns"]
    held = set(zip(column("user_id"), column("project"), column("session_id"), strict=True))
    around, me = open_repository(CHATS).identity(), getpass.getuser()
    assert ("noor.el-sayed", "auth", "s-20250220-nes-4") in held
    assert ("peter.ashgrove", around, "conversations/2024-10-14-peter-disputes") in held
    assert (me, around, "conversations/slack-manifest-2025-05-20") in held
    (told,) = {p for user, p, session in held if session == "0b563d9c-31ae-5700-bac6-50de9479f28a"}
    assert told.endswith("/orders/.git")  # of a folder that is not on this machine


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("file", ["plan.json", "plan.jsonl"])
def test_a_longer_export_adds_only_the_new_turns(take, timed, file):
    chat = [message(n, timed=timed) for n in range(5)]

    def write(messages):
        lined = "\n".join(json.dumps(m) for m in messages)
        return take(lined if file.endswith("l") else messages, file=file)

    assert (3, 0, 0, 0) == counts(write(chat[:3]))
    assert (0, 0, 3, 0) == counts(write(chat[:3]))
    assert (2, 0, 3, 0) == counts(write(chat))
    assert [m["content"] for m in chat] == column("content")
    assert [None, "user: No 0", "assistant: No 1", "user: No 2", "assistant: No 3"] == (
        column("context")
    )


def test_an_export_that_begins_later_adds_nothing_twice(take):
    chat = [message(n) for n in range(6)]
    take(chat[:4])

    assert 2 == take(chat[2:])["added"]
    assert [m["content"] for m in chat] == column("content")


@pytest.mark.parametrize("timed", [True, False])
def test_a_turn_whose_text_changed_is_updated_and_the_context_after_it(take, timed):
    chat = [message(n, timed=timed) for n in range(4)]
    take(chat)

    changed = [*chat[:3], message(3, "Another end", timed=timed)]
    assert (0, 1, 3, 0) == counts(take(changed))
    changed[1] = message(1, "In the middle", timed=timed)
    assert (0, 2, 2, 0) == counts(take(changed))
    assert ["No 0", "In the middle", "No 2", "Another end"] == column("content")
    assert "assistant: In the middle" == column("context")[2]


def test_turns_of_one_moment_stay_in_their_order(take):
    chat = [message(0, str(n)) for n in range(9)]

    take(chat)

    assert [str(n) for n in range(9)] == column("content")
    assert (0, 0, 9, 0) == counts(take(chat))


def test_chats_without_times_in_files_of_one_name_stay_apart(take):
    one = [message(n, f"One {n}", timed=False) for n in range(3)]
    other = [message(n, f"Other {n}", timed=False) for n in range(3)]

    for _ in range(2):
        take(one, file="a/chats/plan.json")
        take(other, file="b/chats/plan.json")

    assert 6 == table("turns").count()
    assert {m["content"] for m in (*one, *other)} == set(column("content"))


def test_chats_that_begin_alike_in_files_of_one_name_stay_apart_and_go_on(take):
    one = [message(n, "Hello" if n == 0 else f"One {n}", timed=False) for n in range(4)]
    other = [message(n, "Hello" if n == 0 else f"Other {n}", timed=False) for n in range(3)]

    assert (3, 0, 0, 0) == counts(take(one[:3], file="u1/chats/chat.json"))
    assert (3, 0, 0, 0) == counts(take(other, file="u2/chats/chat.json"))
    assert (1, 0, 3, 0) == counts(take(one, file="u1/chats/chat.json"))
    assert (0, 0, 3, 0) == counts(take(other, file="u2/chats/chat.json"))
    assert sorted(m["content"] for m in (*one, *other)) == sorted(column("content"))


def test_what_is_said_on_the_command_line_goes_before_what_the_chat_says(take):
    chat = [message(n, session="mine", project="here", user="ann") for n in range(2)]

    take(chat)
    take(chat, "--user", "bob", "--project", "there", "--session", "ours")

    assert {("ann", "here", "mine"), ("bob", "there", "ours")} == set(
        zip(column("user_id"), column("project"), column("session_id"), strict=True)
    )
    assert (0, 0, 2, 0) == counts(take(chat))


def test_one_session_under_another_file_name_is_the_same_chat(take):
    chat = [message(n) for n in range(4)]

    take(chat[:3], "--session", "s1", file="monday.json")

    assert (1, 0, 3, 0) == counts(take(chat, "--session", "s1", file="tuesday.json"))


@pytest.mark.parametrize(("options", "user"), [((), getpass.getuser()), (("--everybody",), None)])
def test_a_chat_of_several_users_is_of_who_took_it_in_and_names_who_speaks(take, options, user):
    take([message(0, user="ann"), message(1, user="ann"), message(2, user="bob")], *options)

    assert [(user, "ann"), (user, None), (user, "bob")] == list(
        zip(column("user_id"), column("speaker"), strict=True)
    )


def test_turns_live_as_long_as_they_are_given(take):
    now = datetime.now(UTC)
    chat = [message(0, "old", time="2020-01-01T00:00:00Z"), message(1, "new", time=now.isoformat())]

    assert (1, 0, 0, 1) == counts(take(chat, "--ttl-days", "2"))
    assert (0, 0, 1, 1) == counts(take(chat, "--ttl-days", "2"))
    assert [timedelta(days=2)] == [r["expires_at"] - r["at"] for r in rows("expires_at", "at")]
    assert (0, 1, 0, 1) == counts(take(chat, "--ttl-days", "1"))
    assert (1, 0, 1, 0) == counts(take(chat))
    assert [None, timedelta(days=1)] == [
        r["expires_at"] and r["expires_at"] - r["at"] for r in rows("expires_at", "at")
    ]


def test_broken_files_and_lines_are_named_and_the_rest_goes_in(knowwhy, tmp_path):
    folder = tmp_path / "chats"
    folder.mkdir()
    lines = [json.dumps(message(0)), '{"role": "user", "con', json.dumps(message(1)), "[" * 9]
    (folder / "a.jsonl").write_text("\n".join(lines))
    (folder / "b.json").write_text('{"messages": [')
    (folder / "c.md").write_text("# Notes\n\nNobody speaks.\n")
    (folder / "d.json").write_bytes(b"\xff\xfa")
    (folder / "e.txt").write_text("User: Why?\nAssistant: Because.\n")
    (folder / "f.json").write_text("")
    (folder / "g.png").write_bytes(b"\x89PNG")
    (folder / "README.md").write_text("# These are chats\n")

    done = knowwhy("ingest", "conversation", folder)

    assert 1 == done.code
    assert "2 files, 4 added, 0 updated, 0 unchanged, 0 expired, 6 refused" == done.out.strip()
    assert [
        "refused chats/a.jsonl:2: is not JSON (unterminated string starting at at character 18)",
        "refused chats/a.jsonl:4: is not JSON (expecting value at character 10)",
        "refused chats/b.json: The JSON cannot be read at line 1: expecting value.",
        "refused chats/c.md: holds no messages that can be read.",
        "refused chats/d.json: is not in UTF-8 (byte 0); convert it first",
        "refused chats/f.json: is empty",
    ] == done.err.splitlines()
    assert "4 unchanged" in knowwhy("ingest", "conversation", folder).out


def test_links_out_pipes_sizes_and_nothing_are_refused(knowwhy, tmp_path, monkeypatch):
    monkeypatch.setenv("KNOWWHY_MAX_FILE_MB", "1")
    folder = tmp_path / "chats"
    (folder / "empty").mkdir(parents=True)
    (tmp_path / "out.json").write_text(json.dumps([message(0, "outside")]))
    (folder / "link.json").symlink_to(tmp_path / "out.json")
    (folder / "loop.json").symlink_to(folder / "loop.json")
    os.mkfifo(folder / "pipe.json")
    (folder / "big.json").write_text(json.dumps([message(0, "x" * 1_000_001)]))
    (folder / "good.json").write_text(json.dumps([message(0, "inside")]))

    done = knowwhy(
        "ingest", "conversation", folder, folder / "empty", tmp_path / "no.json", folder / "x.png"
    )

    assert 1 == done.code
    assert ["inside"] == column("content")
    for said in (
        "link.json: is a link out of the given folder",
        "loop.json: is a link that leads nowhere",
        "pipe.json: is not a regular file",
        "big.json: is larger than 1 MB",
        "empty: holds no files to read as conversation",
        "no.json: does not exist",
        "x.png: does not exist",
    ):
        assert said in done.err


def test_no_planted_secret_reaches_a_table_or_an_output(knowwhy, tmp_path):
    cases = [case.values[0] for case in SECRETS]
    assert len(cases) >= 20
    chat = [message(n, filled(case)) for n, case in enumerate(cases)]
    broken = [json.dumps(m)[:-9] + TOKEN for m in chat]
    folder = tmp_path / f"chats {TOKEN}"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(chat))
    (folder / "b.jsonl").write_text("\n".join([*broken, *map(json.dumps, chat)]))
    (folder / f"broken {TOKEN}.json").write_text("{" + filled(cases[0]))
    (folder / f"empty {TOKEN}.md").write_text(filled(cases[1]))

    done = knowwhy("--verbose", "ingest", "conversation", folder, "--everybody")
    everything = ("history", "--everybody", "--limit", 1000)
    shown = knowwhy(*everything), knowwhy(*everything, "--json")

    assert f"{2 * len(chat)} added" in done.out
    stored = str(rows("key", "scope", *SHOWN))
    for text in (stored, done.out + done.err, *(ran.out + ran.err for ran in shown)):
        for case in cases:
            assert [] == [s for s in secrets_of(case) if len(s) > FEWEST and s in text], case["id"]
        assert TOKEN[4:] not in text
    assert stored.count("[redacted: ") > len(cases)


@pytest.mark.parametrize(
    "field", ["id", "user", "session", "project", "speaker", "role", "content", "time"]
)
def test_a_secret_in_any_field_or_option_is_not_stored(take, knowwhy, field):
    chat = [message(0) | {field: f"see {TOKEN} now"}, message(1), message(2, "x" * 250)]

    take(chat, file=f"{TOKEN}/plan {TOKEN}.json")
    take(chat, "--user", f"u {TOKEN}", "--project", f"p {TOKEN}", "--session", f"s {TOKEN}")

    shown = knowwhy("history", "--user", f"u {TOKEN}", "--json")
    assert len(json.loads(shown.out)) >= 2
    for text in (str(rows("key", "scope", *SHOWN)), shown.out + shown.err):
        assert TOKEN[4:].lower() not in text.lower()


def test_no_half_of_a_secret_stays_where_a_long_message_or_name_is_cut(take):
    cut = "x " * (MAX_CONTENT // 2 - 10) + TOKEN + " y" * 100
    take([message(0, cut, session="word " * 38 + TOKEN), message(1)])

    stored = str(rows(*SHOWN))
    assert TOKEN[4:9] not in stored
    assert max(len(content) for content in column("content")) <= MAX_CONTENT


def test_two_sessions_that_differ_only_in_a_secret_stay_two(take):
    other = TOKEN[:-4] + "wXyZ"

    take([message(0, "a", session=TOKEN), message(0, "b", session=other)])

    assert 2 == len(set(column("session_id")))


@pytest.mark.slow
def test_a_huge_chat_that_is_killed_is_finished_by_the_same_command(store, tmp_path):
    (tmp_path / "big.jsonl").write_text("\n".join(json.dumps(message(n)) for n in range(BIG)))
    command = [*RUN, "ingest", "conversation", str(tmp_path / "big.jsonl"), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while table("turns").count() == 0 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    before = table("turns").count()

    done = subprocess.run(command, capture_output=True, text=True)

    assert 0 < before < BIG
    summary = json.loads(done.stdout)
    assert (BIG - before, 0, before, 0) == counts(summary), done.stderr
    assert BIG == len(set(column("key"))) == table("turns").count()
    assert {1} == set(Counter(column("content")).values())


@pytest.mark.slow
def test_ctrl_c_ends_with_one_line_and_the_same_command_goes_on(store, tmp_path):
    (tmp_path / "big.jsonl").write_text("\n".join(json.dumps(message(n)) for n in range(BIG)))
    command = [*RUN, "ingest", "conversation", str(tmp_path / "big.jsonl"), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while table("turns").count() == 0 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert 130 == process.returncode, err
    assert "stopped; what was written stays, the same command goes on." in err
    assert "Traceback" not in err
    done = subprocess.run(command, capture_output=True, text=True)
    summary = json.loads(done.stdout)
    assert BIG == summary["added"] + summary["unchanged"] == table("turns").count()
