"""Whatever way a repository is laid out, no decision or incident is left out without a word."""

import json
import subprocess
from pathlib import Path

import pytest

NYGARD = (
    "# Use {0}\n\n## Status\n\nAccepted\n\n## Context\n\nWe need {0}.\n\n## Decision\n\nUse {0}.\n"
)
HEADED = (
    "# Use {0}\n\n- Status: accepted\n- Date: 2021-03-04\n- Authors: Ann Lee\n\nIt keeps {0}.\n"
)
PLAIN = "# Use {0}\n\nIt was said that {0} is good.\n"
PROPOSAL = (
    "- Feature Name: {0}\n- Start Date: 2019-05-01\n\n# Summary\n\nAdd {0}.\n\n"
    "# Motivation\n\nPeople ask for {0}.\n\n# Drawbacks\n\nNone.\n"
)
REPORT = (
    "# {0} was down\n\n2022-02-03, two hours.\n\n## Impact\n\nNo {0}.\n\n## Timeline\n\n"
    "- 10:00 it broke\n- 12:00 it was well\n\n## Root cause\n\nA full disk.\n\n"
    "## Action items\n\n- Watch the disk\n"
)
RUNBOOK = (
    "# {0}\n\n{1}\n\n## Impact\n\nNobody can pay.\n\n## Detection\n\nAn alert.\n\n"
    "## Root cause\n\nOften a log, as on 2020-01-01.\n\n## Resolution\n\nDelete the log.\n"
)
ASCIIDOC = (
    "= Use {0}\nAnn Lee <ann@shop.example>\nv1.0, 2021-03-04\n:toc: left\n:status: accepted\n\n"
    "== Context\n\nWe need {0}.\n\n[source,sql]\n----\nselect 1\n----\n\n== Decision\n\nUse {0}.\n"
)
OWN = (
    "= {0}\n\n:{1}author: Ann Lee, Bo Day\n:{1}owner:\n:{1}reviewers: Cy Fox\n"
    ":{1}date:   2019-10-18\n:{1}status: obsolete\ninclude::partial$head.adoc[]\n\n"
    "[NOTE]\n====\nShort.\n====\n\n== Motivation\n\nSo.\n\n== Design Proposal\n\nThus.\n"
)
ORG = (
    "#+TITLE: Use {0}\n#+AUTHOR: Ann Lee\n#+DATE: <2021-03-04 Thu>\n\n* Status\n\nAccepted\n\n"
    "* Context :db:\n\nWe need {0}.\n\n* Decision\n\nUse {0}.\n"
)
KEP = (
    'title: Resize {0}\nkep-number: 1287\nauthors:\n  - "@ann"\nstatus: implementable\n'
    'creation-date: 2018-11-06\nsee-also:\n  - "/keps/sig-node/753-sidecars"\n'
    'replaces:\n  - "/keps/sig-apps/20-old-resize/README.md"\n'
)
NOTEBOOK = json.dumps(
    {
        "cells": [
            {
                "cell_type": "markdown",
                "source": ["# Use Kafka\n", "\n", "## Status\n", "\n", "Accepted"],
            },
            {
                "cell_type": "code",
                "source": "measure(kafka)",
                "outputs": [{"text": ["SECRET-OUT"]}],
            },
            {"cell_type": "markdown", "source": "## Decision\n\nUse Kafka."},
        ],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
    }
)
INDEX = "# Decisions\n\n- [a](0001-a.md)\n- [b](0002-b.md)\n- [c](0003-c.md)\n"
TEMPLATE = "# Title\n\n## Status\n\nproposed | accepted\n\n## Context\n\n## Decision\n"

