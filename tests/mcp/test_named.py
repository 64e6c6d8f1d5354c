"""What an assistant asks for by name comes first, and a package is asked about as a file is."""

from wire import git, over_stdio

FILES = {
    "docs/adr/0001-use-kafka.md": "# 1. Kafka\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "What is decided about a decision is decided in 12 decisions.\n",
    "docs/adr/0012-drop-cron.md": "# 12. Cron\n\n## Status\n\nAccepted\n\n"
    "## Decision\n\nIt goes.\n",
    "docs/flags.md": "# Flags\n\n## Delays\n\nDelete delay: delay to delete.\n\n## Others\n\n"
    "Without `--delete-delay` nothing is kept.\n",
    "go.mod": "module example.org/acme/api\n",
    "main.go": 'package main\n\nimport "example.org/acme/api/pkg/block"\n\n'
    "func main() { block.New() }\n",
    "pkg/block/block.go": "package block\n\nfunc New() int { return 1 }\n",
}


def test_an_assistant_is_given_what_it_names(store, tmp_path):
    root = tmp_path / "served"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")

    with over_stdio("--user", "ann", "--repo", str(root)) as ann:
        ann.ok("ingest", wait_seconds=120)

        def first(question):
            hits = ann.ok("semantic_search", query=question).data["hits"]
            return hits[0]["path"], hits[0]["text"]

        assert first("What is decided in decision 12?")[0].endswith("0012-drop-cron.md")
        assert first("adr-0012")[0].endswith("0012-drop-cron.md")
        assert "nothing is kept" in first("What delay has --delete-delay?")[1]
        assert first("What imports package block?")[0].endswith("main.go")
        shown = ann.ok("graph", node="pkg/block")
        edges = [(edge["from"], edge["relation"]) for edge in shown.data["edges"]]
        assert any(tail.endswith("main.go") and "IMPORTS" == how for tail, how in edges)
        none = ann.ok("semantic_search", query="What is decided in ADR-87?")
        assert "no record is called ADR-87" in none.text
