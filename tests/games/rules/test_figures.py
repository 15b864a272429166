"""The figures of a hand: told by hands made for it, and counted anew from nothing but the records of the conformance files."""

from collections import Counter
from typing import Any

import pytest

from games.rules.actions import Kind
from games.rules.figures import HUAZHU, READY, UNREADY, Figures, hand_figures
from games.rules.hand import Phase, apply, legal_actions
from games.rules.record import played, record_of
from games.rules.stopping import stop
from games.rules.tiles import tile_name

from .cases import cases
from .stories import WAITING, act, discard, hand_of, kong_that_seat_2_can_rob, two_winners
from .tables import settle_automatic


def shown(figures: Figures) -> dict[str, Any]:
    """What is not nothing, the win aside."""
    win = ("win_by", "pattern", "gen", "fan", "uncapped_fan", "is_jipin", "tiles", "win_tile")
    return {name: value for name, value in figures._asdict().items() if value and name not in win}


def test_one_discard_two_winners_and_an_escape() -> None:
    first, second, third, last = hand_figures(two_winners())
    assert shown(first) == {"fed": 2, "fed_units": 2, "escape_units": 16}
    assert shown(second) == {"win_order": 1, "win_units": 1}
    assert shown(third) == {"win_order": 2, "win_units": 1}
    assert shown(last) == {"escape_units": -16}
    assert (second.win_by, second.pattern, second.fan, second.is_jipin) == ("discard", "pinghu", 1, False)
    assert (second.tiles, second.win_tile) == ("46m11122233399p", "5m")


def test_a_robbed_kong_is_a_win_fed_and_no_kong() -> None:
    hand = kong_that_seat_2_can_rob()
    act(hand, 2, Kind.WIN)
    settle_automatic(hand)
    stop(hand, void=False)
    _zero, robbed, winner, _three = hand_figures(hand)
    assert shown(robbed) == {"fed": 1, "fed_units": 1}
    assert (winner.win_order, winner.win_by, winner.win_units) == (1, "robbed_kong", 1)


@pytest.mark.parametrize("payers", ["discarder", "all"])
def test_a_kong_flower_is_drawn_oneself_whoever_pays(payers: str) -> None:
    hands = ["29p19s", "29p19s", "555m234678m1199m", "29p19s"]
    hand = hand_of(hands, "5m", back="1m", exposed_kong_flower=payers)
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 2, Kind.KONG)
    settle_automatic(hand)
    act(hand, 2, Kind.WIN, "1m")
    stop(hand, void=False)
    figures = hand_figures(hand)
    paid = {"kongs_paid": 1, "kong_units_paid": 1, "self_draw_units": 8}
    assert shown(figures[0]) == paid
    assert shown(figures[1]) == ({} if payers == "discarder" else {"self_draw_units": 8})
    won = {"win_order": 1, "exposed_kongs": 1, "exposed_kong_units": 1}
    assert shown(figures[2]) == {**won, "win_units": 8 if payers == "discarder" else 24}
    assert (figures[2].tiles, figures[2].win_tile) == ("1123467899m 5555m", "1m")


def test_a_kong_shot_moves_what_the_kong_collected() -> None:
    hands = ["29p19s", "29p19s", "555m5s", "46s111222333m99s"]
    hand = hand_of(hands, "5m", back="1p", kong_shot_transfer=True)
    act(hand, 0, Kind.DISCARD, "5m")
    act(hand, 2, Kind.KONG)
    settle_automatic(hand)
    act(hand, 2, Kind.DISCARD, "5s")
    act(hand, 3, Kind.WIN)
    settle_automatic(hand)
    stop(hand, void=False)
    _zero, _one, konger, winner = hand_figures(hand)
    assert konger.exposed_kongs == 1 and konger.exposed_kong_units == 1
    assert (konger.transfers_paid, konger.transfers_got, konger.transfer_units, konger.fed) == (1, 0, -1, 1)
    assert (winner.transfers_got, winner.transfer_units) == (1, 1)


def test_what_live_seats_are_at_a_drawn_hand() -> None:
    """Seat 1 waits, seat 2 has three suits, seat 3 two and waits for nothing; seat 0 leads on to the end of the wall."""
    hand = hand_of(["147m147p147s", "46m11122233399p", "147m258p369s", "2235689m124578s"], "", forced_win="off")
    while hand.phase is not Phase.OVER:
        assert hand.drawn is not None
        discard(hand, hand.turn, tile_name(hand.drawn))
    assert hand.end == "drawn"
    assert [figures.drawn_as for figures in hand_figures(hand)] == [HUAZHU, READY, HUAZHU, UNREADY]


