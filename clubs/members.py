"""Members of a club: joining, requests to join, roles, bans, and the coins that operators give and take."""

from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.audit import audit_write
from accounts.errors import Refused
from accounts.models import Account, Notice, Transfer, User
from accounts.notices import notice_write
from clubs.invitations import invitation_find, invitation_of
from clubs.models import Club, Invitation, JoinRequest, Membership
from clubs.roles import membership_of, require_operator
from clubs.titles import level_now

MOST_MESSAGE: Final = 120
MOST_MEMBERS: Final = 200  # whom one order of coins serves


# --- Joining -------------------------------------------------------------------------------------------------------
@transaction.atomic
def member_join(*, code: str, user: User) -> Membership:
    """Join the club of an invitation; a newcomer gets the club's welcome coins. Who is a member already stays one: the
    invitation is not used up, and need not be valid any more.

    Raises `Refused`: banned, approval_needed (the club wants to be asked: `request_make`), and those of
    `clubs.invitations.invitation_find`.
    """
    invitation = invitation_of(code)
    membership = _member_already(invitation.club, user)
    if membership is not None:
        return membership
    if invitation.club.needs_approval:
        raise Refused("approval_needed", _("这家俱乐部要管理员同意才能加入，请先申请。"), status=409)
    return _admit(_invitation_use(code, user), user, actor=user)


def _member_already(club: Club, user: User) -> Membership | None:
    """The membership of a person who need not join; locks the person, so that they join but once. Raises `Refused`: banned."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    membership = Membership.objects.filter(club=club, user=user).first()
    if membership is None or membership.status == Membership.Status.LEFT:
        return None
    return membership_of(user=user, club=club)


def _invitation_use(code: str, user: User) -> Invitation:
    """Use an invitation once. Raises `Refused`: those of `clubs.invitations.invitation_find`."""
    Invitation.objects.select_for_update(no_key=True).get(pk=invitation_of(code).pk)  # two people, one use left
    invitation = invitation_find(code, user)
    Invitation.objects.filter(pk=invitation.pk).update(uses=F("uses") + 1)
    return invitation


def _admit(invitation: Invitation, user: User, *, actor: User, **noted: str) -> Membership:
    """Make a person who came by an invitation a member; `noted` goes into the audit log with it."""
    club = invitation.club
    noted = {"invitation": invitation.code, **noted}
    membership = Membership.objects.filter(club=club, user=user).first()
    if membership is not None:
        before = {"status": membership.status, "role": membership.role}
        membership.status, membership.role = Membership.Status.ACTIVE, Membership.Role.MEMBER
        membership.save(update_fields=["status", "role"])
        after = {"status": membership.status, "role": membership.role, **noted}
        _audit(membership, actor, "member.rejoined", before, after)
        return membership
    wallet = ledger.wallet_open(book=club.book, holder=user)
    membership = Membership.objects.create(club=club, user=user, wallet=wallet, level=level_now(club, points=0))
    _audit(membership, actor, "member.joined", {}, noted)
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


# --- Asking to join ------------------------------------------------------------------------------------------------
@transaction.atomic
def request_make(*, code: str, user: User, message: str = "") -> JoinRequest:
    """Ask the club of an invitation to be let in, with up to 120 characters for its operators. Asking again while that is
    pending changes nothing.

    Raises `Refused`: approval_not_needed (`member_join` does), already_a_member, banned, bad_message, and those of
    `clubs.invitations.invitation_find`.
    """
    invitation = invitation_of(code)
    club = invitation.club
    if _member_already(club, user):
        raise Refused("already_a_member", _("你已经是这家俱乐部的成员。"), status=409)
    pending = JoinRequest.objects.filter(club=club, user=user, status=JoinRequest.Status.PENDING).first()
    if pending is not None:
        return pending
    if not club.needs_approval:
        raise Refused("approval_not_needed", _("这家俱乐部不用申请，可以直接加入。"), status=409)
    message = message.strip()
    if len(message) > MOST_MESSAGE or "\x00" in message:
        raise Refused("bad_message", _("最多 %(most)d 字。") % {"most": MOST_MESSAGE}, field="message")
    made = JoinRequest.objects.create(club=club, user=user, invitation=_invitation_use(code, user), message=message)
    _audit_request(made, user, "request.made")
    return made


@transaction.atomic
def request_withdraw(*, request: JoinRequest) -> None:
    """Take one's own request back. Raises `Refused`: request_decided."""
    request = _pending(request)
    _decide(request, request.user, JoinRequest.Status.WITHDRAWN)


@transaction.atomic
def request_approve(*, request: JoinRequest, actor: User, reason: str = "") -> Membership:
    """Let somebody in who asked, who then gets the club's welcome coins. Raises `Refused`: not_an_operator, request_decided,
    account_closed, banned."""
    require_operator(user=actor, club=request.club)
    request = _pending(request)
    if not request.user.is_active:
        raise Refused("account_closed", _("这个账户已经停用或注销。"), status=409)
    membership = _member_already(request.club, request.user)
    if membership is None:
        membership = _admit(request.invitation, request.user, actor=actor, request=str(request.pk))
    _decide(request, actor, JoinRequest.Status.APPROVED, reason.strip()[:200])
    return membership


