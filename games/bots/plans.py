"""What a hand can be played for, how far it is from that, and which tiles bring it nearer."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from games.bots import distance
from games.bots.distance import Form, Plan
from games.rules.holding import Holding
from games.rules.options import Pattern, PatternFan
from games.rules.ruleset import Ruleset
from games.rules.shapes import count_in

# The patterns that a form makes, in two suits and (besides these) in one.
_PATTERNS: Final = {
    Form.SETS: ((Pattern.PINGHU,), (Pattern.QINGYISE,)),
    Form.TRIPLETS: ((Pattern.DUIDUIHU, Pattern.PINGHU), (Pattern.QINGDUI, Pattern.QINGYISE)),
    Form.PAIRS: ((Pattern.QIDUI, Pattern.PINGHU), (Pattern.QINGQIDUI, Pattern.QINGYISE)),
}


def plans(ruleset: Ruleset, holding: Holding) -> dict[Plan, int]:
    """The plans open to a hand, with the fan of the pattern that each comes to in the ruleset's fan table.

    Where the table lists none of their patterns, the hand is played as if it listed pinghu. Melds of three suits leave
    no plan.
    """
    melded = frozenset(meld.tile // 9 for meld in holding.melds)
    return _plans(ruleset.patterns, melded, holding.void) or _plans(((Pattern.PINGHU, 0),), melded, holding.void)


@lru_cache(maxsize=1 << 10)
def _plans(listed: PatternFan, melded: frozenset[int], void: int | None) -> dict[Plan, int]:
    fan_of = dict(listed)
    suits = [suit for suit in range(3) if suit != void]
    found = {}
    for some in (*combinations(suits, 2), *combinations(suits, 1)):
        for form, (usual, in_one_suit) in _PATTERNS.items():
            patterns = usual if len(some) == 2 else (*usual, *in_one_suit)
            fans = [fan_of[pattern] for pattern in patterns if pattern in fan_of]
            if fans and melded <= set(some) and not (melded and form == Form.PAIRS):
                found[Plan(form, some)] = max(fans)
    return found


def lacking(ruleset: Ruleset, holding: Holding, plan: Plan) -> int:
    """How many tiles a hand lacks for a plan: 0 is a win, 1 of a hand about to draw is ready."""
    codes, wilds = _natural(ruleset, holding)
    return max(0, distance.missing(codes, len(holding.melds), plan) - wilds)


def nearer(ruleset: Ruleset, holding: Holding, plan: Plan) -> list[int]:
    """The tiles after which a hand lacks one less."""
    codes, _wilds = _natural(ruleset, holding)
    tiles = distance.nearer(codes, len(holding.melds), plan)
    return tiles if ruleset.wild is None else [ruleset.wild, *(tile for tile in tiles if tile != ruleset.wild)]


def _natural(ruleset: Ruleset, holding: Holding) -> tuple[Sequence[int], int]:
    """The suit codes without the wilds, and the number of wilds."""
    wild = ruleset.wild
    return holding.natural_codes(wild), 0 if wild is None else count_in(holding.codes, wild)
