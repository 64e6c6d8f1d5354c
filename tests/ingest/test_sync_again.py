"""What a sync gives does not depend on what the files were before."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_layouts import HEADED, NYGARD, PLAIN, decision, made
from test_layouts import git as dated
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


def days(knowwhy: Any) -> dict[str, str]:
    records = json.loads(knowwhy("list", "--json").out)
    return {r["path"].rpartition("/")[2][:4]: (r["occurred_at"] or "")[:10] for r in records}


def add(shop: Path, at: str, **heads: str) -> None:
    for name, written in heads.items():
        write(shop, f"docs/adr/{name[1:]}-use-it.md", decision(written))
    if not (shop / ".git").exists():
        git(shop, "init", "-q")
    git(shop, "add", "-A")
    dated(shop, "commit", "-q", "-m", "Work", at=f"{at}T10:00:00+00:00")


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_dates_are_read_again_when_a_new_file_proves_their_order(knowwhy, tmp_path, options):
    shop = tmp_path / "shop"
    add(shop, "2024-12-05", _0001="04/07/2019", _0002="12/01/2024", _0004="2020-01-01")
    first = knowwhy("sync", shop)
    assert {"0001": "", "0002": "2024-12-01", "0004": "2020-01-01"} == days(knowwhy)
    assert "its date 4/7/2019 can be read in two ways, as 2019-07-04 or as 2019-04-07," in first.err

    add(shop, "2024-12-06", _0003="25/12/2018")
    done = knowwhy("sync", shop, *options)

    now = {"0001": "2019-07-04", "0002": "2024-01-12", "0003": "2018-12-25", "0004": "2020-01-01"}
    assert now == days(knowwhy)
    assert "1 added, 2 updated" in done.out
    assert "4 unchanged" in knowwhy("sync", shop, "--all").out

    (shop / "docs" / "adr" / "0003-use-it.md").unlink()
    git(shop, "commit", "-q", "-a", "-m", "Take it back")
    again = knowwhy("sync", shop, *options)
    assert {"0001": "", "0002": "2024-12-01", "0004": "2020-01-01"} == days(knowwhy)
    assert "as 2019-07-04 or as 2019-04-07" in again.err


@pytest.mark.parametrize(
    ("heads", "wanted"),
    [
        (
            {"0001": "04/07/2019\n\nThe invoice of 25/12/2018 was the first of all that we paid."},
            "2019-07-04",
        ),
        ({"0001": "04/07/2019", "0002": "04/28/2019"}, "2019-04-07"),
        (
            {
                "0001": "04/07/2019\n\nWe were told by the invoice of 25/12/2018 what it costs us.",
                "0002": "04/28/2019",
            },
            "2019-04-07",
        ),
        (
            {
                "0001": "04/07/2019",
                "0002": "2019-01-01\n\nWe read in the mail of 25/12/2018 what it costs us all.",
                "0003": "2019-01-01\n\nWe read in the mail of 12/25/2018 what it costs us all.",
            },
            "",
        ),
    ],
)
def test_prose_says_in_which_order_dates_are_only_where_nothing_else_does(
    knowwhy, tmp_path, heads, wanted
):
    shop = tmp_path / "shop"
    add(shop, "2023-01-01", **{f"_{name}": written for name, written in heads.items()})

    knowwhy("sync", shop)

    assert wanted == days(knowwhy)["0001"]


def test_a_date_after_the_first_commit_of_its_file_is_no_reading(knowwhy, tmp_path):
    shop = tmp_path / "shop"
    add(shop, "2019-04-20", _0001="04/07/2019")
    add(shop, "2023-01-01", _0002="25/12/2018", _0003="05/08/2019")

    knowwhy("sync", shop)

    assert {"0001": "2019-04-07", "0002": "2018-12-25", "0003": "2019-08-05"} == days(knowwhy)


@pytest.mark.parametrize("is_repository", [True, False])
def test_a_link_that_is_not_read_is_told_by_where_it_leads(knowwhy, tmp_path, is_repository):
    write(tmp_path, "elsewhere/guide.md", PROSE)
    shop = tmp_path / "shop"
    write(shop, "docs/guide.md", PROSE)
    write(shop, "docs/plan.png", "P\0")
    targets = {
        "again": "docs/guide.md",
        "docs-again": "docs",
        "guide.md": "docs/guide.md",
        "picture": "docs/plan.png",
        "out": "../elsewhere/guide.md",
        "folder-out": "../elsewhere",
        "nothing": "gone",
        "loop": "loop",
    }
    for name, target in targets.items():
        (shop / name).symlink_to(target)
    if is_repository:
        git(shop, "init", "-q")
        commit(shop)

    told = json.loads(knowwhy("sync", shop, "--dry-run", "--json").out)["files"]

    why = {file["path"].removeprefix("shop/"): file.get("why") for file in told}
    anyway, out = "link to what is read anyway", "link that leads out of the repository"
    assert {
        **dict.fromkeys(("again", "docs-again", "guide.md"), anyway),
        **dict.fromkeys(("out", "folder-out"), out),
        **dict.fromkeys(("nothing", "loop"), "link to nothing"),
        "picture": "link to what is not read either",
        "docs/guide.md": None,
        "docs/plan.png": "picture",
    } == why
