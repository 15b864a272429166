"""What a member who does not play in a hand sees of it, and how late: as its terms say, and nothing concealed.

Private tables are not watched.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from accounts.models import User
from clubs.models import RoomTerms
from games.log import Fold, database_now, folded, fresh_fold, rows_after
from games.models import Action, Hand, Table

_HANDS_BACK: Final = 40  # more are not begun in the longest delay


@dataclass(frozen=True, slots=True)
class Sight:
    """The hand that somebody is shown at a table, and up to which moment (None: all there is). What is shown late goes on
    although nothing happens."""

    hand_id: int | None = None
    until: datetime | None = None
    is_late: bool = field(default=False, compare=False)


def sight_of(table: Table, user: User, known: Fold | None = None) -> Sight:
    """What a person may see of the newest hand of a table; of a hand of one's own everything, as it happens. `known` is the
    hand that the person was shown last: who plays in it is not read again."""
    hands = Hand.objects.filter(table=table).select_related("terms").order_by("-number")
    newest = hands.first()
    if newest is None:
        return Sight()
    fold = known if known is not None and known.hand.pk == newest.pk else folded(newest.pk)
    if fold.seat_of(user.pk) is not None:
        return Sight(newest.pk)
    if table.code:
        return Sight()
    match newest.terms.watching:
        case RoomTerms.Watching.HANDS:
            over = hands.filter(status=Hand.Status.SETTLED, terms__watching=RoomTerms.Watching.HANDS).first()
            return Sight(over.pk) if over else Sight()
        case RoomTerms.Watching.SECONDS:
            now = database_now()
            for hand in hands.filter(terms__watching=RoomTerms.Watching.SECONDS)[:_HANDS_BACK]:
                until = now - timedelta(seconds=hand.terms.watch_delay)
                if hand.started_at <= until:
                    return Sight(hand.pk, until, is_late=True)
            return Sight(is_late=True)
    return Sight()


def fold_until(sight: Sight) -> Fold | None:
    """The hand of a sight as it stood at the end of it."""
    if sight.hand_id is None:
        return None
    if sight.until is None:
        return folded(sight.hand_id)
    fold = fresh_fold(Hand.objects.select_related("terms__room__club", "table").get(pk=sight.hand_id))
    for row in rows_until(fold, sight):
        fold.take(row)
    return fold


def rows_until(fold: Fold, sight: Sight) -> list[Action]:
    """The rows of a sight that a fold has not seen."""
    rows = rows_after(fold)
    return list(rows if sight.until is None else rows.filter(created_at__lte=sight.until))
