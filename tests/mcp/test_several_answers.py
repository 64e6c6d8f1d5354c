"""What one call answers that stands for several."""

import json
import re


def test_answers_of_several_calls_are_whole_or_left_out(assistant, tmp_path):
    whole = " ".join(f"Step {number} of the long plan." for number in range(500))
    file = tmp_path / "plan.jsonl"
    told = {"id": "long-plan", "kind": "document", "title": "The long plan", "text": whole}
    file.write_text(json.dumps(told))
    assistant.ok("ingest", path=str(file), kind="jsonl", wait_seconds=120)
    calls = [{"name": "get", "arguments": {"key": "long-plan"}}] * 10

    said = assistant.ok("run_tool", name="run_tools", arguments={"calls": calls})

    opened, closed = (re.findall(mark + r"knowledge-\w+>", said.text) for mark in ("<", "</"))
    left_out = said.text.count("does not fit here")
    assert len(opened) == len(closed) == 10 - left_out
    assert 0 < left_out < 10
    assert 10 == len(said.data["results"])
