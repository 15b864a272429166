"""Invitations: links and codes with which a person joins a club."""

import secrets
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Invitation
from clubs.roles import require_operator

MOST_USES: Final = 10_000
_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # without what is easily misread
_CODE_LENGTH: Final = 8


@transaction.atomic
def invitation_create(*, club: Club, actor: User, max_uses: int = 1, expires_at: datetime | None = None) -> Invitation:
    """Invite up to `max_uses` people. Raises `Refused`: not_an_operator, bad_amount, bad_expiry."""
    require_operator(user=actor, club=club)
    if type(max_uses) is not int or not 1 <= max_uses <= MOST_USES:
        raise Refused("bad_amount", _("可用次数须为 1 到 %(most)s。") % {"most": f"{MOST_USES:,}"}, field="max_uses")
    if expires_at is not None and expires_at <= timezone.now():
        raise Refused("bad_expiry", _("到期时间须在将来。"), field="expires_at")
    code = "".join(secrets.choice(_LETTERS) for _position in range(_CODE_LENGTH))
    invitation = Invitation.objects.create(
        club=club, code=code, created_by=actor, max_uses=max_uses, expires_at=expires_at
    )
    audit_write(
        actor=actor, action="invitation.created", subject=invitation, after={"max_uses": max_uses}, book=club.book
    )
    return invitation


@transaction.atomic
def invitation_revoke(*, invitation: Invitation, actor: User) -> None:
    """End an invitation; who has joined by it stays. Raises `Refused`: not_an_operator."""
    require_operator(user=actor, club=invitation.club)
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit_write(actor=actor, action="invitation.revoked", subject=invitation, book=invitation.club.book)


def invitation_of(code: str) -> Invitation:
    """The invitation of a code, as typed (case and spaces do not matter). Raises `Refused`: invitation_unknown."""
    typed = "".join(code.split()).upper()
    known = (
        typed.isascii()
        and typed.isalnum()
        and Invitation.objects.select_related("club__book").filter(code=typed).first()
    )
    if not known:
        raise Refused("invitation_unknown", _("没有这个邀请码，请核对后再试。"), status=404)
    return known


def invitation_find(code: str) -> Invitation:
    """The invitation of a code, if it still admits somebody.

    Raises `Refused`: invitation_unknown, invitation_revoked, invitation_expired, invitation_used_up.
    """
    invitation = invitation_of(code)
    if invitation.revoked_at is not None:
        raise Refused("invitation_revoked", _("这个邀请已被撤销，请向俱乐部要新的邀请。"), status=409)
    if invitation.expires_at is not None and invitation.expires_at <= timezone.now():
        raise Refused("invitation_expired", _("这个邀请已过期，请向俱乐部要新的邀请。"), status=409)
    if invitation.uses >= invitation.max_uses:
        raise Refused("invitation_used_up", _("这个邀请的名额已用完，请向俱乐部要新的邀请。"), status=409)
    return invitation
