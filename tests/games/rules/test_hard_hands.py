"""Hands in which several rules meet, worked out by hand from RULES.md: who pays whom how much in the end."""

from collections import Counter

import pytest

from games.rules.actions import Kind
from games.rules.hand import Hand, Phase, legal_actions
from games.rules.views import view_for

from .stories import (
    A_KONG,
    AT_THE_END,
    TWO_KONGS,
    WAITS,
    Payments,
    act,
    after_two_wins,
    answers,
    discard,
    each,
    hand_of,
    kinds,
    kong_that_two_can_rob,
    payments,
    play_on,
)
from .tables import settle_automatic


def paid(hand: Hand) -> Counter[tuple[str, int, int, int]]:
    return Counter(payments(hand))


# Kongs, one after another (sections 5, 7 and 8)


def second_kong(**options: object) -> Hand:
    hand = hand_of(TWO_KONGS, "4s", "2m5p", preset="qq_xuezhan_2", forced_win="off", **options)
    act(hand, 0, Kind.DISCARD, "1m")
    answers(hand, seat_2=Kind.KONG)
    act(hand, 2, Kind.KONG, "2m")
    act(hand, 2, Kind.DISCARD, "5p")
    return hand


KONGS = [("kong", 0, 2, 2), *each("kong", [0, 1, 3], 2, 2)]


def test_a_kong_shot_moves_the_last_kong_alone_and_the_first_is_still_refunded() -> None:
    hand = second_kong()
    answers(hand, seat_3=Kind.WIN)
    # pinghu 1 and the shot 1, from the origin 1 on: 2. The concealed kong collected 6.
    assert payments(hand) == [*KONGS, ("win", 2, 3, 2), ("kong_transfer", 2, 3, 6)]
    play_on(hand)
    # Seats 0 and 2 are huazhu and pay seat 1, which is ready, and seat 3, which has won. QQ's huazhu pay no dajiao.
    end = [*each("huazhu", [0, 2], 1, 16), *each("huazhu", [0, 2], 3, 16), ("kong_refund", 2, 0, 2)]
    assert paid(hand) == Counter([*KONGS, ("win", 2, 3, 2), ("kong_transfer", 2, 3, 6), *end])


def test_each_winner_of_a_kong_shot_gets_the_whole_of_the_kong() -> None:
    hand = second_kong()
    answers(hand, seat_3=Kind.WIN, seat_1=Kind.WIN)
    won = [("win", 2, seat, 2) for seat in (3, 1)] + [("kong_transfer", 2, seat, 6) for seat in (3, 1)]
    assert paid(hand) == Counter([*KONGS, *won])
    assert [win.seat for win in hand.wins] == [3, 1], "in play order from the discarder"
    assert hand.turn == 2, "the next live seat after the last winner"
    assert [seat.units for seat in hand.seats] == [-4, 6, -8, 6]


def test_without_the_transfer_a_kong_shot_leaves_the_kong_to_be_refunded() -> None:
    hand = second_kong(kong_shot_transfer=False)
    answers(hand, seat_3=Kind.WIN)
    play_on(hand)
    refunds = [payment for payment in payments(hand) if payment[0] == "kong_refund"]
    assert Counter(refunds) == Counter([("kong_refund", 2, 0, 2), *(("kong_refund", 2, seat, 2) for seat in (0, 1, 3))])


@pytest.mark.parametrize("payers", ["all", "discarder"])
def test_a_kong_flower_after_two_kongs_goes_by_the_last(payers: str) -> None:
    """The second is concealed, so that everybody pays, with the bonus, whoever fed the first."""
    hands = ["19m258p25s136789p", "46p333666888s11p", "1112223456788m", "2589p2589s23467s"]
    hand = hand_of(hands, "4s", "2m5m", preset="feidingzhang", exposed_kong_flower=payers, self_draw_bonus="base")
    act(hand, 0, Kind.DISCARD, "1m")
    answers(hand, seat_2=Kind.KONG)
    act(hand, 2, Kind.KONG, "2m")
    act(hand, 2, Kind.WIN, "5m")
    # qingyise 3 and the flower 1, from the origin 1 on: 8, and 1 for the self-draw.
    kongs = [("kong", 0, 2, 1), *each("kong", [0, 1, 3], 2, 2)]
    assert payments(hand) == [*kongs, *each("win", [0, 1, 3], 2, 9)]
    assert hand.wins[0].score.jipin and hand.wins[0].source is None


