"""What somebody new meets at the command line and through an assistant in the first minutes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from terminals import Terminal, shown

from knowwhy.cli.progress import Course, in_words
from knowwhy.session.client_files import CLIENTS, NEXT

sys.path.insert(0, str(Path(__file__).parents[1] / "mcp"))

from wire import over_stdio  # from the folder of another door

CORPUS = Path(__file__).parents[2] / "golden" / "corpus"
ANN, BOB = ("--user", "ann"), ("--user", "bob")
SECRET = "hunter2-Xy7kqZ"
CLAIM = "We deploy on Tuesdays because support is fully staffed."
BACKBONE = "adr/0012-use-kafka-as-event-backbone.md"


@pytest.fixture
def filled(knowwhy):
    assert 0 == knowwhy("ingest", "adr", CORPUS / "adr").code
    return knowwhy


def git(folder, *words):
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True)
    assert 0 == done.returncode, done.stderr
    return done.stdout


# -- questions without quotes


@pytest.mark.parametrize("command", ["search", "recall", "context"])
def test_a_question_needs_no_quotes_with_options_before_and_after_it(filled, command):
    filled("remember", *CLAIM.split(), *ANN)
    whole = filled(command, "why did we move to kafka", *ANN, "--json")
    apart = filled(command, *ANN, "why", "did", "we", "move", "to", "kafka", "--json")

    asked, again = json.loads(whole.out), json.loads(apart.out)
    assert (0, 0, "") == (whole.code, apart.code, apart.err)
    assert "why did we move to kafka" == asked["question"] == again["question"]
    assert [h["key"] for h in asked.get("hits", ())] == [h["key"] for h in again.get("hits", ())]


def test_what_is_told_needs_no_quotes_either(knowwhy):
    key = json.loads(knowwhy("remember", *CLAIM.split(), *ANN, "--json").out)["key"]
    knowwhy("task", "set", "Move", "the", "ledger", *ANN)
    knowwhy("say", "The", "build", "is", "green.", *ANN)

    assert [CLAIM] == [m["text"] for m in json.loads(knowwhy("memories", *ANN, "--json").out)]
    assert CLAIM == json.loads(knowwhy("provenance", key, *ANN, "--json").out)["text"]
    assert "Move the ledger" in knowwhy("task", "show", *ANN).out
    assert "The build is green." in knowwhy("history", *ANN).out


# -- did you mean


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("serch", "why", "kafka"), "Did you mean 'search'"),
        (("ask", "why", "kafka"), "Did you mean 'search'"),
        (("why", "kafka"), "To ask: knowwhy search why kafka"),
        (("review", "aprove", "m-1"), "approve"),
        (("search", "kafka", "--servic", "x"), "--service"),
        (("search", "--delete-delay"), "stand behind `--`"),
    ],
)
def test_a_command_or_option_that_is_mistyped_is_answered_with_what_may_be_meant(
    knowwhy, words, said
):
    done = knowwhy(*words)

    assert (2, True) == (done.code, said in done.err), done.err


def test_a_question_that_begins_with_dashes_goes_behind_two_of_them(filled):
    done = filled("search", "--json", "--", "--delete-delay", "of", "kafka")

    assert "--delete-delay of kafka" == json.loads(done.out)["question"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "adr/0012-use-kafka-as-event-bone.md"), f"did you mean '{BACKBONE}'"),
        (("graph", "adr/0012-use-kafka-as-event-bone.md"), BACKBONE),
        (("list", "--kind", "adrs"), "did you mean 'adr'?"),
        (("search", "kafka", "--kind", "incidents"), "did you mean 'incident'?"),
        (("memories", "--kind", "facts"), "did you mean 'fact'?"),
        (("connect", "claude-cod"), "'claude-code'"),
        (("docs", "jason"), "did you mean 'json'"),
    ],
)
def test_a_name_that_is_mistyped_is_answered_with_what_may_be_meant(filled, words, said):
    done = filled(*words)

    assert (1, "") == (done.code, done.out)
    assert said in done.err
    assert 1 == len(done.err.splitlines())


def test_a_label_with_another_number_is_not_what_was_meant(filled):
    assert "`knowwhy list` shows the keys." in filled("show", "ADR-777").err


def test_a_service_or_project_that_nothing_is_of_is_named_with_those_there_are(filled):
    filled("ingest", "incident", "--summary", "The ledger stood still.", "--service", "payments")
    filled("ingest", "incident", "--summary", "The scale stood still.", "--project", "shop")

    service = filled("search", "kafka", "--service", "paymnts")
    project = filled("context", "kafka", "--project", "shpo")

    assert (
        "note: Nothing is of the service 'paymnts'; there is payments; did you mean" in service.err
    )
    assert "note: Nothing is of the project 'shpo'; there is shop; did you mean" in project.err
    assert "Nothing is of" not in filled("search", "ledger", "--service", "payments").err


def test_what_is_suggested_is_what_the_asker_may_see(filled, tmp_path):
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr" / "0001-buy-the-bank.md").write_text("# Buy the bank\n\nStatus: accepted\n")
    filled("ingest", "adr", tmp_path / "adr", "--project", "secret")
    filled("checkpoint", "create", "before-the-merger", *BOB)

    with over_stdio("--user", "ann", "--project", "shop") as ann:
        said = ann.fails("get", key="adr/0001-buy-the-bnk.md")
        assert "bank" not in said
        assert "bank" not in ann.fails("graph", node="secret::adr/0001-buy-the-bnk.md").replace(
            "buy-the-bnk", ""
        )
        nearly = ann.fails("get", key="adr/0012-use-kafka-as-back.md")
        assert (True, True) == ("did you mean" in nearly, BACKBONE in nearly)
    assert "merger" not in filled("checkpoint", "diff", "before-the-merge", *ANN).err.replace(
        "before-the-merge'", ""
    )
    assert (
        "did you mean 'before-the-merger'"
        in filled("checkpoint", "diff", "before-the-merge", *BOB).err
    )


# -- ids that a hand can type


def test_the_beginning_of_an_id_stands_for_it_where_no_other_begins_so(knowwhy):
    key = json.loads(knowwhy("remember", CLAIM, *ANN, "--json").out)["key"]

    assert key in knowwhy("provenance", key[:6], *ANN).out
    done = json.loads(knowwhy("retract", key[:6], "--why", "No.", *ANN, "--json").out)
    assert (key, "retracted") == (done["key"], done["status"])
    with over_stdio("--user", "ann") as ann:
        assert "deploy" in ann.ok("get", key=key[:8]).text
        assert "deploy" in ann.ok("why", key=key[:8]).text
        assert key in ann.ok("restore_memory", key=key[:8], reason="It holds.").text


def test_where_several_begin_so_they_are_named_and_nothing_is_done(knowwhy):
    keys: dict[str, list[str]] = {}
    number = 0
    while not any(len(those) > 1 for those in keys.values()):
        number += 1
        told = knowwhy("remember", f"The shelf {number} holds {number} kilos.", *ANN, "--json")
        key = json.loads(told.out)["key"]
        keys.setdefault(key[:4], []).append(key)
    begins, those = next((b, k) for b, k in keys.items() if len(k) > 1)

    refused = knowwhy("retract", begins, "--why", "No.", *ANN)

    assert (1, "") == (refused.code, refused.out)
    assert f"{begins} begins {len(those)} ids: {', '.join(sorted(those))}." in refused.err
    assert "Give more of one." in refused.err
    statuses = {m["status"] for m in json.loads(knowwhy("memories", *ANN, "--json").out)}
    assert {"active"} == statuses


def test_an_id_of_another_user_is_begun_by_nothing(knowwhy):
    key = json.loads(knowwhy("remember", CLAIM, *BOB, "--json").out)["key"]

    refused = knowwhy("provenance", key[:8], *ANN)

    assert (1, "") == (refused.code, refused.out)
    assert (True, False) == (f"You have no memory '{key[:8]}'" in refused.err, key in refused.err)


def test_agents_and_pools_are_called_by_names_and_by_the_beginnings_of_their_ids(knowwhy):
    def told(*words):
        done = knowwhy(*words, "--json")
        assert 0 == done.code, done.err
        return json.loads(done.out)

    agent = told("agents", "register", "Planner", "--type", "human", *ANN)["agent"]
    pool = told("pools", "create", "Payments", "--agent", "Planner", *ANN)["pool"]

    assert "Planner" in knowwhy("pools", "members", pool[:8], "--agent", agent[:8], *ANN).out
    assert "Planner" in knowwhy("pools", "members", "Payments", "--agent", "Planner", *ANN).out
    missed = knowwhy("pools", "members", "Paymnts", "--agent", "Planner", *ANN)
    assert (1, True) == (missed.code, "did you mean 'Payments'?" in missed.err)
    other = knowwhy("pools", "members", "Payments", "--agent", "Planner", *BOB)
    assert (1, True) == (other.code, "No agent of yours has that id." in other.err)
    with over_stdio("--user", "ann", "--profile", "all") as ann:
        assert "Planner" in ann.ok("get_pool_members", agent_id="Planner", pool=pool[:8]).text


def test_a_key_of_a_record_is_begun_but_not_in_the_midst_of_a_number(filled):
    assert BACKBONE == json.loads(filled("show", "adr/0012-use", "--json").out)["key"]
    assert BACKBONE == json.loads(filled("show", "adr/0012", "--json").out)["key"]
    several = filled("show", "adr/00")
    assert (1, True) == (several.code, "No record is called 'adr/00'" in several.err)
    dashes = filled("show", "adr/")
    assert "begins 43 keys" in dashes.err


# -- an empty memory


def test_an_empty_memory_says_so_and_what_to_run_at_every_door(knowwhy):
    for words in (("search", "why"), ("recall", "why"), ("context", "why")):
        done = knowwhy(*words, *ANN)
        assert (0, True) == (
            done.code,
            "The memory is empty. `knowwhy sync`" in done.out + done.err,
        )
    assert "no records yet. `knowwhy sync`" in knowwhy("list").err
    assert "The memory is empty." in knowwhy("status").out
    with over_stdio("--user", "ann") as ann:
        for tool in ("semantic_search", "get_context", "recall"):
            said = ann.ok(tool, query="why").text
            assert "The memory is empty. `ingest` in a repository" in said
        assert "There are no records yet. `ingest`" in ann.ok("list_records").text
    knowwhy("remember", CLAIM, *BOB)
    assert "The memory is empty." in knowwhy("search", "why", *ANN).out
    assert "The memory is empty." not in knowwhy("search", "why", *BOB).out


# -- secrets


def test_what_is_told_says_which_secrets_of_it_are_not_kept(knowwhy):
    text = f"The staging database opens with password={SECRET} because nobody has rotated it."
    done = knowwhy("remember", text, *ANN)

    assert "note: 1 secret is not kept: password.\n" == done.err
    assert SECRET not in done.out + done.err
    assert "" == knowwhy("remember", CLAIM, *ANN).err
    with over_stdio("--user", "ann") as ann:
        said = ann.ok("remember", text=text.replace("staging", "test"), said_by="user").text
        assert (True, False) == ("1 secret is not kept: password." in said, SECRET in said)


def test_what_is_taken_in_says_in_which_line_a_secret_was_that_is_not_kept(knowwhy, tmp_path):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "deploy.md"
    page.write_text(f"# Deploy\n\nAs ever.\n\npassword={SECRET}\n\nDone.\n\npassword={SECRET}2\n")

    for words in (("ingest", "document", page), ("sync", tmp_path, "--project", "p", "--all")):
        done = knowwhy(*words)
        assert "2 secrets are not kept: 2 × password (line 5, 9)" in done.err
        assert SECRET not in done.out + done.err
    assert "secret" not in knowwhy("ingest", "document", page).err


# -- progress


class Clock:
    """A clock that goes where it is put."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_rest_is_told_by_what_was_embedded_and_not_before_that_is_known():
    clock = Clock()
    course = Course("api", "files", 3, {"a": 1_000, "b": 1_000, "c": 8_000}, clock)
    course(0, ["a"])
    assert "api: 0 of 3 files  a" == course.line(60)
    clock.now = 10.0
    course.embedded(1_000)
    assert "api: 0 of 3 files, about 2 min left  a" == course.line(60)
    clock.now = 20.0
    course.embedded(4_000)
    assert "api: 0 of 3 files, about 20 s left  a" == course.line(60)
    course(3, ["a", "b", "c"])
    assert "api: 3 of 3 files  a" == course.line(60)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "some seconds left"), (22, "about 20 s left"), (70, "about 1 min left"),
        (3_000, "about 50 min left"), (4_200, "about 1 h 10 min left"), (7_200, "about 2 h left"),
    ],
)  # fmt: skip
def test_a_rest_is_told_as_roughly_as_it_is_known(seconds, words):
    assert words == in_words(seconds)


