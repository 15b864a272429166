"""The policy that plays for bots and for absent seats (托管).

It is handed one seat's view (`games.rules.views.view_for`) and nothing else, so it cannot know more than a player in
that seat. It wins whenever it can, kongs when that keeps its suits, pungs towards a hand it collects, and discards
the tile that helps least."""

from collections import Counter
from typing import Any, Final

from games.rules.hand import Action, Kind
from games.rules.tiles import parse_suit, parse_tile

View = dict[str, Any]

_SUITS: Final = "mps"


def choose(view: View, seat: int) -> Action:
    """The decision of `seat` in a view of its own that has legal actions."""
    legal = view["legal"]
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for option in legal:
        by_kind.setdefault(option["kind"], []).append(option)
    if "win" in by_kind:
        return _action(seat, by_kind["win"][0])
    if "void" in by_kind:
        return _action(seat, min(by_kind["void"], key=lambda option: _suit_weight(view, seat, option["suit"])))
    unwanted = _unwanted_suit(view, seat)
    for option in by_kind.get("kong", []):
        if _tile(view, option)[1] != unwanted:
            return _action(seat, option)
    for option in by_kind.get("pung", []):
        if _tile(view, option)[1] != unwanted and _pung_helps(view, seat, _tile(view, option)):
            return _action(seat, option)
    if "pass" in by_kind:
        return _action(seat, by_kind["pass"][0])
    return _action(seat, _discard(view, seat, by_kind["discard"], unwanted))


def _tile(view: View, option: dict[str, Any]) -> str:
    """The tile of a kong or pung; a claim is on the last tile."""
    return str(option.get("tile") or view["last"]["tile"])


def _action(seat: int, option: dict[str, Any]) -> Action:
    """The core's action for a legal option."""
    tile, suit = option.get("tile"), option.get("suit")
    return Action(seat, Kind(option["kind"]), parse_tile(tile) if tile else None, parse_suit(suit) if suit else None)


def _discard(view: View, seat: int, options: list[dict[str, Any]], unwanted: str | None) -> dict[str, Any]:
    """A discard that leaves the hand ready where there is one (most tiles times multiplier), else the loosest tile."""
    ready = view.get("discards") or {}

    def chance(option: dict[str, Any]) -> int:
        return sum(wait["left"] * wait["multiplier"] for wait in ready.get(option["tile"], ()))

    best = max(options, key=chance)
    if chance(best) > 0:
        return best
    held = Counter(view["seats"][seat]["hand"])
    return min(options, key=lambda option: (option["tile"][1] != unwanted, _usefulness(held, option["tile"])))


def _usefulness(held: Counter[str], tile: str) -> float:
    """How much a tile of the hand belongs with its neighbours."""
    rank, suit = int(tile[0]), tile[1]
    near = sum(held[f"{rank + step}{suit}"] > 0 for step in (-1, 1))
    far = sum(held[f"{rank + step}{suit}"] > 0 for step in (-2, 2))
    same = held[tile] - 1
    middle = 1 - abs(rank - 5) / 10
    return 3.0 * same + 2.0 * near + 1.0 * far + 0.5 * middle


def _suit_weight(view: View, seat: int, suit: str) -> float:
    held = Counter(view["seats"][seat]["hand"])
    return sum(count * (1 + _usefulness(held, tile) / 10) for tile, count in held.items() if tile[1] == suit)


def _unwanted_suit(view: View, seat: int) -> str | None:
    """The suit to get rid of: the void suit, else the lightest one that no meld is of (a hand wins with two suits at
    most).
    """
    me = view["seats"][seat]
    if me["void"]:
        return str(me["void"])
    melded = {meld["tile"][1] for meld in me["melds"]}
    free = [suit for suit in _SUITS if suit not in melded]
    return min(free, key=lambda suit: _suit_weight(view, seat, suit)) if free else None


def _pung_helps(view: View, seat: int, tile: str) -> bool:
    """A pung is worth it for a hand of many pairs, or where the pair stands alone; a ready hand stays as it is."""
    if view["waits"]:
        return False
    held = Counter(view["seats"][seat]["hand"])
    pairs = sum(count >= 2 for count in held.values())
    rank, suit = int(tile[0]), tile[1]
    lonely = not any(held[f"{rank + step}{suit}"] for step in (-1, 1))
    return lonely or pairs + 2 * len(view["seats"][seat]["melds"]) >= 4
