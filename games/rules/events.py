"""What becomes of actions: events, in the order in which they happen, and the wins and payments among them.

Events are complete; what of them a seat may see is decided in views.py.
"""

from enum import StrEnum
from typing import Literal, NamedTuple

from .actions import Kind
from .holding import MeldKind
from .patterns import Score


class PaymentKind(StrEnum):
    WIN = "win"
    KONG = "kong"
    KONG_TRANSFER = "kong_transfer"
    HUAZHU = "huazhu"
    DAJIAO = "dajiao"
    DAJIAO_GAP = "dajiao_gap"
    KONG_REFUND = "kong_refund"
    ESCAPE = "escape"


class Payment(NamedTuple):
    """Units that one seat pays another (RULES.md section 8)."""

    kind: PaymentKind
    payer: int
    payee: int
    units: int


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


Event = Answered | Voids | Draw | Discard | Pung | KongMade | Won | Paid | Struck | Left | Over
