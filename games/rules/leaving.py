"""Leaving a hand: a live seat ends it, a seat that has won does not (RULES.md section 12)."""

from .actions import Action, IllegalAction, IllegalCode, Kind
from .claims import go_on_after_wins, take_wins
from .drawn import escape_payments
from .events import EndKind, Event, Left, PaymentKind, Struck
from .flow import finish, pay_kong
from .holding import MeldKind
from .options import LeaverWins
from .state import Hand, LastKind, Phase


def leave(hand: Hand, number: int) -> list[Event]:
    seat = hand.seats[number]
    if seat.left:
        raise IllegalAction(IllegalCode.NOT_IN_PLAY, "the seat has left already")
    if hand.phase is Phase.VOID:
        raise IllegalAction(IllegalCode.NOT_NOW, "void suits are named first")
    events: list[Event] = []
    claim = hand.claim
    if seat.live and claim is not None and claim.winners():
        # Wins already declared take effect first; all other answers lapse. They may end the hand, or be the leaver's.
        take_wins(hand, events)
        if hand.phase is Phase.OVER:
            return events
        if not seat.live:
            go_on_after_wins(hand, claim, events)
    if seat.live:
        _escape(hand, number, events)
    else:
        _leave_as_winner(hand, number, events)
    return events


def _leave_as_winner(hand: Hand, number: int, events: list[Event]) -> None:
    _go(hand, number, events)
    if hand.ruleset.leaver_wins is LeaverWins.FORFEIT:
        struck = tuple(pay for pay in hand.payments if pay.kind is PaymentKind.WIN and pay.payee == number)
        hand.strike(struck)
        events.append(Struck(struck))


def _escape(hand: Hand, number: int, events: list[Event]) -> None:
    """The hand ends at once: a draw not acted on is taken back, an added kong is no longer robbed but paid."""
    hand.take_back_draw()
    claim = hand.claim
    if claim is not None and claim.last.kind is LastKind.ADDED_KONG and not claim.winners():
        hand.last = None
        pay_kong(hand, claim.last.seat, MeldKind.ADDED_KONG, claim.last.tile, None, events)
    payments = escape_payments(hand, number)
    _go(hand, number, events)
    hand.pay(payments, events)
    finish(hand, EndKind.ESCAPED, events)


def _go(hand: Hand, number: int, events: list[Event]) -> None:
    hand.seats[number].left = True
    hand.retire(hand.seats[number])
    hand.decisions.append(Action(number, Kind.LEAVE))
    events.append(Left(number))