@pytest.mark.parametrize(
    ("bonus", "payers", "units"), [("base", [0], 8), ("fan", [0], 8), ("base", [0, 1, 3], 9), ("fan", [0, 1, 3], 16)]
)
def test_a_fed_flower_has_no_bonus_of_either_form(bonus: str, payers: list[int], units: int) -> None:
    hands = ["29p19s", "29p19s", "555m234678m1199m", "29p19s"]
    flower = "discarder" if payers == [0] else "all"
    hand = hand_of(hands, "5m", back="1m", exposed_kong_flower=flower, self_draw_bonus=bonus)
    act(hand, 0, Kind.DISCARD, "5m")
    answers(hand, seat_2=Kind.KONG)
    act(hand, 2, Kind.WIN, "1m")
    assert payments(hand) == [("kong", 0, 2, 1), *each("win", payers, 2, units)]


# Robbed kongs (section 5)


def test_two_rob_a_kong_and_the_robbed_seat_deals_next() -> None:
    hand = kong_that_two_can_rob(kong_shot_transfer=True)
    answers(hand, seat_2=Kind.WIN, seat_3=Kind.WIN)
    # pinghu 0 and the robbing 1: 2 each. The kong has never been: no payment, no transfer.
    assert payments(hand) == [("win", 1, 2, 2), ("win", 1, 3, 2)]
    robbed = view_for(hand, 0)["seats"][1]
    assert robbed["melds"] == [{"kind": "pung", "tile": "5m", "from": 0}] and robbed["count"] == 10
    assert hand.turn == 0 and hand.drawn is not None, "the next live seat after the last winner"
    play_on(hand)
    assert [payment for payment in payments(hand) if payment[0] in ("kong", "kong_refund")] == []
    assert hand.result()["next_dealer"] == 1


def test_a_kong_that_one_of_two_robs_is_passed_by_the_other() -> None:
    hand = kong_that_two_can_rob(pass_win="until_draw")
    answers(hand, seat_3=Kind.WIN)
    assert payments(hand) == [("win", 1, 3, 2)]
    assert hand.seats[2].passed_fan == 1 and hand.turn == 0


def test_a_kong_that_nobody_robs_is_paid_by_who_passed_too() -> None:
    hand = kong_that_two_can_rob()
    answers(hand)
    assert payments(hand) == each("kong", [0, 2, 3], 1, 1)
    assert hand.turn == 1 and hand.replacement


def test_who_leaves_before_a_kong_is_robbed_pays_for_it_first() -> None:
    hand = kong_that_two_can_rob()
    act(hand, 2, Kind.LEAVE)
    assert payments(hand) == [*each("kong", [0, 2, 3], 1, 1), *[("escape", 2, seat, 16) for seat in (0, 1, 3)]]
    assert not hand.wins and hand.result()["next_dealer"] is None


# A drawn hand (section 9)


def drawn(**options: object) -> Counter[tuple[str, int, int, int]]:
    hand = hand_of(WAITS, "", "", "chengdu", **{"forced_win": "off", **options})
    play_on(hand)
    assert hand.end == "drawn"
    return paid(hand)


HUAZHU = [("huazhu", 0, seat, 16) for seat in (1, 2, 3)]
#: The best wait of seat 1 is 3m: a gen, 2 units; that of seat 2 is pinghu, 1 unit.
DAJIAO = [("dajiao", 3, 1, 2), ("dajiao", 3, 2, 1)]


def test_dajiao_goes_by_the_best_wait_and_ready_seats_pay_the_gap() -> None:
    huazhu_too = [("dajiao", 0, 1, 2), ("dajiao", 0, 2, 1)]
    assert drawn() == Counter([*HUAZHU, *DAJIAO, *huazhu_too, ("dajiao_gap", 2, 1, 1)])
    assert drawn(huazhu_pays_dajiao=False) == Counter([*HUAZHU, *DAJIAO, ("dajiao_gap", 2, 1, 1)])
    assert drawn(dajiao_gap=False) == Counter([*HUAZHU, *DAJIAO, *huazhu_too])


def test_waits_are_chosen_by_the_fan_before_the_cap_and_paid_after_it() -> None:
    capped = [("dajiao", payer, payee, 1) for payer in (0, 3) for payee in (1, 2)]
    assert drawn(cap_fan=0) == Counter([*HUAZHU, *capped])


def test_in_a_single_hand_that_nobody_wins_the_same_is_paid() -> None:
    assert drawn(mode="single", huazhu_pays_dajiao=False, dajiao_gap=False) == Counter([*HUAZHU, *DAJIAO])


