"""What a hand was to each seat, in figures: its win, its kongs, what it paid and got and for what.

Statistics are sums of these. `units` of a seat are the sum of its units by kind, those got less those paid.
"""

from collections import defaultdict
from typing import Any, Final, NamedTuple

from .drawn import best_wait
from .events import EndKind, PaymentKind
from .holding import MeldKind
from .ready import is_huazhu
from .state import Hand
from .tiles import tile_name, tiles_text
from .wall import SEATS

#: What a live seat was when the hand was drawn.
READY: Final = "ready"
UNREADY: Final = "unready"
HUAZHU: Final = "huazhu"


class Figures(NamedTuple):
    """One seat of a hand that is over. Kongs that were robbed count nowhere; dajiao has the gap (补价差) in it."""

    #: 1 for the first winner of the hand, 0 where the seat did not win.
    win_order: int = 0
    win_by: str = ""
    pattern: str = ""
    gen: int = 0
    fan: int = 0
    uncapped_fan: int = 0
    is_jipin: bool = False
    #: The winner's hand without the winning tile, then its melds: "123m55p 666m 8888p".
    tiles: str = ""
    win_tile: str = ""
    #: Wins of others that it fed, a robbed kong among them.
    fed: int = 0
    exposed_kongs: int = 0
    added_kongs: int = 0
    concealed_kongs: int = 0
    #: Kongs of others that it paid for, and transfers, huazhu, dajiao and refunds: payments got and paid.
    kongs_paid: int = 0
    transfers_got: int = 0
    transfers_paid: int = 0
    huazhu_got: int = 0
    huazhu_paid: int = 0
    dajiao_got: int = 0
    dajiao_paid: int = 0
    refunds_got: int = 0
    refunds_paid: int = 0
    #: READY, UNREADY or HUAZHU for a live seat of a drawn hand, else "".
    drawn_as: str = ""
    win_units: int = 0
    fed_units: int = 0
    self_draw_units: int = 0
    exposed_kong_units: int = 0
    added_kong_units: int = 0
    concealed_kong_units: int = 0
    kong_units_paid: int = 0
    transfer_units: int = 0
    huazhu_units: int = 0
    dajiao_units: int = 0
    refund_units: int = 0
    escape_units: int = 0


_KONGS: Final = {
    MeldKind.EXPOSED_KONG: "exposed_kong",
    MeldKind.ADDED_KONG: "added_kong",
    MeldKind.CONCEALED_KONG: "concealed_kong",
}
#: Payments that count on both sides, and whose units are one sum: what they are called here.
_EXCHANGED: Final = {
    PaymentKind.KONG_TRANSFER: ("transfers", "transfer_units"),
    PaymentKind.HUAZHU: ("huazhu", "huazhu_units"),
    PaymentKind.DAJIAO: ("dajiao", "dajiao_units"),
    PaymentKind.DAJIAO_GAP: ("dajiao", "dajiao_units"),
    PaymentKind.KONG_REFUND: ("refunds", "refund_units"),
}


def hand_figures(hand: Hand) -> list[Figures]:
    """The figures of each seat of a hand that is over. Units paid for wins and kongs are positive numbers."""
    counts: list[dict[str, Any]] = [defaultdict(int) for _ in range(SEATS)]
    for win in hand.wins:
        if win.source is not None:
            counts[win.source]["fed"] += 1
    for kong in hand.kongs:
        name = _KONGS[kong.form]
        counts[kong.seat][f"{name}s"] += 1
        counts[kong.seat][f"{name}_units"] += kong.income
    fed = {win.seat: win.source for win in hand.wins}
    for payment in hand.payments:
        payer, payee, units = counts[payment.payer], counts[payment.payee], payment.units
        match payment.kind:
            case PaymentKind.WIN:
                payee["win_units"] += units
                payer["fed_units" if fed[payment.payee] == payment.payer else "self_draw_units"] += units
            case PaymentKind.KONG:
                payer["kongs_paid"] += 1
                payer["kong_units_paid"] += units
            case PaymentKind.ESCAPE:
                payer["escape_units"] -= units
                payee["escape_units"] += units
            case kind:
                times, sums = _EXCHANGED[kind]
                payee[f"{times}_got"] += 1
                payer[f"{times}_paid"] += 1
                payee[sums] += units
                payer[sums] -= units
    return [
        Figures(**counts[number], **_win(hand, number), drawn_as=_drawn_as(hand, number)) for number in range(SEATS)
    ]


def _win(hand: Hand, number: int) -> dict[str, Any]:
    win = next((win for win in hand.wins if win.seat == number), None)
    if win is None:
        return {}
    score, seat = win.score, hand.seats[number]
    melds = (tiles_text([meld.tile] * meld.size) for meld in seat.melds)
    return {
        "win_order": win.order,
        "win_by": win.by.value,
        "pattern": score.base.value,
        "gen": score.gen,
        "fan": score.fan,
        "uncapped_fan": score.uncapped_fan,
        "is_jipin": score.jipin,
        "tiles": " ".join((tiles_text(seat.tiles), *melds)),
        "win_tile": tile_name(win.tile),
    }


def _drawn_as(hand: Hand, number: int) -> str:
    seat = hand.seats[number]
    if hand.end is not EndKind.DRAWN or not seat.live:
        return ""
    if is_huazhu(hand.ruleset, seat.holding):
        return HUAZHU
    return UNREADY if best_wait(hand.ruleset, seat) is None else READY
