"""Finding a seat: quick seat, another table, private tables, parting, and the line of a room."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from accounts.errors import Refused
from accounts.models import User
from clubs.clubs import club_create
from clubs.models import Club, Membership, Room
from clubs.rooms import room_change_terms, room_close, room_open
from games import play, seating, tables
from games.clients import Client
from games.log import database_now
from games.models import Hand, Seat, Table, Waiting
from games.proof import hands_check
from games.seats import OFFER_SECONDS
from games.selfplay import hand_deal, hand_play_out
from tests.people import PASSWORD, member_of
from tests.races import at_once
from tests.refusals import refusal
from tests.servers import ServerProcess

pytestmark = pytest.mark.django_db


@pytest.fixture
def more(club: Club, operator: User) -> list[User]:
    """Eight further members."""
    return [member_of(club, operator, f"more{number}") for number in range(8)]


def sit(table: Table, *users: User) -> None:
    for user in users:
        tables.seat_take(table_id=table.pk, number=None, user=user)


def lapse(waiting: Waiting) -> None:
    Waiting.objects.filter(pk=waiting.pk).update(offered_until=database_now() - timedelta(seconds=1))
    seating.lines_tend()


def waiting_of(user: User) -> Waiting:
    return Waiting.objects.get(user=user)


# --- Bots ----------------------------------------------------------------------------------------------------------
def test_bots_get_up_once_the_room_plays_for_coins(practice: Room, members: list[User], operator: User) -> None:
    """They have no wallet: a hand with them could not be settled."""
    table = tables.table_open(room=practice, user=members[0])
    tables.bots_fill(table_id=table.pk, user=members[0])
    terms = {"bots_allowed": False, "coefficient": 200, "rake": 400}
    room_change_terms(room=practice, actor=operator, changes=terms)
    assert tables.seat_ready(table_id=table.pk, user=members[0], nonce_commitment="a" * 64) is None
    assert list(Seat.objects.filter(table=table).values_list("user", flat=True)) == [members[0].pk]
    sit(table, *members[1:4])
    hand_play_out(table_id=table.pk, users=members[:4])
    assert list(hands_check()) == []


@pytest.mark.django_db(transaction=True)
def test_bots_play_the_running_hand_to_its_end(practice: Room, members: list[User], operator: User) -> None:
    """What a process keeps of a hand, once that is committed, may know the room as it was when the hand began."""
    table = tables.table_open(room=practice, user=members[0])
    tables.bots_fill(table_id=table.pk, user=members[0])
    hand = hand_deal(table_id=table.pk, users=members[:1])
    room_change_terms(room=practice, actor=operator, changes={"bots_allowed": False, "coefficient": 200})
    refusal("hand_running", lambda: tables.seat_unready(table_id=table.pk, user=members[0]))
    assert Seat.objects.filter(table=table).count() == 4
    play.hand_stop(hand_id=hand.pk, actor=operator, rule="settle", reason="试一下")
    assert list(Seat.objects.filter(table=table).values_list("user", flat=True)) == [members[0].pk]


# --- Quick seat ----------------------------------------------------------------------------------------------------
def test_quick_seat_fills_the_fullest_table_and_then_opens_one(
    club: Club, room: Room, practice: Room, members: list[User], more: list[User]
) -> None:
    small = tables.table_open(room=room, user=members[0])
    large = tables.table_open(room=room, user=members[1])
    sit(large, members[2])
    trial = tables.table_open(room=practice, user=members[3])
    sit(trial, more[0], more[1])
    places = [seating.seat_quick(club=club, user=user).table_id for user in more[2:8]]
    assert places == [large.pk, large.pk, small.pk, small.pk, small.pk, trial.pk]
    seat = seating.seat_quick(club=club, user=members[4])
    assert seat.table.room == room
    assert seat.table_id not in (small.pk, large.pk)


def test_quick_seat_goes_where_one_may(club: Club, room: Room, members: list[User], operator: User) -> None:
    sit(tables.table_open(room=room, user=members[0], is_private=True))
    running = tables.table_open(room=room, user=members[1])
    sit(running, *members[2:4])
    seat = seating.seat_quick(club=club, user=members[4])
    assert seat.table_id == running.pk
    refusal("seated_elsewhere", lambda: seating.seat_quick(club=club, user=members[4]))
    tables.seat_leave(table_id=running.pk, user=members[4])
    room_change_terms(room=room, actor=operator, changes={"entry_minimum": 100_001})
    refusal("no_room", lambda: seating.seat_quick(club=club, user=members[4]))
    room_change_terms(room=room, actor=operator, changes={"entry_minimum": 0})
    room_close(room=room, actor=operator)
    refusal("no_room", lambda: seating.seat_quick(club=club, user=members[4]))
    room.refresh_from_db()
    refusal("room_closed", lambda: seating.seat_quick(club=club, user=members[4], room=room))


def test_quick_seat_is_for_members(club: Club, room: Room, operator: User) -> None:
    stranger = User.objects.create_user("stranger")
    refusal("not_a_member", lambda: seating.seat_quick(club=club, user=stranger))
    other = club_create(name="对门", slug="duimen", actor=operator)
    refusal("no_room", lambda: seating.seat_quick(club=other, user=operator, room=room))


@pytest.mark.django_db(transaction=True)
def test_eight_at_once_sit_at_two_tables(club: Club, room: Room, more: list[User]) -> None:
    outcomes = at_once([partial(seating.seat_quick, club=club, user=user) for user in more])
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    taken = sorted(Seat.objects.filter(table=table).count() for table in Table.objects.filter(closed_at=None))
    assert taken == [4, 4]


# --- Another table -------------------------------------------------------------------------------------------------
def test_changing_the_table(club: Club, room: Room, table: Table, members: list[User], more: list[User]) -> None:
    change = partial(seating.table_change, table_id=table.pk, user=members[0])
    refusal("no_other_table", change)
    other = tables.table_open(room=room, user=more[0])
    running = hand_deal(table_id=table.pk, users=members[:4])
    refusal("hand_running", change)
    Hand.objects.filter(pk=running.pk).update(status=Hand.Status.SETTLED)
    assert change().table_id == other.pk
    assert change().table_id == other.pk, "the answer got lost and the command comes again"
    assert not Seat.objects.filter(table=table, user=members[0]).exists()
    refusal("not_seated", lambda: seating.table_change(table_id=table.pk, user=members[4]))


@pytest.mark.django_db(transaction=True)
def test_two_who_change_places_do_not_wait_for_each_other(room: Room, members: list[User], more: list[User]) -> None:
    for _round in range(4):
        first, second = tables.table_open(room=room, user=more[0]), tables.table_open(room=room, user=more[1])
        sit(first, members[0])
        sit(second, members[1])
        calls = [
            partial(seating.table_change, table_id=first.pk, user=members[0]),
            partial(seating.table_change, table_id=second.pk, user=members[1]),
        ]
        outcomes = at_once(calls)
        assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        assert {seat.user_id: seat.table_id for seat in Seat.objects.filter(user__in=members[:2])} == {
            members[0].pk: second.pk,
            members[1].pk: first.pk,
        }
        for seat in Seat.objects.all():
            assert seat.user is not None
            tables.seat_leave(table_id=seat.table_id, user=seat.user)


# --- Private tables ------------------------------------------------------------------------------------------------
def test_a_private_table_is_for_those_with_the_code(room: Room, members: list[User], operator: User) -> None:
    table = tables.table_open(room=room, user=members[0], is_private=True)
    assert len(table.code) == 8
    take = partial(tables.seat_take, table_id=table.pk, number=1, user=members[1])
    refusal("table_private", take)
    refusal("table_private", lambda: take(code="WRONG"))
    assert take(code=table.code.lower()).number == 1
    assert tables.table_of_code(code=f" {table.code[:4]} {table.code[4:].lower()} ", user=members[2]) == table
    refusal("table_unknown", lambda: tables.table_of_code(code="", user=members[2]))
    stranger = User.objects.create_user("stranger")
    refusal("table_unknown", lambda: tables.table_of_code(code=table.code, user=stranger))
    for user in members[:2]:
        tables.seat_leave(table_id=table.pk, user=user)
    refusal("table_unknown", lambda: tables.table_of_code(code=table.code, user=members[2]))


# --- Parting -------------------------------------------------------------------------------------------------------
def test_a_table_closes_when_all_people_agree(table: Table, members: list[User]) -> None:
    vote = partial(tables.end_vote, table_id=table.pk)
    for user in members[:3]:
        assert not vote(user=user, on=True)
    assert not vote(user=members[2], on=False)
    assert not vote(user=members[3], on=True)
    assert vote(user=members[2], on=True)
    table.refresh_from_db()
    assert table.closed_at is not None
    assert not Seat.objects.filter(table=table).exists()
    refusal("table_closed", lambda: vote(user=members[2], on=True))


def test_votes_are_for_between_hands_and_do_not_outlast_one(table: Table, members: list[User]) -> None:
    vote = partial(tables.end_vote, table_id=table.pk, on=True)
    vote(user=members[0])
    hand_play_out(table_id=table.pk, users=members[:4])
    assert not Seat.objects.filter(wants_end=True).exists()
    hand_deal(table_id=table.pk, users=members[:4])
    refusal("hand_running", lambda: vote(user=members[0]))
    refusal("not_seated", lambda: vote(user=members[4]))


def test_bots_have_no_vote(practice: Room, members: list[User]) -> None:
    table = tables.table_open(room=practice, user=members[0])
    tables.bots_fill(table_id=table.pk, user=members[0])
    assert tables.end_vote(table_id=table.pk, user=members[0], on=True)


@pytest.mark.django_db(transaction=True)
def test_four_votes_at_once_close_the_table_once(table: Table, members: list[User]) -> None:
    outcomes = at_once([partial(tables.end_vote, table_id=table.pk, user=user, on=True) for user in members[:4]])
    assert sorted(outcomes) == [False, False, False, True]
    table.refresh_from_db()
    assert table.closed_at is not None


@pytest.mark.django_db(transaction=True)
def test_the_last_vote_and_the_last_ready_do_not_both_win(table: Table, members: list[User]) -> None:
    for number, user in enumerate(members[:3]):
        tables.seat_ready(table_id=table.pk, user=user, nonce_commitment=f"{number}" * 64)
        tables.end_vote(table_id=table.pk, user=user, on=True)
    ready = partial(tables.seat_ready, table_id=table.pk, user=members[3], nonce_commitment="3" * 64)
    vote = partial(tables.end_vote, table_id=table.pk, user=members[3], on=True)
    outcomes = at_once([ready, vote])
    table.refresh_from_db()
    assert [type(outcome).__name__ for outcome in outcomes].count("Refused") == 1
    assert (table.closed_at is None) == Hand.objects.filter(table=table).exists()


# --- The line ------------------------------------------------------------------------------------------------------
def test_a_seat_that_frees_up_is_offered_to_the_first_in_line(
    room: Room, table: Table, members: list[User], more: list[User]
) -> None:
    first, second = (seating.waiting_join(room=room, user=user) for user in more[:2])
    assert [seating.place_in_line(one) for one in (first, second)] == [1, 2]
    assert seating.waiting_join(room=room, user=more[0]).pk == first.pk
    refusal("no_offer", lambda: seating.waiting_accept(user=more[0]))
    tables.seat_leave(table_id=table.pk, user=members[3])
    first.refresh_from_db()
    assert first.table == table
    assert first.offered_until is not None
    assert 0 < (first.offered_until - database_now()).total_seconds() <= OFFER_SECONDS
    refusal("seat_held", lambda: tables.seat_take(table_id=table.pk, number=3, user=members[4]))
    refusal("no_offer", lambda: seating.waiting_accept(user=more[1]))
    assert seating.waiting_accept(user=more[0]).number == 3
    assert list(Waiting.objects.values_list("user", flat=True)) == [more[1].pk]


def test_an_offer_that_lapses_goes_to_the_next(room: Room, table: Table, members: list[User], more: list[User]) -> None:
    for user in more[:3]:
        seating.waiting_join(room=room, user=user)
    tables.seat_leave(table_id=table.pk, user=members[3])
    lapse(waiting_of(more[0]))
    assert waiting_of(more[0]).lapsed_at is not None
    assert waiting_of(more[0]).table is None
    assert waiting_of(more[1]).table == table
    refusal("no_offer", lambda: seating.waiting_accept(user=more[0]))
    seating.waiting_leave(user=more[1])  # declines
    assert waiting_of(more[2]).table == table
    again = seating.waiting_join(room=room, user=more[0])
    assert (again.lapsed_at, seating.place_in_line(again)) == (None, 1)


def test_a_free_seat_is_offered_at_once_and_a_new_table_serves_the_line(
    room: Room, members: list[User], more: list[User]
) -> None:
    lone = seating.waiting_join(room=room, user=more[0])
    assert lone.table is None
    table = tables.table_open(room=room, user=members[0])
    assert waiting_of(more[0]).table == table
    assert seating.waiting_join(room=room, user=more[1]).table == table
    private = tables.table_open(room=room, user=members[1], is_private=True)
    for user in more[2:5]:
        seating.waiting_join(room=room, user=user)
    assert Waiting.objects.filter(table=table).count() == 3
    assert not Waiting.objects.filter(table=private).exists()


def test_a_table_that_closes_leaves_the_line_as_it_was(room: Room, members: list[User], more: list[User]) -> None:
    table = tables.table_open(room=room, user=members[0])
    seating.waiting_join(room=room, user=more[0])
    assert tables.end_vote(table_id=table.pk, user=members[0], on=True)
    assert waiting_of(more[0]).table is None
    assert seating.place_in_line(waiting_of(more[0])) == 1


def test_a_table_stays_open_as_long_as_somebody_is_asked_to_it(
    room: Room, members: list[User], more: list[User]
) -> None:
    table = tables.table_open(room=room, user=members[0])
    seating.waiting_join(room=room, user=more[0])
    tables.seat_leave(table_id=table.pk, user=members[0])
    seating.lines_tend()
    assert waiting_of(more[0]).table == table
    lapse(waiting_of(more[0]))
    table.refresh_from_db()
    assert table.closed_at is not None


def test_four_who_wait_are_asked_to_a_table_of_their_own(room: Room, members: list[User], more: list[User]) -> None:
    for user in more[:3]:
        seating.waiting_join(room=room, user=user)
    seating.lines_tend()
    assert not Table.objects.exists(), "three are too few"
    for user in more[3:6]:
        seating.waiting_join(room=room, user=user)
    seating.lines_tend()
    table = Table.objects.get()
    assert [one.table for one in Waiting.objects.all()] == [table] * 4 + [None] * 2
    assert not Seat.objects.exists()
    refusal("seat_held", lambda: tables.seat_take(table_id=table.pk, number=None, user=members[0]))
    assert seating.seat_quick(club=room.club, user=members[0]).table_id != table.pk
    assert Waiting.objects.get(user=more[4]).table_id != table.pk, "who comes to the other table is asked there"
    seating.lines_tend()
    assert [seating.waiting_accept(user=user).table_id for user in more[:3]] == [table.pk] * 3
    seating.waiting_leave(user=more[3])
    seating.lines_tend()
    table.refresh_from_db()
    assert table.closed_at is None


def test_a_table_nobody_came_to_closes_and_those_behind_are_asked_next(
    room: Room, more: list[User], members: list[User]
) -> None:
    for user in more[:8]:
        seating.waiting_join(room=room, user=user)
    for _look in range(2):
        seating.lines_tend()
    first, second = Table.objects.order_by("pk")
    assert {one.table for one in Waiting.objects.all()} == {first, second}
    for user in more[:4]:
        seating.waiting_leave(user=user)
    Waiting.objects.filter(table=second).update(offered_until=database_now() - timedelta(seconds=1))
    seating.lines_tend()
    assert not Table.objects.filter(closed_at=None).exists()
    assert Waiting.objects.filter(lapsed_at=None).count() == 0
    for user in (*members[:3], more[0]):
        seating.waiting_join(room=room, user=user)
    seating.lines_tend()
    assert Waiting.objects.filter(table=Table.objects.get(closed_at=None)).count() == 4


def test_only_those_who_may_sit_there_make_a_table(
    club: Club, room: Room, practice: Room, more: list[User], operator: User
) -> None:
    for user in more[:4]:
        seating.waiting_join(room=room, user=user)
    for user in more[4:7]:
        seating.waiting_join(room=practice, user=user)
    Membership.objects.filter(user=more[0]).update(status=Membership.Status.BANNED)
    seating.lines_tend()
    assert not Table.objects.exists()
    seating.waiting_join(room=room, user=more[7])
    room_close(room=room, actor=operator)
    seating.lines_tend()
    assert not Table.objects.exists()
    room_open(room=room, actor=operator)
    seating.lines_tend()
    assert list(Waiting.objects.filter(table=Table.objects.get()).values_list("user", flat=True)) == [
        user.pk for user in (*more[1:4], more[7])
    ]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("counts_again", [True, False], ids=["counted again", "control"])
def test_clocks_that_see_the_same_line_open_one_table(
    room: Room, more: list[User], monkeypatch: pytest.MonkeyPatch, counts_again: bool
) -> None:
    """All of them have seen that four wait before the first one opens a table; the control does not count again then."""
    for user in more[:4]:
        seating.waiting_join(room=room, user=user)
    seen = threading.Barrier(3)
    look = seating.rooms_with_full_lines

    def look_together() -> list[int]:
        found = look()
        seen.wait(20)
        return found

    monkeypatch.setattr(seating, "rooms_with_full_lines", look_together)
    monkeypatch.setattr(seating, "_tables_without_people_close", lambda: None)  # it would tidy up behind the control
    if not counts_again:
        monkeypatch.setattr(tables, "SEATS", ())
    outcomes = at_once([seating.lines_tend] * 3)
    assert outcomes == [None] * 3
    assert Table.objects.count() == (1 if counts_again else 3)
    assert Waiting.objects.filter(table=Table.objects.order_by("pk")[0]).count() == 4


@pytest.mark.django_db(transaction=True)
def test_four_at_two_servers_sit_down_at_one_table(
    live_asgi: str, server_process: ServerProcess, room: Room, more: list[User]
) -> None:
    """As browsers do it; both servers' clocks see the line."""
    clients = [Client([live_asgi, server_process.url][number % 2], f"more{number}") for number in range(4)]
    for client in clients:
        client.sign_in(PASSWORD)
        client.post(f"/rooms/{room.pk}/line/", {}, "/clubs/jinli/")
    deadline = time.monotonic() + 60
    while Waiting.objects.filter(table=None).exists():
        assert time.monotonic() < deadline, "no table was opened"
        time.sleep(0.1)
    table = Table.objects.get()
    assert all("锦江厅 1 号桌留给你一个座位" in client.get("/clubs/jinli/") for client in clients)
    places = {client.post("/line/accept/", {}, "/clubs/jinli/") for client in clients}
    assert places == {f"/tables/{table.pk}/"}
    assert Seat.objects.filter(table=table).count() == 4


