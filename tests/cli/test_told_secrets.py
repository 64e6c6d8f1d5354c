"""A secret that somebody tells is not kept, whichever command it is told to."""

import json

import pytest

from knowwhy.tables.write import table

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


DRAWN = "q8Zr1LmT4vXc" + "7Wn2Kp5Yb9Hd"
VENDORED = "acme_" + "live_" + "Zx81kQ0vRt57" + "mNbY3cWd"
DOCUMENT = f"""# ADR-7: The relay keeps {DRAWN}

## Context

    curl -u relay:{DRAWN} https://relay.example.net

The job printed {DRAWN} in its log, and used {VENDORED} too.
See https://relay.example.net/?t={DRAWN}&a=b.
"""


def stored(*names):
    return " ".join(str(row) for name in names for row in table(name).collect())


def test_a_secret_told_once_in_a_document_is_in_no_row_and_no_answer(knowwhy, tmp_path):
    place = tmp_path / "0007-relay.md"
    place.write_text(DOCUMENT, encoding="utf-8")
    assert 0 == knowwhy("ingest", "adr", place).code

    shown = knowwhy("show", "ADR-7", "--json").out
    found = knowwhy("search", "What does the relay keep?", "--json").out

    assert "[redacted: password] in its log" in shown
    assert "[redacted: vendor-token]" in shown
    for secret in (DRAWN, VENDORED):
        assert secret not in shown + found + stored("records", "passages")


def test_a_secret_told_in_one_message_of_a_chat_goes_from_the_others(knowwhy, tmp_path):
    said = [
        ("user", f"The build log has {DRAWN} in it."),
        ("assistant", "What is that?"),
        ("user", f"That is the API token: {DRAWN}"),
        ("assistant", f"So {DRAWN} has to be drawn anew."),
    ]
    chat = [{"role": role, "content": content, "session": "s-1"} for role, content in said]
    place = tmp_path / "chat.json"
    place.write_text(json.dumps(chat), encoding="utf-8")
    assert 0 == knowwhy("ingest", "conversation", place, "--user", "ann").code

    found = knowwhy("history", "--user", "ann", "--json").out

    assert 4 <= found.count("[redacted: token]") + found.count("What is that?")
    assert DRAWN not in found + stored("turns")


def test_a_secret_told_in_a_memory_goes_from_its_other_fields(knowwhy):
    knowwhy(
        "remember",
        f"The token of the relay is {DRAWN}.",
        "--user",
        "ann",
        "--source",
        f"log {DRAWN}",
    )

    shown = knowwhy("memories", "--user", "ann", "--json").out

    assert "[redacted: token]" in shown
    assert DRAWN not in shown + stored("memories", "changes")


NAMED = """# ADR-8: parcels-api keeps its own rows

## Context

    POSTGRES_USER=parcels-api
    POSTGRES_PASSWORD=parcels-api
    POSTGRES_DB=parcels-api

The parcels-api service is asked by others; pass `--depth=1` to clone it, as `--depth=1` is fast.
"""


def test_a_service_whose_password_is_its_name_keeps_its_name(knowwhy, tmp_path):
    place = tmp_path / "0008-parcels.md"
    place.write_text(NAMED, encoding="utf-8")
    assert 0 == knowwhy("ingest", "adr", place).code

    shown = knowwhy("show", "ADR-8", "--json").out

    assert "parcels-api keeps its own rows" in shown
    assert "POSTGRES_PASSWORD=[redacted: password]" in shown
    assert "The parcels-api service is asked by others; pass `--depth=1` to clone" in shown
    assert 1 == shown.count("[redacted: ") / max(1, shown.count("POSTGRES_PASSWORD"))


def test_a_password_of_letters_alone_is_in_no_row(knowwhy, tmp_path):
    secret = "correcthorse" + "battery"
    place = tmp_path / "0009-relay.md"
    place.write_text(
        "# ADR-9: The relay has a database\n\n## Context\n\n"
        f"    DB_PASSWORD={secret}\n"
        f"    curl -ujoe:{DRAWN} https://h\n\nIts log shows {secret} too.\n",
        encoding="utf-8",
    )
    assert 0 == knowwhy("ingest", "adr", place).code

    shown = knowwhy("show", "ADR-9", "--json").out

    assert "Its log shows [redacted: password] too." in shown
    assert secret not in shown + stored("records", "passages")
    assert DRAWN not in shown + stored("records", "passages")
