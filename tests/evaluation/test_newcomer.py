"""The judge of what a newcomer reads, the shape of the questions, and the command on a real one."""

import json
import subprocess
from collections import Counter

import pytest

from evaluation.newcomer import __main__ as command
from evaluation.newcomer import judge as judging
from evaluation.newcomer.checkout import check_out
from evaluation.newcomer.judge import (
    Shown,
    Verdict,
    failures,
    figures,
    judge,
    plain,
    states,
    unstated,
)
from evaluation.newcomer.rows import (
    HALVES,
    KINDS,
    NOTHING,
    Question,
    Repository,
    read_questions,
    read_repositories,
)

LEAST_QUESTIONS = 120
LEAST_REPOSITORIES = 6
MOST_WORDS = 6  # of a spelling: a fact is no sentence


def question(
    kind="why", facts=(("two phases",),), records=("docs/adr/0007-queue.md",), half="seen"
):
    return Question(f"{kind}-1", kind, half, "Why do we queue?", facts, records)


def shown(search="", context="", *, knows=True, paths=()):
    return Shown(search, context, knows, tuple(paths))


def test_words_are_compared_without_case_marks_quotes_dashes_and_line_ends():
    assert states("it commits in **Two-\n   phases**, “always”", [["two phases"], ['"Always"']])
    assert states("see [the queue](../adr/0007-queue.md) of `max_gas`", [["the queue of max gas"]])
    assert states("| owner | Ana |", [["owner Ana"]])
    assert "a b" == plain("  A\n_b_ ")


def test_a_fact_is_whole_words_and_numbers():
    assert not states("it takes 1200 ms", [["200"], ["120"]])
    assert not states("redistribution", [["redis"]])
    assert states("Redis, 200 ms.", [["redis"], ["200 ms"]])
    assert states("first 2003, later 3", [["3"]])


def test_every_fact_is_needed_and_any_of_its_spellings_will_do():
    facts = [["kafka", "Apache Kafka"], ["seven days", "7 days"]]
    assert states("Kafka keeps it for 7 days", facts)
    assert not states("Kafka keeps it", facts)


def test_search_and_context_are_judged_apart():
    told = judge(question(), shown("nothing of it", "in two phases"))
    assert (False, True) == (told.is_shown, told.is_packed)


def test_a_record_is_named_by_its_path_in_the_repository():
    told = judge(question("id"), shown(paths=["other.md", "shop/docs/adr/0007-queue.md"]))
    assert (False, True) == (told.is_first, told.is_among)
    assert judge(question("id"), shown(paths=["docs/adr/0007-queue.md"])).is_first
    assert not judge(question("id"), shown(paths=["olddocs/adr/0007-queue.md"])).is_among
    assert not judge(question("id"), shown()).is_first


def test_figures_count_what_can_be_answered_apart_from_what_cannot():
    asked = [
        Question("a", "id", "seen", "", (("x",),), ("r",)),
        Question("b", "why", "held", "", (("x",),), ("r",)),
        Question("c", NOTHING, "seen", "", (), ()),
    ]
    went = {
        "a": Verdict(is_shown=True, is_packed=False, is_first=False, is_among=True, knows=True),
        "b": Verdict(is_shown=False, is_packed=False, is_first=True, is_among=True, knows=False),
        "c": Verdict(is_shown=True, is_packed=True, is_first=False, is_among=False, knows=False),
    }
    assert {
        "top three": (1, 2),
        "context": (0, 2),
        "ids": (0, 1),
        "record@3": (2, 2),
        "abstains": (1, 1),
        "wrongly": (1, 2),
    } == figures(asked, went)
    assert ["top three", "context", "ids", "wrongly"] == failures(figures(asked, went))


def test_figures_that_are_as_asked_fail_nothing():
    asked = {"top three": (17, 20), "context": (17, 20), "ids": (3, 3), "record@3": (0, 20)}
    assert [] == failures({**asked, "abstains": (9, 10), "wrongly": (1, 20)})
    assert ["abstains", "wrongly"] == failures({**asked, "abstains": (8, 10), "wrongly": (2, 20)})


def test_only_seen_questions_are_ever_printed(capsys):
    asked = [question(half="seen"), Question("b", "why", "held", "A secret?", (("x",),), ("r",))]
    none = Verdict(is_shown=False, is_packed=False, is_first=False, is_among=False, knows=True)
    answers = {one.id: shown("what was shown") for one in asked}
    command.print_failed(asked, {one.id: none for one in asked}, answers)
    out = capsys.readouterr().out
    assert "Why do we queue?" in out
    assert "secret" not in out


@pytest.fixture(scope="module")
def everything():
    return {one.name: read_questions(one.name) for one in read_repositories()}


def test_the_set_is_large_and_over_several_repositories(everything):
    asked = [one for of in everything.values() for one in of]
    assert LEAST_REPOSITORIES <= len([name for name, of in everything.items() if of])
    assert LEAST_QUESTIONS <= len(asked)
    assert set(KINDS) == {one.kind for one in asked}


