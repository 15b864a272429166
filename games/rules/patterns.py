"""Base patterns, gen, fan and multiplier of a win (RULES.md section 7).

What is true of a winning hand is a bit mask of *facts*: those of shapes.py, which hold for each suit and each meld, and
those of the whole hand added here. A pattern holds when all the facts that it needs are there; PATTERN_NEEDS is the
table of section 7. A hand without wilds has one reading; with wilds it has one for each choice of stand-ins, and the
reading of the highest fan counts.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from .holding import Holding, Meld, MeldKind
from .options import Pattern, SelfDrawBonus
from .ruleset import Ruleset
from .shapes import PAIRS, SETS, TERMINALS, TRIPLETS, TWO_FIVE_EIGHT, count_in, group_facts
from .tiles import TILES
from .wild import suit_readings

# Facts of the whole hand; shapes.py has those of suits and melds.
ONE_SUIT: Final = 32
FOUR_OF_A_KIND: Final = 64
FOUR_MELDS: Final = 128
HEAVEN: Final = 256
EARTH: Final = 512

PATTERN_NEEDS: Final = {
    Pattern.TIANHU: HEAVEN,
    Pattern.DIHU: EARTH,
    Pattern.QINGLONGQIDUI: PAIRS | FOUR_OF_A_KIND | ONE_SUIT,
    Pattern.QINGYAOJIU: TERMINALS | ONE_SUIT,
    Pattern.QINGQIDUI: PAIRS | ONE_SUIT,
    Pattern.LONGQIDUI: PAIRS | FOUR_OF_A_KIND,
    Pattern.JIANGDUI: TRIPLETS | TWO_FIVE_EIGHT,
    Pattern.QINGDUI: TRIPLETS | ONE_SUIT,
    Pattern.QIDUI: PAIRS,
    Pattern.DAIYAOJIU: TERMINALS,
    Pattern.QINGYISE: ONE_SUIT,
    Pattern.JINGOUDIAO: FOUR_MELDS,
    Pattern.DUIDUIHU: TRIPLETS,
    Pattern.PINGHU: 0,
}

_RANK_OF_PATTERN: Final = {pattern: rank for rank, pattern in enumerate(Pattern)}

#: Patterns that count one four-of-a-kind themselves, so that there is one gen fewer.
_WITH_A_GEN: Final = frozenset({Pattern.LONGQIDUI, Pattern.QINGLONGQIDUI})

#: A meld is a set, and makes seven pairs impossible.
_MELD_FACTS: Final = tuple(group_facts((tile % 9,) * 3) for tile in TILES)


class Moment(NamedTuple):
    """The facts of the moment of a win. A discard win with nothing special is Moment()."""

    self_draw: bool = False
    kong_flower: bool = False
    #: A kong flower that only the seat which fed the exposed kong pays: no self-draw bonus (RULES.md section 8).
    fed_flower: bool = False
    kong_shot: bool = False
    robbed_kong: bool = False
    tianhu: bool = False
    dihu: bool = False


class Score(NamedTuple):
    base: Pattern
    #: The gens counted.
    gen: int
    fan: int
    uncapped_fan: int
    multiplier: int
    jipin: bool


class FanItem(NamedTuple):
    """A part of a win's fan: a base pattern, "gen", a kind of kong, a flag of the moment or "self_draw"."""

    name: str
    times: int
    #: Of all `times` together; 0 where the ruleset gives it nothing.
    fan: int


class _Reading(NamedTuple):
    """A whole hand with every tile standing for itself or for something."""

    facts: int
    gens: int


def score(ruleset: Ruleset, holding: Holding, moment: Moment) -> Score | None:
    """What a holding comes to, the winning tile among its concealed tiles; None where it does not win."""
    if holding.holds_void(ruleset.wild):
        return None
    facts_of_moment = (HEAVEN if moment.tianhu else 0) | (EARTH if moment.dihu else 0)
    best: tuple[int, Pattern, int] | None = None
    for reading in _readings(ruleset, holding):
        for pattern, fan in _listed_patterns(ruleset, reading.facts | facts_of_moment):
            gens = reading.gens - 1 if pattern in _WITH_A_GEN else reading.gens
            candidate = (fan + gens * ruleset.gen_fan, pattern, gens)
            if best is None or _is_better(candidate, best):
                best = candidate
    if best is None:
        return None
    fan, base, gens = best
    extra = sum(item.fan for item in _extra_items(ruleset, holding.melds, moment))
    return _scored(ruleset, base, gens, fan + extra)


def _is_better(candidate: tuple[int, Pattern, int], best: tuple[int, Pattern, int]) -> bool:
    """The higher fan, between equals the pattern that the table of section 7 has first, then fewer gens (they count nothing)."""
    if candidate[0] != best[0]:
        return candidate[0] > best[0]
    return (_RANK_OF_PATTERN[candidate[1]], candidate[2]) < (_RANK_OF_PATTERN[best[1]], best[2])


