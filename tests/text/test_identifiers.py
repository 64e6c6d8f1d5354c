"""What a question writes exactly is told by its form, and found as exactly as it is written."""

import pytest

from knowwhy.text.identifiers import Written, defines, exactness, written
from pace import assert_linear


def sure(question: str) -> list[str]:
    return [each.text for each in written(question) if each.is_sure]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Are we hit by CVE-2026-33186?", ["CVE-2026-33186"]),
        ("and by GHSA-w4wj-p8xv-rq6g", ["GHSA-w4wj-p8xv-rq6g"]),
        ("What do --dry-run and --peer.timeout=5s do?", ["--dry-run", "--peer.timeout"]),
        ("fixed by #1234, I think", ["#1234"]),
        ("What came with v0.38.2 and 1.4.0-rc.1?", ["v0.38.2", "1.4.0-rc.1"]),
        ("max_retries of MAX_RETRIES in __init__", ["max_retries", "MAX_RETRIES", "__init__"]),
        ("Where is NewBucketCompactor made by useState?", ["NewBucketCompactor", "useState"]),
        ("who sends X-Request-Id", ["X-Request-Id"]),
        ("store_x.go, values.yaml, README.md", ["store_x.go", "values.yaml", "README.md"]),
        ("std::vector in com.acme.billing", ["std::vector", "com.acme.billing"]),
        ("compact.NewBucket and self.max_tries", ["compact.NewBucket", "self.max_tries"]),
        ("reset() at /api/v1/query of src/a/b.ts", ["reset", "/api/v1/query", "src/a/b.ts"]),
        ("the commit 3f2c1ab", ["3f2c1ab"]),
        ("$KNOWWHY_HOME of @acme/cart", ["$KNOWWHY_HOME", "@acme/cart"]),
        ("who said “it never held” of `--now`?", ["it never held", "--now"]),
    ],
)  # fmt: skip
def test_an_identifier_is_told_by_its_form(question, expected):
    assert expected == sure(question)


@pytest.mark.parametrize(
    "question",
    [
        "Why do HTTP and the API run on k8s, S3 and EC2?",
        "Why did we choose MongoDB over PostgreSQL, with RabbitMQ?",
        "Does GitHub build Node.js and/or JavaScript over TCP/IP, 24/7, I/O and CI/CD?",
        "SHA-256, UTF-8, TLS 1.3, IPv6, APIs, VMs and p99",
        "What was decided on 2024-05-01, 12.05.2024 or 2024/05/01, i.e. e.g. before?",
        "The 24-hour point-in-time end-to-end state-of-the-art run",
        "Where does Kafka keep events?",
        "is it \"broken\" or 'fine'?",
        "",
    ],
)
def test_a_word_an_abbreviation_and_a_product_are_none(question):
    assert [] == sure(question)


@pytest.mark.parametrize(
    ("name", "text", "how"),
    [
        ("CVE-2026-33186", "fixes CVE-2026-33186.", 3),
        ("CVE-2026-33186", "fixes cve-2026-33186", 2),
        ("CVE-2026-3318", "fixes CVE-2026-33186", 0),
        ("--delete-delay", "set `--delete-delay=48h`", 3),
        ("--delete-delay", "a delete-delay, a delete delay, --delete-delay-days", 0),
        ("--delete-delay", 'cmd.Flag("delete-delay", "")', 1),
        ("max_retries", "http_max_retries, max_retries_of", 0),
        ("max_retries", "conf.max_retries: 3", 3),
        ("v0.38.2", "0.38.2 / 2024-01-01", 3),
        ("v0.38.2", "v0.38.21, v0.38.2-rc.1, 10.38.2, 1.0.38.2", 0),
        ("#1234", "https://example.org/acme/shop/pull/1234", 3),
        ("#1234", "#12345 and 1234", 0),
        ("X-Request-Id", "x-request-id", 2),
        ("the queue is quick", "the queue\n  is quick", 3),
        ("NewBucketCompactor", "compact.NewBucketCompactor(dir)", 3),
        ("NewBucketCompactor", "TestNewBucketCompactor", 0),
    ],
)
def test_a_name_is_held_exactly_or_not_at_all(name, text, how):
    assert how == exactness(text, Written(name, 0, len(name), is_sure=True))


@pytest.mark.parametrize(
    ("text", "heading", "expected"),
    [
        ("func (b *Store) Open(dir string) error {", "", True),
        ("type Open struct {", "", True),
        ("export async function Open() {", "", True),
        ("class Open(Base):", "", True),
        ("    x = 1", "Store > Close, Open", True),
        ("Open = 3", "", True),
        ("return Open(dir)", "Store > Close", False),
        ("func TestOpen() { Open() }", "", False),
        ("if Open == 3 {", "", False),
    ],
)
def test_a_definition_is_no_use(text, heading, expected):
    assert expected == defines(text, heading, Written("Open", 0, 4, is_sure=True))


@pytest.mark.parametrize("unit", ["--a-", "a.b", "A_b/", "`x", '"x y', "Ab", "a::", "#1", "v1."])
def test_long_texts_are_read_in_linear_time(unit):
    assert_linear(written, lambda size: unit * size)


@pytest.mark.parametrize("unit", ["the queue ", "--x-", "func (", "Open  ", "\t", "@a "])
def test_long_texts_are_searched_in_linear_time(unit):
    names = [Written(text, 0, 1, is_sure=True) for text in ("the queue is", "--x-y", "Open")]

    def looked(text):
        return [(exactness(text, name), defines(text, "", name)) for name in names]

    assert_linear(looked, lambda size: unit * size)
