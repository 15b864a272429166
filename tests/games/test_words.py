from django.utils.translation import override

from clubs.rooms import PRESET_NAMES
from games import words
from games.rulebook import extra_fan, fan_table, option_rows, rules_line
from games.rules.events import PaymentKind
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
        assert all(words.payment_name(kind) for kind in PaymentKind)


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
    payment = {"kind": "kong", "payer": 0, "payee": 2, "units": 2}
    with override("zh-hans"):
        assert words.event_words({"kind": "pay", "payment": payment}, NAMES) == "甲 付 丙 2 倍（杠钱）"
        assert words.event_words({"kind": "win", **WIN}, NAMES) == "丙 胡 五万：胡 清一色 4 番"
        assert (
            words.event_words({"kind": "voids", "voids": ["m", "p", "s", "m"]}, NAMES)
            == "定缺：甲 缺万、乙 缺筒、丙 缺条、丁 缺万"
        )


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
