from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.times import find_time, find_times, parse_time, zones_told
from pace import assert_linear


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-12", (2024, 3, 12)),
        ("2024-3-5", (2024, 3, 5)),
        ("20240312", (2024, 3, 12)),
        ("2024-W11-2", (2024, 3, 12)),
        ("2024/03/12", (2024, 3, 12)),
        ("12.03.2024", (2024, 3, 12)),
        ("25/03/2024", (2024, 3, 25)),
        ("03/25/2024", (2024, 3, 25)),
        ("25-03-2024", (2024, 3, 25)),
        ("03/03/2024", (2024, 3, 3)),
        ("12 March 2024", (2024, 3, 12)),
        ("12th of March 2024", (2024, 3, 12)),
        ("March 12, 2024", (2024, 3, 12)),
        ("Sept. 2nd, 2024", (2024, 9, 2)),
        ("13-Jun-2000", (2000, 6, 13)),
        ("2011 Jun 13", (2011, 6, 13)),
        ("2024-03-12T14:05:00Z", (2024, 3, 12, 14, 5)),
        ("20240312T140500Z", (2024, 3, 12, 14, 5)),
        ("2024-03-12T14:05:00+05:30", (2024, 3, 12, 8, 35)),
        ("2024-03-12 14:05 UTC", (2024, 3, 12, 14, 5)),
        ("2024-03-12 14:05 UTC+2", (2024, 3, 12, 12, 5)),
        ("2024-03-12 14:05 (CET)", (2024, 3, 12, 13, 5)),
        ("2024-07-12 14:05 CEST", (2024, 7, 12, 12, 5)),
        ("Tuesday, 12 Mar 2024 09:00 +0100", (2024, 3, 12, 8)),
        ("June 13, 2012 at 9 pm PST", (2012, 6, 14, 5)),
        ("June 13, 2012, 12:30 a.m. EDT", (2012, 6, 13, 4, 30)),
        ("9:16 PM PDT on June 13, 2012", (2012, 6, 14, 4, 16)),
        ("2024-03-12 14:05 AEST", (2024, 3, 12, 4, 5)),
        ("2024-03-12 14:05 UTC\u22123", (2024, 3, 12, 17, 5)),
        ("2024-03-12 14:05 PDT (UTC-7)", (2024, 3, 12, 21, 5)),
        ("2024-03-12 14:05 UTC+10 (AEST)", (2024, 3, 12, 4, 5)),
        ("2024-03-12 14:05 IST (UTC+5:30)", (2024, 3, 12, 8, 35)),
        ("2024-03-09 14:05 US/Pacific", (2024, 3, 9, 22, 5)),
        ("2024-03-10 14:05 US/Pacific", (2024, 3, 10, 21, 5)),
        ("2006-03-30 14:05 PT", (2006, 3, 30, 22, 5)),
        ("2024-11-03 2 pm Eastern Time", (2024, 11, 3, 19)),
        ("2024-07-12 14:05 Europe/Berlin", (2024, 7, 12, 12, 5)),
        ("2024-01-12 14:05 (America/Argentina/Buenos_Aires)", (2024, 1, 12, 17, 5)),
        ("2024-01-12 14:05 AET", (2024, 1, 12, 3, 5)),
        ("2024-01-12 14:05 Singapore Time (SGT)", (2024, 1, 12, 6, 5)),
        ("2024-07-12 14:05 Berlin time", (2024, 7, 12, 12, 5)),
    ],
)
def test_a_written_time_is_read_into_utc(text, expected):
    assert datetime(*expected, tzinfo=UTC) == parse_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2023-13-02",
        "2023-02-30",
        "30 February 2023",
        "Q4 2025",
        "March 2024",
        "01/07/2026",
        "2024-03-12 25:00",
        "2024-03-12 13:00 pm",
        "0001-01-01T00:00:00+14:00",
        "2024-03-12 or later",
        "2024-03-12 14:05 IST",
        "2024-03-12 14:05 west of it",
        "2024-03-12 14:05 XQZ",
        "2024-03-12 14:05 Europe/Nowhere",
        "2024-03-12 14:05 local time",
        "yesterday",
    ],
)
def test_a_text_that_is_not_one_clear_time_has_none(text):
    assert parse_time(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Accepted on 2024-02-02, after v1.2.3", (2024, 2, 2)),
        ("2024-13-13 was never, 3 May 2024 was", (2024, 5, 3)),
        ("between June 13, 2012 and July 4, 2012", (2012, 6, 13)),
        ("commit 20240312 of 10.0.0.2024", None),
    ],
)
def test_the_first_date_that_exists_is_found_in_prose(text, expected):
    assert (expected and datetime(*expected, tzinfo=UTC)) == find_time(text)


def test_a_zone_of_many_meanings_leaves_the_day_unless_somebody_tells_which():
    text = "On 2024-03-12 at 14:05 CST it fell"

    assert datetime(2024, 3, 12, tzinfo=UTC) == find_time(text)
    assert datetime(2024, 3, 12, 6, 5, tzinfo=UTC) == find_time(text, {"CST": 480})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Times: IST = UTC+5:30, BST (UTC+1)", {"IST": 330, "BST": 60}),
        ("10:00 CST in Shanghai", {"CST": 480}),
        ("10:00 CST, 11:00 EST", {"CST": -360}),
        ("10:00 CST in Shanghai, 11:00 in Chicago", {}),
        ("Das ist in Bangalore", {}),
    ],
)
def test_a_document_tells_which_zones_it_means(text, expected):
    assert expected == zones_told(text)


def test_all_dates_are_found_in_their_order():
    text = "Accepted 2024-01-02, superseded 5 June 2025"
    expected = [datetime(2024, 1, 2, tzinfo=UTC), datetime(2025, 6, 5, tzinfo=UTC)]
    assert expected == list(find_times(text))


@given(st.text())
def test_no_text_raises(text):
    found = parse_time(text)
    assert found is None or found.tzinfo is UTC


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)))
def test_an_iso_time_is_read_back(moment):
    assert moment.replace(tzinfo=UTC) == parse_time(moment.isoformat())


@pytest.mark.parametrize(
    "piece", ["12 ", "2024-", "March ", "9:16 pm ", "12.", "\t", "Mon, 1", "IST (UTC"]
)
def test_a_text_without_a_date_is_searched_in_linear_time(piece):
    assert find_time(piece * (100_000 // len(piece))) is None
    assert_linear(find_time, piece)
    assert_linear(zones_told, piece)
