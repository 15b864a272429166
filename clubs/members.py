"""Members of a club: joining, roles, bans, and the coins that operators give and take."""

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import Transfer, User
from clubs.invitations import invitation_find, invitation_of
from clubs.models import Invitation, Membership
from clubs.roles import membership_of, require_operator
from clubs.titles import level_now


# --- Joining -------------------------------------------------------------------------------------------------------
@transaction.atomic
def member_join(*, code: str, user: User) -> Membership:
    """Join the club of an invitation; a newcomer gets the club's welcome coins. Who is a member already stays one: the
    invitation is not used up, and need not be valid any more.

    Raises `Refused`: banned, and those of `clubs.invitations.invitation_find`.
    """
    invitation = invitation_of(code)
    club = invitation.club
    # Two joins of the same person.
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    membership = Membership.objects.filter(club=club, user=user).first()
    if membership is not None and membership.status != Membership.Status.LEFT:
        return membership_of(user=user, club=club)
    Invitation.objects.select_for_update(no_key=True).get(pk=invitation.pk)  # two people, one use left
    invitation = invitation_find(code)
    Invitation.objects.filter(pk=invitation.pk).update(uses=F("uses") + 1)
    if membership is not None:
        before = {"status": membership.status, "role": membership.role}
        membership.status, membership.role = Membership.Status.ACTIVE, Membership.Role.MEMBER
        membership.save(update_fields=["status", "role"])
        after = {"status": membership.status, "role": membership.role, "invitation": invitation.code}
        _audit(membership, user, "member.rejoined", before, after)
        return membership
    wallet = ledger.wallet_open(book=club.book, holder=user)
    membership = Membership.objects.create(club=club, user=user, wallet=wallet, level=level_now(club, points=0))
    _audit(membership, user, "member.joined", {}, {"invitation": invitation.code})
    if club.welcome_coins:
        ledger.coins_issue(
            wallet=wallet,
            amount=club.welcome_coins,
            reason=_("新成员赠币"),
            actor=invitation.created_by,
            key=f"welcome:{membership.pk}",
        )
    return membership


@transaction.atomic
def member_leave(*, membership: Membership) -> None:
    """Leave a club of one's own will (from a table: `games.tables.club_leave`). Wallet, points and history stay as they
    are, for the day one joins again. Raises `Refused`: not_a_member, banned, last_operator.
    """
    user, club = membership.user, membership.club
    # With all operators locked two of them cannot leave each other the club.
    list(
        Membership.objects.select_for_update(no_key=True)
        .filter(Q(user=user) | Q(role=Membership.Role.OPERATOR), club=club)
        .order_by("pk")
    )
    membership = membership_of(user=user, club=club)
    operators = Membership.objects.filter(club=club, role=Membership.Role.OPERATOR, status=Membership.Status.ACTIVE)
    if membership.role == Membership.Role.OPERATOR and not operators.exclude(pk=membership.pk).exists():
        raise Refused("last_operator", _("你是唯一的管理员，请先把另一位成员设为管理员。"), status=409)
    Membership.objects.filter(pk=membership.pk).update(status=Membership.Status.LEFT)
    _audit(membership, user, "member.left", {"status": membership.status}, {"status": Membership.Status.LEFT.value})


# --- Running a club ------------------------------------------------------------------------------------------------
@transaction.atomic
def member_ban(*, membership: Membership, actor: User, reason: str) -> None:
    """Suspend a member: no more playing, no access. Raises `Refused`: not_an_operator, own_membership, reason_required."""
    _set(membership, actor, "status", Membership.Status.BANNED, "member.banned", reason)


@transaction.atomic
def member_unban(*, membership: Membership, actor: User, reason: str) -> None:
    """Lift a ban. Raises as `member_ban`, and not_a_member for somebody who left of their own will."""
    _set(membership, actor, "status", Membership.Status.ACTIVE, "member.unbanned", reason)


@transaction.atomic
def member_role_change(*, membership: Membership, role: Membership.Role, actor: User, reason: str) -> None:
    """Make a member an operator or the other way round. Raises as `member_unban`, and bad_role."""
    if role not in Membership.Role.values:
        raise Refused("bad_role", _("没有这个角色。"), field="role")
    _set(membership, actor, "role", role, "member.role_changed", reason)


def _set(membership: Membership, actor: User, field: str, value: str, action: str, reason: str) -> None:
    require_operator(user=actor, club=membership.club)
    if membership.user_id == actor.pk:
        raise Refused("own_membership", _("不能改动自己的成员资格，请另一位管理员来做。"), status=409)
    reason = ledger.require_reason(reason)
    locked = Membership.objects.select_for_update(no_key=True).get(pk=membership.pk)
    if locked.status == Membership.Status.LEFT and value != Membership.Status.BANNED:
        raise Refused("not_a_member", _("此人已不是俱乐部的成员。"), status=409)
    before = str(getattr(locked, field))
    if before == value:
        return
    Membership.objects.filter(pk=membership.pk).update(**{field: value})
    membership.refresh_from_db()
    _audit(membership, actor, action, {field: before}, {field: value}, reason)


def _audit(
    membership: Membership, actor: User, action: str, before: dict[str, str], after: dict[str, str], reason: str = ""
) -> None:
    audit_write(
        actor=actor,
        action=action,
        subject=membership,
        before=before,
        after=after,
        reason=reason,
        book=membership.club.book,
    )


# --- Coins ---------------------------------------------------------------------------------------------------------
@transaction.atomic
def member_coins_issue(*, membership: Membership, amount: int, reason: str, actor: User, key: str) -> Transfer:
    """Issue coins to a member. Raises `Refused`: not_an_operator, and those of `accounts.ledger.coins_issue`."""
    require_operator(user=actor, club=membership.club)
    return ledger.coins_issue(wallet=membership.wallet, amount=amount, reason=reason, actor=actor, key=key)


@transaction.atomic
def member_coins_withdraw(*, membership: Membership, amount: int, reason: str, actor: User, key: str) -> Transfer:
    """Take coins back from a member. Raises `Refused`: not_an_operator, and those of `accounts.ledger.coins_withdraw`."""
    require_operator(user=actor, club=membership.club)
    return ledger.coins_withdraw(wallet=membership.wallet, amount=amount, reason=reason, actor=actor, key=key)