@pytest.mark.parametrize("columns", [40, 60, 140])
def test_a_sync_shows_counts_and_the_file_at_hand_on_one_line_of_a_terminal(
    knowwhy, monkeypatch, columns
):
    err = Terminal()
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("knowwhy.cli.progress.TOLD_EVERY", 0.0)
    monkeypatch.setattr("sys.stderr", err)
    from knowwhy.cli import run

    code = run(["sync", str(CORPUS)])

    states = err.getvalue().split("\r\x1b[K")
    assert (0, "") == (code, states[-1].split("\n")[0])
    assert any(re.match(r"corpus: \d+ of 1\d\d files", state) for state in states)
    assert columns < 60 or any(state.endswith(".md") for state in states)
    assert [] == [state for state in states[:-1] if len(state) >= columns or "\n" in state]


def test_in_a_pipe_a_line_is_told_now_and_then(knowwhy, monkeypatch):
    monkeypatch.setattr("knowwhy.cli.progress.LINE_EVERY", 0.0)

    told = knowwhy("ingest", "adr", CORPUS / "adr").err.splitlines()
    quiet = [line for line in told if not re.match(r"adr: \d+ of 43 files", line)]

    assert len(told) > 10
    assert [] == quiet
    assert "\r" not in "".join(told)


def test_a_night_tells_its_steps_on_a_terminal(knowwhy, monkeypatch):
    monkeypatch.setattr("knowwhy.cli.progress.TOLD_EVERY", 0.0)
    err = Terminal()
    monkeypatch.setattr("sys.stderr", err)
    from knowwhy.cli import run

    run(["nightly", "--only", "expire"])

    assert "nightly: 0 of 1 steps  expire" in err.getvalue()


