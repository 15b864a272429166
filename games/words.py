"""What happens in a hand, said in the active language.

The functions take the JSON values of `games.rules` (tiles as "5m", events of `event_for`, wins and payments as
`games.rules.explain` tells them) and give whole sentences, so that the table, the replay, the statement, the API and the
admin say the same thing in the same words. `names` are the four players' names by seat.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.templatetags.numbers import signed

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
FAN_ITEMS: Final[Mapping[str, Promise]] = {
    **PATTERNS,
    "gen": _("根"),
    "exposed_kong": _("直杠"),
    "added_kong": _("补杠"),
    "concealed_kong": _("暗杠"),
    "kong_flower": _("杠上花"),
    "kong_shot": _("杠上炮"),
    "robbed_kong": _("抢杠"),
    "self_draw": _("自摸"),
}
#: What a payment is called, by its rule. An exposed kong is 刮风 (wind), a concealed one 下雨 (rain).
PAYMENTS: Final[Mapping[str, Promise]] = {
    "self_draw": _("自摸"),
    "discard": _("点炮"),
    "robbed_kong": _("抢杠"),
    "fed_flower": _("杠上花"),
    "exposed_kong": _("刮风"),
    "exposed_kong_others": _("刮风"),
    "added_kong": _("刮风"),
    "concealed_kong": _("下雨"),
    "kong_transfer": _("呼叫转移"),
    "huazhu": _("查花猪"),
    "dajiao": _("查大叫"),
    "escape_dajiao": _("查大叫"),
    "dajiao_gap": _("补价差"),
    "kong_refund": _("退税"),
    "escape": _("逃跑"),
}
#: Why a payment is made, by its rule.
_REASONS: Final[Mapping[str, Promise]] = {
    "self_draw": _("%(payee)s 自摸，没胡的每家都付。"),
    "discard": _("%(payer)s 打出 %(payee)s 胡的牌，一家付。"),
    "robbed_kong": _("%(payer)s 补杠的牌被 %(payee)s 抢胡，一家付，杠不算。"),
    "fed_flower": _("直杠后的杠上花，只由点杠的 %(payer)s 付，不加自摸。"),
    "exposed_kong": _("直杠 %(tile)s：点杠的 %(payer)s 付。"),
    "exposed_kong_others": _("直杠 %(tile)s：没点杠的、没胡的也付。"),
    "added_kong": _("补杠 %(tile)s，没人抢：没胡的每家付。"),
    "concealed_kong": _("暗杠 %(tile)s：没胡的每家付。"),
    "kong_transfer": _("%(payer)s 杠 %(tile)s 后打出的牌点炮，这一杠收的全数转给胡家。"),
    "huazhu": _("流局时 %(payer)s 手里还有三门牌。"),
    "dajiao": _("流局时 %(payer)s 没有听牌，按 %(payee)s 最大的可能赔，%(ready)s。"),
    "escape_dajiao": _("%(payer)s 没胡就离开，最后四张按查大叫赔 %(payee)s 最大的可能，%(ready)s。"),
    "dajiao_gap": _("两家都听牌，%(payee)s 最大 %(higher)d 倍，%(payer)s 最大 %(lower)d 倍，补差额。"),
    "kong_refund": _("流局时 %(payer)s 没有听牌，杠 %(tile)s 收的要退。"),
    "escape": _("%(payer)s 没胡就离开，这手结束，赔没胡的每家。"),
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
_POWERS: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
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


def meld_words(meld: Mapping[str, Any]) -> str:
    """A meld of a view: 碰 五万."""
    return f"{_MELDS[meld['kind']]} {tile_words(meld['tile'])}"


def payment_name(rule: str) -> str:
    """What a payment is called: "kong_refund" is 退税."""
    return str(PAYMENTS[rule])


def payment_words(payment: Mapping[str, Any], names: Names) -> str:
    """One payment: 老张 付 小林 2 倍（下雨）."""
    return payments_words([payment], names)


def payment_groups(payments: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Payments in their order, those together that one event makes alike: to one payee, or by one payer."""
    groups: list[list[Mapping[str, Any]]] = []
    for payment in payments:
        if groups and _belongs(groups[-1], payment):
            groups[-1].append(payment)
        else:
            groups.append([payment])
    return groups


