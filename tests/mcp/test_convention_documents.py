"""Which documents a client is told to hold the conventions: by what they are."""

from wire import git, over_stdio

AGREED = {
    "CONTRIBUTING.md": "# Welcome\n\nEvery change has a test.\n",
    "AGENTS.md": "# Parcels\n\nRun make check before you push.\n",
    "docs/coding_standards.md": "# Go\n\nErrors are wrapped.\n",
    "docs/logging.md": "# Logging conventions\n\nOne JSON object a line.\n",
    "docs/style-guide/words.rst": "Words\n=====\n\nWrite parcel, not package.\n",
    "docs/naming.md": "---\ntitle: Namenskonventionen und Richtlinien\n---\n\nKurze Namen.\n",
}
OTHER = {
    "docs/ports.md": "# Ports\n\nThe scanner listens on 7000.\n",
    "docs/old-style.md": "---\nstatus: superseded\n---\n\n# Style guide\n\nTabs.\n",
    "docs/hall.md": "# The convenient hall\n\nIt is near.\n",
}


def test_documents_of_conventions_appear_by_what_they_are(store, tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    for name, text in {**AGREED, **OTHER}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Write down how we work")
    with over_stdio("--repo", str(tmp_path)) as assistant:
        assistant.ok("ingest", wait_seconds=120)
        (part,) = assistant.ask("read_resource", "project://memory/conventions").contents

    assert f"{len(AGREED)} of {len(AGREED)} records" in part.text
    assert all(name in part.text for name in AGREED)
    assert not any(name in part.text for name in OTHER)
