"""Sections 7 and 11: whether a hand wins, what it is worth, what it waits for. Scoring lines (RECORD.md)."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

from .notation import KINDS, PLACE, SUITS, Fault, Meld, Options, in_order, read_ruleset, read_tiles

Tiles = tuple[str, ...]
Melds = tuple[Meld, ...]

#: In the order of the table: between equals the first counts.
PATTERNS = [
    "tianhu",
    "dihu",
    "qinglongqidui",
    "qingyaojiu",
    "qingqidui",
    "longqidui",
    "jiangdui",
    "qingdui",
    "qidui",
    "daiyaojiu",
    "qingyise",
    "jingoudiao",
    "duiduihu",
    "pinghu",
]


class Moment(NamedTuple):
    """The facts of the moment of a win."""

    self_draw: bool = False
    kong_flower: bool = False
    kong_shot: bool = False
    robbed_kong: bool = False
    tianhu: bool = False
    dihu: bool = False
    #: The last kong before a kong flower was an exposed one.
    after_exposed_kong: bool = False


class Score(NamedTuple):
    base: str
    gen: int
    uncapped_fan: int
    fan: int
    multiplier: int
    jipin: bool


class Reading(NamedTuple):
    """What holds of a hand when each wild stands for one certain tile."""

    patterns: frozenset[str]
    gen: int


def suits_of(tiles: Tiles, melds: Melds) -> set[str]:
    return {tile[1] for tile in tiles} | {meld.tile[1] for meld in melds}


@lru_cache(maxsize=100_000)
def as_sets(tiles: Tiles) -> list[list[Tiles]]:
    """All ways to lay tiles (in order) out as runs and triplets."""
    if not tiles:
        return [[]]
    first = tiles[0]
    rank, suit = int(first[0]), first[1]
    ways = []
    for wanted in ((first,) * 3, (first, f"{rank + 1}{suit}", f"{rank + 2}{suit}")):
        rest = list(tiles)
        try:
            for tile in wanted:
                rest.remove(tile)
        except ValueError:
            continue
        ways += [[wanted, *others] for others in as_sets(tuple(rest))]
    return ways


@lru_cache(maxsize=100_000)
def as_sets_and_a_pair(tiles: Tiles) -> list[list[Tiles]]:
    """All ways to lay tiles (in order) out as sets and, last, one pair."""
    ways = []
    for tile in set(tiles):
        if tiles.count(tile) >= 2:
            rest = list(tiles)
            rest.remove(tile)
            rest.remove(tile)
            ways += [[*sets, (tile, tile)] for sets in as_sets(tuple(rest))]
    return ways


def over_four(tiles: Iterable[str], melds: Melds) -> bool:
    """Some tile is there more than four times."""
    whole = [*tiles, *(tile for meld in melds for tile in meld.tiles)]
    return any(whole.count(tile) > 4 for tile in whole)


def read_natural(tiles: Tiles, melds: Melds) -> Reading | None:
    """A whole hand of at most two suits: the patterns but those of the moment and pinghu. None: it is no win."""
    suits = suits_of(tiles, melds)
    ways = as_sets_and_a_pair(tiles)
    pairs = not melds and all(tiles.count(tile) % 2 == 0 for tile in tiles)
    if not ways and not pairs:
        return None
    whole = [*tiles, *(tile for meld in melds for tile in meld.tiles)]
    triplets = any(all(len(set(group)) == 1 for group in way) for way in ways)
    ends = all(meld.tile[0] in "19" for meld in melds) and any(
        all(any(tile[0] in "19" for tile in group) for group in way) for way in ways
    )
    four = any(tiles.count(tile) == 4 for tile in tiles)
    one_suit = len(suits) == 1
    holds = {
        "qinglongqidui": pairs and four and one_suit,
        "qingyaojiu": ends and one_suit,
        "qingqidui": pairs and one_suit,
        "longqidui": pairs and four,
        "jiangdui": triplets and all(tile[0] in "258" for tile in whole),
        "qingdui": triplets and one_suit,
        "qidui": pairs,
        "daiyaojiu": ends,
        "qingyise": one_suit,
        "jingoudiao": len(melds) == 4,
        "duiduihu": triplets,
    }
    pungs = [tile for meld in melds if meld.kind == "pung" for tile in meld.tiles]
    ours = [*tiles, *pungs]
    gen = sum(ours.count(tile) == 4 for tile in set(ours))
    return Reading(frozenset(name for name in holds if holds[name]), gen)


@lru_cache(maxsize=100_000)
def readings(tiles: Tiles, melds: Melds, wild: str | None, void: str | None) -> frozenset[Reading]:
    """All that a whole hand may be read as (11). Empty: it does not win."""
    natural = tuple(tile for tile in tiles if tile != wild)
    if void in suits_of(natural, ()):
        return frozenset()
    found = set()
    for two_suits in combinations(SUITS, 2):
        if suits_of(natural, melds) <= {*two_suits}:
            kinds = [tile for tile in KINDS if tile[1] in two_suits and tile[1] != void]
            for stand_ins in combinations_with_replacement(kinds, len(tiles) - len(natural)):
                whole = in_order((*natural, *stand_ins))
                reading = read_natural(whole, melds)
                if reading and not over_four(whole, melds):
                    found.add(reading)
    return frozenset(found)


def score(options: Options, tiles: Tiles, melds: Melds, void: str | None, moment: Moment) -> Score | None:
    """What a whole hand, the winning tile included, is worth; None if it does not win."""
    listed = options["patterns"]
    kong_fan = options["kong_fan"]
    extra = sum(kong_fan[meld.kind.removesuffix("_kong")] for meld in melds if meld.kind != "pung")
    extra += moment.kong_flower * options["kong_flower_fan"]
    extra += moment.kong_shot * options["kong_shot_fan"]
    extra += moment.robbed_kong * options["robbed_kong_fan"]
    if options["self_draw_bonus"] == "fan" and moment.self_draw and not paid_by_feeder(options, moment):
        extra += 1
    best = None
    for reading in readings(in_order(tiles), melds, options["wild"], void):
        names = {name for name in reading.patterns if name in listed}
        names |= {name for name in ("tianhu", "dihu") if name in listed and getattr(moment, name)}
        for name in names or ({"pinghu"} & set(listed)):
            gen = reading.gen - (name in ("longqidui", "qinglongqidui"))
            fan = listed[name] + gen * options["gen_fan"] + extra
            candidate = (fan, -PATTERNS.index(name), -gen)
            best = candidate if best is None else max(best, candidate)
    if best is None:
        return None
    uncapped, place, fewest = best
    fan = uncapped if options["cap_fan"] is None else min(uncapped, options["cap_fan"])
    multiplier = max(1, 2 ** max(0, fan - options["fan_origin"]))
    jipin = options["jipin_fan"] is not None and uncapped >= options["jipin_fan"]
    return Score(PATTERNS[-place], -fewest, uncapped, fan, multiplier, jipin)


def paid_by_feeder(options: Options, moment: Moment) -> bool:
    """8: a kong flower after an exposed kong that is paid as a discard win."""
    return moment.kong_flower and moment.after_exposed_kong and options["exposed_kong_flower"] == "discarder"


def waits(options: Options, tiles: Tiles, melds: Melds, void: str | None) -> list[tuple[str, Score]]:
    """9: the tiles that complete a hand, as discard wins."""
    held = [*tiles, *(tile for meld in melds for tile in meld.tiles)]
    found = []
    for tile in KINDS:
        if tile == options["wild"] or held.count(tile) >= 4:
            continue
        won = score(options, (*tiles, tile), melds, void, Moment())
        if won:
            found.append((tile, won))
    return found


def is_huazhu(options: Options, tiles: Tiles, melds: Melds) -> bool:
    """9 and 11: three suits, melds included, natural tiles only."""
    return len(suits_of(tuple(tile for tile in tiles if tile != options["wild"]), melds)) == 3


def score_line(line: dict[str, Any]) -> dict[str, Any]:
    try:
        return _score_line(line)
    except Fault as fault:
        return fault.outcome


def _score_line(line: dict[str, Any]) -> dict[str, Any]:
    options = read_ruleset(line["ruleset"])
    tiles = tuple(read_tiles(line["concealed"]))
    melds = tuple(Meld(meld["kind"], meld["tile"]) for meld in line.get("melds", []))
    void = line.get("void")
    win_tile = line.get("win_tile")
    kinds = ("pung", "exposed_kong", "added_kong", "concealed_kong")
    if any(meld.kind not in kinds or meld.tile not in PLACE or meld.tile == options["wild"] for meld in melds):
        raise Fault("bad_format")
    if len(tiles) != 13 - 3 * len(melds) or (win_tile is not None and win_tile not in PLACE):
        raise Fault("bad_format")
    if over_four((*tiles, *([] if win_tile is None else [win_tile])), melds):
        raise Fault("bad_format")
    if win_tile is None:
        found = waits(options, tiles, melds, void)
        return {
            "ready": bool(found),
            "waits": [{"tile": tile, "fan": won.fan, "multiplier": won.multiplier} for tile, won in found],
            "huazhu": is_huazhu(options, tiles, melds),
        }
    moment = _moment(line, melds)
    if win_tile == options["wild"] and not moment.self_draw:
        return {"win": False}  # 11: a discarded wild cannot be claimed
    won = score(options, (*tiles, win_tile), melds, void, moment)
    if won is None:
        return {"win": False}
    bonus = options["self_draw_bonus"] == "base" and moment.self_draw and not paid_by_feeder(options, moment)
    return {"win": True, **won._asdict(), "units": won.multiplier + bonus}


def _moment(line: dict[str, Any], melds: Melds) -> Moment:
    """The flags of a line, which may not contradict each other, self_draw or the melds."""
    self_draw = line.get("self_draw", False)
    flags = set(line.get("flags", []))
    kongs = [meld.kind for meld in melds if meld.kind != "pung"]
    if not isinstance(self_draw, bool):
        raise Fault("bad_format")
    if len(flags) > 1:
        raise Fault("bad_format")  # no two of them can be true of one win
    if flags and self_draw != (flags <= {"kong_flower", "tianhu", "dihu"}):
        raise Fault("bad_format")
    if "kong_flower" in flags and not kongs:
        raise Fault("bad_format")
    if flags & {"tianhu", "dihu"} and melds:
        raise Fault("bad_format")
    return Moment(self_draw=self_draw, after_exposed_kong=kongs[-1:] == ["exposed_kong"], **dict.fromkeys(flags, True))
