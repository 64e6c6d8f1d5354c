"""What a question names is found first, whatever other texts say."""

import json
from pathlib import Path

import pytest

from knowwhy.retrieval import naming
from knowwhy.retrieval.search import search
from knowwhy.retrieval.words.bm25 import Words
from knowwhy.tables.write import prepare, put_records
from knowwhy.types import Draft, Filters

SHOP = {
    "docs/adr/0038-events.md": "# 38. Record what is decided about events\n\n## Status\n\n"
    "Accepted\n\n## Decision\n\nWhat is decided in 39 and in the decision record is decided.\n",
    "docs/adr/0039-use-nomad.md": "# 39. Nomad\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "Workloads run on a scheduler of our own.\n",
    "docs/adr/0047-drop-jenkins.md": "# 47. Jenkins\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "It goes.\n",
    "docs/adr/0048-talk.md": "# 48. Talk\n\n## Status\n\nAccepted\n\n## Decision\n\n"
    "A decision record, an ADR, is decided in a talk about an ADR and what it decided.\n",
    "rfcs/0117-mesh.md": "# Mesh\n\n## Summary\n\nSidecars.\n\n## Motivation\n\nLatency.\n",
    "rfcs/0118-rfc-process.md": "# The RFC of RFCs\n\n## Summary\n\nWhat an RFC says of an RFC.\n\n"
    "## Motivation\n\nRFC\n",
    "keps/sig-node/1234-swap/README.md": "# Swap\n\n## Summary\n\nPages go to disk.\n",
    "keps/sig-node/1299-kep-of-keps/README.md": "# KEP of KEPs\n\n## Summary\n\nA KEP is a KEP.\n",
}
TEXTS = {
    "docs/advisories.md": "# Advisories\n\n## March\n\nWe patched CVE-2026-33186 at once.\n\n"
    "## April\n\nCVE-2026-3318 and CVE 2026 33186 CVE 2026 33187, cve and more cve.\n\n"
    "## May\n\nGHSA-w4wj-p8xv-rq6g is open; see https://github.com/acme/shop/pull/4711.\n",
    "docs/cve.md": "# CVE 2026\n\nA CVE of 2026 is a CVE; CVE-2026-33187 was a CVE of 2026.\n",
    "docs/flags.md": "# Flags\n\n## Delays\n\nA delete delay: delay to delete, delete-delay.\n\n"
    "## Compactor\n\nSet `--delete-delay=48h`, or nothing is kept.\n\n"
    "## Longer\n\n`--delete-delay-days` is another delete delay with a delay of days.\n",
    "docs/limits.md": "# Limits\n\n## Retries\n\nMax retries: the retries at the max.\n\n"
    "## Settings\n\nThe worker reads max_retries from its file, and http_max_retries too.\n",
    "docs/headers.md": "# Headers\n\n## Ids\n\nThe id of a request is the request's id.\n\n"
    "## Sent\n\nX-Request-Id goes with every call.\n",
    "docs/releases.md": "# Releases\n\n## v0.38.1\n\nNothing of v0.38 but v0.38.21.\n\n"
    "## v0.38.2\n\nRing buffers.\n\n## v0.38.3\n\nVersion 0.38 with 0.38.3.\n",
    "docs/tracker.md": "# Tracker\n\n## Old\n\nIssue 12, issue 123 and #12345 and #12.\n\n"
    "## New\n\nIt was fixed by #1234 in the end.\n",
    "docs/said.md": "# Said\n\n## One\n\nThe quick and the dead; the quick dead queue.\n\n"
    "## Two\n\nA note: the queue is quick but not dead, they said.\n",
    "pkg/compact/bucket.go": "package compact\n\n// NewBucketCompactor returns a compactor.\n"
    "func NewBucketCompactor(dir string) *BucketCompactor {\n\treturn &BucketCompactor{dir}\n}\n\n"
    "type BucketCompactor struct{ dir string }\n",
    "pkg/compact/bucket_test.go": "package compact\n\n" + "".join(
        f"func TestCompactor{n}(t *testing.T) {{\n\tc := NewBucketCompactor(NewBucketCompactor)\n"
        "\tNewBucketCompactor(c)\n}\n\n" for n in range(3)
    ),
    "docs/compactor.md": "# Compactor\n\nNewBucketCompactor, new bucket compactor: the bucket "
    "compactor that is new is NewBucketCompactor.\n",
}  # fmt: skip


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def ask(knowwhy):
    def asked(question, *options):
        ran = knowwhy("search", "--json", *options, "--", question)
        assert 0 == ran.code, ran.err
        return json.loads(ran.out)

    return asked


