from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Room
from games import play, tables
from games.figures import days_rebuild
from games.filters import FANS, history_filters
from games.history import RESULTS, HandsSum, hand_for, hand_lines, hand_steps, hands_sum, seats_of
from games.models import Hand, HandSeat, SeatFigures, Table
from games.selfplay import hand_deal, hand_play_out


@pytest.fixture
def hand(table: Table, members: list[User]) -> Hand:
    return hand_play_out(table_id=table.pk, users=members[:4])


def test_a_player_finds_the_hand_and_what_it_came_to(hand: Hand, members: list[User]) -> None:
    mine = HandSeat.objects.get(hand=hand, membership__user=members[0])
    (line,) = hand_lines(seats_of(user=members[0]))
    sums = hands_sum(seats_of(user=members[0]))
    assert (line.hand, line.mine) == (hand, mine)
    assert len(line.others) == 3
    assert (sums.hands, sums.coins, sums.rake, sums.points) == (1, mine.coins, mine.rake, mine.points)


def test_the_newest_hand_comes_first(hand: Hand, members: list[User]) -> None:
    newer = hand_play_out(table_id=hand.table_id, users=members[:4])
    assert [line.hand for line in hand_lines(seats_of(user=members[0]))] == [newer, hand]


def test_a_member_who_did_not_play_has_no_such_line_but_may_look(hand: Hand, members: list[User]) -> None:
    assert not seats_of(user=members[4]).exists()
    assert hand_for(user=members[4], hand_id=hand.pk) == hand


def test_sums_are_those_of_the_rows_whatever_is_asked(
    hand: Hand, room: Room, practice: Room, members: list[User], club: Club
) -> None:
    """Of days and of parts of them, in another zone than the club's; a practice hand is counted apart."""
    Club.objects.update(time_zone="America/Havana")
    days_rebuild(club=club)
    for user in members[:4]:
        tables.seat_leave(table_id=hand.table_id, user=user)
    alone = tables.table_open(room=practice, user=members[0])
    tables.bots_fill(table_id=alone.pk, user=members[0])
    bots = hand_deal(table_id=alone.pk, users=members[:1])
    play.auto_switch(hand_id=bots.pk, user=members[0], on=True, command_id="1")
    play.tick(bots.pk)
    day = timezone.localdate(hand.ended_at)
    mine = SeatFigures.objects.get(hand=hand, membership__user=members[0])
    for query in ({}, {"period": "7"}, {"period": "dates", "since": f"{day}", "until": f"{day}"}, {"club": "jinli"}):
        asked = history_filters(user=members[0], query=query)
        assert asked.sums() == hands_sum(asked.qs) == HandsSum(1, mine.coins, mine.rake, mine.points, 1), query
    for query in ({"room": f"{room.pk}"}, {"result": "won"}, {"fan": "2"}, {"period": "dates", "until": "2020-01-01"}):
        asked = history_filters(user=members[0], query=query)
        assert asked.sums() == hands_sum(asked.qs), query


def test_results_pick_hands(hand: Hand, members: list[User]) -> None:
    wins = {win.seat for win in hand.wins.all()}
    for number, user in enumerate(members[:4]):
        assert found(user, result="won").exists() == (number in wins)
        assert found(user, result="drawn").exists() == (hand.end == "drawn")
        assert all(found(user, result=result).count() <= 1 for result in RESULTS)


def found(user: User, **query: str) -> QuerySet[SeatFigures]:
    seats: QuerySet[SeatFigures] = history_filters(user=user, query=query).qs
    return seats


def test_clubs_rooms_days_and_fan_pick_hands(hand: Hand, room: Room, members: list[User]) -> None:
    day = timezone.localdate(hand.ended_at)
    for query in (
        {"club": "jinli"},
        {"room": str(room.pk)},
        {"period": "7"},
        {"period": "dates", "since": f"{day}", "until": f"{day}"},
    ):
        assert [seat.hand for seat in found(members[0], **query)] == [hand], query
    for query in ({"since": f"{day + timedelta(days=1)}"}, {"until": f"{day - timedelta(days=1)}"}):
        assert not found(members[0], period="dates", **query).exists(), query
    for number, user in enumerate(members[:4]):
        most = max((win.uncapped_fan for win in hand.wins.all() if win.seat == number), default=0)
        for fan in FANS:
            assert found(user, fan=str(fan)).exists() == (most >= fan)


@pytest.mark.parametrize(
    "query",
    [
        {"result": "nonsense"},
        {"club": "other"},
        {"room": "0"},
        {"room": "x"},
        {"fan": "1"},
        {"period": "week"},
        {"period": "dates", "since": "30.11.2026"},
        {"period": "dates", "until": "9999-12-31"},
        {"period": "dates", "since": "2026-11-30", "until": "2026-11-29"},
    ],
)
def test_a_filter_that_is_none_is_refused(members: list[User], room: Room, query: dict[str, str]) -> None:
    with pytest.raises(Refused, match="bad_filter"):
        found(members[0], **query)


def test_strangers_and_running_hands_are_refused(
    table: Table, members: list[User], operator: User, django_user_model: type[User]
) -> None:
    running = hand_deal(table_id=table.pk, users=members[:4])
    with pytest.raises(Refused, match="hand_running"):
        hand_for(user=members[0], hand_id=running.pk)
    stranger = django_user_model.objects.create_user("stranger")
    with pytest.raises(Refused, match="hand_unknown"):
        hand_for(user=stranger, hand_id=running.pk)
    with pytest.raises(Refused, match="hand_unknown"):
        hand_for(user=members[0], hand_id=running.pk + 1)


def test_a_replay_goes_from_the_deal_to_the_result_with_open_hands(hand: Hand) -> None:
    steps = hand_steps(hand)
    assert [step["n"] for step in steps] == list(range(len(steps)))
    assert steps[0]["events"][0]["kind"] == "deal"
    assert [step["seq"] for step in steps] == sorted({step["seq"] for step in steps})
    assert all(hand.actions.get(seq=step["seq"]).seat == step["seat"] for step in steps[:20])
    assert all(seat["hand"] for seat in steps[0]["view"]["seats"])
    assert steps[-1]["view"]["result"]["units"] == hand.record["result"]["units"]
    assert all(step["words"] for step in steps)
    assert not any(event["kind"] == "answer" for step in steps for event in step["events"])
    paid = [event["payment"] for step in steps for event in step["events"] if event["kind"] == "pay"]
    bare = [{name: payment[name] for name in ("kind", "payer", "payee", "units")} for payment in paid]
    assert bare == hand.record["result"]["payments"]


def test_the_moves_of_a_replay_are_those_of_the_record(hand: Hand) -> None:
    told = [
        (event["seat"], event["kind"])
        for step in hand_steps(hand)
        for event in step["events"]
        if event["kind"] in ("discard", "pung", "kong", "win")
    ]
    assert told == [(seat, kind) for seat, kind, *_tile in hand.record["actions"]]


def test_lists_take_a_fixed_number_of_queries(
    table: Table, members: list[User], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _hand in range(3):
        hand_play_out(table_id=table.pk, users=members[:4])
    with django_assert_max_num_queries(9):
        assert len(hand_lines(seats_of(user=members[0]))) == 3
