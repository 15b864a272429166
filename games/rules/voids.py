"""The phase VOID: every seat names its void suit, all revealed together (RULES.md section 3)."""

from .actions import Action, IllegalAction, IllegalCode, Kind
from .events import Answered, Event, Voids
from .state import Hand, Phase


def suits_to_choose(hand: Hand, number: int) -> list[int]:
    """Three suits in hand: any. Two: the third, no choice. One: one of the other two. A wild has no suit here."""
    held = hand.seats[number].holding.natural_suits(hand.ruleset.wild)
    return [suit for suit in range(3) if len(held) == 3 or suit not in held]


def legal(hand: Hand, number: int) -> list[Action]:
    if hand.seats[number].void is not None:
        return []
    return [Action(number, Kind.VOID, suit=suit) for suit in suits_to_choose(hand, number)]


def automatic(hand: Hand) -> list[Action]:
    """The naming of the seats that have no choice."""
    choices = [legal(hand, seat.number) for seat in hand.seats]
    return [actions[0] for actions in choices if len(actions) == 1]


def name_void(hand: Hand, number: int, suit: int | None) -> list[Event]:
    if hand.phase is not Phase.VOID:
        raise IllegalAction(IllegalCode.NOT_NOW, "void suits are not named now")
    if hand.seats[number].void is not None:
        raise IllegalAction(IllegalCode.ALREADY_ANSWERED, "the seat has named its void suit")
    if suit is None or suit not in suits_to_choose(hand, number):
        raise IllegalAction(IllegalCode.VOID_SUIT, "the seat must name a suit that it does not hold")
    hand.seats[number].name_void(suit)
    events: list[Event] = [Answered(number, Kind.VOID, suit)]
    suits = [seat.void for seat in hand.seats if seat.void is not None]
    if len(suits) == len(hand.seats):
        hand.phase = Phase.TURN
        events.append(Voids(tuple(suits)))
    return events
