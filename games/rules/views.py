"""What a seat or a spectator sees of a hand: the only place that decides it.

A view is JSON-able and holds what lies open, what is the viewer's own, and what follows from these. Nothing of the wall
and of the concealed tiles, answers and unrevealed void suits of others goes in, nor anything computed from them. Two
hands that differ only in what a seat cannot see give it the same view and the same events.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from . import claims, turn
from .actions import Action, Kind
from .events import (
    Answered,
    Discard,
    Draw,
    Event,
    KongMade,
    Left,
    Over,
    Paid,
    Payment,
    Pung,
    Struck,
    Voids,
    Win,
    WinBy,
    Won,
)
from .explain import payment_told
from .hand import legal_actions
from .holding import Meld, MeldKind
from .patterns import Moment, Score, units_of
from .payments import kong_payments, win_payers
from .ready import Wait
from .result import win_json
from .state import Hand, Phase, Seat
from .tiles import COPIES, SUITS, TILE_NAMES

Json = dict[str, Any]


def view_for(hand: Hand, seat: int | None, seats: Sequence[Json] | None = None) -> Json:
    """What a seat sees; None is a spectator, who sees nothing concealed. `seats` are the `open_seats` of the hand, where several
    ask for their views of it."""
    shown = list(seats or open_seats(hand))
    if seat is not None:
        shown[seat] = _seat(hand, hand.seats[seat], seat)
    mine = hand.phase is Phase.TURN and hand.turn == seat
    own = None if seat is None else hand.seats[seat]
    claim = hand.claim
    answer = claim.answers.get(seat) if claim is not None and seat is not None else None
    return {
        "phase": hand.phase.value,
        "seat": seat,
        "dealer": hand.dealer,
        "wall": hand.wall_left,
        "turn": hand.turn if hand.phase is Phase.TURN else None,
        "last": _last(hand),
        "drawn": TILE_NAMES[hand.drawn] if mine and hand.drawn is not None else None,
        "seats": shown,
        "legal": [] if own is None else _legal(hand, own),
        "answered": None if answer is None else answer.value,
        "waits": [] if own is None or mine else _own_waits(hand, own),
        "discards": _discards(hand, own) if own is not None and mine else {},
        "result": hand.result() if hand.phase is Phase.OVER else None,
    }


def open_seats(hand: Hand) -> list[Json]:
    """What everybody sees of the seats."""
    return [_seat(hand, seat, None) for seat in hand.seats]


def _last(hand: Hand) -> Json | None:
    last = hand.last
    return None if last is None else {"seat": last.seat, "tile": TILE_NAMES[last.tile], "kind": last.kind.value}


def _seat(hand: Hand, seat: Seat, viewer: int | None) -> Json:
    own = seat.number == viewer
    hand_shows = own or hand.phase is Phase.OVER
    void_shows = seat.void is not None and (own or hand.phase is not Phase.VOID)
    return {
        "void": SUITS[seat.void] if seat.void is not None and void_shows else None,
        "hand": [TILE_NAMES[tile] for tile in seat.tiles] if hand_shows else None,
        "count": sum(seat.counts),
        "melds": [_meld(meld) for meld in seat.melds],
        "river": [{"tile": TILE_NAMES[tile], "claimed": claimed} for tile, claimed in seat.river],
        "won": None if seat.won is None else _won(seat.won),
        "left": seat.left,
        "units": seat.units,
    }


def _meld(meld: Meld) -> Json:
    return {"kind": meld.kind.value, "tile": TILE_NAMES[meld.tile], "from": meld.source}


def _won(win: Win) -> Json:
    return {
        "order": win.order,
        "tile": TILE_NAMES[win.tile],
        "from": win.source,
        "by": win.by.value,
        "base": win.score.base.value,
        "fan": win.score.fan,
        "multiplier": win.score.multiplier,
        "jipin": win.score.jipin,
    }


# What the viewer may do, and what it would bring


def _legal(hand: Hand, own: Seat) -> list[Json]:
    return [_offer(hand, own, action) for action in legal_actions(hand, own.number)]


def _offer(hand: Hand, own: Seat, action: Action) -> Json:
    offer: Json = {"kind": action.kind.value}
    if action.tile is not None:
        offer["tile"] = TILE_NAMES[action.tile]
    if action.suit is not None:
        offer["suit"] = SUITS[action.suit]
    if action.kind is Kind.KONG:
        offer |= _kong_offer(hand, own, action.tile)
    elif action.kind is Kind.WIN:
        offer |= _win_offer(hand, own)
    return offer


def _kong_offer(hand: Hand, own: Seat, tile: int | None) -> Json:
    """The form of a kong, and the units that each payer pays.

    The feeder of an exposed kong can pay more than the others; the offer then tells what the feeder alone pays, and
    `others` what each of the others does.
    """
    feeder = None
    if hand.claim is not None:
        form, tile, feeder = MeldKind.EXPOSED_KONG, hand.claim.last.tile, hand.claim.last.seat
    elif any(meld.tile == tile for meld in own.melds):
        form = MeldKind.ADDED_KONG
    else:
        form = MeldKind.CONCEALED_KONG
    assert tile is not None
    payments = kong_payments(hand.ruleset, form, tile, own.number, feeder, hand.live_others(own.number))
    main = [payment for payment in payments if feeder in (None, payment.payer)]
    others = [payment for payment in payments if payment not in main]
    offer = {"form": form.value, **_gain(main)}
    return {**offer, "others": _gain(others)} if others else offer


def _gain(payments: Sequence[Payment]) -> Json:
    return {"units": payments[0].units if payments else 0, "payers": [payment.payer for payment in payments]}


def _win_offer(hand: Hand, own: Seat) -> Json:
    if hand.claim is not None:
        source: int | None = hand.claim.last.seat
        score, moment = hand.claim.offers[own.number].win, claims.moment_of(hand.claim)
    else:
        source = None
        score, moment = turn.self_draw_score(hand), turn.self_draw_moment(hand)
    assert score is not None
    return _score(hand, own, score, moment, source)


def _score(hand: Hand, own: Seat, score: Score, moment: Moment, source: int | None) -> Json:
    last_kong = hand.kongs[-1] if hand.kongs else None
    return {
        "fan": score.fan,
        "base": score.base.value,
        "units": units_of(hand.ruleset, score.multiplier, moment),
        "payers": win_payers(source, moment, hand.live_others(own.number), last_kong),
    }


# What the viewer waits for


def _own_waits(hand: Hand, own: Seat) -> list[Json]:
    if not own.live or hand.phase not in (Phase.TURN, Phase.CLAIM):
        return []
    found = own.waits(hand.ruleset)
    return _waits(found, _seen(hand, own)) if found else []


def _discards(hand: Hand, own: Seat) -> dict[str, list[Json]]:
    """For each discard that leaves the viewer ready, its waits."""
    seen: list[int] | None = None
    after = {}
    for action in legal_actions(hand, own.number):
        if action.kind is not Kind.DISCARD or action.tile is None:
            continue
        found = own.waits_after_discard(hand.ruleset, action.tile)
        if found:
            seen = seen or _seen(hand, own)
            after[TILE_NAMES[action.tile]] = _waits(found, seen)
    return after


def _waits(found: Iterable[Wait], seen: Sequence[int]) -> list[Json]:
    return [
        {
            "tile": TILE_NAMES[wait.tile],
            "left": COPIES - seen[wait.tile],
            "fan": wait.score.fan,
            "multiplier": wait.score.multiplier,
        }
        for wait in found
    ]


def _seen(hand: Hand, own: Seat) -> list[int]:
    """How many copies of each tile the viewer sees: its own, melds, rivers, and tiles won otherwise.

    A claimed discard still stands in its river, so it is counted there and not in the meld or win that took it.
    """
    seen = own.counts.copy()
    robbed = set()
    for seat in hand.seats:
        for tile, _ in seat.river:
            seen[tile] += 1
        for meld in seat.melds:
            seen[meld.tile] += meld.size if meld.source is None else meld.size - 1
        if seat.won is not None and seat.won.by is WinBy.SELF_DRAW:
            seen[seat.won.tile] += 1
        elif seat.won is not None and seat.won.by is WinBy.ROBBED_KONG:
            robbed.add(seat.won.tile)
    # Several seats may have robbed one and the same tile.
    for tile in robbed:
        seen[tile] += 1
    return seen


# Events


def event_for(event: Event, seat: int | None) -> Json | None:
    """An event as a seat sees it; None where it sees nothing of it."""
    match event:
        case Answered():
            return _answer(event) if event.seat == seat else None
        case Draw():
            shown: Json = {"kind": event.kind, "seat": event.seat, "replacement": event.replacement}
            return {**shown, "tile": TILE_NAMES[event.tile]} if event.seat == seat else shown
        case Voids():
            return {"kind": event.kind, "voids": [SUITS[suit] for suit in event.suits]}
        case Discard():
            return {"kind": event.kind, "seat": event.seat, "tile": TILE_NAMES[event.tile]}
        case Pung():
            return {"kind": event.kind, "seat": event.seat, "tile": TILE_NAMES[event.tile], "from": event.source}
        case KongMade():
            kong = {"kind": event.kind, "seat": event.seat, "tile": TILE_NAMES[event.tile]}
            return {**kong, "form": event.form.value, "from": event.source}
        case Won():
            return {"kind": event.kind, **win_json(event.win), "order": event.win.order}
        case Paid():
            return {"kind": event.kind, "payment": payment_told(event.payment)}
        case Struck():
            return {"kind": event.kind, "payments": [payment_told(payment) for payment in event.payments]}
        case Left():
            return {"kind": event.kind, "seat": event.seat}
        case Over():
            return {"kind": event.kind, "end": event.end.value}


def _answer(event: Answered) -> Json:
    answer = {"kind": event.kind, "seat": event.seat, "answer": event.answer.value}
    return answer if event.suit is None else {**answer, "suit": SUITS[event.suit]}
