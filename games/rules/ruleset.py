"""Rulesets: a preset room with options laid over it (RULES.md, all sections; presets.json beside this file)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from .options import (
    OPTIONS,
    DealerRule,
    FlowerPayers,
    ForcedWin,
    KongFan,
    LeaverWins,
    Mode,
    Option,
    OptionKind,
    PassWin,
    Pattern,
    PatternFan,
    RefundTo,
    RulesetError,
    SelfDrawBonus,
)

__all__ = ["OPTIONS", "PRESETS", "Option", "OptionKind", "Pattern", "Preset", "Ruleset", "RulesetError"]

#: A ruleset in JSON: the id of a preset, or {"preset": id, "options": {name: value}}.
RulesetSpec = str | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The value of every option. OPTIONS says what each of them means."""

    preset: str
    mode: Mode
    void_suit: bool
    wild: int | None
    patterns: PatternFan
    fan_origin: int
    cap_fan: int | None
    base_points: int
    gen_fan: int
    kong_fan: KongFan
    kong_flower_fan: int
    kong_shot_fan: int
    robbed_kong_fan: int
    self_draw_bonus: SelfDrawBonus
    exposed_kong_units: int
    exposed_kong_others_units: int
    added_kong_units: int
    concealed_kong_units: int
    exposed_kong_flower: FlowerPayers
    kong_shot_transfer: bool
    huazhu_units: int
    huazhu_pays_winners: bool
    huazhu_pays_dajiao: bool
    dajiao_gap: bool
    kong_refund_to: RefundTo
    pass_win: PassWin
    forced_win: ForcedWin
    leaver_wins: LeaverWins
    escape_units: int
    dealer: DealerRule
    jipin_fan: int | None

    @classmethod
    def parse(cls, spec: object) -> "Ruleset":
        """The ruleset that a JSON value stands for."""
        if isinstance(spec, str):
            return _preset(spec).ruleset
        if not isinstance(spec, Mapping) or not set(spec) <= {"preset", "options"}:
            raise RulesetError(f"a ruleset is a preset or a preset and its options, not {spec!r}")
        preset, options = spec.get("preset"), spec.get("options", {})
        if not isinstance(preset, str):
            raise RulesetError(f"preset {preset!r} is not a text")
        if not isinstance(options, Mapping):
            raise RulesetError(f"options {options!r} are not an object")
        return cls._with_options(preset, {**_preset(preset).ruleset.options(), **options})

    @classmethod
    def _with_options(cls, preset: str, options: Mapping[str, object]) -> "Ruleset":
        for name, value in options.items():
            if name not in OPTIONS:
                raise RulesetError(f"no option {name}, given as {value!r}: options are {', '.join(OPTIONS)}")
        return cls(preset=preset, **{name: option.read(options[name]) for name, option in OPTIONS.items()})

    def options(self) -> dict[str, Any]:
        """Every option as a JSON value."""
        return {name: option.to_json(getattr(self, name)) for name, option in OPTIONS.items()}

    @property
    def spec(self) -> RulesetSpec:
        """The shortest JSON value that stands for this ruleset: its preset and what differs from it."""
        usual = _preset(self.preset).ruleset.options()
        differing = {name: value for name, value in self.options().items() if value != usual[name]}
        return {"preset": self.preset, "options": differing} if differing else self.preset


assert [field.name for field in fields(Ruleset)] == ["preset", *OPTIONS], "Ruleset and OPTIONS list the same options"


@dataclass(frozen=True, slots=True)
class Preset:
    """One of the rooms that the rules describe."""

    id: str
    label: str
    source: str
    ruleset: Ruleset


def _load_presets() -> dict[str, Preset]:
    entries = json.loads((Path(__file__).parent / "presets.json").read_text(encoding="utf-8"))
    return {
        name: Preset(name, entry["label"], entry["source"], Ruleset._with_options(name, entry["options"]))
        for name, entry in entries.items()
    }


PRESETS: Final[Mapping[str, Preset]] = _load_presets()


def _preset(name: str) -> Preset:
    if name not in PRESETS:
        raise RulesetError(f"no preset {name}: presets are {', '.join(PRESETS)}")
    return PRESETS[name]