@pytest.fixture
def shop(knowwhy, tmp_path):
    knowwhy("sync", write(tmp_path / "shop", SHOP))


@pytest.fixture
def texts(knowwhy, tmp_path):
    knowwhy("sync", write(tmp_path / "shop", TEXTS))


def paths(answer):
    return [hit["path"].removeprefix("shop/") for hit in answer["hits"]]


@pytest.mark.parametrize(
    ("question", "path"),
    [
        *(
            (question, "docs/adr/0039-use-nomad.md")
            for question in (
                "ADR-39", "ADR-0039", "adr 39", "ADR 0039", "What is decided in ADR-39?",
                "decision 39",
                "What was decided in decision no. 39?", "what does decision record 39 say",
                "Why was the decision of ADR-0039 decided as it is decided?",
            )
        ),
        ("What is decided in ADR-0047?", "docs/adr/0047-drop-jenkins.md"),
        ("RFC 117", "rfcs/0117-mesh.md"),
        ("What does RFC-0117 say of an RFC?", "rfcs/0117-mesh.md"),
        ("KEP-1234", "keps/sig-node/1234-swap/README.md"),
        ("What is the KEP 1234 about, as a KEP?", "keps/sig-node/1234-swap/README.md"),
        ("docs/adr/0039-use-nomad.md", "docs/adr/0039-use-nomad.md"),
        ("what is decided in 0039-use-nomad.md?", "docs/adr/0039-use-nomad.md"),
    ],
)  # fmt: skip
def test_a_record_is_first_by_each_way_to_write_its_name(shop, ask, question, path):
    answer = ask(question)

    assert path == paths(answer)[0]
    assert answer["knows"]


@pytest.mark.parametrize(
    ("folder", "question", "answer"),
    [
        ("docs/kafka", "Why did we move to Kafka 3?", "We moved to Kafka 3 for its quorum."),
        ("guides/python", "What does Python 3 sort?", "Python 3 sorts what is sortable."),
        ("services/http", "Why do we serve HTTP 3?", "We serve HTTP 3 to telephones."),
    ],
)
def test_a_folder_of_a_topic_makes_no_name_of_a_product_and_its_version(
    knowwhy, tmp_path, ask, folder, question, answer
):
    pages = {
        f"{folder}/0003-retention.md": "# Retention\n\nLogs are kept for a week.\n",
        "notes/told.md": f"# Told\n\n{answer}\n",
    }
    knowwhy("sync", write(tmp_path / "shop", pages))

    assert paths(ask(question))[0] == "notes/told.md"


def test_a_number_with_the_noun_of_its_folder_names_a_record(knowwhy, tmp_path, ask):
    page = "# Retention\n\nLogs are kept for a week.\n"
    files = {"docs/memos/0003-retention.md": page, "enhancements/0004-swap.md": page, **SHOP}
    knowwhy("sync", write(tmp_path / "shop", files))

    assert paths(ask("What does memo 3 say?"))[0] == "docs/memos/0003-retention.md"
    assert paths(ask("What does enhancement 4 say?"))[0] == "enhancements/0004-swap.md"