@pytest.mark.django_db(transaction=True)
def test_a_table_that_nobody_sits_at_is_not_closed_under_who_comes(room: Room, more: list[User]) -> None:
    """The last offer is over; one walks in while clocks find nobody there: they sit at an open table, or are told."""
    for _round in range(4):
        for user in more[:4]:
            seating.waiting_join(room=room, user=user)
        seating.lines_tend()
        table = Table.objects.get(closed_at=None)
        Waiting.objects.all().delete()
        sit_down = partial(tables.seat_take, table_id=table.pk, number=None, user=more[4])
        outcome = at_once([sit_down, seating.lines_tend, seating.lines_tend])[0]
        table.refresh_from_db()
        if isinstance(outcome, Seat):
            assert table.closed_at is None
            tables.seat_leave(table_id=table.pk, user=more[4])
        else:
            assert isinstance(outcome, Refused) and outcome.code == "table_closed"
            assert table.closed_at is not None


def test_who_may_stand_in_a_line(
    club: Club, room: Room, practice: Room, members: list[User], more: list[User], operator: User
) -> None:
    table = tables.table_open(room=room, user=members[0])
    refusal("seated_elsewhere", lambda: seating.waiting_join(room=room, user=members[0]))
    sit(table, *members[1:4])
    seating.waiting_join(room=room, user=more[0])
    refusal("waiting_elsewhere", lambda: seating.waiting_join(room=practice, user=more[0]))
    room_change_terms(room=room, actor=operator, changes={"entry_minimum": 100_001})
    refusal("entry_minimum", lambda: seating.waiting_join(room=room, user=more[1]))
    room_close(room=room, actor=operator)
    refusal("room_closed", lambda: seating.waiting_join(room=room, user=more[1]))
    refusal("not_a_member", lambda: seating.waiting_join(room=room, user=User.objects.create_user("stranger")))


