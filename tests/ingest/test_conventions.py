"""A file's place, and what knowwhy.toml says, decide its one kind."""

import re
from pathlib import Path

import pytest

from knowwhy.errors import BadInput
from knowwhy.ingest.folder import KINDS as ingested
from knowwhy.ingest.syncing.conventions import kind_of
from knowwhy.ingest.syncing.layout import (
    KINDS,
    Choice,
    adr_folder,
    choose,
    parse_layout,
    read_layout,
)
from pace import assert_linear, run_of

PAGE = Path(__file__).parents[2] / "docs" / "knowwhy-toml.md"


def is_code(path):
    return path.endswith((".py", ".toml", ".go", ".yaml", ".json", "CMakeLists.txt"))


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("adr", "docs/adr/0001-record-decisions.md"),
        ("adr", "docs/adrs/use-redis.md"),
        ("adr", "doc/adr/0002-use-redis.rst"),
        ("adr", "adr/use-redis.md"),
        ("adr", "decisions/use-redis.md"),
        ("adr", "docs/decisions/use-redis.md"),
        ("adr", "architecture/decisions/0003-use-redis.md"),
        ("adr", "docs/architecture/decisions/use-redis.md"),
        ("adr", "docs/Architecture_Decision_Records/7.md"),
        ("adr", "services/orders/docs/adr/accepted/0004-use-redis.md"),
        ("adr", "services/orders/decisions/0004-use-redis.md"),
        ("adr", "notes/ADR-0005-use-redis.md"),
        ("adr", "docs/adr/0026-keep-email-templates-in-the-database.md"),
        ("adr", "docs/architecture-decision-log/use-redis.md"),
        ("adr", "docs/technical_decisions/use-redis.md"),
        ("adr", "docs/adr/0012-template-engine.md"),
        (None, "docs/adr/adr-template-bare-minimal.md"),
        (None, "docs/adr/templates/long.md"),
        (None, "docs/adr/LICENSE.md"),
        ("document", "docs/adr/PROCESS.md"),
        ("document", "docs/adr/0001-use-redis/README.md"),
        ("document", "app/decisions/engine-notes.md"),
        ("document", "docs/adr/README.md"),
        ("document", "docs/adr/index.md"),
        (None, "docs/adr/template.md"),
        (None, "docs/adr/adr-template.md"),
        (None, "docs/adr/0000-template.md"),
        (None, "docs/adr/picture.png"),
        ("incident", "postmortems/2024-05-checkout.md"),
        ("incident", "docs/post-mortems/checkout.txt"),
        ("incident", "incidents/INC-7.yaml"),
        ("incident", "docs/incidents/INC-7.json"),
        ("incident", "docs/2024-05-checkout-postmortem.md"),
        ("code", "src/incidents/schema.json"),
        ("code", "src/incidents/views.py"),
        ("document", "docs/incident-response.md"),
        ("document", "incidents/README.md"),
        ("meeting", "meetings/2024-05-01-weekly.md"),
        ("meeting", "docs/meeting_notes/weekly.txt"),
        ("meeting", "docs/minutes/weekly.vtt"),
        (None, "assets/film.vtt"),
        ("document", "README"),
        ("document", "README.md"),
        ("document", "services/orders/Readme.rst"),
        ("document", "CHANGELOG.md"),
        ("document", "docs/guide/start.html"),
        ("document", "docs/paper.pdf"),
        (None, "web/index.html"),
        (None, "invoices/2024.pdf"),
        ("document", "src/orders/notes.txt"),
        (None, "requirements-dev.txt"),
        (None, "LICENSE.md"),
        (None, "robots.txt"),
        ("code", "src/CMakeLists.txt"),
        ("code", "src/orders/app.py"),
        ("code", "docs/conf.py"),
        (None, "tests/fixtures/adr/0001-invented.md"),
        ("code", "tests/fixtures/app.py"),
        (None, ".github/pull_request_template.md"),
        (None, "logo.svg"),
        (None, "vendor/lib/README.md"),
        (None, "web/node_modules/lib/docs/adr/0001-theirs.md"),
    ],
)
def test_a_file_is_what_its_place_says(kind, path):
    assert kind == kind_of(path, is_code)


@pytest.mark.parametrize(
    ("kind", "top", "path"),
    [
        ("adr", "adrs", "0001-use-redis.md"),
        ("adr", "shop-decision-records", "7-use-redis.md"),
        ("adr", "adrs", "orders/0001-use-redis.md"),
        ("document", "adrs", "plan/1-first.md"),
        ("document", "adrs", "notes.md"),
        ("document", "adrs", "README.md"),
        (None, "adrs", "template.md"),
        ("document", "adr-tools", "0001-use-redis.md"),
        ("document", "shop", "0001-use-redis.md"),
    ],
)
def test_a_repository_of_nothing_but_decisions_is_known_by_its_name(kind, top, path):
    assert kind == kind_of(path, is_code, top=top)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("adr", "docs/adr/0001-use-redis/README.md"),
        ("adr", "docs/decisions/use-redis/index.md"),
        ("adr", "docs/adr/PROCESS.md"),
        ("document", "docs/adr/README.md"),
        ("document", "docs/decisions/index.md"),
        ("document", "src/orders/README.md"),
    ],
)
def test_a_page_that_holds_a_decision_is_one_in_a_folder_of_its_own(kind, path):
    assert kind == kind_of(path, is_code, holds=lambda: True)