def test_two_records_of_one_label_are_first_and_second(knowwhy, tmp_path, ask):
    for place in ("shop", "bank"):
        knowwhy("sync", write(tmp_path / place, SHOP))

    found = ask("What is decided in ADR-39?")["hits"]

    expected = {f"{place}/docs/adr/0039-use-nomad.md" for place in ("shop", "bank")}
    assert expected == {hit["key"] for hit in found[:2]}


@pytest.mark.parametrize("question", ["What is decided in ADR-87?", "adr 87", "ADR-0087"])
def test_a_label_that_no_record_has_is_denied_with_what_is_nearest(shop, ask, question):
    answer = ask(question)

    assert not answer["knows"]
    assert "no record is called ADR-87" in answer["notes"]
    assert any("ADR-48" in note and "ADR-47" in note for note in answer["notes"])


def test_a_label_that_is_only_cited_is_no_record(knowwhy, tmp_path, ask):
    cited = {"docs/old.md": "# Old\n\nSome pages and ADR-0087 were lost in a move.\n"}
    knowwhy("sync", write(tmp_path / "shop", SHOP | cited))

    assert not ask("What does ADR-0088 say?")["knows"]
    assert paths(ask("Where were pages and ADR-0087 lost?"))[0] == "docs/old.md"


def test_one_label_in_many_repositories_is_found_in_each(knowwhy, tmp_path, ask):
    head = "# 39. Nomad\n\n## Status\n\nAccepted\n\n"
    many = {f"r{n}/docs/adr/0039-a.md": f"{head}Of team {n}.\n" for n in range(9)}
    knowwhy("ingest", "adr", write(tmp_path / "many", many))
    knowwhy("sync", write(tmp_path / "shop", SHOP))

    found = paths(ask("What is decided in ADR-39 about decisions?", "--k", "10"))

    assert 10 == sum("0039-" in path for path in found[:10])


def test_what_another_project_calls_so_is_denied_as_what_nobody_does(knowwhy, tmp_path, ask):
    knowwhy("ingest", "adr", write(tmp_path / "shop", SHOP) / "docs/adr", "--project", "shop")
    other = {"docs/adr/0087-secret.md": "# 87. Secret\n\n## Status\n\nAccepted\n\nCVE-2031-99999\n"}
    questions = ("What is decided in ADR-87?", "Are we hit by CVE-2031-99999?", "decision 87")

    before = [ask(question, "--project", "shop") for question in questions]
    knowwhy("ingest", "adr", write(tmp_path / "bank", other) / "docs/adr", "--project", "bank")
    after = [ask(question, "--project", "shop") for question in questions]

    assert not any(answer["knows"] for answer in before[:2])
    assert before == after
    assert "87. Secret" in ask(questions[0], "--project", "bank")["hits"][0]["text"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("CVE-2026-33186", "We patched"),
        ("Were we hit by CVE-2026-33186, a CVE of 2026?", "We patched"),
        ("cve-2026-33186", "We patched"),
        ("GHSA-w4wj-p8xv-rq6g", "is open"),
        ("--delete-delay", "or nothing is kept"),
        ("What delay does --delete-delay delay?", "or nothing is kept"),
        ("#4711", "is open"),
        ("What was issue #1234?", "It was fixed"),
        ("what is new in v0.38.2?", "Ring buffers"),
        ("max_retries", "The worker reads"),
        ("How many retries are max_retries at the max?", "The worker reads"),
        ("What is the X-Request-Id of a request?", "goes with every call"),
        ('Who said "the queue is quick but not dead"?', "A note"),
        ("What is `they said` and the quick dead queue?", "A note"),
        ("NewBucketCompactor", "func NewBucketCompactor"),
        ("How is a compactor made by NewBucketCompactor?", "func NewBucketCompactor"),
        ("compact.NewBucketCompactor", "func NewBucketCompactor"),
    ],
)
def test_an_identifier_shows_the_passage_that_holds_exactly_it(texts, ask, question, words):
    answer = ask(question)

    assert words in answer["hits"][0]["text"]
    assert answer["knows"]


