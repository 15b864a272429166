"""I22: while a hand runs its seed and its wall stand nowhere: not in logs, pages, the API, frames or Redis."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

import pytest
from django.conf import settings
from redis import Redis

from accounts.models import User
from games.clients import Client
from games.log import folded
from games.models import Hand, Table
from games.selfplay import decide, hand_deal
from tests.faults import invariants
from tests.servers import ServerProcess
from tests.sockets import client_of

PAGES = (
    *("/", "/tables/{table}/", "/clubs/jinli/", "/history/", "/hands/{hand}/", "/hands/{hand}/end/"),
    *("/api/v1/hands/", "/api/v1/hands/{hand}/", "/api/v1/hands/{hand}/record", "/api/v1/hands/{hand}/steps"),
    *("/admin/", "/admin/games/hand/", "/admin/games/hand/{hand}/change/", "/api/v1/clubs/jinli/tables/"),
)


@pytest.mark.parametrize("hands", [1, pytest.param(20, marks=[pytest.mark.deep, pytest.mark.timeout(3600)])])
def test_secrets_stand_nowhere(
    table: Table, users: list[User], operator: User, servers: Callable[..., ServerProcess], hands: int
) -> None:
    server = servers(LOG_LEVEL="DEBUG")
    server.start()
    clients = [client_of(server.url, user) for user in (users[1], operator)]
    for _number in range(hands):
        hand = hand_deal(table_id=table.pk, users=users)
        with redis_overheard() as redis:
            frames = asyncio.run(_frames(clients, table.pk))
            fold = folded(hand.pk)
            for _step in range(6):
                if not fold.is_over:
                    fold = decide(fold, min(fold.asked), users)
            pages = {
                f"{client.username} {page}": _get(client, page, table, hand) for client in clients for page in PAGES
            }
        assert not fold.is_over
        sinks = {"log": server.log.read_bytes(), "frames": frames, "redis": b"\n".join(redis), **pages}
        assert all(sinks[name] for name in ("log", "frames"))
        assert invariants.nothing_is_told(sinks) == []
        while not fold.is_over:
            fold = decide(fold, min(fold.asked), users)
    invariants.check_all()


async def _frames(clients: list[Client], table_id: int) -> bytes:
    heard = []
    for client in clients:
        async with client.socket(table_id) as socket:
            heard.append(await socket.recv(decode=False))
    return b"\n".join(heard)


def _get(client: Client, page: str, table: Table, hand: Hand) -> bytes:
    opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(client.cookies))
    try:
        with opener.open(client.url + page.format(table=table.pk, hand=hand.pk)) as answer:
            return bytes(answer.read())
    except HTTPError as refused:
        with refused:
            return refused.read()


@contextmanager
def redis_overheard() -> Iterator[list[bytes]]:
    """What is told to Redis, where there is one."""
    told: list[bytes] = []
    if not settings.REDIS_URL:
        yield told
        return
    with Redis.from_url(settings.REDIS_URL) as client, client.monitor() as monitor:

        def listen() -> None:
            while not told or b"overheard" not in told[-1]:
                told.append(str(monitor.next_command()["command"]).encode())

        listening = threading.Thread(target=listen)
        listening.start()
        yield told
        client.publish("overheard", b"")
        listening.join(10)
