"""A hand that is ended from outside, by who runs the club: void, or settled as it stands. No rule of the game ends it so."""

from .claims import take_wins
from .events import EndKind, Event, Struck
from .flow import finish
from .state import Hand, Phase


def stop(hand: Hand, *, void: bool) -> list[Event]:
    """End a hand. Void, all payments are struck out and nobody has won; else what was paid stays paid, wins that were declared
    take effect first, and nobody pays for a hand that is not ready."""
    events: list[Event] = []
    claim = hand.claim
    if not void and claim is not None and claim.winners():
        take_wins(hand, events)
        if hand.phase is Phase.OVER:
            return events
    if void and hand.payments:
        struck = tuple(hand.payments)
        hand.strike(struck)
        events.append(Struck(struck))
    if void:
        hand.wins = []
    finish(hand, EndKind.VOIDED if void else EndKind.STOPPED, events)
    return events
