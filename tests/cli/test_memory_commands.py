"""Memories as a person and a program tell, read, judge and take them back."""

import json
import subprocess
import sys

import pytest

FACT = "The billing worker drains its queue nightly."
OTHER = "The billing worker drains its queue hourly."
THIRD = "Invoices are archived after ninety days."
RULE = (
    *("--memorule-kind", "convention", "--subject", "Log as JSON"),
    *("--applies-to", "persona=reviewer", "--applies-to", "scope=project"),
)
BODY = "Every service logs one JSON object a line."
GUESS = ("--said-by", "assistant")
ANN, BOB = ("--user", "ann"), ("--user", "bob")


@pytest.fixture
def told(knowwhy):
    """Runs a command for a program, and gives what it printed."""

    def call(*arguments, code=0):
        done = knowwhy(*arguments, "--json")
        assert (code, "") == (done.code, done.err)
        return json.loads(done.out)

    return call


@pytest.fixture
def ann(told):
    """Gives the key of what Ann tells; what an assistant tells waits."""

    def tell(text=FACT, *options, code=0):
        return told("remember", text, *ANN, *options, code=code)["key"]

    return tell


def test_what_is_kept_says_so_and_is_listed(knowwhy):
    done = knowwhy("remember", FACT, *ANN)
    listed = knowwhy("memories", *ANN).out.rstrip().split("\t")

    assert (0, "") == (done.code, done.err)
    assert done.out.startswith(f"Kept as {listed[0]} (")
    assert ["active", "", FACT] == [listed[2], *listed[4:]]


def test_what_waits_and_what_is_refused_say_why_and_have_codes_of_their_own(knowwhy):
    waits = knowwhy("remember", FACT, *ANN, *GUESS)
    again = knowwhy("remember", FACT, *ANN, *GUESS)
    doubted = knowwhy("remember", "Maybe the billing worker is slow.", *ANN)

    assert (3, 4, 4) == (waits.code, again.code, doubted.code)
    assert waits.out.startswith("Waits for review as m-")
    assert "knowwhy review approve m-" in waits.out
    assert again.out.startswith("Refused, and noted as m-")
    assert FACT in again.out
    assert ("", "", "") == (waits.err, again.err, doubted.err)


def test_a_program_gets_every_field(told):
    given = ("--project", "orders", "--service", "billing", "--session", "s-1", "--source", "ADR-5")
    more = ("--confidence", "0.5", "--kind", "fact", "--valid-until", "2999-12-31")

    kept = told("remember", FACT, *ANN, *given, *more)

    expected = {
        "kind": "fact",
        "status": "active",
        "text": FACT,
        "user": "ann",
        "project": "orders",
        "service": "billing",
        "session": "s-1",
        "source": "ADR-5",
        "said_by": "user",
        "confidence": 0.5,
        "valid_until": "2999-12-31T23:59:59.999999+00:00",
        "expires_at": None,
        "supersedes": None,
        "memorule_kind": None,
        "applies_to": {},
    }
    assert expected == {name: kept[name] for name in expected}


def test_a_memorule_is_told_with_its_fields(told):
    kept = told("remember", BODY, *ANN, *RULE, "--evidence-signal", "s-7", "--persona", "architect")

    assert ("memorule", "convention", "Log as JSON", "inferred", "s-7") == (
        *(kept["kind"], kept["memorule_kind"], kept["subject"], kept["certainty"]),
        kept["evidence_signal"],
    )
    assert {"persona": "reviewer", "scope": "project"} == kept["applies_to"]
    event = told("provenance", kept["key"], *ANN)["changes"][0]
    assert (kept["key"], "added", "architect", "s-7") == (
        *(event["key"], event["what"], event["persona"]),
        event["evidence_signal"],
    )
    assert event["at"]


