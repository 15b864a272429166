"""A limit to guessing invitation codes: who has typed too many unknown ones waits."""

from contextlib import suppress
from typing import Final

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.throttling import BaseThrottle

from accounts.errors import Refused
from clubs.invitations import invitation_of
from clubs.models import Invitation

MOST: Final = 10  # unknown codes of one person, or of one address that nobody has signed in from
SECONDS: Final = 600  # within so many


def invitation_typed(request: HttpRequest, code: str) -> Invitation:
    """The invitation of a code that came with a request, whether or not it still admits somebody. Raises `Refused`:
    too_many_attempts (429), and invitation_unknown, which counts."""
    key = f"guesses:{_who(request)}"
    if cache.get(key, 0) >= MOST:
        raise Refused("too_many_attempts", _("输错的邀请码太多，请过十分钟再试。"), status=429, seconds=SECONDS)
    try:
        return invitation_of(code)
    except Refused:
        if not cache.add(key, 1, SECONDS):
            with suppress(ValueError):  # its time ran out at this moment
                cache.incr(key)
        raise


def _who(request: HttpRequest) -> str:
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    return f"address:{BaseThrottle().get_ident(request)}"  # type: ignore[arg-type]
