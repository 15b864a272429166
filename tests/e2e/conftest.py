"""A club on the real server, and pages that must not complain.

Every page of a browser test is watched: an error in its console, a broken content policy or a request to another host
fails the test.
"""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create

PASSWORD = "a-good-password-1"
PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture
def operator(live_asgi: str) -> User:
    return User.objects.create_superuser("operator", password=PASSWORD, display_name="掌柜")


@pytest.fixture
def club(operator: User) -> Club:
    return club_create(name="锦里麻将社", slug="jinli", actor=operator, welcome_coins=50_000)


@pytest.fixture
def practice(club: Club, operator: User) -> Room:
    """A room for bots, without pauses, so that a hand takes seconds."""
    return room_create(
        club=club,
        name="练习房",
        actor=operator,
        preset="qq_dingque",
        bots_allowed=True,
        turn_seconds=60,
        claim_seconds=30,
        void_seconds=60,
        pacing=RoomTerms.Pacing.INSTANT,
    )


@pytest.fixture
def hall(club: Club, operator: User) -> Room:
    """A room for coins."""
    return room_create(
        club=club,
        name="锦江厅",
        actor=operator,
        preset="qq_dingque",
        coefficient=20,
        rake=100,
        turn_seconds=60,
        claim_seconds=30,
        void_seconds=60,
        pacing=RoomTerms.Pacing.INSTANT,
    )


@pytest.fixture
def member(club: Club, operator: User) -> Callable[[str], User]:
    """Makes a member with 100,000 coins."""

    def make(name: str) -> User:
        user = User.objects.create_user(name, password=PASSWORD, display_name=name.title())
        membership = member_join(code=invitation_create(club=club, actor=operator).code, user=user)
        member_coins_issue(membership=membership, amount=50_000, reason="test", actor=operator, key=f"test:{name}")
        return user

    return make


@pytest.fixture
def open_page(browser: Browser, live_asgi: str) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser of its own; `base_url` is the server's."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_(*, size: ViewportSize = DESKTOP, touch: bool = False) -> Page:
        context = browser.new_context(
            base_url=live_asgi, viewport=size, has_touch=touch, is_mobile=touch, locale="zh-CN"
        )
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        watch(page, live_asgi, complaints)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def watch(page: Page, home: str, complaints: list[str]) -> None:
    """Collect what a page of the product must never do."""
    host = urlsplit(home).netloc
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on(
        "console",
        lambda message: complaints.append(f"{page.url}: {message.text}") if message.type == "error" else None,
    )
    page.on(
        "request",
        lambda request: (
            complaints.append(f"{page.url} asks {request.url}")
            if urlsplit(request.url).scheme.startswith(("http", "ws")) and urlsplit(request.url).netloc != host
            else None
        ),
    )


def sign_in(page: Page, user: User) -> None:
    """Sign in through the form."""
    page.goto("/accounts/login/")
    page.locator("[name=login]").fill(user.username)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.wait_for_url("/")
