"""What a server tells Prometheus, scraped as Prometheus does after real searches."""

import json
import re
import time
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from wire import over_http, serving

from knowwhy.tables.agents import bearers
from knowwhy.types import RIGHTS

WAIT = 60  # seconds
SECRETS = ("zebulon", "Zanzibar", "pelican", "m-", "docs/")


@pytest.fixture(scope="module")
def served(emptied, repository: Path):
    """Gives a server that has been asked three things, one of them twice."""
    token, _ = bearers.add("zebulon", rights=RIGHTS)
    with serving("--repo", str(repository)) as url, over_http(url, token) as user:
        before = scraped(url, token)
        user.ok("ingest", path="docs/adr", kind="adr", wait_seconds=120)
        user.ok("remember", text="We use pelican 3 for Zanzibar (ADR-12).", said_by="user")
        for query in ("Why Kafka?", "Why Kafka?", "Which database keeps the orders?"):
            user.ok("semantic_search", query=query)
        user.ok("recall", query="What of Zanzibar?")
        deadline = time.monotonic() + WAIT
        while total(read(text := page(url, token).text), "knowwhy_rows", table="records") < 43:
            assert time.monotonic() < deadline, text
            time.sleep(0.5)  # what was read of the tables before is told for ten seconds
        yield SimpleNamespace(url=url, token=token, before=before, text=text)


def page(url: str, token: str | None = None, **headers: str) -> httpx2.Response:
    bearer = {"authorization": f"Bearer {token}"} if token is not None else {}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.get(url.replace("/mcp", "/metrics"), headers={**bearer, **named}, timeout=60)


def read(text: str) -> dict[tuple[str, str], float]:
    """Reads a page with the official parser: each sample by its name and labels."""
    return {
        (sample.name, json.dumps(sample.labels, sort_keys=True)): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(url: str, token: str) -> dict[tuple[str, str], float]:
    return read(page(url, token).text)


def total(samples: dict[tuple[str, str], float], name: str, **labels: str) -> float:
    wanted = [f'"{label}": "{value}"' for label, value in labels.items()]
    return sum(
        v for (n, told), v in samples.items() if n == name and all(w in told for w in wanted)
    )


def test_searches_are_counted_with_the_time_of_each_step(served):
    now = read(served.text)

    assert 0 == total(served.before, "knowwhy_searches_total")
    assert 4 == total(now, "knowwhy_searches_total")
    assert 1 == total(now, "knowwhy_searches_total", from_cache="yes")
    assert 4 == total(now, "knowwhy_search_seconds_count")
    for step in ("refresh", "understand", "bm25", "vector", "graph", "fuse", "fetch", "rerank"):
        assert 3 == total(now, "knowwhy_search_step_seconds_count", step=step), step
    assert 0 < total(now, "knowwhy_search_step_seconds_sum") < 60
    assert {"bm25", "vector", "graph"} == set(
        re.findall(r'legs_empty_total\{leg="(\w+)"\}', served.text)
    )


def test_how_the_home_stands_is_told(served):
    now = read(served.text)

    assert 1 == total(now, "knowwhy_home_readable")
    assert 43 == total(now, "knowwhy_rows", table="records")
    assert 1 == total(now, "knowwhy_rows", table="memories")
    assert 0 == total(now, "knowwhy_backlog", what="turns")
    assert 0 == total(now, "knowwhy_alarms")
    assert 1_000_000 < total(now, "knowwhy_disk_bytes")
    assert 0 < total(now, "process_resident_memory_bytes")


def test_no_user_no_key_and_no_question_is_in_it(served):
    assert [] == [word for word in SECRETS if word in served.text]
    labels = {label for _, told in read(served.text) for label in json.loads(told)}
    known = {
        "step",
        "leg",
        "table",
        "what",
        "code",
        "le",
        "question_class",
        "answered",
        "searched",
        "filtered_by",
    }
    assert labels <= known | {"why", "from_cache", "implementation", "major", "minor", "patchlevel",
                              "version"}  # fmt: skip


def test_the_newer_form_is_given_to_who_asks_for_it(served):
    told = page(served.url, served.token, accept="application/openmetrics-text; version=1.0.0")

    assert told.headers["content-type"].startswith("application/openmetrics-text")
    assert "knowwhy_searches" in {family.name for family in openmetrics(told.text)}


def test_it_is_for_a_token_or_for_this_machine(served):
    assert 200 == page(served.url, served.token).status_code
    assert 200 == page(served.url).status_code
    assert 401 == page(served.url, "kw_" + "x" * 43).status_code
    assert 401 == page(served.url, x_forwarded_for="203.0.113.7").status_code
    assert 401 == page(served.url, x_forwarded_for="127.0.0.1").status_code
    assert 401 == page(served.url, forwarded="for=203.0.113.7").status_code
    assert 401 == page(served.url, via="1.1 cache").status_code
    assert 401 == page(served.url, x_real_ip="127.0.0.1").status_code
    assert 401 == page(served.url, x_forwarded_proto="https").status_code
    assert 200 == page(served.url, served.token, x_forwarded_for="203.0.113.7").status_code
    assert 421 == page(served.url, served.token, host="rebound.example.com").status_code
    assert 403 == page(served.url, served.token, origin="https://evil.example.com").status_code


def test_a_name_of_the_host_that_others_may_use_needs_a_token(served, opened):
    with serving("--allow-host", "memory.example.com") as url:
        port = httpx2.URL(url).port
        named = [f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"]

        assert [200] * 3 == [page(url, host=name).status_code for name in named]
        assert 401 == page(url, host="memory.example.com").status_code
        assert 401 == page(url, host=f"memory.example.com:{port}").status_code
        assert 200 == page(url, served.token, host="memory.example.com").status_code


def test_a_server_that_others_reach_wants_a_token_from_this_machine_too(served, opened):
    with serving("--http", "0.0.0.0:0", "--allow-host", "127.0.0.1") as url:
        port = httpx2.URL(url).port
        here = f"http://127.0.0.1:{port}/mcp"

        assert 401 == page(here).status_code
        assert 200 == page(here, served.token).status_code


def test_an_alarm_is_told_by_its_code(served, opened):
    from datetime import UTC, datetime

    from knowwhy.tables.kept import nights
    from knowwhy.tables.kept.nights import FAILED, Run
    from knowwhy.tables.vectors import health_checks
    from knowwhy.tables.vectors.health_checks import Check
    from knowwhy.tables.write import table

    health_checks.keep([Check("h-1", "passages", "user", "x", 9, recall_at_10=0.97)])
    nights.begin(Run("n-1", datetime.now(UTC), FAILED, ended_at=datetime.now(UTC)))
    try:
        with serving() as url:
            told = scraped(url, served.token)
    finally:
        table("nightly_runs").delete()
        table("health_checks").delete()

    assert 1 == total(told, "knowwhy_alarm", code="nightly-failed")
    assert 1 == total(told, "knowwhy_alarms")
    assert 0.97 == total(told, "knowwhy_recall_at_10", searched="passages", filtered_by="user")
