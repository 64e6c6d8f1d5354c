"""What one works on: one's own, of one repository and project, known again after a restart."""

import subprocess
import sys

import pytest

from knowwhy.errors import BadInput
from knowwhy.session.task import clear_task, get_task, set_task
from knowwhy.types import Asker

ANN, BOB = Asker("ann"), Asker("bob")
SHOP = "github.com/acme/shop"
KEY = "AKIA" + "Q7RZ3WX5YK2MNP8T"


@pytest.fixture(autouse=True)
def _opened(store):
    """Opens the home with all tables empty."""


def text_of(asker, repository=SHOP):
    task = get_task(asker, repository)
    return task and task.task


def test_a_task_is_given_back_with_its_details():
    kept = set_task(ANN, SHOP, "  Add PKCE to the login  ", {"issue": 12, "next": ["tests"]})

    assert kept == get_task(ANN, SHOP)
    assert "Add PKCE to the login" == kept.task
    assert {"issue": 12, "next": ["tests"]} == kept.details
    assert ("ann", None, SHOP) == (kept.user_id, kept.project, kept.repository)
    assert kept.at.tzinfo is not None


def test_a_task_takes_the_place_of_the_one_before():
    first = set_task(ANN, SHOP, "Add PKCE", {"issue": 1})
    same = set_task(ANN, SHOP, "Add PKCE", {"issue": 2})
    other = set_task(ANN, SHOP, "Write the docs")

    assert (first.at, {"issue": 2}) == (same.at, same.details)
    assert first.touched_at < same.touched_at < other.touched_at
    assert other.at > first.at
    assert ("Write the docs", {}) == (other.task, other.details)


SCOPES = [
    (ANN, SHOP),
    (BOB, SHOP),
    (Asker("ann", "web"), SHOP),
    (Asker("ann", "api"), SHOP),
    (Asker(None, "web"), SHOP),
    (Asker(None), SHOP),
    (ANN, "github.com/acme/other"),
    (ANN, "git:/srv/shop"),
    (ANN, None),
]


def test_each_user_project_and_repository_has_a_task_of_its_own():
    for number, (asker, repository) in enumerate(SCOPES):
        for later, where in SCOPES[number:]:
            assert text_of(later, where) is None, (later, where)
        set_task(asker, repository, f"Task {number}")

    assert [f"Task {n}" for n in range(len(SCOPES))] == [text_of(*scope) for scope in SCOPES]
    clear_task(*SCOPES[0])
    assert [None, *(f"Task {n}" for n in range(1, len(SCOPES)))] == [text_of(*s) for s in SCOPES]


def test_names_that_look_alike_when_joined_are_apart():
    set_task(Asker("a", "b"), "c", "One")

    for asker, repository in ((Asker("a"), "b/c"), (Asker("a b"), "c"), (Asker("a", "bc"), "")):
        assert text_of(asker, repository) is None


def test_a_cleared_task_is_given_a_last_time_and_can_be_set_again():
    set_task(ANN, SHOP, "Add PKCE")

    cleared = clear_task(ANN, SHOP)

    assert cleared is not None
    assert "Add PKCE" == cleared.task
    assert text_of(ANN) is None
    assert clear_task(ANN, SHOP) is None
    set_task(ANN, SHOP, "Again")
    assert "Again" == text_of(ANN)


def test_secrets_are_not_kept():
    kept = set_task(ANN, SHOP, f"Rotate {KEY}", {"old": KEY, "in": [{"deep": f"k={KEY}"}]})

    assert KEY not in repr(kept)
    assert KEY not in repr(get_task(ANN, SHOP))


@pytest.mark.parametrize(
    ("task", "details"),
    [
        ("", {}),
        ("   ", {}),
        ("a\0b", {}),
        ("\ud800", {}),
        ("x" * 2_001, {}),
        ("x", {"a": "y" * 20_001}),
        ("x", {"a": float("nan")}),
        ("x", {"a": object()}),
        ("x", {"a": "\0"}),
        ("x", {"\ud800": 1}),
    ],
)
def test_what_cannot_be_kept_is_refused_and_changes_nothing(task, details):
    set_task(ANN, SHOP, "Before")

    with pytest.raises(BadInput, match=r"[Tt]he (task|details)|detail"):
        set_task(ANN, SHOP, task, details)
    assert "Before" == text_of(ANN)


def test_a_text_that_only_looks_like_a_zero_is_kept():
    told = {"pattern": r"\u0000 and \\u0000", "path": "C:\\u0000"}

    assert told == set_task(ANN, SHOP, "x", told).details


def test_details_that_nest_without_end_are_refused():
    deep: dict = {}
    inner = deep
    for _ in range(50_000):
        inner["a"] = {}
        inner = inner["a"]

    with pytest.raises(BadInput, match="nested deeper than 20"):
        set_task(ANN, SHOP, "x", deep)


def test_a_task_is_known_in_another_process():
    set_task(ANN, SHOP, "Survive the restart", {"step": 3})
    asks = (
        "from knowwhy.config import Settings; from knowwhy.tables.connect import connect;"
        "connect(Settings.from_environ());"
        "from knowwhy.session.task import get_task; from knowwhy.types import Asker;"
        f"print(get_task(Asker('ann'), {SHOP!r}), get_task(Asker('bob'), {SHOP!r}))"
    )
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=True)

    assert "task='Survive the restart'" in done.stdout
    assert "details={'step': 3}" in done.stdout
    assert done.stdout.rstrip().endswith(" None")


def test_what_was_noted_last_under_any_name_of_the_repository_is_the_task():
    before = "git:/srv/shop/.git"
    set_task(ANN, before, "Add PKCE")
    early = get_task(ANN, SHOP, before)
    set_task(ANN, SHOP, "Write the docs")

    assert "Add PKCE" == early.task
    assert "Write the docs" == get_task(ANN, SHOP, before).task
    assert "Write the docs" == clear_task(ANN, SHOP, before).task
    assert get_task(ANN, SHOP, before) is None
