"""The time a seat has beyond its limits, and the time in which no server ran: both follow from the log alone."""

import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Room, RoomTerms
from games import clock, doorbell, frames, log, play, tables, timing
from games.log import GRACE, Fold, folded, fresh_fold, rows_after
from games.models import Action, Hand, Heartbeat, Table
from games.protocol import Choice
from games.rules.hand import Phase
from games.selfplay import choice_of, decide, hand_deal
from tests.people import room_of, table_of

pytestmark = pytest.mark.django_db

Passing = Callable[[float], None]
PASS = Choice("pass")
LIMITS = {"turn_seconds": 20, "claim_seconds": 10, "void_seconds": 15, "reserve_seconds": 30}


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Passing:
    """Lets seconds pass on the database's clock, on which nothing else moves."""
    now = [datetime.now(UTC) + timedelta(hours=1)]  # later than rows that are stamped by the real one
    for module in (log, play, clock):
        monkeypatch.setattr(module, "database_now", lambda *_told: now[0])

    def pass_(seconds: float) -> None:
        now[0] += timedelta(seconds=seconds)

    return pass_


def seated(club: Club, operator: User, users: list[User], **terms: Any) -> Table:
    return table_of(room_of(club, operator, **{**LIMITS, **terms}), users[:4])


def in_turn(hand: Hand, users: list[User]) -> Fold:
    """The hand at its first turn, every void suit named in time."""
    fold = folded(hand.pk)
    while fold.core is not None and fold.core.phase is Phase.VOID:
        fold = decide(fold, min(fold.asked), users)
    assert fold.core is not None
    return fold


def passed(fold: Fold, seat: int, users: list[User]) -> Fold:
    """The hand after a seat has waved a claim away: who wins has no turn any more."""
    play.act(hand_id=fold.hand.pk, user=users[seat], seq=fold.seen[seat], choice=PASS, command_id=str(uuid.uuid4()))
    return folded(fold.hand.pk)


def next_turn(fold: Fold, users: list[User], seat: int) -> Fold:
    """The hand when it is this seat's turn again, everybody deciding at once."""
    while fold.core is not None and (fold.core.phase is not Phase.TURN or fold.core.turn != seat):
        fold = decide(fold, min(fold.asked), users)
    return fold


def test_what_a_turn_takes_beyond_its_limit_comes_off_the_reserve(
    club: Club, operator: User, members: list[User], passing: Passing
) -> None:
    hand = hand_deal(table_id=seated(club, operator, members).pk, users=members[:4])
    fold = in_turn(hand, members)
    assert fold.core is not None
    seat = fold.core.turn
    shown = frames.hand_payload(fold, members[seat].pk)
    assert (shown["seconds"], shown["reserve"]) == (20, 30.0)
    passing(20 + GRACE + 12)
    assert timing.due_drafts(fold, log.database_now()) == []
    fold = next_turn(decide(fold, seat, members), members, seat)
    assert fold.spent_open[seat] == pytest.approx(12)
    for viewer in (*members[:4], None):  # a turn is played before everybody's eyes, its clock too
        payload = frames.hand_payload(fold, viewer.pk if viewer else 0)
        assert payload["reserve"] == pytest.approx(18)
    passing(20 + GRACE + 18 - 0.1)
    assert not timing.is_late(fold, seat, log.database_now())
    passing(0.2)
    with pytest.raises(Refused, match="too_late"):
        decide(fold, seat, members)
    play.tick(hand.pk)
    fold = folded(hand.pk)
    assert fold.auto[seat]
    assert fold.spent_open[seat] == pytest.approx(30)
    again = fresh_fold(hand)
    for row in rows_after(again):
        again.take(row)
    assert again.spent_open == fold.spent_open


def test_within_the_limit_and_the_grace_nothing_is_taken(
    club: Club, operator: User, members: list[User], passing: Passing
) -> None:
    hand = hand_deal(table_id=seated(club, operator, members).pk, users=members[:4])
    fold = in_turn(hand, members)
    assert fold.core is not None
    seat = fold.core.turn
    passing(20 + GRACE - 0.01)
    assert decide(fold, seat, members).spent_open == [0.0] * 4


def test_a_claim_in_reserve_shortens_no_turn_and_nobody_else_is_told(
    club: Club, operator: User, members: list[User], passing: Passing
) -> None:
    """The moment at which a turn runs out would tell who had something to claim."""
    hand = hand_deal(table_id=seated(club, operator, members).pk, users=members[:4])
    fold = in_turn(hand, members)
    while fold.core is not None and fold.core.phase is not Phase.CLAIM:
        fold = decide(fold, min(fold.asked), members)
    claimer = min(fold.asked)
    others = [seat for seat in range(4) if seat not in fold.asked]
    assert frames.hand_payload(fold, members[claimer].pk)["reserve"] == 30.0
    assert all(frames.hand_payload(fold, members[seat].pk)["reserve"] is None for seat in others)
    passing(10 + GRACE + 25)
    fold = passed(fold, claimer, members)
    assert fold.spent_hidden[claimer] == pytest.approx(25)
    while fold.core is not None and (fold.core.phase is not Phase.TURN or fold.core.turn != claimer):
        seat = min(fold.asked)
        fold = passed(fold, seat, members) if fold.core.phase is Phase.CLAIM else decide(fold, seat, members)
    assert fold.reserve_left(claimer) == 30.0
    assert frames.hand_payload(fold, members[others[0]].pk)["reserve"] == 30.0


