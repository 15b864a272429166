"""The options of a ruleset: kinds, allowed values and descriptions.

OPTIONS lists every option once. A ruleset is read and written through it, and forms and documentation are made from it.
The type and meaning of each value in the program is the field of the same name of Ruleset (see ruleset.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from .tiles import parse_tile, tile_name


class RulesetError(ValueError):
    """A ruleset that does not exist; the message names the option, the value and what is allowed."""


class Mode(StrEnum):
    SINGLE = "single"
    XUEZHAN = "xuezhan"


class SelfDrawBonus(StrEnum):
    NONE = "none"
    BASE = "base"
    FAN = "fan"


class FlowerPayers(StrEnum):
    ALL = "all"
    DISCARDER = "discarder"


class RefundTo(StrEnum):
    PAYERS = "payers"
    READY = "ready"


class PassWin(StrEnum):
    FREE = "free"
    UNTIL_DRAW = "until_draw"
    UNLESS_HIGHER = "unless_higher"


class ForcedWin(StrEnum):
    OFF = "off"
    LAST_FOUR = "last_four"
    LAST_FOUR_SELF_DRAW = "last_four_self_draw"


class LeaverWins(StrEnum):
    DEFERRED = "deferred"
    FORFEIT = "forfeit"


class DealerRule(StrEnum):
    RANDOM = "random"
    DISCARDER = "discarder"
    FIRST_WINNER = "first_winner"


class Pattern(StrEnum):
    """The base patterns, in the order of RULES.md section 7: between equals the first counts."""

    TIANHU = "tianhu"
    DIHU = "dihu"
    QINGLONGQIDUI = "qinglongqidui"
    QINGYAOJIU = "qingyaojiu"
    QINGQIDUI = "qingqidui"
    LONGQIDUI = "longqidui"
    JIANGDUI = "jiangdui"
    QINGDUI = "qingdui"
    QIDUI = "qidui"
    DAIYAOJIU = "daiyaojiu"
    QINGYISE = "qingyise"
    JINGOUDIAO = "jingoudiao"
    DUIDUIHU = "duiduihu"
    PINGHU = "pinghu"


class KongFan(NamedTuple):
    exposed: int
    added: int
    concealed: int


#: The fan of each listed pattern, in the order of Pattern.
PatternFan = tuple[tuple[Pattern, int], ...]


class OptionKind(StrEnum):
    BOOL = "bool"
    INT = "int"
    NULLABLE_INT = "nullable_int"
    CHOICE = "choice"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option. Values are JSON values outside and typed values (enums, tuples, tiles) inside."""

    name: str
    kind: OptionKind
    chinese: str
    english: str
    #: Bounds of an int, and of each number in a table.
    lowest: int = 0
    highest: int = 0
    #: The values of a choice.
    choices: tuple[str | None, ...] = ()
    #: The rows of a table. Where not all are needed, one of them is.
    rows: tuple[str, ...] = ()
    needs_all_rows: bool = False
    #: From a valid JSON value to the typed value, and back.
    to_typed: Callable[[Any], Any] = lambda value: value
    to_json: Callable[[Any], Any] = lambda value: value

    @property
    def allowed(self) -> str:
        """What is allowed, for messages and documentation."""
        numbers = f"a whole number from {self.lowest} to {self.highest}"
        match self.kind:
            case OptionKind.BOOL:
                return "true or false"
            case OptionKind.INT:
                return numbers
            case OptionKind.NULLABLE_INT:
                return f"null or {numbers}"
            case OptionKind.CHOICE:
                return "one of " + ", ".join("null" if choice is None else choice for choice in self.choices)
            case OptionKind.TABLE:
                which = "all" if self.needs_all_rows else "some"
                return f"a table of {which} of {', '.join(self.rows)}, each {numbers}"

    @property
    def json_schema(self) -> dict[str, Any]:
        """What is allowed, as JSON Schema."""
        number = {"type": "integer", "minimum": self.lowest, "maximum": self.highest}
        schema: dict[str, Any] = {"description": self.english}
        match self.kind:
            case OptionKind.BOOL:
                schema |= {"type": "boolean"}
            case OptionKind.INT:
                schema |= number
            case OptionKind.NULLABLE_INT:
                schema |= number | {"type": ["integer", "null"]}
            case OptionKind.CHOICE:
                schema |= {"enum": list(self.choices)}
            case OptionKind.TABLE:
                rows = dict.fromkeys(map(str, self.rows), number)
                schema |= {"type": "object", "properties": rows, "additionalProperties": False}
                schema |= {"required": list(rows)} if self.needs_all_rows else {"minProperties": 1}
        return schema

    def read(self, value: object) -> Any:
        """The typed value of a JSON value."""
        if not self._is_valid(value):
            raise RulesetError(f"option {self.name} cannot be {value!r}: it is {self.allowed}")
        return self.to_typed(value)

    def _is_valid(self, value: object) -> bool:
        match self.kind:
            case OptionKind.BOOL:
                return isinstance(value, bool)
            case OptionKind.INT:
                return self._is_number(value)
            case OptionKind.NULLABLE_INT:
                return value is None or self._is_number(value)
            case OptionKind.CHOICE:
                return (value is None or isinstance(value, str)) and value in self.choices
            case OptionKind.TABLE:
                return self._is_table(value)

    def _is_number(self, value: object) -> bool:
        # In Python true and false are ints, in JSON they are not.
        return isinstance(value, int) and not isinstance(value, bool) and self.lowest <= value <= self.highest

    def _is_table(self, value: object) -> bool:
        if not isinstance(value, Mapping) or not value or not set(value) <= set(self.rows):
            return False
        if self.needs_all_rows and len(value) != len(self.rows):
            return False
        return all(self._is_number(number) for number in value.values())


