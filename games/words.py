"""What happens in a hand, said in the active language.

The functions take the JSON values of `games.rules` (tiles as "5m", events of `event_for`, wins and payments of a result) and
give whole sentences, so that the table, the replay, the statement and the admin say the same thing in the same words.
`names` are the four players' names by seat.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

Names = Sequence[str]

_RANKS: Final = (
    pgettext_lazy("牌", "一"),
    pgettext_lazy("牌", "二"),
    pgettext_lazy("牌", "三"),
    pgettext_lazy("牌", "四"),
    pgettext_lazy("牌", "五"),
    pgettext_lazy("牌", "六"),
    pgettext_lazy("牌", "七"),
    pgettext_lazy("牌", "八"),
    pgettext_lazy("牌", "九"),
)
_TILES: Final = {"m": _("%(rank)s万"), "p": _("%(rank)s筒"), "s": _("%(rank)s条")}
_SUITS: Final = {"m": pgettext_lazy("花色", "万"), "p": pgettext_lazy("花色", "筒"), "s": pgettext_lazy("花色", "条")}

PATTERNS: Final[Mapping[str, Promise]] = {
    "tianhu": _("天胡"),
    "dihu": _("地胡"),
    "qinglongqidui": _("清龙七对"),
    "qingyaojiu": _("清幺九"),
    "qingqidui": _("清七对"),
    "longqidui": _("龙七对"),
    "jiangdui": _("将对"),
    "qingdui": _("清对"),
    "qidui": _("七对"),
    "daiyaojiu": _("带幺九"),
    "qingyise": _("清一色"),
    "jingoudiao": _("金钩钓"),
    "duiduihu": _("对对胡"),
    "pinghu": _("平胡"),
}
_MELDS: Final = {"pung": _("碰"), "exposed_kong": _("直杠"), "added_kong": _("补杠"), "concealed_kong": _("暗杠")}
_PAYMENTS: Final = {
    "win": _("胡牌"),
    "kong": _("杠钱"),
    "kong_transfer": _("呼叫转移"),
    "huazhu": _("查花猪"),
    "dajiao": _("查大叫"),
    "dajiao_gap": _("补价差"),
    "kong_refund": _("退税"),
    "escape": _("逃跑"),
}
_WINS: Final = {"self_draw": _("自摸"), "discard": _("胡"), "robbed_kong": _("抢杠胡")}
_ENDS: Final = {
    "won": _("胡牌结束"),
    "drawn": _("流局"),
    "escaped": _("有人逃跑"),
    "voided": _("已作废"),
    "stopped": _("由管理员结束"),
}
_STOPS: Final = {
    "void": _("管理员结束了这一局：作废，退回全部收付，不收台费，不计战绩"),
    "settle": _("管理员结束了这一局：按现状结算，已发生的胡和杠照算，不查花猪和大叫"),
}
_ANSWERS: Final = {
    "win": _("%(name)s 要胡"),
    "kong": _("%(name)s 要杠"),
    "pung": _("%(name)s 要碰"),
    "pass": _("%(name)s 过"),
    "void": _("%(name)s 已定缺"),
}


def tile_words(tile: str) -> str:
    """A tile: "5m" is 五万."""
    return str(_TILES[tile[1]]) % {"rank": _RANKS[int(tile[0]) - 1]}


def tiles_words(tiles: Iterable[str]) -> str:
    """Some tiles, one after another."""
    return gettext("、").join(tile_words(tile) for tile in tiles)


def tiles_won_words(tiles: Iterable[str], win: str) -> str:
    """A hand and the tile that it won with."""
    return gettext("%(tiles)s；胡 %(win)s") % {"tiles": tiles_words(tiles), "win": tile_words(win)}


def suit_words(suit: str) -> str:
    """A suit: "m" is 万."""
    return str(_SUITS[suit])


def pattern_name(pattern: str) -> str:
    """A base pattern's name: "qingyise" is 清一色."""
    return str(PATTERNS[pattern])


def payment_name(kind: str) -> str:
    """What a payment is for: "kong_refund" is 退税."""
    return str(_PAYMENTS[kind])


