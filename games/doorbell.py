"""The doorbell: after a commit the sockets of a table are told to look at its log. And what players call across the table.

Those of this process are told at once, and are handed the hand as it was written. Those of others hear of it through the
channel layer, in one group of all processes, where either may get lost, come twice or out of order; sockets are also looked
after now and then. No tile ever travels there. Nothing waits for the channel layer, which may be away or never answer.
"""

import asyncio
import logging
import uuid
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction

from games.log import Fold

logger = logging.getLogger(__name__)

GROUP: Final = "tables"
AGAIN_SECONDS: Final = 3.0  # after which listening is tried again where the channel layer is away
TOGETHER_SECONDS: Final = 0.01  # between two messages: what is to be said meanwhile goes out together
SEND_SECONDS: Final = 5.0  # after which a message is given up
_HERE: Final = uuid.uuid4().hex  # this process, which need not hear itself a second time

Phrase = tuple[int, int, str]  # at which table, which seat, what


class Ear(Protocol):
    """Who listens at a table."""

    def ring(self, written: Fold | None) -> None:
        """Something was written: the hand as it is now, if this process wrote it and it was all."""

    def hear(self, seat: int, phrase: str) -> None: ...


# What of this process wants to know when (time.monotonic) the program must act in a hand: its clock.
listeners: set[Callable[[int, float], None]] = set()
ears: defaultdict[int, set[Ear]] = defaultdict(set)  # in this process, by table
_loop: asyncio.AbstractEventLoop | None = None  # that of the ears; it sends, so that no writer waits for it
_rung: set[int] = set()  # tables of which other processes have not been told yet
_said: list[Phrase] = []
_sending: asyncio.Task[None] | None = None
_is_away = False  # the channel layer, of which is told once


async def run_doorbell() -> None:
    """Hear what other processes say, until cancelled."""
    global _loop, _sending
    loop = _loop = asyncio.get_running_loop()
    _sending = None
    try:
        while True:
            try:
                await _listen()
            except Exception as error:
                _note_away(error)
            await asyncio.sleep(AGAIN_SECONDS)
    finally:
        if _loop is loop:
            _loop = None


async def _listen() -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add(GROUP, channel)
    _note_there()
    try:
        while True:
            message = await layer.receive(channel)
            if message["from"] != _HERE:
                for table_id in message["rung"]:
                    _tell(table_id, None)
                for phrase in message["said"]:
                    _call(*phrase)
    finally:
        with suppress(Exception):  # which would take the place of being cancelled
            await layer.group_discard(GROUP, channel)


def ring(table_id: int, written: Fold | None = None) -> None:
    """Ring once the current transaction is committed. `written` is the hand, if all that was written is rows of it."""
    transaction.on_commit(lambda: _send([table_id], [], written))


def hand_due(hand_id: int, at: float) -> None:
    """Tell this process's clock, once the current transaction is committed, when (time.monotonic) the program must act in a
    hand. No number of seconds: a hand would be late by how long the telling takes, and that may tell what was written."""

    def tell() -> None:
        for listener in tuple(listeners):
            listener(hand_id, at)

    transaction.on_commit(tell)


def say(table_id: int, seat: int, phrase: str) -> None:
    """Let everybody who sits at a table hear a phrase."""
    _send([], [(table_id, seat, phrase)])


def _send(rung: list[int], said: list[Phrase], written: Fold | None = None) -> None:
    loop = _loop
    if loop is None or not loop.is_running():  # no server, but a command
        async_to_sync(_publish)(rung, said)
        return

    def send() -> None:
        global _sending
        for table_id in rung:
            _tell(table_id, written)
        for phrase in said:
            _call(*phrase)
        _rung.update(rung)
        _said.extend(said)
        if _sending is None or _sending.done():
            _sending = loop.create_task(_publish_all())

    loop.call_soon_threadsafe(send)


def _tell(table_id: int, written: Fold | None) -> None:
    for ear in tuple(ears.get(table_id, ())):
        ear.ring(written)


def _call(table_id: int, seat: int, phrase: str) -> None:
    for ear in tuple(ears.get(table_id, ())):
        ear.hear(seat, phrase)


async def _publish_all() -> None:
    while _rung or _said:
        rung, said = list(_rung), list(_said)
        _rung.clear()
        _said.clear()
        await _publish(rung, said)
        await asyncio.sleep(TOGETHER_SECONDS)


async def _publish(rung: list[int], said: list[Phrase]) -> None:
    layer = get_channel_layer()
    try:
        async with asyncio.timeout(SEND_SECONDS):
            await layer.group_send(GROUP, {"type": "tables", "from": _HERE, "rung": rung, "said": said})
    except Exception as error:
        _note_away(error)
    else:
        _note_there()


def _note_away(error: Exception) -> None:
    global _is_away
    if not _is_away:
        logger.warning("The channel layer is away: tables are looked at every second. %r", error)
    _is_away = True


def _note_there() -> None:
    global _is_away
    _is_away = False