@pytest.mark.parametrize(("refund_to", "refunded"), [("payers", [1, 3]), ("ready", [3])])
@pytest.mark.parametrize(("leaver_wins", "winners"), [("deferred", [1, 2]), ("forfeit", [1])])
def test_refunds_go_to_winners_but_not_to_who_has_left(
    refund_to: str, refunded: list[int], leaver_wins: str, winners: list[int]
) -> None:
    hand = after_two_wins(kong_refund_to=refund_to, leaver_wins=leaver_wins)
    act(hand, 2, Kind.LEAVE)
    assert hand.turn == 3 and hand.phase is Phase.TURN, "play goes on"
    play_on(hand)
    wins = [("win", 0, winner, 2) for winner in winners]
    end = [("dajiao", 0, 3, 2), *(("kong_refund", 0, seat, 2) for seat in refunded)]
    assert paid(hand) == Counter([*A_KONG, *wins, *end])
    assert [win.seat for win in hand.wins] == [1, 2], "a forfeited win stays among the wins"
    assert hand.result()["next_dealer"] is None


def test_a_ready_seat_keeps_what_its_kong_collected() -> None:
    hand = hand_of(["1111m456m577789p", "", "", ""], "6p", "9m", preset="qq_xuezhan_2", forced_win="off")
    act(hand, 0, Kind.KONG, "1m")
    play_on(hand)
    assert hand.end == "drawn" and all(kind != "kong_refund" for kind, *_ in payments(hand))


# Leaving (section 12)


@pytest.mark.parametrize(
    ("left_in_wall", "escape", "expected"),
    [
        (4, 1, [("escape", 0, seat, 1) for seat in (1, 2, 3)]),  # 3 units of dajiao are no more than 3 of escape
        (4, 0, [("dajiao", 0, 1, 2), ("dajiao", 0, 2, 1)]),
        (5, 0, []),
    ],
)
def test_leaving_with_the_last_four_tiles(left_in_wall: int, escape: int, expected: Payments) -> None:
    hand = hand_of(WAITS, "", preset="chengdu", forced_win="off", escape_units=escape)
    play_on(hand, wall_left=left_in_wall - 1)  # the draw that nobody has acted on is taken back
    act(hand, 0, Kind.LEAVE)
    assert payments(hand) == expected


def test_leaving_while_the_last_discard_can_be_won() -> None:
    hand = hand_of(WAITS, "", "7p", preset="chengdu", forced_win="off", escape_units=0)
    play_on(hand, wall_left=0)
    act(hand, 3, Kind.DISCARD, "7p")
    assert hand.unanswered() == {1}
    act(hand, 0, Kind.LEAVE)
    assert hand.end == "escaped" and payments(hand) == [("dajiao", 0, 1, 2), ("dajiao", 0, 2, 1)]


# First draws (section 7)


def test_the_first_draw_counts_also_after_another_seat_konged() -> None:
    hands = ["1111m258m147p147s", "234567m345p666p9p", "369m369p369s1478s", "258m258p258s2369s"]
    hand = hand_of(hands, "9m9p", "8m", preset="chengdu")
    act(hand, 0, Kind.KONG, "1m")
    discard(hand, 0, "8m")
    won = next(offer for offer in view_for(hand, 1)["legal"] if offer["kind"] == "win")
    assert (won["base"], won["fan"], won["units"]) == ("dihu", 5, 32)
    act(hand, 1, Kind.WIN, "9p")
    assert payments(hand) == [*each("kong", [1, 2, 3], 0, 2), *each("win", [0, 2, 3], 1, 32)]


def test_the_dealer_that_kongs_first_has_no_tianhu() -> None:
    hands = ["1111m234567m99p8p", "369m369p369s1478s", "258m258p258s2369s", "47m147p147s25899s"]
    hand = hand_of(hands, "8p", "9p", preset="chengdu")
    assert kinds(hand, 0)[0] == "kong"
    act(hand, 0, Kind.KONG, "1m")
    won = next(offer for offer in view_for(hand, 0)["legal"] if offer["kind"] == "win")
    # pinghu 0, the concealed kong 2 and the flower 1.
    assert (won["base"], won["fan"], won["units"], won["payers"]) == ("pinghu", 3, 8, [1, 2, 3])


