"""Proving hands, ledger and records against each other, for `manage.py ledger_check`."""

from collections.abc import Iterator
from typing import Any, Final

from accounts.ledger import hand_key
from accounts.models import Account, Posting, Transfer
from clubs.models import Membership
from games.figures import Sums, day_sums, figures_of
from games.log import folded
from games.models import Action, DayFigures, Hand, SeatFigures
from games.rules.record import judge

_FIGURES: Final = [field.attname for field in SeatFigures._meta.fields if not field.primary_key]
_DAY: Final = [field.attname for field in DayFigures._meta.fields if not field.primary_key]


def hands_check() -> Iterator[str]:
    """One line for each fault of a settled hand: a gap in its log, a record that its log does not give or that comes to
    something else when it is judged again, rows or figures that say otherwise than the record, coins that were not moved so."""
    for hand in Hand.objects.filter(status=Hand.Status.SETTLED).select_related("terms__room").order_by("pk").iterator():
        for fault in _faults(hand):
            yield f"hand {hand.pk}: {fault}"


def days_check() -> Iterator[str]:
    """One line for each member whose sums by day are not those of the figures."""
    for membership in Membership.objects.filter(figures__isnull=False).distinct().order_by("pk").select_related("club"):
        told = day_sums(membership.figures.values().iterator(), membership.club.zone)
        kept: list[Any] = list(membership.days.values(*_DAY))
        if sorted(told, key=_day) != sorted(kept, key=_day):
            yield f"member {membership.pk}: the sums of its days are not those of its figures"


def _day(sums: Sums) -> Any:
    return sums["day"], sums["room_id"], sums["preset"], sums["is_auto"]


def _faults(hand: Hand) -> Iterator[str]:
    record = hand.record
    if record is None:
        yield "it is settled and has no record"
        return
    # A hand that was ended from outside has no result that judging its record could give.
    result = record.get("result") or record["stopped"]
    seqs = list(Action.objects.filter(hand=hand).values_list("seq", flat=True))
    if seqs != list(range(1, len(seqs) + 1)):
        yield "its log has gaps"
    core = folded(hand.pk).core
    if core is None or core.moves != record["actions"]:
        yield "its log tells other actions than its record"
    judged = judge({key: value for key, value in record.items() if key != "result"})
    if "result" in record and judged != result:
        yield f"judged again its record comes to {judged}"
    rows: dict[str, list[Any]] = {
        "units": list(hand.seats.values_list("units", flat=True)),
        "points": list(hand.seats.values_list("points", flat=True)),
        "rake": list(hand.seats.values_list("rake", flat=True)),
        "coins": list(hand.seats.values_list("coins", flat=True)),
        "balances": list(hand.seats.values_list("balance_after", flat=True)),
        "payments": list(hand.payments.values("kind", "payer", "payee", "units")),
    }
    yield from (
        f"its rows say {key} {said}, its record {result[key]}" for key, said in rows.items() if said != result[key]
    )
    yield from _coin_faults(hand, result)
    if core is None or hand.ended_at is None:
        return
    told = figures_of(terms=hand.terms, ended_at=hand.ended_at, seats=hand.seats.all(), core=core)
    if list(SeatFigures.objects.filter(hand=hand).order_by("number").values(*_FIGURES)) != told:
        yield "its figures are not those that its record gives"


def _coin_faults(hand: Hand, result: dict[str, Any]) -> Iterator[str]:
    """What the hand's transfers (settlement, and what was held before) moved, account by account."""
    moved: dict[int, int] = {}
    transfers = Transfer.objects.filter(key=hand_key(hand.pk)) | Transfer.objects.filter(
        key__startswith=f"{hand_key(hand.pk)}:"
    )
    for account, amount in Posting.objects.filter(transfer__in=transfers).values_list("account", "amount"):
        moved[account] = moved.get(account, 0) + amount
    for seat in hand.seats.select_related("membership"):
        if seat.membership is not None and moved.pop(seat.membership.wallet_id, 0) != seat.coins:
            yield f"seat {seat.number} did not get {seat.coins} coins"
    house = dict(Account.objects.filter(pk__in=moved).values_list("kind", "pk"))
    if moved.pop(house.get(Account.Kind.RAKE, 0), 0) != sum(result["rake"]):
        yield f"the rake of {sum(result['rake'])} was not moved"
    if any(moved.values()):
        yield "its transfers moved other coins as well"
