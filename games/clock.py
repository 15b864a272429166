"""The clock of a server process: finds hands in which the program must act, and acts.

It sleeps until the next due time it knows of, is woken by a write of this process that is due sooner, and looks at
the database at least once a second for what other processes wrote. Several clocks on one database are harmless: the
late one collides in the log."""

import asyncio
import logging
from contextlib import suppress
from datetime import datetime
from typing import Final

from channels.db import database_sync_to_async
from django.db import DatabaseError
from django.db.models import Min

from games import doorbell, play
from games.log import database_now
from games.models import Hand

logger = logging.getLogger(__name__)

LONGEST_SLEEP: Final = 1.0  # seconds
AFTER_A_FAULT: Final = 1.0
BROKEN_SECONDS: Final = 10.0
HANDS_AT_ONCE: Final = 8


async def run_clock() -> None:
    """Run until cancelled."""
    loop, event = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(event.set)

    doorbell.listeners.add(wake)
    gate = asyncio.Semaphore(HANDS_AT_ONCE)
    broken: dict[int, float] = {}  # hands that could not be moved on, and when (the loop's time) to try again
    try:
        while True:
            event.clear()
            try:
                due, wait = await database_sync_to_async(due_hands, thread_sensitive=False)()
                await asyncio.gather(
                    *(_tick(hand_id, gate, broken) for hand_id in due if broken.get(hand_id, 0) <= loop.time())
                )
            except Exception:
                # Whatever it is, without the clock no turn limit runs out any more.
                logger.exception("clock: could not look for hands that are due")
                wait = AFTER_A_FAULT
            with suppress(TimeoutError):
                await asyncio.wait_for(event.wait(), wait)
    finally:
        doorbell.listeners.discard(wake)


def due_hands() -> tuple[list[int], float]:
    """The hands that are due now, and how long (seconds) the clock may sleep after them."""
    now = database_now()
    due = list(Hand.objects.filter(due_at__lte=now).order_by("due_at").values_list("pk", flat=True)[:200])
    upcoming: datetime | None = Hand.objects.filter(due_at__gt=now).aggregate(Min("due_at"))["due_at__min"]
    wait = LONGEST_SLEEP if upcoming is None else min(LONGEST_SLEEP, (upcoming - now).total_seconds())
    return due, wait


async def _tick(hand_id: int, gate: asyncio.Semaphore, broken: dict[int, float]) -> None:
    async with gate:
        try:
            await database_sync_to_async(play.tick, thread_sensitive=False)(hand_id)
        except DatabaseError:
            logger.exception("clock: hand %s not moved on, will try again", hand_id)
        except Exception:
            # One broken hand must neither stop nor slow the clock of all the others.
            logger.exception("clock: hand %s is broken", hand_id)
            broken[hand_id] = asyncio.get_running_loop().time() + BROKEN_SECONDS
