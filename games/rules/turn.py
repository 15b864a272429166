"""The phase TURN: the seat that has drawn wins, kongs or discards; after a pung it discards (RULES.md section 4)."""

from itertools import compress

from .actions import DISCARDS, Action, IllegalAction, IllegalCode, Kind
from .claims import open_claim
from .events import DISCARDED, Event, KongMade, WinBy
from .flow import draw_replacement, finish_if_won, next_turn, pay_kong, record_win
from .holding import Meld, MeldKind
from .options import FlowerPayers, ForcedWin
from .patterns import Moment, Score, score
from .shapes import FOUR_OF_A_RANK, TILE_CODE
from .state import LAST_DISCARDS, OVER, RIVER_TILES, Hand, Last, LastKind, Seat
from .tiles import COPIES


def legal(hand: Hand, number: int) -> list[Action]:
    if number != hand.turn:
        return []
    seat = hand.seats[number]
    counts = seat.counts if seat.void is None else seat.discardable(hand.ruleset)
    actions = [*compress(DISCARDS[number], counts)]
    manzu, pinzu, souzu = seat.codes
    if (seat.melds or (manzu | pinzu | souzu) & FOUR_OF_A_RANK) and (kongs := kong_tiles(hand, seat)):
        actions[:0] = [Action(number, Kind.KONG, tile) for tile in kongs]
    if hand.drawn_wins and self_draw_score(hand) is not None:
        win = Action(number, Kind.WIN, hand.drawn)
        return [win] if _wins_are_forced(hand) else [win, *actions]
    return actions


def automatic(hand: Hand) -> list[Action]:
    """A forced self-draw."""
    return [Action(hand.turn, Kind.WIN, hand.drawn)] if _must_win(hand) else []


def self_draw_score(hand: Hand) -> Score | None:
    """What winning with the tile just drawn would come to."""
    if not hand.drawn_wins or hand.drawn is None:
        return None
    return score(hand.ruleset, hand.seats[hand.turn].holding, self_draw_moment(hand))


def self_draw_moment(hand: Hand) -> Moment:
    # The first draw of a seat without melds; the dealer's comes before every discard, and a kong would be a meld.
    first = not hand.seats[hand.turn].river and not hand.seats[hand.turn].melds
    return Moment(
        self_draw=True,
        kong_flower=hand.replacement,
        fed_flower=hand.replacement
        and hand.kongs[-1].form is MeldKind.EXPOSED_KONG
        and hand.ruleset.exposed_kong_flower is FlowerPayers.DISCARDER,
        tianhu=first and hand.turn == hand.dealer,
        dihu=first and hand.turn != hand.dealer,
    )


def _wins_are_forced(hand: Hand) -> bool:
    return hand.ruleset.forced_win is not ForcedWin.OFF and hand.after_last_draws


def _must_win(hand: Hand) -> bool:
    return _wins_are_forced(hand) and self_draw_score(hand) is not None


def kong_tiles(hand: Hand, seat: Seat) -> list[int]:
    """The tiles of which the seat may declare a kong now; none after a pung or with an empty wall."""
    if hand.drawn is None or hand.wall_left == 0:
        return []
    tiles = [meld.tile for meld in seat.melds if seat.counts[meld.tile]] if seat.melds else []
    manzu, pinzu, souzu = seat.codes
    if (manzu | pinzu | souzu) & FOUR_OF_A_RANK:
        four = [tile for tile, count in enumerate(seat.counts) if count == COPIES]
        tiles += [tile for tile in four if tile // 9 != seat.void and tile != hand.ruleset.wild]
    return tiles


def discard(hand: Hand, seat: Seat, tile: int | None) -> list[Event]:
    number = seat.number
    if hand.drawn_wins and _must_win(hand):
        raise IllegalAction(IllegalCode.MUST_WIN, "the seat must win")
    if tile is None or not seat.counts[tile]:
        raise IllegalAction(IllegalCode.TILE_NOT_HELD, "the seat does not hold this tile")
    if seat.void is not None and not seat.discardable(hand.ruleset)[tile]:
        raise IllegalAction(IllegalCode.VOID_SUIT, "tiles of the void suit go first")
    seat.counts[tile] -= 1
    seat.codes[tile // 9] -= TILE_CODE[tile]
    seat.known_waits = None
    seat.river.append(RIVER_TILES[tile])
    hand.decisions.append(DISCARDS[number][tile])
    open_claim(hand, LAST_DISCARDS[number][tile], hand.replacement)
    return [DISCARDED[number][tile]]


def kong(hand: Hand, seat: Seat, tile: int | None) -> list[Event]:
    number = seat.number
    _check_kong(hand, seat, tile)
    assert tile is not None
    hand.decisions.append(Action(number, Kind.KONG, tile))
    pung = next((place for place, meld in enumerate(seat.melds) if meld.tile == tile), None)
    if pung is None:
        seat.remove(tile, copies=COPIES)
        seat.melds.append(Meld(MeldKind.CONCEALED_KONG, tile))
        events: list[Event] = [KongMade(number, tile, MeldKind.CONCEALED_KONG, None)]
        pay_kong(hand, number, MeldKind.CONCEALED_KONG, tile, None, events)
        draw_replacement(hand, number, events)
        return events
    seat.remove(tile)
    seat.melds[pung] = seat.melds[pung]._replace(kind=MeldKind.ADDED_KONG)
    # It is paid once nobody robs it.
    open_claim(hand, Last(number, tile, LastKind.ADDED_KONG), False)
    return [KongMade(number, tile, MeldKind.ADDED_KONG, seat.melds[pung].source)]


def _check_kong(hand: Hand, seat: Seat, tile: int | None) -> None:
    if hand.drawn is None:
        raise IllegalAction(IllegalCode.ONLY_DISCARD_AFTER_PUNG, "after a pung the seat only discards")
    if _must_win(hand):
        raise IllegalAction(IllegalCode.MUST_WIN, "the seat must win")
    if hand.wall_left == 0:
        raise IllegalAction(IllegalCode.EMPTY_WALL, "no kong with an empty wall")
    if tile is None or tile not in kong_tiles(hand, seat):
        raise IllegalAction(IllegalCode.NO_KONG, "no kong of this tile")


def win(hand: Hand, seat: Seat, tile: int | None) -> list[Event]:
    number = seat.number
    drawn, won = hand.drawn, self_draw_score(hand)
    if drawn is None or won is None:
        raise IllegalAction(IllegalCode.NO_WIN, "no win")
    if tile not in (None, drawn):
        raise IllegalAction(IllegalCode.NO_WIN, "not the tile drawn")
    moment = self_draw_moment(hand)
    events: list[Event] = []
    hand.decisions.append(Action(number, Kind.WIN, drawn))
    # The winning tile lies apart: the concealed hand stays the one that waited for it.
    seat.remove(drawn)
    hand.drawn = None
    record_win(hand, number, None, WinBy.SELF_DRAW, drawn, won, moment, events)
    finish_if_won(hand, events)
    if hand.phase is not OVER:
        next_turn(hand, number, events)
    return events
