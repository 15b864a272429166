"""T7: commits in doubt. Between the server and PostgreSQL the line is cut just before or just after a commit is carried out, and
sessions are ended from outside. The client sends the same command again, and it is done once."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Final
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

import psycopg
import pytest

from accounts.models import User
from clubs.models import Room
from games.clients import Client
from tests.faults.evening import evening_of
from tests.faults.postgres import through, upstream_of
from tests.faults.proxy import proxy_to
from tests.servers import ServerProcess, database_url
from tests.sockets import client_of

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(3600)]
SHARE: Final = 0.12  # of the commits
A_SECOND: Final = 5  # sessions that are ended


@pytest.mark.parametrize(("cuts", "ended"), [(10, 10), pytest.param(500, 300, marks=pytest.mark.deep)])
def test_a_commit_in_doubt_is_one_commit(
    room: Room, users: list[User], servers: Callable[..., ServerProcess], cuts: int, ended: int
) -> None:
    seed = cuts
    with proxy_to(upstream_of(database_url()), seed) as proxy:
        server = servers(through(proxy.port, database_url()))
        server.start()
        statuses: Counter[int] = Counter()
        is_over = threading.Event()
        visiting = threading.Thread(target=_visit, args=(client_of(server.url, users[0]), statuses, is_over))
        with evening_of(room, users, server.url) as evening:
            proxy.share = SHARE
            visiting.start()
            began = time.monotonic()
            while proxy.cuts < cuts:
                assert time.monotonic() - began < 10 * cuts
                time.sleep(0.05)
            proxy.share = 0
            for _session in range(ended):
                _end_a_session()
                time.sleep(1 / A_SECOND)
        is_over.set()
        visiting.join(30)
    print(f"seed {seed}: {proxy.cuts} commits cut, {ended} sessions ended, {len(evening.seen) // 4} hands")
    print(f"pages meanwhile: {dict(statuses)}")
    evening.check()
    assert statuses.keys() == {200}


def _end_a_session() -> None:
    with psycopg.connect(database_url(), autocommit=True) as session:
        session.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid ="
            " (SELECT pid FROM pg_stat_activity WHERE application_name = 'proxied' ORDER BY random() LIMIT 1)"
        )


def _visit(client: Client, statuses: Counter[int], is_over: threading.Event) -> None:
    """Ask for a page again and again, and count how it is answered."""
    opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(client.cookies))
    while not is_over.wait(0.2):
        try:
            with opener.open(f"{client.url}/clubs/jinli/") as page:
                statuses[page.status] += 1
        except HTTPError as refused:
            statuses[refused.code] += 1
            refused.close()
