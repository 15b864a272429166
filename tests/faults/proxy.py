"""A TCP proxy that a test may cut: between clients and a server, or between a server and its PostgreSQL."""

import asyncio
import random
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

Upstream = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]

COMMIT: Final = b"COMMIT\x00"
CHUNK: Final = 2**16


class Proxy:
    """Passes on whatever comes to `port`, over as many connections as come, until it is told to cut them."""

    def __init__(self, upstream: Upstream, seed: int) -> None:
        self.upstream = upstream
        self.rng = random.Random(seed)
        self.port = 0
        self.share = 0.0  # of PostgreSQL's commits that go through: how many are cut off, on the way there or back
        self.cuts = 0
        self.loop = asyncio.new_event_loop()
        self._ends: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Cut every connection at once, as a network that falls does."""
        self.loop.call_soon_threadsafe(self._abort_all)

    def _abort_all(self) -> None:
        for end in self._ends:
            end.transport.abort()

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def end(self) -> None:
        self._server.close()
        while self._ends:
            self._abort_all()
            await asyncio.sleep(0.05)  # in which the loop closes them

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = {writer}
        try:
            far_reader, far_writer = await self.upstream()
            ends.add(far_writer)
            self._ends |= ends
            is_deaf = asyncio.Event()  # the answer to what is under way is the last, and goes lost
            await asyncio.gather(self._there(reader, far_writer, is_deaf), _back(far_reader, writer, is_deaf))
        except OSError:
            pass
        finally:
            self._ends -= ends
            for end in ends:
                end.transport.abort()

    async def _there(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_deaf: asyncio.Event) -> None:
        while data := await reader.read(CHUNK):
            if data.endswith(COMMIT) and self.rng.random() < self.share:
                self.cuts += 1
                if self.rng.random() < 0.5:
                    break
                is_deaf.set()
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError


async def _back(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_deaf: asyncio.Event) -> None:
    while data := await reader.read(CHUNK):
        if is_deaf.is_set():
            break
        writer.write(data)
        await writer.drain()
    raise ConnectionResetError


@contextmanager
def proxy_to(upstream: Upstream, seed: int = 0) -> Iterator[Proxy]:
    """A proxy in a thread of its own."""
    proxy = Proxy(upstream, seed)
    thread = threading.Thread(target=proxy.loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(proxy.listen(), proxy.loop).result(10)
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(proxy.end(), proxy.loop).result(10)
        proxy.loop.call_soon_threadsafe(proxy.loop.stop)
        thread.join(10)
        proxy.loop.close()
