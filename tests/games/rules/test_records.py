"""Records told action by action: what closes the claims on a tile, and at which action a record is refused."""

import json
from typing import Any

import pytest

from games.rules.actions import Kind
from games.rules.hand import Hand
from games.rules.record import judge, record_of, replay

from .stories import AT_THE_END, WAITING, act, answers, hand_of, play_on

ROOM: dict[str, Any] = {"coefficient": 1, "rake": 0, "balances": [1000] * 4}
#: Seat 0 discards 5m, for which seats 1 and 2 wait; seat 3 has two (test_stories).
FED = [0, "discard", "5m"]


def outcome(hand: Hand, *more: object) -> tuple[str, int | None]:
    """How the hand ends, or why and at which action a record of it is refused, with these actions after those so far."""
    record = {**record_of(hand, **ROOM), "actions": [*hand.moves, *more]}
    judged = judge(json.loads(json.dumps(record)))
    return (judged["error"]["code"], judged["error"]["at"]) if "error" in judged else (judged["end"], None)


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([FED, [1, "win"], [2, "win"], [3, "leave"]], ("escaped", None)),
        ([FED, [2, "win"], [1, "win"], [3, "leave"]], ("illegal_action", 2)),  # not in play order
        ([FED, [1, "win"], [1, "win"], [3, "leave"]], ("illegal_action", 2)),
        ([FED, [1, "win"], [3, "leave"], [2, "win"]], ("trailing_actions", 3)),
        ([FED, [1, "win"], [1, "leave"], [2, "win"]], ("illegal_action", 3)),  # the leaving closed the claims
        ([FED, [1, "win"], [1, "leave"], [2, "leave"]], ("escaped", None)),
        ([FED, [1, "win"], [1, "leave"], [1, "leave"]], ("illegal_action", 3)),
        ([FED, [1, "win"], [3, "pung"]], ("illegal_action", 2)),
        ([FED, [3, "pung"], [1, "win"]], ("illegal_action", 2)),
        ([FED, [3, "pung"], [3, "kong", "5p"]], ("illegal_action", 2)),
        ([FED, [3, "kong"]], ("illegal_action", 1)),
        ([FED, [0, "win"]], ("illegal_action", 1)),  # its own discard
        ([FED, [1, "win", "5m"]], ("illegal_action", 1)),  # a tile of its own draw
        ([FED, [1, "win"], [1, "discard", "4m"]], ("illegal_action", 2)),
        ([FED, [1, "win"], [2, "win"]], ("incomplete", None)),
        ([FED], ("incomplete", None)),
        ([], ("incomplete", None)),
        ([[0, "win"]], ("illegal_action", 0)),
        ([[0, "pung"]], ("illegal_action", 0)),
        ([[0, "kong"]], ("illegal_action", 0)),
        ([[1, "discard", "4m"]], ("illegal_action", 0)),
        ([[0, "leave"]], ("escaped", None)),
        ([[3, "leave"], [0, "leave"]], ("trailing_actions", 1)),
        ([FED, [2, "win"], [1, "win"], [0, "pass"]], ("bad_format", 3)),  # looked for before play
    ],
)
def test_actions_in_turn(actions: list[Any], expected: tuple[str, int | None]) -> None:
    assert outcome(hand_of(WAITING, "5m"), *actions) == expected


def test_a_winner_may_leave_while_nobody_has_won_the_tile() -> None:
    """Seat 1 has won before; seat 0 feeds another 5m, which seat 2 still wins after seat 1 has left."""
    hand = hand_of(["159m19s5m", *WAITING[1:3], "47p147s"], "5m2s3p")
    act(hand, 0, Kind.DISCARD, "5m")
    answers(hand, seat_1=Kind.WIN)
    assert hand.turn == 2
    for seat, tile in ((2, "2s"), (3, "3p")):
        act(hand, seat, Kind.DISCARD, tile)
        answers(hand)
    assert outcome(hand, FED, [1, "leave"], [2, "win"], [0, "leave"]) == ("escaped", None)
    assert outcome(hand, FED, [2, "win"], [1, "leave"], [0, "leave"]) == ("escaped", None)
    assert outcome(hand, FED, [1, "leave"], [0, "pung"]) == ("illegal_action", len(hand.moves) + 2)


@pytest.mark.parametrize(
    "action",
    [
        [4, "leave"],
        [-1, "leave"],
        [True, "leave"],
        [1.0, "leave"],
        ["1", "leave"],
        [0],
        [],
        {},
        None,
        "leave",
        [0, "leave", "5m"],
        [0, "pung", "5m"],
        [0, "discard"],
        [0, "discard", None],
        [0, "discard", "0m"],
        [0, "pass"],
        [0, "close"],
        [0, "void", "m"],
        [0, "win", "5m", "5m"],
        [0, ["leave"]],
    ],
)
def test_what_is_no_action(action: object) -> None:
    assert outcome(hand_of(WAITING, "5m"), FED, action) == ("bad_format", 1)


