"""Hands made move by move: how to make them, and those that several tests begin with."""

from games.rules.actions import Action, Kind
from games.rules.hand import Hand, Phase, apply, legal_actions
from games.rules.ruleset import Ruleset
from games.rules.tiles import parse_tile, tile_name

from .tables import settle_automatic, wall_of

Payments = list[tuple[str, int, int, int]]

# Seat 0 deals and holds a 5m; seats 1 and 2 wait for 5m, seat 3 holds two 5m.
WAITING = ["159m19s", "46m11122233399p", "46m44455566688p", "55m47p147s"]
# Seat 0 has three suits, seat 3 two and waits for nothing. Seat 1 waits for 3m, with a gen,
# and for 6m, 9m and 7p, without; seat 2 for 1p.
WAITS = ["1259m1369p24688s", "33345678m555p77p", "123456789m1456p", "11335577s99s238p"]
# Seat 0 feeds a kong of 1m to seat 2, which then draws the fourth 2m, and 5p; seats 1 and 3 wait for 5p.
TWO_KONGS = ["15689m238p22579s", "46p333666888s11p", "111222m278p1479s", "46p333444777m99p"]
# Seat 0 draws 5p towards the end, for which seats 1 and 3 wait. Seat 2 has two.
AT_THE_END = [TWO_KONGS[0], TWO_KONGS[1], "111222m558p1479s", TWO_KONGS[3]]
# Seat 0 has a kong of 1m and feeds 5s to seats 1 and 2; seat 3 waits for 8p and 9p with triplets.
A_KONG_AND_TWO_WINNERS = ["11112589m13579p", "46s222333666p88s", "46s333444777m88s", "111777999s88p99p"]
A_KONG = [("kong", payer, 0, 2) for payer in (1, 2, 3)]


def hand_of(hands: list[str], draws: str, back: str = "", preset: str = "qq_xuezhan", **options: object) -> Hand:
    return Hand(Ruleset.parse({"preset": preset, "options": options}), wall_of(hands, draws, back), dealer=0)


def act(hand: Hand, seat: int | None, kind: Kind, tile: str | None = None, suit: int | None = None) -> None:
    apply(hand, Action(seat, kind, None if tile is None else parse_tile(tile), suit))


def discard(hand: Hand, seat: int, tile: str) -> None:
    """A discard that nobody claims."""
    act(hand, seat, Kind.DISCARD, tile)
    for other in sorted(hand.unanswered()):
        act(hand, other, Kind.PASS)
    settle_automatic(hand)


def answers(hand: Hand, **kinds_by_seat: Kind) -> None:
    """The answers of some seats; who else is asked passes."""
    for number in sorted(hand.unanswered()):
        act(hand, number, kinds_by_seat.get(f"seat_{number}", Kind.PASS))
    settle_automatic(hand)


def play_on(hand: Hand, wall_left: int = -1) -> None:
    """Everybody discards what it draws and claims nothing, until so few tiles are left, or the hand is over."""
    while hand.phase is not Phase.OVER and hand.wall_left > wall_left:
        assert hand.drawn is not None
        discard(hand, hand.turn, tile_name(hand.drawn))


def payments(hand: Hand) -> Payments:
    return [(pay.kind.value, pay.payer, pay.payee, pay.units) for pay in hand.payments]


def each(kind: str, payers: list[int], payee: int, units: int) -> Payments:
    return [(kind, payer, payee, units) for payer in payers]


def kinds(hand: Hand, seat: int) -> list[str]:
    return [action.kind.value for action in legal_actions(hand, seat)]


def kong_that_seat_2_can_rob() -> Hand:
    """Seat 1 has added the fourth 5m to its pung, and seat 2 waits for it."""
    hand = hand_of(["12m", "55m129p129s", "46m44455566688p", "12m"], "5m9m9m9m5m")
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 1, Kind.PUNG)
    act(hand, 2, Kind.PASS)
    settle_automatic(hand)
    discard(hand, 1, "1p")
    for seat in (2, 3, 0):
        discard(hand, seat, "9m")
    act(hand, 1, Kind.KONG, "5m")
    return hand


def kong_that_two_can_rob(**options: object) -> Hand:
    hand = seat_1_may_add_a_kong(**options)
    act(hand, 1, Kind.KONG, "5m")
    return hand


def seat_1_may_add_a_kong(**options: object) -> Hand:
    """Seat 1 has drawn the fourth 5m to its pung; seats 2 and 3 wait for it and have passed it before."""
    hands = ["1379m1359p13579s", "2558m1248p24688s", "46m555666777p99p", "46m333555777s11s"]
    hand = hand_of(hands, "5m9m9m8p5m", "", "chengdu", **options)
    act(hand, 0, Kind.DISCARD, "5m")
    answers(hand, seat_1=Kind.PUNG)
    discard(hand, 1, "2m")
    play_on(hand, wall_left=51)
    return hand


def after_two_wins(**options: object) -> Hand:
    options = {"forced_win": "off", "kong_shot_transfer": False, **options}
    hand = hand_of(A_KONG_AND_TWO_WINNERS, "4p", "5s", preset="qq_xuezhan_2", **options)
    act(hand, 0, Kind.KONG, "1m")
    act(hand, 0, Kind.DISCARD, "5s")
    answers(hand, seat_1=Kind.WIN, seat_2=Kind.WIN)
    assert hand.turn == 3
    return hand


def two_winners() -> Hand:
    """Seat 0 feeds seats 1 and 2, then seat 3 leaves: 1 unit to each winner, 16 to seat 0."""
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 2, Kind.WIN)
    act(hand, 1, Kind.WIN)
    settle_automatic(hand)
    act(hand, 3, Kind.LEAVE)
    return hand


def robbed() -> Hand:
    """Seat 2 robs a kong of seat 1, then seat 3 leaves: it pays 16 to seats 0 and 1."""
    hand = kong_that_seat_2_can_rob()
    act(hand, 2, Kind.WIN)
    settle_automatic(hand)
    act(hand, 3, Kind.LEAVE)
    return hand
