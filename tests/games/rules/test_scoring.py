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


KONGED = [{"kind": "concealed_kong", "tile": "9p"}]
PUNGED = [{"kind": "pung", "tile": "9p"}]


@pytest.mark.parametrize(
    ("self_draw", "flags", "melded"),
    [
        (True, ["kong_shot"], []),
        (True, ["robbed_kong"], []),
        (False, ["kong_shot", "robbed_kong"], []),
        (False, ["kong_flower"], KONGED),
        (True, ["kong_flower"], []),
        (True, ["kong_flower"], PUNGED),
        (False, ["tianhu"], []),
        (False, ["dihu"], []),
        (True, ["tianhu", "dihu"], []),
        (True, ["tianhu"], PUNGED),
        (True, ["dihu"], KONGED),
        (True, ["kong"], []),
        (True, [0], []),
        (True, "dihu", []),
        (True, {"dihu": True}, []),
        (1, [], []),
        (None, [], []),
    ],
)
def test_flags_that_cannot_be(self_draw: object, flags: object, melded: list[dict[str, str]]) -> None:
    given = line("123456m777s1p" if melded else "123456789m777s1p", melds=melded)
    assert "error" not in score_line({**given, "self_draw": self_draw, "flags": flags}), "nothing is won"
    answer = score_line({**given, "win_tile": "1p", "self_draw": self_draw, "flags": flags})
    assert answer["error"]["code"] == "bad_format" and answer["error"]["at"] is None


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


def won(given: dict[str, Any]) -> tuple[str, int, int, int] | None:
    outcome = score_line(given)
    return (outcome["base"], outcome["gen"], outcome["fan"], outcome["units"]) if outcome["win"] else None


