"""What a sync gives does not depend on what the files were before."""

import json
from typing import Any

import pytest
from test_layouts import HEADED, NYGARD, PLAIN, made
from test_sync import commit, git, write

DECISION, PROSE = NYGARD.replace("{0}", "Kafka"), "# Kafka\n\nHow to read what it keeps.\n"


def kinds(knowwhy: Any) -> dict[str, str]:
    return {r["path"]: r["kind"] for r in json.loads(knowwhy("list", "--json").out)}


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_a_decision_that_is_rewritten_as_a_guide_is_one(knowwhy, tmp_path, options):
    shop = made(tmp_path / "shop", {"guide/page.md": NYGARD, "README.md": PLAIN})
    knowwhy("sync", shop)
    assert "adr" == kinds(knowwhy)["shop/guide/page.md"]

    write(shop, "guide/page.md", PROSE)
    commit(shop)
    knowwhy("sync", shop, *options)

    assert "document" == kinds(knowwhy)["shop/guide/page.md"]


def test_what_a_folder_of_decisions_made_of_a_page_ends_with_it(knowwhy, tmp_path):
    files = {"docs/choices/001-kafka.md": NYGARD, "docs/choices/002-redis.md": HEADED}
    shop = made(tmp_path / "shop", {**files, "docs/choices/003-nats.md": PLAIN})
    knowwhy("sync", shop)
    assert {"adr"} == set(kinds(knowwhy).values())

    for name in files:
        write(shop, name, PROSE)
    commit(shop)
    knowwhy("sync", shop)

    assert {"document"} == set(kinds(knowwhy).values())


def test_a_page_that_moves_out_of_the_decisions_is_none(knowwhy, tmp_path):
    shop = made(tmp_path / "shop", {"docs/adr/kafka.md": PLAIN})
    knowwhy("sync", shop)
    assert {"shop/docs/adr/kafka.md": "adr"} == kinds(knowwhy)

    (shop / "guide").mkdir()
    git(shop, "mv", "docs/adr/kafka.md", "guide/kafka.md")
    commit(shop)
    knowwhy("sync", shop)

    assert {"shop/guide/kafka.md": "document"} == kinds(knowwhy)


@pytest.mark.parametrize("is_synced_before", [True, False])
def test_what_somebody_named_stays_so_whatever_it_says_and_wherever_it_goes(
    knowwhy, tmp_path, is_synced_before
):
    shop = made(tmp_path / "shop", {"guide/page.md": NYGARD, "guide/other.md": PLAIN})
    if is_synced_before:
        knowwhy("sync", shop)
    knowwhy("ingest", "adr", shop / "guide")
    knowwhy("sync", shop)

    write(shop, "guide/page.md", PROSE)
    commit(shop)
    knowwhy("sync", shop)
    (shop / "notes").mkdir()
    git(shop, "mv", "guide/page.md", "notes/page.md")
    commit(shop)
    knowwhy("sync", shop, "--all")
    knowwhy("ingest", "document", shop)

    assert {"adr"} == set(kinds(knowwhy).values())


def test_a_kind_that_an_older_home_has_stays_unless_its_place_gave_it(knowwhy, tmp_path):
    from knowwhy.tables.write import table

    shop = made(tmp_path / "shop", {"docs/adr/1-kafka.md": NYGARD, "guide/other.md": PLAIN})
    knowwhy("ingest", "adr", shop / "guide" / "other.md")
    knowwhy("sync", shop)
    table("records").update({"metadata": None})

    write(shop, "guide/other.md", "# Other\n\nAnother text.\n")
    write(shop, "docs/adr/1-kafka.md", f"{DECISION}\nSo.\n")
    commit(shop)
    knowwhy("sync", shop, "--all")
    assert {"adr"} == set(kinds(knowwhy).values())

    git(shop, "mv", "docs/adr/1-kafka.md", "guide/1.md")
    write(shop, "guide/1.md", PROSE)
    commit(shop)
    knowwhy("sync", shop)
    assert "document" == kinds(knowwhy)["shop/guide/1.md"]
    assert ["adr"] == [kind for path, kind in kinds(knowwhy).items() if "other" in path]
