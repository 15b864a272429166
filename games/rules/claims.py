"""The phase CLAIM: the others answer to a discard or an added kong (RULES.md sections 5, 6 and 10).

A claim is opened after every discard and every added kong, also when nobody can claim, so that nothing public tells
whether somebody could. Answers are hidden until the claim is closed; then they take effect together.
"""

from typing import Final

from .actions import ANSWERS, CLOSE, Action, IllegalAction, IllegalCode, Kind, for_each_seat_and_tile
from .events import Answered, Event, KongMade, Pung, WinBy
from .flow import draw_replacement, finish_if_won, next_turn, pay_kong, record_win
from .holding import Meld, MeldKind
from .options import ForcedWin, PassWin
from .patterns import Moment, Score, score
from .state import CLAIM, LAST_DISCARDS, OVER, TURN, Claim, Hand, Last, LastKind, Offer, RiverTile, Seat

# See state.py.
_DISCARD: Final = LastKind.DISCARD
_WIN: Final = Kind.WIN
_PUNG: Final = Kind.PUNG
_KONG: Final = Kind.KONG
_PASS: Final = Kind.PASS

#: What is offered to a seat that cannot win, by its copies of the tile.
_PASS_ONLY: Final = Offer(None, (_PASS,))
_MELD_OFFERS: Final = (
    _PASS_ONLY,
    _PASS_ONLY,
    Offer(None, (_PUNG, _PASS)),
    Offer(None, (_KONG, _PUNG, _PASS)),
)

#: The claims on discards that concern nobody, by seat and tile. Nothing changes them, for nobody may answer.
_NOBODYS: Final = for_each_seat_and_tile(lambda seat, tile: Claim(LAST_DISCARDS[seat][tile], False))


def open_claim(hand: Hand, last: Last, kong_shot: bool) -> None:
    hand.phase = CLAIM
    hand.last = last
    hand.drawn = None
    source, tile, kind = last
    # Those who wait for the tile, or hold two copies of it.
    concerned = []
    this = 1 << tile
    for seat in hand.others[source]:
        mask = seat.known_waits
        if mask is None:
            mask = seat.wait_mask(hand.ruleset)
        if mask & this or seat.counts[tile] >= 2:
            concerned.append(seat)
    if not concerned and kind is _DISCARD:
        hand.claim = _NOBODYS[source][tile]
        return
    claim = hand.claim = Claim(last, kong_shot)
    if tile != hand.ruleset.wild:
        claim.offers = _offers(hand, claim, concerned)


def _offers(hand: Hand, claim: Claim, concerned: list[Seat]) -> dict[int, Offer]:
    """What is offered to whom, in play order. While anyone's win is forced nobody else is offered anything."""
    _, tile, kind = claim.last
    wins = {}
    for seat in concerned:
        if seat.wait_mask(hand.ruleset) >> tile & 1:
            win = score(hand.ruleset, seat.holding.with_tile(tile), moment_of(claim))
            if win is not None:
                wins[seat.number] = win
    if wins and hand.ruleset.forced_win is ForcedWin.LAST_FOUR and hand.after_last_draws:
        claim.forced = True
        return {number: Offer(win, (_WIN,)) for number, win in wins.items()}
    # No pung or kong of an added kong, of the last discard and of the void suit.
    melds = kind is _DISCARD and hand.wall_left > 0
    offers = {}
    for seat in concerned:
        number = seat.number
        meld = _MELD_OFFERS[seat.counts[tile]] if melds and tile // 9 != seat.void else _PASS_ONLY
        if number in wins and _may_win_after_pass(hand, seat, wins[number]):
            offers[number] = Offer(wins[number], (_WIN, *meld.kinds))
        elif meld is not _PASS_ONLY:
            offers[number] = meld
    return offers


def moment_of(claim: Claim) -> Moment:
    """The facts of the moment for a win of the tile."""
    return Moment(kong_shot=claim.kong_shot, robbed_kong=claim.last.kind is LastKind.ADDED_KONG)


def _may_win_after_pass(hand: Hand, seat: Seat, win: Score) -> bool:
    match hand.ruleset.pass_win:
        case PassWin.FREE:
            return True
        case PassWin.UNTIL_DRAW:
            return seat.passed_fan is None
        case PassWin.UNLESS_HIGHER:
            return seat.passed_fan is None or win.uncapped_fan > seat.passed_fan


def legal(hand: Hand, number: int) -> list[Action]:
    claim = hand.claim
    if claim is None or number not in claim.offers or number in claim.answers:
        return []
    answers = ANSWERS[number]
    return [answers[kind] for kind in claim.offers[number].kinds]


def automatic(hand: Hand) -> list[Action]:
    """Forced wins, all winners of the tile together; then, when every answer is in, the closing."""
    claim = hand.claim
    assert claim is not None
    if not claim.offers:
        return [CLOSE]
    unanswered = claim.unanswered()
    if not unanswered:
        return [CLOSE]
    return [ANSWERS[number][_WIN] for number in claim.offers if number in unanswered] if claim.forced else []


