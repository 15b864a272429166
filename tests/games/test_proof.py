"""`ledger_check` finds nothing in what the product wrote, and finds what was tampered with."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import User
from games.models import Hand, HandSeat, Table
from games.proof import hands_check
from games.selfplay import hand_play_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def hand(table: Table, members: list[User]) -> Hand:
    return hand_play_out(table_id=table.pk, users=members[:4])


def test_nothing_is_found_in_order(hand: Hand, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ledger_check")
    assert capsys.readouterr().out == "1 books and 1 hands, no fault\n"


def _coins_moved(hand: Hand) -> None:
    seat = HandSeat.objects.get(hand=hand, number=1)
    HandSeat.objects.filter(pk=seat.pk).update(coins=(seat.coins or 0) + 1)


def _record_changed(hand: Hand) -> None:
    assert hand.record is not None
    result = {**hand.record["result"], "units": [0, 0, 0, 1]}
    Hand.objects.filter(pk=hand.pk).update(record={**hand.record, "result": result})


def _actions_changed(hand: Hand) -> None:
    assert hand.record is not None
    Hand.objects.filter(pk=hand.pk).update(record={**hand.record, "actions": hand.record["actions"][:-1]})


def _record_lost(hand: Hand) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE games_hand SET record = NULL WHERE id = %s", [hand.pk])


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (_coins_moved, "its rows say coins"),
        (_record_changed, "judged again"),
        (_actions_changed, "its log tells other actions"),
        (_record_lost, "no record"),
    ],
)
def test_tampering_is_found(hand: Hand, tamper: Callable[[Hand], None], found: str) -> None:
    tamper(hand)
    assert any(found in fault for fault in hands_check())
    with pytest.raises(CommandError):
        call_command("ledger_check")
