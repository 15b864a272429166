"""What a hand comes to: coins, points, levels, result rows, figures and the record.

Runs once a hand, in the transaction of its last action (RULES.md section 13). Locks are taken in one order: accounts
by id, then memberships by id, then the table.
"""

from collections.abc import Sequence
from typing import Final

from django.utils import timezone

from accounts import ledger
from accounts.models import Account, Transfer
from accounts.notices import notices_past
from accounts.rows import run
from clubs.rooms import unit_coins
from clubs.titles import Standing, points_add
from games.figures import figures_write
from games.log import SEATS, Fold
from games.models import Action, Hand, HandSeat, Payment, Win
from games.rules.events import EndKind
from games.rules.record import record_of
from games.rules.settlement import Settlement, settle
from games.seats import seats_after_hand

# What a hand comes to for a seat, as columns of `HandSeat`.
_OUTCOME: Final = (
    *("balance_before", "balance_after", "units", "points", "rake", "coins", "auto_actions", "has_left"),
    *("points_before", "points_after", "level_before", "level_after"),
)


def hand_settle(fold: Fold) -> None:
    """Move the coins and points of a hand that is over and write what it came to. One ledger transfer, `hand:<id>`."""
    assert fold.core is not None
    hand, terms, book = fold.hand, fold.terms, fold.terms.room.club.book
    result = fold.core.result()
    seats = list(HandSeat.objects.filter(hand=hand).select_related("membership").order_by("number"))
    house = ledger.house_ids(book)
    wallet_ids = [seat.membership.wallet_id for seat in seats if seat.membership]
    accounts = ledger.accounts_lock([*wallet_ids, house[Account.Kind.RAKE], house[Account.Kind.HELD]])
    balances = [_balance(seat, accounts, result["units"][seat.number]) for seat in seats]
    rake = 0 if fold.core.end is EndKind.VOIDED else terms.rake
    outcome = settle(fold.core.ruleset, result["units"], terms.coefficient, rake, balances)

    lines: dict[int, int] = {}
    for seat, coins in zip(seats, outcome.coins, strict=True):
        if seat.membership:
            lines[seat.membership.wallet_id] = seat.held + coins
    lines[house[Account.Kind.HELD]] = -sum(seat.held for seat in seats)
    lines[house[Account.Kind.RAKE]] = sum(outcome.rake)
    lines = {account: coins for account, coins in lines.items() if coins}
    if lines:
        ledger.post(book=book, key=ledger.hand_key(hand.pk), kind=Transfer.Kind.HAND, lines=lines)

    record = record_of(fold.core, coefficient=terms.coefficient, rake=rake, balances=balances)
    if fold.stopped is not None:
        record["stopped"] = {"rule": fold.stopped.rule, "reason": fold.stopped.reason}
        if fold.core.end in (EndKind.VOIDED, EndKind.STOPPED):  # no result that the format knows
            record["stopped"] |= record.pop("result")
    _points_move(fold, seats, outcome)
    autos = _auto_actions(fold)
    for seat, balance in zip(seats, balances, strict=True):
        number = seat.number
        seat.balance_before, seat.balance_after = balance, outcome.balances[number]
        seat.units, seat.points = result["units"][number], outcome.points[number]
        seat.rake, seat.coins = outcome.rake[number], outcome.coins[number]
        seat.auto_actions = autos[number]
        seat.has_left = fold.core.seats[number].left
        run(
            f"UPDATE games_handseat SET {', '.join(f'{name} = %s' for name in _OUTCOME)} WHERE id = %s",  # noqa: S608
            *(getattr(seat, name) for name in _OUTCOME),
            seat.pk,
        )
    Win.objects.bulk_create(
        Win(
            hand=hand,
            order=order,
            seat=win["seat"],
            source=win["from"],
            by=win["by"],
            tile=win["tile"],
            base=win["base"],
            gen=win["gen"],
            fan=win["fan"],
            uncapped_fan=win["uncapped_fan"],
            multiplier=win["multiplier"],
            is_jipin=win["jipin"],
        )
        for order, win in enumerate(result["wins"])
    )
    Payment.objects.bulk_create(
        Payment(hand=hand, order=order, **payment) for order, payment in enumerate(result["payments"])
    )
    ended_at = timezone.now()
    figures_write(terms=terms, ended_at=ended_at, seats=seats, core=fold.core)
    Hand.objects.filter(pk=hand.pk).update(
        status=Hand.Status.SETTLED,
        due_at=None,
        ended_at=ended_at,
        end=result["end"],
        record={**record, "id": str(hand.pk), "auto_actions": autos},
    )
    notices_past(cause=ledger.hand_key(hand.pk))
    run(
        "UPDATE games_table SET hands_played = hands_played + 1, next_dealer = %s WHERE id = %s",
        result["next_dealer"],
        hand.table_id,
    )
    seats_after_hand(hand.table)


def seat_left(fold: Fold, number: int) -> None:
    """A seat that had won left a hand that goes on: what it owes so far is taken from its wallet and held for the hand.

    Held are its loss and its rake as far as the wallet goes, so that the hand comes out as if it had stayed.
    """
    assert fold.core is not None
    if fold.is_over:
        return
    seat = HandSeat.objects.select_related("membership").get(hand=fold.hand, number=number)
    if seat.membership is None:
        return
    loss = max(0, -fold.core.seats[number].units) * unit_coins(fold.terms)
    held_account = ledger.house_account(fold.terms.room.club.book, Account.Kind.HELD)
    accounts = ledger.accounts_lock([seat.membership.wallet_id, held_account.pk])
    balance = accounts[seat.membership.wallet_id].balance
    held = min(balance, loss + fold.terms.rake) if loss else 0
    if held:
        ledger.post(
            book=fold.terms.room.club.book,
            key=f"{ledger.hand_key(fold.hand.pk)}:held:{number}",
            kind=Transfer.Kind.HOLD,
            lines={seat.membership.wallet_id: -held, held_account.pk: held},
        )
    HandSeat.objects.filter(pk=seat.pk).update(balance_before=balance, held=held, has_left=True)


def _balance(seat: HandSeat, accounts: dict[int, Account], units: int) -> int:
    """What a seat can pay with: its wallet, or what was in it when it left with a loss (as much as it owes is held of that)."""
    if seat.membership is None:
        return 0
    if seat.has_left and units < 0:
        return seat.balance_before
    return accounts[seat.membership.wallet_id].balance + seat.held


def _points_move(fold: Fold, seats: Sequence[HandSeat], outcome: Settlement) -> None:
    """Move the level points and note them on the seats. A hand with a bot in it is practice: nothing moves."""
    members = {seat.membership: seat for seat in seats if seat.membership}
    if len(members) == len(SEATS):
        moved = points_add(
            club=fold.terms.room.club,
            points={member.pk: outcome.points[seat.number] for member, seat in members.items()},
            cause=ledger.hand_key(fold.hand.pk),
        )
    else:
        moved = {member.pk: (standing := Standing(member.points, member.level), standing) for member in members}
    for member, seat in members.items():
        before, after = moved[member.pk]
        seat.points_before, seat.level_before = before
        seat.points_after, seat.level_after = after


def _auto_actions(fold: Fold) -> list[int]:
    """How many actions of each seat were played by the timer."""
    return [sum(row.seat == seat and row.source == Action.Source.TIMER for row in fold.rows) for seat in SEATS]