# By what it is called: the repository's name, its files, and what becomes of those that count:
# a kind with a label, status and day, where they are known, or a part of why it is not read.
LAYOUTS = {
    "architecture-decision-records": (
        "shop",
        {
            "Architecture-Decision-Records/0001-kafka.md": NYGARD,
            "Architecture-Decision-Records/0002-redis.md": PLAIN,
            "Architecture-Decision-Records/README.md": INDEX,
            "Architecture-Decision-Records/template.md": TEMPLATE,
        },
        {
            "0001-kafka": "adr ADR-1 accepted",
            "0002-redis": "adr ADR-2",
            "README": "document",
            "template": "template",
        },
    ),
    "architecture-decision-record, deep": (
        "shop",
        {"a/b/c/architecture-decision-record/use-kafka.md": PLAIN},
        {"use-kafka": "adr"},
    ),
    "decision logs": (
        "shop",
        {
            "docs/architecture-decision-log/1-kafka.md": NYGARD,
            "ops/Decision-Log/kafka.md": PLAIN,
            "docs/adl/0004-kafka.md": PLAIN,
        },
        {"1-kafka": "adr ADR-1 accepted", "Decision-Log/kafka": "adr", "0004-kafka": "adr ADR-4"},
    ),
    "proposals-*": (
        "engine",
        {
            "proposals-accepted/0117-lanes.md": HEADED,
            "proposals-draft/streams.md": HEADED,
            "proposals-draft/how-to-propose.md": PLAIN,
        },
        {
            "0117-lanes": "adr PROPOSAL-117 accepted 2021-03-04",
            "streams": "adr - accepted",
            "how-to-propose": "document",
        },
    ),
    "rfcs": (
        "rfcs",
        {
            "text/0117-lanes.md": PROPOSAL,
            "text/2000-const-generics.md": PROPOSAL,
            "0000-template.md": PROPOSAL,
            "README.md": PLAIN,
            "lib/rfc.png": "PNG\0",
        },
        {
            "0117-lanes": "adr RFC-117 - 2019-05-01",
            "2000-const": "adr RFC-2000",
            "0000-template": "template",
            "README": "document",
            "rfc.png": "picture",
        },
    ),
    "rfcs in a folder": (
        "shop",
        {
            "docs/RFCs/12-lanes.md": PLAIN,
            "docs/RFCs/PROCESS.md": PLAIN,
            "docs/RFCs/0013-queues/README.md": PROPOSAL,
        },
        {"12-lanes": "adr RFC-12", "PROCESS": "document", "0013-queues": "adr RFC-13"},
    ),
    "keps": (
        "enhancements",
        {
            "keps/sig-node/1287-resize/README.md": "# Resize Pods\n\n## Summary\n\nIn place.\n",
            "keps/sig-node/1287-resize/kep.yaml": KEP,
            "keps/NNNN-kep-template/README.md": PLAIN,
            "keps/README.md": PLAIN,
        },
        {
            "1287-resize/README": "adr KEP-1287 implementable 2018-11-06",
            "kep.yaml": "read with the README beside it",
            "NNNN": "template",
            "keps/README": "document",
        },
    ),
    "facts of a record without its text": (
        "enhancements",
        {
            "keps/sig-node/1287-resize/kep.yaml": KEP,
            "keps/sig-node/1287-resize/design.md": PLAIN,
            "deploy/proposal.yaml": "kind: Service\nspec:\n  title: a\n",
        },
        {"kep.yaml": "whose README is not there", "proposal.yaml": "code"},
    ),
    "decisions about templates": (
        "shop",
        {
            "docs/adr/0011-email-template.md": NYGARD,
            "docs/adr/0012-template-engine.md": NYGARD,
            "docs/adr/0013-adr-template.md": TEMPLATE,
            "docs/adr/0000-some-template.md": TEMPLATE,
            "docs/adr/sdd-template.md": TEMPLATE,
            "docs/explained/component_template_sync.md": PLAIN,
        },
        {
            "0011-email": "adr ADR-11 accepted",
            "0012-template": "adr ADR-12 accepted",
            "0013-adr": "template",
            "0000-some": "template",
            "sdd-template": "template",
            "component_template_sync": "document",
        },
    ),
    "enhancements": (
        "cluster",
        {
            "enhancements/network/fast-path.md": "---\ntitle: Fast path\nauthors:\n  - ann\n"
            "creation-date: 2020-02-03\nstatus: provisional\n---\n\n# Fast path\n",
            "guidelines/enhancement_template.md": TEMPLATE,
        },
        {"fast-path": "adr - provisional 2020-02-03", "enhancement_template": "template"},
    ),
    "numbered designs": (
        "lang",
        {"design/12345-generics.md": HEADED, "design/overview.md": PLAIN},
        {"12345-generics": "adr DESIGN-12345 accepted", "overview": "document"},
    ),
    "postmortems": (
        "shop",
        {
            "PostMortems/2022-02-03.md": PLAIN,
            "docs/post-mortem/disk.md": PLAIN,
            "docs/post-mortems/template.md": REPORT,
        },
        {"2022-02-03": "incident", "disk": "incident", "template": "template"},
    ),
    "incident reports": (
        "shop",
        {
            "ops/incident-reports/disk.adoc": "= Disk was full\n\n== Impact\n\nNone.\n",
            "ops/incidents/2022/disk.md": PLAIN,
            "ops/rca/disk.txt": "The disk was full.\n",
            "production-incidents/disk.md": PLAIN,
        },
        {
            "reports/disk": "incident",
            "2022/disk": "incident",
            "rca/disk": "incident",
            "production-incidents": "incident",
        },
    ),
    "retrospectives": (
        "shop",
        {"retrospectives/disk.md": REPORT, "retrospectives/sprint-4.md": PLAIN},
        {"disk": "incident - - 2022-02-03", "sprint-4": "meeting"},
    ),
    "numbered files with a status, under any name": (
        "shop",
        {
            "docs/choices/001-kafka.md": NYGARD,
            "docs/choices/002-redis.md": HEADED,
            "docs/choices/003-nats.md": PLAIN,
            "docs/tour/01-start.md": PLAIN,
            "docs/tour/02-run.md": PLAIN,
        },
        {
            "001-kafka": "adr ADR-1 accepted",
            "002-redis": "adr ADR-2 accepted",
            "003-nats": "adr ADR-3",
            "01-start": "document",
            "02-run": "document",
        },
    ),
    "by what they say alone": (
        "shop",
        {
            "notes/kafka.md": NYGARD,
            "notes/disk.md": REPORT,
            "notes/how-to-decide.md": TEMPLATE,
            "notes/fix-it.md": "# Disk\n\n## Impact\n\nNo.\n\n## Root cause\n\nFull.\n",
        },
        {
            "notes/kafka": "adr - accepted",
            "notes/disk": "incident",
            "how-to-decide": "document",
            "fix-it": "document",
        },
    ),
    "what only looks like a decision or a post-mortem": (
        "shop",
        {
            "docs/runbooks/disk.md": RUNBOOK.format("Disk full", "**Last updated:** 2024-03-01"),
            "docs/ops/queue.md": RUNBOOK.format("Queue stands", "Last updated 2024-03-01"),
            "docs/ops/cache.md": RUNBOOK.format("Cache cold", "## Revision history")
            + "\n## Changelog\n\n- 2024-03-01: Ann wrote it\n",
            "docs/ops/reports.md": REPORT.replace("{0} was down", "How we write post-mortems"),
            "docs/ops/soon.md": RUNBOOK.format("Drill", "On 2999-01-01 we do it."),
            "docs/ops/fell.md": RUNBOOK.format("Mail fell", "On 2024-03-01 no mail came."),
            "docs/ops/clock.md": RUNBOOK.format("Search fell", "Nobody found it.")
            + "\n## Timeline\n\n- 10:00 it broke\n- 12:00 it was well\n",
            "docs/tour/01-step.md": "# Install\n\n## Status\n\nDraft\n\n## Next\n\nRun it.\n",
            "docs/tour/02-step.md": "# Run\n\n## Status\n\nDraft\n\n## Next\n\nStop it.\n",
            "docs/tour/03-step.md": "# Stop\n\n## Status\n\nDone\n\nIt ran.\n",
            "docs/plans/01-lanes.md": "# Lanes\n\n## Status\n\nDraft\n\n## Outcome\n\nOpen.\n",
        },
        {
            "disk": "document",
            "queue": "document",
            "cache": "document",
            "reports": "document",
            "soon": "document",
            "fell": "incident - - 2024-03-01",
            "clock": "incident",
            "01-step": "document",
            "02-step": "document",
            "03-step": "document",
            "01-lanes": "adr ADR-1 draft",
        },
    ),
    "AsciiDoc": (
        "shop",
        {
            "docs/adr/0001-kafka.adoc": ASCIIDOC,
            "docs/adr/0002-redis.asciidoc": "Use Redis\n=========\n\n"
            "Status\n------\n\nRejected, see <<0001-kafka.adoc#,Kafka>>\n",
        },
        {"0001-kafka": "adr ADR-1 accepted 2021-03-04", "0002-redis": "adr ADR-2 rejected"},
    ),
    "AsciiDoc with a project's own attributes": (
        "shop",
        {
            "docs/modules/SDDs/pages/0002-names.adoc": OWN.format("SDD 0002 - Names", "sdd_"),
            "docs/modules/SDDs/pages/0003-keys.adoc": OWN.format("Keys", "sdd_"),
            "docs/plans/0004-queues.adoc": OWN.format("TDR 4: Queues", "page-"),
            "docs/guide/0005-start.adoc": "= Start\n:page-layout: guide\n:app-date: x\n\nRun it.\n",
        },
        {
            "0002-names": "adr SDD-2 deprecated 2019-10-18",
            "0003-keys": "adr SDD-3 deprecated 2019-10-18",
            "0004-queues": "adr TDR-4 deprecated 2019-10-18",
            "0005-start": "document",
        },
    ),
    "Org": (
        "shop",
        {"decisions/0001-kafka.org": ORG},
        {"0001-kafka": "adr ADR-1 accepted 2021-03-04"},
    ),
    "notebooks": (
        "shop",
        {
            "decisions/0001-kafka.ipynb": NOTEBOOK,
            "work/plot.ipynb": NOTEBOOK.replace("Status", "Plot"),
        },
        {"0001-kafka": "adr ADR-1 accepted", "plot": "document"},
    ),
    "templated texts": (
        "shop",
        {
            "source/decisions/0001-kafka.html.md.erb": "---\ntitle: Use Kafka\n"
            "status: accepted\n---\n\n<%= partial 'nav' %>\n\n# Use Kafka\n\nSo.\n",
            "docs/adr/0002-redis.md.j2": NYGARD,
            "docs/adr/0003-nats.markdown.tmpl": NYGARD,
            "docs/adr/0004-mdx.mdx": "import X from './x'\n\n" + NYGARD,
            "docs/adr/0005-page.html.md": NYGARD,
            "docs/adr/0006-meta.mdx": "export const meta = {\n  title: 'Drop it',\n\n"
            "  status: 'rejected',\n}\nimport {\n  Tabs,\n} from 'tabs'\n\n" + NYGARD,
            "deploy/motd.txt.j2": "Hello",
        },
        {
            "0001-kafka": "adr ADR-1 accepted",
            "0002-redis": "adr ADR-2 accepted",
            "0003-nats": "adr ADR-3 accepted",
            "0004-mdx": "adr ADR-4 accepted",
            "0005-page": "adr ADR-5 accepted",
            "0006-meta": "adr ADR-6 accepted",
            "motd": "code",
        },
    ),
    "plain texts": (
        "shop",
        {
            "docs/adr/0001-kafka.txt": "Use Kafka\n=========\n\nStatus: Accepted\n"
            "Date: 2021-03-04\n\nSo.\n",
            "rfcs/rfc0007.txt": "RFC: 7\nTitle: Lanes\nStatus: Final\nCreated: 2021-03-04\n\nSo.\n",
        },
        {"0001-kafka": "adr ADR-1 accepted 2021-03-04", "rfc0007": "adr RFC-7 final 2021-03-04"},
    ),
    "what is not read": (
        "shop",
        {
            "docs/adr/0001-kafka.md": NYGARD,
            "docs/adr/map.drawio": "<x/>",
            "docs/adr/map.png": "P\0",
            "data.bin": "\0\1",
            "empty.md": "",
            ".github/note.md": PLAIN,
            "secret.md": PLAIN,
            ".gitignore": "secret.md\n",
            "old/0001-a.md": NYGARD,
            "knowwhy.toml": 'exclude = ["old"]\n',
            "vendor/lib/README.md": PLAIN,
            "LICENSE": "Do.",
            "testdata/adr/0001-x.md": NYGARD,
        },
        {
            "0001-kafka": "adr ADR-1",
            "map.drawio": "no reader",
            "map.png": "picture",
            "data.bin": "binary",
            "empty.md": "empty",
            "note.md": "hidden folder",
            "secret.md": "ignored by git",
            "old/": "excluded by knowwhy.toml",
            "knowwhy.toml": "settings",
            "vendor/": "vendored",
            "LICENSE": "licence",
            "testdata/": "invented for a test",
        },
    ),
}


