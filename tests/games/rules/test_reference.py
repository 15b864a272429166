"""The program against a second judge that shares nothing with it (reference/), over every combination of options."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules.record import judge, record_of
from games.rules.ruleset import Ruleset
from games.rules.scoring import score_line

from . import reference
from .cases import cases, comparable
from .chances import a_line, a_room, a_ruleset, a_spoilt_record, play

deep = pytest.mark.deep
seeds = st.integers(0, 2**64)


@pytest.mark.parametrize("every", [25, pytest.param(1, marks=deep)])
@pytest.mark.parametrize("name", ["hands", "waits", "records", "illegal"])
def test_the_second_judge_agrees_with_the_conformance_files(name: str, every: int) -> None:
    for case in list(cases(name))[::every]:
        second = reference.score_line if "concealed" in case["in"] else reference.judge
        assert comparable(second(case["in"])) == comparable(case["out"]), case["in"]


def as_read(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("examples", [300, pytest.param(20_000, marks=deep)])
def test_both_judge_records_alike(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(seeds)
    def agree(seed: int) -> None:
        rng = random.Random(seed)
        record = as_read(record_of(play(Ruleset.parse(a_ruleset(rng)), rng), **a_room(rng)))
        assert comparable(reference.judge(record)) == comparable(record["result"]), record
        spoilt = a_spoilt_record(rng, record)
        assert comparable(reference.judge(spoilt)) == comparable(judge(spoilt)), spoilt

    agree()


@pytest.mark.parametrize("examples", [600, pytest.param(50_000, marks=deep)])
def test_both_score_lines_alike(examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(seeds)
    def agree(seed: int) -> None:
        line = as_read(a_line(random.Random(seed)))
        assert comparable(reference.score_line(line)) == comparable(score_line(line)), line

    agree()
