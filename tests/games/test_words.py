from typing import Any

from django.utils.translation import override

from clubs.rooms import PRESET_NAMES
from games import words
from games.rulebook import extra_fan, fan_table, option_rows, rules_line
from games.rules.events import PaymentRule
from games.rules.options import Pattern
from games.rules.ruleset import PRESETS
from games.rules.tiles import TILE_NAMES

NAMES = ("甲", "乙", "丙", "丁")
WIN = {"seat": 2, "from": 0, "by": "discard", "tile": "5m", "base": "qingyise", "gen": 0, "fan": 4}


def test_every_tile_pattern_and_payment_has_its_own_words() -> None:
    with override("zh-hans"):
        assert words.tile_words("5m") == "五万"
        assert len({words.tile_words(tile) for tile in TILE_NAMES}) == 27
        assert len({words.pattern_name(pattern) for pattern in Pattern}) == len(Pattern)
        assert set(words.PAYMENTS) == set(PaymentRule)
        assert [words.payment_name(rule) for rule in ("exposed_kong", "added_kong", "concealed_kong")] == [
            "刮风",
            "刮风",
            "下雨",
        ]


def test_a_win_says_how_it_was_won_and_counts_gen_only_where_there_is_one() -> None:
    with override("zh-hans"):
        assert words.win_words(WIN) == "胡 清一色 4 番"
        assert words.win_words({**WIN, "gen": 1, "fan": 5}) == "胡 清一色 1 根 5 番"


def test_a_draw_without_its_tile_does_not_name_one() -> None:
    with override("zh-hans"):
        assert words.event_words({"kind": "draw", "seat": 1, "replacement": False}, NAMES) == "乙 摸牌"
        assert (
            words.event_words({"kind": "draw", "seat": 1, "replacement": True, "tile": "1s"}, NAMES) == "乙 杠后补 一条"
        )


def test_events_name_who_pays_whom() -> None:
    payment = {"kind": "kong", "rule": "concealed_kong", "tile": "5p", "payer": 0, "payee": 2, "units": 2}
    with override("zh-hans"):
        assert words.event_words({"kind": "pay", "payment": payment}, NAMES) == "甲 付 丙 2 倍（下雨）"
        assert words.event_words({"kind": "win", **WIN}, NAMES) == "丙 胡 五万：胡 清一色 4 番"
        assert (
            words.event_words({"kind": "voids", "voids": ["m", "p", "s", "m"]}, NAMES)
            == "定缺：甲 缺万、乙 缺筒、丙 缺条、丁 缺万"
        )


def test_payments_of_one_event_are_said_together() -> None:
    facts: dict[str, Any] = {"ready": None, "lower": None}
    kong = {**facts, "kind": "kong", "rule": "added_kong", "tile": "5m", "payee": 0, "units": 1}
    escape = {**facts, "kind": "escape", "rule": "escape", "tile": None, "payer": 3, "units": 16}
    payments = [
        *({**kong, "payer": payer} for payer in (1, 2, 3)),
        {**kong, "payer": 1},  # the same seat again: another kong
        *({**escape, "payee": payee} for payee in (0, 1, 2)),
    ]
    groups = words.payment_groups(payments)
    assert [len(group) for group in groups] == [3, 1, 3]
    with override("zh-hans"):
        assert [words.payments_words(group, NAMES) for group in groups] == [
            "乙、丙、丁 各付 甲 1 倍（刮风）",
            "乙 付 甲 1 倍（刮风）",
            "丁 付 甲、乙、丙 各 16 倍（逃跑）",
        ]
        assert words.reason_words(groups[0], NAMES) == "补杠 五万，没人抢：没胡的每家付。"
        assert words.account_words(groups[0], 0, NAMES) == "乙、丙、丁 付"
        assert words.account_words(groups[2], 3, NAMES) == "付给 甲、乙、丙"


def test_a_shortage_and_an_unpaid_fee_name_who_and_how_much() -> None:
    with override("zh-hans"):
        assert words.shortage_words([1200, -800, -400, 0], NAMES) == (
            "金币不足，付到零为止，赢的按应得的比例分：甲 少付 1,200 币、乙 少收 800 币、丙 少收 400 币。"
        )
        assert words.rake_words(400, [400, 0, 400, 400], NAMES) == "台费每人 400 币。乙 只付得出 0 币。"
        assert words.rake_words(400, [400] * 4, NAMES) == "台费每人 400 币。"


def test_an_outcome_prefers_leaving_then_winning_then_feeding() -> None:
    with override("zh-hans"):
        assert words.outcome_words(end="won", win=WIN, fed=1, left=False) == "胡 清一色 4 番"
        assert words.outcome_words(end="won", win=None, fed=2, left=False) == "未胡，点炮 2 次"
        assert words.outcome_words(end="drawn", win=None, fed=0, left=False) == "流局"
        assert words.outcome_words(end="won", win=WIN, fed=0, left=True) == "逃跑"


def test_every_preset_can_be_read_out() -> None:
    assert set(PRESET_NAMES) == set(PRESETS)
    for preset in PRESETS.values():
        assert rules_line(preset.ruleset)
        assert fan_table(preset.ruleset)
        assert all(line.words for line in [*extra_fan(preset.ruleset), *option_rows(preset.ruleset)])


def test_the_fan_table_agrees_with_the_worked_example_of_the_rules() -> None:
    # RULES.md section 13: a two-fan self-draw with 自摸加底 is 2 + 1 units from each payer.
    row = next(row for row in fan_table(PRESETS["qq_dingque"].ruleset) if row.fan == 2)
    assert (row.discard, row.self_draw) == (2, 3)
