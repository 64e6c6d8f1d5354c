"""What docs/schedules.md and docs/backup.md tell people to put into other programs."""

import configparser
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from command_lines import exists

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "schedules.md").read_text(encoding="utf-8")
BACKUP = (ROOT / "docs" / "backup.md").read_text(encoding="utf-8")
MEASURES = (ROOT / "src" / "knowwhy" / "mcp" / "measures.py").read_text(encoding="utf-8")


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_cron_lines_have_five_fields_and_a_command_that_exists():
    (table,) = blocks("cron")
    lines = [line for line in table.splitlines() if not re.match(r"[A-Z_]+=", line)]
    field = r"[\d*/,-]+"

    assert lines
    for line in lines:
        assert re.match(rf"({field}\s+){{5}}/", line), line
        assert "%" not in line.replace(r"\%", ""), "cron makes a new line of a bare %"
        for command in re.split(r"\|\|", line.split(maxsplit=5)[5]):
            assert exists(command), command


def test_the_units_parse_and_run_commands_that_exist():
    units = [unit(text) for text in blocks("ini")]
    services = [dict(one["Service"]) for one in units if "Service" in one]
    timers = [one for one in units if "Timer" in one]

    assert [("oneshot", "process")] * 2 == [(s["Type"], s["KillMode"]) for s in services]
    assert [True, True] == [exists(service["ExecStart"]) for service in services]
    assert ["nightly", "backup"] == [service["ExecStart"].split()[1] for service in services]
    assert 2 == len(timers)
    for timer in timers:
        assert "timers.target" == dict(timer["Install"])["WantedBy"]
        assert re.fullmatch(r"\*-\*-\* \d\d:\d\d:\d\d", dict(timer["Timer"])["OnCalendar"])


def test_no_unit_has_a_command_that_waits_for_the_success_of_another():
    services = [one["Service"] for one in map(unit, blocks("ini")) if "Service" in one]

    assert [1, 1] == [[name for name, _ in lines].count("ExecStart") for lines in services]


def test_each_unit_is_in_a_file_that_its_timer_starts():
    named = re.findall(r"`/etc/systemd/system/([\w-]+)\.(service|timer)`", PAGE)
    begun = re.findall(r"systemctl enable --now ([^`]+)`", PAGE)

    assert {"service": 2, "timer": 2} == Counter(kind for _, kind in named)
    assert {name for name, kind in named if kind == "timer"} == {
        name for name, kind in named if kind == "service"
    }
    assert [f"{name}.timer" for name, kind in named if kind == "timer"] == begun[0].split()


def unit(text: str) -> dict[str, list[tuple[str, str]]]:
    """Reads a unit, whose keys may be there twice; another parser looks at its form."""
    strict = configparser.ConfigParser(strict=False, interpolation=None)
    strict.read_string(text)
    read: dict[str, list[tuple[str, str]]] = {name: [] for name in strict.sections()}
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            name, _, value = line.partition("=")
            read[section].append((name, value))
    return read


def test_the_workflow_parses_and_runs_a_target_that_exists():
    workflow = yaml.safe_load(blocks("yaml")[0])
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    steps = workflow["jobs"]["golden"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]

    assert {"push", "pull_request", "schedule"} == set(workflow[True])  # YAML 1.1 reads on as true
    assert ["make golden"] == commands
    assert "golden" in targets
    assert ["3.11"] == [s["with"]["python-version"] for s in steps if "setup-python" in str(s)]


def test_the_scrape_configuration_parses():
    (job,) = yaml.safe_load(blocks("yaml")[1])["scrape_configs"]

    assert {"job_name", "scrape_interval", "authorization", "static_configs"} == set(job)


def test_each_measure_is_on_the_page():
    made = set(re.findall(r'"(knowwhy_\w+)"', MEASURES))
    told = {name.removesuffix("_total") for name in re.findall(r"`(knowwhy_\w+)`", PAGE)}

    assert made == told


@pytest.mark.parametrize("page", [PAGE, BACKUP], ids=["schedules", "backup"])
def test_each_command_of_the_page_exists(page):
    named = re.findall(r"`(knowwhy \w[^`]*)`", page)
    shown = [
        line.partition("#")[0].removeprefix("$ ").strip()
        for text in blocks("(?:console|sh)", page)
        for line in text.splitlines()
        if re.match(r"(\$ )?(\w+=\S+ )?knowwhy ", line)
    ]
    lines = [line for line in (*named, *shown) if "knowwhy-" not in line]

    assert lines
    assert [] == [line for line in lines if not exists(line)]