# -- status, nightly, connect


def test_status_tells_the_disk_as_du_does(knowwhy):
    told = json.loads(knowwhy("status", "--json").out)
    said = subprocess.run(
        ["du", "-s", "--block-size=1", told["home"]], capture_output=True, text=True
    )
    seen = int(said.stdout.split()[0]) / 1_000_000

    assert told["disk_mb"] == pytest.approx(seen, rel=0.1)


def test_status_says_in_words_what_is_there_and_what_to_do_next(filled):
    filled("say", "The build is green.", *ANN)
    out = filled("status").out

    assert "records   43: 43 adr" in out
    assert "1 turn, 0 memories" in out
    assert "next      `knowwhy extract` learns" in out


def test_a_night_says_in_sentences_what_it_did(knowwhy):
    knowwhy("remember", CLAIM, *ANN)
    knowwhy("search", "deploy", *ANN)
    out = knowwhy("nightly", "--only", "expire").out

    assert re.match(r"Run n-\d{8}-[0-9a-f]{8}: finished, 1 step in \d+ s\.\n", out)
    assert out.endswith("Nothing to do for expire.\n")


@pytest.mark.parametrize(
    "client", ["claude-code", "cursor", "vscode", "codex", "gemini", "opencode"]
)
def test_a_connected_client_is_told_of_with_its_next_step_and_kept_out_of_git(
    knowwhy, tmp_path, monkeypatch, client
):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    monkeypatch.chdir(root)

    done = knowwhy("connect", client, "--write")

    assert (0, "") == (done.code, git(root, "status", "--porcelain"))
    assert "\nnext: " in done.out
    assert "git leaves " in done.err
    exclude = (root / ".git" / "info" / "exclude").read_text()
    again = knowwhy("connect", client, "--write")
    assert "out already" in again.err
    assert exclude == (root / ".git" / "info" / "exclude").read_text()


