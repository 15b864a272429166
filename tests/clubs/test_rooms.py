"""Rooms and the versions of their terms."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from accounts.errors import Refused
from accounts.models import AuditEntry, User
from clubs.models import Club, Membership, Room, RoomTerms
from clubs.rooms import (
    MOST_POINTS,
    room_change_terms,
    room_close,
    room_create,
    room_open,
    room_rename,
    ruleset_of,
)
from games.rules.patterns import most_units
from games.rules.ruleset import PRESETS, Ruleset
from tests.races import at_once

Refusal = Callable[[Callable[[], object]], Refused]


@pytest.fixture
def room(club: Club, operator: User) -> Room:
    return room_create(club=club, name="锦江厅", actor=operator, preset="qq_dingque", coefficient=200, rake=400)


def test_a_room_opens_with_its_first_terms(club: Club, operator: User, room: Room) -> None:
    terms = RoomTerms.objects.get()
    assert room.terms == terms
    assert (room.club, room.name, room.is_open) == (club, "锦江厅", True)
    assert (terms.version, terms.preset, terms.options, terms.created_by) == (1, "qq_dingque", {}, operator)
    assert (terms.coefficient, terms.rake, terms.turn_seconds, terms.pacing) == (200, 400, 20, "quick")
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.subject_id, entry.book) == ("room.created", str(room.pk), club.book)
    assert entry.after["coefficient"] == 200
    assert ruleset_of(terms) == Ruleset.parse("qq_dingque")


def test_a_change_makes_new_terms_and_keeps_the_old(operator: User, room: Room) -> None:
    old = room.terms
    new = room_change_terms(room=room, actor=operator, changes={"coefficient": 300, "rake": 400}, reason="周末")
    room.refresh_from_db()
    assert room.terms == new
    assert (new.version, new.coefficient, new.rake) == (2, 300, 400)
    assert old is not None
    assert RoomTerms.objects.get(pk=old.pk).coefficient == 200
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.reason) == ("room.terms_changed", "周末")
    assert (entry.before, entry.after) == ({"coefficient": 200}, {"coefficient": 300})


def test_options_are_kept_as_they_differ_from_the_preset(operator: User, room: Room, refusal: Refusal) -> None:
    preset = Ruleset.parse("qq_dingque").options()
    more = preset["escape_units"] + 1
    new = room_change_terms(
        room=room, actor=operator, changes={"options": {"escape_units": more, "base_points": preset["base_points"]}}
    )
    assert new.options == {"escape_units": more}
    assert ruleset_of(new).escape_units == more
    same = {"options": {"escape_units": more, "dealer": preset["dealer"]}}
    refused = refusal(lambda: room_change_terms(room=room, actor=operator, changes=same))
    assert refused.code == "nothing_changed"


WRONG: list[tuple[str, object]] = [
    ("preset", "nowhere"),
    ("preset", ""),
    ("preset", None),
    ("preset", 5),
    ("preset", "x" * 25),
    ("options", {"escape_unit": 3}),
    ("options", {"escape_units": "many"}),
    ("options", {"escape_units": -1}),
    ("options", []),
    ("options", None),
    ("options", "x"),
    ("options", {"escape_units": {1, 2}}),
    ("coefficient", -1),
    ("coefficient", 1_000_001),
    ("coefficient", 1.5),
    ("coefficient", True),
    ("coefficient", "many"),
    ("coefficient", None),
    ("rake", -1),
    ("rake", 1_000_000_001),
    ("entry_minimum", -1),
    ("entry_minimum", 2**40),
    ("turn_seconds", 2),
    ("turn_seconds", 301),
    ("claim_seconds", 1),
    ("claim_seconds", 61),
    ("void_seconds", 2),
    ("void_seconds", 121),
    ("reserve_seconds", -1),
    ("reserve_seconds", 601),
    ("watching", "always"),
    ("watch_delay", 601),
    ("pacing", "fast"),
    ("pacing", None),
    ("bots_allowed", True),
    ("bots_allowed", "perhaps"),
    ("version", 7),
    ("room", 1),
    ("created_by", None),
]


@pytest.mark.parametrize(("field", "value"), WRONG)
def test_wrong_terms_are_refused_by_name(
    club: Club, operator: User, room: Room, refusal: Refusal, field: str, value: object
) -> None:
    refused = refusal(lambda: room_change_terms(room=room, actor=operator, changes={field: value}))
    assert refused.code == "invalid_terms"
    assert set(refused.data["errors"]) == {field}
    assert refused.data["errors"][field]
    if field in {"room", "created_by", "version", "bots_allowed"}:
        return
    terms: dict[str, Any] = {"preset": "qq_dingque", field: value}
    refused = refusal(lambda: room_create(club=club, name="新厅", actor=operator, **terms))
    assert set(refused.data["errors"]) == {field}


def test_all_wrong_fields_are_named_at_once(operator: User, room: Room, refusal: Refusal) -> None:
    changes = {"coefficient": -1, "turn_seconds": 0, "colour": "red"}
    refused = refusal(lambda: room_change_terms(room=room, actor=operator, changes=changes))
    assert set(refused.data["errors"]) == set(changes)


def test_bots_play_only_for_nothing(club: Club, operator: User, refusal: Refusal) -> None:
    practice = partial(room_create, club=club, actor=operator, preset="qq_xuezhan", bots_allowed=True)
    for coins in ({"coefficient": 1}, {"rake": 1}):
        refused = refusal(partial(practice, name="练习房", **coins))
        assert set(refused.data["errors"]) == {"bots_allowed"}
    room = practice(name="练习房")
    refused = refusal(lambda: room_change_terms(room=room, actor=operator, changes={"rake": 1}))
    assert set(refused.data["errors"]) == {"bots_allowed"}
    room_change_terms(room=room, actor=operator, changes={"rake": 1, "bots_allowed": False})


@pytest.mark.parametrize("name", ["", "  ", "字" * 25, "a\x00b"])
def test_a_bad_name_is_refused(club: Club, operator: User, refusal: Refusal, name: str) -> None:
    refused = refusal(lambda: room_create(club=club, name=name, actor=operator, preset="qq_dingque"))
    assert (refused.code, refused.data) == ("bad_name", {"field": "name"})


def test_a_name_is_taken_once_in_a_club(club: Club, operator: User, room: Room, refusal: Refusal) -> None:
    refused = refusal(lambda: room_create(club=club, name=" 锦江厅 ", actor=operator, preset="qq_dingque"))
    assert refused.code == "name_taken"


def test_a_room_closes_and_opens(operator: User, room: Room) -> None:
    for change, is_open, action in ((room_close, False, "room.closed"), (room_open, True, "room.opened")):
        for _repeat in range(2):
            change(room=room, actor=operator)
            assert room.is_open is is_open
        entry = AuditEntry.objects.get(action=action)
        assert (entry.before, entry.after) == ({"is_open": not is_open}, {"is_open": is_open})


def test_only_operators_run_rooms(club: Club, room: Room, anna: Membership, refusal: Refusal) -> None:
    for call in (
        partial(room_create, club=club, name="x", preset="qq_dingque"),
        partial(room_change_terms, room=room, changes={"rake": 1}),
        partial(room_close, room=room),
        partial(room_open, room=room),
    ):
        assert refusal(partial(call, actor=anna.user)).code == "not_an_operator"


@pytest.mark.django_db(transaction=True)
def test_changes_at_the_same_time_follow_each_other(operator: User, room: Room) -> None:
    changes: list[dict[str, Any]] = [{"rake": 500}, {"coefficient": 300}, {"turn_seconds": 30}, {"claim_seconds": 15}]
    outcomes = at_once([partial(room_change_terms, room=room, actor=operator, changes=each) for each in changes])
    assert sorted(terms.version for terms in outcomes) == [2, 3, 4, 5]
    room.refresh_from_db()
    terms = room.terms
    assert terms is not None
    assert (terms.rake, terms.coefficient, terms.turn_seconds, terms.claim_seconds) == (500, 300, 30, 15)


def test_a_room_is_renamed(operator: User, club: Club, room: Room, anna: Membership, refusal: Refusal) -> None:
    room_create(club=club, name="竹林", actor=operator, preset="qq_dingque")
    before, version = room.name, room.terms
    room_rename(room=room, actor=operator, name=" 望江亭 ")
    assert Room.objects.get(pk=room.pk).name == "望江亭"
    assert Room.objects.get(pk=room.pk).terms == version
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.before, entry.after) == ("room.renamed", {"name": before}, {"name": "望江亭"})
    for name, code in (("", "bad_name"), ("x" * 25, "bad_name"), ("a\x00", "bad_name"), ("竹林", "name_taken")):
        assert refusal(partial(room_rename, room=room, actor=operator, name=name)).code == code
    assert refusal(lambda: room_rename(room=room, actor=anna.user, name="x")).code == "not_an_operator"
    count = AuditEntry.objects.count()
    room_rename(room=room, actor=operator, name="望江亭")
    assert AuditEntry.objects.count() == count


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_far_from_what_the_database_cannot_hold(club: Club, operator: User, preset: str) -> None:
    room = room_create(club=club, name=preset, actor=operator, preset=preset, options={"base_points": 1_000})
    assert room.terms is not None
    assert most_units(ruleset_of(room.terms)) * 1_000 <= MOST_POINTS


@pytest.mark.parametrize(
    "options",
    [
        {"gen_fan": 20},
        {"kong_fan": {"exposed": 0, "added": 0, "concealed": 20}},
        {"patterns": {"pinghu": 20}, "base_points": 10_000},
        {"gen_fan": 20, "cap_fan": 20, "base_points": 1_000},
    ],
)
def test_no_room_where_a_win_would_not_fit_the_database(
    club: Club, operator: User, refusal: Refusal, options: dict[str, Any]
) -> None:
    def opened() -> Room:
        return room_create(club=club, name="无底", actor=operator, preset="qq_dingque", options=options)

    refused = refusal(opened)
    assert refused.code == "invalid_terms"
    assert set(refused.data["errors"]) == {"options"}
