"""What a settlement tells each player: an account that adds up, where coins ran out, whose and how much, and who was ready.
And that a room without waits shows none."""

from collections.abc import Callable

import pytest

from accounts.models import User
from clubs.models import Room
from clubs.rooms import room_change_terms
from games.frames import hand_payload, names_of, settlement_payload
from games.log import Fold, folded
from games.models import Table
from games.rules.ready import waits
from games.rules.tiles import tile_name
from games.rules.views import view_for
from games.selfplay import decide, hand_deal, hand_play_out


@pytest.fixture
def fold(room: Room, operator: User, table: Table, members: list[User]) -> Fold:
    """A hand that nobody can pay: one unit is six times what anybody has."""
    room_change_terms(room=room, actor=operator, changes={"coefficient": 100_000}, reason="")
    while True:
        fold = folded(hand_play_out(table_id=table.pk, users=members[:4]).pk)
        assert fold.core is not None
        if any(seat.units for seat in fold.core.seats):
            return fold


def test_an_account_adds_up_to_the_units_of_its_seat(fold: Fold) -> None:
    told = settlement_payload(fold)
    for seat in told["seats"]:
        assert sum(line["units"] for line in seat["account"]) == seat["units"]
        assert all(line["name"] and line["who"] and all(line["why"]) for line in seat["account"])
    paid = sum(-line["units"] for seat in told["seats"] for line in seat["account"] if line["units"] < 0)
    assert paid == sum(payment["units"] for payment in told["payments"])


def test_a_winner_reads_the_fan_and_a_payer_the_reason(fold: Fold) -> None:
    told = settlement_payload(fold)
    lines = [
        (number, line) for number, seat in enumerate(told["seats"]) for line in seat["account"] if line["kind"] == "win"
    ]
    assert {line["name"] for _number, line in lines} == {win["words"] for win in told["wins"]}
    for number, line in lines:
        mine = next((win for win in told["wins"] if win["seat"] == number), None)
        if line["units"] > 0:
            assert mine and line["why"] == [mine["fan_words"], mine["units_words"]]
        else:
            assert len(line["why"]) == 1


def test_what_was_short_is_told_seat_by_seat(fold: Fold) -> None:
    told, names = settlement_payload(fold), names_of(fold)
    gaps = [seat["gap"] for seat in told["seats"]]
    assert sum(gaps) == 0
    for seat, gap in zip(told["seats"], gaps, strict=True):
        assert seat["coins"] + seat["rake"] == seat["gross"] + gap
        assert (gap > 0) == (seat["units"] < 0)
    notes = {note["code"]: note["words"] for note in told["notes"]}
    assert list(notes) == ["shortage", "rake"]
    for name, gap, seat in zip(names, gaps, told["seats"], strict=True):
        assert gap == 0 or f"{name} {'少付' if gap > 0 else '少收'} {abs(gap):,} 币" in notes["shortage"]
        assert (f"{name} 只付得出" in notes["rake"]) == (seat["rake"] < 400)


def test_a_drawn_hand_tells_who_was_ready_and_for_what(table: Table, members: list[User]) -> None:
    told: list[list[str] | None] = []
    while not any(told):
        fold = folded(hand_play_out(table_id=table.pk, users=members[:4]).pk)
        assert fold.core is not None
        told = [seat["waits"] for seat in settlement_payload(fold)["seats"]]
        for seat, ready in zip(fold.core.seats, told, strict=True):
            if fold.core.result()["end"] != "drawn" or seat.won:
                assert ready is None
            else:
                assert ready == [tile_name(wait.tile) for wait in waits(fold.core.ruleset, seat.holding)]


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_room_says_whether_waits_are_shown(
    room: Room, operator: User, seated: Callable[[Room], Table], members: list[User], is_shown: bool
) -> None:
    if not is_shown:
        room_change_terms(room=room, actor=operator, changes={"waits_shown": False}, reason="")
    users, seen = members[:4], 0
    table = seated(room)
    while not seen:
        fold = folded(hand_deal(table_id=table.pk, users=users).pk)
        while not fold.is_over:
            assert fold.core is not None
            for number, player in enumerate(fold.players):
                view, told = view_for(fold.core, number), hand_payload(fold, player.user_id or 0)["view"]
                seen += bool(view["waits"]) + bool(view["discards"])
                assert told == (view if is_shown else {**view, "waits": [], "discards": {}})
            fold = decide(fold, min(fold.asked), users)
