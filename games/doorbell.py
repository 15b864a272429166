"""The doorbell: after a commit the sockets of a table are told to look at its log. And what players call across the table.

Those of this process are told at once, and are handed the hand as it was written. Those of others hear of it through the
channel layer, where either may get lost, come twice or out of order; sockets also look by themselves now and then. No tile
ever travels there. Nothing waits for the channel layer, which may be away or never answer.
"""

import asyncio
import logging
import uuid
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

from games.log import Fold

logger = logging.getLogger(__name__)

RANG: Final = "table.rang"
SAID: Final = "table.said"
AGAIN_SECONDS: Final = 3.0  # after which listening is tried again where the channel layer is away
SEND_SECONDS: Final = 5.0  # after which a message is given up
_HERE: Final = uuid.uuid4().hex  # this process, which need not hear itself a second time

Message = dict[str, Any]

# What of this process wants to know when (time.monotonic) the program must act in a hand: its clock.
listeners: set[Callable[[int, float], None]] = set()
_ears: defaultdict[int, set[Callable[[Message, Fold | None], None]]] = defaultdict(
    set
)  # who listens in this process, by table
_loop: asyncio.AbstractEventLoop | None = None  # that of those ears; it sends, so that no writer waits for it


def group(table_id: int) -> str:
    """The channel group of everybody who watches a table."""
    return f"table.{table_id}"


async def listen(table_id: int, rang: Callable[[Fold | None], None], hear: Callable[[int, str], None]) -> None:
    """Call `rang` whenever somebody rings at a table (with what this process has just written, if it was a hand), and `hear`
    with which seat said which phrase, until this task is cancelled."""
    global _loop
    loop = _loop = asyncio.get_running_loop()

    def take(message: Message, written: Fold | None = None) -> None:
        if message["type"] == SAID:
            hear(message["seat"], message["phrase"])
        else:
            rang(written)

    def ear(message: Message, written: Fold | None) -> None:
        loop.call_soon_threadsafe(take, message, written)

    _ears[table_id].add(ear)
    try:
        while True:
            try:
                await _listen(table_id, take)
            except Exception as error:
                logger.warning("table %s: channel layer unreachable: %s", table_id, error)
            await asyncio.sleep(AGAIN_SECONDS)
    finally:
        _ears[table_id].discard(ear)
        if not _ears[table_id]:
            del _ears[table_id]


async def _listen(table_id: int, take: Callable[[Message], None]) -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(group(table_id), channel)
    try:
        while True:
            message = await layer.receive(channel)
            if message["from"] != _HERE:
                take(message)
    finally:
        await layer.group_discard(group(table_id), channel)


def ring(table_id: int, written: Fold | None = None) -> None:
    """Ring once the current transaction is committed. `written` is the hand, if all that was written is rows of it."""
    transaction.on_commit(lambda: _send(table_id, {"type": RANG}, written))


def hand_due(hand_id: int, at: float) -> None:
    """Tell this process's clock, once the current transaction is committed, when (time.monotonic) the program must act in a
    hand. No number of seconds: a hand would be late by how long the telling takes, and that may tell what was written."""

    def tell() -> None:
        for listener in tuple(listeners):
            listener(hand_id, at)

    transaction.on_commit(tell)


def say(table_id: int, seat: int, phrase: str) -> None:
    """Let everybody who sits at a table hear a phrase."""
    _send(table_id, {"type": SAID, "seat": seat, "phrase": phrase})


def _send(table_id: int, message: Message, written: Fold | None = None) -> None:
    for ear in tuple(_ears.get(table_id, ())):
        ear(message, written)
    if _loop is not None and _loop.is_running():
        asyncio.run_coroutine_threadsafe(_publish(table_id, message), _loop)
    else:
        async_to_sync(_publish)(table_id, message)


async def _publish(table_id: int, message: Message) -> None:
    layer = get_channel_layer()
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await layer.group_send(group(table_id), {**message, "from": _HERE})
    except Exception as error:
        logger.warning("doorbell of table %s not rung: %s", table_id, error)