@pytest.mark.parametrize("rule", ["settle", "void"])
def test_a_hand_that_was_stopped_is_played_again_from_its_record(rule: str) -> None:
    void = rule == "void"
    named = hand_of([""] * 4, "", preset="qq_dingque")
    for seat in sorted(named.unanswered()):
        apply(named, legal_actions(named, seat)[-1])
    unnamed = hand_of([""] * 4, "", preset="qq_dingque")
    for hand in (hand_of(WAITING, "5m"), kong_that_seat_2_can_rob(), named, unnamed):
        again = {**record_of(hand, coefficient=1, rake=0, balances=[0] * 4), "stopped": {"rule": rule}}
        stop(hand, void=void)
        again["stopped"]["payments"] = hand.result()["payments"]
        assert played(again).result() == hand.result()
        assert hand_figures(played(again)) == hand_figures(hand)


def recount(record: dict[str, Any], result: dict[str, Any]) -> list[Counter[str]]:
    """What the figures of a record must be, read from its actions and payments alone."""
    counts: list[Counter[str]] = [Counter() for _ in range(4)]
    source = {win["seat"]: win["from"] for win in result["wins"]}
    for order, win in enumerate(result["wins"], start=1):
        counts[win["seat"]]["win_order"] = order
        if win["from"] is not None:
            counts[win["from"]]["fed"] += 1
    for payment in result["payments"]:
        payer, payee, units = (payment[name] for name in ("payer", "payee", "units"))
        kind = {"dajiao_gap": "dajiao", "kong_refund": "refunds", "kong_transfer": "transfers"}.get(
            payment["kind"], payment["kind"]
        )
        counts[payer]["units"] -= units
        counts[payee]["units"] += units
        if kind == "win":
            counts[payee]["win_units"] += units
            counts[payer]["fed_units" if source[payee] == payer else "self_draw_units"] += units
        elif kind == "kong":
            counts[payer]["kongs_paid"] += 1
            counts[payer]["kong_units_paid"] += units
            counts[payee]["kong_units"] += units
        elif kind != "escape":
            counts[payee][f"{kind}_got"] += 1
            counts[payer][f"{kind}_paid"] += 1
    pungs: set[tuple[int, str]] = set()
    last = ""
    actions = record["actions"]
    for at, (seat, kind, *tile) in enumerate(actions):
        if kind == "discard":
            last = tile[0]
        elif kind == "pung":
            pungs.add((seat, last))
        elif kind == "kong" and not tile:
            counts[seat]["exposed_kongs"] += 1
        elif kind == "kong" and (seat, tile[0]) not in pungs:
            counts[seat]["concealed_kongs"] += 1
        elif kind == "kong" and actions[at + 1 : at + 2] not in [[[other, "win"]] for other in range(4)]:
            counts[seat]["added_kongs"] += 1
    return counts


def test_the_figures_are_those_that_records_tell() -> None:
    kongs: Counter[str] = Counter()
    for case in cases("records"):
        record, result = case["in"], case["out"]
        figures = hand_figures(played({**record, "result": result}))
        for figure, counted, units in zip(figures, recount(record, result), result["units"], strict=True):
            told = figure._asdict()
            told["kong_units"] = sum(told[f"{form}_kong_units"] for form in ("exposed", "added", "concealed"))
            told["units"] = sum(
                told[name] for name in ("win_units", "kong_units", "transfer_units", "huazhu_units", "dajiao_units")
            )
            told["units"] += told["refund_units"] + told["escape_units"]
            told["units"] -= told["fed_units"] + told["self_draw_units"] + told["kong_units_paid"]
            assert counted["units"] == told["units"] == units, record["id"]
            for name in ("win_order", "fed", "kongs_paid", "exposed_kongs", "added_kongs", "concealed_kongs"):
                assert told[name] == counted[name], (record["id"], name)
                kongs[name] += told[name]
            for name in counted:
                assert counted[name] == told[name], (record["id"], name)
    assert all(kongs[f"{form}_kongs"] > 50 for form in ("exposed", "added", "concealed"))
