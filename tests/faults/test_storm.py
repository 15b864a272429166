"""T17: all sockets are cut at once, and everybody comes back at once."""

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from accounts.models import User
from clubs.models import Club, Room
from games.clients import Client
from games.models import Table
from games.selfplay import hand_deal
from tests.faults.people import beside
from tests.faults.proxy import Proxy, proxy_to
from tests.people import member_of, table_of
from tests.servers import ServerProcess
from tests.sockets import client_of, heard

BACK_SECONDS: Final = 20.0  # ten on a machine of its own
PAGE_SECONDS: Final = 10.0  # two: docs/faults.md
CALM_SECONDS: Final = 15.0
TABS: Final = 2  # of each player


@pytest.mark.parametrize(
    ("tables", "has_jitter"),
    [
        (4, False),
        pytest.param(50, False, marks=[pytest.mark.deep, pytest.mark.timeout(3600)]),
        pytest.param(50, True, marks=[pytest.mark.deep, pytest.mark.timeout(3600)]),
    ],
)
def test_everybody_comes_back(
    room: Room, club: Club, operator: User, servers: Callable[..., ServerProcess], tables: int, has_jitter: bool
) -> None:
    server = servers()
    server.start()
    where = urlsplit(server.url)
    parts: list[tuple[Table, list[User]]] = []
    for number in range(tables):
        users = [member_of(club, operator, f"p{number}-{seat}") for seat in range(4)]
        parts.append((table_of(room, users), users))
        hand_deal(table_id=parts[-1][0].pk, users=users)
    backs: list[float] = []
    with proxy_to(lambda: asyncio.open_connection(where.hostname, where.port)) as proxy:
        through = f"http://127.0.0.1:{proxy.port}"
        sockets = [
            (client_of(through, user), table.pk) for table, users in parts for user in users for _tab in range(TABS)
        ]
        visitor = client_of(server.url, operator)
        with beside(_hold(sockets, proxy, backs, has_jitter)) as held:
            waits, busy_for = _watch(server, visitor, held.done)
            held.result(120)
    print(f"{len(sockets)} sockets, jitter {has_jitter}: the last was back after {max(backs):.1f} s,")
    print(f"pages took at most {max(waits):.2f} s, the server was busy for {busy_for:.1f} s")
    assert len(backs) == len(sockets)
    assert max(backs) < BACK_SECONDS
    assert sorted(waits)[int(len(waits) * 0.99)] < PAGE_SECONDS
    assert busy_for < CALM_SECONDS


async def _hold(sockets: list[tuple[Client, int]], proxy: Proxy, backs: list[float], has_jitter: bool) -> None:
    """Open all sockets, cut them, and open them again."""
    is_open = asyncio.Semaphore(20)  # who comes for the evening does not come at one moment
    opened, all_open, cut = 0, asyncio.Event(), asyncio.Event()
    cut_at = 0.0

    async def hold(client: Client, table_id: int) -> None:
        nonlocal opened
        async with is_open:
            socket = await client.socket(table_id).__aenter__()
            await heard(socket, "snapshot")
        opened += 1
        if opened == len(sockets):
            all_open.set()
        with suppress(ConnectionClosed):
            async for _frame in socket:
                pass
        await cut.wait()
        tries = 0
        while True:
            tries += 1
            try:
                if has_jitter:  # as static/js/socket.js does
                    most = min(2.0, 0.3 * 2 ** (tries - 1))
                    await asyncio.sleep(random.uniform(most / 2, most))
                async with client.socket(table_id) as again:
                    await heard(again, "snapshot")
                    backs.append(time.monotonic() - cut_at)
                    return
            except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError):
                continue

    async def fall() -> None:
        nonlocal cut_at
        await all_open.wait()
        cut_at = time.monotonic()
        proxy.cut()
        cut.set()

    await asyncio.gather(fall(), *(hold(client, table_id) for client, table_id in sockets))


def _watch(server: ServerProcess, visitor: Client, is_over: Callable[[], bool]) -> tuple[list[float], float]:
    """Until the storm is over and the server calm: how long pages took, and for how long after the storm the server was busy."""
    opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(visitor.cookies))
    waits = []
    while not is_over():
        began = time.monotonic()
        opener.open(f"{server.url}/rules/", timeout=60).close()
        waits.append(time.monotonic() - began)
        time.sleep(0.1)
    over_at = time.monotonic()
    while time.monotonic() - over_at < 2 * CALM_SECONDS:
        used = server.seconds_used
        time.sleep(0.5)
        if server.seconds_used - used < 0.25:
            break
    return waits, time.monotonic() - over_at