def melds(**kinds: str) -> list[dict[str, str]]:
    """pung="5p 2m" and so on."""
    return [{"kind": kind, "tile": tile} for kind, tiles in kinds.items() for tile in tiles.split()]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # The fourth 5p lies in a run beside the pung.
        (line("567p123456m9m", win_tile="9m", melds=melds(pung="5p")), ("pinghu", 1, 1, 2)),
        # A declared kong is no gen; it has its own fan.
        (line("678p123456m9m", win_tile="9m", melds=melds(concealed_kong="5p")), ("pinghu", 0, 2, 4)),
        # Two fours of a kind, of which longqidui counts one: 4 and 1.
        (line("11112222m33445p", win_tile="5p"), ("longqidui", 1, 5, 32)),
        # Without it in the table they are seven pairs and two gens.
        (
            line("11112222m33445p", {"preset": "chengdu", "options": {"patterns": {"qidui": 2}}}, win_tile="5p"),
            ("qidui", 2, 4, 16),
        ),
        # tianhu and qinglongqidui are worth the same to QQ, but tianhu leaves all gens: 6 and 1, from 1 on.
        (line("1111223344556m", "qq_single", win_tile="6m", self_draw=True, flags=["tianhu"]), ("tianhu", 1, 7, 64)),
        # JJ stops at 4: qingqidui 4, a gen 1, self-draw 1.
        (line("1111223344556m", "jj", win_tile="6m", self_draw=True), ("qingqidui", 1, 4, 16)),
        # Four melds and a pair: to JJ jingoudiao is more than duiduihu, and two kongs add 2, the shot 1; 4 count.
        (
            line(
                "5p",
                "jj",
                win_tile="5p",
                melds=melds(pung="1m 9m", added_kong="3p", concealed_kong="7p"),
                flags=["kong_shot"],
            ),
            ("jingoudiao", 0, 4, 16),
        ),
        # A pattern of the table worth less than pinghu takes the place of pinghu nevertheless: it is no other win.
        (
            line(
                "123345456789m9m",
                {"preset": "jj", "options": {"patterns": {"pinghu": 5, "qingyise": 1}}},
                win_tile="9m",
            ),
            ("qingyise", 0, 1, 2),
        ),
    ],
)
def test_what_a_win_comes_to(given: dict[str, Any], expected: tuple[str, int, int, int]) -> None:
    assert won(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # The wild completes one of the triplets.
        (line("111222333m558p1s", win_tile="8p"), ("duiduihu", 0, 1, 2)),
        # 34m and the wild: as 2m it makes a gen of the triplet, as 5m nothing.
        (line("22234567m8899p1s", win_tile="9p"), ("pinghu", 1, 1, 2)),
        # With a pung of 2m and another 2m in hand it could only be a fifth 2m.
        (line("11233m678m9p1s", win_tile="9p", melds=melds(pung="2m")), None),
        (line("11233m678m9p1s", win_tile="9p", melds=melds(pung="5m")), ("pinghu", 0, 0, 1)),
        # Six pairs, a single tile and a wild; with a second wild drawn, a pair becomes four of a kind.
        (line("1122334455m66p1s", win_tile="7p"), ("qidui", 0, 2, 4)),
        (line("1122334455m66p1s", win_tile="1s", self_draw=True), ("longqidui", 0, 4, 16)),
        # A discarded wild cannot be claimed, three natural suits do not win, and a wild stands for no void suit.
        (line("1122334455m66p1s", win_tile="1s"), {}),
        (line("123456m12344p1s7s", win_tile="7s"), {}),
        (line("123456789m11s45s", win_tile="6s", void="s"), None),
        # Wilds may be the only tiles of the second suit, and also real 1s.
        (line("123456789m11s23s", win_tile="1s", self_draw=True), ("pinghu", 0, 0, 1)),
    ],
)
def test_what_a_win_with_wilds_comes_to(given: dict[str, Any], expected: tuple[str, int, int, int] | None) -> None:
    assert won({**given, "ruleset": "chengdu_yaoji"}) == (expected or None)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            line(
                "222333m5m",
                "jj",
                win_tile="5m",
                self_draw=True,
                flags=["kong_flower"],
                melds=melds(concealed_kong="9p", exposed_kong="1p"),
            ),
            [("win", None, "feeder", 16), ("kong", "9p", "each", 2), ("kong", "1p", "feeder", 2)],
        ),
        (
            line(
                "222333m5m",
                "qq_jiajiayou",
                win_tile="5m",
                self_draw=True,
                flags=["kong_flower"],
                melds=melds(exposed_kong="1p", added_kong="9p"),
            ),
            [
                ("win", None, "each", 17),
                ("kong", "1p", "feeder", 2),
                ("kong", "1p", "others", 1),
                ("kong", "9p", "each", 1),
            ],
        ),
        (
            line("222333m5m", "qq_single", win_tile="5m", flags=["kong_shot"], melds=melds(pung="1p 9p")),
            [("win", None, "discarder", 4), ("kong_transfer", None, "discarder", None)],
        ),
        (
            line("222333m5m", "chengdu", win_tile="5m", flags=["kong_shot"], melds=melds(pung="1p 9p")),
            [("win", None, "discarder", 4)],
        ),
        (
            line("222333m5m", "qq_single", win_tile="5m", flags=["robbed_kong"], melds=melds(pung="1p 9p")),
            [("win", None, "robbed", 2)],
        ),
    ],
)
def test_an_explained_win_tells_who_pays(
    given: dict[str, Any], expected: list[tuple[str, str | None, str, int | None]]
) -> None:
    explained = explain_line(given)
    kongs = {meld["tile"]: meld for meld in given["melds"]}
    assert explained["payments"] == [
        {"kind": kind, **({"meld": kongs[tile]} if tile else {}), "payer": payer, "units": units}
        for kind, tile, payer, units in expected
    ]


def test_the_items_of_an_explained_win() -> None:
    given = line("555p123456m9m", win_tile="9m", melds=melds(added_kong="7p"), flags=["robbed_kong"])
    items = [tuple(item.values()) for item in explain_line(given)["items"]]
    assert items == [("pinghu", 1, 0), ("added_kong", 1, 1), ("robbed_kong", 1, 1)]
    given = line("567p123456m9m", win_tile="9m", melds=melds(pung="5p"), flags=["kong_shot"])
    items = [tuple(item.values()) for item in explain_line(given)["items"]]
    assert items == [("pinghu", 1, 0), ("gen", 1, 1), ("kong_shot", 1, 1)]
    given = line("222333m5m", "jj", win_tile="5m", self_draw=True, flags=["kong_flower"])
    items = explain_line({**given, "melds": melds(exposed_kong="1p", concealed_kong="9p")})["items"]
    names = ["duiduihu", "exposed_kong", "concealed_kong", "kong_flower", "self_draw"]
    assert items == [{"name": name, "times": 1, "fan": 1} for name in names]