def made(folder: Path, files: dict[str, str]) -> Path:
    for number, (name, text) in enumerate(files.items()):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        thing = ("Kafka", "Redis", "Nats", "Disk")[number % 4]
        file.write_text(text.replace("{0}", thing))
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Work")
    return folder


def git(folder: Path, *arguments: str, at: str | None = None) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@shop.example")
    when = (
        {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "PATH": "/usr/bin:/bin"} if at else None
    )
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, env=when)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_decision_or_incident_of_a_layout_is_left_unread_or_untold(knowwhy, tmp_path, layout):
    top, files, wanted = LAYOUTS[layout]
    folder = made(tmp_path / top, files)

    told = json.loads(knowwhy("sync", folder, "--dry-run", "--json").out)
    assert "No records" in knowwhy("list").out or not json.loads(knowwhy("list", "--json").out)
    done = json.loads(knowwhy("sync", folder, "--json").out)

    assert not done["refused"]
    records = {r["path"]: r for r in json.loads(knowwhy("list", "--json").out)}
    said = {file["path"]: file for file in told["files"]}
    assert {f"{top}/{name}" for name in files} - said.keys() == set()
    assert {path for path, file in said.items() if "kind" in file} == records.keys()
    assert all(said[path]["kind"] == record["kind"] for path, record in records.items())
    assert done["not_read"] == told["not_read"]
    assert sum(group["count"] for group in done["not_read"]) == len(said) - len(records)
    for part, fate in wanted.items():
        (path,) = (path for path in said if part in path.removeprefix(f"{top}/"))
        if path not in records:
            assert fate in said[path]["why"]
            continue
        kind, label, status, day = (*fate.split(), "-", "-", "-")[:4]
        record = records[path]
        assert kind == record["kind"]
        assert label in ("-", record["label"])
        assert status in ("-", record["status"])
        assert day in ("-", (record["occurred_at"] or "")[:10])


