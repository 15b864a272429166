"""A room's rules in words: one line for the lobby, the sections of the rules page, and every option with its value.

Everything is computed from the ruleset, so that the page cannot say anything else than what is played.
"""

from collections.abc import Mapping
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
_KONGS: Final = {"exposed": _("直杠"), "added": _("补杠"), "concealed": _("暗杠")}


@dataclass(frozen=True)
class Line:
    """One rule: its name, what it says, and what it costs in units (None: nothing, or it depends on the tiles)."""

    name: str
    words: str
    units: int | None = None


@dataclass(frozen=True)
class Fan:
    """The patterns of one number of fan, and what one payer pays in units."""

    fan: int
    patterns: str
    multiplier: int
    discard: int
    self_draw: int


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
    return Fan(fan, gettext("、").join(map(pattern_name, patterns)), multiplier, multiplier, self_draw)


def _multiplier(ruleset: Ruleset, fan: int) -> int:
    """RULES.md section 7: 2^(fan − fan_origin), capped, never below 1."""
    capped = fan if ruleset.cap_fan is None else min(fan, ruleset.cap_fan)
    return 1 << max(capped - ruleset.fan_origin, 0)


def extra_fan(ruleset: Ruleset) -> list[Line]:
    """What is added to the base pattern (RULES.md section 7)."""
    kongs = zip(_KONGS.values(), ruleset.kong_fan, strict=True)
    rows = [
        (gettext("根"), ruleset.gen_fan),
        *((str(name), fan) for name, fan in kongs),
        (gettext("杠上花"), ruleset.kong_flower_fan),
        (gettext("杠上炮"), ruleset.kong_shot_fan),
        (gettext("抢杠"), ruleset.robbed_kong_fan),
        (gettext("自摸"), int(ruleset.self_draw_bonus is SelfDrawBonus.FAN)),
    ]
    return [Line(name, ngettext("加 %(fan)d 番", "加 %(fan)d 番", fan) % {"fan": fan}) for name, fan in rows if fan]


def kong_rules(ruleset: Ruleset) -> list[Line]:
    """What kongs are paid (RULES.md section 8)."""
    lines = [Line(gettext("直杠"), gettext("点杠的人付"), ruleset.exposed_kong_units)]
    if ruleset.exposed_kong_others_units:
        lines.append(Line(gettext("直杠"), gettext("其余未胡的各家付"), ruleset.exposed_kong_others_units))
    lines += [
        Line(gettext("补杠"), gettext("未胡的各家付，可被抢杠"), ruleset.added_kong_units),
        Line(gettext("暗杠"), gettext("未胡的各家付"), ruleset.concealed_kong_units),
    ]
    if ruleset.exposed_kong_flower is FlowerPayers.DISCARDER:
        lines.append(Line(gettext("杠上花"), gettext("直杠后的杠上花只由点杠的人付")))
    if ruleset.kong_shot_transfer:
        lines.append(Line(gettext("呼叫转移"), gettext("杠后打出的牌点炮，这一杠收的全数转给每个胡家")))
    return lines


def drawn_rules(ruleset: Ruleset) -> list[Line]:
    """What is paid when the wall runs out (RULES.md section 9)."""
    to_whom = gettext("付给每个不是花猪的人") if ruleset.huazhu_pays_winners else gettext("付给每个没胡的人")
    lines = [
        Line(gettext("查花猪"), gettext("手里还有三门，%(to_whom)s") % {"to_whom": to_whom}, ruleset.huazhu_units),
        Line(gettext("查大叫"), gettext("没听牌的，按听家最大的番付给每个听家")),
    ]
    if ruleset.huazhu_pays_dajiao:
        lines.append(Line(gettext("查大叫"), gettext("花猪也要赔大叫")))
    if ruleset.dajiao_gap:
        lines.append(Line(gettext("补价差"), gettext("听牌的也付给番更大的听家差额")))
    refund = gettext("没听牌的，把这手收的杠钱退给%(whom)s") % {"whom": _CHOICES[ruleset.kong_refund_to]}
    return [*lines, Line(gettext("退税"), refund)]


def leaving_rules(ruleset: Ruleset) -> list[Line]:
    """What leaving costs (RULES.md section 12)."""
    escape = gettext("没胡就离桌，这手结束，付给每个未胡的人。最后四张时按查大叫算，取高的")
    won = gettext("牌局继续，%(wins)s") % {"wins": _CHOICES[ruleset.leaver_wins]}
    return [
        Line(gettext("断线"), gettext("不算离开。超时由托管替打，回来立即接手"), 0),
        Line(gettext("逃跑"), escape, ruleset.escape_units),
        Line(gettext("胡后离开"), won),
    ]


def option_rows(ruleset: Ruleset) -> list[Line]:
    """Every option of the ruleset with its value."""
    values = ruleset.options()
    chinese = (get_language() or "").startswith("zh")
    return [
        Line(option.chinese if chinese else option.english, option_words(option, values[name]))
        for name, option in OPTIONS.items()
    ]


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
            names = {row: pattern_name(row) if row not in _KONGS else str(_KONGS[row]) for row in value}
            return gettext("、").join(f"{names[row]} {number}" for row, number in value.items())
        case _:
            return str(value)
