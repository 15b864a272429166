"""Closing one's account, which leaves every table and club."""

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.errors import Refused
from accounts.models import User
from accounts.users import user_close
from clubs.members import member_leave, request_withdraw
from clubs.models import JoinRequest, Membership
from games.models import Hand, HandSeat, Seat, Table, Waiting
from games.seats import line_leave, seat_vacate


@transaction.atomic
def account_close(*, user: User) -> None:
    """Close one's account for good. Seats between hands and places in lines are given up, requests withdrawn, the coins of
    every club go back to it, all clubs are left; then nothing tells any more who it was (`accounts.users.user_close`). Hands
    and ledgers stay.

    Raises `Refused`: hand_running (a hand one has a part in is not over, also where one has left it), last_operator (of a club
    that has no other), staff_account.
    """
    seat = Seat.objects.filter(user=user).first()
    table = Table.objects.select_for_update(no_key=True).get(pk=seat.table_id) if seat else None
    if HandSeat.objects.filter(membership__user=user).exclude(hand__status=Hand.Status.SETTLED).exists():
        raise Refused("hand_running", _("这一局还没有结束。"), status=409)
    if seat and table:
        seat_vacate(table=table, seat=seat)
    line_leave(Waiting.objects.filter(user=user))
    for pending in JoinRequest.objects.filter(user=user, status=JoinRequest.Status.PENDING):
        request_withdraw(request=pending)
    JoinRequest.objects.filter(user=user).update(message="")
    memberships = list(
        Membership.objects.filter(user=user).select_related("club", "user", "wallet__book").order_by("wallet_id")
    )
    for membership in memberships:  # accounts are locked before memberships, here as everywhere
        _coins_give_back(membership)
    for membership in memberships:
        if membership.status == Membership.Status.ACTIVE:
            _leave(membership)
    user_close(user=user)


def _coins_give_back(membership: Membership) -> None:
    part = 0
    while balance := ledger.accounts_lock([membership.wallet_id])[membership.wallet_id].balance:
        part += 1
        ledger.coins_withdraw(
            wallet=membership.wallet,
            amount=min(balance, ledger.MOST_AT_ONCE),
            reason=_("账户注销，余额收回"),
            actor=membership.user,
            key=f"closed:{membership.pk}:{part}",
        )


def _leave(membership: Membership) -> None:
    try:
        member_leave(membership=membership)
    except Refused as refusal:
        refusal.message = f"{membership.club.name}{_('：')}{refusal.message}"
        raise
