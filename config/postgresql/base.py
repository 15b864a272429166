"""Django's PostgreSQL with a pool that gets over the end of all its connections at once.

The pool tries every connection before it hands it out, and after a dead one waits, each time longer, before it tries the
next. After a restart of the server all of them are dead, and request after request would run out of time among them.

Nor does it ask PostgreSQL each time whether a connection lives, which a move at a table would pay for as for any other of
its questions: a connection that nobody uses says nothing, unless it is ending.
"""

import select
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def pool(self) -> Any:
        pool = super().pool
        if pool is not None:
            pool._check = check_or_drain
        return pool


def check_or_drain(connection: Connection) -> None:
    """A dead connection is rarely alone: the pool throws its idle ones away and makes new ones."""
    said = select.poll()
    said.register(connection.fileno(), select.POLLIN)
    if not said.poll(0):
        return
    try:
        ConnectionPool.check_connection(connection)
    except Exception:
        if isinstance(connection._pool, ConnectionPool):
            connection._pool.drain()
        raise
