"""Hands told move by move, one rule each."""

from typing import Any

import pytest

from games.rules.actions import IllegalAction, IllegalCode, Kind
from games.rules.hand import Hand, Phase, automatic_actions, legal_actions
from games.rules.scoring import score_line
from games.rules.views import view_for

from .stories import WAITING, act, discard, hand_of, kinds, kong_that_seat_2_can_rob, payments
from .tables import settle_automatic


def test_one_discard_two_winners_and_no_pung() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    assert hand.phase is Phase.CLAIM
    assert [kinds(hand, seat) for seat in range(4)] == [[], ["win", "pass"], ["win", "pass"], ["pung", "pass"]]
    act(hand, 3, Kind.PUNG)
    assert hand.unanswered() == {1, 2}, "a pung waits for those that could win"
    act(hand, 2, Kind.WIN)
    act(hand, 1, Kind.WIN)
    settle_automatic(hand)
    assert [(win.seat, win.source, win.order) for win in hand.wins] == [(1, 0, 1), (2, 0, 2)]
    assert payments(hand) == [("win", 0, 1, 1), ("win", 0, 2, 1)]
    assert hand.turn == 3, "the next live seat after the last winner"
    assert hand.moves == [[0, "discard", "5m"], [1, "win"], [2, "win"]]


