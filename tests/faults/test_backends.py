"""PostgreSQL ends all connections of the site at once, as a restart does: the next requests work."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from clubs.models import Club
from clubs.signup import SESSION_CLUB
from tests.servers import ROOT, database_url

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
CONNECTIONS = 16


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        yield pool


def _ask() -> float:
    """One request's worth of database, on a connection from the pool; how long it took (seconds)."""
    began = time.monotonic()
    try:
        assert User.objects.count() == 0
    finally:
        connection.close()
    return time.monotonic() - began


def _fill(threads: ThreadPoolExecutor) -> None:
    """Let the pool grow: as many connections as there are threads, all idle afterwards."""
    barrier = Barrier(CONNECTIONS)

    def hold() -> None:
        User.objects.count()
        barrier.wait(20)
        connection.close()

    for done in [threads.submit(hold) for _number in range(CONNECTIONS)]:
        done.result()


def _end_all() -> int:
    with psycopg.connect(database_url(), autocommit=True) as server:
        ended = server.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    return len(ended)


def test_after_a_mass_end_of_connections_requests_work(threads: ThreadPoolExecutor) -> None:
    connection.close()
    for _time in range(3):
        _fill(threads)
        assert _end_all() >= CONNECTIONS
        waits = [threads.submit(_ask).result() for _request in range(6)]
        assert max(waits) < 15, waits
        _fill(threads)
        _end_all()
        together = [threads.submit(_ask) for _request in range(CONNECTIONS)]
        assert max(done.result() for done in together) < 30


def test_a_page_is_answered_though_its_connection_was_ended(client: Client) -> None:
    """The first to read the database is a middleware, which looks for the session."""
    client.force_login(User.objects.create_user("anna"))
    _end_all()
    assert client.get(reverse("account")).status_code == 200


@pytest.mark.parametrize(
    "statement",
    ['UPDATE "django_session"', 'SELECT "clubs_club"."id", "clubs_club"."time_zone"'],
    ids=["the session is saved", "the club's zone is read"],
)
def test_a_page_is_answered_though_its_connection_was_ended_just_before(
    client: Client, club: Club, statement: str
) -> None:
    client.force_login(User.objects.create_user("anna"))
    session = client.session
    session[SESSION_CLUB] = club.slug
    session.save()
    ended: list[int] = []

    def end_once(execute: Callable[..., Any], sql: str, *details: Any) -> Any:
        if sql.startswith(statement) and not ended:
            ended.append(_end_all())
        return execute(sql, *details)

    with connection.execute_wrapper(end_once):
        assert client.get(reverse("account")).status_code == 200
    assert ended, "that was not asked"


def test_a_server_commits_to_disk_and_leaves_no_transaction_open() -> None:
    """Whatever the server's defaults are: those of the tests' own PostgreSQL are the contrary."""
    asked = "; ".join(
        [
            "import django",
            "django.setup()",
            "from django.db import connection",
            "print([connection.cursor().execute(f'SHOW {name}').fetchone()[0] for name in"
            " ('synchronous_commit', 'idle_in_transaction_session_timeout')])",
        ]
    )
    environment = {**os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "config.settings"}
    told = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert told.stdout.strip() == "['on', '5s']", told.stderr
