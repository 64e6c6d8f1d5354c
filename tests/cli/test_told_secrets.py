"""A secret that somebody tells is not kept, whichever command it is told to."""

import pytest

WORD = "iOqH" + "OBSWhg"
SAID = f"ssh root@box7 with password {WORD} is what we use on the build machine."


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (("remember", SAID), ("memories", "--json")),
        (("say", SAID, "--session", "s-1"), ("history", "--json")),
    ],
)
def test_a_password_right_behind_its_name_is_redacted(knowwhy, told, shown):
    knowwhy(*told, "--user", "ann")

    found = knowwhy(*shown, "--user", "ann").out

    assert "with password [redacted: password] is what we use" in found
    assert WORD not in found
