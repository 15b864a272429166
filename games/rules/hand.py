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

from . import claims, leaving, turn, voids
from .actions import CLOSE, Action, IllegalAction, IllegalCode, Kind
from .events import Event
from .state import Hand, Phase, Seat
from .tiles import TILES

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


def apply(hand: Hand, action: Action) -> list[Event]:
    """Carry out an action. One that the rules do not allow raises IllegalAction and changes nothing."""
    if hand.phase is Phase.OVER:
        raise IllegalAction(IllegalCode.NOT_IN_PLAY, "the hand is over")
    if action.kind is Kind.CLOSE:
        return claims.close(hand)
    number = action.seat
    if number is None or not 0 <= number < len(hand.seats):
        raise IllegalAction(IllegalCode.NOT_IN_PLAY, "no such seat")
    if action.tile is not None and action.tile not in TILES:
        raise IllegalAction(IllegalCode.TILE_NOT_HELD, "no such tile")
    if action.kind is Kind.LEAVE:
        return leaving.leave(hand, number)
    if not hand.seats[number].live:
        raise IllegalAction(IllegalCode.NOT_IN_PLAY, "the seat is no longer in play")
    match action.kind:
        case Kind.VOID:
            return voids.name_void(hand, number, action.suit)
        case Kind.DISCARD:
            return turn.discard(hand, number, action.tile)
        case Kind.PUNG | Kind.PASS:
            return claims.answer(hand, number, action.kind)
        case Kind.KONG | Kind.WIN if hand.phase is Phase.CLAIM and action.tile is None:
            return claims.answer(hand, number, action.kind)
        case Kind.KONG:
            return turn.kong(hand, number, action.tile)
        case Kind.WIN:
            return turn.win(hand, number, action.tile)


def legal_actions(hand: Hand, seat: int) -> list[Action]:
    """What a seat may do now, leaving excepted: that is possible in every phase but VOID."""
    if not hand.seats[seat].live:
        return []
    match hand.phase:
        case Phase.VOID:
            return voids.legal(hand, seat)
        case Phase.TURN:
            return turn.legal(hand, seat)
        case Phase.CLAIM:
            return claims.legal(hand, seat)
        case Phase.OVER:
            return []


def automatic_actions(hand: Hand) -> list[Action]:
    """What the program itself must do now, nobody asked, in this order.

    The naming of void suits where there is no choice, forced wins, and the closing of claims that nobody is left to
    answer. Call again after carrying them out, until there is none.
    """
    match hand.phase:
        case Phase.VOID:
            return voids.automatic(hand)
        case Phase.TURN:
            return turn.automatic(hand)
        case Phase.CLAIM:
            return claims.automatic(hand)
        case Phase.OVER:
            return []
