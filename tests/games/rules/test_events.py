"""Who saw the deal and follows the events knows the table: they tell all that views show, and a hand replayed is its record."""

from typing import Any

import pytest

from games.rules.record import replay
from games.rules.tiles import TILE_NAMES
from games.rules.views import event_for, view_for
from games.rules.wall import SEATS

from .cases import cases, comparable

Json = dict[str, Any]


class Follower:
    """A seat, or a spectator (None), that knows its own tiles at first and then nothing but the events shown to it."""

    def __init__(self, seat: int | None, deal: Json) -> None:
        self.seat = seat
        self.wall = deal["wall"]
        self.seats = [{**shown, "hand": shown["hand"] and list(shown["hand"])} for shown in deal["seats"]]
        self.end: str | None = None

    def take(self, number: int, tile: str, copies: int) -> None:
        seat = self.seats[number]
        seat["count"] -= copies
        if seat["hand"] is not None:
            for _ in range(copies):
                seat["hand"].remove(tile)

    def see(self, event: Json) -> None:
        getattr(self, f"see_{event['kind']}")(event)

    def see_answer(self, event: Json) -> None:
        assert event["seat"] == self.seat
        if event["answer"] == "void":
            self.seats[event["seat"]]["void"] = event["suit"]

    def see_voids(self, event: Json) -> None:
        for seat, suit in zip(self.seats, event["voids"], strict=True):
            seat["void"] = suit

    def see_draw(self, event: Json) -> None:
        seat = self.seats[event["seat"]]
        assert ("tile" in event) == (event["seat"] == self.seat)
        self.wall -= 1
        seat["count"] += 1
        if "tile" in event:
            seat["hand"].append(event["tile"])

    def see_discard(self, event: Json) -> None:
        self.take(event["seat"], event["tile"], 1)
        self.seats[event["seat"]]["river"].append({"tile": event["tile"], "claimed": False})

    def claim(self, source: int) -> None:
        self.seats[source]["river"][-1]["claimed"] = True

    def see_pung(self, event: Json) -> None:
        self.take(event["seat"], event["tile"], 2)
        self.seats[event["seat"]]["melds"].append({"kind": "pung", "tile": event["tile"], "from": event["from"]})
        self.claim(event["from"])

    def see_kong(self, event: Json) -> None:
        melds, tile = self.seats[event["seat"]]["melds"], event["tile"]
        self.take(event["seat"], tile, {"exposed_kong": 3, "added_kong": 1, "concealed_kong": 4}[event["form"]])
        if event["form"] == "added_kong":
            (pung,) = [meld for meld in melds if meld["tile"] == tile]
            assert pung == {"kind": "pung", "tile": tile, "from": event["from"]}
            pung["kind"] = "added_kong"
            return
        melds.append({"kind": event["form"], "tile": tile, "from": event["from"]})
        if event["form"] == "exposed_kong":
            self.claim(event["from"])

    def see_win(self, event: Json) -> None:
        seat, tile, source = self.seats[event["seat"]], event["tile"], event["from"]
        seat["won"] = {
            name: event[name] for name in ("order", "tile", "from", "by", "base", "fan", "multiplier", "jipin")
        }
        if event["by"] == "self_draw":
            self.take(event["seat"], tile, 1)
        elif event["by"] == "discard":
            self.claim(source)
        else:
            (robbed,) = [meld for meld in self.seats[source]["melds"] if meld["tile"] == tile]
            robbed["kind"] = "pung"

    def see_pay(self, event: Json) -> None:
        self.move(event["payment"], 1)

    def see_strike(self, event: Json) -> None:
        for payment in event["payments"]:
            self.move(payment, -1)

    def move(self, payment: Json, sign: int) -> None:
        self.seats[payment["payer"]]["units"] -= sign * payment["units"]
        self.seats[payment["payee"]]["units"] += sign * payment["units"]

    def see_leave(self, event: Json) -> None:
        self.seats[event["seat"]]["left"] = True

    def see_over(self, event: Json) -> None:
        self.end = event["end"]


@pytest.mark.parametrize("part", range(10))
def test_events_tell_all_that_views_show(part: int) -> None:
    for case in list(cases("records"))[part::10]:
        followers: list[Follower] = []
        for hand, events in replay(case["in"]):
            viewers = (*range(SEATS), None)
            followers = followers or [Follower(seat, view_for(hand, seat)) for seat in viewers]
            for follower in followers:
                for event in events:
                    shown = event_for(event, follower.seat)
                    if shown is not None:
                        follower.see(shown)
        assert hand.moves == case["in"]["actions"]
        result = comparable(hand.result())
        assert result == {name: comparable(case["out"])[name] for name in result}
        for follower in followers:
            view = view_for(hand, follower.seat)
            assert follower.end == view["result"]["end"]
            for known, shown in zip(follower.seats, view["seats"], strict=True):
                if hand.end == "escaped":  # which takes back a draw
                    known["count"] = shown["count"]
                elif known["hand"] is not None:
                    known["hand"].sort(key=TILE_NAMES.index)
                    assert known["hand"] == shown["hand"]
                assert {**known, "hand": None} == {**shown, "hand": None}, case["in"]["id"]
            assert follower.wall == view["wall"] or hand.end == "escaped"