@transaction.atomic
def request_refuse(*, request: JoinRequest, actor: User, reason: str) -> None:
    """Do not let somebody in, who is told the reason. Raises `Refused`: not_an_operator, request_decided, reason_required."""
    require_operator(user=actor, club=request.club)
    request = _pending(request)
    _decide(request, actor, JoinRequest.Status.REFUSED, ledger.require_reason(reason))


def _pending(request: JoinRequest) -> JoinRequest:
    """The request, locked, as long as nobody has decided it."""
    request = (
        JoinRequest.objects.select_for_update(no_key=True, of=("self",))
        .select_related("club__book", "user", "invitation__club__book")
        .get(pk=request.pk)
    )
    if request.status != JoinRequest.Status.PENDING:
        raise Refused("request_decided", _("这个申请已经处理过了。"), status=409)
    return request


def _decide(request: JoinRequest, actor: User, status: JoinRequest.Status, reason: str = "") -> None:
    request.status, request.reason = status, reason
    request.decided_by, request.decided_at = actor, timezone.now()
    request.save(update_fields=["status", "reason", "decided_by", "decided_at"])
    if status != JoinRequest.Status.APPROVED:  # the use that the request held
        Invitation.objects.filter(pk=request.invitation_id).update(uses=F("uses") - 1)
    _audit_request(request, actor, f"request.{status.value}")
    if status != JoinRequest.Status.WITHDRAWN:
        notice_write(
            users=[request.user],
            kind=Notice.Kind.REQUEST,
            book=request.club.book,
            cause=f"request:{request.pk}",
            data={"approved": status == JoinRequest.Status.APPROVED, "reason": reason},
        )


def _audit_request(request: JoinRequest, actor: User, action: str) -> None:
    audit_write(
        actor=actor,
        action=action,
        subject=request,
        after={"status": request.status},
        reason=request.reason,
        book=request.club.book,
    )


def requests_pending(club: Club) -> QuerySet[JoinRequest]:
    """Who waits for an answer of a club, who has waited longest first."""
    pending = JoinRequest.objects.filter(club=club, status=JoinRequest.Status.PENDING)
    return pending.select_related("user", "invitation", "club").order_by("id")


@transaction.atomic
def requests_decide(*, requests: Sequence[JoinRequest], approve: bool, actor: User, reason: str = "") -> None:
    """Decide several requests, all or none. Raises as `request_approve` and `request_refuse`."""
    # All are locked first: who takes one back meanwhile has it locked, and waits for the invitation that others came by, too.
    list(
        JoinRequest.objects.select_for_update(no_key=True).filter(pk__in=[each.pk for each in requests]).order_by("pk")
    )
    for request in requests:
        if approve:
            request_approve(request=request, actor=actor, reason=reason)
        else:
            request_refuse(request=request, actor=actor, reason=reason)


# --- Running a club ------------------------------------------------------------------------------------------------
def members_found(*, club: Club, words: str = "") -> QuerySet[Membership]:
    """The members of a club, those who were too; those whose name or login name has some words in it."""
    members = Membership.objects.filter(club=club).select_related("user", "wallet", "club")
    return members.filter(named(words)) if words else members


def named(words: str) -> Q:
    """Those whose name or login name has some words in it."""
    words = words.strip().replace("\x00", "")
    return Q(user__display_name__icontains=words) | Q(user__username__icontains=words)


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


@transaction.atomic
def members_coins_move(
    *, members: Sequence[Membership], kind: Transfer.Kind, amount: int, reason: str, actor: User, order: str
) -> bool:
    """Issue coins to several members, or take them back: each the same `amount`, all or none. `order` makes the keys, so that it
    is carried out once; returns whether it had been before.

    Raises `Refused`: nobody_chosen, too_many_members, key_reused (the order was for others), and those of
    `member_coins_issue`, with the member's name.
    """
    if not members:
        raise Refused("nobody_chosen", _("请先选成员。"), field="members")
    if len(members) > MOST_MEMBERS:
        raise Refused("too_many_members", _("一次最多选 %(most)d 人。") % {"most": MOST_MEMBERS}, field="members")
    move = member_coins_issue if kind == Transfer.Kind.ISSUE else member_coins_withdraw
    keys = {member.pk: f"{order}:{member.pk}" for member in members}
    # Locked before it is read what was carried out: the same order may come twice at once.
    issue = Account.objects.filter(kind=Account.Kind.ISSUE, book__in={member.club.book_id for member in members})
    ledger.accounts_lock([*issue.values_list("pk", flat=True), *(member.wallet_id for member in members)])
    begun = Transfer.objects.filter(key__startswith=f"{order}:").values_list("key", flat=True)
    done = {key for key in begun if key.rpartition(":")[0] == order}
    if done and done != set(keys.values()):
        raise ledger.key_reused()
    for member in sorted(members, key=lambda each: each.wallet_id):
        try:
            move(membership=member, amount=amount, reason=reason, actor=actor, key=keys[member.pk])
        except Refused as refused:
            if refused.code in ("insufficient_coins", "balance_out_of_range"):
                refused.message = f"{member.user.name}{_('：')}{refused.message}"
            raise
    return bool(done)


@transaction.atomic
def club_transfer_reverse(*, transfer: Transfer, actor: User, reason: str) -> Transfer:
    """Undo a transfer of a club. Raises `Refused`: not_an_operator, and those of `accounts.ledger.transfer_reverse`."""
    require_operator(user=actor, club=Club.objects.get(book=transfer.book_id))
    return ledger.transfer_reverse(transfer=transfer, reason=reason, actor=actor)
