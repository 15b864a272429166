"""Whole hands played from outside over real sockets, and what each member saw held against the API."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command

from accounts import ledger
from accounts.models import User
from clubs.models import Club, Room
from games.clients import Seen, compare
from games.models import Hand, Table
from tests.people import PASSWORD

NAMES = ["anna", "bao", "chen", "deng"]


def test_what_four_members_saw_is_what_the_api_says(
    live_asgi: str, room: Room, members: list[User], club: Club, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("play_clients", url=live_asgi, hands=3, room=str(room.pk), members=NAMES, password=PASSWORD)
    assert "3 hands checked, 0 faults" in capsys.readouterr().out
    assert Hand.objects.filter(status=Hand.Status.SETTLED).count() == 3
    assert ledger.ledger_check(club.book) == []


def test_a_wrong_password_is_a_plain_error(live_asgi: str, room: Room, members: list[User]) -> None:
    with pytest.raises(CommandError, match="refused"):
        call_command("play_clients", url=live_asgi, hands=1, room=str(room.pk), members=NAMES, password="wrong")


def test_a_difference_is_found(seated: Callable[[Room], Table], room: Room, members: list[User]) -> None:
    """The comparison itself: what was shown otherwise than the record says is named."""
    from games import frames
    from games.log import folded
    from games.selfplay import hand_play_out

    table = seated(room)
    hand = hand_play_out(table_id=table.pk, users=members[:4])
    fold = folded(hand.pk)
    shown = frames.hand_payload(fold, members[0].pk)["settlement"]
    seen = Seen(hand.pk, 0, frames.log_payload(fold, members[0].pk), shown)
    assert hand.record is not None
    assert compare([seen], hand.record) == []

    shown["seats"][1]["coins"] += 1
    seen.events.pop(next(number for number, event in enumerate(seen.events) if event["kind"] == "discard"))
    faults = compare([seen], hand.record)
    assert len(faults) == 2
    assert "coins" in faults[0]
    assert "discards" in faults[1]
