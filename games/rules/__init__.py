"""The rules of Sichuan mahjong as a pure library: no clock, no network, no database (docs/rules/RULES.md, RECORD.md).

From the ground up; a module imports only from those above it:

- tiles      tiles and their notation
- wall       the 108 tiles, the deal, the provably fair shuffle
- options    every option of a ruleset: kind, allowed values, description
- ruleset    Ruleset and the presets
- shapes     winning shapes: tables over the tiles of one suit
- holding    what a seat holds: concealed tiles, melds, void suit
- wild       readings of the tiles of one suit, wilds included
- patterns   base patterns, gen, fan, multiplier
- ready      waits, ready hands, huazhu
- actions    what a seat may do, and why it may not
- events     what becomes of an action, payments and wins
- result     the result of a hand, the next dealer
- state      Hand and Seat: all that is known of a hand in play
- payments   who pays what for kongs and wins
- drawn      the settlement of a drawn hand, and of an escape
- flow       what happens between decisions: draws, wins, the end
- voids, claims, turn, leaving    the decisions of each phase
- hand       the phases together: apply, legal_actions, automatic_actions
- explain    why: the fan of a win item by item, the rule and the facts behind a payment
- figures    what a hand was to each seat, for statistics
- views      what a seat or a spectator sees
- settlement coins, rake, levels
- errors     why a line or record cannot be judged
- scoring    scoring lines
- stopping   a hand that is ended from outside
- record     hand records: writing, replaying, judging
"""

from typing import Final

from .hand import Action, Hand, IllegalAction, Kind, Phase, apply, automatic_actions, legal_actions
from .ruleset import PRESETS, Ruleset, RulesetError

#: The version of these rules, kept with each hand: raised when the same decisions come to another result.
ENGINE: Final = "1"

__all__ = [
    "ENGINE",
    "PRESETS",
    "Action",
    "Hand",
    "IllegalAction",
    "Kind",
    "Phase",
    "Ruleset",
    "RulesetError",
    "apply",
    "automatic_actions",
    "legal_actions",
]