@pytest.mark.parametrize("name", ["CVE-2026-40000", "--keep-delay", "v9.9.9", "#987654"])
def test_an_identifier_that_is_nowhere_is_not_known(texts, ask, name):
    answer = ask(f"What is {name}?")

    assert (False, [name]) == (answer["knows"], answer["unknown"])


@pytest.fixture
def crowd(store):
    """Stores 80 notes that speak of data, and after them one of which a line sets a flag."""
    notes = [(f"n{n:02}", "Data of data: what the data do to data.") for n in range(80)]
    told = "Of curl: with `--data` a request has a body. " + "Other words follow here. " * 20
    drafts = [
        Draft(id=key, kind="adr", title=f"Note {key}", content=f"# Note {key}\n\n{text}\n")
        for key, text in (*notes, ("z", told))
    ]
    put_records(prepare(drafts, "wordhash"))


def test_a_flag_is_found_behind_many_texts_that_have_its_word(crowd, ask):
    answer = ask("What does --data do?")

    assert ("z", True, []) == (answer["hits"][0]["key"], answer["knows"], answer["unknown"])


def test_a_flag_is_not_called_absent_where_not_all_was_looked_at(crowd, ask, monkeypatch):
    monkeypatch.setattr(naming, "MOST_LOOKED_AT", naming.LOOKED_AT)

    assert [] == ask("What does --data do?")["unknown"]


def test_words_with_hyphens_are_not_looked_up_unless_they_are_all_that_is_asked(
    texts, ask, monkeypatch
):
    looked, holding = [], Words.holding

    def counting(words, text, *rest):
        looked.append(text)
        return holding(words, text, *rest)

    monkeypatch.setattr(Words, "holding", counting)

    ask("Where is a long-running worker event-driven and not rate-limited?")
    assert [] == looked
    ask("What is delete-delay?")
    assert ["delete-delay"] == looked


def test_what_stands_only_where_the_search_does_not_look_is_not_called_absent(texts, ask):
    question = "Are we hit by CVE-2026-33186?"
    key = ask(question)["hits"][0]["key"]
    given = {"embedder": "wordhash", "reranker": "none"}

    assert [] == ask(question, "--kind", "code")["unknown"]
    assert [] == ask(question, "--service", "billing")["unknown"]
    assert () == search(question, exclude=[key], **given).unknown
    assert () == search(question, filters=Filters(kinds=("adr",)), **given).unknown
    assert ["CVE-2031-4411"] == ask("Are we hit by CVE-2031-4411?", "--kind", "code")["unknown"]


def test_a_decision_is_not_answered_by_a_type_or_a_folder_of_its_name(knowwhy, tmp_path, ask):
    why = "# 2. OpenTracer\n\n## Status\n\nAccepted\n\nWe chose OpenTracer over api/v1.\n"
    code = "package api\n\ntype OpenTracer struct {}\n"
    files = {"docs/adr/0002-tracer.md": why, "api/v1/OpenTracer.go": code, **SHOP}
    knowwhy("sync", write(tmp_path / "shop", files))

    for question in ("Why did we choose OpenTracer?", "Why did we choose it over api/v1?"):
        assert "docs/adr/0002-tracer.md" == paths(ask(question))[0]
    assert "api/v1/OpenTracer.go" == paths(ask("Where is OpenTracer?"))[0]


def test_a_walk_answers_before_what_it_starts_from(knowwhy, tmp_path, ask):
    new = "# 2. Kafka\n\n## Status\n\nAccepted\n\nSupersedes ADR-0001\n"
    old = "# 1. Rabbit\n\n## Status\n\nSuperseded by ADR-0002\n"
    files = {"docs/adr/0001-rabbit.md": old, "docs/adr/0002-kafka.md": new, **SHOP}
    knowwhy("sync", write(tmp_path / "shop", files))

    found = paths(ask("What replaced ADR-1?"))

    assert ["docs/adr/0002-kafka.md", "docs/adr/0001-rabbit.md"] == found[:2]
