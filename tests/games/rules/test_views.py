"""What a seat and a spectator see, word by word, at the moments of a hand."""

from typing import Any

from games.rules.actions import Kind
from games.rules.hand import Hand
from games.rules.views import view_for

from .stories import WAITING, act, answers, discard, hand_of, kong_that_two_can_rob, play_on, seat_1_may_add_a_kong
from .tables import settle_automatic

Json = dict[str, Any]


def view(hand: Hand, seat: int | None) -> Json:
    """Without the seats, which every viewer sees."""
    return {name: shown for name, shown in view_for(hand, seat).items() if name != "seats"}


def offer(hand: Hand, seat: int, kind: str) -> Json:
    (found,) = [offer for offer in view_for(hand, seat)["legal"] if offer["kind"] == kind]
    return dict(found)


NOTHING: Json = {
    "phase": "turn",
    "seat": None,
    "dealer": 0,
    "wall": 55,
    "turn": 0,
    "last": None,
    "drawn": None,
    "legal": [],
    "answered": None,
    "waits": [],
    "discards": {},
    "result": None,
}
EMPTY_SEAT: Json = {"void": None, "melds": [], "river": [], "won": None, "left": False, "units": 0}


def test_the_first_draw() -> None:
    hand = hand_of(["123456789m7788p", *WAITING[1:3], "5m47p147s"], "9s")
    assert view(hand, None) == NOTHING
    discards = ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "7p", "8p", "9s"]
    assert view(hand, 0) == {
        **NOTHING,
        "seat": 0,
        "drawn": "9s",
        "legal": [{"kind": "discard", "tile": tile} for tile in discards],
        "discards": {
            "9s": [
                {"tile": "7p", "left": 2, "fan": 1, "multiplier": 1},
                {"tile": "8p", "left": 2, "fan": 1, "multiplier": 1},
            ]
        },
    }
    shown = view_for(hand, 0)["seats"]
    own = [*(f"{rank}m" for rank in range(1, 10)), "7p", "7p", "8p", "8p", "9s"]
    assert shown[0] == {**EMPTY_SEAT, "hand": own, "count": 14}
    assert shown[1] == {**EMPTY_SEAT, "hand": None, "count": 13}
    waits = [{"tile": "5m", "left": 4, "fan": 1, "multiplier": 1}]
    assert view(hand, 1) == {**NOTHING, "seat": 1, "waits": waits}


def test_a_claim_and_its_answers() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    claim = {**NOTHING, "phase": "claim", "turn": None, "last": {"seat": 0, "tile": "5m", "kind": "discard"}}
    assert view(hand, None) == claim
    assert view(hand, 0) == {**claim, "seat": 0}
    waits = [{"tile": "5m", "left": 3, "fan": 1, "multiplier": 1}]
    win = {"kind": "win", "fan": 1, "base": "pinghu", "units": 1, "payers": [0]}
    assert view(hand, 1) == {**claim, "seat": 1, "waits": waits, "legal": [win, {"kind": "pass"}]}
    assert view(hand, 3)["legal"] == [{"kind": "pung"}, {"kind": "pass"}]
    act(hand, 3, Kind.PUNG)
    assert view(hand, 3) == {**claim, "seat": 3, "answered": "pung"}
    assert view(hand, 0) == {**claim, "seat": 0} and view(hand, None) == claim, "answers are hidden"
    act(hand, 1, Kind.WIN)
    act(hand, 2, Kind.PASS)
    settle_automatic(hand)
    shown = view_for(hand, None)["seats"]
    assert shown[0]["river"] == [{"tile": "5m", "claimed": True}]
    assert shown[1]["won"] == {
        "order": 1,
        "tile": "5m",
        "from": 0,
        "by": "discard",
        "base": "pinghu",
        "fan": 1,
        "multiplier": 1,
        "jipin": False,
    }
    assert [seat["units"] for seat in shown] == [-1, 1, 0, 0]
    assert view(hand, 1)["waits"] == [], "who has won waits for nothing"