def _belongs(group: Sequence[Mapping[str, Any]], payment: Mapping[str, Any]) -> bool:
    if any(group[0].get(fact) != payment.get(fact) for fact in ("rule", "units", "tile", "ready", "lower")):
        return False
    payers = {each["payer"] for each in (*group, payment)}
    payees = {each["payee"] for each in (*group, payment)}
    # Another payer to the same payee, or the same payer to another payee.
    return {len(payers), len(payees)} == {1, len(group) + 1}


def payments_words(group: Sequence[Mapping[str, Any]], names: Names) -> str:
    """Payments of one group: 老张、小林 各付 阿珍 2 倍（下雨）."""
    units = group[0]["units"]
    values = {**_people(group, names), "units": units, "name": payment_name(group[0]["rule"])}
    if len({payment["payer"] for payment in group}) > 1:
        return (
            ngettext(
                "%(payer)s 各付 %(payee)s %(units)d 倍（%(name)s）",
                "%(payer)s 各付 %(payee)s %(units)d 倍（%(name)s）",
                units,
            )
            % values
        )
    if len(group) > 1:
        return (
            ngettext(
                "%(payer)s 付 %(payee)s 各 %(units)d 倍（%(name)s）",
                "%(payer)s 付 %(payee)s 各 %(units)d 倍（%(name)s）",
                units,
            )
            % values
        )
    return (
        ngettext(
            "%(payer)s 付 %(payee)s %(units)d 倍（%(name)s）", "%(payer)s 付 %(payee)s %(units)d 倍（%(name)s）", units
        )
        % values
    )


def reason_words(group: Sequence[Mapping[str, Any]], names: Names) -> str:
    """Why the payments of one group are made: 查大叫：流局时 老张 没有听牌 …; they are as `payment_explained` tells them."""
    first = group[0]
    ready, lower = first["ready"], first["lower"]
    return str(_REASONS[first["rule"]]) % {
        **_people(group, names),
        "tile": tile_words(first["tile"]) if first["tile"] else "",
        "ready": ready_words(ready) if ready else "",
        "higher": ready["multiplier"] if ready else 0,
        "lower": lower["multiplier"] if lower else 0,
    }


def payments_explained_words(group: Sequence[Mapping[str, Any]], names: Names) -> str:
    """Payments of one group, and why they are made."""
    return gettext("%(payments)s：%(reason)s") % {
        "payments": payments_words(group, names),
        "reason": reason_words(group, names),
    }


def _people(group: Sequence[Mapping[str, Any]], names: Names) -> dict[str, str]:
    """The names of those who pay and who are paid."""
    return {
        role: gettext("、").join(dict.fromkeys(names[payment[role]] for payment in group))
        for role in ("payer", "payee")
    }


def ready_words(wait: Mapping[str, Any]) -> str:
    """A ready hand by its best wait: 听 五万，清一色 3 番."""
    values = {"tile": tile_words(wait["tile"]), "base": pattern_name(wait["base"]), "fan": wait["fan"]}
    if wait["gen"]:
        return gettext("听 %(tile)s，%(base)s %(gen)d 根 %(fan)d 番") % {**values, "gen": wait["gen"]}
    return gettext("听 %(tile)s，%(base)s %(fan)d 番") % values


def fan_words(win: Mapping[str, Any]) -> str:
    """What the fan of a win is made of: 对对胡 2 番 + 根 ×2 2 番 = 4 番; `win` is as `win_told` tells it."""
    items = " + ".join(_item_words(item) for item in win["items"])
    values = {"items": items, "sum": win["uncapped_fan"], "fan": win["fan"]}
    if win["fan"] < win["uncapped_fan"]:
        return gettext("%(items)s = %(sum)d 番，封顶 %(fan)d 番") % values
    return items if len(win["items"]) == 1 else gettext("%(items)s = %(fan)d 番") % values


def item_name(item: str) -> str:
    """What an item of a fan is called: "kong_shot" is 杠上炮."""
    return str(FAN_ITEMS[item])


def _item_words(item: Mapping[str, Any]) -> str:
    name = item_name(item["name"]) + (f" ×{item['times']}" if item["times"] > 1 else "")
    return gettext("%(name)s %(fan)d 番") % {"name": name, "fan": item["fan"]}


