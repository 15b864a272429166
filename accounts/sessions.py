"""Where a person is signed in: which device, since when, used when. Kept by allauth's usersessions, once in a while.

An open table asks for its session at every look (`games.consumers`), so a session that is ended here takes its sockets along.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from allauth.usersessions.models import UserSession
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import connections
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.reads import read_again

NOTED_SECONDS: Final = 300  # how exact the last use is
_NOTED: Final = "noted_at"  # in the session: when its use was last noted, seconds since 1970

# Which word of a browser's own description names it; the first that is found counts, since they claim to be each other.
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("HarmonyOS", "HarmonyOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
_BROWSERS: Final = (
    ("MicroMessenger", "WeChat"),
    ("MQQBrowser", "QQ"),
    ("HuaweiBrowser", "Huawei"),
    ("MiuiBrowser", "Miui"),
    ("SamsungBrowser", "Samsung"),
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)


@dataclass(frozen=True, slots=True)
class Device:
    """A session as its person sees it."""

    id: int
    name: str
    is_here: bool
    since: datetime
    used_at: datetime


class KeepSession(SessionMiddleware):
    """Django's own, which saves a session a second time, on a new connection, where the database ended the first one: a page
    that was already made would become a bad request."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except SessionInterrupted:  # or the session was ended meanwhile, as the second try shows
            connections.close_all()
            return super().process_response(request, response)


def session_use(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: note the device and the time of a signed-in request, if that has not been done lately."""

    def noted(request: HttpRequest) -> HttpResponse:
        read_again(lambda: _note(request))
        return get_response(request)

    return noted


def shown_to_one(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: what a signed-in person is shown is kept by no proxy, and by no browser for whoever sits there next."""

    def answered(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if SESSION_KEY in request.session and not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-store"
        return response

    return answered


def _note(request: HttpRequest) -> None:
    now = int(time.time())
    # The moment first: without one nobody is signed in, and asking for the user would read the database.
    if now - request.session.get(_NOTED, 0) >= NOTED_SECONDS and request.user.is_authenticated:
        UserSession.objects.create_from_request(request)
        request.session[_NOTED] = now


def devices_of(*, user: User, here: str | None) -> list[Device]:
    """Where a person is signed in, this device (its session's key is `here`) first, then by last use."""
    sessions = UserSession.objects.purge_and_list(user)
    devices = [
        Device(each.pk, device_name(each.user_agent), each.session_key == here, each.created_at, each.last_seen_at)
        for each in sessions
    ]
    return sorted(devices, key=lambda device: (not device.is_here, -device.used_at.timestamp()))


def device_end(*, user: User, device_id: int) -> bool:
    """Sign a person out on one device. Returns whether it was theirs and signed in."""
    session = UserSession.objects.filter(user=user, pk=device_id).first()
    if session is None:
        return False
    session.end()
    return True


def devices_end(*, user: User, but: str | None = None) -> None:
    """Sign a person out everywhere, but not in the session of that key."""
    for session in UserSession.objects.filter(user=user).exclude(session_key=but or ""):
        session.end()


def device_name(user_agent: str) -> str:
    """System and browser of a `User-Agent`, as far as it says so: "Android · Chrome"."""
    known = [next((name for mark, name in names if mark in user_agent), "") for names in (_SYSTEMS, _BROWSERS)]
    return " · ".join(filter(None, known)) or _("不认识的设备")
