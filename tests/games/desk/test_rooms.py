"""Rooms at the desk: a new one, and a change that is seen as a difference before it is a version."""

import re

from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from clubs.models import Room
from clubs.rooms import room_change_terms
from games.desk.rooms import OPTION_GROUPS, DeskRoomForm
from games.models import Hand, Table
from games.rules.options import OPTIONS
from games.selfplay import hand_deal

ADDRESS = "desk_room"


def entered(room: Room, **changed: str) -> dict[str, str]:
    """The form as a browser sends it, with some values changed."""
    form = DeskRoomForm(room=room)
    values = {}
    for field in form:
        value = field.value()
        if value is True:
            values[field.name] = "on"
        elif value is not None and value is not False:
            values[field.name] = str(value)
    return {**values, **changed}


def seen(page: str) -> str:
    found = re.search(r'name="seen" value="(\w+)"', page)
    assert found
    return found[1]


def test_every_option_has_its_place_in_the_form() -> None:
    assert sorted(name for _title, names in OPTION_GROUPS for name in names) == sorted(OPTIONS)


def test_what_is_wrong_is_told_once(room: Room) -> None:
    form = DeskRoomForm(entered(room, rake="-5", turn_seconds="9999"), room=room)
    assert {name: len(errors) for name, errors in form.errors.items()} == {"rake": 1, "turn_seconds": 1}


def test_a_change_is_seen_before_it_is_a_version(desk: Client, room: Room, owner: User) -> None:
    address = reverse(ADDRESS, args=["jinli", room.pk])
    change = entered(room, rake="500", option_cap_fan="5", name="锦江大厅", reason="夜场")
    page = desk.post(address, change).text
    room.refresh_from_db()
    assert room.terms.version == 1 and room.name == "锦江厅", "nothing is saved yet"
    for words in ("400", "500", "锦江大厅", "存为第 2 版"):
        assert words in page
    other = desk.post(address, {**change, "rake": "600", "seen": seen(page)}).text
    room.refresh_from_db()
    assert room.terms.version == 1, "what is saved is what was seen"
    room_change_terms(room=room, actor=owner, changes={"coefficient": 300})
    stale = desk.post(address, {**change, "rake": "600", "seen": seen(other)}).text
    room.refresh_from_db()
    assert room.terms.version == 2 and "存为第 3 版" in stale, "somebody else was quicker"
    answer = desk.post(address, {**change, "rake": "600", "seen": seen(stale)})
    assert answer.headers["Location"] == address
    room.refresh_from_db()
    assert (room.name, room.terms.version, room.terms.rake) == ("锦江大厅", 3, 600)
    assert room.terms.options == {"cap_fan": 5}
    entry = AuditEntry.objects.filter(action="room.terms_changed").latest("pk")
    assert (entry.actor, entry.reason, entry.after["rake"]) == (owner, "夜场", 600)
    assert "夜场" in desk.get(address).text


def test_another_preset_shows_all_that_would_be_played_otherwise(desk: Client, room: Room) -> None:
    page = desk.post(reverse(ADDRESS, args=["jinli", room.pk]), entered(room, preset="jj")).text
    assert "JJ 四川麻将" in page and page.count("<del>") > 3


def test_nothing_changed_and_faults_are_said(desk: Client, room: Room) -> None:
    address = reverse(ADDRESS, args=["jinli", room.pk])
    answer = desk.post(address, entered(room))
    assert answer.status_code == 400 and "没有改动" in answer.text
    for name, value in (("turn_seconds", "1"), ("option_cap_fan", "99"), ("name", ""), ("rake", "-1")):
        assert desk.post(address, entered(room, **{name: value})).status_code == 400, name
    bots = desk.post(address, entered(room, bots_allowed="on"))
    assert bots.status_code == 400 and "机器人没有钱包" in bots.text


def test_a_room_is_opened_like_another_one(desk: Client, room: Room) -> None:
    address = reverse("desk_room_new", args=["jinli"])
    like = desk.get(address, {"like": str(room.pk)}).text
    assert 'value="200"' in like and 'value="400"' in like
    answer = desk.post(address, entered(room, name="望江厅"))
    made = Room.objects.get(name="望江厅")
    assert answer.headers["Location"] == reverse(ADDRESS, args=["jinli", made.pk])
    assert (made.terms.coefficient, made.terms.rake, made.terms.preset) == (200, 400, "qq_dingque")
    taken = desk.post(address, entered(room, name="望江厅"))
    assert taken.status_code == 400 and "已有同名的房间" in taken.text
    listed = desk.get(reverse("desk_rooms", args=["jinli"])).text
    assert "望江厅" in listed and "锦江厅" in listed


def test_a_room_is_closed_and_opened(desk: Client, room: Room, table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    address = reverse("desk_room_switch", args=["jinli", room.pk])
    desk.post(address, {"do": "close"})
    room.refresh_from_db()
    assert not room.is_open and Hand.objects.get(pk=hand.pk).status == Hand.Status.PLAYING
    assert "已关闭" in desk.get(reverse("desk_rooms", args=["jinli"])).text
    desk.post(address, {"do": "open"})
    room.refresh_from_db()
    assert room.is_open
