"""The tokens with which users call over HTTP."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from wire import SERVE, environment

from knowwhy.tables.agents import bearers
from knowwhy.tables.write import table


def test_a_token_is_shown_once_and_stored_hashed(knowwhy):
    made = knowwhy("token", "add", "ada", "--name", "her laptop")
    listed = knowwhy("token", "list")
    told = json.loads(knowwhy("token", "list", "--json").out)

    token = made.out.strip()
    assert re.fullmatch(r"kw_[\w-]{43}", token)
    assert token not in listed.out + json.dumps(told)
    assert ["ada"] == [one["user"] for one in told]
    assert "her laptop" in listed.out
    assert "ada" == bearers.user_of(token)

    assert [] == [row for row in table("tokens").collect() if token in str(row)]


def test_a_token_is_revoked_for_good(knowwhy):
    made = json.loads(knowwhy("token", "add", "ada", "--json").out)
    revoked = knowwhy("token", "revoke", made["key"])
    again = knowwhy("token", "revoke", made["key"])
    unknown = knowwhy("token", "revoke", "t-1")

    assert (0, 0, 1) == (revoked.code, again.code, unknown.code)
    assert bearers.user_of(made["token"]) is None
    told = json.loads(knowwhy("token", "list", "--json").out)
    assert datetime.fromisoformat(told[0]["revoked_at"]) <= datetime.now(UTC)


@pytest.mark.parametrize("user", [" ", "a\nb", "x" * 201])
def test_a_token_for_nobody_is_refused(knowwhy, user):
    ran = knowwhy("token", "add", user)

    assert 1 == ran.code
    assert [] == json.loads(knowwhy("token", "list", "--json").out)


def test_a_public_address_is_refused_without_a_token(store):
    ran = subprocess.run(
        [sys.executable, *SERVE, "--http", "0.0.0.0:0"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert 1 == ran.returncode
    assert "knowwhy token add" in ran.stderr
    assert "Traceback" not in ran.stderr
