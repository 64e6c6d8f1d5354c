"""The question that the graph leg exists for: a spec, its dependencies, and words of its topic."""

from knowwhy.retrieval.search import search
from knowwhy.tables import write
from knowwhy.types import Draft, Filters

NEEDED = ("SPEC-037", "SPEC-034", "SPEC-044", "SPEC-052")
TOPICS = (
    "queue",
    "billing",
    "search",
    "layout",
    "cache",
    "mail",
    "audit",
    "import",
    "theme",
    "quota",
)


def specs() -> list[Draft]:
    listed = "".join(f"- {name}\n" for name in NEEDED)
    texts = {
        "SPEC-054": (
            "Port the runner to TypeScript",
            f"## Plan\n\nThe runner is ported in three steps.\n\n## References\n\n{listed}",
        ),
        "SPEC-037": ("Wire format of events", "Events are framed with a length and a checksum."),
        "SPEC-034": ("Names of modules", "Modules are named after what they hold."),
        "SPEC-044": ("Retries of workers", "A worker tries again after a pause."),
        "SPEC-052": ("Limits of payloads", "A payload of more than a megabyte is refused."),
    }
    for number in range(60, 90):
        topic = TOPICS[number % len(TOPICS)]
        text = f"The {topic} in TypeScript has a plan, and a port {number} that it listens on."
        texts[f"SPEC-{number:03}"] = (f"TypeScript plan {number} of the {topic}", text)
    return [
        Draft(id=f"specs/{name}.md", kind="spec", title=title, content=text, label=name)
        for name, (title, text) in texts.items()
    ]


def test_what_a_spec_depends_on_is_found_by_the_graph_beside_the_words_of_its_topic(store):
    write.put_records(write.prepare(specs(), "wordhash"))
    question = "SPEC-054 dependencies port plan TypeScript"

    hits = search(question, embedder="wordhash", reranker="none", k=10).hits

    found = {hit.passage.label: (place, hit) for place, hit in enumerate(hits, 1)}
    place, hit = found["SPEC-037"]
    assert place <= 5
    assert hit.parts["graph"] > 0
    assert set(NEEDED) <= found.keys()


def test_what_a_spec_depends_on_is_found_by_the_graph_alone(store):
    write.put_records(write.prepare(specs(), "wordhash"))
    alone = {"embedder": "wordhash", "reranker": "none", "legs": ("graph",), "k": 3}

    hits = search("what does SPEC-054 depend on", filters=Filters(), **alone).hits

    assert "SPEC-037" in [hit.passage.label for hit in hits]
