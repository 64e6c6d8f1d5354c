"""The tokens with which users call over HTTP."""

import json
import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

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


def test_a_token_has_the_rights_and_the_end_that_it_was_given(knowwhy):
    usual = json.loads(knowwhy("token", "add", "ada", "--json").out)
    narrow = ("--may", "read", "--may", "metrics", "--until", "2999-12-31")
    made = json.loads(knowwhy("token", "add", "ada", *narrow, "--json").out)
    short = json.loads(knowwhy("token", "add", "ada", "--days", "7", "--json").out)
    listed = knowwhy("token", "list").out

    assert ["read", "write", "review"] == usual["rights"]
    assert usual["expires_at"] is None
    assert ["read", "metrics"] == made["rights"]
    assert made["expires_at"].startswith("2999-12-31T23:59")
    left = datetime.fromisoformat(short["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=6) < left <= timedelta(days=7)
    assert "read,metrics" in listed
    assert "until 2999-12-31" in listed
    assert "never used" in listed


def test_a_token_that_has_ended_lets_nobody_in(knowwhy):
    token, made = bearers.add("ada", expires_at=datetime.now(UTC) + timedelta(seconds=1))
    time.sleep(1.1)

    assert bearers.user_of(token) is None
    assert f"{made.key}  ended" in knowwhy("token", "list").out


def test_a_token_of_before_there_were_rights_keeps_all_that_it_could_do(knowwhy):
    token, made = bearers.add("ada")
    table("tokens").batch_update([{"key": made.key, "rights": None}])

    assert ["read", "write", "review", "metrics"] == list(bearers.bearers()[0].rights)
    assert "ada" == bearers.user_of(token)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--may", "admin"), "read, write, review, metrics"),
        (("--may", "read,,write"), "read, write, review, metrics"),
        (("--days", "0"), "--days"),
        (("--until", "2001-02-03"), "is over"),
        (("--until", "soon"), "--until"),
        (("--until", "2999-01-01", "--days", "3"), "one of them"),
    ],
)
def test_rights_and_ends_that_are_none_are_refused_in_a_sentence(knowwhy, options, said):
    ran = knowwhy("token", "add", "ada", *options)

    assert 1 == ran.code
    assert said in ran.err
    assert [] == json.loads(knowwhy("token", "list", "--json").out)


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