def test_all_wrong_fields_of_a_memorule_are_in_one_line(knowwhy):
    done = knowwhy("remember", "short", *ANN, "--kind", "memorule", "--subject", "Log")

    assert (1, "") == (done.code, done.out)
    for field in ("memorule_kind", "subject", "body", "applies_to"):
        assert field in done.err
    assert 1 == done.err.count("\n")
    assert "" == knowwhy("memories", *ANN).out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["remember", "x" * 4_001], "content has 4,001 characters; 4,000 are the most"),
        (["remember", FACT, "--kind", "rumour"], "kind must be one of preference, fact"),
        (["remember", FACT, "--said-by", "me"], "said_by must be one of user"),
        (["remember", FACT, "--confidence", "2"], "confidence must be from 0 to 1"),
        (["remember", FACT, "--ttl-days", "0"], "0 is not in the range"),
        (["remember", FACT, "--valid-until", "soon"], "write a date like 2026-12-31"),
        (["remember", FACT, "--valid-until", "2001-01-01"], "valid_until is in the past"),
        (["remember", FACT, "--applies-to", "reviewer"], "is written persona=reviewer"),
        (["remember", FACT, "--project", "p" * 201], "--project must be a name"),
        (["remember", FACT, "--everybody"], "--user and --everybody exclude each other."),
        (["memories", "--status", "old"], "There is no status"),
        (["memories", "--limit", "0"], "must be from 1 to 1,000"),
        (["memories", "--for", "reviewer"], "--for is written persona=reviewer"),
        (["memories", "--for", "team=x"], "can name only persona, surface"),
        (["memories", "--for", "persona=x", "--kind", "fact"], "--for goes with --limit only"),
        (["review", "--limit", "0"], "0 is not in the range"),
        (["review", "judge"], "No such command 'judge'"),
        (["review", "reject", "m-1"], "Missing option '--why'"),
        (["review", "reject", "m-1", "--why", " "], "The reason is empty."),
        (["retract", "m-1", "--why", "w" * 1_001], "at most 1,000 fit"),
        (["provenance", "m-1"], "You have no memory 'm-1'."),
        (["update", "m-1", OTHER], "You have no memory 'm-1'."),
        (["provenance", "m-\x1b[2J" + "1" * 9_999], "You have no memory"),
    ],
)
def test_what_cannot_be_meant_is_one_clear_sentence(knowwhy, asked, said):
    done = knowwhy(*asked, *(ANN if asked[1] != "judge" else ()))

    assert done.code in (1, 2)
    assert said in done.err
    assert len(done.err) < 500
    assert "Traceback" not in done.err
    assert "\x1b" not in done.err
    assert "" == done.out


def test_the_user_of_the_system_is_who_asks_when_nobody_is_named(told, monkeypatch):
    monkeypatch.setenv("LOGNAME", "ann")
    key = told("remember", FACT)["key"]

    assert [key] == [memory["key"] for memory in told("memories", *ANN)]
    assert [] == told("memories", *BOB)


def test_what_is_told_for_everybody_is_seen_by_everybody_in_its_project(told):
    key = told("remember", FACT, "--everybody", "--project", "orders")["key"]

    for user in (ANN, BOB, ("--everybody",)):
        listed = told("memories", *user, "--project", "orders")
        assert [(key, None)] == [(memory["key"], memory["user"]) for memory in listed]
        assert [] == told("memories", *user)


def test_the_list_is_limited_by_status_kind_service_and_number(told, ann):
    kept = ann(FACT, "--kind", "fact", "--service", "billing")
    note = ann(THIRD, "--kind", "note", "--session", "s-1")
    waits = ann("The search page renders on the server.", *GUESS, code=3)

    def keys(*options):
        return [memory["key"] for memory in told("memories", *ANN, *options)]

    assert [note, kept] == keys()
    assert [note] == keys("--limit", "1") == keys("--session", "s-1") == keys("--kind", "note")
    assert [kept] == keys("--service", "billing")
    assert [waits] == keys("--status", "pending")
    assert [waits, note, kept] == keys("--status", "pending", "--status", "active")


def test_an_update_says_what_it_supersedes(knowwhy, told, ann):
    old = ann()

    done = knowwhy("update", old, OTHER, *ANN, "--session", "s-2", "--source", "ADR-6")

    assert 0 == done.code
    assert [("s-2", "ADR-6")] == [(m["session"], m["source"]) for m in told("memories", *ANN)]
    assert f"It supersedes {old}." in done.out
    assert [OTHER] == [memory["text"] for memory in told("memories", *ANN)]
    assert [old] == [m["key"] for m in told("memories", *ANN, "--status", "superseded")]


def test_what_is_retracted_can_be_taken_back_in(knowwhy, told, ann):
    key = ann()

    gone = knowwhy("retract", key, "--why", "It was a joke.", *ANN)
    listed = told("memories", *ANN, "--status", "retracted")
    back = knowwhy("retract", key, "--undo", "--why", "It was none.", *ANN)

    assert (0, f"Retracted {key}; it is retracted now.\n") == (gone.code, gone.out)
    assert [(key, "It was a joke.")] == [(memory["key"], memory["why"]) for memory in listed]
    assert (0, f"Restored {key}; it is active now.\n") == (back.code, back.out)


