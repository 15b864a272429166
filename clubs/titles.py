"""The 22 level titles of a club and how members rise and fall (RULES.md section 13).

A level is the highest whose threshold (level points 积分) is reached; level 1 is open below.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import ledger
from accounts.audit import audit_write, changed
from accounts.errors import Refused
from accounts.models import User
from accounts.naming import is_seen
from accounts.rows import run
from clubs.models import Club, LevelChange, Membership, Title
from clubs.roles import require_operator
from games.rules.settlement import LEVEL_THRESHOLDS

LEVELS: Final = len(LEVEL_THRESHOLDS)
MOST_NAME: Final = 12  # letters of a club's own name for a title
MOST_POINTS: Final = 10**15


def titles_open(club: Club) -> None:
    """Give a new club the usual titles (RULES.md section 13)."""
    Title.objects.bulk_create(
        Title(club=club, level=level, threshold=threshold) for level, threshold in enumerate(LEVEL_THRESHOLDS, start=1)
    )


def title_names(club: Club) -> dict[int, str]:
    """The names of a club's titles by level, in the active language; no query where `titles` are prefetched."""
    return {title.level: title.name for title in club.titles.all()}


def level_for(titles: Iterable[Title], points: int) -> int:
    """The level that points reach."""
    return max(title.level for title in titles if title.threshold is None or points >= title.threshold)


def level_now(club: Club, points: int) -> int:
    """The level that points reach in a club."""
    return level_for(Title.objects.filter(club=club), points)


@transaction.atomic
def titles_change(
    *, club: Club, actor: User, thresholds: Mapping[int, int], names: Mapping[int, str] | None = None, reason: str
) -> None:
    """Change thresholds (points, by level 2..22) and names (by level; empty or the usual one: that one, in every language).
    Members are put on their new levels at once.

    Raises `Refused`: not_an_operator, reason_required, bad_titles (data: errors by level), thresholds_not_rising
    (data: level).
    """
    require_operator(user=actor, club=club)
    reason = ledger.require_reason(reason)
    titles = list(Title.objects.select_for_update(no_key=True).filter(club=club).order_by("level"))
    before = {str(title.level): [title.name, title.threshold] for title in titles}
    _require_sound(thresholds, names or {})
    for title in titles:
        title.threshold = thresholds.get(title.level, title.threshold)
        name = (names or {}).get(title.level, title.own_name).strip()
        title.own_name = "" if name == title.usual_name else name
    for lower, upper in pairwise(titles):
        if lower.threshold is not None and upper.threshold is not None and lower.threshold >= upper.threshold:
            raise Refused(
                "thresholds_not_rising",
                _("门槛须逐级升高：第 %(lower)s 级 %(low)s 分，第 %(upper)s 级 %(high)s 分。")
                % {"lower": lower.level, "low": lower.threshold, "upper": upper.level, "high": upper.threshold},
                level=upper.level,
            )
    old, new = changed(before, {str(title.level): [title.name, title.threshold] for title in titles})
    if not new:
        return
    Title.objects.bulk_update(titles, ["own_name", "threshold"])
    audit_write(
        actor=actor, action="titles.changed", subject=club, before=old, after=new, reason=reason, book=club.book
    )
    for membership in Membership.objects.select_for_update(no_key=True).filter(club=club).order_by("pk"):
        _level_set(membership, level_for(titles, membership.points), "thresholds")


def _require_sound(thresholds: Mapping[int, int], names: Mapping[int, str]) -> None:
    errors: dict[int, str] = {}
    for level, threshold in thresholds.items():
        if type(level) is not int or not 2 <= level <= LEVELS:
            errors[level] = _("只有第 2 到 22 级有门槛。")
        elif type(threshold) is not int or abs(threshold) > MOST_POINTS:
            errors[level] = _("门槛须为整数。")
    for level, name in names.items():
        own = name.strip()
        if type(level) is not int or not 1 <= level <= LEVELS or len(own) > MOST_NAME or (own and not is_seen(own)):
            errors[level] = _("头衔最多 12 个字，要看得见。")
    if errors:
        raise Refused("bad_titles", _("头衔表有误：") + " ".join(errors.values()), errors=errors)


class Standing(NamedTuple):
    """How a member stands."""

    points: int
    level: int


@transaction.atomic(savepoint=False)
def points_add(*, club: Club, points: Mapping[int, int], cause: str) -> dict[int, tuple[Standing, Standing]]:
    """Move the level points of members of a club (by membership), in full and also below zero. Returns how each stood before and
    stands now.

    `cause` says why, for instance "hand:17".
    """
    members = list(Membership.objects.select_for_update(no_key=True).filter(pk__in=points).order_by("pk"))
    # Only now: whoever changes the titles meanwhile waits for these members, and sorts them anew.
    titles = list(Title.objects.filter(club=club))
    moved = {}
    for member in members:
        before = Standing(member.points, member.level)
        member.points += points[member.pk]
        run("UPDATE clubs_membership SET points = %s WHERE id = %s", member.points, member.pk)
        moved[member.pk] = before, Standing(member.points, _level_set(member, level_for(titles, member.points), cause))
    return moved


def _level_set(membership: Membership, level: int, cause: str) -> int:
    if level != membership.level:
        Membership.objects.filter(pk=membership.pk).update(level=level)
        LevelChange.objects.create(
            membership=membership, before=membership.level, after=level, points=membership.points, cause=cause
        )
    return level


def title_progress(membership: Membership) -> dict[str, Any]:
    """Where a member stands: title, the next one, its threshold, points missing, and the share of the way (0 to 100)."""
    titles = list(Title.objects.filter(club=membership.club_id).order_by("level"))
    now = titles[membership.level - 1]
    upcoming = titles[membership.level] if membership.level < LEVELS else None
    if upcoming is None or upcoming.threshold is None:
        return {"title": now, "next": None, "missing": 0, "percent": 100}
    start = now.threshold if now.threshold is not None else min(0, membership.points)
    way = upcoming.threshold - start
    return {
        "title": now,
        "next": upcoming,
        "missing": upcoming.threshold - membership.points,
        "percent": max(0, min(100, round(100 * (membership.points - start) / way))),
    }
