"""Rulesets, walls, play and scoring lines by chance, such that what is rare in a club is common here."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from games.rules.actions import Action, Kind
from games.rules.hand import Hand, Phase, apply, automatic_actions, legal_actions
from games.rules.options import OPTIONS, Option, OptionKind
from games.rules.ready import wait_mask
from games.rules.ruleset import PRESETS, Ruleset
from games.rules.state import LastKind, Seat
from games.rules.tiles import ALL_TILES, tile_name
from games.rules.wall import SEATS

MELDS: Final = ["pung", "exposed_kong", "added_kong", "concealed_kong"]
FLAGS: Final = ["kong_flower", "kong_shot", "robbed_kong", "tianhu", "dihu"]
WILD: Final = 18

# Rulesets


def a_ruleset(rng: random.Random) -> dict[str, Any]:
    """A preset with any options over it: a few, or all of them."""
    share = rng.choice((0.1, 0.5, 1.0))
    options = {name: a_value(option, rng) for name, option in OPTIONS.items() if rng.random() < share}
    return {"preset": rng.choice(list(PRESETS)), "options": options}


def a_value(option: Option, rng: random.Random) -> Any:
    match option.kind:
        case OptionKind.BOOL:
            return rng.random() < 0.5
        case OptionKind.CHOICE:
            return rng.choice(option.choices)
        case OptionKind.NULLABLE_INT if rng.random() < 0.4:
            return None
        case OptionKind.INT | OptionKind.NULLABLE_INT:
            return a_number(option, rng)
        case OptionKind.TABLE:
            rows = len(option.rows) if option.needs_all_rows else rng.randint(1, len(option.rows))
            return {row: a_number(option, rng) for row in rng.sample(option.rows, rows)}


def a_number(option: Option, rng: random.Random) -> int:
    """Small ones mostly: they meet."""
    highest = option.lowest + rng.choice((2, 6)) if rng.random() < 0.9 else option.highest
    return rng.randint(option.lowest, highest)


# Walls


def a_wall(rng: random.Random) -> list[int]:
    wall = rng.choice((shuffled, clumped, of_two_suits, nearly_won, nearly_robbed))(rng)
    if rng.random() < 0.1:
        wall = [tile for tile in wall if tile != WILD]
        wall[90:90] = [WILD] * 4
    return wall


def shuffled(rng: random.Random) -> list[int]:
    return rng.sample(ALL_TILES, len(ALL_TILES))


def clumped(rng: random.Random) -> list[int]:
    """The copies of a tile lie near each other: pungs and kongs."""
    spread = rng.uniform(2, 40)
    place = [rng.uniform(0, 108) for _ in range(27)]
    return sorted(ALL_TILES, key=lambda tile: place[tile] + rng.gauss(0, spread))


def of_two_suits(rng: random.Random) -> list[int]:
    """Most seats are dealt two suits."""
    rest = shuffled(rng)
    hands = []
    for _ in range(SEATS):
        lacking = rng.choice((None, 0, 1, 2))
        hand = [tile for tile in rest if tile // 9 != lacking][:13]
        hands.append(hand)
        rest = without(rest, hand)
    return dealt(hands, rest)


def nearly_won(rng: random.Random) -> list[int]:
    """Most seats are dealt sets and pairs of two suits, less a tile or two."""
    rest = shuffled(rng)
    hands = []
    for _ in range(SEATS):
        hand = a_whole_hand(rng, rest)[: rng.choice((13, 13, 12, 10))]
        hands.append(hand)
        rest = without(rest, hand)
    for hand in hands:
        hand += [rest.pop() for _ in range(13 - len(hand))]
    return dealt(hands, rest)


def nearly_robbed(rng: random.Random) -> list[int]:
    """One seat can pung what another discards and add the fourth, while the other two wait for it."""
    tile = rng.randrange(27)
    rest = [other for other in shuffled(rng) if other != tile]
    hands = [[tile], [tile, tile, tile]]
    for _ in range(2):
        for _ in range(30):
            hand = a_whole_hand(rng, [tile, *rest])
            hand.remove(tile if tile in hand else hand[-1])
            if Seat(0, hand).wait_mask(PRESETS["jj"].ruleset) >> tile & 1:
                break
        hands.append(hand)
        rest = without(rest, hand)
    for hand in hands:
        hand += [rest.pop() for _ in range(13 - len(hand))]
    rng.shuffle(hands)
    return dealt(hands, rest)


def without(tiles: Sequence[int], taken: Sequence[int]) -> list[int]:
    rest = list(tiles)
    for tile in taken:
        rest.remove(tile)
    return rest


def dealt(hands: Sequence[Sequence[int]], rest: Sequence[int]) -> list[int]:
    """The wall that deals these hands, the first to the dealer."""
    front = [
        tile for start, size in ((0, 4), (4, 4), (8, 4), (12, 1)) for hand in hands for tile in hand[start:][:size]
    ]
    return [*front, *rest]


def a_whole_hand(rng: random.Random, rest: Sequence[int]) -> list[int]:
    """Fourteen tiles out of some, most of them sets and pairs, in any order."""
    left = list(rest)
    suits = rng.sample(range(3), rng.choice((1, 2, 2)))
    ranks = rng.choice((range(9), range(9), range(9), (1, 4, 7), (0, 1, 2, 6, 7, 8), (0, 8)))
    shapes = some_shapes(rng)
    hand: list[int] = []
    for shape in shapes:
        for _ in range(30):
            first = 9 * rng.choice(suits) + rng.choice(ranks)
            group = [first + step for step in shape]
            if group[-1] // 9 == first // 9 and all(left.count(tile) >= group.count(tile) for tile in group):
                hand += group
                left = without(left, group)
                break
    hand += left[: 14 - len(hand)]
    rng.shuffle(hand)
    return hand


def some_shapes(rng: random.Random) -> list[tuple[int, ...]]:
    """What a hand is made of, as steps from a first tile: most often four sets and a pair."""
    chance, triplets = rng.random(), rng.random()
    if chance < 0.1:
        return [(0, 0) for _ in range(7)]
    if chance < 0.2:
        return [(0, 0), (0, 0), (0, 0), (0, 0, 0, 0), (0, 0, 0, 0)]
    return [(0, 0), *((0, 0, 0) if rng.random() < triplets else (0, 1, 2) for _ in range(4))]


# Play


class Temper(NamedTuple):
    """How likely a seat takes what it is offered, discards with sense, and leaves."""

    win: float
    rob: float
    kong: float
    pung: float
    sense: float
    leave: float
    leave_after_winning: float


def a_temper(rng: random.Random) -> Temper:
    return Temper(
        win=rng.choice((0.0, 0.3, 0.8, 1.0)),
        rob=rng.choice((0.3, 1.0)),
        kong=rng.choice((0.2, 0.6, 1.0)),
        pung=rng.choice((0.1, 0.5, 0.9)),
        sense=rng.choice((0.0, 0.9, 1.0, 1.0)),
        leave=rng.choice((0.0, 0.0, 0.0, 0.0005, 0.003)),
        leave_after_winning=rng.choice((0.0, 0.005, 0.05)),
    )


def play(ruleset: Ruleset, rng: random.Random, check: Callable[[Hand], None] = lambda hand: None) -> Hand:
    """A whole hand, with a look at it after every action."""
    temper = a_temper(rng)
    hand = Hand(ruleset, a_wall(rng), rng.randrange(SEATS))
    check(hand)
    while hand.phase is not Phase.OVER:
        for action in automatic_actions(hand) or [decision(hand, temper, rng)]:
            apply(hand, action)
            check(hand)
    return hand


def decision(hand: Hand, temper: Temper, rng: random.Random) -> Action:
    if hand.phase is not Phase.VOID:
        for seat in hand.seats:
            if not seat.left and rng.random() < (temper.leave if seat.live else temper.leave_after_winning):
                return Action(seat.number, Kind.LEAVE)
    number = hand.turn if hand.phase is Phase.TURN else rng.choice(sorted(hand.unanswered()))
    actions = legal_actions(hand, number)
    robs = hand.last is not None and hand.last.kind is LastKind.ADDED_KONG
    for kind, likely in (
        (Kind.WIN, temper.rob if robs else temper.win),
        (Kind.KONG, temper.kong),
        (Kind.PUNG, temper.pung),
    ):
        wanted = [action for action in actions if action.kind is kind]
        if wanted and rng.random() < likely:
            return rng.choice(wanted)
    modest = [action for action in actions if action.kind in (Kind.DISCARD, Kind.PASS, Kind.VOID)] or actions
    if modest[0].kind is Kind.DISCARD and rng.random() < temper.sense:
        seat = hand.seats[number]
        if hand.drawn is not None and wait_mask(hand.ruleset, seat.holding.without_tile(hand.drawn)):
            return next((action for action in modest if action.tile == hand.drawn), modest[0])
        return min(modest, key=lambda action: company(seat.counts, action.tile))
    return rng.choice(modest)


def company(counts: Sequence[int], tile: int | None) -> float:
    """How much of a hand goes with one of its tiles."""
    assert tile is not None
    suit = tile // 9 * 9
    near = sum(counts[other] for other in (tile - 1, tile + 1) if suit <= other < suit + 9)
    far = sum(counts[other] for other in (tile - 2, tile + 2) if suit <= other < suit + 9)
    return 3 * counts[tile] + 1.5 * near + far + sum(counts[suit : suit + 9])


# Records


def a_room(rng: random.Random) -> dict[str, Any]:
    """Coefficient, rake and balances, often too small."""
    return {
        "coefficient": rng.choice((0, 1, 7, 200)),
        "rake": rng.choice((0, 50, 400)),
        "balances": [rng.choice((0, 1, 100, 777, 10**5, 10**9)) for _ in range(SEATS)],
    }


def a_spoilt_record(rng: random.Random, record: dict[str, Any]) -> dict[str, Any]:
    """The record with one action changed, moved, left out or put in, most often near its end."""
    actions = [list(action) for action in record["actions"]]
    place = len(actions) - 1 - rng.choice((0, 1, 2, 3, rng.randrange(max(1, len(actions)))))
    place = max(0, place)
    seat = rng.randrange(SEATS)
    match rng.randrange(8):
        case 0:
            actions.insert(place + rng.randrange(2), [seat, "leave"])
        case 1:
            actions.insert(place + 1, [seat, rng.choice(("win", "win", "pung", "kong"))])
        case 2:
            del actions[place : place + 1]
        case 3:
            del actions[place:]
        case 4:
            actions[place : place + 2] = reversed(actions[place : place + 2])
        case 5:
            actions.insert(place, rng.choice(actions or [[seat, "leave"]]))
        case 6:
            actions[place : place + 1] = [[seat, *action[1:]] for action in actions[place : place + 1]]
        case 7:
            verbs = ("discard", "kong", "win")
            actions[place : place + 1] = [[seat, rng.choice(verbs), tile_name(rng.randrange(27))]]
    return {**record, "actions": actions}


# Scoring lines


def a_line(rng: random.Random) -> dict[str, Any]:
    """A hand that often wins or waits, with melds, wilds and flags; sometimes its form is wrong."""
    hand = a_whole_hand(rng, shuffled(rng))
    melds = []
    for tile in sorted(set(hand)):
        if hand.count(tile) >= 3 and rng.random() < rng.choice((0.1, 0.9)):
            hand = without(hand, [tile] * 3)
            melds.append({"kind": rng.choice(MELDS), "tile": tile_name(tile)})
    for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
        hand[rng.randrange(len(hand))] = rng.randrange(27)
    ruleset = a_ruleset(rng)
    if rng.random() < 0.3:
        ruleset["options"]["wild"] = "1s"
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            hand[rng.randrange(len(hand))] = WILD
    rng.shuffle(melds)
    *concealed, win_tile = map(tile_name, hand)
    line: dict[str, Any] = {
        "ruleset": ruleset,
        "concealed": "".join(concealed),
        "melds": melds,
        "void": rng.choice((None, None, *"mps")),
    }
    if rng.random() < 0.7:
        self_draw = rng.random() < 0.5
        fitting = ["kong_shot", "robbed_kong"]
        if self_draw:
            fitting = ["kong_flower"] if melds else ["tianhu", "dihu"]
        flags = rng.sample(*rng.choice(((fitting, 0), (fitting, 1), (fitting, 1), (FLAGS, 1), (FLAGS, 2))))
        line |= {"win_tile": win_tile, "self_draw": self_draw, "flags": flags}
    return line
