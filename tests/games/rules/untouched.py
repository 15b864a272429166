"""When an option cannot have had a part in a hand: nothing came up that it speaks of."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from games.rules.drawn import ready_multipliers
from games.rules.events import EndKind, Payment, WinBy
from games.rules.hand import Hand
from games.rules.holding import MeldKind
from games.rules.options import PassWin
from games.rules.ready import is_huazhu
from games.rules.state import LAST_TILES

from .chances import WILD


class Walk:
    """What was seen of a hand on the way, by a look after every action."""

    def __init__(self) -> None:
        #: As they were at the last look.
        self.live = {0, 1, 2, 3}
        self.left: set[int] = set()
        self.payments: list[Payment] = []
        #: What was ever so.
        self.passed_a_win = False
        self.drew_last_tiles = False
        self.drew_a_wild = False
        self.claimed_added_kong = False

    def look(self, hand: Hand) -> None:
        self.live = set(hand.live_seats())
        self.left = {seat.number for seat in hand.seats if seat.left}
        self.payments = list(hand.payments)
        self.passed_a_win |= any(seat.passed_fan is not None for seat in hand.seats)
        self.drew_last_tiles |= hand.after_last_draws
        self.drew_a_wild |= hand.remaining_wall.count(WILD) < 4
        self.claimed_added_kong |= hand.claim is not None and hand.claim.last.kind == "added_kong"


def no_fan_counted(walk: Walk, hand: Hand) -> bool:
    """Nobody won, and no hand was looked at for what it might win."""
    looked_at = hand.end is EndKind.DRAWN or (hand.end is EndKind.ESCAPED and hand.wall_left <= LAST_TILES)
    return not hand.wins and not looked_at


def no_fan_compared(walk: Walk, hand: Hand) -> bool:
    return no_fan_counted(walk, hand) and not (walk.passed_a_win and hand.ruleset.pass_win is PassWin.UNLESS_HIGHER)


def no_kong_flower(walk: Walk, hand: Hand) -> bool:
    return not any(after == [before[0], "win", *after[2:]] for before, after in after_kongs(hand))


def no_discard_after_a_kong(walk: Walk, hand: Hand) -> bool:
    return not any(after[:2] == [before[0], "discard"] for before, after in after_kongs(hand))


def after_kongs(hand: Hand) -> list[tuple[list[object], list[object]]]:
    """Each kong and the decision after it, but for those of a seat that has won: to leave."""
    moves = [move for move in hand.moves if move[1] != "leave"]
    return [(before, after) for before, after in pairwise(moves) if before[1] == "kong"]


def no_kong(*forms: MeldKind) -> Callable[[Walk, Hand], bool]:
    return lambda walk, hand: not any(kong.form in forms for kong in hand.kongs)


def no_kong_at_all(walk: Walk, hand: Hand) -> bool:
    return not hand.kongs and not walk.claimed_added_kong


def no_huazhu(walk: Walk, hand: Hand) -> bool:
    live = [hand.seats[number] for number in hand.live_seats()]
    return hand.end is not EndKind.DRAWN or not any(is_huazhu(hand.ruleset, seat.holding) for seat in live)


def no_two_ready_hands(walk: Walk, hand: Hand) -> bool:
    return hand.end is not EndKind.DRAWN or len(ready_multipliers(hand)) < 2


def no_win(walk: Walk, hand: Hand) -> bool:
    return not hand.wins


#: Every option but `void_suit`: with it the record itself says more.
UNTOUCHED: Final[dict[str, Callable[[Walk, Hand], bool]]] = {
    "mode": no_win,
    "wild": lambda walk, hand: not walk.drew_a_wild,
    "patterns": no_fan_compared,
    "fan_origin": no_fan_counted,
    "cap_fan": no_fan_counted,
    "base_points": lambda walk, hand: not any(seat.units for seat in hand.seats),
    "gen_fan": no_fan_compared,
    "kong_fan": no_kong_at_all,
    "kong_flower_fan": no_kong_flower,
    "kong_shot_fan": no_discard_after_a_kong,
    "robbed_kong_fan": lambda walk, hand: not walk.claimed_added_kong,
    "self_draw_bonus": lambda walk, hand: not any(win.by is WinBy.SELF_DRAW for win in hand.wins),
    "exposed_kong_units": no_kong(MeldKind.EXPOSED_KONG),
    "exposed_kong_others_units": no_kong(MeldKind.EXPOSED_KONG),
    "added_kong_units": no_kong(MeldKind.ADDED_KONG),
    "concealed_kong_units": no_kong(MeldKind.CONCEALED_KONG),
    "exposed_kong_flower": no_kong_flower,
    "kong_shot_transfer": no_discard_after_a_kong,
    "huazhu_units": no_huazhu,
    "huazhu_pays_winners": no_huazhu,
    "huazhu_pays_dajiao": no_huazhu,
    "dajiao_gap": no_two_ready_hands,
    "kong_refund_to": lambda walk, hand: hand.end is not EndKind.DRAWN or not hand.kongs,
    "pass_win": lambda walk, hand: not walk.passed_a_win,
    "forced_win": lambda walk, hand: not walk.drew_last_tiles,
    "leaver_wins": lambda walk, hand: not any(seat.won and seat.left for seat in hand.seats),
    "escape_units": lambda walk, hand: hand.end is not EndKind.ESCAPED,
    "dealer": lambda walk, hand: any(seat.left for seat in hand.seats),
    "jipin_fan": no_win,
}