def records_of(knowwhy) -> dict[str, dict]:
    return {r["path"]: r for r in json.loads(knowwhy("list", "--json").out)}


def test_the_facts_beside_a_readme_are_those_of_its_record_and_follow_their_file(knowwhy, tmp_path):
    name = "enhancements/keps/sig-node/1287-resize/README.md"
    top, files, _ = LAYOUTS["keps"]
    folder = made(tmp_path / top, files)
    knowwhy("sync", folder)

    shown = json.loads(knowwhy("show", "KEP-1287", "--json").out)
    assert "Resize Redis" in shown["title"]
    assert ["ann"] == shown["authors"]
    relations = {(r["relation"], r["target"]) for r in shown["metadata"]["relations"]}
    assert {("SUPERSEDES", "KEP-20"), ("REFERENCES", "KEP-753")} == relations
    assert "creation-date: 2018-11-06" in json.dumps(shown)

    page = folder / "keps/sig-node/1287-resize/kep.yaml"
    page.write_text(page.read_text().replace("implementable", "implemented"))
    git(folder, "commit", "-q", "-a", "-m", "Done")
    assert "1 updated" in knowwhy("sync", folder).out
    assert "implemented" == records_of(knowwhy)[name]["status"]


def test_people_and_the_title_of_a_record_are_read_from_a_projects_own_attributes(
    knowwhy, tmp_path
):
    name = "docs/modules/SDDs/pages/0002-names.adoc"
    folder = made(tmp_path / "shop", {name: OWN.format("SDD 0002 - Names", "sdd_")})
    knowwhy("sync", folder)

    shown = json.loads(knowwhy("show", "SDD-2", "--json").out)

    assert ("Names", ["Ann Lee", "Bo Day"]) == (shown["title"], shown["authors"])
    assert "Cy Fox" in json.dumps(shown["metadata"])
    assert "include::" not in json.dumps(shown)


