"""Invitations: links and codes with which a person joins a club."""

import secrets
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import Notice, User
from accounts.notices import notice_write, notices_past
from clubs.models import Club, Invitation, Membership
from clubs.roles import require_operator

MOST_USES: Final = 10_000
LONGEST: Final = timedelta(days=3653)  # that an invitation may last: the end of the year 9999 is no time in every zone
# Before a club asks the same person again, who each time gets a notice and perhaps a mail.
AGAIN: Final = timedelta(days=1)
_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # without what is easily misread
_CODE_LENGTH: Final = 8


@transaction.atomic
def invitation_create(
    *,
    club: Club,
    actor: User,
    max_uses: int = 1,
    expires_at: datetime | None = None,
    invitee: User | None = None,
) -> Invitation:
    """Invite up to `max_uses` people, or one `invitee`, who is told.

    Raises `Refused`: not_an_operator, bad_amount, bad_expiry, already_a_member, invited_lately.
    """
    require_operator(user=actor, club=club)
    most = MOST_USES if invitee is None else 1
    if type(max_uses) is not int or not 1 <= max_uses <= most:
        raise Refused("bad_amount", _("可用次数须为 1 到 %(most)s。") % {"most": f"{most:,}"}, field="max_uses")
    if invitee and club.memberships.filter(user=invitee).exclude(status=Membership.Status.LEFT).exists():
        raise Refused("already_a_member", _("此人已经是俱乐部的成员。"), status=409, field="invitee")
    if invitee and _invited_lately(club, invitee):
        raise Refused("invited_lately", _("这家俱乐部刚邀请过此人，过一天再说。"), status=409, field="invitee")
    if expires_at is not None and not timedelta() < expires_at - timezone.now() <= LONGEST:
        raise Refused("bad_expiry", _("到期时间须在将来，最多十年以后。"), field="expires_at")
    code = "".join(secrets.choice(_LETTERS) for _position in range(_CODE_LENGTH))
    invitation = Invitation.objects.create(
        club=club, code=code, created_by=actor, max_uses=max_uses, expires_at=expires_at, invitee=invitee
    )
    audit_write(
        actor=actor, action="invitation.created", subject=invitation, after={"max_uses": max_uses}, book=club.book
    )
    if invitee:
        notice_write(
            users=[invitee],
            kind=Notice.Kind.INVITATION,
            book=club.book,
            cause=f"invitation:{invitation.pk}",
            data={"code": code},
        )
    return invitation


def _invited_lately(club: Club, invitee: User) -> bool:
    """Whether a club has asked a person within the last day who did not come."""
    return club.invitations.filter(invitee=invitee, uses=0, created_at__gt=timezone.now() - AGAIN).exists()


@transaction.atomic
def invitation_revoke(*, invitation: Invitation, actor: User) -> None:
    """End an invitation; who has joined by it stays. Raises `Refused`: not_an_operator."""
    require_operator(user=actor, club=invitation.club)
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit_write(actor=actor, action="invitation.revoked", subject=invitation, book=invitation.club.book)


@transaction.atomic
def invitation_decline(*, invitation: Invitation, user: User) -> None:
    """Do not take an invitation that is for oneself. Raises `Refused`: invitation_personal."""
    if invitation.invitee_id != user.pk:
        raise _personal()
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        notices_past(cause=f"invitation:{invitation.pk}")
        audit_write(actor=user, action="invitation.declined", subject=invitation, book=invitation.club.book)


def invitations_for(user: User) -> QuerySet[Invitation]:
    """The invitations for a person alone that they can still take, newest first."""
    now = timezone.now()
    return (
        Invitation.objects.filter(Q(expires_at=None) | Q(expires_at__gt=now), invitee=user, revoked_at=None, uses=0)
        .select_related("club", "created_by")
        .order_by("-id")
    )


def invitations_made(club: Club) -> QuerySet[Invitation]:
    """The invitations of a club, newest first."""
    made = Invitation.objects.filter(club=club)
    return made.select_related("club__book", "created_by", "invitee").order_by("-id")


def _personal() -> Refused:
    return Refused("invitation_personal", _("这个邀请是给另一个人的。"), status=403)


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


def invitation_find(code: str, user: User | None = None) -> Invitation:
    """The invitation of a code, if it still admits a person (None: somebody who has no account yet).

    Raises `Refused`: invitation_unknown, invitation_personal (for somebody else alone), invitation_revoked, invitation_expired,
    invitation_used_up.
    """
    invitation = invitation_of(code)
    if invitation.invitee_id is not None and (user is None or invitation.invitee_id != user.pk):
        raise _personal()
    if invitation.revoked_at is not None:
        raise Refused("invitation_revoked", _("这个邀请已被撤销，请向俱乐部要新的邀请。"), status=409)
    if invitation.expires_at is not None and invitation.expires_at <= timezone.now():
        raise Refused("invitation_expired", _("这个邀请已过期，请向俱乐部要新的邀请。"), status=409)
    if invitation.uses >= invitation.max_uses:
        raise Refused("invitation_used_up", _("这个邀请的名额已用完，请向俱乐部要新的邀请。"), status=409)
    return invitation
