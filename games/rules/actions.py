"""What a seat may do, and the reasons why an action is refused."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from .tiles import TILES
from .wall import SEATS

_Value = TypeVar("_Value")


def for_each_seat_and_tile(make: Callable[[int, int], _Value]) -> tuple[tuple[_Value, ...], ...]:
    """The values, by seat and tile, that every hand needs again and again: making one takes longer than finding it."""
    return tuple(tuple(make(seat, tile) for tile in TILES) for seat in range(SEATS))


class Kind(StrEnum):
    VOID = "void"
    DISCARD = "discard"
    KONG = "kong"
    WIN = "win"
    PUNG = "pung"
    PASS = "pass"  # noqa: S105 - no password
    CLOSE = "close"
    LEAVE = "leave"


class Action(NamedTuple):
    """A decision. A tile goes with a discard and with a kong in one's turn; a self-draw may name its tile."""

    #: None for CLOSE, which is nobody's decision.
    seat: int | None
    kind: Kind
    tile: int | None = None
    suit: int | None = None


class IllegalCode(StrEnum):
    """Why an action is refused."""

    #: The phase of the hand has no such action, or the action lacks what belongs to it.
    NOT_NOW = "not_now"
    NOT_YOUR_TURN = "not_your_turn"
    #: The seat has won or left, or the hand is over.
    NOT_IN_PLAY = "not_in_play"
    TILE_NOT_HELD = "tile_not_held"
    VOID_SUIT = "void_suit"
    ONLY_DISCARD_AFTER_PUNG = "only_discard_after_pung"
    NO_KONG = "no_kong"
    EMPTY_WALL = "empty_wall"
    NO_WIN = "no_win"
    MUST_WIN = "must_win"
    NOTHING_TO_CLAIM = "nothing_to_claim"
    ALREADY_ANSWERED = "already_answered"
    STILL_TO_ANSWER = "still_to_answer"


class IllegalAction(Exception):
    """An action that the rules do not allow; it has changed nothing."""

    def __init__(self, code: IllegalCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


CLOSE: Final = Action(None, Kind.CLOSE)

#: The answers to a claim, by seat and kind.
ANSWERS: Final = tuple(
    {kind: Action(seat, kind) for kind in (Kind.WIN, Kind.KONG, Kind.PUNG, Kind.PASS)} for seat in range(SEATS)
)

#: Every discard, by seat and tile.
DISCARDS: Final = for_each_seat_and_tile(lambda seat, tile: Action(seat, Kind.DISCARD, tile))
