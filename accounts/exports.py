"""Tables for spreadsheets: CSV in UTF-8 with a byte order mark, told as it is read, however long it is."""

import csv
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from io import StringIO
from itertools import chain, islice
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils import timezone, translation

_AT_ONCE: Final = 200  # rows
# With these a spreadsheet begins to calculate, in East Asia with the wide ones, too.
_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")


class CsvResponse(StreamingHttpResponse):
    """A file of rows below their headings, in the language and time zone in which it was asked for."""

    def __init__(self, name: str, headings: Iterable[Any], rows: Iterable[Sequence[Any]]) -> None:
        super().__init__(_parts([str(heading) for heading in headings], rows), content_type="text/csv; charset=utf-8")
        self["Content-Disposition"] = f'attachment; filename="{name}.csv"'
        self["Cache-Control"] = "no-store"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # Part by part, in the thread of the request: by itself Django would read everything first.
        read = sync_to_async(partial(next, iter(self), b""))
        while part := await read():
            yield part


def cell(value: Any) -> str:
    """A value as it stands in a cell: numbers bare, moments in local time, words so that they are not taken for a formula."""
    match value:
        case None:
            return ""
        case bool():
            return translation.gettext("是") if value else translation.gettext("否")
        case int():
            return str(value)
        case datetime():
            return f"{timezone.localtime(value):%Y-%m-%d %H:%M:%S}"
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _parts(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    language, zone = translation.get_language() or settings.LANGUAGE_CODE, timezone.get_current_timezone()
    lines = chain([headings], rows)

    def part() -> str:
        told = StringIO()
        with translation.override(language), timezone.override(zone):
            csv.writer(told).writerows(map(cell, line) for line in islice(lines, _AT_ONCE))
        return told.getvalue()

    return chain(["\N{BYTE ORDER MARK}"], iter(part, ""))