_MAX_FAN: Final = 20
_MAX_UNITS: Final = 1000
_MAX_BASE_POINTS: Final = 10_000


def _bool(name: str, chinese: str, english: str) -> Option:
    return Option(name=name, kind=OptionKind.BOOL, chinese=chinese, english=english)


def _fan(name: str, chinese: str, english: str) -> Option:
    return Option(name=name, kind=OptionKind.INT, highest=_MAX_FAN, chinese=chinese, english=english)


def _fan_or_null(name: str, chinese: str, english: str) -> Option:
    return Option(name=name, kind=OptionKind.NULLABLE_INT, highest=_MAX_FAN, chinese=chinese, english=english)


def _units(name: str, chinese: str, english: str) -> Option:
    return Option(name=name, kind=OptionKind.INT, highest=_MAX_UNITS, chinese=chinese, english=english)


def _choice(name: str, values: type[StrEnum], chinese: str, english: str) -> Option:
    return Option(
        name=name,
        kind=OptionKind.CHOICE,
        choices=tuple(member.value for member in values),
        to_typed=values,
        to_json=str,
        chinese=chinese,
        english=english,
    )


def _pattern_fan(table: Mapping[str, int]) -> PatternFan:
    return tuple((pattern, table[pattern]) for pattern in Pattern if pattern in table)


def _pattern_table(patterns: PatternFan) -> dict[str, int]:
    return {pattern.value: fan for pattern, fan in patterns}


def _kong_fan(table: Mapping[str, int]) -> KongFan:
    return KongFan(**table)


def _kong_table(fan: KongFan) -> dict[str, int]:
    return fan._asdict()


def _tile_or_none(name: str | None) -> int | None:
    return None if name is None else parse_tile(name)


def _name_or_none(tile: int | None) -> str | None:
    return None if tile is None else tile_name(tile)


