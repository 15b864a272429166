"""A WebSocket client that costs as little as can be: what it spends on the machine that it shares is taken from the server.

It knows what uvicorn sends it: whole text frames, pings, a close.
"""

import asyncio
import base64
import os
import struct
from collections.abc import Callable
from typing import Final, cast
from urllib.parse import urlsplit

_TEXT: Final = 0x81  # the first byte of a whole frame
_CLOSE: Final = 0x88
_PING: Final = 0x89
_PONG: Final = 0x8A
_MASK: Final = bytes(4)  # a client must mask what it sends; this one changes nothing


class Closed(Exception):
    """The server has closed the socket, or has not opened it."""


class Link(asyncio.Protocol):
    """An open socket. `take` is called with every text that comes."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self.opened = asyncio.get_running_loop().create_future()
        self._take = take
        self._transport: asyncio.WriteTransport | None = None
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(Closed("before it opened"))

    def ask(self, request: bytes) -> None:
        assert self._transport is not None
        self._transport.write(request)

    def send(self, text: bytes) -> None:
        self._frame(_TEXT, text)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _frame(self, first: int, payload: bytes) -> None:
        size = len(payload)
        head = struct.pack("!BB", first, 0x80 | size) if size < 126 else struct.pack("!BBH", first, 0x80 | 126, size)
        self.ask(head + _MASK + payload)

    def data_received(self, data: bytes) -> None:
        self._data = data = self._data + data
        if not self.opened.done():
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self.opened.set_exception(Closed(head.decode()))
                return
            self.opened.set_result(None)
        at = 0
        while (begin := at + 2) <= len(data):
            size = data[at + 1]
            if size == 126:
                size, begin = int.from_bytes(data[begin : begin + 2]), begin + 2
            elif size == 127:
                size, begin = int.from_bytes(data[begin : begin + 8]), begin + 8
            if begin + size > len(data):
                break
            self._got(data[at], data[begin : begin + size])
            at = begin + size
        self._data = data[at:]

    def _got(self, first: int, payload: bytes) -> None:
        if first == _TEXT:
            self._take(payload)
        elif first == _PING:
            self._frame(_PONG, payload)
        elif first == _CLOSE:
            raise Closed(payload.decode("latin-1"))


async def opened(url: str, path: str, take: Callable[[bytes], None], cookie: str = "") -> Link:
    """A socket of the site, opened as a browser does."""
    address = urlsplit(url)
    loop = asyncio.get_running_loop()
    _transport, link = await loop.create_connection(lambda: Link(take), str(address.hostname), int(address.port or 80))
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {address.netloc}",
        f"Origin: {url}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        "Sec-WebSocket-Version: 13",
        *([f"Cookie: {cookie}"] if cookie else []),
    ]
    link.ask("\r\n".join([*lines, "", ""]).encode())
    await link.opened
    return link
