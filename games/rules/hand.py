"""The live hand: what may be done in each phase and what becomes of it.

| phase | who acts                    | with                        | then                                   |
|-------|-----------------------------|-----------------------------|----------------------------------------|
| VOID  | each seat, once, hidden     | VOID (suit)                 | TURN of the dealer, when all four have |
| TURN  | the seat whose turn it is   | DISCARD, KONG (added)       | CLAIM                                  |
|       |                             | KONG (concealed)            | TURN again, with a replacement         |
|       |                             | WIN                         | TURN of the next live seat, or OVER    |
| CLAIM | seats with an offer, hidden | WIN, KONG, PUNG, PASS       | CLAIM                                  |
|       | nobody                      | CLOSE, when all answered    | TURN, or OVER                          |
| TURN, | a live seat                 | LEAVE                       | OVER                                   |
| CLAIM | a seat that has won         | LEAVE                       | the same                               |
| OVER  | nobody                      |                             |                                        |

VOID is only there with the option `void_suit`. A turn that would begin with an empty wall is OVER instead: the
hand is drawn. Each phase has its module: voids.py, turn.py, claims.py; leaving is in leaving.py, and what happens by
itself between decisions in flow.py.
"""

from typing import Final

from . import claims, leaving, turn, voids
from .actions import CLOSE, Action, IllegalAction, IllegalCode, Kind
from .events import Event
from .state import CLAIM, OVER, TURN, Hand, Phase, Seat
from .tiles import TILES
from .wall import SEATS

__all__ = [
    "CLOSE",
    "Action",
    "Event",
    "Hand",
    "IllegalAction",
    "IllegalCode",
    "Kind",
    "Phase",
    "Seat",
    "apply",
    "automatic_actions",
    "legal_actions",
]

_SEATS: Final = frozenset(range(SEATS))
_TILES: Final = frozenset((*TILES, None))

# See state.py.
_VOID: Final = Kind.VOID
_DISCARD: Final = Kind.DISCARD
_KONG: Final = Kind.KONG
_PUNG: Final = Kind.PUNG
_PASS: Final = Kind.PASS
_CLOSE: Final = Kind.CLOSE
_LEAVE: Final = Kind.LEAVE


def apply(hand: Hand, action: Action) -> list[Event]:
    """Carry out an action. One that the rules do not allow raises IllegalAction and changes nothing."""
    if hand.phase is OVER:
        raise IllegalAction(IllegalCode.NOT_IN_PLAY, "the hand is over")
    kind = action.kind
    if kind is _CLOSE:
        return claims.close(hand)
    number = action.seat
    if number not in _SEATS:
        raise IllegalAction(IllegalCode.NOT_IN_PLAY, "no such seat")
    tile = action.tile
    if tile not in _TILES:
        raise IllegalAction(IllegalCode.TILE_NOT_HELD, "no such tile")
    if kind is _LEAVE:
        return leaving.leave(hand, number)
    seat = hand.seats[number]
    if not seat.live:
        raise IllegalAction(IllegalCode.NOT_IN_PLAY, "the seat is no longer in play")
    if kind is not _DISCARD:
        if kind is _VOID:
            return voids.name_void(hand, number, action.suit)
        # A kong or a win is either an answer or a decision of one's turn.
        if kind is _PUNG or kind is _PASS or (tile is None and hand.phase is CLAIM):
            return claims.answer(hand, number, kind)
    if hand.phase is not TURN or number != hand.turn:
        raise IllegalAction(IllegalCode.NOT_YOUR_TURN, "not this seat's turn")
    if kind is _DISCARD:
        return turn.discard(hand, seat, tile)
    return turn.kong(hand, seat, tile) if kind is _KONG else turn.win(hand, seat, tile)


def legal_actions(hand: Hand, seat: int) -> list[Action]:
    """What a seat may do now, leaving excepted: that is possible in every phase but VOID."""
    phase = hand.phase
    if phase is TURN:
        return turn.legal(hand, seat)
    if phase is CLAIM:
        return claims.legal(hand, seat)
    return [] if phase is OVER else voids.legal(hand, seat)


def automatic_actions(hand: Hand) -> list[Action]:
    """What the program itself must do now, nobody asked, in this order.

    The naming of void suits where there is no choice, forced wins, and the closing of claims that nobody is left to
    answer. Call again after carrying them out, until there is none.
    """
    phase = hand.phase
    if phase is TURN:
        return turn.automatic(hand) if hand.drawn_wins else []
    if phase is CLAIM:
        return claims.automatic(hand)
    return [] if phase is OVER else voids.automatic(hand)