def test_claims_are_listed_and_judged_and_their_judgements_listed(knowwhy, told, ann):
    keys = [ann(text, *GUESS, code=3) for text in (FACT, THIRD)]

    assert keys == [memory["key"] for memory in told("review", *ANN)]
    assert knowwhy("review", "list", *ANN).out == knowwhy("review", *ANN).out
    approved = knowwhy("review", "approve", keys[0], "m-none", *ANN)
    rejected = told("review", "reject", keys[1], "--why", "They are deleted.", *ANN)

    assert (1, f"Approved {keys[0]}.\n") == (approved.code, approved.out)
    assert "You have no memory 'm-none'." in approved.err
    assert [("refused", None)] == [(one["memory"]["status"], one["error"]) for one in rejected]
    assert [] == told("review", *ANN)
    history = told("review", "history", *ANN)
    assert [("rejected", keys[1]), ("approved", keys[0])] == [
        (change["what"], change["key"]) for change in history
    ]
    lines = knowwhy("review", "history", *ANN).out.splitlines()
    assert lines[0].endswith(
        f"rejected  {keys[1]}  by ann on the word of a command  They are deleted."
    )


def test_a_program_sees_which_of_several_claims_could_not_be_judged(told, ann):
    key = ann(FACT, *GUESS, code=3)

    outcomes = told("review", "approve", "m-none", key, *ANN, code=1)

    assert [("m-none", "not_found"), (key, None)] == [
        (one["key"], one["error"] and one["error"]["code"]) for one in outcomes
    ]


def test_a_claim_comes_in_as_it_is_corrected(knowwhy, told, ann):
    key = ann(FACT, *GUESS, code=3)

    done = knowwhy("review", "correct", key, OTHER, *ANN)

    assert 0 == done.code
    assert f"It supersedes {key}." in done.out
    (kept,) = told("memories", *ANN)
    assert (None, "command", OTHER) == (kept["verified_by"], kept["verified_via"], kept["text"])


def test_a_full_queue_takes_no_more(knowwhy, ann, monkeypatch):
    monkeypatch.setenv("KNOWWHY_MAX_PENDING", "1")
    ann(FACT, *GUESS, code=3)

    done = knowwhy("remember", THIRD, *ANN, *GUESS)

    assert (1, "") == (done.code, done.out)
    assert "wait for review and 1 are the most" in done.err
    assert 3 == knowwhy("remember", THIRD, *BOB, *GUESS).code


def test_provenance_is_shown_to_a_person_and_to_a_program(knowwhy, told, ann):
    old = ann(FACT, "--source", "ADR-5")
    new = told("update", old, OTHER, *ANN)["key"]

    shown = knowwhy("provenance", old, *ANN).out
    read = told("provenance", new, *ANN)

    assert FACT == shown.splitlines()[0]
    for part in ("ADR-5", "\nFollowed by\n", new, "\nChanges\n", "added", "superseded", "by ann"):
        assert part in shown
    assert [old] == [memory["key"] for memory in read["earlier"]]
    assert (OTHER, [], None) == (read["evidence"]["claim"], read["later"], read["turn"])
    assert read["tier"] in (1, 2, 3)


def test_a_stored_text_cannot_steer_a_terminal(knowwhy, ann):
    key = ann("I prefer \x1b[2Jclean [bold]screens[/bold].", "--source", "\x1b]0;x\x07")

    shown = [knowwhy(command, *ANN).out for command in ("memories", "review")]
    shown.append(knowwhy("provenance", key, *ANN).out)
    shown.append(knowwhy("remember", "I prefer \x1b[2Jclean [bold]screens[/bold].", *ANN).out)

    assert "\x1b" not in "".join(shown)
    assert "\\x1b[2Jclean [bold]screens[/bold]." in shown[0]


def test_no_secret_is_stored_or_shown(knowwhy, ann):
    token = "ghp_" + "a1B2" * 9
    key = ann(f"I prefer the token {token}.", "--source", f"https://x.org/?token={token}")

    for asked in (("memories",), ("provenance", key), ("provenance", token)):
        for form in ((), ("--json",)):
            done = knowwhy(*asked, *ANN, *form)
            assert token not in done.out + done.err


SCOPES = [
    ("--user", user, "--project", project)
    for user in ("ann", "bob")
    for project in ("orders", "auth")
]
EVERY = ("--status", "pending", "--status", "active", "--status", "refused")


