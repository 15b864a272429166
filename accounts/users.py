"""People: made, changed, given a password, cut off from the API by an operator of the site; closed by themselves. An audit
entry each time."""

from collections.abc import Mapping
from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import ApiToken, Notice, NoticeSwitch, User
from accounts.sessions import devices_end
from accounts.tokens import token_revoke

CHANGEABLE = frozenset({"display_name", "language", "is_active", "is_staff"})


@transaction.atomic
def user_create(*, username: str, password: str, actor: User, **values: Any) -> User:
    """A new person; `values` are fields of `CHANGEABLE`. Raises `Refused`: not_an_operator, superusers_only."""
    _check(actor, None, values)
    user = User(username=username, **values)
    user.set_password(password)
    user.save(force_insert=True)
    audit_write(actor=actor, action="user.created", subject=user, after={"username": username, **values})
    return user


@transaction.atomic
def user_change(*, user: User, actor: User, changes: Mapping[str, Any]) -> User:
    """Change fields of `CHANGEABLE`. Nothing different: nothing done. Raises `Refused`: not_an_operator, superusers_only."""
    user = User.objects.select_for_update().get(pk=user.pk)
    different = {name: value for name, value in changes.items() if getattr(user, name) != value}
    _check(actor, user, different)
    if not different:
        return user
    before = {name: getattr(user, name) for name in different}
    for name, value in different.items():
        setattr(user, name, value)
    user.save(update_fields=list(different))
    audit_write(actor=actor, action="user.changed", subject=user, before=before, after=different)
    return user


@transaction.atomic
def user_password_set(*, user: User, password: str, actor: User) -> None:
    """A new password; all sessions of the person end with the old one. Raises as `user_change`."""
    user = User.objects.select_for_update().get(pk=user.pk)
    _check(actor, user, {})
    user.set_password(password)
    user.save(update_fields=["password"])
    audit_write(actor=actor, action="user.password_set", subject=user)


@transaction.atomic
def user_token_revoke(*, token: ApiToken, actor: User) -> None:
    """End the life of another person's token. Raises `Refused`: not_an_operator."""
    _check(actor, None, {})
    token_revoke(token=token)
    audit_write(actor=actor, action="user.token_revoked", subject=token.user, after={"token": token.name})


@transaction.atomic
def user_close(*, user: User) -> None:
    """Take out of an account what tells who it was, and let nobody sign in with it any more; its hands and its lines in the
    books stay, under no name. What there is of it in clubs must be over (`games.leaving.account_close`).

    Raises `Refused`: staff_account (an operator of the site must first be none).
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if user.is_staff or user.is_superuser:
        raise Refused("staff_account", _("网站管理员的账户不能注销，请先让别人撤掉这个身份。"), status=409)
    user.username = f"#{user.pk}"  # which nobody can choose
    user.display_name = user.first_name = user.last_name = user.email = user.language = ""
    user.set_unusable_password()
    user.is_active = False
    user.closed_at = timezone.now()
    user.save()
    for owned in (ApiToken, EmailAddress, Notice, NoticeSwitch):
        owned.objects.filter(user=user).delete()
    devices_end(user=user)
    audit_write(actor=user, action="user.closed", subject=user)


def _check(actor: User, user: User | None, values: Mapping[str, Any]) -> None:
    assert set(values) <= CHANGEABLE
    if not (actor.is_active and actor.is_staff):
        raise Refused("not_an_operator", _("只有网站管理员可以这样做。"), status=403)
    if not actor.is_superuser and (values.get("is_staff") or (user and (user.is_staff or user.is_superuser))):
        raise Refused("superusers_only", _("只有超级管理员可以改动网站管理员。"), status=403)
