"""Rooms and their terms. A change never touches what was: it makes a new version, and running hands keep theirs."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit import audit_write, changed
from accounts.errors import Refused
from accounts.models import User
from accounts.naming import is_seen
from clubs.models import Club, Room, RoomTerms
from clubs.roles import require_operator
from games.rules.patterns import most_units
from games.rules.ruleset import PRESETS, Ruleset, RulesetError

TERMS: Final = (
    "preset",
    "options",
    "coefficient",
    "rake",
    "entry_minimum",
    "turn_seconds",
    "claim_seconds",
    "void_seconds",
    "reserve_seconds",
    "pacing",
    "waits_shown",
    "bots_allowed",
    "watching",
    "watch_delay",
)
MOST_POINTS: Final = 100_000_000  # that one player may have to pay for a win: hands must fit the database
_SWITCHES: Final = ("waits_shown", "bots_allowed")
PRESET_NAMES: Final[Mapping[str, Promise]] = {
    "qq_single": gettext_lazy("普通场"),
    "qq_xuezhan": gettext_lazy("血战场"),
    "qq_single_2": gettext_lazy("普通场 · 新规"),
    "qq_xuezhan_2": gettext_lazy("血战 · 新规"),
    "qq_dingque": gettext_lazy("血战定缺 · 承包制"),
    "qq_jiajiayou": gettext_lazy("血战定缺 · 家家有"),
    "nengwan_single": gettext_lazy("能玩 · 普通场"),
    "nengwan": gettext_lazy("能玩 · 血战"),
    "dingzhang": gettext_lazy("血战定张"),
    "feidingzhang": gettext_lazy("血战非定张"),
    "jj": gettext_lazy("JJ 四川麻将"),
    "chengdu": gettext_lazy("成都底金"),
    "chengdu_yaoji": gettext_lazy("幺鸡任用"),
}


@transaction.atomic
def room_create(*, club: Club, name: str, actor: User, **terms: Any) -> Room:
    """A new room with its first terms (fields of `RoomTerms`; `preset` is needed, the others have defaults).

    Raises `Refused`: not_an_operator, bad_name, name_taken, invalid_terms (data: errors by field).
    """
    require_operator(user=actor, club=club)
    name = _clean_name(name)
    try:
        with transaction.atomic():
            room = Room.objects.create(club=club, name=name)
    except IntegrityError:
        raise _name_taken() from None
    first = _terms_checked(RoomTerms(room=room, version=1, created_by=actor), terms)
    first.save(force_insert=True)
    room.terms = first
    room.save(update_fields=["terms"])
    audit_write(
        actor=actor, action="room.created", subject=room, after={"name": name, **_values(first)}, book=club.book
    )
    return room


@transaction.atomic
def room_change_terms(*, room: Room, actor: User, changes: Mapping[str, Any], reason: str = "") -> RoomTerms:
    """New terms for a room: the present ones with `changes` (fields of `RoomTerms`) laid over them.

    Raises `Refused`: not_an_operator, invalid_terms (data: errors by field), nothing_changed.
    """
    require_operator(user=actor, club=room.club)
    # Terms are read once the room is locked: joined to it, they would be those from before the wait.
    room = Room.objects.select_for_update(no_key=True).get(pk=room.pk)
    assert room.terms is not None
    present = _values(room.terms)
    terms = _terms_checked(
        RoomTerms(room=room, version=room.terms.version + 1, created_by=actor), {**present, **changes}
    )
    before, after = changed(present, _values(terms))
    if not after:
        raise Refused("nothing_changed", _("没有改动。"), status=409)
    terms.save(force_insert=True)
    Room.objects.filter(pk=room.pk).update(terms=terms)
    audit_write(
        actor=actor,
        action="room.terms_changed",
        subject=room,
        before=before,
        after=after,
        reason=reason,
        book=room.club.book,
    )
    return terms


@transaction.atomic
def room_change(
    *,
    room: Room,
    actor: User,
    name: str | None = None,
    is_open: bool | None = None,
    terms: Mapping[str, Any] | None = None,
    reason: str = "",
) -> None:
    """Rename a room, open or close it, and change its terms, all or nothing; None leaves as it is.

    Raises as `room_change_terms` and `room_rename`; nothing_changed only where nothing at all would be.
    """
    assert room.terms is not None
    is_renamed = name is not None and name.strip() != room.name
    is_switched = is_open is not None and is_open != room.is_open
    changes = {field: value for field, value in (terms or {}).items() if getattr(room.terms, field, None) != value}
    if is_renamed:
        room_rename(room=room, actor=actor, name=name or "", reason=reason)
    if is_switched:
        (room_open if is_open else room_close)(room=room, actor=actor, reason=reason)
    if changes or not (is_renamed or is_switched):
        room_change_terms(room=room, actor=actor, changes=changes, reason=reason)


@transaction.atomic
def room_rename(*, room: Room, actor: User, name: str, reason: str = "") -> None:
    """Another name for a room. Raises `Refused`: not_an_operator, bad_name, name_taken."""
    require_operator(user=actor, club=room.club)
    name = _clean_name(name)
    before = Room.objects.select_for_update(no_key=True).get(pk=room.pk).name
    if name == before:
        return
    try:
        with transaction.atomic():
            Room.objects.filter(pk=room.pk).update(name=name)
    except IntegrityError:
        raise _name_taken() from None
    audit_write(
        actor=actor,
        action="room.renamed",
        subject=room,
        before={"name": before},
        after={"name": name},
        reason=reason,
        book=room.club.book,
    )
    room.refresh_from_db(fields=["name"])


def room_open(*, room: Room, actor: User, reason: str = "") -> None:
    """Let people sit down again. Raises `Refused`: not_an_operator."""
    _open_set(room, actor, True, reason)


def room_close(*, room: Room, actor: User, reason: str = "") -> None:
    """Let nobody sit down or start a hand any more; running hands are played out. Raises `Refused`: not_an_operator."""
    _open_set(room, actor, False, reason)


@transaction.atomic
def _open_set(room: Room, actor: User, is_open: bool, reason: str) -> None:
    require_operator(user=actor, club=room.club)
    if Room.objects.filter(pk=room.pk, is_open=not is_open).update(is_open=is_open):
        action = "room.opened" if is_open else "room.closed"
        audit_write(
            actor=actor,
            action=action,
            subject=room,
            before={"is_open": not is_open},
            after={"is_open": is_open},
            reason=reason,
            book=room.club.book,
        )
    room.refresh_from_db(fields=["is_open"])


def preset_name(preset: str) -> str:
    """What a preset is called: "jj" is JJ 四川麻将."""
    return str(PRESET_NAMES[preset])


def ruleset_of(terms: RoomTerms) -> Ruleset:
    """The ruleset that a room plays by under these terms."""
    return _ruleset(terms.preset, json.dumps(terms.options, sort_keys=True))


def unit_coins(terms: RoomTerms) -> int:
    """The coins of one unit (倍) under these terms; 0 in a room that plays for nothing."""
    return ruleset_of(terms).base_points * terms.coefficient


@lru_cache(maxsize=256)
def _ruleset(preset: str, options: str) -> Ruleset:
    return Ruleset.parse({"preset": preset, "options": json.loads(options)})


def _clean_name(name: str) -> str:
    name = name.strip()
    if not is_seen(name) or len(name) > 24:
        raise Refused("bad_name", _("房间名须为 1 到 24 个字。"), field="name")
    return name


def _name_taken() -> Refused:
    return Refused("name_taken", _("已有同名的房间。"), status=409, field="name")


def _values(terms: RoomTerms) -> dict[str, Any]:
    return {field: getattr(terms, field) for field in TERMS}


def _terms_checked(terms: RoomTerms, values: Mapping[str, Any]) -> RoomTerms:
    """Fill in terms. Raises `Refused("invalid_terms")` that names every wrong field."""
    errors: dict[str, str] = {}
    for field, value in values.items():
        if field not in TERMS:
            errors[field] = _("没有这一项。")
        elif (type(value) is bool and field not in _SWITCHES) or isinstance(value, float):
            errors[field] = _("须为整数。")
        else:
            setattr(terms, field, str(value) if field in ("pacing", "watching") else value)
    try:
        terms.clean_fields(exclude=["room", "created_by"])
    except ValidationError as error:
        errors |= {field: " ".join(found) for field, found in error.message_dict.items() if field not in errors}
    if not errors:
        errors |= _rules_errors(terms)
    if errors:
        raise Refused("invalid_terms", _("房间条款有误：") + " ".join(errors.values()), errors=errors)
    return terms


def _rules_errors(terms: RoomTerms) -> dict[str, str]:
    """What the rules refuse, by field. Options are brought to their shortest form, so that equal ones look equal."""
    errors: dict[str, str] = {}
    if terms.preset not in PRESETS:
        errors["preset"] = _("没有这种规则。")
    else:
        try:
            ruleset = Ruleset.parse({"preset": terms.preset, "options": terms.options})
        except RulesetError as error:
            errors["options"] = str(error)
        else:
            spec = ruleset.spec
            terms.options = {} if isinstance(spec, str) else spec["options"]  # only what differs from the preset
            points = most_units(ruleset) * ruleset.base_points
            if points > MOST_POINTS:
                errors["options"] = _(
                    "按这些选项，一胡可以到一家 %(points)s 分，最多只能 %(most)s 分：请封顶，或减少番数、底分。"
                ) % {"points": f"{points:,}", "most": f"{MOST_POINTS:,}"}
    if terms.bots_allowed and (terms.coefficient or terms.rake):
        errors["bots_allowed"] = _("机器人没有钱包：允许机器人的房间，系数和台费都须为 0。")
    return errors
