"""A club on the real server, and pages that must not complain.

Every page of a browser test is watched: an error in its console (a broken content policy is one) or a request to
another host fails the test.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, Page, Request, ViewportSize, expect

from accounts.models import User
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create
from games.clients import Client
from games.models import Hand
from games.selfplay import hand_play_out
from games.tables import seat_leave
from tests.e2e.mates import Mates
from tests.people import PASSWORD, club_of, member_of, room_of, table_of

T = TypeVar("T")

PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PATIENCE_MS = 15_000  # how long a page may take to follow: a busy machine has two cores for the server and the browsers
UNHURRIED: dict[str, Any] = {
    "turn_seconds": 60,
    "claim_seconds": 30,
    "void_seconds": 60,
    "pacing": RoomTerms.Pacing.INSTANT,
}

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def operator(live_asgi: str) -> User:
    return User.objects.create_superuser("operator", password=PASSWORD, display_name="掌柜")


@pytest.fixture
def club(operator: User) -> Club:
    return club_of(operator, welcome_coins=50_000)


@pytest.fixture
def practice(club: Club, operator: User) -> Room:
    """A room for bots, who do not pause, so that a hand takes seconds."""
    return room_create(club=club, name="练习房", actor=operator, preset="qq_dingque", bots_allowed=True, **UNHURRIED)


@pytest.fixture
def hall(club: Club, operator: User) -> Room:
    """A room for coins."""
    return room_of(club, operator, coefficient=20, rake=100, **UNHURRIED)


@pytest.fixture
def member(club: Club, operator: User) -> Callable[[str], User]:
    """Makes a member with 100,000 coins."""
    return lambda name: member_of(club, operator, name, coins=50_000)


@pytest.fixture
def hand(hall: Room, member: Callable[[str], User]) -> Hand:
    """A hand of anna and three others, played to its end."""
    users = [member(name) for name in ("anna", "bao", "chen", "deng")]

    def play() -> Hand:
        table = table_of(hall, users)
        hand = hand_play_out(table_id=table.pk, users=users)
        for user in users:
            seat_leave(table_id=table.pk, user=user)
        return hand

    return in_thread(play)


@pytest.fixture
def seat_mates(live_asgi: str) -> Iterator[Callable[..., Mates]]:
    """Seats members, who play over sockets, in the last seats of a table where `player` sits."""
    started: list[Mates] = []

    def seat(table_id: int, player: User, others: Sequence[User], *, ready: bool = True) -> Mates:
        clients = [Client(live_asgi, user.username) for user in (player, *others)]
        for client in clients:
            client.sign_in(PASSWORD)
        mates = Mates(table_id, clients[0], dict(enumerate(clients[1:], start=4 - len(others))), ready=ready)
        started.append(mates)
        return mates

    yield seat
    for mates in started:
        mates.stop()


@pytest.fixture
def open_page(browser: Browser, live_asgi: str) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser of its own: a desktop, or a phone with touch."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_(*, size: ViewportSize = DESKTOP) -> Page:
        is_phone = size is PHONE
        context = browser.new_context(
            base_url=live_asgi, viewport=size, has_touch=is_phone, is_mobile=is_phone, locale="zh-CN"
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        watch(context, live_asgi, complaints)
        return context.new_page()

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def in_thread(work: Callable[..., T], *args: object) -> T:
    """Run what rings the doorbell: it needs a thread without a loop, and the browser's runs in this one."""

    def run() -> T:
        try:
            return work(*args)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def watch(context: BrowserContext, home: str, complaints: list[str]) -> None:
    """Collect what a page of the product must never do, on all pages of a browser."""
    host = urlsplit(home).netloc
    visited: set[str] = set()

    def asks(page: Page | None, url: str) -> None:
        address = urlsplit(url)
        if address.scheme in ("http", "https", "ws", "wss") and address.netloc != host:
            complaints.append(f"{page and page.url} asks {url}")

    def requested(request: Request) -> None:
        if request.is_navigation_request():
            visited.add(request.url)
        asks(None, request.url)

    context.on("weberror", lambda error: complaints.append(f"{error.page and error.page.url}: {error.error}"))
    context.on(
        "console",
        lambda message: (
            complaints.append(f"{message.page and message.page.url}: {message.text}")
            # What the browser writes down by itself and the page shows: a line that the API refuses to judge, an error.
            if message.type == "error"
            and "status of 422" not in message.text
            and not (message.text.startswith("Failed to load resource") and message.location["url"] in visited)
            else None
        ),
    )
    context.on("request", requested)
    context.on("page", lambda page: page.on("websocket", lambda socket: asks(page, socket.url)))


def sign_in(page: Page, user: User) -> None:
    """Sign in through the form."""
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(user.username)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.wait_for_url("/")
