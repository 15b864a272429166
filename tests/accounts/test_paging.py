"""Pages of the API by cursor."""

from base64 import urlsafe_b64encode

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from accounts.errors import Refused
from accounts.models import Book
from accounts.paging import CursorPages, id_of, ids_of

pytestmark = pytest.mark.django_db


def page(**query: str | int) -> tuple[list[str], str | None]:
    """The names on a page, and the cursor of the next."""
    pages = CursorPages()
    rows = pages.paginate_queryset(Book.objects.all(), Request(APIRequestFactory().get("/", query)))
    answer = pages.get_paginated_response([row.name for row in rows]).data
    return answer["results"], answer["next_cursor"]


def books_make(*names: str) -> None:
    for name in names:
        Book.objects.create(name=name)


def test_pages_run_from_the_newest_to_the_oldest_and_end() -> None:
    books_make("a", "b", "c", "d", "e")
    first, cursor = page(limit=2)
    second, next_cursor = page(limit=2, cursor=cursor or "")
    third, end = page(limit=2, cursor=next_cursor or "")
    assert (first, second, third, end) == (["e", "d"], ["c", "b"], ["a"], None)


def test_a_full_last_page_has_no_next() -> None:
    books_make("a", "b")
    assert page(limit=2) == (["b", "a"], None)


def test_new_rows_do_not_move_the_next_page() -> None:
    books_make("a", "b", "c")
    _first, cursor = page(limit=2)
    books_make("d", "e")
    assert page(limit=2, cursor=cursor or "") == (["a"], None)


@pytest.mark.parametrize("limit", ["0", "-1", "201", "1e2", "", "abc", "1.0", "٣", " 5", "9" * 90])
def test_a_wrong_limit_is_refused(limit: str) -> None:
    with pytest.raises(Refused) as refusal:
        page(limit=limit)
    assert (refusal.value.code, refusal.value.status) == ("invalid_limit", 400)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "====",
        "é",
        "A" * 90,
        *(urlsafe_b64encode(text).decode() for text in (b"-1", b"0", b"1.5", b"9" * 19, b"01")),
    ],
)
def test_a_wrong_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Refused) as refusal:
        page(cursor=cursor)
    assert (refusal.value.code, refusal.value.status) == ("invalid_cursor", 400)


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", " 5", "٣", "9" * 19])
def test_what_is_no_id_is_none(text: str) -> None:
    assert id_of(text) is None
    assert ids_of(["17", text, "9" * 18]) == [17, 10**18 - 1]
