"""Plain SQL for what is asked at every move: to build a query of Django's anew takes ten times as long as to answer it."""

from datetime import datetime
from typing import Any

from django.db import connection


def first_row(statement: str, *values: Any) -> tuple[Any, ...] | None:
    """The first row that a statement gives, None where it gives none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def run(statement: str, *values: Any) -> None:
    """Run a statement that gives no rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def stored(moment: datetime | None) -> Any:
    """A moment as a value of a statement."""
    return connection.ops.adapt_datetimefield_value(moment)
