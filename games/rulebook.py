"""A room's rules in words: one line for the lobby, the sections of the rules page, and every option with its value.

Everything is computed from the ruleset, so that the page cannot say anything else than what is played.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from games.rules.options import (
    OPTIONS,
    DealerRule,
    FlowerPayers,
    ForcedWin,
    LeaverWins,
    Mode,
    Option,
    OptionKind,
    PassWin,
    RefundTo,
    SelfDrawBonus,
)
from games.rules.ruleset import Ruleset
from games.rules.tiles import tile_name
from games.words import pattern_name, tile_words

_CHOICES: Final[Mapping[str, Promise]] = {
    Mode.SINGLE: _("一人胡牌即结束"),
    Mode.XUEZHAN: _("血战到底"),
    SelfDrawBonus.NONE: _("不加"),
    SelfDrawBonus.BASE: _("自摸加底"),
    SelfDrawBonus.FAN: _("自摸加番"),
    FlowerPayers.ALL: _("各家都付"),
    FlowerPayers.DISCARDER: _("点杠的人付"),
    RefundTo.PAYERS: _("付过的各家"),
    RefundTo.READY: _("付过且听牌的"),
    PassWin.FREE: _("不限"),
    PassWin.UNTIL_DRAW: _("过后摸牌前不能胡别人的牌"),
    PassWin.UNLESS_HIGHER: _("过后摸牌前只能胡番更高的"),
    ForcedWin.OFF: _("不强制"),
    ForcedWin.LAST_FOUR: _("最后四张能胡必胡"),
    ForcedWin.LAST_FOUR_SELF_DRAW: _("最后四张自摸必胡"),
    LeaverWins.DEFERRED: _("赢的在这手结束时入账"),
    LeaverWins.FORFEIT: _("胡牌所得作废"),
    DealerRule.RANDOM: _("抽签"),
    DealerRule.DISCARDER: _("点炮的人坐庄"),
    DealerRule.FIRST_WINNER: _("先胡的人坐庄"),
}
_SELF_DRAWS: Final[Mapping[str, Promise]] = {
    SelfDrawBonus.NONE: _("没胡的每家都付，倍数和点炮一样"),
    SelfDrawBonus.BASE: _("没胡的每家都付，每家加 1 倍（自摸加底）"),
    SelfDrawBonus.FAN: _("没胡的每家都付，加 1 番（自摸加番）"),
}
_PASSES: Final[Mapping[str, Promise]] = {
    PassWin.FREE: _("不限：过了这张，下一张还能胡"),
    PassWin.UNTIL_DRAW: _("能胡不胡，到自己下次摸牌前不能胡别人的牌；自摸不限"),
    PassWin.UNLESS_HIGHER: _("能胡不胡，到自己下次摸牌前只能胡番更高的；自摸不限"),
}
_FORCED: Final[Mapping[str, Promise]] = {
    ForcedWin.OFF: _("不强制，能胡也可以过"),
    ForcedWin.LAST_FOUR: _("摸到最后四张起，能胡必须胡，程序代胡"),
    ForcedWin.LAST_FOUR_SELF_DRAW: _("摸到最后四张起，自摸必须胡，程序代胡"),
}
_DEALERS: Final[Mapping[str, Promise]] = {
    DealerRule.RANDOM: _("每手抽签"),
    DealerRule.DISCARDER: _("点炮（或被抢杠）的人坐庄；自摸或没人胡，原庄连庄"),
    DealerRule.FIRST_WINNER: _("先胡的人坐庄；有人一炮多响，放炮的人坐庄；没人胡，原庄连庄"),
}
#: What a hand must have, pattern by pattern (RULES.md section 7).
MEANINGS: Final[Mapping[str, Promise]] = {
    "tianhu": _("庄家第一次摸牌就胡，此前没人打过牌、杠过牌"),
    "dihu": _("闲家第一次摸牌就自摸，自己没有碰杠过"),
    "qinglongqidui": _("龙七对，只有一门牌"),
    "qingyaojiu": _("带幺九，只有一门牌"),
    "qingqidui": _("七对，只有一门牌"),
    "longqidui": _("七对，其中有四张一样的"),
    "jiangdui": _("对对胡，只有二、五、八"),
    "qingdui": _("对对胡，只有一门牌"),
    "qidui": _("七个对子，没有碰杠"),
    "daiyaojiu": _("每副牌和将都带一或九"),
    "qingyise": _("只有一门牌"),
    "jingoudiao": _("四副都已碰杠，单钓将牌"),
    "duiduihu": _("四副刻子或杠，一对将"),
    "pinghu": _("不成别的牌型的胡牌"),
}
_LONGEST_LIST: Final = 20  # numbers up to this one are chosen from a list
_KONGS: Final = {"exposed": _("直杠"), "added": _("补杠"), "concealed": _("暗杠")}


@dataclass(frozen=True)
class Line:
    """One rule: its name, what it says, and what it costs in units (None: nothing, or it depends on the tiles)."""

    name: str
    words: str
    units: int | None = None


@dataclass(frozen=True)
class Section:
    """Rules about one thing; `anchor` is its place on the page."""

    anchor: str
    heading: str
    lines: list[Line]


@dataclass(frozen=True)
class Fan:
    """The patterns of one number of fan, and what one payer pays in units."""

    fan: int
    patterns: list[str]
    multiplier: int
    discard: int
    self_draw: int

    @property
    def names(self) -> str:
        return gettext("、").join(map(pattern_name, self.patterns))


def rules_line(ruleset: Ruleset) -> str:
    """What tells a room from the others, in one line."""
    parts = [
        gettext("定缺") if ruleset.void_suit else gettext("不定缺"),
        "" if ruleset.mode is Mode.XUEZHAN else str(_CHOICES[Mode.SINGLE]),
        gettext("%(tile)s任用") % {"tile": tile_words("1s")} if ruleset.wild is not None else "",
        str(_CHOICES[ruleset.self_draw_bonus]) if ruleset.self_draw_bonus is not SelfDrawBonus.NONE else "",
        gettext("直杠家家付") if ruleset.exposed_kong_others_units else "",
        pgettext("一行规则", "呼叫转移") if ruleset.kong_shot_transfer else "",
        pgettext("一行规则", "补价差") if ruleset.dajiao_gap else "",
        cap_words(ruleset),
    ]
    return gettext("，").join(part for part in parts if part)


def cap_words(ruleset: Ruleset) -> str:
    """Where wins are capped."""
    if ruleset.cap_fan is None:
        return gettext("不封顶")
    return ngettext("%(fan)d 番封顶", "%(fan)d 番封顶", ruleset.cap_fan) % {"fan": ruleset.cap_fan}


def fan_table(ruleset: Ruleset) -> list[Fan]:
    """The patterns by fan, lowest first."""
    listed = sorted(((fan, pattern) for pattern, fan in ruleset.patterns), key=lambda row: row[0])
    return [
        _fan_row(ruleset, fan, [pattern for _fan, pattern in rows])
        for fan, rows in groupby(listed, key=lambda row: row[0])
    ]


def _fan_row(ruleset: Ruleset, fan: int, patterns: list[str]) -> Fan:
    multiplier = _multiplier(ruleset, fan)
    bonus = ruleset.self_draw_bonus
    self_draw = (
        _multiplier(ruleset, fan + 1) if bonus is SelfDrawBonus.FAN else multiplier + (bonus is SelfDrawBonus.BASE)
    )
    return Fan(fan, patterns, multiplier, multiplier, self_draw)


def _multiplier(ruleset: Ruleset, fan: int) -> int:
    """RULES.md section 7: 2^(fan − fan_origin), capped, never below 1."""
    capped = fan if ruleset.cap_fan is None else min(fan, ruleset.cap_fan)
    return 1 << max(capped - ruleset.fan_origin, 0)


def extra_fan(ruleset: Ruleset) -> list[Line]:
    """What is added to the base pattern (RULES.md section 7)."""
    kongs = zip(_KONGS.values(), ruleset.kong_fan, strict=True)
    rows = [
        (pgettext("规则", "根"), gettext("四张一样、没有开杠，每组"), ruleset.gen_fan),
        *((str(name), gettext("每杠"), fan) for name, fan in kongs),
        (gettext("杠上花"), gettext("用杠后补的牌自摸，"), ruleset.kong_flower_fan),
        (gettext("杠上炮"), gettext("胡别人杠后打出的牌，"), ruleset.kong_shot_fan),
        (gettext("抢杠"), gettext("胡别人补杠的牌，"), ruleset.robbed_kong_fan),
        (gettext("自摸"), gettext("自己摸到胡的牌，"), int(ruleset.self_draw_bonus is SelfDrawBonus.FAN)),
    ]
    return [
        Line(name, ngettext("%(when)s加 %(fan)d 番", "%(when)s加 %(fan)d 番", fan) % {"when": when, "fan": fan})
        for name, when, fan in rows
        if fan
    ]


def basics(ruleset: Ruleset) -> list[str]:
    """What one has to know to sit down, in a few sentences."""
    return [
        gettext("只有万、筒、条 108 张，不能吃。")
        + (
            gettext("开局每人定缺一门，缺的那门要先打完。")
            if ruleset.void_suit
            else gettext("胡牌时最多两门，不用定缺。")
        ),
        gettext("四副一对或七对就能胡。")
        + (
            gettext("一家胡了其余接着打，到三家胡或牌墙摸完。")
            if ruleset.mode is Mode.XUEZHAN
            else gettext("有人胡，这手就结束。")
        ),
        gettext("一张牌可以多家一起胡，打出的人各付各的。"),
        gettext("杠当场收，流局时没听牌的要退。"),
    ]


def sections(ruleset: Ruleset) -> list[Section]:
    """The rules one by one."""
    written = [
        Section("extra", gettext("另外加番"), extra_fan(ruleset)),
        Section("winning", gettext("胡牌"), winning_rules(ruleset)),
        Section("wild", gettext("任用牌"), wild_rules(ruleset)),
        Section("kongs", gettext("刮风下雨"), kong_rules(ruleset)),
        Section("drawn", gettext("流局"), drawn_rules(ruleset)),
        Section("leaving", gettext("离开和断线"), leaving_rules(ruleset)),
        Section("after", gettext("结算和下一手"), after_rules(ruleset)),
    ]
    return [section for section in written if section.lines]


def winning_rules(ruleset: Ruleset) -> list[Line]:
    """How one wins and who pays (RULES.md sections 3, 5, 7, 8 and 10)."""
    lines = []
    if ruleset.void_suit:
        void = gettext(
            "发牌后各选一门不要，四家选好一起亮。手里还有这门时只能打这门，也不能碰杠它；还留着就不能胡、不算听牌"
        )
        lines.append(Line(pgettext("规则", "定缺"), void))
    lines += [
        Line(gettext("点炮"), gettext("打出的人一家付。几家一起胡就各付各的")),
        Line(gettext("自摸"), str(_SELF_DRAWS[ruleset.self_draw_bonus])),
        Line(gettext("抢杠"), gettext("别人补杠的那张可以胡，补杠的人付，杠不算")),
        Line(gettext("倍数"), _doubling_words(ruleset)),
        Line(gettext("封顶"), cap_words(ruleset)),
        Line(gettext("过水"), str(_PASSES[ruleset.pass_win])),
        Line(gettext("必胡"), str(_FORCED[ruleset.forced_win])),
    ]
    if ruleset.jipin_fan is not None:
        lines.append(
            Line(gettext("极品"), gettext("%(fan)d 番起记为极品，封顶前的番也算") % {"fan": ruleset.jipin_fan})
        )
    return lines


def _doubling_words(ruleset: Ruleset) -> str:
    return ngettext("%(fan)d 番 1 倍，每多一番翻一倍", "%(fan)d 番 1 倍，每多一番翻一倍", ruleset.fan_origin) % {
        "fan": ruleset.fan_origin
    }


def wild_rules(ruleset: Ruleset) -> list[Line]:
    """What the wild tile may be (RULES.md section 11)."""
    if ruleset.wild is None:
        return []
    tile = tile_words(tile_name(ruleset.wild))
    return [
        Line(tile, gettext("在手里可以当任何一张牌，按番最高的算；也可以就当它自己")),
        Line(gettext("碰杠"), gettext("任用牌不能碰、不能杠，打出去别人也不能要")),
        Line(gettext("听牌"), gettext("听的都是普通牌；流局查花猪只看普通牌")),
    ]


def kong_rules(ruleset: Ruleset) -> list[Line]:
    """What kongs are paid (RULES.md section 8)."""
    wind, rain = pgettext("规则", "刮风"), pgettext("规则", "下雨")
    lines = [Line(wind, gettext("直杠（手里三张，杠别人打的一张）：点杠的人付"), ruleset.exposed_kong_units)]
    if ruleset.exposed_kong_others_units:
        lines.append(Line(wind, gettext("直杠：其余没胡的每家也付"), ruleset.exposed_kong_others_units))
    lines += [
        Line(wind, gettext("补杠（碰过，再摸到第四张）：没胡的每家付，可以被抢杠"), ruleset.added_kong_units),
        Line(rain, gettext("暗杠（手里四张）：没胡的每家付，不能抢"), ruleset.concealed_kong_units),
        Line(gettext("补牌"), gettext("杠后从牌墙末尾补一张；牌墙空了不能碰也不能杠")),
    ]
    if ruleset.exposed_kong_flower is FlowerPayers.DISCARDER:
        lines.append(Line(gettext("杠上花"), gettext("直杠后的杠上花只由点杠的人付，不加自摸；别的杠上花每家付")))
    else:
        lines.append(Line(gettext("杠上花"), gettext("算自摸，没胡的每家付")))
    if ruleset.kong_shot_transfer:
        lines.append(
            Line(pgettext("规则", "呼叫转移"), gettext("杠后打出的牌点炮，这一杠收的全数转给每个胡家，流局也不再退"))
        )
    return lines


def drawn_rules(ruleset: Ruleset) -> list[Line]:
    """What is paid when the wall runs out (RULES.md section 9)."""
    drawn = gettext("牌墙摸完，还有两家以上没胡") if ruleset.mode is Mode.XUEZHAN else gettext("牌墙摸完，没有人胡")
    to_whom = (
        gettext("付给每个不是花猪的人，胡了的也在内")
        if ruleset.huazhu_pays_winners
        else gettext("付给每个没胡、不是花猪的人")
    )
    lines = [
        Line(gettext("流局"), drawn),
        Line(
            pgettext("规则", "查花猪"),
            gettext("手里还有三门牌，%(to_whom)s") % {"to_whom": to_whom},
            ruleset.huazhu_units,
        ),
        Line(pgettext("规则", "查大叫"), gettext("没听牌的，按每个听家最大的可能番付给他")),
        Line(
            pgettext("规则", "查大叫"),
            gettext("花猪也要赔大叫") if ruleset.huazhu_pays_dajiao else gettext("花猪不再赔大叫"),
        ),
    ]
    if ruleset.dajiao_gap:
        lines.append(Line(pgettext("规则", "补价差"), gettext("听牌的也付给番更大的听家差额")))
    refund = gettext("没听牌的（花猪也算），把这手收的杠钱退给%(whom)s") % {"whom": _CHOICES[ruleset.kong_refund_to]}
    return [*lines, Line(pgettext("规则", "退税"), refund)]


def leaving_rules(ruleset: Ruleset) -> list[Line]:
    """What leaving costs (RULES.md section 12)."""
    escape = gettext("没胡就离桌，这手结束，付给每个没胡的人。牌墙只剩四张或更少时按查大叫算，取高的")
    won = gettext("牌局继续，%(wins)s") % {"wins": _CHOICES[ruleset.leaver_wins]}
    return [
        Line(gettext("断线"), gettext("不算离开。超时由托管替打，回来立即接手"), 0),
        Line(gettext("逃跑"), escape, ruleset.escape_units),
        Line(gettext("胡后离开"), won),
    ]


def after_rules(ruleset: Ruleset) -> list[Line]:
    """Points, coins and the next dealer (RULES.md sections 13 and 14)."""
    points = ngettext(
        "1 倍 = 底分 %(points)d 点，乘以房间系数是金币；点数记进积分，可以为负",
        "1 倍 = 底分 %(points)d 点，乘以房间系数是金币；点数记进积分，可以为负",
        ruleset.base_points,
    )
    return [
        Line(gettext("点数"), points % {"points": ruleset.base_points}),
        Line(gettext("金币不足"), gettext("付到零为止，赢的按应得的比例分，谁也不会欠账")),
        Line(gettext("台费"), gettext("每手结束每人另交，不够的交到零为止")),
        Line(gettext("庄家"), str(_DEALERS[ruleset.dealer])),
    ]


def option_title(option: Option) -> str:
    """What an option is about, in the active language."""
    return option.english if get_language() == "en" else option.chinese


def option_rows(ruleset: Ruleset) -> list[Line]:
    """Every option of the ruleset with its value."""
    values = ruleset.options()
    return [Line(option_title(option), option_words(option, values[name])) for name, option in OPTIONS.items()]


def allowed_words(option: Option) -> str:
    """What an option may be, in the active language."""
    numbers = gettext("%(lowest)d 到 %(highest)d 的整数") % {"lowest": option.lowest, "highest": option.highest}
    match option.kind:
        case OptionKind.BOOL:
            return gettext("是或否")
        case OptionKind.CHOICE:
            return gettext("、").join(option_words(option, choice) for choice in option.choices)
        case OptionKind.NULLABLE_INT:
            return gettext("无，或 %(numbers)s") % {"numbers": numbers}
        case OptionKind.TABLE:
            return gettext("每项为 %(numbers)s，至少一项") % {"numbers": numbers}
    return numbers


def row_title(row: str) -> str:
    """What a row of an option's table is about."""
    return str(_KONGS[row]) if row in _KONGS else pattern_name(row)


def listed_values(option: Option) -> Iterator[tuple[Any, str]]:
    """Every value of an option that can be chosen from a list, with its words; of a table, those of one row, None where it need
    not be there. A number with too many values is written, not chosen."""
    match option.kind:
        case OptionKind.BOOL:
            yield from ((value, option_words(option, value)) for value in (True, False))
            return
        case OptionKind.CHOICE:
            yield from ((choice, option_words(option, choice)) for choice in option.choices)
            return
        case OptionKind.NULLABLE_INT:
            yield None, option_words(option, None)
        case OptionKind.TABLE if not option.needs_all_rows:
            yield None, gettext("不计")
    if option.highest <= _LONGEST_LIST:
        yield from ((number, str(number)) for number in range(option.lowest, option.highest + 1))


def option_words(option: Option, value: Any) -> str:
    """The value of an option."""
    if value is None:
        return pgettext("规则选项", "无")
    match option.kind:
        case OptionKind.BOOL:
            return gettext("是") if value else gettext("否")
        case OptionKind.CHOICE:
            return str(_CHOICES[value]) if value in _CHOICES else tile_words(value)
        case OptionKind.TABLE:
            return gettext("、").join(f"{row_title(row)} {number}" for row, number in value.items())
        case _:
            return str(value)
