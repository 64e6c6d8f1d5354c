import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.tokens import canonical_id, find_ids, tokens
from pace import assert_linear


@pytest.mark.parametrize(
    "written", ["ADR-5", "ADR 5", "ADR-0005", "ADR #5", "adr_5", "adr 5", "ADR5"]
)
def test_every_spelling_of_an_id_gives_the_same_tokens(written):
    assert ["adr-5", "adr", "5"] == tokens(written)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PEP 484", ["pep-484", "pep", "484"]),
        (":pep:`484`", ["pep-484", "pep", "484"]),
        ("PEP\n484", ["pep-484", "pep", "484"]),
        ("SPEC-037 §3", ["spec-37", "spec", "37", "§3"]),
        ("§ 3.1", ["§3.1"]),
        ("#123", ["#123", "123"]),
        ("INC-2024-03", ["inc-2024-3", "inc", "2024", "3"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("max_retries", ["max_retries", "max", "retri"]),
        ("circuit-breakers", ["circuit-breakers", "circuit", "breaker"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("std::vector", ["std::vector", "std", "vector"]),
        ("__init__", ["__init__", "init"]),
        ("src/pay/db.py", ["src/pay/db.py", "src", "pay", "db.py", "db", "py"]),
        ("PostgreSQL 15", ["postgresql-15", "postgresql", "postgr", "sql", "15"]),
        ("3.11", ["3.11"]),
        ("v2.1.0", ["v2.1.0", "2.1.0", "2.1"]),
        ("1,000", ["1000"]),
        ("2024-03-12", ["2024-03-12", "2024"]),
        ("k8s", ["k8s"]),
        ("C++ and c#", ["c++", "c#"]),
        ("APIs and IDs", ["api", "id"]),
        ("running services", ["run", "servic"]),
        ("don't", ["do", "not"]),
        ("can't", ["can", "not"]),
        ("no, never, not", ["no", "never", "not"]),
        ("the team's", ["team"]),
        ("the IT of it", ["it"]),
        ("Café naïve Łódź", ["cafe", "naiv", "lodz"]),
        ("cafe\u0301", ["cafe"]),
        ("Straße", ["strass"]),
        ("漢字かな", ["漢字", "字か", "かな"]),
        ("字", ["字"]),
        ("Привет", ["привет"]),
        ("नमस्ते", ["नमस्ते"]),
        ("ＡＤＲ－５", ["adr-5", "adr", "5"]),
        ("", []),
        ("!!! ... ---", []),
    ],
)
def test_a_text_gives_its_tokens(text, expected):
    assert expected == tokens(text)


def test_a_name_in_capitals_and_in_small_letters_share_a_token():
    assert set(tokens("FastAPI")) >= set(tokens("fastapi"))
    assert set(tokens("IntelliSense")) >= set(tokens("intellisense"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("adr 0005", "ADR-5"),
        ("PEP484", "PEP-484"),
        ("[ADR-005]", "ADR-5"),
        ("ADR #5", "ADR-5"),
        ("SPEC-037 §3", "SPEC-37"),
        ("INC-2024-03", "INC-2024-3"),
        ("PM2021-005", "PM2021-5"),
        ("task-12", "TASK-12"),
        ("task 12", None),
        ("utf-8", None),
        ("sha256", None),
        ("Python 3", None),
        ("step 2", None),
        ("#5", None),
        ("hello", None),
        ("", None),
        ("ADR-5 and more", None),
    ],
)
def test_a_text_that_is_one_id_has_a_canonical_form(text, expected):
    assert expected == canonical_id(text)


@pytest.mark.parametrize(
    "text",
    [
        "Python 3", "HTTP 404", "UTF-8", "SHA-256", "ISO 8601", "Step 2", "STEP 2", "March 12",
        "Figure 3", "version 2", "Q4 2025", "SEV-1", "Windows 10", "UTC-5", "NAME2", "IPV6-1",
        "RHOAI 2.x", "PHASE 2", "US-EAST-1", "USD 500", "SLA 99.9%", "GPT-4", "LIMIT 10",
        "TLS 1", "adr-5", "X-86",
    ],
)  # fmt: skip
def test_prose_with_a_number_is_no_id(text):
    assert [] == find_ids(f"We saw {text} there.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [ADR-005].", ["ADR-5"]),
        ("ADR #18, SPEC-037 §3", ["ADR-18", "SPEC-37"]),
        ("PEPs 484, 526 and 544 say", ["PEP-484", "PEP-526", "PEP-544"]),
        ("ADR-020/21/22", ["ADR-20", "ADR-21", "ADR-22"]),
        (":pep:`8#names` and :pep:`foo <9>`", ["PEP-8", "PEP-9"]),
        ("RFC2119 and RFC 2119", ["RFC-2119", "RFC-2119"]),
        ("in PEP\n    7", ["PEP-7"]),
        ("PM2021-005 - all", ["PM2021-5"]),
        ("SRE-INC-2024-03", ["SRE-INC-2024-3"]),
        ("TASK-12 but not TASK 12", ["TASK-12"]),
        ("ends with PEP 484.", ["PEP-484"]),
        ("ADR-7-use-redis", ["ADR-7"]),
    ],
)
def test_prose_names_its_ids(text, expected):
    assert expected == [canonical for canonical, _, _ in find_ids(text)]


@given(st.text(max_size=300))
def test_any_text_gives_tokens_without_spaces_and_always_the_same(text):
    found = tokens(text)

    assert all(token and not any(letter.isspace() for letter in token) for token in found)
    assert found == tokens(text)


@given(st.from_regex(r"[A-Z]{3,6}-[0-9]{1,6}", fullmatch=True))
def test_what_find_ids_returns_is_canonical_and_where_it_says(written):
    for canonical, start, end in find_ids(f"as in {written}, we"):
        assert written == f"as in {written}, we"[start:end]
        assert canonical == canonical_id(canonical)


@pytest.mark.parametrize(
    "unit", ["a", "[", "#", "-", ".", "a.", "a/", "PEPs 1,", ":pep:`", "é", "字", "'"]
)
def test_a_hostile_text_is_read_in_linear_time(unit):
    assert_linear(lambda text: (tokens(text), find_ids(text)), unit)