def test_each_repository_is_fixed_to_a_commit():
    for one in read_repositories():
        assert one.url.startswith("https://")
        assert 40 == len(one.commit) == len(one.commit.strip().lower())
        assert one.licence
        assert one.paths


def test_questions_have_known_kinds_and_halves_and_ids_of_their_own(everything):
    asked = [(name, one) for name, of in everything.items() for one in of]
    assert len(asked) == len({one.id for _, one in asked})
    assert len(asked) == len({(name, one.text.casefold()) for name, one in asked})
    for name, one in asked:
        assert one.id.startswith(f"{name}-")
        assert one.kind in KINDS
        assert one.half in HALVES


def test_half_of_each_kind_is_held_back(everything):
    for kind in KINDS:
        halves = Counter(one.half for of in everything.values() for one in of if one.kind == kind)
        assert 1 >= abs(halves["seen"] - halves["held"]), kind


def test_what_can_be_answered_has_facts_and_records_and_nothing_else_has(everything):
    for of in everything.values():
        for one in of:
            assert one.is_answerable == bool(one.facts) == bool(one.records), one.id
            assert all(fact for fact in one.facts), one.id


def test_facts_are_short_and_none_stands_in_its_question(everything):
    for of in everything.values():
        for one in of:
            for spelling in (spelling for fact in one.facts for spelling in fact):
                assert isinstance(spelling, str), one.id
                assert 1 <= len(plain(spelling).split()) <= MOST_WORDS, one.id
                assert not states(one.text, [[spelling]]), one.id


@pytest.fixture
def mirror(tmp_path):
    """Makes a git repository as a mirror has one, with a decision, a folder beside it and code."""
    work = tmp_path / "work"
    for name, text in (
        ("docs/adr/0007-queue.md", "# 7. Queue\n\n## Decision\n\nWe queue in two phases.\n"),
        ("docs/adr/0008-mail.md", "# 8. Mail\n\n## Decision\n\nLetters go out at noon.\n"),
        ("big/0009-other.md", "# 9. Other\n\nThis is not checked out.\n"),
    ):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "all"]):
        subprocess.run(["git", "-C", str(work), *arguments], check=True)
    bare = tmp_path / "mirror" / "some+shop" / "repo"
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(bare)], check=True)
    told = subprocess.run(
        ["git", "-C", str(work), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    url = "https://example.org/some/shop.git"
    return tmp_path / "mirror", Repository("shop", url, told.stdout.strip(), "MIT", ("/docs/",))


def test_only_the_named_paths_are_checked_out_and_a_checkout_is_used_again(mirror, tmp_path):
    place, repository = mirror
    root = check_out(repository, tmp_path / "kept", place)
    assert (root / "docs/adr/0007-queue.md").is_file()
    assert not (root / "big").exists()
    again = check_out(repository, tmp_path / "kept", tmp_path / "gone")
    assert again == root
    with pytest.raises(SystemExit, match="no git directory"):
        check_out(repository, tmp_path / "other", tmp_path / "gone")


def test_a_question_whose_record_does_not_state_its_fact_is_named(mirror, tmp_path):
    place, repository = mirror
    root = check_out(repository, tmp_path / "kept", place)
    wrong = question(facts=(("three phases",),))
    gone = question("id", records=("docs/adr/0001-gone.md",))
    assert [] == unstated([question()], root)
    assert ["why-1: its facts do not stand in its records"] == unstated([wrong], root)
    assert ["id-1: no file docs/adr/0001-gone.md"] == unstated([gone], root)


@pytest.mark.slow
def test_a_repository_is_taken_in_and_asked_through_the_real_commands(mirror, tmp_path):
    place, repository = mirror
    queue, mail = ("docs/adr/0007-queue.md",), ("docs/adr/0008-mail.md",)
    asked = [
        Question("a", "id", "seen", "What is decided in ADR-7?", (("two phases",),), queue),
        Question("b", "when", "seen", "When do letters go out?", (("at noon",),), mail),
        Question("c", NOTHING, "seen", "Who maintains the zeppelin?", (), ()),
    ]
    given = {"KNOWWHY_EMBEDDER": "wordhash", "KNOWWHY_RERANKER": "none"}
    told = command.measure(repository, asked, tmp_path, place, **given)
    went = {one.id: judge(one, told[one.id]) for one in asked}
    assert all(went[name].is_shown and went[name].is_packed for name in "ab")
    assert all(went[name].is_among and went[name].knows for name in "ab")
    assert max(map(len, told["b"].search.splitlines())) <= 100
    assert json.dumps(command.as_json({"shop": asked}, went))


def test_the_figures_that_are_asked_are_figures():
    assert set(judging.FIGURES) >= set(judging.LEAST) | set(judging.MOST)
