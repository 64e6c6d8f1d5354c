"""A secret that an assistant passes on is in no answer, also where it has no name beside it."""

import json

from wire import over_stdio

DRAWN = "q8Zr1LmT4vXc" + "7Wn2Kp5Yb9Hd"
VENDORED = "acme_" + "live_" + "Zx81kQ0vRt57" + "mNbY3cWd"


def test_what_is_remembered_with_a_secret_comes_back_without_it(emptied):
    with over_stdio("--user", "ada") as ada:
        told = [
            ada.ok(
                "remember",
                text=f"We open the relay with {DRAWN}: its token is {DRAWN}.",
                source=f"the log of {DRAWN}",
                said_by="user",
            ),
            ada.ok("remember", text=f"We call the shop with {VENDORED}.", said_by="user"),
            ada.ok("recall", query="With what do we open the relay, and what do we call?"),
        ]
        refused = ada.call("get", key=f"token={DRAWN} {DRAWN}")

    shown = "\n".join(answer.text + json.dumps(answer.data) for answer in (*told, refused))
    assert "We open the relay with [redacted: token]" in told[2].text
    assert refused.is_error
    assert DRAWN not in shown
    assert VENDORED not in shown
