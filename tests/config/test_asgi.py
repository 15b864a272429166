"""Which pages may open a socket, and what stands at addresses without one."""

import pytest
from websockets import Origin
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://{host}",
        "http://{host}.evil.example",
        "http://evil.example/{host}",
        "http://{host}/",
    ],
)
async def test_only_a_page_of_this_very_origin_opens_a_socket(live_asgi: str, origin: str | None) -> None:
    host = live_asgi.removeprefix("http://")
    sent = None if origin is None else Origin(origin.format(host=host))
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"ws://{host}/ws/tables/1/", origin=sent, proxy=None)
    assert refused.value.response.status_code == 403


async def test_the_own_origin_gets_through_to_the_consumer(live_asgi: str) -> None:
    async with connect(
        f"{live_asgi.replace('http', 'ws')}/ws/tables/1/", origin=Origin(live_asgi), proxy=None
    ) as socket:
        await socket.wait_closed()
    assert socket.close_code == 4401  # let in, and told to sign in


async def test_an_unknown_socket_address_is_refused(live_asgi: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"{live_asgi.replace('http', 'ws')}/ws/nowhere/", origin=Origin(live_asgi), proxy=None)
    assert refused.value.response.status_code == 403
