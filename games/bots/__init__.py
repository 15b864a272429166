"""The policies that play for bots, and for absent seats (托管): three strengths, docs/bots.md.

A policy is a function of one seat's view (`games.rules.views.view_for`) and of the ruleset, so it cannot know more than
a player in that seat, and every process comes to the same decision.
"""

from enum import StrEnum
from typing import Final

from games.bots import easy, normal, strong
from games.bots.position import Position, View
from games.rules.actions import Action
from games.rules.ruleset import Ruleset


class Strength(StrEnum):
    EASY = "easy"
    NORMAL = "normal"
    STRONG = "strong"


_POLICIES: Final = {Strength.EASY: easy.choose, Strength.NORMAL: normal.choose, Strength.STRONG: strong.choose}


def choose(view: View, ruleset: Ruleset, strength: Strength = Strength.NORMAL) -> Action:
    """The decision of the seat whose view it is, where that has legal actions."""
    return _POLICIES[strength](Position(view, ruleset))
