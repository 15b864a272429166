"""Rooms and hands in the admin: terms through versions, options by their rules, nothing of a running hand."""

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from clubs.clubs import club_change
from clubs.models import Club, Membership, Room
from clubs.rooms import preset_name
from games.models import DayFigures, Hand, Table
from games.proof import days_check
from games.room_form import RoomForm
from games.rules.options import OPTIONS
from games.selfplay import hand_deal, hand_play_out
from games.terms_form import field_names
from tests.people import table_of


def _answers(**changes: Any) -> dict[str, Any]:
    """The form of the room of the fixture, filled in as it stands."""
    return {
        "name": "锦江厅",
        "preset": "qq_dingque",
        "coefficient": 200,
        "rake": 400,
        "entry_minimum": 0,
        "turn_seconds": 20,
        "claim_seconds": 10,
        "void_seconds": 15,
        "reserve_seconds": 20,
        "pacing": "instant",
        "waits_shown": "on",
        "watching": "off",
        "watch_delay": 60,
        "is_open": "on",
        "reason": "调整",
    } | changes


def _page(room: Room) -> str:
    return reverse("admin:clubs_room_change", args=[room.pk])


def test_every_option_of_the_rules_has_its_field() -> None:
    for option in OPTIONS.values():
        for name, _row in field_names(option):
            assert name in RoomForm.base_fields


def test_a_room_is_made(desk: Client, club: Club, site: User) -> None:
    answers = _answers(club=club.pk, name="竹林", option_cap_fan="5", option_base_points="10", option_pass_win="free")
    made = desk.post(reverse("admin:clubs_room_add"), answers)
    assert made.status_code == 302, made.content.decode()
    room = Room.objects.select_related("terms").get(name="竹林")
    assert room.terms is not None
    assert (room.terms.version, room.terms.created_by, room.terms.coefficient) == (1, site, 200)
    assert room.terms.options.items() >= {"cap_fan": 5, "base_points": 10}.items()
    page = desk.get(_page(room)).content.decode()
    assert 'value="10"' in page


def test_a_change_makes_new_terms_and_is_kept(desk: Client, room: Room, site: User) -> None:
    answers = _answers(coefficient=300, rake=600, option_escape_units="12")
    assert desk.post(_page(room), answers).status_code == 302
    room.refresh_from_db()
    assert room.terms is not None
    assert (room.terms.version, room.terms.coefficient, room.terms.rake) == (2, 300, 600)
    assert room.terms.options == {"escape_units": 12}
    assert [terms.coefficient for terms in room.versions.order_by("version")] == [200, 300]
    entry = AuditEntry.objects.get(action="room.terms_changed")
    assert (entry.actor, entry.reason) == (site, "调整")
    assert (entry.before["rake"], entry.after["rake"]) == (400, 600)
    page = desk.get(_page(room)).content.decode()
    assert "台费 A：400 → 600" in page
    assert "逃跑：赔付各家：— → 12" in page
    assert "调整" in page
    # An option set back to empty is the preset's again.
    assert desk.post(_page(room), _answers(coefficient=300, rake=600)).status_code == 302
    room.refresh_from_db()
    assert room.terms.options == {}


def test_only_what_differs_from_the_preset_is_stored(desk: Client, room: Room) -> None:
    from games.rules.ruleset import PRESETS

    usual = PRESETS["qq_dingque"].ruleset.options()
    same = {
        "option_base_points": str(usual["base_points"]),
        "option_void_suit": "true" if usual["void_suit"] else "false",
    }
    assert desk.post(_page(room), _answers(rake=500, **same)).status_code == 302
    room.refresh_from_db()
    assert room.terms is not None
    assert room.terms.options == {}


def test_a_table_of_options_is_laid_over_the_presets(desk: Client, room: Room) -> None:
    from games.rules.ruleset import PRESETS

    usual = PRESETS["qq_dingque"].ruleset.options()["patterns"]
    answers = _answers(option_patterns_qidui="7", option_patterns_jiangdui="null")
    assert desk.post(_page(room), answers).status_code == 302
    room.refresh_from_db()
    assert room.terms is not None
    expected = {name: fan for name, fan in (usual | {"qidui": 7}).items() if name != "jiangdui"}
    assert room.terms.options == {"patterns": expected}
    assert desk.get(_page(room)).status_code == 200


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"option_base_points": "0"}, "不能是 0，允许的是：1 到 10000 的整数"),
        ({"option_base_points": "x"}, "不能是 x"),
        ({"option_cap_fan": "99"}, "不能是 99，允许的是：无，或 0 到 20 的整数"),
        ({"option_void_suit": "maybe"}, "不能是 maybe，允许的是：是或否"),
        ({"option_pass_win": "never"}, "不能是 never"),
        ({"option_patterns_qidui": "-1"}, "不能是 -1"),
        ({"preset": "poker"}, "poker"),
        ({"coefficient": -1}, "errors"),
        ({"rake": "1.5"}, "errors"),
        ({"turn_seconds": 2}, "errors"),
        ({"pacing": "slow"}, "slow"),
        ({"bots_allowed": "on"}, "机器人没有钱包"),
        ({"reason": ""}, "errors"),
        ({}, "没有改动"),
    ],
)
def test_wrong_terms_are_said_and_change_nothing(desk: Client, room: Room, wrong: dict[str, Any], said: str) -> None:
    refused = desk.post(_page(room), _answers(**wrong))
    assert refused.status_code == 200
    assert said in refused.content.decode()
    room.refresh_from_db()
    assert room.versions.count() == 1


