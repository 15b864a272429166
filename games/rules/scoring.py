"""Scoring lines: one hand judged by itself (RECORD.md, "Scoring line")."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from .errors import ErrorCode, Refusal
from .events import PaymentKind
from .holding import Holding, Meld, MeldKind
from .options import FlowerPayers, Pattern
from .patterns import Moment, fan_items, score, units_of
from .payments import kong_payments
from .ready import is_huazhu, waits
from .ruleset import Ruleset, RulesetError
from .shapes import suit_codes
from .tiles import COPIES, TILES, TileError, parse_suit, parse_tile, parse_tiles, tile_name

#: Facts of the moment of a win.
FLAGS: Final = ("kong_flower", "kong_shot", "robbed_kong", "tianhu", "dihu")
_TILES_WITHOUT_MELDS: Final = 13


class _Line(NamedTuple):
    """A scoring line whose form is right."""

    ruleset: Ruleset
    #: Without the winning tile.
    holding: Holding
    #: None where the waits are asked for.
    win_tile: int | None
    moment: Moment


def score_line(line: object) -> dict[str, Any]:
    """What a scoring line comes to, or {"error": …}."""
    return _answered(line, _scored)


def explain_line(line: object) -> dict[str, Any]:
    """As `score_line`; a win also has its `items`, what its fan is made of, and its `payments`, who pays what for it.

    A payer is told by its part: the `discarder`, the seat `robbed` of a kong, the `feeder` of an exposed kong, `each` other
    live seat, or the `others` beside the feeder. `units` is what one of them pays; null for a kong_transfer, which is what
    the discarder's own kong collected.
    """
    return _answered(line, _explained)


def _answered(line: object, answer: Callable[[_Line], dict[str, Any]]) -> dict[str, Any]:
    try:
        return answer(_read_line(line))
    except Refusal as refusal:
        return refusal.as_json()


def _explained(line: _Line) -> dict[str, Any]:
    outcome = _scored(line)
    if not outcome.get("win"):
        return outcome
    ruleset, holding, _, moment = line
    items = fan_items(ruleset, holding.melds, moment, Pattern(outcome["base"]), outcome["gen"])
    return {
        **outcome,
        "items": [item._asdict() for item in items],
        "payments": [
            {"kind": PaymentKind.WIN.value, "payer": _win_payer(moment), "units": outcome["units"]},
            *_transfers(ruleset, moment),
            *(payment for meld in holding.melds if meld.is_kong for payment in _kong_payments(ruleset, meld)),
        ],
    }


def _win_payer(moment: Moment) -> str:
    if moment.self_draw:
        return "feeder" if moment.fed_flower else "each"
    return "robbed" if moment.robbed_kong else "discarder"


def _transfers(ruleset: Ruleset, moment: Moment) -> list[dict[str, Any]]:
    if not (moment.kong_shot and ruleset.kong_shot_transfer):
        return []
    return [{"kind": PaymentKind.KONG_TRANSFER.value, "payer": "discarder", "units": None}]


def _kong_payments(ruleset: Ruleset, meld: Meld) -> list[dict[str, Any]]:
    winner, feeder, other = 0, 1, 2
    is_fed = meld.kind is MeldKind.EXPOSED_KONG
    parts = {feeder: "feeder", other: "others" if is_fed else "each"}
    paid = kong_payments(ruleset, meld.kind, meld.tile, winner, feeder, [other])
    return [
        {
            "kind": payment.kind.value,
            "meld": {"kind": meld.kind.value, "tile": tile_name(meld.tile)},
            "payer": parts[payment.payer],
            "units": payment.units,
        }
        for payment in paid
    ]


def _scored(line: _Line) -> dict[str, Any]:
    if line.win_tile is None:
        return _readiness(line.ruleset, line.holding)
    return _win(line.ruleset, line.holding, line.win_tile, line.moment)


def _readiness(ruleset: Ruleset, holding: Holding) -> dict[str, Any]:
    found = waits(ruleset, holding)
    return {
        "ready": bool(found),
        "waits": [
            {"tile": tile_name(wait.tile), "fan": wait.score.fan, "multiplier": wait.score.multiplier} for wait in found
        ],
        "huazhu": is_huazhu(ruleset, holding),
    }


def _win(ruleset: Ruleset, holding: Holding, win_tile: int, moment: Moment) -> dict[str, Any]:
    # A discarded wild cannot be claimed (RULES.md section 11).
    claims_a_wild = win_tile == ruleset.wild and not moment.self_draw
    result = None if claims_a_wild else score(ruleset, holding.with_tile(win_tile), moment)
    if result is None:
        return {"win": False}
    return {
        "win": True,
        "base": result.base.value,
        "gen": result.gen,
        "fan": result.fan,
        "uncapped_fan": result.uncapped_fan,
        "multiplier": result.multiplier,
        "units": units_of(ruleset, result.multiplier, moment),
        "jipin": result.jipin,
    }


def _read_line(line: object) -> _Line:
    """Refusal where its form is not right."""
    if not isinstance(line, Mapping):
        raise Refusal(ErrorCode.BAD_FORMAT, "a scoring line is an object")
    try:
        ruleset = Ruleset.parse(line.get("ruleset"))
        holding = _read_holding(ruleset, line)
        if line.get("win_tile") is None:
            _check_copies(map(holding.copies, TILES))
            return _Line(ruleset, holding, None, Moment())
        win_tile = parse_tile(line["win_tile"])
        moment = _read_moment(ruleset, holding, line)
        _check_copies(map(holding.with_tile(win_tile).copies, TILES))
        return _Line(ruleset, holding, win_tile, moment)
    except RulesetError as error:
        raise Refusal(ErrorCode.UNKNOWN_RULESET, str(error)) from error
    except TileError as error:
        raise Refusal(ErrorCode.BAD_FORMAT, str(error)) from error


def _read_holding(ruleset: Ruleset, line: Mapping[str, Any]) -> Holding:
    concealed = line.get("concealed")
    if not isinstance(concealed, str):
        raise Refusal(ErrorCode.BAD_FORMAT, "concealed is not a text")
    tiles = parse_tiles(concealed)
    _check_copies(map(tiles.count, TILES))  # here already: a suit code has no room for eight of a tile
    entries = line.get("melds", [])
    if not isinstance(entries, list):
        raise Refusal(ErrorCode.BAD_FORMAT, "melds are not a list")
    melds = tuple(_read_meld(ruleset, entry) for entry in entries)
    if len(tiles) != _TILES_WITHOUT_MELDS - 3 * len(melds):
        raise Refusal(ErrorCode.BAD_FORMAT, "wrong number of concealed tiles")
    void = line.get("void")
    manzu, pinzu, souzu = suit_codes(tiles)
    return Holding((manzu, pinzu, souzu), melds, None if void is None else parse_suit(void))


def _read_meld(ruleset: Ruleset, entry: object) -> Meld:
    if not isinstance(entry, Mapping) or entry.get("kind") not in list(MeldKind):
        raise Refusal(ErrorCode.BAD_FORMAT, f"not a meld: {entry!r}")
    tile = parse_tile(entry.get("tile"))
    if tile == ruleset.wild:
        raise Refusal(ErrorCode.BAD_FORMAT, "a wild is never melded")
    return Meld(MeldKind(entry["kind"]), tile)


def _check_copies(of_each_tile: Iterable[int]) -> None:
    if any(copies > COPIES for copies in of_each_tile):
        raise Refusal(ErrorCode.BAD_FORMAT, "more than four copies of a tile")


def _read_moment(ruleset: Ruleset, holding: Holding, line: Mapping[str, Any]) -> Moment:
    self_draw = line.get("self_draw", False)
    if not isinstance(self_draw, bool):
        raise Refusal(ErrorCode.BAD_FORMAT, "self_draw is not true or false")
    flags = line.get("flags", [])
    if not isinstance(flags, list) or not all(isinstance(flag, str) and flag in FLAGS for flag in flags):
        raise Refusal(ErrorCode.BAD_FORMAT, f"flags are some of {', '.join(FLAGS)}")
    kongs = [meld for meld in holding.melds if meld.is_kong]
    fed = bool(kongs) and kongs[-1].kind is MeldKind.EXPOSED_KONG
    moment = Moment(
        self_draw=self_draw,
        kong_flower="kong_flower" in flags,
        fed_flower="kong_flower" in flags and fed and ruleset.exposed_kong_flower is FlowerPayers.DISCARDER,
        kong_shot="kong_shot" in flags,
        robbed_kong="robbed_kong" in flags,
        tianhu="tianhu" in flags,
        dihu="dihu" in flags,
    )
    _check_moment(holding, moment)
    return moment


def _check_moment(holding: Holding, moment: Moment) -> None:
    """Flags may not contradict each other, the self-draw or the melds."""
    if moment.self_draw and (moment.kong_shot or moment.robbed_kong):
        raise Refusal(ErrorCode.BAD_FORMAT, "a kong shot and a robbed kong are no self-draws")
    if moment.kong_shot and moment.robbed_kong:
        raise Refusal(ErrorCode.BAD_FORMAT, "a win is not both a kong shot and a robbed kong")
    if not moment.self_draw and (moment.kong_flower or moment.tianhu or moment.dihu):
        raise Refusal(ErrorCode.BAD_FORMAT, "kong flower, tianhu and dihu are self-draws")
    if moment.kong_flower and not any(meld.is_kong for meld in holding.melds):
        raise Refusal(ErrorCode.BAD_FORMAT, "a kong flower needs a kong")
    if (moment.tianhu or moment.dihu) and holding.melds:
        raise Refusal(ErrorCode.BAD_FORMAT, "tianhu and dihu have no melds")
    if moment.tianhu and moment.dihu:
        raise Refusal(ErrorCode.BAD_FORMAT, "a win is not both tianhu and dihu")
