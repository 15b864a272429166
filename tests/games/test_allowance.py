"""What one person may ask of a server: by all their sockets together, whichever they use and however often they come anew."""

from collections.abc import Callable

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from accounts.models import User
from games import allowance
from games.models import Table
from tests.sockets import client_of, heard, run


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the clock."""
    moment = [0.0]
    monkeypatch.setattr(allowance, "_left", {})
    monkeypatch.setattr("games.allowance.time.monotonic", lambda: moment[0])

    def to(seconds: float) -> None:
        moment[0] = seconds

    return to


def test_so_much_at_once_and_so_much_a_second(now: Callable[[float], None]) -> None:
    assert [allowance.spend(1) for _ask in range(42)] == [True] * 40 + [False] * 2
    assert allowance.spend(2)  # another person
    now(0.5)
    assert [allowance.spend(1) for _ask in range(6)] == [True] * 5 + [False]
    now(0.7)
    assert not allowance.spend(1, allowance.SNAPSHOT)  # what is refused costs nothing
    assert allowance.spend(1)
    now(1000)
    assert sum(allowance.spend(1) for _ask in range(100)) == 40


def test_those_who_have_all_of_it_again_are_forgotten(now: Callable[[float], None]) -> None:
    for user_id in range(1, 1001):
        allowance.spend(user_id)
    now(10)
    allowance.spend(2000)
    assert set(allowance._left) == {2000}


@pytest.fixture
def no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is spent does not come again, however slow the machine."""
    monkeypatch.setattr(allowance, "_left", {})
    monkeypatch.setattr(allowance, "A_SECOND", 0.0)


@pytest.mark.usefixtures("no_more")
def test_all_sockets_of_a_person_share_it(live_asgi: str, table: Table, members: list[User]) -> None:
    client = client_of(live_asgi, members[0])

    async def talk(first: ClientConnection) -> None:
        await heard(first, "snapshot")
        async with client.socket(table.pk) as second:
            await heard(second, "snapshot")
            for socket in (first, second) * 4:  # 40 - 2 * 3 are left, and each takes 4 of them
                await socket.send('{"type": "resync"}')
                await heard(socket, "snapshot")
            await second.send('{"type": "resync"}')
            with pytest.raises(ConnectionClosed):
                await heard(second, "snapshot")
            assert second.close_code == 4408

    run(client, table.pk, talk)


@pytest.mark.usefixtures("no_more")
def test_who_comes_again_and_again_is_turned_away(live_asgi: str, table: Table, members: list[User]) -> None:
    client = client_of(live_asgi, members[0])

    async def talk(first: ClientConnection) -> None:
        await heard(first, "snapshot")
        for _again in range(12):
            async with client.socket(table.pk) as socket:
                await heard(socket, "snapshot")
        async with client.socket(table.pk) as socket:
            await socket.wait_closed()
            assert socket.close_code == 4408

    run(client, table.pk, talk)