def test_a_line_of_knowwhy_toml_that_does_nothing_is_told(knowwhy, tmp_path):
    folder = made(tmp_path / "shop", {"docs/a.md": PLAIN, "pictures/a.png": "P"})
    (folder / "knowwhy.toml").write_text(
        'exclude = ["legacy"]\n\n[sources]\nadr = [\n  "design/records",\n  "docs",\n]\n'
        'incident = ["pictures"]\n'
    )
    (folder / ".adr-dir").write_text("gone\n")

    done = knowwhy("sync", folder)

    assert 0 == done.code
    notes = [line for line in done.err.splitlines() if line.startswith("note")]
    assert [
        'note shop/knowwhy.toml: says exclude = "legacy" in line 1, which matches no file',
        'note shop/knowwhy.toml: says adr = "design/records" in line 5, which matches no file',
        'note shop/knowwhy.toml: says incident = "pictures" in line 8,'
        " where no file can be read as incident",
    ] == notes
    told = json.loads(knowwhy("sync", folder, "--dry-run", "--json").out)
    assert 3 == len(told["notes"])

    (folder / "knowwhy.toml").unlink()
    note = "note shop/.adr-dir: names the folder gone, which matches no file"
    assert note in knowwhy("sync", folder).err


def test_long_paths_are_read_under_keys_of_their_own(knowwhy, tmp_path):
    deep = "/".join(["a-rather-long-name-of-a-folder"] * 100)
    files = {f"{deep}/{n}/docs/adr/0007-use-kafka.md": f"# Use Kafka {n}\n" for n in ("one", "two")}
    folder = made(tmp_path / "shop", files)

    done = knowwhy("sync", folder, "--project", "market")

    assert 0 == done.code, done.err
    records = records_of(knowwhy)
    assert {f"shop/{name}" for name in files} == records.keys()
    keys = {record["key"] for record in records.values()}
    assert 2 == len(keys)
    for key in keys:
        assert len(key) <= 200
        assert key.startswith("market::shop/a-rather-long")
        assert key.endswith("docs/adr/0007-use-kafka.md")
        assert "Use Kafka" in knowwhy("show", key).out
    assert "2 unchanged" in knowwhy("sync", folder, "--project", "market", "--all").out


