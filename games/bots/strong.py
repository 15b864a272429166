"""The strong bot: it plays for units.

Each option is worth what is paid at once, plus what the hand is likely to bring afterwards (`games.bots.worth`), less
what a discard is likely to cost (`games.bots.danger`). A self-draw is always taken; a discard that wins is passed where
going on is worth more.
"""

from games.bots.danger import discard_costs
from games.bots.position import Option, Position, concealed, with_meld
from games.bots.worth import Worth
from games.rules.actions import Action, Kind
from games.rules.holding import Holding, MeldKind

#: The share of a kong's income that is kept: a hand that is not ready at the end pays it back.
_KEPT = 0.9


def choose(position: Position) -> Action:
    choice = _Choice(position)
    return position.action(max(position.view["legal"], key=choice.worth_of))


class _Choice:
    """One decision: what its options are worth, in units."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.worth = Worth(position)
        self.costs = discard_costs(position)

    def worth_of(self, option: Option) -> float:
        position = self.position
        match Kind(option["kind"]):
            case Kind.WIN if position.view["turn"] == position.seat:
                return float("inf")
            case Kind.WIN:
                return float(option["units"] * len(option["payers"]))
            case Kind.VOID:
                return self.worth.of(position.holding._replace(void=position.action(option).suit))
            case Kind.DISCARD:
                return self._after_discard(position.holding, position.tile(option))
            case Kind.KONG:
                return self._kong(option)
            case Kind.PUNG:
                punged = with_meld(position.holding, position.tile(option), MeldKind.PUNG)
                return max(self._after_discard(punged, tile) for tile in concealed(punged))
            case _:
                return self.worth.of(position.holding)

    def _after_discard(self, holding: Holding, tile: int) -> float:
        return self.worth.of(holding.without_tile(tile), discarded_from=holding) - self.costs[tile]

    def _kong(self, option: Option) -> float:
        tile, form = self.position.tile(option), MeldKind(option["form"])
        payments = [option, option["others"]] if "others" in option else [option]
        income: int = sum(payment["units"] * len(payment["payers"]) for payment in payments)
        after = self.worth.of(with_meld(self.position.holding, tile, form), draws_more=1)
        robbed = self.costs[tile] if form is MeldKind.ADDED_KONG else 0.0
        return _KEPT * income + after - robbed
