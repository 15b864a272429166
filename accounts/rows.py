"""Plain SQL for what is asked at every move: to build a query of Django's anew takes ten times as long as to answer it.

PostgreSQL prepares these statements, once on each connection, since to plan one takes it longer than to carry it out.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import psycopg
from django.db import connection


def first_row(statement: str, *values: Any) -> tuple[Any, ...] | None:
    """The first row that a statement gives, None where it gives none."""
    with _executed(statement, values) as cursor:
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def all_rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """All rows that a statement gives."""
    with _executed(statement, values) as cursor:
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def run(statement: str, *values: Any) -> None:
    """Run a statement that gives no rows."""
    with _executed(statement, values):
        pass


@contextmanager
def _executed(statement: str, values: tuple[Any, ...]) -> Iterator[Any]:
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as prepared:
            yield prepared.execute(statement, values, prepare=True)
    else:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            yield cursor


def stored(moment: datetime | None) -> Any:
    """A moment as a value of a statement."""
    return connection.ops.adapt_datetimefield_value(moment)


def among(column: str) -> str:
    """That a column has one of `many` values, as part of a statement that stays the same however many they are."""
    one_of = "= ANY(%s)" if connection.vendor == "postgresql" else "IN (SELECT value FROM json_each(%s))"
    return f"{column} {one_of}"


def many(values: Iterable[int | str]) -> Any:
    """Values as the one value that `among` asks for."""
    return list(values) if connection.vendor == "postgresql" else json.dumps(list(values))


def clock() -> str:
    """The time by the database's clock, as part of a statement. SQLite has none."""
    return "clock_timestamp()" if connection.vendor == "postgresql" else "NULL"
