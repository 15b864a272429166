"""The clock of a server process: finds hands in which the program must act, and acts. And its heartbeat.

It keeps an agenda of the hands that this process wrote in, and when each is due next. Twice a second it looks at the database
for hands that are overdue, since the process that wrote in them is gone. Several clocks on one database are harmless: the
late one collides in the log.

Between them the processes say at least once a second that one runs. The first one that comes after a
silence writes into the log of every running hand how long it was, before it does anything else: while nothing runs,
nobody's time runs out.
"""

import asyncio
import logging
import time
from contextlib import suppress
from datetime import timedelta
from typing import Final

from channels.db import database_sync_to_async
from django.db import DatabaseError, transaction

from games import doorbell, play, seating
from games.log import database_now
from games.models import Hand, Heartbeat

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.5
OVERDUE: Final = 0.2  # seconds after which a hand is not left to another process any more
BROKEN_SECONDS: Final = 10.0
HANDS_AT_ONCE: Final = 8
BEAT_SECONDS: Final = 0.5  # between two heartbeats at least; at most this and the time until the next look
START_SILENCE: Final = 2.0  # seconds without a heartbeat after which a process that starts knows that none was running
RUN_SILENCE: Final = 5.0  # the same for one that runs: a busy machine beats late, too
SET_BACK: Final = 1.0  # seconds by which the last heartbeat lies ahead where the database's clock was set back


async def run_clock() -> None:
    """Run until cancelled."""
    loop, woken = asyncio.get_running_loop(), asyncio.Event()
    agenda: dict[int, float] = {}  # hands, and when (the loop's time) each is due
    gate = asyncio.Semaphore(HANDS_AT_ONCE)
    ticking: set[int] = set()  # a hand that another process holds up takes one place, however often it is found overdue
    broken: dict[int, float] = {}  # hands that could not be moved on, and when (the loop's time) to try again

    def note(hand_id: int, at: float) -> None:
        agenda[hand_id] = loop.time() + at - time.monotonic()
        if agenda[hand_id] < wakes_at:
            woken.set()

    def listener(hand_id: int, at: float) -> None:
        loop.call_soon_threadsafe(note, hand_id, at)

    doorbell.listeners.add(listener)
    look_at = wakes_at = loop.time()
    try:
        async with asyncio.TaskGroup() as ticks:
            while True:
                woken.clear()
                if loop.time() >= look_at:
                    try:
                        overdue = await database_sync_to_async(_look, thread_sensitive=False)()
                        agenda |= dict.fromkeys(overdue, loop.time())
                    except Exception:
                        # Whatever it is, without the clock no turn limit runs out any more.
                        logger.exception("clock: could not look for hands that are due")
                    look_at = loop.time() + LOOK_SECONDS
                for hand_id in [hand_id for hand_id, at in agenda.items() if at <= loop.time()]:
                    del agenda[hand_id]
                    if hand_id not in ticking and broken.get(hand_id, 0) <= loop.time():
                        ticking.add(hand_id)
                        ticks.create_task(_tick(hand_id, gate, ticking, broken))
                wakes_at = min([look_at, *agenda.values()])
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(wakes_at):
                        await woken.wait()
    finally:
        doorbell.listeners.discard(listener)


def _look() -> list[int]:
    heart_beat(RUN_SILENCE)
    seating.lines_tend()
    return overdue_hands()


def heart_beat(patience: float) -> None:
    """Say that a server process runs. If none has for longer than `patience` seconds, no hand's time ran meanwhile. A clock that
    was set looks the same: forward as if none had run, back as if the heartbeat were still to come."""
    last = Heartbeat.objects.first()
    if last is not None and -SET_BACK < (database_now() - last.at).total_seconds() < BEAT_SECONDS:
        return
    with transaction.atomic():
        Heartbeat.objects.get_or_create(pk=1, defaults={"at": database_now()})
        last = Heartbeat.objects.select_for_update().get(pk=1)
        now = database_now()
        if not -SET_BACK < (now - last.at).total_seconds() <= patience:
            for hand_id in Hand.objects.exclude(status=Hand.Status.SETTLED).values_list("pk", flat=True):
                play.pause(hand_id, since=last.at)
        Heartbeat.objects.filter(pk=1).update(at=now)


def overdue_hands() -> list[int]:
    """The hands in which nobody acted when it was time."""
    late = database_now() - timedelta(seconds=OVERDUE)
    return list(Hand.objects.filter(due_at__lte=late).order_by("due_at").values_list("pk", flat=True))


async def _tick(hand_id: int, gate: asyncio.Semaphore, ticking: set[int], broken: dict[int, float]) -> None:
    async with gate:
        try:
            await database_sync_to_async(play.tick, thread_sensitive=False)(hand_id)
        except DatabaseError:
            logger.exception("clock: hand %s not moved on, will try again", hand_id)
        except Exception:
            # One broken hand must neither stop nor slow the clock of all the others.
            logger.exception("clock: hand %s is broken", hand_id)
            broken[hand_id] = asyncio.get_running_loop().time() + BROKEN_SECONDS
        finally:
            ticking.discard(hand_id)