def test_a_file_that_git_has_already_is_not_hidden_but_warned_of(knowwhy, tmp_path, monkeypatch):
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".mcp.json").write_text("{}")
    git(root, "add", "-A")
    monkeypatch.chdir(root)

    done = knowwhy("connect", "claude-code", "--write")

    assert "git has .mcp.json already: do not commit it" in done.err
    assert "M .mcp.json" in git(root, "status", "--porcelain")


def test_every_client_says_what_it_wants_next():
    assert set(CLIENTS) == set(NEXT)
    assert all(
        NEXT[name][1] and bool(NEXT[name][0]) == bool(CLIENTS[name].project) for name in NEXT
    )


def test_the_help_lists_every_command_in_a_group_on_one_line_of_sixty_columns(knowwhy, monkeypatch):
    from knowwhy.cli import Lazy

    lines = shown(monkeypatch, 60, "--help").out.splitlines()

    assert max(map(len, lines)) <= 60
    for group, commands in Lazy.GROUPS.items():
        at = lines.index(f"{group}:")
        below = lines[at + 1 : at + 1 + len(commands)]
        assert [f"  {name:<12}{said}" for name, said in commands.items()] == below


# -- secrets that are typed, or stand in names

GITHUB = "ghp_" + "q7Zk2Lw9Xb4Rt6Yp1Vn8Mc3Hd5Jf0Gs2Kaab"


@pytest.mark.parametrize(
    "words", [("graph", GITHUB), ("docs", GITHUB), (GITHUB,), ("show", GITHUB), ("status", GITHUB)]
)
def test_a_secret_that_is_typed_is_not_said_again(knowwhy, words):
    done = knowwhy(*words)

    assert done.code
    assert GITHUB not in done.out + done.err
    assert "[redacted" in done.err