def test_a_forced_win_is_in_the_record() -> None:
    hand = hand_of(AT_THE_END, "", "4s6s8s5p", preset="qq_xuezhan", forced_win="last_four")
    play_on(hand, wall_left=3)
    here = len(hand.moves)
    fed = [0, "discard", "5p"]
    assert outcome(hand, fed) == ("incomplete", None)
    assert outcome(hand, fed, [1, "win"]) == ("incomplete", None)
    assert outcome(hand, fed, [3, "win"]) == ("illegal_action", here + 1), "seat 1 must win, too"
    assert outcome(hand, fed, [2, "pung"]) == ("illegal_action", here + 1)
    assert outcome(hand, fed, [1, "discard", "4p"]) == ("illegal_action", here + 1)
    assert outcome(hand, fed, [2, "leave"]) == ("escaped", None), "none is due any more"
    assert outcome(hand, fed, [1, "win"], [3, "win"], [2, "leave"]) == ("escaped", None)


@pytest.mark.parametrize(
    ("preset", "voids", "code"),
    [
        ("qq_xuezhan", None, "escaped"),
        ("qq_xuezhan", ["m"] * 4, "bad_void"),
        ("qq_dingque", None, "bad_void"),
        ("qq_dingque", ["m", "s", "p"], "bad_void"),
        ("qq_dingque", ["m", "s", "p", None], "bad_void"),
        ("qq_dingque", ["m", "s", "p", "z"], "bad_void"),
        ("qq_dingque", "mspm", "bad_void"),
        ("qq_dingque", ["m", "s", "s", "m"], "escaped"),
        ("qq_dingque", ["m", "m", "s", "m"], "bad_void"),  # seat 1 holds m and p
    ],
)
def test_voids_of_a_record(preset: str, voids: object, code: str) -> None:
    record = record_of(hand_of(WAITING, "5m", preset=preset), **ROOM)
    judged = judge({**record, "voids": voids, "actions": [[2, "leave"]]})
    assert (judged["error"]["code"] if "error" in judged else judged["end"]) == code


@pytest.mark.parametrize(
    "change",
    [
        {"format": "sichuan"},
        {"version": 2},
        {"version": True},
        {"version": None},
        {"coefficient": -1},
        {"coefficient": True},
        {"coefficient": 1.0},
        {"rake": None},
        {"rake": "0"},
        {"balances": [1, 2, 3]},
        {"balances": [1, 2, 3, -4]},
        {"balances": [1, 2, 3, 4, 5]},
        {"balances": {"0": 1}},
        {"dealer": 4},
        {"dealer": -1},
        {"dealer": True},
        {"dealer": None},
        {"actions": None},
        {"actions": {"0": FED}},
    ],
)
def test_what_is_no_record(change: dict[str, Any]) -> None:
    record = {**record_of(hand_of(WAITING, "5m"), **ROOM), "actions": [[0, "leave"]]}
    assert judge(record)["end"] == "escaped"
    assert judge({**record, **change})["error"]["code"] == "bad_format"
    assert judge({name: value for name, value in record.items() if name not in change})["error"]["code"] == "bad_format"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"wall": None}, "bad_wall"),
        ({"wall": "1m" * 108}, "bad_wall"),
        ({"wall": "1m2m"}, "bad_wall"),
        ({"wall": "0m" * 108}, "bad_wall"),
        ({"ruleset": "guobiao"}, "unknown_ruleset"),
        ({"ruleset": {"preset": "jj", "options": {"chow": True}}}, "unknown_ruleset"),
        ({"ruleset": None}, "unknown_ruleset"),
    ],
)
def test_walls_and_rulesets_that_are_none(change: dict[str, Any], code: str) -> None:
    record = {**record_of(hand_of(WAITING, "5m"), **ROOM), "actions": [[0, "leave"]]}
    error = judge({**record, **change})["error"]
    assert (error["code"], error["at"]) == (code, None)


def test_a_record_of_a_hand_that_is_over_has_its_result() -> None:
    hand = hand_of(WAITING, "5m")
    assert "result" not in record_of(hand, **ROOM)
    act(hand, 0, Kind.LEAVE)
    record = record_of(hand, **ROOM)
    assert record["result"] == judge(record)
    assert record["result"]["balances"] == [1000 - 3 * 96, 1096, 1096, 1096]


def test_a_replay_goes_by_actions() -> None:
    """The deal first, without events; then each action with what becomes of it, the passes that it implies before it."""
    hand = hand_of(WAITING, "5m")
    record = {**record_of(hand, **ROOM), "actions": [FED, [1, "win"], [3, "leave"]]}
    steps = [[event.kind for event in events] for _, events in replay(record)]
    assert steps == [
        [],
        ["discard"],
        ["answer"],
        ["answer", "answer", "win", "pay", "draw", "leave", "pay", "pay", "over"],
    ]
