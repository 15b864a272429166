"""API tokens: `Authorization: Bearer smc_…`. Only the SHA-256 of a token is stored."""

import secrets
from datetime import datetime
from hashlib import sha256
from typing import Final

from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.errors import Refused
from accounts.models import ApiToken, User

PREFIX: Final = "smc_"  # lets secret scanners recognise a token
_LAST_USE_SECONDS: Final = 60  # how exact `last_used_at` is


def token_create(*, user: User, name: str, expires_at: datetime | None = None) -> tuple[ApiToken, str]:
    """A new token of a user and its text, which is never shown again. Raises `Refused`: bad_name, bad_expiry."""
    name = name.strip()
    if not name or len(name) > 60 or "\x00" in name:
        raise Refused("bad_name", _("请给令牌起个名字（最多 60 字）。"), field="name")
    if expires_at is not None and expires_at <= timezone.now():
        raise Refused("bad_expiry", _("到期时间须在将来。"), field="expires_at")
    text = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(user=user, name=name, digest=_digest(text), expires_at=expires_at)
    return token, text


def token_revoke(*, token: ApiToken) -> None:
    """End a token's life now. A token that is revoked stays so."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class TokenAuthentication(authentication.BaseAuthentication):
    """Signs a request in by its bearer token."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _space, text = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        now = timezone.now()
        token = (
            ApiToken.objects.select_related("user")
            .filter(
                Q(expires_at=None) | Q(expires_at__gt=now), digest=_digest(text), revoked_at=None, user__is_active=True
            )
            .first()
        )
        if token is None:
            raise AuthenticationFailed(_("令牌无效、已过期或已撤销。"))
        if token.last_used_at is None or (now - token.last_used_at).total_seconds() > _LAST_USE_SECONDS:
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        return token.user, token

    def authenticate_header(self, request: HttpRequest) -> str:
        return "Bearer"


class SessionAuthentication(authentication.SessionAuthentication):
    """The site's own session; somebody who is not signed in gets 401, not 403."""

    def authenticate_header(self, request: HttpRequest) -> str:
        return "Session"
