"""T23: a page elsewhere cannot open a table with its visitor's cookie: of seven origins the server takes its own."""

import asyncio
from typing import Any, Final

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from accounts.models import User
from games.clients import Client
from games.models import Table
from tests.sockets import client_of, close_code, heard

ORIGINS: Final = {
    "own": "http://127.0.0.1:{port}",
    "another scheme": "https://127.0.0.1:{port}",
    "another port": "http://127.0.0.1:{other}",
    "null": "null",
    "none": None,
    "another host": "http://evil.example",
    "a host that ends like ours": "http://evil-127.0.0.1:{port}",
}


@pytest.mark.parametrize("name", ORIGINS)
def test_only_the_sites_own_pages_open_a_table(live_asgi: str, table: Table, users: list[User], name: str) -> None:
    client = client_of(live_asgi, users[0])
    port = int(live_asgi.rpartition(":")[2])
    template = ORIGINS[name]
    origin: Any = template and template.format(port=port, other=port + 1)
    cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in client.cookies)

    async def talk() -> None:
        address = f"ws{live_asgi.removeprefix('http')}/ws/tables/{table.pk}/"
        async with connect(address, origin=origin, additional_headers={"Cookie": cookie}, proxy=None) as socket:
            await heard(socket, "snapshot")

    if name == "own":
        asyncio.run(talk())
        assert close_code(Client(live_asgi, "nobody"), table.pk) == 4401, "without a cookie the own page sees nothing"
    else:
        with pytest.raises(InvalidStatus) as refused:
            asyncio.run(talk())
        assert refused.value.response.status_code == 403
