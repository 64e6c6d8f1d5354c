"""Times in plain words, read on a given day."""

from datetime import date

import pytest

from knowwhy.errors import BadInput
from knowwhy.text.question.question_times import dated, times_in, told
from knowwhy.text.question.question_when import when_asked
from pace import assert_linear

TODAY = date(2024, 2, 29)  # a Thursday of a leap year
FAMILIES = frozenset(("adr", "incident"))
READ = [
    ("today", "of 2024-02-29"),
    ("yesterday", "of 2024-02-28"),
    ("last week", "of 2024-02-19 to 2024-02-25"),
    ("this month", "of 2024-02-01 to 2024-02-29"),
    ("last quarter", "of 2023-10-01 to 2023-12-31"),
    ("last year", "of 2023-01-01 to 2023-12-31"),
    ("past year", "of 2023-02-28 to 2024-02-29"),
    ("the last 2 weeks", "of 2024-02-15 to 2024-02-29"),
    ("a year ago", "of 2023-01-01 to 2023-12-31"),
    ("3 days ago", "of 2024-02-26"),
    ("Q4", "of 2023-10-01 to 2023-12-31"),
    ("Q1 2022", "of 2022-01-01 to 2022-03-31"),
    ("2022-Q4", "of 2022-10-01 to 2022-12-31"),
    ("second half of 2021", "of 2021-07-01 to 2021-12-31"),
    ("the fourth quarter of 2020", "of 2020-10-01 to 2020-12-31"),
    ("early 2022", "of 2022-01-01 to 2022-04-30"),
    ("mid-March 2022", "of 2022-03-11 to 2022-03-20"),
    ("the end of 2022", "of 2022-09-01 to 2022-12-31"),
    ("December 2021", "of 2021-12-01 to 2021-12-31"),
    ("2021-12", "of 2021-12-01 to 2021-12-31"),
    ("19th of March 2024", "of 2024-03-19"),
    ("March 19, 2024", "of 2024-03-19"),
    ("the 2010s", "of 2010-01-01 to 2019-12-31"),
]


@pytest.mark.parametrize(("text", "span"), READ)
def test_a_time_is_read_by_the_day_that_it_is(text, span):
    assert [span] == [told(time.span) for time in times_in(f"It happened {text}, they say.", TODAY)]


@pytest.mark.parametrize("text", [text for text, _ in READ if "ago" not in text])
def test_a_filter_takes_the_same_times_from_their_first_day_to_their_last(text):
    (time,) = times_in(text, TODAY)

    assert dated(text, text, TODAY) == time.span


def test_how_long_ago_is_a_day_of_a_filter_also_where_that_month_is_shorter():
    assert "since 2024-02-15" == told(dated("2 weeks", None, TODAY))
    assert "since 2023-02-28" == told(dated("1y", None, TODAY))
    assert "until 2024-01-29" == told(dated(None, "a month ago", TODAY))
    assert "since 2023-12-01" == told(dated("December", None, TODAY))


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2024-02-30", "2023-02-29", "2024-13", "99999 days", "9999 years", "5", "x" * 99],
)
def test_what_is_no_time_is_refused_in_a_sentence(text):
    with pytest.raises(BadInput, match="is no time that can be read"):
        dated(text, None, TODAY)


@pytest.mark.parametrize(
    "text",
    [
        "ISO 8601:2019",
        "CVE-2021-44228",
        "go1.2021",
        "v2021.1",
        "$2021",
        "#2021",
        "2021px",
        "2021/7",
    ],
)
def test_a_number_that_is_part_of_a_name_is_no_time(text):
    assert [] == list(times_in(f"see {text} there", TODAY))


@pytest.mark.parametrize(
    "question",
    [
        "What does the 2021 roadmap say?",
        "Why was Windows Server 2019 dropped?",
        "Which limit was raised after 2000 requests failed?",
        "Which formats were used in 2021?",
        "Where were events stored in early 2022?",
        "What is the latest version of Go?",
        "Which Python 3.11 features were adopted?",
        "What is due by 2027?",
    ],
)
def test_a_question_about_no_time_of_records_says_none(question):
    assert not when_asked(question, (), FAMILIES, TODAY)


@pytest.mark.parametrize("part", ["in 2021 and ", "the last 3 weeks of ", "most recent a ", "was "])
def test_a_long_run_of_times_is_read_in_linear_time(part):
    assert_linear(lambda text: when_asked(text, (), FAMILIES, TODAY), part)
