"""The doorbell: after a commit the sockets of a table are told to look at its log. And what players call across the table.

Either may get lost, come twice or out of order; sockets also look by themselves now and then. No tile ever travels here.
Whoever listens does so beside everything else: nothing waits for the channel layer, which may be away or never answer.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

logger = logging.getLogger(__name__)

RANG: Final = "table.rang"
SAID: Final = "table.said"
AGAIN_SECONDS: Final = 3.0  # after which listening is tried again where the channel layer is away

# What else of this process wants to know that something was written: its clock.
listeners: set[Callable[[], None]] = set()


def group(table_id: int) -> str:
    """The channel group of everybody who watches a table."""
    return f"table.{table_id}"


async def listen(table_id: int, rang: asyncio.Event, hear: Callable[[int, str], None]) -> None:
    """Set `rang` whenever somebody rings at a table, and `hear` which seat said which phrase, until this task is cancelled."""
    while True:
        try:
            await _listen(table_id, rang, hear)
        except Exception as error:
            logger.warning("table %s: channel layer unreachable: %s", table_id, error)
        await asyncio.sleep(AGAIN_SECONDS)


async def _listen(table_id: int, rang: asyncio.Event, hear: Callable[[int, str], None]) -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(group(table_id), channel)
    try:
        while True:
            message = await layer.receive(channel)
            if message["type"] == SAID:
                hear(message["seat"], message["phrase"])
            rang.set()
    finally:
        await layer.group_discard(group(table_id), channel)


def ring(table_id: int) -> None:
    """Ring once the current transaction is committed."""
    transaction.on_commit(lambda: _ring(table_id))


def _ring(table_id: int) -> None:
    for listener in listeners:
        listener()
    _send(table_id, {"type": RANG})


def say(table_id: int, seat: int, phrase: str) -> None:
    """Let everybody who sits at a table hear a phrase."""
    _send(table_id, {"type": SAID, "seat": seat, "phrase": phrase})


def _send(table_id: int, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    try:
        async_to_sync(layer.group_send)(group(table_id), message)
    except Exception as error:
        logger.warning("doorbell of table %s not rung: %s", table_id, error)
