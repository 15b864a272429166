"""Plain SQL for what is asked at every move: to build a query of Django's anew takes ten times as long as to answer it.

PostgreSQL prepares these statements, once on each connection, since to plan one takes it longer than to carry it out.
"""

from collections.abc import Iterator
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


def clock() -> str:
    """The time by the database's clock, as part of a statement. SQLite has none."""
    return "clock_timestamp()" if connection.vendor == "postgresql" else "NULL"