LAYOUT = parse_layout(
    'service = "orders"\nproject = "shop"\nexclude = ["legacy", "*.gen.md"]\n'
    '[sources]\nadr = ["design/records"]\nincident = ["ops/*.md"]\ndocument = ["meetings/rules.md"]'
)


@pytest.mark.parametrize(
    ("choice", "path"),
    [
        (Choice("adr", firm=True), "design/records/deep/1.md"),
        (Choice("document", firm=False), "design/records/README.md"),
        (Choice("code", firm=False), "design/records/draw.py"),
        (Choice("incident", firm=True), "ops/checkout.md"),
        (Choice("document", firm=False), "ops/deep/checkout.md"),
        (Choice("document", firm=True), "meetings/rules.md"),
        (Choice("meeting", firm=False), "meetings/weekly.md"),
        (Choice("adr", firm=False), "docs/adr/1.md"),
        (None, "docs/adr/1.gen.md"),
        (None, "knowwhy.toml"),
        (None, "services/legacy/app.py"),
    ],
)
def test_what_is_written_down_goes_before_what_is_usual(choice, path):
    assert choice == choose(path, "", LAYOUT, is_code)


def test_a_part_of_a_work_tree_keeps_its_place_in_it():
    assert Choice("adr", firm=False) == choose("0001-use-redis.md", "docs/adr/", LAYOUT, is_code)


def test_every_kind_that_can_be_ingested_can_be_written_down():
    assert ingested == KINDS


def test_service_and_project_are_read():
    assert ("orders", "shop") == (LAYOUT.service, LAYOUT.project)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "knowwhy.toml: the key 'exlude' is not known; service, project, exclude and sources "
            "are.",
            "exlude = []",
        ),
        (
            "knowwhy.toml: the key 'adrs' in [sources] is not known; adr, incident, meeting, "
            "document and code are.",
            "[sources]\nadrs = []",
        ),
        ("knowwhy.toml: sources must be a section, [sources].", "sources = 1"),
        ('knowwhy.toml: service must be a text: service = "orders".', "service = 1"),
        ('knowwhy.toml: project must be a text: project = "orders".', 'project = " "'),
        (
            'knowwhy.toml: exclude must be a list of folders or globs: exclude = ["notes"].',
            'exclude = "notes"',
        ),
        ("knowwhy.toml is not TOML: Invalid value (at line 1, column 11).", "service = "),
    ],
)
def test_what_is_not_understood_is_refused_in_words(said, text):
    with pytest.raises(BadInput) as caught:
        parse_layout(text)

    assert said == str(caught.value).replace("(at end of document)", "(at line 1, column 11)")


def test_a_glob_that_means_nothing_is_refused():
    with pytest.raises(BadInput, match=r"knowwhy\.toml: "):
        parse_layout('exclude = ["!"]')


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("doc/arch/decisions", "doc/arch/decisions\n"),
        ("notes", "./notes/"),
        (r"a\*b", "a*b"),
        (None, "../elsewhere"),
        (None, "/etc"),
        (None, ""),
        (None, "one\ntwo"),
    ],
)
def test_a_folder_of_decisions_that_is_named_for_adr_tools_is_found(folder, text):
    assert folder == adr_folder(text)


def test_what_adr_tools_say_is_used_until_knowwhy_is_told(tmp_path):
    (tmp_path / ".adr-dir").write_text("notes/choices\n")
    said = read_layout(tmp_path)
    (tmp_path / "knowwhy.toml").write_text('[sources]\nadr = ["other"]\n')
    told = read_layout(tmp_path)

    assert Choice("adr", firm=True) == choose("notes/choices/1.md", "", said, is_code)
    assert Choice("document", firm=False) == choose("notes/choices/1.md", "", told, is_code)
    assert said.text != told.text


def test_settings_behind_a_link_are_not_read(tmp_path):
    (tmp_path / "elsewhere").write_text("secret")
    (tmp_path / "knowwhy.toml").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(BadInput, match=r"^knowwhy\.toml is not a regular file; it was not read\.$"):
        read_layout(tmp_path)


def test_the_example_of_the_page_does_what_the_page_says():
    page = PAGE.read_text(encoding="utf-8")
    layout = parse_layout(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])
    rows = re.findall(r"^\| `([^`]+)` \| (\w+) \|$", page, re.MULTILINE)

    assert 6 <= len(rows)
    for path, kind in rows:
        choice = choose(path, "", layout, is_code)
        assert kind == (choice.kind if choice else "nothing"), path


@pytest.mark.parametrize("part", ["template-", "0", "post-mortem", "adr-", "a/", "readme.", "*"])
def test_hostile_names_are_decided_in_linear_time(part):
    def decide(name):
        kind_of(name, is_code)
        kind_of(f"docs/adr/{name}", is_code)

    assert_linear(decide, run_of(part, after=".md"))
