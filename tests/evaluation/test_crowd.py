"""What the crowd calls a fault: each way in which a write can be lost is named."""

import asyncio
from types import SimpleNamespace

import pytest

from evaluation.crowd import Assistant, Journal, Wrote, compared, says

KEPT = Wrote("memories", "m-1", "zqadaqbqbqb", "ada", "active")
ROW = {
    "key": "m-1",
    "content": "The van lock zqadaqbqbqb ends.",
    "user_id": "ada",
    "status": "active",
}


def journal(**more):
    return Journal(wrote={KEPT.key: KEPT}, **more)


def test_what_is_stored_once_as_it_was_answered_is_no_fault():
    search = {"key": "r-1", "user_id": "ada"}

    assert [] == compared(journal(recalls={"r-1": "ada"}), {"memories": [ROW], "recalls": [search]})


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "is stored 0 times"),
        ([ROW, ROW], "is stored 2 times"),
        ([ROW, ROW | {"key": "m-2"}], "is in 2 rows"),
        ([ROW | {"content": "The van lock ends."}], "is in 0 rows"),
        ([ROW | {"user_id": "bob"}], "is stored as bob, active"),
        ([ROW | {"status": "superseded"}], "is stored as ada, superseded"),
    ],
)
def test_what_is_lost_doubled_or_changed_is_a_fault(rows, said):
    (fault,) = compared(journal(), {"memories": rows})

    assert said in fault


def test_a_search_that_was_not_noted_is_a_fault():
    (fault,) = compared(journal(recalls={"r-1": "ada"}), {"memories": [ROW], "recalls": []})

    assert "the search r-1 of ada is noted as None" == fault


class Forgetful:
    """A server that says OK to what it does not keep, and shows what is another user's."""

    async def call_tool(self, tool, arguments, meta):
        data = {"run_tool": {"key": "t-1", "turns": []}, "recall": {"hits": [], "recall": "r-1"}}
        text = SimpleNamespace(text=self.text)
        return SimpleNamespace(content=[text], structured_content=data[tool], is_error=False)

    def __init__(self, text):
        self.text = text


def test_a_write_that_the_next_search_does_not_find_is_a_fault():
    seen = Journal()
    asyncio.run(says(Assistant(Forgetful("Done."), "ada", 0, seen, ["Why?"])))

    assert 2 == len(seen.faults)
    assert "recall of ada did not find" in seen.faults[0]
    assert "get_history of ada did not give" in seen.faults[1]


def test_the_words_of_another_user_are_a_fault():
    seen = Journal()
    others = Assistant(Forgetful(""), "bob", 1, seen, ["Why?"]).word()
    asyncio.run(says(Assistant(Forgetful(f"See {others}."), "ada", 0, seen, ["Why?"])))

    assert any("showed ada something of bob" in fault for fault in seen.faults)
