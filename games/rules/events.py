"""What becomes of actions: events, in the order in which they happen, and the wins and payments among them.

Events are complete; what of them a seat may see is decided in views.py.
"""

from enum import StrEnum
from typing import Final, Literal, NamedTuple

from .actions import Kind, for_each_seat_and_tile
from .holding import MeldKind
from .patterns import Moment, Score


class PaymentKind(StrEnum):
    WIN = "win"
    KONG = "kong"
    KONG_TRANSFER = "kong_transfer"
    HUAZHU = "huazhu"
    DAJIAO = "dajiao"
    DAJIAO_GAP = "dajiao_gap"
    KONG_REFUND = "kong_refund"
    ESCAPE = "escape"


class PaymentRule(StrEnum):
    """Why a payment is made: finer than its kind (RULES.md sections 8, 9 and 12)."""

    SELF_DRAW = "self_draw"
    DISCARD = "discard"
    ROBBED_KONG = "robbed_kong"
    #: A kong flower that the seat which fed the exposed kong pays alone.
    FED_FLOWER = "fed_flower"
    #: What the seat pays that fed the kong, and what the others pay.
    EXPOSED_KONG = "exposed_kong"
    EXPOSED_KONG_OTHERS = "exposed_kong_others"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"
    KONG_TRANSFER = "kong_transfer"
    HUAZHU = "huazhu"
    DAJIAO = "dajiao"
    #: Leaving with the last four tiles, where dajiao comes to more than the fixed penalty.
    ESCAPE_DAJIAO = "escape_dajiao"
    DAJIAO_GAP = "dajiao_gap"
    KONG_REFUND = "kong_refund"
    ESCAPE = "escape"

    @property
    def kind(self) -> PaymentKind:
        return _KINDS.get(self) or PaymentKind(self.value)


#: The kinds of the rules that do not name theirs.
_KINDS: Final = {
    PaymentRule.SELF_DRAW: PaymentKind.WIN,
    PaymentRule.DISCARD: PaymentKind.WIN,
    PaymentRule.ROBBED_KONG: PaymentKind.WIN,
    PaymentRule.FED_FLOWER: PaymentKind.WIN,
    PaymentRule.EXPOSED_KONG: PaymentKind.KONG,
    PaymentRule.EXPOSED_KONG_OTHERS: PaymentKind.KONG,
    PaymentRule.ADDED_KONG: PaymentKind.KONG,
    PaymentRule.CONCEALED_KONG: PaymentKind.KONG,
    PaymentRule.ESCAPE_DAJIAO: PaymentKind.DAJIAO,
}


class Payment(NamedTuple):
    """Units that one seat pays another (RULES.md section 8)."""

    rule: PaymentRule
    payer: int
    payee: int
    units: int
    #: The tile of the kong that is paid, transferred or refunded.
    tile: int | None = None

    @property
    def kind(self) -> PaymentKind:
        return self.rule.kind


class WinBy(StrEnum):
    SELF_DRAW = "self_draw"
    DISCARD = "discard"
    ROBBED_KONG = "robbed_kong"


class Win(NamedTuple):
    seat: int
    #: The seat that fed the tile; None for a self-draw.
    source: int | None
    by: WinBy
    tile: int
    score: Score
    moment: Moment
    #: 1 for the first winner of the hand.
    order: int


class EndKind(StrEnum):
    WON = "won"
    DRAWN = "drawn"
    ESCAPED = "escaped"
    #: Ended from outside (stopping.py); no record has such a result.
    VOIDED = "voided"
    STOPPED = "stopped"


class Answered(NamedTuple):
    """A decision that stays hidden from the others: the answer to a claim, or a void suit."""

    seat: int
    answer: Kind
    suit: int | None = None
    kind: Literal["answer"] = "answer"


class Voids(NamedTuple):
    suits: tuple[int, ...]
    kind: Literal["voids"] = "voids"


class Draw(NamedTuple):
    seat: int
    tile: int
    replacement: bool
    kind: Literal["draw"] = "draw"


class Discard(NamedTuple):
    seat: int
    tile: int
    kind: Literal["discard"] = "discard"


class Pung(NamedTuple):
    seat: int
    tile: int
    source: int
    kind: Literal["pung"] = "pung"


class KongMade(NamedTuple):
    """A kong laid open. An added kong may still be robbed."""

    seat: int
    tile: int
    form: MeldKind
    source: int | None
    kind: Literal["kong"] = "kong"


class Won(NamedTuple):
    win: Win
    kind: Literal["win"] = "win"


class Paid(NamedTuple):
    payment: Payment
    kind: Literal["pay"] = "pay"


class Struck(NamedTuple):
    """Payments that nobody pays any more (RULES.md section 12, `forfeit`)."""

    payments: tuple[Payment, ...]
    kind: Literal["strike"] = "strike"


class Left(NamedTuple):
    seat: int
    kind: Literal["leave"] = "leave"


class Over(NamedTuple):
    end: EndKind
    kind: Literal["over"] = "over"


#: The events of every turn, by seat and tile.
DRAWN: Final = for_each_seat_and_tile(lambda seat, tile: Draw(seat, tile, False))
DISCARDED: Final = for_each_seat_and_tile(Discard)

Event = Answered | Voids | Draw | Discard | Pung | KongMade | Won | Paid | Struck | Left | Over