def test_a_room_is_closed_and_opened(desk: Client, room: Room) -> None:
    answers = _answers()
    del answers["is_open"]
    assert desk.post(_page(room), answers).status_code == 302
    room.refresh_from_db()
    assert not room.is_open
    assert desk.post(_page(room), _answers()).status_code == 302
    room.refresh_from_db()
    assert room.is_open
    assert room.versions.count() == 1


def test_a_room_name_is_taken_once(desk: Client, club: Club, room: Room) -> None:
    refused = desk.post(reverse("admin:clubs_room_add"), _answers(club=club.pk, name=room.name))
    assert refused.status_code == 200
    assert Room.objects.count() == 1


# --- Hands ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def users(join: Callable[[str], Membership]) -> list[User]:
    return [join(name).user for name in ("anna", "bao", "chen", "deng")]


@pytest.fixture
def table(room: Room, users: list[User]) -> Table:
    return table_of(room, users)


def test_a_hand_is_shown_with_its_payments_in_words(desk: Client, table: Table, users: list[User]) -> None:
    hand = hand_play_out(table_id=table.pk, users=users)
    page = desk.get(reverse("admin:games_hand_change", args=[hand.pk])).content.decode()
    for name in ("Anna", "Bao", "Chen", "Deng"):
        assert name in page
    assert page.count("<li>", page.index('id="hand_payments"')) >= hand.payments.count()
    assert hand.record is not None
    assert hand.record["wall"] in page
    assert "Anna" in desk.get(reverse("admin:games_hand_changelist")).content.decode()


def test_nothing_of_a_running_hand_is_shown(desk: Client, table: Table, users: list[User]) -> None:
    from games.log import folded, wall_of
    from games.rules.tiles import tile_name

    hand = hand_deal(table_id=table.pk, users=users)
    seed = bytes(Hand.objects.get(pk=hand.pk).seed)
    wall = "".join(tile_name(tile) for tile in wall_of(folded(hand.pk)))
    paths = [
        reverse("admin:index"),
        reverse("admin:games_hand_changelist"),
        reverse("admin:games_hand_change", args=[hand.pk]),
        reverse("admin:accounts_auditentry_changelist"),
    ]
    for path in paths:
        page = desk.get(path).content.decode()
        assert seed.hex() not in page
        assert str(seed) not in page
        assert wall not in page
        assert 'id="hand_proof"' not in page
    assert hand.commitment in desk.get(paths[2]).content.decode()


def test_days_are_sorted_anew_and_lists_exported(
    desk: Client, table: Table, users: list[User], club: Club, site: User
) -> None:
    hand_play_out(table_id=table.pk, users=users)
    days = reverse("admin:games_dayfigures_changelist")
    club_change(club=club, actor=site, time_zone="Pacific/Kiritimati")
    assert "重算" in desk.get(days).content.decode()
    done = desk.post(reverse("admin:games_dayfigures_rebuild"), {"step": "confirm", "club": club.pk}, follow=True)
    assert "重算 4 名成员" in done.content.decode()
    assert list(days_check()) == []
    chosen = {"action": "export", "_selected_action": [*DayFigures.objects.values_list("pk", flat=True)]}
    file = b"".join(desk.post(days, chosen)).decode("utf-8-sig")
    rows = list(csv.DictReader(StringIO(file)))
    assert {row["成员"] for row in rows} == {user.name for user in users}
    assert {row["规则"] for row in rows} == {preset_name("qq_dingque")}
    hands = reverse("admin:games_hand_changelist")
    chosen = {"action": "export", "_selected_action": [*Hand.objects.values_list("pk", flat=True)]}
    (row,) = csv.DictReader(StringIO(b"".join(desk.post(hands, chosen)).decode("utf-8-sig")))
    assert (row["俱乐部"], row["状态"]) == (club.name, "已结算"), "words without tags"


def test_a_room_is_renamed_without_new_terms(desk: Client, room: Room) -> None:
    assert desk.post(_page(room), _answers(name="望江亭")).status_code == 302
    room.refresh_from_db()
    assert (room.name, room.terms.version) == ("望江亭", 1)
    assert AuditEntry.objects.filter(action="room.renamed").count() == 1


def test_a_hand_leads_to_its_members_its_room_and_its_replay(
    desk: Client, room: Room, table: Table, users: list[User], club: Club
) -> None:
    hand = hand_play_out(table_id=table.pk, users=users)
    path = reverse("admin:games_hand_change", args=[hand.pk])
    page = desk.get(path).text
    for seat in hand.seats.select_related("membership"):
        assert reverse("admin:clubs_membership_change", args=[seat.membership.pk]) in page
        assert f"{seat.coins:,}".lstrip("-") in page
    assert reverse("admin:clubs_room_change", args=[room.pk]) in page
    assert f'href="{reverse("hand", args=[hand.pk])}"' in page
    club.memberships.filter(user__username="site").update(status="left")
    assert f'href="{reverse("hand", args=[hand.pk])}"' not in desk.get(path).text


def test_a_running_hand_is_ended_after_a_page_that_says_how(desk: Client, table: Table, users: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=users)
    page = reverse("admin:games_hand_stop", args=[hand.pk])
    assert page in desk.get(reverse("admin:games_hand_change", args=[hand.pk])).content.decode()
    order = {"rule": "void", "reason": "两人断线"}
    review = desk.post(page, {**order, "step": "review"}).content.decode()
    assert "作废" in review and "两人断线" in review
    assert Hand.objects.get(pk=hand.pk).status == Hand.Status.PLAYING
    assert desk.post(page, {**order, "step": "confirm"}).status_code == 302
    hand.refresh_from_db()
    assert hand.end == "voided"
    assert page not in desk.get(reverse("admin:games_hand_change", args=[hand.pk])).content.decode()
    assert "这一局已经结束" in desk.post(page, {**order, "step": "confirm"}).content.decode()
