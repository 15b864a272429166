"""Scoring lines: what they come to, and the hands that are none."""

from typing import Any

import pytest

from games.rules.scoring import explain_line, score_line
from games.rules.tiles import parse_tiles, tile_name


def line(concealed: str, ruleset: object = "chengdu", **more: Any) -> dict[str, Any]:
    return {"ruleset": ruleset, "concealed": concealed, **more}


@pytest.mark.parametrize(
    "given",
    [
        line("11111m22334455p"),
        line("11111111m22334p"),  # in a suit code eight of a rank would be one of the next
        line("1111m22334p1111m"),
        line("99999999s22334p"),
        line("1111m223344556p", win_tile="1m"),
        line("1m223344556p", melds=[{"kind": "concealed_kong", "tile": "1m"}]),
        line("12m22334455p", melds=[{"kind": "pung", "tile": "1m"}], win_tile="1m"),
    ],
)
def test_five_of_a_tile_are_no_hand(given: dict[str, Any]) -> None:
    for answer in (score_line(given), explain_line(given)):
        assert answer["error"]["code"] == "bad_format"
        assert answer["error"]["message"] in ("more than four copies of a tile", "wrong number of concealed tiles")


@pytest.mark.parametrize(
    ("concealed", "melds", "void", "waits"),
    [
        ("123456789m224p1s", "", None, "3p 4p 5p 6p 2p"),  # 224p: a pair and two of a set, or a set and half a pair
        ("123456789m111p1s", "", None, "123456789m 23456789p"),  # half a pair of any tile; there is no fifth 1p
        ("123456789m111p1s", "", "s", "123456789m 23456789p"),  # nor of the void suit
        ("123456789m11p11s", "", "p", ""),
        ("123m456p789s1111s", "", None, ""),  # three suits
        ("1199m33447788p1s", "", None, "123456789m 123456789p"),  # six pairs and half of any
        ("1199m3344778p11s", "", None, "123456789m 123456789p"),  # five, the partner of 8p and half of any
        ("2233445p111s", "5p", None, "123456789m 1234p 6789p 23456789s"),  # with melds no pairs, and no fifth 5p
        ("1s", "2m 3m 4m 5m", None, "1m 6789m 123456789p 23456789s"),
    ],
)
def test_waits_with_wilds(concealed: str, melds: str, void: str | None, waits: str) -> None:
    pungs = [{"kind": "pung", "tile": tile} for tile in melds.split()]
    given = line(concealed, "chengdu_yaoji", melds=pungs, void=void)
    expected = [tile_name(tile) for tile in sorted(tile for group in waits.split() for tile in parse_tiles(group))]
    assert [wait["tile"] for wait in score_line(given)["waits"]] == expected
