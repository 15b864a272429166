"""The worked hands of the rules pages, and the pages in docs/rules/ that are made of them."""

import re

import pytest
from django.utils.translation import override

from games.management.commands.rules_pages import FOLDER, files
from games.rules.options import Pattern
from games.rules.ruleset import PRESETS, Ruleset
from games.words import pattern_name
from games.worked import Worked, worked_hands

BRANCHES = {
    "every pays an exposed kong": {"exposed_kong_others_units": 1},
    "kongs bring nothing": {"exposed_kong_units": 0, "added_kong_units": 0, "concealed_kong_units": 0},
    "escape is free": {"escape_units": 0},
    "one pattern": {"patterns": {"pinghu": 0}, "gen_fan": 0},
}


def examples_of(ruleset: Ruleset) -> list[Worked]:
    with override("zh-hans"):
        return [example for section in worked_hands(ruleset) for example in section.examples]


def sentences_of(ruleset: Ruleset) -> str:
    return "\n".join(line for example in examples_of(ruleset) for line in example.lines)


@pytest.mark.parametrize("preset", PRESETS)
def test_each_pattern_of_a_preset_has_a_hand_with_the_fan_of_the_table(preset: str) -> None:
    ruleset = PRESETS[preset].ruleset
    shown = [example for example in examples_of(ruleset) if example.hands]
    with override("zh-hans"):
        for pattern, fan in ruleset.patterns:
            line = f"{pattern_name(pattern)} {fan} 番"
            assert any(example.lines[0].startswith(line) for example in shown), pattern


@pytest.mark.parametrize("preset", PRESETS)
def test_the_examples_show_what_the_preset_has_and_nothing_else(preset: str) -> None:
    ruleset = PRESETS[preset].ruleset
    said = sentences_of(ruleset)
    assert ("呼叫转移" in said) == ruleset.kong_shot_transfer
    assert ("补价差" in said) == ruleset.dajiao_gap
    assert ("自摸加底" in said) == (ruleset.self_draw_bonus == "base")
    assert ("封顶" in said) == (ruleset.cap_fan is not None)
    for always in ("刮风", "下雨", "查花猪", "查大叫", "退税", "逃跑", "抢杠"):
        assert always in said
    wilds = [example for example in examples_of(ruleset) if any("1s" in hand.tiles for hand in example.hands)]
    assert bool(wilds) == (ruleset.wild is not None)


def test_a_self_draw_of_two_fan_is_worth_what_the_rules_say() -> None:
    # RULES.md section 13: with 自摸加底 two fan are 2 + 1 units from each payer.
    flower = next(
        example for example in examples_of(PRESETS["qq_dingque"].ruleset) if example.meaning.startswith("杠上花")
    )
    assert "平胡 1 番 + 直杠 1 番 + 杠上花 1 番 = 3 番" in flower.lines
    assert "3 番：2² = 4 倍；自摸加底 1 倍，每家付 5 倍" in flower.lines


@pytest.mark.parametrize("options", BRANCHES.values(), ids=BRANCHES)
def test_rooms_with_options_of_their_own_get_examples_too(options: dict[str, object]) -> None:
    assert examples_of(Ruleset.parse({"preset": "chengdu_yaoji", "options": options}))


def test_no_pattern_is_without_an_example() -> None:
    everything = Ruleset.parse({"preset": "jj", "options": {"patterns": {pattern.value: 20 for pattern in Pattern}}})
    assert len(examples_of(everything)) > len(Pattern)


def test_the_pages_in_the_repository_are_those_that_the_command_writes() -> None:
    made = files()
    kept = {
        str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8")
        for folder in ("zh", "en", "tiles")
        for path in (FOLDER / folder).iterdir()
    }
    kept["README.md"] = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert sorted(kept) == sorted(made)
    for path, text in made.items():
        assert kept[path] == text, f"{path} is out of date: python manage.py rules_pages"


def test_every_link_of_a_page_leads_to_a_file() -> None:
    for path, text in files().items():
        folder = (FOLDER / path).parent
        for link in re.findall(r"\]\(([^)]+)\)", text):
            assert (folder / link).resolve().is_file(), f"{path}: {link}"
