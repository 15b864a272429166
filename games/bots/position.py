"""What a policy knows: one seat's view (`games.rules.views.view_for`) and the ruleset of the table, which is public."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from games.rules.actions import Action, Kind
from games.rules.holding import Holding, Meld, MeldKind
from games.rules.ruleset import Ruleset
from games.rules.shapes import count_in, suit_codes
from games.rules.tiles import COPIES, SUITS, TILES, parse_suit, parse_tile
from games.rules.wall import SEATS

View = dict[str, Any]
#: An entry of a view's "legal".
Option = dict[str, Any]


@dataclass(frozen=True)
class Opponent:
    """Another live seat, as everybody sees it."""

    seat: int
    void: int | None
    melds: tuple[Meld, ...]
    #: Its discards, first one first.
    river: tuple[int, ...]


@dataclass(frozen=True)
class Position:
    """A decision of one seat."""

    view: View
    ruleset: Ruleset

    @property
    def seat(self) -> int:
        return int(self.view["seat"])

    def options(self, kind: Kind) -> list[Option]:
        """The legal options of a kind."""
        return [option for option in self.view["legal"] if option["kind"] == kind.value]

    def action(self, option: Option) -> Action:
        """The core's action for a legal option."""
        tile, suit = option.get("tile"), option.get("suit")
        return Action(
            self.seat, Kind(option["kind"]), parse_tile(tile) if tile else None, parse_suit(suit) if suit else None
        )

    def tile(self, option: Option) -> int:
        """The tile of an option; a claim is on the last tile."""
        return parse_tile(option.get("tile") or self.view["last"]["tile"])

    @cached_property
    def holding(self) -> Holding:
        """The seat's own tiles, the one drawn among them."""
        mine = self.view["seats"][self.seat]
        manzu, pinzu, souzu = suit_codes(parse_tile(name) for name in mine["hand"])
        return Holding((manzu, pinzu, souzu), _melds(mine), _void(mine))

    @cached_property
    def opponents(self) -> tuple[Opponent, ...]:
        """The other live seats, in play order."""
        around = [(self.seat + step) % SEATS for step in range(1, SEATS)]
        shown = [(seat, self.view["seats"][seat]) for seat in around]
        return tuple(
            Opponent(seat, _void(one), _melds(one), tuple(parse_tile(river["tile"]) for river in one["river"]))
            for seat, one in shown
            if one["won"] is None and not one["left"]
        )

    @cached_property
    def left(self) -> tuple[int, ...]:
        """How many copies of each tile the seat has not seen: they are in the wall or in other hands.

        A claimed discard still stands in its river, so it is counted there and not in the meld or win that took it.
        """
        left = [COPIES] * len(TILES)
        robbed = set()
        for name in self.view["seats"][self.seat]["hand"]:
            left[parse_tile(name)] -= 1
        for one in self.view["seats"]:
            for river in one["river"]:
                left[parse_tile(river["tile"])] -= 1
            for meld in _melds(one):
                left[meld.tile] -= meld.size if meld.source is None else meld.size - 1
            won = one["won"]
            if won is not None and won["by"] == "self_draw":
                left[parse_tile(won["tile"])] -= 1
            elif won is not None and won["by"] == "robbed_kong":
                robbed.add(parse_tile(won["tile"]))
        for tile in robbed:
            left[tile] -= 1
        return tuple(left)

    @property
    def draws(self) -> int:
        """How often the seat will still draw, if nobody wins, pungs or kongs. Everybody else draws first; where a tile may be
        claimed, those who play between its seat and this one."""
        live = len(self.opponents) + 1
        last = self.view["last"] if self.view["turn"] is None else None
        before = [opponent.seat for opponent in self.opponents]
        if last and last["seat"] in before:
            before = before[before.index(last["seat"]) + 1 :]
        return (int(self.view["wall"]) + live - 1 - len(before)) // live


def _void(seat: View) -> int | None:
    return None if seat["void"] is None else SUITS.index(seat["void"])


def _melds(seat: View) -> tuple[Meld, ...]:
    return tuple(Meld(MeldKind(meld["kind"]), parse_tile(meld["tile"]), meld["from"]) for meld in seat["melds"])


def concealed(holding: Holding) -> list[int]:
    """The tiles that a hand holds, each once."""
    return [tile for tile in TILES if count_in(holding.codes, tile)]


def with_meld(holding: Holding, tile: int, kind: MeldKind, source: int | None = None) -> Holding:
    """The holding after a pung or kong of a tile, its own copies put down."""
    if kind is MeldKind.ADDED_KONG:
        melds: Sequence[Meld] = [meld._replace(kind=kind) if meld.tile == tile else meld for meld in holding.melds]
        return holding.without_tile(tile)._replace(melds=tuple(melds))
    own = {MeldKind.PUNG: 2, MeldKind.EXPOSED_KONG: 3}.get(kind, COPIES)
    for _copy in range(own):
        holding = holding.without_tile(tile)
    return holding._replace(melds=(*holding.melds, Meld(kind, tile, source)))
