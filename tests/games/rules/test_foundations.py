"""Notation, the fair wall, rulesets and settlement."""

from hashlib import sha256
from typing import Any

import pytest

from games.rules.options import OPTIONS
from games.rules.ruleset import PRESETS, Ruleset, RulesetError
from games.rules.settlement import settle
from games.rules.tiles import TileError, parse_tile, parse_tiles, tile_name, tiles_text
from games.rules.wall import commitment, deal, is_wall, parse_wall, shuffled_wall, wall_text


def test_notation() -> None:
    assert [tile_name(tile) for tile in parse_tiles("123m44s")] == ["1m", "2m", "3m", "4s", "4s"]
    assert tiles_text(parse_tiles("4s12m4s3m")) == "123m44s"
    assert parse_tiles("") == []
    for text in ("123", "m", "0m", "5z", "1m2", "Xm"):
        with pytest.raises(TileError):
            parse_tiles(text)
    for tile in (5, None, "5z", "55m", ["5m"]):
        with pytest.raises(TileError):
            parse_tile(tile)


def test_the_fair_wall_follows_from_its_parts() -> None:
    nonces = [b"a", b"b", b"c", b"d"]
    wall = shuffled_wall("hand-1", b"seed", nonces)
    assert is_wall(wall) and parse_wall(wall_text(wall)) == wall
    assert shuffled_wall("hand-1", b"seed", nonces) == wall
    assert shuffled_wall("hand-2", b"seed", nonces) != wall
    assert shuffled_wall("hand-1", b"seed", [b"ab", b"", b"c", b"d"]) != wall, "parts are told apart by their length"
    assert len(commitment(b"seed")) == 64


def test_the_fair_wall_is_the_one_that_anybody_computes() -> None:
    """As docs/fair-walls.md tells it, with nothing of the program."""
    nonces = [b"", b"one", b"two" * 100, b"\x00"]
    key = sha256(b"sichuan-mahjong-wall-v1")
    for part in ("手-1".encode(), b"secret", *nonces):
        key.update(len(part).to_bytes(4, "big") + part)
    stream = b"".join(sha256(key.digest() + block.to_bytes(8, "big")).digest() for block in range(20))
    words = [int.from_bytes(stream[place : place + 4], "big") for place in range(0, len(stream), 4)]
    wall = [tile for tile in range(27) for _ in range(4)]
    for last in range(107, 0, -1):
        while words[0] >= 2**32 // (last + 1) * (last + 1):
            del words[0]
        chosen = words.pop(0) % (last + 1)
        wall[last], wall[chosen] = wall[chosen], wall[last]
    assert shuffled_wall("手-1", b"secret", nonces) == wall
    assert commitment(b"secret") == sha256(b"sichuan-mahjong-seed-v1secret").hexdigest()
    with pytest.raises(ValueError, match="four seats"):
        shuffled_wall("手-1", b"secret", nonces[:3])


def test_the_deal_goes_four_at_a_time_from_the_dealer() -> None:
    hands, taken = deal(list(range(108)), dealer=2)
    assert taken == 52
    assert hands[2] == [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48]
    assert hands[1] == [12, 13, 14, 15, 28, 29, 30, 31, 44, 45, 46, 47, 51]


@pytest.mark.parametrize("preset", list(PRESETS))
def test_a_ruleset_is_its_spec(preset: str) -> None:
    ruleset = PRESETS[preset].ruleset
    assert ruleset.spec == preset
    assert set(ruleset.options()) == set(OPTIONS)
    changed = Ruleset.parse({"preset": preset, "options": {"base_points": 7, "mode": ruleset.mode.value}})
    assert changed.spec == {"preset": preset, "options": {"base_points": 7}}
    assert Ruleset.parse(changed.spec) == changed
    assert Ruleset.parse({"preset": preset}) == ruleset