LATE, BOTH = "2023-01-01", "04-07-2019"


def decision(written: str) -> str:
    return f"# Use it\n\n- Status: accepted\n- Date: {written}\n\nSo.\n"


@pytest.mark.parametrize(
    ("days", "files"),
    [
        ({"0001": "2019-07-04"}, {"0001": ("04/07/2019", LATE), "0002": ("25/12/2018", LATE)}),
        ({"0001": "2019-04-07"}, {"0001": ("04/07/2019", LATE), "0002": ("12/25/2018", LATE)}),
        (
            {"0001": "2019-04-07", "0002": "2019-05-08"},
            {"0001": ("04/07/2019", "2019-04-20"), "0002": ("05/08/2019", "2020-02-02")},
        ),
        ({"0001": "2019-04-07"}, {"0001": (BOTH, "2019-07-09"), "0002": ("04-13-2019", LATE)}),
        ({"0001": "2019-07-04"}, {"0001": ("04/07/2019", "2019-07-09")}),
        ({"0001": ""}, {"0001": ("04/07/2019", LATE)}),
        (
            {"0001": ""},
            {name: (day, LATE) for name, day in
             (("0001", BOTH), ("0002", "25/12/2018"), ("0003", "12/25/2018"))},
        ),
    ],
)  # fmt: skip
def test_a_date_with_slashes_is_read_in_the_order_that_its_folder_or_git_proves(
    knowwhy, tmp_path, days, files
):
    folder = tmp_path / "shop"
    for name, (written, added) in files.items():
        file = folder / "docs" / "adr" / f"{name}-use-it.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(decision(written))
        git(folder, "init", "-q")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "Work", at=f"{added}T10:00:00+00:00")

    done = knowwhy("sync", folder)

    records = records_of(knowwhy)
    for name, day in days.items():
        assert day == (records[f"shop/docs/adr/{name}-use-it.md"]["occurred_at"] or "")[:10]
        assert day or f"{name}-use-it.md: its date 4/7/2019 can be read in two ways" in done.err


def test_a_git_that_does_not_answer_holds_up_no_sync(knowwhy, tmp_path, monkeypatch):
    folder = made(tmp_path / "shop", {"docs/adr/0001-kafka.md": NYGARD})
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:/usr/bin:/bin")
    monkeypatch.setattr("knowwhy.ingest.syncing.worktree.SECONDS", 0.5)

    done = knowwhy("sync", folder)

    assert 1 == done.code
    assert "git took more than 0.5 s" in done.err


def test_what_was_not_read_is_counted_by_form_and_reason(knowwhy, tmp_path):
    files = {f"docs/{n}.png": "P\0" for n in range(3)} | {
        "docs/a.drawio": "<x/>",
        "docs/a.md": PLAIN,
    }
    folder = made(tmp_path / "shop", files)

    done = knowwhy("sync", folder)

    assert "not read: 3 .png (picture), 1 .drawio (no reader); `--dry-run` names each" in done.out
    listed = knowwhy("sync", folder, "--dry-run").out.splitlines()
    assert "document  shop/docs/a.md" in listed
    assert "-         shop/docs/a.drawio: no reader" in listed


def test_what_is_not_checked_out_is_told_as_such(knowwhy, tmp_path):
    folder = made(tmp_path / "shop", {"docs/a.md": PLAIN, "tests/data/adr/0001-x.md": PLAIN})
    git(folder, "sparse-checkout", "set", "docs")

    done = knowwhy("sync", folder)

    assert "not read: 1 not in the work tree" in done.out
