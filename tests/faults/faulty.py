"""The real application with one fault in it, for the servers of these tests alone (`ServerProcess.start(fault)`).

The environment variable FAULT says which; what it wraps are functions of the product, which knows nothing of this:

    kill:POINT:N        the process ends as by `kill -9` when it comes to a point for the Nth time
    stop:POINT:N        it stops there (SIGSTOP), until somebody continues it (SIGCONT)
    clockless:SECONDS   the timekeeper begins that much late
    clock:SECONDS       at SIGUSR1 this machine's clock jumps by so much, at the next one back
    database clock:SECONDS   the same for the time that PostgreSQL tells
    doorbell:SEED       of the messages to the channel layer 30 % are lost, 10 % come twice and 10 % late
    unlimited           a person may send as many commands as they like
"""

import asyncio
import functools
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from config.asgi import application  # loads the models, so it comes first

# isort: split
from channels.layers import get_channel_layer
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from accounts import ledger
from clubs import titles
from games import allowance, clock, consumers, doorbell, log, play, protocol, seats, settlement, tables
from games.models import Action

__all__ = ["application"]

LATE_SECONDS: Final = 0.3
OURS: Final = ("accounts", "clubs", "config", "games", "django")


@dataclass(frozen=True)
class Point:
    """Before or after a call of a function of the product, where `which` says so of its arguments and its result."""

    home: Any
    name: str
    is_after: bool = False
    which: Callable[[Any, Any], bool] = lambda arguments, result: True


def _drafts(kind: str) -> Callable[[Any, Any], bool]:
    return lambda arguments, result: any(draft.kind == kind for draft in arguments[1])


def _of_the_timer(arguments: Any, result: Any) -> bool:
    return any(draft.source == Action.Source.TIMER for draft in arguments[1])


def _new_wins(least: int) -> Callable[[Any, Any], bool]:
    def counted(arguments: Any, result: Any) -> bool:
        before = arguments[0].core
        return before is not None and len(result.core.wins) - len(before.wins) >= least

    return counted


def _acknowledges(arguments: Any, result: Any) -> bool:
    return any(isinstance(frame, protocol.Ack) for frame in arguments[1])


Consumer = consumers.TableConsumer
POINTS: Final = {
    "before a row": Point(log, "append"),
    "after a row": Point(log, "append", is_after=True),
    "after a nonce": Point(log, "append", is_after=True, which=_drafts("nonce")),
    "before the deal": Point(log, "append", which=_drafts("deal")),
    "after the deal": Point(log, "append", is_after=True, which=_drafts("deal")),
    "before a void suit": Point(log, "append", which=_drafts("void")),
    "after a void suit": Point(log, "append", is_after=True, which=_drafts("void")),
    "after a pass": Point(log, "append", is_after=True, which=_drafts("pass")),
    "after a pung": Point(log, "append", is_after=True, which=_drafts("pung")),
    "after a kong": Point(log, "append", is_after=True, which=_drafts("kong")),
    "before a time-out": Point(log, "append", which=_of_the_timer),
    "after a time-out": Point(log, "append", is_after=True, which=_of_the_timer),
    "after a win": Point(log, "append", is_after=True, which=_new_wins(1)),
    "after a win of several": Point(log, "append", is_after=True, which=_new_wins(2)),
    "before the settlement": Point(settlement, "hand_settle"),
    "after the settlement": Point(settlement, "hand_settle", is_after=True),
    "before the ledger": Point(ledger, "post"),
    "after the ledger": Point(ledger, "post", is_after=True),
    "between coins and points": Point(titles, "points_add"),
    "before seats are freed": Point(seats, "seats_after_hand"),
    "before a commit": Point(BaseDatabaseWrapper, "_commit"),
    "after a commit": Point(BaseDatabaseWrapper, "_commit", is_after=True),
    "before the doorbell": Point(doorbell, "_send"),
    "after the doorbell": Point(doorbell, "_send", is_after=True),
    "before an ack": Point(Consumer, "_send", which=_acknowledges),
    "after an ack": Point(Consumer, "_send", is_after=True, which=_acknowledges),
    "before a snapshot": Point(Consumer, "_snapshot"),
    "after sitting down": Point(tables, "seat_take", is_after=True),
    "before ready": Point(tables, "seat_ready"),
    "after the start of a hand": Point(play, "hand_start", is_after=True),
    "before getting up": Point(seats, "seat_vacate"),
    "after getting up": Point(seats, "seat_vacate", is_after=True),
    "before a heartbeat": Point(clock, "heart_beat"),
}


