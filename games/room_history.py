"""What a room was before: every change of it, and the difference of two versions of its terms, each option by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.changes import Change, changes, labelled
from accounts.models import AuditEntry
from clubs.models import Room, RoomTerms
from clubs.rooms import TERMS, preset_name
from games.rulebook import option_title, option_words
from games.rules.options import OPTIONS
from games.rules.ruleset import PRESETS, Ruleset


@dataclass(frozen=True)
class RoomChange:
    """Who changed a room, when, why, from what to what."""

    entry: AuditEntry
    changes: list[Change]


def room_history(room: Room) -> list[RoomChange]:
    """Every change of a room, newest first."""
    entries = AuditEntry.objects.filter(subject_type="room", subject_id=str(room.pk)).select_related("actor")
    return [RoomChange(entry, room_changes(entry.before, entry.after)) for entry in entries]


def room_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """What differs between the values of two of a room's audit entries."""
    return changes(_room_values(before), _room_values(after))


def terms_changes(terms: RoomTerms, wanted: Mapping[str, Any]) -> list[Change]:
    """What would differ if a room had the `wanted` terms; of the rules all that would be played otherwise."""
    now = {name: getattr(terms, name) for name in TERMS}
    return changes(_played(now), _played({**now, **wanted}))


def _played(terms: Mapping[str, Any]) -> dict[str, Any]:
    """Terms with every option of their ruleset, those of the preset too."""
    ruleset = Ruleset.parse({"preset": terms["preset"], "options": terms["options"]})
    return _room_values({**terms, "options": ruleset.options()})


def _room_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a room's audit entry in words, each option of its rules by itself."""
    shown = labelled({name: value for name, value in values.items() if name != "options"}, Room, RoomTerms)
    preset = str(RoomTerms._meta.get_field("preset").verbose_name)
    if shown.get(preset) in PRESETS:
        shown[preset] = preset_name(shown[preset])
    for name, value in values.get("options", {}).items():
        shown[option_title(OPTIONS[name])] = option_words(OPTIONS[name], value)
    return shown
