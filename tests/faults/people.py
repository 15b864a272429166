"""A club with people for the fault tests, signed in without a form, and what they do beside a test."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from http.cookiejar import Cookie
from typing import Any, TypeVar

from django.conf import settings
from django.test import Client as Browser

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create
from games import tables
from games.clients import Client
from games.models import Table

Result = TypeVar("Result")


def club_of(operator: User) -> Club:
    return club_create(name="锦里", slug="jinli", actor=operator)


def member_of(club: Club, operator: User, name: str) -> User:
    """A new member with 100,000 coins."""
    user = User.objects.create_user(name)
    membership = member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    member_coins_issue(membership=membership, amount=100_000, reason="test", actor=operator, key=f"test:{name}")
    return user


def room_of(club: Club, operator: User, *, preset: str = "qq_single_2", **terms: Any) -> Room:
    """A room without a beat, whose hands are over with the first win if no preset says otherwise."""
    terms = {"pacing": RoomTerms.Pacing.INSTANT, "turn_seconds": 20, "coefficient": 200, "rake": 400, **terms}
    return room_create(club=club, name="锦江厅", actor=operator, preset=preset, **terms)


def table_of(room: Room, users: list[User]) -> Table:
    """A new table at which these sit."""
    table = tables.table_open(room=room, user=users[0])
    for number, user in enumerate(users[1:], start=1):
        tables.seat_take(table_id=table.pk, number=number, user=user)
    return table


def client_of(url: str, user: User) -> Client:
    """A client of a member who has signed in."""
    browser = Browser()
    browser.force_login(user)
    client = Client(url, user.username)
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME]
    details: Any = (None, False, "127.0.0.1", True, False, "/", True, False, None, False, None, None, {})
    client.cookies.set_cookie(Cookie(0, cookie.key, cookie.value, *details))
    return client


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