def payment_words(payment: Mapping[str, Any], names: Names) -> str:
    """A payment of a result: 老张 付 小林 2 倍（杠钱）."""
    return ngettext(
        "%(payer)s 付 %(payee)s %(units)d 倍（%(kind)s）",
        "%(payer)s 付 %(payee)s %(units)d 倍（%(kind)s）",
        payment["units"],
    ) % {
        "payer": names[payment["payer"]],
        "payee": names[payment["payee"]],
        "units": payment["units"],
        "kind": payment_name(payment["kind"]),
    }


def win_words(win: Mapping[str, Any]) -> str:
    """A win of a result or of a view (which does not tell the gen), without its player: 自摸 清一色 1 根 4 番."""
    gen = win.get("gen", 0)
    values = {"by": _WINS[win["by"]], "base": pattern_name(win["base"]), "gen": gen, "fan": win["fan"]}
    if gen:
        return gettext("%(by)s %(base)s %(gen)d 根 %(fan)d 番") % values
    return gettext("%(by)s %(base)s %(fan)d 番") % values


def end_words(end: str) -> str:
    """How a hand ended: "drawn" is 流局."""
    return str(_ENDS[end])


def stop_words(rule: str) -> str:
    """What it means that a hand was ended from outside: "void" or "settle"."""
    return str(_STOPS[rule])


def outcome_words(*, end: str, win: Mapping[str, Any] | None, fed: int, left: bool) -> str:
    """What a hand was to one seat: its win, or how often it fed one, or that it left. `fed` counts wins fed."""
    if left:
        return gettext("逃跑")
    if win:
        return win_words(win)
    if fed:
        return ngettext("未胡，点炮 %(count)d 次", "未胡，点炮 %(count)d 次", fed) % {"count": fed}
    return gettext("未胡") if end == "won" else end_words(end)


def event_words(event: Mapping[str, Any], names: Names) -> str:
    """An event as `games.rules.views.event_for` gives it to a seat, or one of the table's own (deal, auto, shuffle)."""
    kind = event["kind"]
    name = names[event["seat"]] if event.get("seat") is not None else ""
    tile = tile_words(event["tile"]) if event.get("tile") else ""
    values = {"name": name, "tile": tile}
    match kind:
        case "shuffle":
            return gettext("洗牌，种子的承诺已公布")
        case "deal":
            return gettext("发牌，%(name)s 坐庄") % {"name": names[event["dealer"]]}
        case "voids":
            each = (
                gettext("%(name)s 缺%(suit)s") % {"name": player, "suit": suit_words(suit)}
                for player, suit in zip(names, event["voids"], strict=True)
            )
            return gettext("定缺：%(each)s") % {"each": gettext("、").join(each)}
        case "draw" if event["replacement"]:
            return gettext("%(name)s 杠后补 %(tile)s") % values if tile else gettext("%(name)s 杠后补牌") % values
        case "draw":
            return gettext("%(name)s 摸 %(tile)s") % values if tile else gettext("%(name)s 摸牌") % values
        case "discard":
            return gettext("%(name)s 打 %(tile)s") % values
        case "pung":
            return gettext("%(name)s 碰 %(tile)s") % values
        case "kong":
            return gettext("%(name)s %(form)s %(tile)s") % {**values, "form": _MELDS[event["form"]]}
        case "win":
            return gettext("%(name)s 胡 %(tile)s：%(win)s") % {**values, "win": win_words(event)}
        case "pay":
            return payment_words(event["payment"], names)
        case "strike":
            each = (payment_words(payment, names) for payment in event["payments"])
            return gettext("不再收付：%(each)s") % {"each": gettext("；").join(each)}
        case "leave":
            return gettext("%(name)s 离开") % values
        case "answer" if event.get("suit"):
            return gettext("%(name)s 定缺%(suit)s") % {**values, "suit": suit_words(event["suit"])}
        case "answer":
            return str(_ANSWERS[event["answer"]]) % values
        case "auto":
            return gettext("%(name)s 托管中") % values if event["on"] else gettext("%(name)s 收回托管") % values
        case "stop":
            return f"{stop_words(event['rule'])}{gettext('。事由：%(reason)s') % event}"
        case "pause":
            return gettext("服务器中断，%(seconds)d 秒不计入时限") % event
        case "over":
            return gettext("本局结束：%(end)s") % {"end": end_words(event["end"])}
    raise ValueError(f"no words for the event {kind!r}")