def test_what_kongs_are_offered() -> None:
    hand = hand_of(["1m", "111m", "", ""], "", preset="qq_xuezhan_2", exposed_kong_others_units=1)
    act(hand, 0, Kind.DISCARD, "1m")
    fed = {"kind": "kong", "form": "exposed_kong", "units": 2, "payers": [0]}
    assert offer(hand, 1, "kong") == {**fed, "others": {"units": 1, "payers": [2, 3]}}
    hand = hand_of(["1111m", "", "", ""], "", preset="qq_xuezhan_2")
    assert offer(hand, 0, "kong") == {
        "kind": "kong",
        "tile": "1m",
        "form": "concealed_kong",
        "units": 2,
        "payers": [1, 2, 3],
    }


def test_a_kong_that_costs_nothing_is_offered_for_nothing() -> None:
    hand = hand_of(["1m", "111m", "", ""], "", preset="qq_xuezhan_2", exposed_kong_units=0)
    act(hand, 0, Kind.DISCARD, "1m")
    assert offer(hand, 1, "kong") == {"kind": "kong", "form": "exposed_kong", "units": 0, "payers": []}


def test_a_tile_drawn_to_win_is_seen_by_all() -> None:
    hand = hand_of([*WAITING[:2], "369m36p369s14788s", "46m55577788899p"], "2m5m", forced_win="off")
    discard(hand, 0, "2m")
    act(hand, 1, Kind.WIN, "5m")
    settle_automatic(hand)
    # One 5m is in the hand of seat 0, which seat 3 does not see; one has won.
    assert view(hand, 3)["waits"] == [{"tile": "5m", "left": 3, "fan": 1, "multiplier": 1}]


def test_an_added_kong_is_offered_robbed_and_seen() -> None:
    hand = kong_that_two_can_rob()
    rob = {"kind": "win", "fan": 1, "base": "pinghu", "units": 2, "payers": [1]}
    assert view(hand, 2)["legal"] == [rob, {"kind": "pass"}]
    # A discard that was punged, two of the pung, and the tile that is to be robbed; after it the pung and one tile won.
    assert view(hand, 2)["waits"] == [{"tile": "5m", "left": 0, "fan": 0, "multiplier": 1}]
    answers(hand, seat_2=Kind.WIN)
    play_on(hand, wall_left=hand.wall_left - 1)
    (wait,) = view(hand, 3)["waits"]
    assert (wait["tile"], wait["left"]) == ("5m", 0)


def test_an_added_kong_in_ones_turn() -> None:
    hand = seat_1_may_add_a_kong()
    kong = {"kind": "kong", "tile": "5m", "form": "added_kong", "units": 1, "payers": [0, 2, 3]}
    assert offer(hand, 1, "kong") == kong


def test_after_a_pung_nothing_is_drawn_or_konged() -> None:
    hand = hand_of(["19m19p19s", "", "", "55m"], "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    answers(hand, seat_3=Kind.PUNG)
    shown = view(hand, 3)
    assert (shown["turn"], shown["drawn"], shown["last"]) == (3, None, None)
    assert {offered["kind"] for offered in shown["legal"]} == {"discard"}


def test_void_suits_are_hidden_until_all_are_named() -> None:
    hand = hand_of(["147m147p147s1258m", "258m258p258s1369m", "369m369p369s4777m", "1m"], "9p", preset="qq_dingque")
    choices = [{"kind": "void", "suit": suit} for suit in "mps"]
    assert view(hand, 1) == {**NOTHING, "phase": "void", "turn": None, "seat": 1, "legal": choices}
    act(hand, 1, Kind.VOID, suit=1)
    assert view(hand, 1)["legal"] == []
    assert [seat["void"] for seat in view_for(hand, 1)["seats"]] == [None, "p", None, None]
    assert [seat["void"] for seat in view_for(hand, 0)["seats"]] == [None] * 4


def test_a_hand_that_is_over_lies_open() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.LEAVE)
    shown = view_for(hand, None)
    assert (shown["phase"], shown["turn"], shown["legal"]) == ("over", None, [])
    assert shown["result"] == hand.result() and shown["result"]["end"] == "escaped"
    assert shown["seats"][1]["hand"] == ["4m", "6m", "1p", "1p", "1p", "2p", "2p", "2p", "3p", "3p", "3p", "9p", "9p"]
    assert shown["seats"][0]["left"]
    assert view(hand, 1)["waits"] == []
