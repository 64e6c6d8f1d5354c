"""Whose chats are and in which project: their owner's and their repository's, else nobody sees."""

import getpass
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "mcp"))

from wire import git, over_stdio

REMOTE = "git@code.example.com:parcels/labels.git"
PLACE = "code.example.com/parcels/labels"
SAFE = "The blue safe holds the release keys."
ASK = "What holds the release keys?"
ME = getpass.getuser()


def made(folder, remote=REMOTE):
    """Makes a repository."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def claude(folder=None, words=SAFE, session="5f0c2b9d-claude"):
    """Gives the lines of a session of Claude Code, which names the folder that it was held in."""
    place = {"cwd": str(folder)} if folder else {}
    said = [("user", words), ("assistant", "Noted.")]
    return "\n".join(
        json.dumps(
            {
                "type": role,
                "uuid": f"{session}-{role}-{len(words)}",
                "sessionId": session,
                "timestamp": "2026-03-01T10:00:00Z",
                "message": {"role": role, "content": content},
                **place,
            }
        )
        for role, content in said
    )


def codex(folder, remote):
    git_ = {"repository_url": remote} if remote else {}
    head = {"id": "0197-codex", "cwd": str(folder), "git": git_}
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SAFE}]}
    return "\n".join(
        json.dumps({"timestamp": "2026-03-01T10:00:00Z", "type": kind, "payload": payload})
        for kind, payload in (("session_meta", head), ("response_item", item))
    )


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Gives a user's home, in no repository, and works in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def held(knowwhy):
    """Gives the users and the projects of all turns that are stored."""

    def call():
        from knowwhy.tables.write import table

        turns = table("turns")
        found = turns.select(user=turns.user_id, project=turns.project).collect()
        return {(row["user"], row["project"]) for row in found}

    return call


def put(file, content):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    return file


def test_a_session_is_its_owners_alone_and_an_assistant_in_its_repository_recalls_it(
    knowwhy, home, held
):
    repository = made(home / "work" / "labels")
    file = put(home / "s" / "one.jsonl", claude(repository / "docs"))

    done = knowwhy("ingest", "conversation", file)

    assert (0, "") == (done.code, done.err)
    assert {(ME, PLACE)} == held()
    shown = [knowwhy("search", ASK, *who).out for who in ((), ("--project", PLACE))]
    hidden = [knowwhy("search", ASK, *who).out for who in (("--user", "bob"), ("--everybody",))]
    hidden += [knowwhy("history", *who).out for who in (("--user", "bob"), ("--everybody",))]
    assert all("blue safe" in out for out in shown)
    assert not any("blue safe" in out for out in hidden)
    with over_stdio("--repo", str(repository)) as assistant:
        assert "blue safe" in assistant.ok("recall", query=ASK).text
        assert "blue safe" in assistant.ok("get_history").text
    with over_stdio("--repo", str(repository), "--user", "bob") as assistant:
        assert "blue safe" not in assistant.ok("recall", query=ASK).text
        assert "blue safe" not in assistant.ok("get_history").text
    with over_stdio("--repo", str(made(home / "other", None))) as assistant:
        assert "blue safe" not in assistant.ok("recall", query=ASK).text


@pytest.mark.parametrize(
    ("options", "user"),
    [((), ME), (("--user", "ann"), "ann"), (("--everybody",), None)],
)
def test_who_owns_a_chat_that_names_nobody_is_said_or_is_who_takes_it_in(
    knowwhy, home, held, options, user
):
    chat = json.dumps([{"role": "user", "content": SAFE}])

    knowwhy("ingest", "conversation", put(home / "chat.json", chat), *options)

    assert {(user, None)} == held()
    assert ("blue safe" in knowwhy("search", ASK, "--user", "bob").out) == (user is None)


def test_a_chat_that_names_its_user_stays_theirs_also_among_everybodys(knowwhy, home, held):
    chat = json.dumps([{"role": "user", "content": SAFE, "user": "ann"}])

    knowwhy("ingest", "conversation", put(home / "chat.json", chat), "--everybody")

    assert {("ann", None)} == held()
    both = knowwhy("ingest", "conversation", home / "chat.json", "--everybody", "--user", "ann")
    assert (1, True) == (both.code, "exclude each other" in both.err)


def test_the_place_is_what_the_session_says_then_what_is_around_it(knowwhy, home, held):
    labels, plain = made(home / "labels"), made(home / "plain", None)
    (home / "empty").mkdir()
    gone, part = home / "gone", labels / "deleted" / "part"
    cases = {
        "told": (claude(labels), PLACE),
        "a part that is gone": (claude(part), PLACE),
        "without a remote": (claude(plain), f"git:{plain / '.git'}"),
        "gone": (claude(gone), f"git:{gone / '.git'}"),
        "gone, with a remote": (codex(gone, "https://h.example/a/b.git"), "h.example/a/b"),
        "in no repository": (claude(home / "empty"), None),
        "of another system": (claude("C:\\work\\x"), "git:C:/work/x/.git"),
        "nothing told": (claude(), None),
    }
    for name, (content, project) in cases.items():
        file = put(home / "files" / f"{name}.jsonl", content.replace("5f0c2b9d", name[:6]))
        knowwhy("ingest", "conversation", file)
        assert {(ME, project)} == held(), name
        empty()
    knowwhy("ingest", "conversation", put(labels / "chats" / "c.jsonl", claude()))
    assert {(ME, PLACE)} == held()


def test_a_place_of_a_long_name_is_still_one_that_can_be_learned_in(knowwhy, home, held):
    said = "We use Go because it is small."
    knowwhy("ingest", "conversation", put(home / "c.jsonl", claude("/" + "x" * 300, said)))
    ((user, project),) = held()
    learned = knowwhy("extract")

    assert (ME, 200) == (user, len(project))
    assert project.startswith("git:/xxx")
    assert (0, True) == (learned.code, "Go" in knowwhy("memories").out)


def test_where_nothing_tells_a_place_it_is_the_repository_that_is_worked_in(
    knowwhy, home, held, monkeypatch
):
    file = put(home / "c.jsonl", claude())
    monkeypatch.chdir(made(home / "labels"))

    knowwhy("ingest", "conversation", file)
    assert {(ME, PLACE)} == held()
    empty()
    knowwhy("ingest", "conversation", file, "--project", "mine")
    assert {(ME, "mine")} == held()
    empty()
    knowwhy("ingest", "conversation", put(home / "w.jsonl", claude("C:\\work\\x")))
    assert {(ME, "git:C:/work/x/.git")} == held()


def empty():
    from knowwhy.tables.write import table

    table("turns").delete()


def test_the_sessions_of_assistants_are_found_and_taken_in(knowwhy, home, held):
    labels = made(home / "labels")
    name = "5e7f9a1b-2468-4ace-8bdf-13579bdf0246"
    wire = {"timestamp": 1.7e9, "message": {"type": "TurnBegin", "payload": {"user_input": SAFE}}}
    files = {
        f".claude/projects/-home-labels/{name}.jsonl": claude(labels, "Claude's."),
        ".claude/projects/-home-labels/agent-77.jsonl": claude(labels, "A subtask's."),
        ".codex/sessions/2026/03/01/rollout-1.jsonl": codex(labels, None),
        f".kimi-code/sessions/wd_x/session_{name}/agents/main/wire.jsonl": json.dumps(wire),
        f".grok/sessions/{str(labels).replace('/', '%2F')}/{name}/chat_history.jsonl": json.dumps(
            {"type": "user", "content": "Grok's."}
        ),
        ".gemini/tmp/labels/chats/session-1.json": json.dumps(
            {"sessionId": "g", "messages": [{"id": "m", "type": "user", "content": "Gemini's."}]}
        ),
        ".qwen/projects/-home-labels/chats/q.jsonl": json.dumps(
            {"type": "system", "uuid": "u", "sessionId": "q"}
        ),
    }
    for path, content in files.items():
        put(home / path, content)
    put(home / f".kimi-code/sessions/wd_x/session_{name}/state.json", f'{{"workDir": "{labels}"}}')
    put(home / ".gemini/tmp/labels/.project_root", f"{labels}\n")

    dry = knowwhy("ingest", "sessions", "--dry-run")
    assert set() == held()
    listed = json.loads(knowwhy("ingest", "sessions", "--dry-run", "--json").out)
    done = knowwhy("ingest", "sessions", "--json")
    again = knowwhy("ingest", "sessions", "--of", "claude")
    wrong = knowwhy("ingest", "sessions", "--of", "nobody")

    assert "claude: 1 sessions" in dry.out
    assert {"claude", "codex", "gemini", "qwen", "kimi", "grok"} == set(listed)
    told = json.loads(done.out)
    assert (0, [], 5, 6, 1) == (
        done.code, told["refused"], told["files"], told["added"], told["empty"]
    )  # fmt: skip
    assert {(ME, PLACE)} == held()
    assert "1 files, 0 added, 0 updated, 2 unchanged" in again.out
    assert (1, True) == (wrong.code, "no place known for 'nobody'" in wrong.err)
    assert "subtask" not in knowwhy("history").out


def test_where_no_assistant_keeps_sessions_that_is_said(knowwhy, home):
    done = knowwhy("ingest", "sessions")

    assert 0 == done.code
    assert f"No assistant keeps sessions in {home}." in done.out


def test_through_a_server_chats_are_the_callers_and_of_their_repository(store, home, held):
    labels, other = made(home / "labels"), made(home / "other", None)
    put(labels / "chats" / "a.jsonl", claude(other))
    put(labels / "chats" / "b.jsonl", claude(words="Ours.", session="77-claude"))
    named = [{"role": "user", "content": "Named.", "user": "bob", "project": "his"}]
    put(labels / "chats" / "c.json", json.dumps(named))
    with over_stdio("--repo", str(labels), "--user", "ann") as assistant:
        assistant.ok("ingest", path="chats", kind="conversation", wait_seconds=60)
    assert {("ann", f"git:{other / '.git'}"), ("ann", PLACE)} == held()

    empty()
    with over_stdio("--repo", str(labels), "--project", "bound") as assistant:
        assistant.ok("ingest", path="chats", kind="conversation", wait_seconds=60)
    assert {(ME, "bound")} == held()


def test_a_chat_that_is_taken_in_again_from_elsewhere_stays_where_it_is(
    knowwhy, home, held, monkeypatch
):
    file = put(home / "c.json", json.dumps([{"role": "user", "content": SAFE}]))
    for place in (made(home / "labels"), made(home / "other", None), home):
        monkeypatch.chdir(place)
        done = knowwhy("ingest", "conversation", file)

    assert "0 added, 0 updated, 1 unchanged" in done.out
    assert {(ME, PLACE)} == held()


def test_what_was_everybodys_is_told_of_and_made_its_owners_when_it_is_claimed(knowwhy, home, held):
    repository = made(home / "labels")
    file = put(home / "s" / "one.jsonl", claude(repository, "We use Go because it is small."))
    other = put(home / "s" / "two.jsonl", claude(repository, "We use tabs.", "77-claude"))
    as_before(file, other)  # of no user, under the name of the folder
    assert {(None, "labels")} == held()
    knowwhy("extract")
    assert "Go" in knowwhy("memories", "--everybody", "--project", "labels").out

    note = told_by_doctor(knowwhy)
    claimed = knowwhy("ingest", "conversation", file, "--claim")
    again = knowwhy("ingest", "conversation", file, "--claim")

    assert "4 messages of conversations are of no user" in note["text"]
    assert "knowwhy ingest conversation FILES --claim" == note["run"]
    assert "2 added" in claimed.out
    assert "2 claimed" in claimed.out
    assert "2 unchanged" in again.out
    assert "claimed" not in again.out
    assert "2 messages of conversations are of no user" in told_by_doctor(knowwhy)["text"]
    assert "because it is small" in knowwhy("history").out
    for command in (("search", "Why Go?"), ("memories",), ("memories", "--status", "refused")):
        for who in (("--user", "bob"), ("--everybody",)):
            shown = knowwhy(*command, *who, "--project", "labels").out
            assert "because it is small" not in shown, (command, who)
    assert "We use tabs." in knowwhy("history", "--everybody", "--project", "labels").out
    both = knowwhy("ingest", "conversation", file, "--claim", "--everybody")
    assert (1, True) == (both.code, "exclude each other" in both.err)


def told_by_doctor(knowwhy):
    findings = json.loads(knowwhy("doctor", "--json").out)
    return next(one for one in findings if one["what"] == "everybody's messages")


def as_before(*files):
    """Takes files in as an earlier version did."""
    from knowwhy.ingest.chat.claiming import as_before as named
    from knowwhy.ingest.chat.conversation import read_conversation
    from knowwhy.ingest.chat.turning import Whose, turns_of
    from knowwhy.tables import write

    for file in files:
        messages, _ = read_conversation(file.read_text(), path=f"s/{file.name}")
        at = {"written": datetime.now(UTC), "now": datetime.now(UTC)}
        write.put_turns([coming.turn for coming in turns_of(named(messages), Whose(), **at)])