def test_a_pung_closes_without_seats_that_could_only_lose_to_it() -> None:
    hand = hand_of(["19m19p19s", "", "", "55m"], "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    assert automatic_actions(hand) == []
    act(hand, 3, Kind.PUNG)
    settle_automatic(hand)
    assert hand.phase is Phase.TURN and hand.turn == 3 and hand.drawn is None
    assert set(kinds(hand, 3)) == {"discard"}, "after a pung the seat only discards"


def test_claims_close_when_all_have_answered_whose_answer_matters() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    for seat, still in ((1, {2, 3}), (2, {3})):
        act(hand, seat, Kind.PASS)
        assert hand.unanswered() == still and not hand.claims_closable
        with pytest.raises(IllegalAction) as refused:
            act(hand, None, Kind.CLOSE)
        assert refused.value.code is IllegalCode.STILL_TO_ANSWER
    act(hand, 3, Kind.PUNG)
    assert hand.claims_closable


@pytest.mark.parametrize(
    ("seat", "kind", "tile", "code"),
    [
        (0, Kind.PUNG, None, IllegalCode.NOTHING_TO_CLAIM),
        (0, Kind.PASS, None, IllegalCode.NOTHING_TO_CLAIM),
        (0, Kind.WIN, "1m", IllegalCode.NO_WIN),  # not the tile drawn
        (1, Kind.WIN, None, IllegalCode.NOT_YOUR_TURN),
        (0, Kind.VOID, None, IllegalCode.NOT_NOW),
        (0, Kind.DISCARD, "9s", IllegalCode.TILE_NOT_HELD),
        (0, Kind.KONG, "1m", IllegalCode.NO_KONG),
        (4, Kind.DISCARD, "1m", IllegalCode.NOT_IN_PLAY),
        (None, Kind.CLOSE, None, IllegalCode.NOT_NOW),
    ],
)
def test_what_cannot_be_done_with_a_hand_that_wins(
    seat: int | None, kind: Kind, tile: str | None, code: IllegalCode
) -> None:
    hand = hand_of(["123456789m1122p", "147m369p258s3467s", "", ""], "2p")
    with pytest.raises(IllegalAction) as refused:
        act(hand, seat, kind, tile)
    assert refused.value.code is code
    act(hand, 0, Kind.WIN)
    assert [win.seat for win in hand.wins] == [0]


def test_an_answer_to_a_claim_names_no_tile() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    with pytest.raises(IllegalAction) as refused:
        act(hand, 1, Kind.WIN, "5m")
    assert refused.value.code is IllegalCode.NOT_YOUR_TURN


def test_claims_are_open_also_when_nobody_can_claim() -> None:
    hand = hand_of(["19m", "111222333444p9s", "111222333444s9p", "777888999p1118m"], "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    assert hand.phase is Phase.CLAIM and hand.claims_closable
    assert [action.kind for action in automatic_actions(hand)] == [Kind.CLOSE]


def test_a_robbed_kong_never_happened() -> None:
    hand = kong_that_seat_2_can_rob()
    assert view_for(hand, 3)["seats"][1]["melds"][0]["kind"] == "added_kong", "a kong lies open at once"
    assert kinds(hand, 2) == ["win", "pass"]
    act(hand, 2, Kind.WIN)
    settle_automatic(hand)
    assert hand.seats[1].melds[0].kind == "pung" and hand.kongs == []
    assert payments(hand) == [("win", 1, 2, 1)]
    assert hand.wins[0].by == "robbed_kong"


def test_the_last_tile_lies_open_until_it_is_taken() -> None:
    def last(hand: Hand) -> tuple[int, str, str] | None:
        shown = view_for(hand, None)["last"]
        return shown and (shown["seat"], shown["tile"], shown["kind"])

    hand = hand_of(["19m19p19s", "", "", "55m"], "5m")
    assert last(hand) is None
    act(hand, 0, Kind.DISCARD, "5m")
    assert last(hand) == (0, "5m", "discard")
    act(hand, 3, Kind.PUNG)
    settle_automatic(hand)
    assert last(hand) is None
    hand = kong_that_seat_2_can_rob()
    assert last(hand) == (1, "5m", "added_kong")
    act(hand, 2, Kind.PASS)
    settle_automatic(hand)
    assert last(hand) is None
    discard(hand, 1, "9s")
    assert last(hand) == (1, "9s", "discard") and hand.turn == 2, "unclaimed, it lies there still"


@pytest.mark.parametrize(
    ("rule", "second"),
    [("free", ["win", "pass"]), ("until_draw", []), ("unless_higher", [])],
)
def test_passing_a_win(rule: str, second: list[str]) -> None:
    hands = ["19p19s", "5m19p19s", "147p147s", "46m44455566688p"]
    hand = hand_of(hands, "5m", pass_win=rule, forced_win="off")
    discard(hand, 0, "5m")
    act(hand, 1, Kind.DISCARD, "5m")
    assert kinds(hand, 3) == second


def test_tiles_of_the_void_suit_go_first() -> None:
    hand = hand_of(["1m19p19s", "1m19p19s", "1m19p19s", "1m19p19s"], "9m", preset="qq_dingque")
    assert hand.phase is Phase.VOID
    act(hand, 0, Kind.VOID, suit=0)
    assert view_for(hand, 0)["seats"][0]["void"] == "m"
    assert view_for(hand, 1)["seats"][0]["void"] is None, "nobody sees another's choice until all four are made"
    for seat in (1, 2, 3):
        act(hand, seat, Kind.VOID, suit=0)
    assert view_for(hand, 1)["seats"][0]["void"] == "m"
    assert {offer["tile"][1] for offer in view_for(hand, 0)["legal"]} == {"m"}
    with pytest.raises(IllegalAction) as refused:
        act(hand, 0, Kind.DISCARD, "1p")
    assert refused.value.code is IllegalCode.VOID_SUIT


def test_four_of_the_void_suit_are_no_kong() -> None:
    hand = hand_of(["2222m147p1478s36m", "1m19p19s", "1m19p19s", "1m19p19s"], "8p", preset="qq_dingque")
    for seat, suit in enumerate((0, 1, 1, 1)):
        act(hand, seat, Kind.VOID, suit=suit)
    assert set(kinds(hand, 0)) == {"discard"}
    with pytest.raises(IllegalAction) as refused:
        act(hand, 0, Kind.KONG, "2m")
    assert refused.value.code is IllegalCode.NO_KONG


def test_kongs_are_offered_before_every_discard() -> None:
    hand = hand_of(["1111m2222p3p4578s", "", "", ""], "9s")
    tiles = [(action.kind.value, action.tile) for action in legal_actions(hand, 0)]
    kongs = [("kong", 0), ("kong", 10)]
    assert tiles == [*kongs, *(("discard", tile) for tile in (0, 10, 11, 21, 22, 24, 25, 26))]


@pytest.mark.parametrize(("payers", "seats"), [("discarder", [0]), ("all", [0, 1, 3])])
def test_who_pays_a_kong_flower_after_a_fed_kong(payers: str, seats: list[int]) -> None:
    hands = ["29p19s", "29p19s", "555m234678m1199m", "29p19s"]
    hand = hand_of(hands, "5m", back="1m", exposed_kong_flower=payers)
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 2, Kind.KONG)
    settle_automatic(hand)
    offer = next(offer for offer in view_for(hand, 2)["legal"] if offer["kind"] == "win")
    # qingyise 3 and the flower 1, from the origin 1 on: 2 to the power of 3.
    assert offer == {"kind": "win", "tile": "1m", "fan": 4, "base": "qingyise", "units": 8, "payers": seats}
    act(hand, 2, Kind.WIN, "1m")
    assert payments(hand) == [("kong", 0, 2, 1), *(("win", seat, 2, 8) for seat in seats)]


def test_leaving_takes_back_a_draw_and_pays_everybody() -> None:
    hand = hand_of(WAITING, "5m")
    left = hand.wall_left
    act(hand, 0, Kind.LEAVE)
    assert hand.phase is Phase.OVER and hand.wall_left == left + 1
    assert payments(hand) == [("escape", 0, seat, 16) for seat in (1, 2, 3)]
    assert hand.result()["next_dealer"] is None


def test_an_added_kong_that_a_leaving_completes_lies_open_no_more() -> None:
    hand = kong_that_seat_2_can_rob()
    act(hand, 3, Kind.LEAVE)
    assert payments(hand)[:3] == [("kong", seat, 1, 1) for seat in (0, 2, 3)]
    assert view_for(hand, 0)["last"] is None


def test_declared_wins_come_before_leaving() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 1, Kind.WIN)
    act(hand, 3, Kind.LEAVE)
    assert [win.seat for win in hand.wins] == [1]
    assert payments(hand) == [("win", 0, 1, 1), ("escape", 3, 0, 16), ("escape", 3, 2, 16)]
    assert hand.moves == [[0, "discard", "5m"], [1, "win"], [3, "leave"]]


