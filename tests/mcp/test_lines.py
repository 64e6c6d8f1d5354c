"""Lines that are no messages are answered, with the id of their request where it can be found."""

import json

import pytest

from knowwhy.mcp.lines import refusal, request_id, too_long
from pace import assert_linear, run_of

DEEP = "[" * 10_000 + "]" * 10_000


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ('{"id":7,"x":', 7),
        ('{"jsonrpc":"2.0" , "id" : "a-1", "method":7}', "a-1"),
        ('{"params":{"id":3,"a":[{"id":4}]},"id":5}', 5),
        (f'{{"params":{{"a":{DEEP}}},"id":6}}', 6),
        ('{"text":"\\"id\\":9 ","id":-8}', -8),
        ('{"params":{"id":3}}', None),
        ('{"id":{},"method":"ping"}', None),
        ('[{"id":1}]', None),
        ('"id":1', None),
        ("{", None),
        ('{"a', None),
        ("", None),
    ],
)
def test_the_id_of_a_message_is_found_though_it_cannot_be_read(line, id):
    assert id == request_id(line)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32700),
        (f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{DEEP}}}}}', -32700),
        ("[]", -32600),
        ("null", -32600),
        ('{"id":1,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","\\u0069d":{},"method":"ping"}', -32600),
    ],
)
def test_what_is_no_message_is_refused_with_a_sentence(line, code):
    told = refusal(line)

    assert told is not None
    assert code == told.error.code
    assert told.error.message.endswith(".")


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "1", "result": {}},
    ],
)
def test_a_message_is_not_refused(message):
    assert refusal(json.dumps(message)) is None


@pytest.mark.parametrize("text", ['"' * 9, '\\"', '"id":', "{", '{"id"', "[]", "id", '"\\'])
def test_long_lines_are_looked_through_in_linear_time(text):
    line = run_of(text, "{")

    assert too_long(line(100_000), 5).error.message.endswith(".")
    assert_linear(lambda line: too_long(line, 5), line)
