"""Secrets go, and what only looks like one stays."""

import json
import random
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.secrets.redact import MARK, redact, redact_json

ALPHABETS = {
    "an": string.ascii_letters + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "dig": string.digits,
    "hex": "0123456789abcdef",
    "up": string.ascii_uppercase + "234567",
    "url": string.ascii_letters + string.digits + "_-",
}
SURVIVOR = 6  # characters of a secret in a row that may not be left


def planted(case_id: str, parts: list[str]) -> str:
    """Joins a value from its parts, where @hex:40 stands for forty drawn characters."""
    drawn = random.Random(case_id + str(parts))
    return "".join(
        "".join(drawn.choices(ALPHABETS[kind], k=int(size)))
        if (kind := part[1:].partition(":")[0]) in ALPHABETS and (size := part.partition(":")[2])
        else part
        for part in parts
    )


CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("secrets.jsonl").read_text("utf-8").splitlines()
]
SECRETS = [pytest.param(case, id=case["id"]) for case in CASES if "secrets" in case]
LOOK_ALIKES = [pytest.param(case, id=case["id"]) for case in CASES if "fill" in case]


def secrets_of(case: dict[str, Any]) -> list[str]:
    return [planted(case["id"], parts) for parts in case["secrets"]]


def filled(case: dict[str, Any]) -> str:
    parts = case.get("fill", case.get("secrets"))
    return str(case["text"].format(*(planted(case["id"], part) for part in parts)))


@pytest.mark.parametrize("case", SECRETS)
def test_a_planted_secret_is_gone_and_the_text_around_it_stays(case):
    redacted = redact(filled(case))

    assert case["text"].format(*["\0"] * len(case["secrets"])) == MARK.sub("\0", redacted)


@pytest.mark.parametrize("case", SECRETS)
def test_no_piece_of_a_planted_secret_survives(case):
    redacted = MARK.sub("", redact(filled(case)))

    for secret in secrets_of(case):
        width = min(SURVIVOR, len(secret))
        pieces = {secret[at : at + width] for at in range(len(secret) - width + 1)}
        assert set() == {piece for piece in pieces if piece in redacted} - {
            piece for piece in pieces if piece in case["text"]
        }


@pytest.mark.parametrize("case", LOOK_ALIKES)
def test_a_look_alike_stays_as_it_is(case):
    text = filled(case)

    assert text == redact(text)


@pytest.mark.parametrize("case", [*SECRETS, *LOOK_ALIKES])
def test_redacting_twice_changes_nothing_more(case):
    once = redact(filled(case))

    assert once == redact(once)


PLANTED = st.sampled_from([filled(param.values[0]) for param in SECRETS])
PIECES = st.one_of(st.text(max_size=20), PLANTED, st.sampled_from(["[redacted: jwt]", "=", ": "]))


@given(st.lists(PIECES, max_size=6).map("".join))
def test_any_text_is_redacted_once_and_for_all(text):
    once = redact(text)

    assert once == redact(once)


KEY = planted("context", ["gh", "p_", "@an:36"])
CONTEXTS = [
    "{}", "{}\n", "\n{}", "a {} b", "`{}`", "```\n{}\n```", "| a | {} |", "<b>{}</b>", '["{}"]',
    "a\r\n{}\r\nb", "x={}&y=1", "https://{}@github.com/a", "({})", "{}.", "“{}”", "log\\n{}\\n",
    "%20{}", "é {} é",
]  # fmt: skip


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_token_is_found_wherever_it_stands(context):
    assert context.format("[redacted: github-token]") == redact(context.format(KEY))


def test_several_tokens_on_one_line_all_go():
    assert " ".join(["[redacted: github-token]"] * 3) == redact(f"{KEY} {KEY} {KEY}")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("password", "password = 'hunter2x'"),
        ("token", "API_TOKEN=" + planted("kind", ["@an:24"])),
        ("api-key", "x-api-key: " + planted("kind", ["@hex:32"])),
        ("aws-secret-key", "aws_secret_access_key = " + planted("kind", ["@b64:40"])),
        ("session-cookie", "Cookie: sid=" + planted("kind", ["@hex:32"])),
    ],
)
def test_the_mark_names_the_kind(kind, text):
    assert f"[redacted: {kind}]" in redact(text)


HOSTILE = [
    "a", "=", "-", "aB3/", '"', "-----BEGIN ", "-----BEGIN RSA PRIV" + "ATE KEY-----", "password=",
    "password='", "password: x1 ", "PASSWORD=", "token=aB3", "://a:", "-eyJ", "-sk-", "AKIA",
    "curl -u ", "\n|--|--|", "kind: Secret\ndata:\n", "cookie: a=b;", ":5432:a:b:c", "\\n",
    "[redacted: ", "eyJa.",
]  # fmt: skip
HOSTILE_SIZE = 500_000  # characters; a quadratic search would take minutes


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_to_its_end(piece):
    text = piece * (HOSTILE_SIZE // len(piece))
    marked = f"{text} \n\n{KEY}\n"

    assert KEY not in redact(marked)


@pytest.mark.soak
@pytest.mark.parametrize("piece", HOSTILE)
def test_five_million_hostile_characters_are_read_to_their_end(piece):
    text = piece * (10 * HOSTILE_SIZE // len(piece))

    assert KEY not in redact(f"{text} \n\n{KEY}\n")


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ({"password": "[redacted: password]"}, {"password": "hunter2x"}),
        ({"a": [{"api_key": "[redacted: api-key]"}]}, {"a": [{"api_key": "hunter2x"}]}),
        ({"password": ["[redacted: password]"]}, {"password": ["hunter2x"]}),
        ({"token": "comma"}, {"token": "comma"}),
        ({"password": None, "token": 7, "on": True}, {"password": None, "token": 7, "on": True}),
        ({"Authorization": "Bearer [redacted: bearer-token]"}, {"Authorization": f"Bearer {KEY}"}),
        (
            {"name": "DB_PASSWORD", "value": "[redacted: password]"},
            {"name": "DB_PASSWORD", "value": "hunter2x"},
        ),
        (
            {"kind": "Secret", "data": {"a": "[redacted: kubernetes-secret]"}},
            {"kind": "Secret", "data": {"a": "Ym9i"}},
        ),
        ({"[redacted: github-token]": 1}, {KEY: 1}),
        (["text", 1.5], ["text", 1.5]),
        ("[redacted: github-token]", KEY),
    ],
)
def test_json_is_redacted_through_its_keys_and_values(expected, value):
    assert expected == redact_json(value)


def test_keys_that_redact_alike_stay_apart():
    other = planted("other", ["gh", "p_", "@an:36"])

    assert [1, 2] == list(redact_json({KEY: 1, other: 2}).values())


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_nested_as_deep_as_it_can_be_read_is_redacted(opening):
    depth = 900
    closing = "]" if opening == "[" else "}"
    value = json.loads(opening * depth + json.dumps(KEY) + closing * depth)

    redacted = redact_json(value)
    for _ in range(depth):
        redacted = redacted[0] if opening == "[" else redacted["a"]

    assert "[redacted: github-token]" == redacted


def test_redacting_json_leaves_what_was_given_alone():
    value = {"password": "hunter2x", "deep": [{"token": KEY}]}
    before = json.dumps(value)

    redact_json(value)

    assert before == json.dumps(value)


JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), PIECES),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(PIECES | st.just("password"), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_any_json_is_redacted_once_and_for_all(value):
    once = redact_json(value)

    assert once == redact_json(once)
