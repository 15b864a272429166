"""Tables, who sits at them, and who waits for a seat."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from clubs.models import Membership, Room, RoomTerms


class Table(models.Model):
    """A table in a room. It closes when its last person leaves."""

    room = models.ForeignKey(Room, models.PROTECT, related_name="tables", verbose_name=_("房间"))
    number = models.PositiveIntegerField(_("桌号"))
    opened_at = models.DateTimeField(_("开桌"), auto_now_add=True)
    closed_at = models.DateTimeField(_("散桌"), null=True, blank=True)
    hands_played = models.PositiveIntegerField(_("局数"), default=0)
    next_dealer = models.PositiveSmallIntegerField(null=True)  # seat; null: by lot (RULES.md section 14)
    version = models.PositiveIntegerField(default=0)  # counts changes of seats and readiness
    code = models.CharField(
        _("口令"), max_length=8, blank=True, db_index=True
    )  # only who knows it sits down; "": anybody

    class Meta:
        verbose_name = _("牌桌")
        verbose_name_plural = pgettext_lazy("复数", "牌桌")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["room", "number"], condition=Q(closed_at=None), name="open_table_number_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.room} {self.number}"


class Seat(models.Model):
    """Somebody sitting at a table now: a member or a bot."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()  # 0..3
    membership = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="seats")  # null: a bot
    user = models.OneToOneField(
        User, models.PROTECT, null=True, related_name="seat"
    )  # one seat per person, in all clubs
    strength = models.CharField(max_length=6, blank=True)  # a bot's (games.bots.Strength); old bots have none
    is_ready = models.BooleanField(default=False)
    ready_terms = models.ForeignKey(
        RoomTerms, models.PROTECT, null=True, related_name="+"
    )  # those a person got ready for
    nonce_commitment = models.CharField(
        max_length=64, blank=True
    )  # sha256 hex of the nonce the seat will add to the wall
    wants_end = models.BooleanField(default=False)  # votes for closing the table (散桌)
    seated_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "number"], name="one_person_per_seat"),
            models.CheckConstraint(condition=Q(number__lte=3), name="seat_number_0_to_3"),
            models.CheckConstraint(
                condition=Q(membership=None, user=None) | Q(membership__isnull=False, user__isnull=False),
                name="seat_member_has_user",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table} · {self.number}"


class Waiting(models.Model):
    """Somebody in the line for a seat in a room, in the order of the ids; a person stands in one line.

    An offer holds one seat of `table` for them until `offered_until`. Who lets it lapse is out of the line, and the row stays
    to tell so.
    """

    room = models.ForeignKey(Room, models.CASCADE, related_name="waiting")
    membership = models.ForeignKey(Membership, models.CASCADE, related_name="waiting")
    user = models.OneToOneField(User, models.CASCADE, related_name="waiting")
    table = models.ForeignKey(Table, models.CASCADE, null=True, related_name="offers")
    offered_until = models.DateTimeField(null=True, db_index=True)
    lapsed_at = models.DateTimeField(null=True)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(table=None, offered_until=None) | Q(table__isnull=False, offered_until__isnull=False),
                name="an_offer_has_a_limit",
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} → {self.room}"

    @property
    def state(self) -> str:
        """waiting, offered (a seat is kept) or lapsed (one was kept)."""
        return "lapsed" if self.lapsed_at else "offered" if self.table_id else "waiting"
