"""The conformance files: every scoring line and record comes to what it must (RECORD.md, "Conformance")."""

from typing import Any

import pytest

from games.rules.record import judge, score_line
from games.rules.ruleset import PRESETS
from games.rules.scoring import explain_line

from .cases import cases, comparable


def outcome_of(case: object) -> dict[str, Any]:
    return score_line(case) if isinstance(case, dict) and "concealed" in case else judge(case)


#: The files are judged in parts, so that a change that breaks something is found by the first of them.
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", ["hands", "waits", "records", "illegal"])
def test_conformance(name: str, part: int) -> None:
    for case in list(cases(name))[part::PARTS]:
        assert comparable(outcome_of(case["in"])) == comparable(case["out"]), case["in"]


def test_the_items_of_an_explained_win_are_its_fan() -> None:
    wins = 0
    for case in cases("hands"):
        explained = explain_line(case["in"])
        assert {name: explained[name] for name in case["out"]} == case["out"]
        if explained["win"]:
            wins += 1
            assert sum(item["fan"] for item in explained["items"]) == explained["uncapped_fan"], case["in"]
            assert explained["payments"][0]["units"] == explained["units"]
    assert wins > 1000


@pytest.mark.parametrize(("name", "count"), [("hands", 2000), ("waits", 650), ("records", 670), ("illegal", 86)])
def test_the_files_are_whole(name: str, count: int) -> None:
    rulesets = [case["in"]["ruleset"] for case in cases(name)]
    assert len(rulesets) == count
    presets = {spec if isinstance(spec, str) else spec["preset"] for spec in rulesets}
    assert name == "illegal" or set(PRESETS) <= presets, "every preset takes part"
