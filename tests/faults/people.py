"""The rooms of the fault tests, and what clients do beside a test."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from accounts.models import User
from clubs.models import Club, Room
from tests import people

Result = TypeVar("Result")


def room_of(club: Club, operator: User, **terms: Any) -> Room:
    """A room whose hands are over with the first win if no preset says otherwise."""
    return people.room_of(club, operator, **{"preset": "qq_single_2", "turn_seconds": 20, **terms})


@contextmanager
def beside(work: Coroutine[Any, Any, Result]) -> Iterator[Future[Result]]:
    """Run a coroutine in a thread while the test does something else. Where the test fails it is cancelled."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        yield future
    finally:
        asyncio.run_coroutine_threadsafe(end_all(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def end_all() -> None:
    """End all other tasks of this loop."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