def answer(hand: Hand, number: int, kind: Kind) -> list[Event]:
    """A seat answers to the claim, hidden from the others."""
    claim = hand.claim
    if claim is None or number not in claim.offers:
        raise IllegalAction(IllegalCode.NOTHING_TO_CLAIM, "nothing to claim")
    if number in claim.answers:
        raise IllegalAction(IllegalCode.ALREADY_ANSWERED, "the seat has answered")
    if kind not in claim.offers[number].kinds:
        if claim.forced:
            raise IllegalAction(IllegalCode.MUST_WIN, "the seat must win")
        if kind is Kind.WIN:
            raise IllegalAction(IllegalCode.NO_WIN, "no win")
        raise IllegalAction(IllegalCode.NOTHING_TO_CLAIM, "this tile cannot be claimed so")
    claim.answers[number] = kind
    return [Answered(number, kind)]


def close(hand: Hand) -> list[Event]:
    """The answers take effect: wins first, all of them, then a pung or kong, then the next draw."""
    claim = hand.claim
    if claim is None:
        raise IllegalAction(IllegalCode.NOT_NOW, "no claims are open")
    events: list[Event] = []
    if claim.offers and _taken(hand, claim, events):
        return events
    number, tile, kind = claim.last
    if kind is _DISCARD:
        next_turn(hand, number, events)
    else:
        hand.last = None
        pay_kong(hand, number, MeldKind.ADDED_KONG, tile, None, events)
        draw_replacement(hand, number, events)
    return events


def _taken(hand: Hand, claim: Claim, events: list[Event]) -> bool:
    """Whether the tile goes to a seat that has answered so; the hand has then gone on."""
    if claim.unanswered():
        raise IllegalAction(IllegalCode.STILL_TO_ANSWER, "not everybody has answered")
    if claim.winners():
        take_wins(hand, events)
        go_on_after_wins(hand, claim, events)
        return True
    _note_passes(hand, claim)
    for number, kind in claim.answers.items():
        # Two copies in hand and one on the table leave no second pung or kong of a tile.
        if kind is not _PASS:
            _take_meld(hand, claim, number, events)
            return True
    return False


def _note_passes(hand: Hand, claim: Claim) -> None:
    """A seat that could win and does not has passed, also when it takes a pung or kong (RULES.md section 10)."""
    for number, offer in claim.offers.items():
        if offer.win is not None and claim.answers.get(number) is not _WIN:
            seat = hand.seats[number]
            seat.passed_fan = max(offer.win.uncapped_fan, seat.passed_fan or 0)


def take_wins(hand: Hand, events: list[Event]) -> None:
    """All wins of the tile; a robbed kong never happened. The hand ends with them or waits to go on."""
    claim = hand.claim
    assert claim is not None
    _note_passes(hand, claim)
    winners = claim.winners()
    source = hand.seats[claim.last.seat]
    moment = moment_of(claim)
    if claim.last.kind is LastKind.ADDED_KONG:
        _undo_added_kong(source, claim.last.tile)
        hand.last = None
    else:
        _mark_claimed(source)
    if len(winners) > 1 and hand.fed_two is None:
        hand.fed_two = source.number
    by = WinBy.ROBBED_KONG if moment.robbed_kong else WinBy.DISCARD
    for number in winners:
        won = claim.offers[number].win
        assert won is not None
        hand.decisions.append(ANSWERS[number][_WIN])
        record_win(hand, number, source.number, by, claim.last.tile, won, moment, events)
    finish_if_won(hand, events)


def go_on_after_wins(hand: Hand, claim: Claim, events: list[Event]) -> None:
    """The next live seat after the last winner, in play order from the source of the tile, draws."""
    if hand.phase is not OVER:
        next_turn(hand, claim.winners()[-1], events)


def _undo_added_kong(seat: Seat, tile: int) -> None:
    """The pung stays, and the tile has gone to the winner."""
    place = next(place for place, meld in enumerate(seat.melds) if meld.tile == tile)
    seat.melds[place] = seat.melds[place]._replace(kind=MeldKind.PUNG)


def _mark_claimed(seat: Seat) -> None:
    seat.river[-1] = RiverTile(seat.river[-1].tile, claimed=True)


def _take_meld(hand: Hand, claim: Claim, taker: int, events: list[Event]) -> None:
    seat, source, tile = hand.seats[taker], claim.last.seat, claim.last.tile
    _mark_claimed(hand.seats[source])
    hand.last = None
    hand.claim = None
    kind = claim.answers[taker]
    hand.decisions.append(ANSWERS[taker][kind])
    if kind is _PUNG:
        seat.remove(tile, copies=2)
        seat.melds.append(Meld(MeldKind.PUNG, tile, source))
        events.append(Pung(taker, tile, source))
        hand.phase = TURN
        hand.turn = taker
        hand.replacement = hand.drawn_wins = False
    else:
        seat.remove(tile, copies=3)
        seat.melds.append(Meld(MeldKind.EXPOSED_KONG, tile, source))
        events.append(KongMade(taker, tile, MeldKind.EXPOSED_KONG, source))
        pay_kong(hand, taker, MeldKind.EXPOSED_KONG, tile, source, events)
        draw_replacement(hand, taker, events)