@pytest.fixture
def apart(told):
    """Gives what each of two users has in each of two projects: a key and a word that is theirs."""

    def tell(scope):
        word = f"{scope[1]}{scope[3]}"
        text = f"The {word} worker drains nightly."
        kept = told("remember", text, *scope)["key"]
        waits = told("remember", f"The {word} page is slow.", *scope, *GUESS, code=3)["key"]
        return [(kept, word), (waits, word)]

    return {scope: tell(scope) for scope in SCOPES}


@pytest.mark.parametrize("scope", SCOPES, ids=" ".join)
def test_nothing_of_another_user_or_project_is_seen_or_counted(knowwhy, told, apart, scope):
    hidden = [one for other in SCOPES if other != scope for pair in apart[other] for one in pair]

    for read in (
        ("memories", *EVERY),
        ("memories", "--for", "scope=global"),
        ("review",),
        ("review", "history"),
        ("provenance", apart[scope][0][0]),
    ):
        done = knowwhy(*read, *scope, "--json")
        assert 0 == done.code
        assert [] == [one for one in hidden if one in done.out + done.err]
    assert 2 == len(told("memories", *EVERY, *scope))
    assert 1 == len(told("review", *scope))


@pytest.mark.parametrize(
    "attempt",
    [
        ("provenance", "KEY"),
        ("update", "KEY", OTHER),
        ("retract", "KEY", "--why", "Mine."),
        ("retract", "KEY", "--why", "Mine.", "--undo"),
        ("review", "approve", "KEY"),
        ("review", "correct", "KEY", OTHER),
        ("review", "reject", "KEY", "--why", "Mine."),
    ],
)
def test_what_is_anothers_is_like_what_nobody_has(knowwhy, told, apart, attempt):
    before = {scope: told("memories", *EVERY, *scope) for scope in SCOPES}

    for asker in SCOPES:
        foreign = [k for scope in SCOPES if scope != asker for k, _ in apart[scope]]
        said = [
            knowwhy(*(key if part == "KEY" else part for part in attempt), *asker)
            for key in ("m-none", *foreign)
        ]
        assert {(1, "")} == {(done.code, done.out) for done in said}
        told_of = zip(("m-none", *foreign), said, strict=True)
        assert 1 == len({done.err.replace(key, "KEY") for key, done in told_of})

    assert before == {scope: told("memories", *EVERY, *scope) for scope in SCOPES}


def test_memorules_come_in_the_order_in_which_they_apply(told):
    def rule(subject, *options):
        given = ("--memorule-kind", "convention", "--subject", subject, *options)
        return told("remember", f"{subject} in every service.", *ANN, *given)["key"]

    guessed = rule("Log as JSON", "--applies-to", "persona=reviewer")
    seen = rule("Trace calls", "--applies-to", "persona=reviewer", "--certainty", "observed")
    writers = rule("Draft slowly", "--applies-to", "persona=writer", "--certainty", "observed")
    told("remember", FACT, *ANN)

    listed = told("memories", *ANN, "--for", "persona=reviewer")

    assert [seen, guessed, writers] == [memory["key"] for memory in listed]
    assert [seen] == [
        m["key"] for m in told("memories", *ANN, "--for", "persona=reviewer", "--limit", "1")
    ]


def test_help_names_the_commands_and_loads_nothing_heavy():
    code = (
        "import sys; from knowwhy.cli import run; run(['review', '--help']);"
        "heavy = {'pixeltable', 'numpy', 'onnxruntime', 'rich', 'torch'} & set(sys.modules);"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    for command in ("list", "approve", "correct", "reject", "history"):
        assert f"  {command} " in done.stdout
    assert "[]" == done.stdout.splitlines()[-1]


def test_a_rule_for_here_is_listed_before_one_for_everywhere(knowwhy):
    for subject, place, sure in (
        ("Short reviews", "persona=reviewer", "asserted"),
        ("Plain words", "scope=global", "observed"),
    ):
        rule = ("--memorule-kind", "convention", "--subject", subject, "--applies-to", place)
        told = f"{subject} are kept because readers are few."
        done = knowwhy("remember", told, *rule, "--certainty", sure, "--user", "ann")
        assert 0 == done.code, done

    shown = knowwhy("memories", "--for", "persona=reviewer", "--user", "ann", "--json")

    assert ["Short reviews", "Plain words"] == [r["subject"] for r in json.loads(shown.out)]