def test_a_secret_in_the_name_of_a_file_is_not_in_the_progress(knowwhy, tmp_path, monkeypatch):
    monkeypatch.setattr("knowwhy.cli.progress.LINE_EVERY", 0.0)
    (tmp_path / f"0001-{GITHUB}.md").write_text("# Use a broker\n\nWe chose one.\n")

    told = knowwhy("ingest", "adr", tmp_path).err

    assert "adr: 0 of 1 files" in told
    assert GITHUB not in told


# -- words that begin with dashes


@pytest.mark.parametrize("option", ["--vault", "--vendor", "--fst", "-q"])
@pytest.mark.parametrize("command", ["search", "context", "remember"])
def test_a_word_with_dashes_is_told_where_it_goes_and_no_option_that_is_not_near(
    knowwhy, command, option
):
    done = knowwhy(command, "why", "do", "we", "use", option)

    assert 2 == done.code
    assert "stand behind `--`" in done.err
    assert ("--fast" in done.err) == (option == "--fst" and command == "search")


# -- what a record is called


@pytest.mark.parametrize(
    "words",
    [("ADR-0012",), ("adr-12",), ("ADR", "12"), ("adr", "0012"), ("decision", "12"),
     ("0012-use-kafka-as-event-backbone.md",), ("Use", "Kafka", "as", "the", "event", "backbone")],
)  # fmt: skip
def test_a_record_is_shown_by_what_a_question_calls_it(filled, words):
    done = filled("show", *words, "--json")

    assert 0 == done.code, done.err
    assert "Use Kafka as the event backbone" == json.loads(done.out)["title"]


def test_what_several_records_are_called_is_refused_with_their_keys(knowwhy, tmp_path):
    for place in ("north", "south"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "0007-use-a-crane.md").write_text(f"# {place}: use a crane\n\nYes.\n")
    assert 0 == knowwhy("ingest", "adr", tmp_path).code

    done = knowwhy("show", "adr", "0007")

    assert (1, "") == (done.code, done.out)
    assert "names 2 records: " in done.err
    assert ("north" in done.err, "south" in done.err) == (True, True)


# -- plain words


def test_an_empty_memory_does_not_speak_of_the_legs_of_a_search(knowwhy):
    for words in (("search", "why"), ("search", "why", "--service", "paymnts")):
        assert "leg found nothing" not in knowwhy(*words, *ANN).out


def test_a_service_that_nothing_is_of_is_told_without_the_legs_of_a_search(filled):
    done = filled("search", "why kafka", "--service", "paymnts", *ANN)

    assert "Nothing is of the service 'paymnts'" in done.err
    assert "leg found nothing" not in done.out


def test_a_night_says_each_step_in_words(knowwhy):
    out = knowwhy("nightly", "--dry-run").out

    assert not re.search(r"(?m)^[a-z]+[.,]", out), out
    assert re.search(r"(?m)^(?:No table or file|[\d,]+ tables? .*) would be tidied\.$", out), out


@pytest.mark.parametrize("words", [("review",), ("memories",), ("review", "history")])
def test_an_empty_list_in_a_pipe_says_so_beside_it(knowwhy, words):
    done = knowwhy(*words, *ANN)

    assert (0, "") == (done.code, done.out)
    assert 1 == len(done.err.splitlines())


def test_a_name_of_a_file_cannot_turn_what_follows_it_on_a_terminal(knowwhy, tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "plan\u202etxt.md").write_text("# A plan\n\nWe build a quay.\n")
    git(tmp_path, "add", ".")

    out = knowwhy("sync", tmp_path, "--dry-run").out

    assert "\u202e" not in out
    assert "plan\\u202etxt.md" in out


@pytest.mark.parametrize("words", [("--help",), ("search", "--help"), ("token", "add", "--help")])
@pytest.mark.parametrize("columns", [30, 40, 49])
def test_a_help_fits_a_narrow_terminal(knowwhy, monkeypatch, columns, words):
    lines = shown(monkeypatch, columns, *words).out.splitlines()

    assert len(lines) > 10
    assert [] == [line for line in lines if len(line) > columns]


def test_a_token_is_named_when_it_is_revoked_and_not_found_by_too_little_of_it(knowwhy):
    made = json.loads(knowwhy("token", "add", "ada", "--name", "her laptop", "--json").out)
    little, enough = made["key"][:5], made["key"][:6]

    refused = knowwhy("token", "revoke", little)
    kept = json.loads(knowwhy("token", "list", "--json").out)[0]["state"]
    revoked = knowwhy("token", "revoke", enough)

    assert (1, "", "valid") == (refused.code, refused.out, kept)
    assert "at least 6" in refused.err
    assert f"Revoked {made['key']} (her laptop) of ada.\n" == revoked.out