@pytest.mark.parametrize(
    "spec",
    [
        None,
        "guobiao",
        {"options": {}},
        {"preset": "jj", "options": []},
        {"preset": "jj", "options": {"chow": True}},
        {"preset": "jj", "options": {"void_suit": 1}},
        {"preset": "jj", "options": {"gen_fan": True}},
        {"preset": "jj", "options": {"gen_fan": -1}},
        {"preset": "jj", "options": {"mode": None}},
        {"preset": "jj", "options": {"wild": "1z"}},
        {"preset": "jj", "options": {"patterns": {}}},
        {"preset": "jj", "options": {"patterns": {"shisanyao": 5}}},
        {"preset": "jj", "options": {"kong_fan": {"exposed": 1}}},
        {"preset": "jj", "rules": {}},
    ],
)
def test_rulesets_that_do_not_exist(spec: object) -> None:
    with pytest.raises(RulesetError):
        Ruleset.parse(spec)


def test_a_message_says_what_is_allowed() -> None:
    with pytest.raises(RulesetError, match="option mode cannot be 'blitz': it is one of single, xuezhan"):
        Ruleset.parse({"preset": "jj", "options": {"mode": "blitz"}})


FAN = {"type": "integer", "minimum": 0, "maximum": 20}


@pytest.mark.parametrize(
    ("option", "allowed", "schema"),
    [
        ("void_suit", "true or false", {"type": "boolean"}),
        ("gen_fan", "a whole number from 0 to 20", FAN),
        ("base_points", "a whole number from 1 to 10000", {"type": "integer", "minimum": 1, "maximum": 10_000}),
        (
            "cap_fan",
            "null or a whole number from 0 to 20",
            {"type": ["integer", "null"], "minimum": 0, "maximum": 20},
        ),
        ("wild", "one of null, 1s", {"enum": [None, "1s"]}),
        ("leaver_wins", "one of deferred, forfeit", {"enum": ["deferred", "forfeit"]}),
        (
            "kong_fan",
            "a table of all of exposed, added, concealed, each a whole number from 0 to 20",
            {
                "type": "object",
                "properties": dict.fromkeys(("exposed", "added", "concealed"), FAN),
                "additionalProperties": False,
                "required": ["exposed", "added", "concealed"],
            },
        ),
    ],
)
def test_what_an_option_allows_in_words_and_as_a_schema(option: str, allowed: str, schema: dict[str, Any]) -> None:
    assert OPTIONS[option].allowed == allowed
    assert OPTIONS[option].json_schema == {"description": OPTIONS[option].english, **schema}


def test_some_patterns_will_do() -> None:
    rows = (
        "tianhu, dihu, qinglongqidui, qingyaojiu, qingqidui, longqidui, jiangdui, qingdui, qidui, daiyaojiu, qingyise"
    )
    each = "a whole number from 0 to 20"
    assert OPTIONS["patterns"].allowed == f"a table of some of {rows}, jingoudiao, duiduihu, pinghu, each {each}"
    schema = OPTIONS["patterns"].json_schema
    assert schema["minProperties"] == 1 and "required" not in schema
    assert list(schema["properties"])[:2] == ["tianhu", "dihu"]


def test_the_example_of_the_rules_is_settled_as_it_says() -> None:
    ruleset = PRESETS["qq_xuezhan_2"].ruleset
    settlement = settle(ruleset, [9, -3, -3, -3], 200, 400, [100_000] * 4)
    assert settlement.points == [54, -18, -18, -18]
    assert settlement.coins == [10_400, -4_000, -4_000, -4_000]
    assert sum(settlement.coins) + sum(settlement.rake) == 0


def test_short_coins_are_shared_in_proportion() -> None:
    ruleset = Ruleset.parse({"preset": "qq_xuezhan", "options": {"base_points": 1}})
    settlement = settle(ruleset, [-6, 3, 2, 1], 1, 0, [4, 0, 0, 0])
    # 4 coins over claims of 3, 2 and 1: 2, 1, 0 rounded down; the one left over goes to the largest remainder.
    assert settlement.balances == [0, 2, 1, 1]
    assert settle(ruleset, [-2, 1, 1, 0], 1, 5, [1, 0, 0, 3]).rake == [0, 1, 0, 3]
