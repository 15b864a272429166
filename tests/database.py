"""Emptying a database whose tables refuse to be emptied.

A test with `transactional_db` ends with Django's flush, which the ledger's and the log's guards would refuse.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations


@contextmanager
def flush_with_guards_off() -> Iterator[None]:
    """While this is open, Django's flush (and nothing else) works as if no table had triggers of ours."""
    flush = BaseDatabaseOperations.execute_sql_flush

    def unguarded(operations: BaseDatabaseOperations, statements: Any) -> None:
        with transaction.atomic(using=operations.connection.alias), guards_off():
            flush(operations, statements)

    with patch.object(BaseDatabaseOperations, "execute_sql_flush", unguarded):
        yield


@contextmanager
def guards_off() -> Iterator[None]:
    """Inside the transaction that is open, take every trigger of ours away and put it back."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            off = [(f'DROP TRIGGER "{name}"', sql) for name, sql in cursor.fetchall()]
        else:
            cursor.execute("SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal")
            off = [
                (f"ALTER TABLE {table} DISABLE TRIGGER {name}", f"ALTER TABLE {table} ENABLE TRIGGER {name}")
                for table, name in cursor.fetchall()
            ]
        connection.check_constraints()  # PostgreSQL alters no table that has checks pending
        for statement, _back in off:
            cursor.execute(statement)
        yield
        connection.check_constraints()
        for _statement, back in off:
            cursor.execute(back)