def test_who_lacks_the_coins_or_left_the_club_gets_no_offer(
    club: Club, room: Room, table: Table, members: list[User], more: list[User], operator: User
) -> None:
    for user in more[:3]:
        seating.waiting_join(room=room, user=user)
    Membership.objects.filter(user=more[0]).update(status=Membership.Status.BANNED)
    tables.club_leave(club=club, user=more[1])
    tables.seat_leave(table_id=table.pk, user=members[3])
    assert waiting_of(more[2]).table == table


def test_sitting_down_elsewhere_leaves_the_line(
    room: Room, practice: Room, table: Table, members: list[User], more: list[User]
) -> None:
    seating.waiting_join(room=room, user=more[0])
    seating.waiting_join(room=room, user=more[1])
    tables.seat_leave(table_id=table.pk, user=members[3])
    tables.table_open(room=practice, user=more[0])
    seating.lines_tend()
    assert waiting_of(more[1]).table == table
    assert not Waiting.objects.filter(user=more[0]).exists()


@pytest.mark.django_db(transaction=True)
def test_two_seats_and_three_in_line_at_once(
    room: Room, table: Table, members: list[User], more: list[User], operator: User
) -> None:
    """Two seats are freed, three stand in line, others walk in and the clock tends: nobody gets a seat twice."""
    for user in more[:3]:
        seating.waiting_join(room=room, user=user)
    leave: list[Callable[[], object]] = [
        partial(tables.seat_leave, table_id=table.pk, user=user) for user in members[:2]
    ]
    walk_in = [partial(tables.seat_take, table_id=table.pk, number=None, user=user) for user in more[3:]]
    tend: list[Callable[[], object]] = [seating.lines_tend] * 2
    at_once([*leave, *walk_in, *tend])
    offered = list(Waiting.objects.filter(table=table).values_list("user", flat=True))
    walked = Seat.objects.filter(table=table, user__in=more[3:]).count()
    assert len(offered) + walked == 2
    assert offered == [user.pk for user in more[: len(offered)]]
    accept = [partial(seating.waiting_accept, user=user) for user in more[:3]]
    outcomes = at_once([*accept, *accept])
    refused = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert {type(one) for one in refused} <= {Refused}
    assert Seat.objects.filter(table=table).count() == 4


def test_play_goes_on_beside_all_this(room: Room, table: Table, members: list[User], more: list[User]) -> None:
    """A winner who leaves in mid-hand frees a seat for the line, which waits for the next hand."""
    seating.waiting_join(room=room, user=more[0])
    hand = hand_deal(table_id=table.pk, users=members[:4])
    play.leave(hand_id=hand.pk, user=members[2], escape=True, command_id="11111111")
    assert waiting_of(more[0]).table == table
    assert seating.waiting_accept(user=more[0]).number == 2
