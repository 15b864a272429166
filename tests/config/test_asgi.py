"""Which pages may open a socket, what stands at addresses without one, and how much of a body is taken."""

from contextlib import suppress
from http.client import HTTPConnection
from select import select

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


async def test_a_table_number_that_no_database_knows_is_no_address(live_asgi: str) -> None:
    """It would be asked for together with the tables of all other open sockets, which could not be looked at any more."""
    with pytest.raises(InvalidStatus) as refused:
        await connect(f"{live_asgi.replace('http', 'ws')}/ws/tables/{10**30}/", origin=Origin(live_asgi), proxy=None)
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("chunked", [False, True])
def test_of_a_large_body_only_so_much_is_taken(live_asgi: str, chunked: bool) -> None:
    """Django would keep all of it on disk first."""
    server = HTTPConnection(live_asgi.removeprefix("http://"), timeout=20)
    server.putrequest("POST", "/accounts/login/")
    server.putheader(*(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(10**12))))
    server.endheaders()
    part = bytes(2**16)
    with suppress(ConnectionError):  # the server hangs up, perhaps before its answer is read
        for _part in range(2**8):
            server.send(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            if select([server.sock], [], [], 0)[0]:
                break
        else:
            pytest.fail("16 MiB were taken")
        assert server.getresponse().status == 413
    server.close()


def test_another_host_is_a_bad_request(live_asgi: str) -> None:
    server = HTTPConnection(live_asgi.removeprefix("http://"), timeout=20)
    for address in ("/rules/", "/api/v1/me/"):
        server.request("GET", address, headers={"Host": "evil.example"})
        answer = server.getresponse()
        answer.read()
        assert answer.status == 400
    server.close()
