"""Long work over the wire: told how far it is, asked about, and stopped."""

import pytest
from wire import git, over_stdio

FILES = 400  # of 4 KB: eight batches, of which a cancelled job writes some


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Gives a repository that takes a while to take in."""
    root = tmp_path_factory.mktemp("large")
    for number in range(FILES):
        functions = "\n\n".join(
            f'def f{n}() -> int:\n    """Counts lane {n} of gate {number}."""\n    return {n}'
            for n in range(40)
        )
        (root / f"gate_{number}.py").write_text(functions)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    return root


def test_long_work_tells_how_far_it_is_and_is_stopped_and_goes_on(store, large):
    with over_stdio("--repo", str(large)) as assistant:
        begun = assistant.ok("ingest", wait_seconds=0)
        job = begun.data["job"]
        status = assistant.ok("run_tool", name="job_status", arguments={"job": job})
        asked = assistant.ok("run_tool", name="cancel_job", arguments={"job": job})
        named = {"job": job, "wait_seconds": 60}
        stopped = assistant.ok("run_tool", name="job_status", arguments=named)
        known = assistant.ok("run_tool", name="statistics").data["records"]
        again = assistant.ok("ingest", wait_seconds=300)
        after = assistant.ok("run_tool", name="statistics").data["records"]

    assert begun.data["state"] in ("waiting", "running")
    assert status.data["job"] == job
    assert asked.data["state"] in ("stopping", "cancelled")
    assert "cancelled" == stopped.data["state"], stopped.text
    assert known <= after
    assert "done" == again.data["state"], again.text
    assert len(list(large.glob("*.py"))) == after
    counts = [done for done, total, _ in again.progress if total == after]
    assert len(counts) > 3, again.progress
    assert sorted(set(counts)) == counts


def test_a_job_behind_another_says_that_it_waits_and_is_cancelled_at_once(store, large):
    with over_stdio("--repo", str(large)) as assistant:
        assistant.ok("run_tool", name="statistics")
        first = assistant.ok("ingest", wait_seconds=0).data["job"]
        second = assistant.ok("ingest", wait_seconds=3)
        named = {"job": second.data["job"]}
        told = assistant.ok("run_tool", name="job_status", arguments=named)
        stopped = assistant.ok("run_tool", name="cancel_job", arguments=named)
        before = assistant.ok("run_tool", name="job_status", arguments={"job": first})
        assistant.ok("run_tool", name="cancel_job", arguments={"job": first})

    assert "running" == before.data["state"], before.text
    assert any("is waiting" in (message or "") for _, _, message in second.progress), second
    assert "is waiting until the jobs before it have ended" in told.text
    assert "cancelled" == stopped.data["state"]


def test_a_call_that_its_client_gives_up_stops_its_job(store, large):
    with over_stdio("--repo", str(large)) as assistant:
        assistant.ok("run_tool", name="statistics")
        (large / "more.py").write_text("def more() -> int:\n    return 1\n")

        async def give_up():
            import anyio

            with anyio.move_on_after(0.5):
                await assistant.client.call_tool("ingest", {"kind": "code", "wait_seconds": 300})

        assistant.portal.call(give_up)
        jobs = assistant.ok("run_tool", name="job_status").data["jobs"]
        waited = assistant.ok(
            "run_tool", name="job_status", arguments={"job": jobs[0]["job"], "wait_seconds": 60}
        )

    assert waited.data["state"] in ("cancelled", "done")


def test_a_server_that_ends_leaves_what_its_job_took_in(store, large):
    with over_stdio("--repo", str(large)) as assistant:
        assistant.ok("run_tool", name="statistics")
        assistant.ok("ingest", wait_seconds=0)
    with over_stdio("--repo", str(large)) as assistant:
        done = assistant.ok("ingest", wait_seconds=300)

    assert "done" == done.data["state"]
    assert [] == done.data["result"]["refused"]
