"""Files for spreadsheets: what stands in a cell, and that they are told part by part."""

import csv
from asyncio import run
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st

from accounts.exports import CsvResponse, cell


@pytest.mark.parametrize(
    "text", ["=1+1", "+86", "-cmd", "@SUM(A1)", "＝1＋1", "＋86", "－1", "＠SUM(A1)", "\t=1", "\r=1", "\n=1"]
)
def test_words_are_no_formula(text: str) -> None:
    assert cell(text) == f"'{text}"


def test_numbers_moments_and_answers() -> None:
    with timezone.override("Asia/Shanghai"):
        values = (None, True, False, -400, 7, datetime(2026, 11, 30, 16, 5, 9, tzinfo=UTC), "老张")
        assert [cell(value) for value in values] == ["", "是", "否", "-400", "7", "2026-12-01 00:05:09", "老张"]


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2), max_size=9
    )
)
def test_what_is_written_is_read_again_and_begins_no_formula(rows: list[list[str]]) -> None:
    answer = CsvResponse("x", ["a", "b"], rows)
    text = b"".join(answer).decode("utf-8-sig")
    read = list(csv.reader(StringIO(text, newline="")))
    assert read[0] == ["a", "b"]
    for row, written in zip(read[1:], rows, strict=True):
        assert all(
            each.removeprefix("'") in (word, word.removeprefix("'")) for each, word in zip(row, written, strict=True)
        )
        assert not any(each.startswith(("=", "+", "-", "@", "\t", "\r")) for each in row)


def test_it_is_told_part_by_part_in_the_language_and_zone_of_the_request() -> None:
    """Also where the server is asynchronous, and after the request's own language and zone are gone."""
    begun: list[int] = []

    def rows() -> Iterator[list[Any]]:
        for number in range(1000):
            begun.append(number)
            yield [number, translation.gettext("是"), datetime(2026, 11, 30, 20, tzinfo=UTC)]

    with translation.override("en"), timezone.override("Asia/Shanghai"):
        answer = CsvResponse("x", ["n"], rows())

    async def parts() -> list[bytes]:
        read = []
        async for part in answer:
            read.append(part)
            assert len(begun) <= 200 * len(read)
        return read

    told = run(parts())
    assert len(told) == 7 and told[0] == b"\xef\xbb\xbf"
    assert told[1].decode().splitlines()[1] == "0,Yes,2026-12-01 04:00:00"
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