_ALL_OPTIONS: Final = (
    _choice(
        "mode", Mode, "一手打到什么时候", "When a hand ends: with the first win, or when one player is left (血战到底)"
    ),
    _bool("void_suit", "定缺", "Everyone names a suit to do without after the deal (定缺)"),
    Option(
        name="wild",
        kind=OptionKind.CHOICE,
        choices=(None, "1s"),
        to_typed=_tile_or_none,
        to_json=_name_or_none,
        chinese="任用牌（幺鸡任用）",
        english="Wild tile (任用)",
    ),
    Option(
        name="patterns",
        kind=OptionKind.TABLE,
        highest=_MAX_FAN,
        rows=tuple(Pattern),
        to_typed=_pattern_fan,
        to_json=_pattern_table,
        chinese="牌型番数；未列出的牌型不计",
        english="Fan of each pattern; a pattern not listed does not count",
    ),
    _fan("fan_origin", "一倍所对应的番数", "Fan that is worth one unit"),
    _fan_or_null("cap_fan", "封顶番数", "Most fan that count (封顶)"),
    Option(
        name="base_points",
        kind=OptionKind.INT,
        lowest=1,
        highest=_MAX_BASE_POINTS,
        chinese="每一单位的点数（底分）",
        english="Points of one unit",
    ),
    _fan("gen_fan", "每根加番", "Fan of each four of a kind that is no declared kong (根)"),
    Option(
        name="kong_fan",
        kind=OptionKind.TABLE,
        highest=_MAX_FAN,
        rows=KongFan._fields,
        needs_all_rows=True,
        to_typed=_kong_fan,
        to_json=_kong_table,
        chinese="胡牌者每杠加番（直杠、补杠、暗杠）",
        english="Fan of each declared kong of the winner",
    ),
    _fan("kong_flower_fan", "杠上花加番", "Fan of a win on a kong's replacement tile (杠上花)"),
    _fan("kong_shot_fan", "杠上炮加番", "Fan of a win on the discard after a kong (杠上炮)"),
    _fan("robbed_kong_fan", "抢杠加番", "Fan of robbing a kong (抢杠)"),
    _choice("self_draw_bonus", SelfDrawBonus, "自摸加底或加番", "What a self-draw adds (自摸)"),
    _units("exposed_kong_units", "直杠：点杠者付", "Exposed kong (直杠): units from the player who fed it"),
    _units(
        "exposed_kong_others_units",
        "直杠：其余没胡的各家付",
        "Exposed kong: units from each other player who has not won",
    ),
    _units(
        "added_kong_units", "补杠（面下杠）：没胡的各家付", "Added kong (补杠): units from each player who has not won"
    ),
    _units(
        "concealed_kong_units", "暗杠：没胡的各家付", "Concealed kong (暗杠): units from each player who has not won"
    ),
    _choice(
        "exposed_kong_flower",
        FlowerPayers,
        "直杠杠上花由谁付",
        "Who pays for a win on the replacement of an exposed kong",
    ),
    _bool(
        "kong_shot_transfer",
        "杠上炮呼叫转移",
        "A win on the discard after a kong takes what the kong collected (呼叫转移)",
    ),
    _units("huazhu_units", "查花猪：每家赔付", "Three-suit hand (花猪) at a drawn hand: units to each player"),
    _bool("huazhu_pays_winners", "花猪也赔已胡的各家", "A three-suit hand pays players who have won, too"),
    _bool("huazhu_pays_dajiao", "花猪也赔大叫", "A three-suit hand also pays as one that is not ready (大叫)"),
    _bool("dajiao_gap", "听牌各家补价差", "Ready players pay the difference to a better ready hand (补价差)"),
    _choice(
        "kong_refund_to",
        RefundTo,
        "没听牌的，杠钱退给谁",
        "To whom a player who is not ready refunds kong payments (退税)",
    ),
    _choice("pass_win", PassWin, "过水不胡", "What a player who passed a win may win before the next draw (过水)"),
    _choice("forced_win", ForcedWin, "最后四张必胡", "Wins that must be taken with the last four tiles"),
    _choice("leaver_wins", LeaverWins, "已胡者离开", "What becomes of the wins of a player who leaves after winning"),
    _units("escape_units", "逃跑：赔付各家", "Leaving without a win (逃跑): units to each player who has not won"),
    _choice("dealer", DealerRule, "下一局庄家", "Dealer of the next hand"),
    _fan_or_null("jipin_fan", "极品番数", "Fan from which on a win is a top hand (极品)"),
)

OPTIONS: Final[Mapping[str, Option]] = {option.name: option for option in _ALL_OPTIONS}
