"""Seats and hands written to at the same time, on both databases."""

import uuid
from functools import partial
from hashlib import sha256

import pytest
from django.db import transaction

from accounts import ledger
from accounts.errors import Refused
from accounts.models import User
from clubs.models import Room
from games import play, tables, timing
from games.log import Collision, append, core_draft, database_now, folded
from games.models import Action, Hand, Seat, Table
from games.rules.hand import Phase, legal_actions
from games.selfplay import choice_of, hand_deal, hand_play_out
from tests.people import member_of, table_of
from tests.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def dense(hand: Hand) -> bool:
    seqs = list(Action.objects.filter(hand=hand).values_list("seq", flat=True))
    return seqs == list(range(1, len(seqs) + 1))


def test_two_writers_on_one_state_collide(table: Table, members: list[User]) -> None:
    """The control: what the commands below must live with does happen."""
    hand = hand_deal(table_id=table.pk, users=members[:4])
    fold = folded(hand.pk)
    assert fold.core is not None
    seat = min(fold.core.unanswered())
    draft = core_draft(legal_actions(fold.core, seat)[0], Action.Source.PLAYER)
    with transaction.atomic():
        append(fold, [draft], database_now(), timing.due_at)
    with pytest.raises(Collision), transaction.atomic():
        append(fold, [draft], database_now(), timing.due_at)
    assert dense(hand)


def test_one_command_sent_many_times_at_once_is_one_action(table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    fold = folded(hand.pk)
    seat = min(fold.core.unanswered())
    command_id = str(uuid.uuid4())
    act = partial(
        play.act,
        hand_id=hand.pk,
        user=members[seat],
        seq=fold.seen[seat],
        choice=choice_of(fold, seat),
        command_id=command_id,
    )
    rows = Action.objects.filter(hand=hand).count()
    answers = at_once([act] * 12)
    assert len({answer.seq for answer in answers}) == 1
    assert Action.objects.filter(hand=hand, seat=seat, command_id=command_id).count() == 1
    assert Action.objects.filter(hand=hand).count() == rows + 1


def test_all_seats_at_once_are_all_heard(table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    fold = folded(hand.pk)
    seats = sorted(fold.core.unanswered())
    calls = [
        partial(
            play.act,
            hand_id=hand.pk,
            user=members[seat],
            seq=fold.seen[seat],
            choice=choice_of(fold, seat),
            command_id=str(uuid.uuid4()),
        )
        for seat in seats
    ]
    outcomes = at_once(calls)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    after = folded(hand.pk).core
    assert after.phase is Phase.TURN
    assert dense(hand)


def test_the_timer_and_the_player_write_one_decision(
    table: Table, members: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the deadline either the decision or the time-out is in the log, never both."""
    monkeypatch.setattr(timing, "GRACE", -40.0)  # the deadline of a turn, reserve included, is now
    hand = hand_deal(table_id=table.pk, users=members[:4])
    for _round in range(10):
        fold = folded(hand.pk)
        if fold.is_over or fold.core.phase is not Phase.TURN:
            play.tick(hand.pk)
            continue
        seat, seq = fold.core.turn, fold.seq
        act = partial(
            play.act,
            hand_id=hand.pk,
            user=members[seat],
            seq=fold.seen[seat],
            choice=choice_of(fold, seat),
            command_id=str(uuid.uuid4()),
        )
        at_once([act, partial(play.tick, hand.pk), partial(play.tick, hand.pk)])
        first = Action.objects.get(hand=hand, seq=seq + 1)
        assert first.seat == seat
        assert dense(hand)
    hand.refresh_from_db()
    assert ledger.ledger_check() == []


def test_a_seat_is_taken_once_and_a_person_sits_once(room: Room, members: list[User]) -> None:
    first, second = (tables.table_open(room=room, user=user) for user in members[:2])
    outcomes = at_once([partial(tables.seat_take, table_id=first.pk, number=1, user=user) for user in members[2:5]])
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Refused", "Refused", "Seat"]
    assert {outcome.code for outcome in outcomes if isinstance(outcome, Refused)} == {"seat_taken"}

    free = next(user for user in members[2:5] if not Seat.objects.filter(user=user).exists())
    both = at_once([partial(tables.seat_take, table_id=table.pk, number=3, user=free) for table in (first, second)])
    assert sorted(type(outcome).__name__ for outcome in both) == ["Refused", "Seat"]
    assert Seat.objects.filter(user=free).count() == 1


def test_four_ready_at_once_start_one_hand(table: Table, members: list[User]) -> None:
    calls = [
        partial(
            tables.seat_ready,
            table_id=table.pk,
            user=user,
            nonce_commitment=sha256(bytes([number]) * 32).hexdigest(),
        )
        for number, user in enumerate(members[:4])
    ]
    outcomes = at_once(calls)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert Hand.objects.count() == 1


def test_tables_settle_at_the_same_time(room: Room, members: list[User], operator: User) -> None:
    """Two tables of one club: the house's accounts are shared, and nobody waits for ever."""
    others = [member_of(room.club, operator, f"other{number}") for number in range(4)]
    groups = [members[:4], others]
    opened = [table_of(room, group) for group in groups]

    def two_hands(table: Table, group: list[User]) -> None:
        for _hand in range(2):
            hand_play_out(table_id=table.pk, users=group)

    outcomes = at_once([partial(two_hands, table, group) for table, group in zip(opened, groups, strict=True)])
    assert outcomes == [None, None]
    assert Hand.objects.filter(status=Hand.Status.SETTLED).count() == 4
    assert ledger.ledger_check() == []