def test_a_seat_that_has_punged_has_no_dihu() -> None:
    hands = ["578m147p147s3699s", "55m234678m34589p", "369m369p369s1478s", "28m2568p258s2369s"]
    hand = hand_of(hands, "9m2p4s6s9p", preset="chengdu")
    act(hand, 0, Kind.DISCARD, "5m")
    answers(hand, seat_1=Kind.PUNG)
    discard(hand, 1, "8p")
    play_on(hand, wall_left=51)
    won = next(offer for offer in view_for(hand, 1)["legal"] if offer["kind"] == "win")
    assert (won["base"], won["fan"], won["units"]) == ("pinghu", 0, 1)


# Passed and forced wins (section 10)

# Seat 3 waits for 5m. Seats 0, 1 and 2 discard one each before it draws, seat 2 after a kong.
THREE_DISCARDS = ["289m13479p24789s", "1589m2568p24689s", "5m37m258p1111369s", "46m11133377799p"]


@pytest.mark.parametrize(
    ("rule", "offered"),
    [("free", [True, True, True]), ("until_draw", [True, False, False]), ("unless_higher", [True, False, True])],
)
def test_after_a_passed_win_only_a_higher_one_may_do(rule: str, offered: list[bool]) -> None:
    hand = hand_of(THREE_DISCARDS, "5m9m8m", "6s", preset="jj", pass_win=rule)
    asked = []
    for seat in (0, 1, 2):
        if seat == 2:
            act(hand, 2, Kind.KONG, "1s")
        act(hand, seat, Kind.DISCARD, "5m")
        asked.append(3 in hand.unanswered())
        if seat < 2:
            answers(hand)
    assert asked == offered
    if offered[2]:
        answers(hand, seat_3=Kind.WIN)
        # pinghu 0 and the shot 1; passed were two pinghu of 0. JJ moves no kong.
        assert payments(hand) == [*each("kong", [0, 1, 3], 2, 2), ("win", 2, 3, 2)]


@pytest.mark.parametrize(
    ("forced", "back", "left"),
    [("last_four", "4s6s8s5p", 3), ("last_four", "4s6s8s9s2p4p6p5p", 7), ("last_four_self_draw", "4s6s8s5p", 3)],
)
def test_with_the_last_four_tiles_all_win_and_nobody_pungs(forced: str, back: str, left: int) -> None:
    hand = hand_of(AT_THE_END, "", back, preset="qq_xuezhan", forced_win=forced)
    play_on(hand, wall_left=left)
    act(hand, 0, Kind.DISCARD, "5p")
    if forced == "last_four" and left == 3:
        assert [kinds(hand, seat) for seat in range(4)] == [[], ["win"], [], ["win"]]
        settle_automatic(hand)
        assert payments(hand) == [("win", 0, 1, 1), ("win", 0, 3, 1)]
    else:
        assert [kinds(hand, seat) for seat in range(4)] == [[], ["win", "pass"], ["pung", "pass"], ["win", "pass"]]


# Wilds in play (sections 3 and 11)


@pytest.mark.parametrize(("void", "other"), [(1, "s"), (2, "p")])
def test_a_wild_stands_for_no_tile_of_the_void_suit(void: int, other: str) -> None:
    """Three sets and a pair of 万, and two wilds for whatever comes, but for the void suit."""
    hands = ["147m147p457s2589s", "12345678999m11s", "258m258p2368s369p", "36m369p1478p2369s"]
    hand = hand_of(hands, "9p", preset="qq_dingque", wild="1s")
    for seat in range(4):
        act(hand, seat, Kind.VOID, suit=void if seat == 1 else 2)
    waits = [wait["tile"] for wait in view_for(hand, 1)["waits"]]
    # 1s itself is never waited for.
    ranks = range(1, 10) if other == "p" else range(2, 10)
    assert waits == [*(f"{rank}m" for rank in range(1, 10)), *(f"{rank}{other}" for rank in ranks)]


def test_a_wild_is_not_discarded_with_the_void_suit_and_has_none() -> None:
    hands = ["147m147p115578s9m", "147m258p369s2589m", "11s12345m123456p", "258m369p258s3699p"]
    hand = hand_of(hands, "9p", preset="qq_dingque", wild="1s")
    settle_automatic(hand)
    assert hand.seats[2].void == 2, "two suits and wilds: no choice"
    for seat in sorted(hand.unanswered()):
        act(hand, seat, Kind.VOID, suit=2)
    discards = {action.tile for action in legal_actions(hand, 0)}
    assert discards == {22, 24, 25}, "5s, 7s and 8s; not 1s"
    act(hand, 0, Kind.DISCARD, "5s")
    assert not hand.unanswered()