def test_a_blind_claim_has_no_reserve(club: Club, operator: User, members: list[User], passing: Passing) -> None:
    hand = hand_deal(table_id=seated(club, operator, members, pacing=RoomTerms.Pacing.BLIND).pk, users=members[:4])
    fold = in_turn(hand, members)
    while fold.core is not None and not (fold.core.phase is Phase.CLAIM and fold.asked):
        if fold.core.phase is Phase.TURN:
            fold = decide(fold, fold.core.turn, members)
        else:
            passing(10 + GRACE + 0.1)
            play.tick(hand.pk)
            fold = folded(hand.pk)
    claimer = min(fold.asked)
    assert fold.reserve_left(claimer) == 0.0
    assert frames.hand_payload(fold, members[claimer].pk)["reserve"] == 0.0


def test_a_blind_room_looks_at_the_time_again_before_anything_is_due(
    club: Club,
    operator: User,
    members: list[User],
    passing: Passing,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its clock wakes up too early, whatever was written last."""
    waits: list[float] = []
    monkeypatch.setattr(doorbell, "listeners", {lambda hand_id, at: waits.append(at - time.monotonic())})
    early = play.EARLY.total_seconds() / 2
    hand = hand_deal(table_id=seated(club, operator, members, pacing=RoomTerms.Pacing.BLIND).pk, users=members[:4])
    fold = in_turn(hand, members)
    with django_capture_on_commit_callbacks(execute=True):
        fold = decide(fold, min(fold.asked), members)
    due = timing.due_at(fold)
    assert due is not None
    left = (due - log.database_now()).total_seconds()
    assert waits[-1] <= left - early
    passing(left - early)
    with django_capture_on_commit_callbacks(execute=True):
        play.tick(hand.pk)
    assert folded(hand.pk).seq == fold.seq, "it is too early"
    assert len(waits) == 2
    assert waits[-1] <= early


def test_terms_without_reserve_end_with_the_limit(
    club: Club, operator: User, members: list[User], passing: Passing
) -> None:
    table = seated(club, operator, members, reserve_seconds=0)
    fold = in_turn(hand_deal(table_id=table.pk, users=members[:4]), members)
    assert fold.core is not None
    seat = fold.core.turn
    passing(20 + GRACE + 0.1)
    assert timing.is_late(fold, seat, log.database_now())


# --- No server -----------------------------------------------------------------------------------------------------
def test_time_without_a_server_does_not_count(table: Table, members: list[User], room: Room, passing: Passing) -> None:
    clock.heart_beat(clock.RUN_SILENCE)
    fold = in_turn(hand_deal(table_id=table.pk, users=members[:4]), members)
    assert fold.core is not None
    seat, seen = fold.core.turn, fold.seen[fold.core.turn]
    passing(5)
    clock.heart_beat(clock.RUN_SILENCE)
    before = timing.due_at(fold)
    passing(600)
    clock.heart_beat(clock.START_SILENCE)
    after = folded(fold.hand.pk)
    paused = Action.objects.get(hand=fold.hand, kind="pause")
    assert paused.data == {"seconds": 600 + play.RETURN_SECONDS}
    assert before is not None
    assert timing.due_at(after) == before + timedelta(seconds=603)
    assert Hand.objects.get(pk=fold.hand.pk).due_at == timing.due_at(after)
    assert play.tick(fold.hand.pk) == timing.due_at(after)
    assert not any(folded(fold.hand.pk).auto)
    # Everybody is told, and a decision made on what was seen before holds.
    assert after.seen == [number + 1 for number in fold.seen]
    play.act(
        hand_id=fold.hand.pk, user=members[seat], seq=seen, choice=choice_of(fold, seat), command_id=str(uuid.uuid4())
    )


def test_a_decision_that_began_after_the_last_heartbeat_loses_only_what_it_was_owed(
    table: Table, members: list[User], passing: Passing
) -> None:
    clock.heart_beat(clock.RUN_SILENCE)
    passing(100)  # no heartbeat, but the hand is dealt by a process that lives
    fold = in_turn(hand_deal(table_id=table.pk, users=members[:4]), members)
    passing(10)
    clock.heart_beat(clock.RUN_SILENCE)
    assert Action.objects.get(hand=fold.hand, kind="pause").data == {"seconds": 10 + play.RETURN_SECONDS}


def test_a_beating_heart_pauses_nothing(table: Table, members: list[User], passing: Passing) -> None:
    hand_deal(table_id=table.pk, users=members[:4])
    for _beat in range(20):
        clock.heart_beat(clock.START_SILENCE)
        passing(1.2)
    passing(clock.RUN_SILENCE - 1.3)
    clock.heart_beat(clock.RUN_SILENCE)  # a busy machine, not a dead one
    assert not Action.objects.filter(kind="pause").exists()
    assert Heartbeat.objects.get().at == log.database_now()


def test_a_pause_while_the_wall_is_shuffled_waits_for_the_nonces(
    table: Table, members: list[User], passing: Passing
) -> None:
    clock.heart_beat(clock.RUN_SILENCE)
    for number, user in enumerate(members[:4]):
        hand = tables.seat_ready(table_id=table.pk, user=user, nonce_commitment=f"{number}" * 64)
    assert hand is not None
    Hand.objects.filter(pk=hand.pk).update(started_at=log.database_now())
    log.forget_folds()
    passing(60)
    clock.heart_beat(clock.START_SILENCE)
    fold = folded(hand.pk)
    assert fold.core is None
    due = timing.due_at(fold)
    assert due is not None
    assert due > log.database_now()