def units_words(win: Mapping[str, Any]) -> str:
    """How the fan of a win becomes units: 4 番：2³ = 8 倍；自摸加底 1 倍，每家付 9 倍."""
    power = str(max(0, win["fan"] - win["fan_origin"])).translate(_POWERS)
    said = ngettext(
        "%(fan)d 番：2%(power)s = %(units)d 倍", "%(fan)d 番：2%(power)s = %(units)d 倍", win["multiplier"]
    ) % {"fan": win["fan"], "power": power, "units": win["multiplier"]}
    if not win["bonus"]:
        return said
    added = ngettext(
        "自摸加底 %(bonus)d 倍，每家付 %(units)d 倍", "自摸加底 %(bonus)d 倍，每家付 %(units)d 倍", win["units"]
    )
    return gettext("；").join((said, added % {"bonus": win["bonus"], "units": win["units"]}))


def win_words(win: Mapping[str, Any]) -> str:
    """A win of a result or of a view (which does not tell the gen), without its player: 自摸 清一色 1 根 4 番."""
    gen = win.get("gen", 0)
    values = {"by": _WINS[win["by"]], "base": pattern_name(win["base"]), "gen": gen, "fan": win["fan"]}
    if gen:
        return gettext("%(by)s %(base)s %(gen)d 根 %(fan)d 番") % values
    return gettext("%(by)s %(base)s %(fan)d 番") % values


def account_words(group: Sequence[Mapping[str, Any]], seat: int, names: Names) -> str:
    """From whom or to whom, for the account of one seat that takes part in payments of one group: 老张、小林 付."""
    people = _people(group, names)
    if group[0]["payee"] == seat:
        return gettext("%(names)s 付") % {"names": people["payer"]}
    return gettext("付给 %(names)s") % {"names": people["payee"]}


def shortage_words(gaps: Sequence[int], names: Names) -> str:
    """Whose coins ran out and who got less for it; `gaps`: by seat, the coins that it paid less (+) or got less (-)."""
    short = [
        gettext("%(name)s 少付 %(coins)s 币") % {"name": name, "coins": f"{gap:,}"}
        for name, gap in zip(names, gaps, strict=True)
        if gap > 0
    ]
    less = [
        gettext("%(name)s 少收 %(coins)s 币") % {"name": name, "coins": f"{-gap:,}"}
        for name, gap in zip(names, gaps, strict=True)
        if gap < 0
    ]
    return gettext("金币不足，付到零为止，赢的按应得的比例分：%(each)s。") % {
        "each": gettext("、").join([*short, *less])
    }


def rake_words(rake: int, paid: Sequence[int], names: Names) -> str:
    """The fee of a hand in coins, and who could not pay all of it; `paid` by seat."""
    said = gettext("台费每人 %(coins)s 币。") % {"coins": f"{rake:,}"}
    short = [
        gettext("%(name)s 只付得出 %(coins)s 币") % {"name": name, "coins": f"{coins:,}"}
        for name, coins in zip(names, paid, strict=True)
        if coins < rake
    ]
    return said + (gettext("%(each)s。") % {"each": gettext("、").join(short)} if short else "")


def struck_words(name: str) -> str:
    """That a winner who left forfeits what its win was to bring."""
    return gettext("%(name)s 胡牌后离开，胡牌所得作废。") % {"name": name}


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


def sources_words(figures: Any) -> str:
    """What a seat's units of a hand came from, by its `SeatFigures`: 胡牌 −4 倍、杠 +1 倍."""
    kongs = figures.exposed_kong_units + figures.added_kong_units + figures.concealed_kong_units
    sources = (
        (gettext("胡牌"), figures.win_units - figures.fed_units - figures.self_draw_units),
        (gettext("杠"), kongs - figures.kong_units_paid),
        (gettext("呼叫转移"), figures.transfer_units),
        (gettext("查大叫"), figures.dajiao_units),
        (gettext("查花猪"), figures.huazhu_units),
        (gettext("退税"), figures.refund_units),
        (gettext("逃跑"), figures.escape_units),
    )
    said = (
        ngettext("%(name)s %(n)s 倍", "%(name)s %(n)s 倍", abs(units)) % {"name": name, "n": signed(units)}
        for name, units in sources
        if units
    )
    return gettext("、").join(said)


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