def test_a_copy_goes_its_own_way() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    twin = hand.copy()
    for played in (twin, hand.copy(), hand):
        act(played, 1, Kind.WIN)
        act(played, 2, Kind.WIN)
        settle_automatic(played)
        assert [win.seat for win in played.wins] == [1, 2] and len(played.payments) == 2
    before = view_for(hand, None)
    act(hand.copy(), 3, Kind.LEAVE)
    assert view_for(hand, None) == before == view_for(twin, None)


def test_who_has_declared_a_win_and_leaves_has_won() -> None:
    hand = hand_of(WAITING, "5m")
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 1, Kind.WIN)
    act(hand, 1, Kind.LEAVE)
    assert payments(hand) == [("win", 0, 1, 1)] and hand.end is None
    assert hand.phase is Phase.TURN and hand.turn == 2, "the other answers lapse, and play goes on"
    assert hand.moves == [[0, "discard", "5m"], [1, "win"], [1, "leave"]]


def test_a_winner_who_leaves_forfeits_what_its_wins_brought() -> None:
    hand = hand_of(WAITING, "5m", leaver_wins="forfeit")
    act(hand, 0, Kind.DISCARD, "5m")
    for seat, kind in ((1, Kind.WIN), (2, Kind.PASS), (3, Kind.PASS)):
        if seat in hand.unanswered():
            act(hand, seat, kind)
    settle_automatic(hand)
    act(hand, 1, Kind.LEAVE)
    assert hand.phase is Phase.TURN and payments(hand) == [] and [win.seat for win in hand.wins] == [1]
    assert [seat.units for seat in hand.seats] == [0, 0, 0, 0]


def test_waits_of_a_view_count_the_tiles_not_seen() -> None:
    hand = hand_of(WAITING, "5m")
    assert view_for(hand, 1)["waits"] == [{"tile": "5m", "left": 4, "fan": 1, "multiplier": 1}]
    act(hand, 0, Kind.DISCARD, "5m")
    waits: list[dict[str, Any]] = view_for(hand, 1)["waits"]
    assert [wait["left"] for wait in waits] == [3]
    assert view_for(hand, None)["waits"] == [] and view_for(hand, None)["seats"][1]["hand"] is None


def test_wilds_that_could_stand_for_gens_worth_nothing_do_not() -> None:
    """Natural gens are counted, 2s here; the wilds could be two more 6m or two more 7m, or a pair of something else."""
    line = {
        "ruleset": {"preset": "nengwan", "options": {"wild": "1s", "gen_fan": 0}},
        "concealed": "667799m1122223s",
        "win_tile": "3s",
        "self_draw": True,
        "flags": ["tianhu"],
    }
    outcome = score_line(line)
    assert (outcome["base"], outcome["gen"], outcome["fan"]) == ("tianhu", 1, 6)