def replace(home: Any, name: str, wrap: Callable[[Any], Any]) -> None:
    """Put a wrapped function in the place of a function, wherever it was imported."""
    function = getattr(home, name)
    wrapped = functools.wraps(function)(wrap(function))
    setattr(home, name, wrapped)
    for module in [module for key, module in sys.modules.items() if key.split(".")[0] in OURS]:
        for key, value in list(vars(module).items()):
            if value is function:
                setattr(module, key, wrapped)


def signal_at(point: Point, number: int, what: signal.Signals) -> None:
    """Send this process a signal at the `number`th time that it comes to a point."""
    came = 0

    def look(arguments: Any, result: Any) -> None:
        nonlocal came
        if point.which(arguments, result):
            came += 1
            if came == number:
                os.kill(os.getpid(), what)

    def wrap(function: Any) -> Any:
        def called(*arguments: Any, **named: Any) -> Any:
            if not point.is_after:
                look(arguments, None)
            result = function(*arguments, **named)
            if point.is_after:
                look(arguments, result)
            return result

        async def awaited(*arguments: Any) -> Any:
            if not point.is_after:
                look(arguments, None)
            await function(*arguments)
            if point.is_after:
                look(arguments, None)

        return awaited if asyncio.iscoroutinefunction(function) else called

    replace(point.home, point.name, wrap)


def begin_late(seconds: float) -> None:
    """Let the timekeeper begin later."""

    def wrap(run_clock: Any) -> Any:
        async def late() -> None:
            await asyncio.sleep(seconds)
            await run_clock()

        return late

    replace(clock, "run_clock", wrap)


def jump_on_signal(home: Any, name: str, seconds: float) -> None:
    """Let a function that tells the time jump at SIGUSR1, and back at the next one. What counts seconds (`time.monotonic`)
    does not jump, as on a real machine."""
    offset = 0.0
    before = signal.getsignal(signal.SIGUSR1)

    def jump(*details: Any) -> None:
        nonlocal offset
        offset = seconds - offset
        if callable(before):  # another function that jumps with it
            before(*details)

    def wrap(now: Any) -> Any:
        def shifted(*arguments: Any) -> Any:
            told = now(*arguments)
            return told + (offset if isinstance(told, float) else timedelta(seconds=offset))

        return shifted

    signal.signal(signal.SIGUSR1, jump)
    replace(home, name, wrap)


def lose_rings(seed: int) -> None:
    """Lose, double or hold back a share of what is sent to the channel layer."""
    rng = random.Random(seed)

    def wrap(send: Any) -> Any:
        async def unreliable(*arguments: Any) -> None:
            what = rng.choices(["lost", "twice", "late", "sent"], [0.3, 0.1, 0.1, 0.5])[0]
            if what == "late":
                await asyncio.sleep(LATE_SECONDS)
            for _time in range({"lost": 0, "twice": 2}.get(what, 1)):
                await send(*arguments)

        return unreliable

    replace(get_channel_layer(), "group_send", wrap)


def _break() -> None:
    kind, *details = os.environ["FAULT"].split(":")
    match kind:
        case "kill" | "stop":
            what = signal.SIGKILL if kind == "kill" else signal.SIGSTOP
            signal_at(POINTS[details[0]], int(details[1]), what)
        case "clockless":
            begin_late(float(details[0]))
        case "clock":
            jump_on_signal(time, "time", float(details[0]))
            jump_on_signal(timezone, "now", float(details[0]))
        case "database clock":
            jump_on_signal(log, "database_now", float(details[0]))
        case "doorbell":
            lose_rings(int(details[0]))
        case "unlimited":
            allowance.BURST = float("inf")  # type: ignore[misc]
        case _:
            raise ValueError(f"No such fault: {kind}")


_break()
