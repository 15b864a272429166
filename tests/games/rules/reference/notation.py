"""Section 1: tiles are texts such as "5m". What a ruleset is, and what an error is (RECORD.md)."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

SUITS = "mps"
KINDS = [f"{rank}{suit}" for suit in SUITS for rank in range(1, 10)]
PLACE = {tile: place for place, tile in enumerate(KINDS)}
ALL = sorted(KINDS * 4)
SEATS = range(4)

Options = Mapping[str, Any]

PRESETS: dict[str, dict[str, Any]] = {
    name: preset["options"]
    for name, preset in json.loads(
        (Path(__file__).parents[4] / "games" / "rules" / "presets.json").read_text(encoding="utf-8")
    ).items()
}


class Meld(NamedTuple):
    kind: str
    tile: str

    @property
    def tiles(self) -> list[str]:
        return [self.tile] * (3 if self.kind == "pung" else 4)


class Fault(Exception):
    """What cannot be judged: a code of RECORD.md and the index of the action, if it is one's fault."""

    def __init__(self, code: str, at: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.at = at

    @property
    def outcome(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "at": self.at, "message": self.code}}


def in_order(tiles: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(tiles, key=PLACE.__getitem__))


def read_tiles(text: object) -> list[str]:
    """The tiles of groups such as 123m44s."""
    if not isinstance(text, str):
        raise Fault("bad_format")
    tiles: list[str] = []
    ranks = ""
    for letter in text:
        if letter in "123456789":
            ranks += letter
        elif letter in SUITS and ranks:
            tiles += [rank + letter for rank in ranks]
            ranks = ""
        else:
            raise Fault("bad_format")
    if ranks:
        raise Fault("bad_format")
    return tiles


def read_ruleset(ruleset: object) -> Options:
    """All options. Values are looked at only as far as a wrong one would be noticed by nobody else."""
    if isinstance(ruleset, str):
        ruleset = {"preset": ruleset}
    if not isinstance(ruleset, dict) or not isinstance(ruleset.get("preset"), str):
        raise Fault("unknown_ruleset")
    if ruleset["preset"] not in PRESETS:
        raise Fault("unknown_ruleset")
    options = {**PRESETS[ruleset["preset"]], **ruleset.get("options", {})}
    if set(options) != set(PRESETS["jj"]) or options["wild"] not in (None, "1s"):
        raise Fault("unknown_ruleset")
    return options