def _listed_patterns(ruleset: Ruleset, facts: int) -> Iterator[tuple[Pattern, int]]:
    """The patterns of the fan table that hold, with their fan. Pinghu is a win for which no other does."""
    others = False
    for pattern, fan in ruleset.patterns:
        if PATTERN_NEEDS[pattern] & ~facts or (others and pattern is Pattern.PINGHU):
            continue
        others = True
        yield pattern, fan


def fan_items(ruleset: Ruleset, melds: tuple[Meld, ...], moment: Moment, base: Pattern, gen: int) -> Iterator[FanItem]:
    """What the fan of a win is made of; together they are its uncapped fan."""
    yield FanItem(base.value, 1, dict(ruleset.patterns)[base])
    if gen:
        yield FanItem("gen", gen, gen * ruleset.gen_fan)
    yield from _extra_items(ruleset, melds, moment)


def _extra_items(ruleset: Ruleset, melds: tuple[Meld, ...], moment: Moment) -> Iterator[FanItem]:
    for meld in melds:
        if meld.is_kong:
            yield FanItem(meld.kind.value, 1, kong_fan(ruleset, meld.kind))
    if moment.kong_flower:
        yield FanItem("kong_flower", 1, ruleset.kong_flower_fan)
    if moment.kong_shot:
        yield FanItem("kong_shot", 1, ruleset.kong_shot_fan)
    if moment.robbed_kong:
        yield FanItem("robbed_kong", 1, ruleset.robbed_kong_fan)
    if self_draw_bonus(ruleset, moment) is SelfDrawBonus.FAN:
        yield FanItem("self_draw", 1, 1)


def kong_fan(ruleset: Ruleset, kind: MeldKind) -> int:
    match kind:
        case MeldKind.EXPOSED_KONG:
            return ruleset.kong_fan.exposed
        case MeldKind.ADDED_KONG:
            return ruleset.kong_fan.added
        case MeldKind.CONCEALED_KONG:
            return ruleset.kong_fan.concealed
        case MeldKind.PUNG:
            return 0


def self_draw_bonus(ruleset: Ruleset, moment: Moment) -> SelfDrawBonus:
    return ruleset.self_draw_bonus if moment.self_draw and not moment.fed_flower else SelfDrawBonus.NONE


def _scored(ruleset: Ruleset, base: Pattern, gens: int, uncapped_fan: int) -> Score:
    fan = uncapped_fan if ruleset.cap_fan is None else min(uncapped_fan, ruleset.cap_fan)
    multiplier = 2 ** max(0, fan - ruleset.fan_origin)
    jipin = ruleset.jipin_fan is not None and uncapped_fan >= ruleset.jipin_fan
    return Score(base, gens, fan, uncapped_fan, multiplier, jipin)


def units_of(ruleset: Ruleset, multiplier: int, moment: Moment) -> int:
    """What one payer pays for a win (RULES.md section 8)."""
    return multiplier + 1 if self_draw_bonus(ruleset, moment) is SelfDrawBonus.BASE else multiplier


def most_units(ruleset: Ruleset) -> int:
    """No payer pays more for a win: the highest pattern, four gens or kongs, and what the moment may add."""
    fan = max((fan for _, fan in ruleset.patterns), default=0) + 4 * max(ruleset.gen_fan, *ruleset.kong_fan)
    fan += max(ruleset.kong_flower_fan, ruleset.kong_shot_fan, ruleset.robbed_kong_fan) + 1
    return units_of(ruleset, _scored(ruleset, Pattern.PINGHU, 0, fan).multiplier, Moment(self_draw=True))


def _readings(ruleset: Ruleset, holding: Holding) -> Iterator[_Reading]:
    """Every reading that has a winning shape and no three suits."""
    pungs, kongs = holding.melded_codes
    wild = ruleset.wild
    wilds = 0 if wild is None else count_in(holding.codes, wild)
    natural = holding.natural_codes(wild)
    melds_facts = ~0
    for meld in holding.melds:
        melds_facts &= _MELD_FACTS[meld.tile]
    for spread in _spreads(wilds):
        suits = sum(1 for suit in range(3) if natural[suit] or pungs[suit] or kongs[suit] or spread[suit])
        if suits == 3 or (holding.void is not None and spread[holding.void]):
            continue
        whole = ONE_SUIT if suits == 1 else 0
        if len(holding.melds) == 4:
            whole |= FOUR_MELDS
        choices = [suit_readings(natural[suit], pungs[suit], kongs[suit], spread[suit]) for suit in range(3)]
        for manzu in choices[0]:
            for pinzu in choices[1]:
                for souzu in choices[2]:
                    facts = manzu.facts & pinzu.facts & souzu.facts & melds_facts
                    if facts & (SETS | PAIRS):
                        gens = manzu.gens + pinzu.gens + souzu.gens
                        yield _Reading(facts | whole | (FOUR_OF_A_KIND if gens else 0), gens)


def _spreads(wilds: int) -> list[tuple[int, int, int]]:
    """Every way to spread some wilds over the three suits."""
    return [(manzu, pinzu, wilds - manzu - pinzu) for manzu in range(wilds + 1) for pinzu in range(wilds - manzu + 1)]
