"""The two channel layers of channels_redis side by side: messages to groups of four, delivered and lost."""

import asyncio
import os
import uuid
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from channels_redis.core import RedisChannelLayer
from channels_redis.pubsub import RedisPubSubChannelLayer

GROUPS: Final = 200
MEMBERS: Final = 4
ROUNDS: Final = 40  # messages to each group
SENDERS: Final = 8  # that send at the same time
QUIET_SECONDS: Final = 2.0  # in which nothing arrives any more


@dataclass
class Delivered:
    """Of `sent` messages to be delivered, how many arrived, and in how many seconds."""

    sent: int
    arrived: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.arrived / self.seconds

    @property
    def lost(self) -> int:
        return self.sent - self.arrived


def layers_compared() -> dict[str, Delivered]:
    """Each layer with its default settings, by name."""
    return {kind.__name__: asyncio.run(_delivered(kind)) for kind in (RedisPubSubChannelLayer, RedisChannelLayer)}


async def _delivered(kind: Any) -> Delivered:
    layer = kind(hosts=[os.environ["REDIS_URL"]], prefix=f"bench-{uuid.uuid4().hex[:8]}")
    arrived, last, news = 0, perf_counter(), asyncio.Event()

    async def listen(channel: str) -> None:
        nonlocal arrived, last
        while True:
            await layer.receive(channel)
            arrived, last = arrived + 1, perf_counter()
            news.set()

    groups = [f"group.{number}" for number in range(GROUPS)]
    listeners = []
    for group in groups:
        for _member in range(MEMBERS):
            channel = await layer.new_channel()
            await layer.group_add(group, channel)
            listeners.append(asyncio.create_task(listen(channel)))
    began = perf_counter()

    async def send(mine: list[str]) -> None:
        for _round in range(ROUNDS):
            for group in mine:
                await layer.group_send(group, {"type": "table.rang"})

    await asyncio.gather(*(send(groups[number::SENDERS]) for number in range(SENDERS)))
    while arrived < ROUNDS * GROUPS * MEMBERS:
        news.clear()
        try:
            await asyncio.wait_for(news.wait(), QUIET_SECONDS)
        except TimeoutError:
            break
    for listener in listeners:
        listener.cancel()
    await asyncio.gather(*listeners, return_exceptions=True)
    await layer.flush()
    return Delivered(ROUNDS * GROUPS * MEMBERS, arrived, last - began)
