"""What seats of settled hands come to, and the sums of them by day."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from clubs.models import Club, Membership, Room
from games.models.hands import Hand


class SeatFigures(models.Model):
    """One member's seat of a settled hand in figures, for history and statistics; practice and void hands count for nothing.

    It follows from the hand's record and its seat: `games.figures` writes it with the settlement and rebuilds it. The fields
    from `win_order` on are those of `games.rules.figures.Figures`.
    """

    hand = models.ForeignKey(Hand, models.PROTECT, related_name="figures")
    number = models.PositiveSmallIntegerField()  # the seat
    membership = models.ForeignKey(Membership, models.PROTECT, related_name="figures", db_index=False)
    club = models.ForeignKey(Club, models.PROTECT, related_name="+", db_index=False)
    room = models.ForeignKey(Room, models.PROTECT, related_name="+")
    preset = models.CharField(max_length=24)
    ended_at = models.DateTimeField()
    end = models.CharField(max_length=8)  # as of the hand
    is_auto = models.BooleanField()  # the program decided something for the seat: time-out or auto-play (托管)
    is_practice = models.BooleanField(default=False)  # a bot plays in the hand
    has_left = models.BooleanField()
    units = models.IntegerField()
    points = models.IntegerField()
    rake = models.BigIntegerField()
    coins = models.BigIntegerField()  # net, after rake
    win_order = models.PositiveSmallIntegerField()
    win_by = models.CharField(max_length=12, blank=True)
    pattern = models.CharField(max_length=16, blank=True)
    gen = models.PositiveSmallIntegerField()
    fan = models.PositiveSmallIntegerField()
    uncapped_fan = models.PositiveSmallIntegerField()
    is_jipin = models.BooleanField()
    tiles = models.CharField(max_length=60, blank=True)
    win_tile = models.CharField(max_length=2, blank=True)
    fed = models.PositiveSmallIntegerField()
    exposed_kongs = models.PositiveSmallIntegerField()
    added_kongs = models.PositiveSmallIntegerField()
    concealed_kongs = models.PositiveSmallIntegerField()
    kongs_paid = models.PositiveSmallIntegerField()
    transfers_got = models.PositiveSmallIntegerField()
    transfers_paid = models.PositiveSmallIntegerField()
    huazhu_got = models.PositiveSmallIntegerField()
    huazhu_paid = models.PositiveSmallIntegerField()
    dajiao_got = models.PositiveSmallIntegerField()
    dajiao_paid = models.PositiveSmallIntegerField()
    refunds_got = models.PositiveSmallIntegerField()
    refunds_paid = models.PositiveSmallIntegerField()
    drawn_as = models.CharField(max_length=8, blank=True)
    win_units = models.IntegerField()
    fed_units = models.IntegerField()
    self_draw_units = models.IntegerField()
    exposed_kong_units = models.IntegerField()
    added_kong_units = models.IntegerField()
    concealed_kong_units = models.IntegerField()
    kong_units_paid = models.IntegerField()
    transfer_units = models.IntegerField()
    huazhu_units = models.IntegerField()
    dajiao_units = models.IntegerField()
    refund_units = models.IntegerField()
    escape_units = models.IntegerField()
    opponents = models.JSONField(default=dict)  # by membership: [1, wins I fed them, they me, units from them to me]

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["hand", "number"], name="figures_once_a_seat")]
        indexes: ClassVar = [
            models.Index(fields=["membership", "ended_at"], name="figures_of_member"),
            models.Index(fields=["membership", "hand"], name="hands_of_member"),
            models.Index(fields=["membership"], condition=Q(is_practice=True), name="practice_of_member"),
            models.Index(fields=["membership", "uncapped_fan"], condition=Q(win_order__gt=0), name="wins_of_member"),
            models.Index(fields=["club", "ended_at"], name="figures_of_club"),
            models.Index(
                fields=["membership", "is_auto", "-uncapped_fan", "-win_units", "-ended_at"],
                condition=Q(is_jipin=True),
                name="best_of_member",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hand} · {self.number}"


class DayFigures(models.Model):
    """What a member's hands of one day come to, in one room and by one ruleset, those with a decision of the program apart.

    Every field from `hands` on is a sum over rows of `SeatFigures`, which `games.figures` keeps with the settlement.
    """

    membership = models.ForeignKey(
        Membership, models.PROTECT, related_name="days", db_index=False, verbose_name=_("成员")
    )
    club = models.ForeignKey(Club, models.PROTECT, related_name="+", db_index=False, verbose_name=_("俱乐部"))
    room = models.ForeignKey(Room, models.PROTECT, related_name="+", verbose_name=_("房间"))
    preset = models.CharField(_("规则"), max_length=24)
    day = models.DateField(_("日期"))  # in the club's time zone
    is_auto = models.BooleanField(_("有托管"))
    hands = models.PositiveIntegerField(_("手数"))
    wins = models.PositiveIntegerField(_("胡"))
    first = models.PositiveIntegerField()
    second = models.PositiveIntegerField()
    third = models.PositiveIntegerField()
    self_drawn = models.PositiveIntegerField(_("自摸"))
    jipin = models.PositiveIntegerField(_("极品"))
    dealt_in = models.PositiveIntegerField(_("点炮"))
    drawn = models.PositiveIntegerField()
    live_at_draw = models.PositiveIntegerField()
    ready = models.PositiveIntegerField()
    huazhu = models.PositiveIntegerField()
    dajiao = models.PositiveIntegerField()
    left = models.PositiveIntegerField()
    units = models.BigIntegerField(_("净倍数"))
    points = models.BigIntegerField(_("积分"))
    rake = models.BigIntegerField(_("台费"))
    coins = models.BigIntegerField(_("净金币"))
    fed = models.PositiveIntegerField()
    fan = models.PositiveIntegerField()
    exposed_kongs = models.PositiveIntegerField()
    added_kongs = models.PositiveIntegerField()
    concealed_kongs = models.PositiveIntegerField()
    kongs_paid = models.PositiveIntegerField()
    transfers_got = models.PositiveIntegerField()
    transfers_paid = models.PositiveIntegerField()
    huazhu_got = models.PositiveIntegerField()
    huazhu_paid = models.PositiveIntegerField()
    dajiao_got = models.PositiveIntegerField()
    dajiao_paid = models.PositiveIntegerField()
    refunds_got = models.PositiveIntegerField()
    refunds_paid = models.PositiveIntegerField()
    win_units = models.BigIntegerField()
    fed_units = models.BigIntegerField()
    self_draw_units = models.BigIntegerField()
    exposed_kong_units = models.BigIntegerField()
    added_kong_units = models.BigIntegerField()
    concealed_kong_units = models.BigIntegerField()
    kong_units_paid = models.BigIntegerField()
    transfer_units = models.BigIntegerField()
    huazhu_units = models.BigIntegerField()
    dajiao_units = models.BigIntegerField()
    refund_units = models.BigIntegerField()
    escape_units = models.BigIntegerField()
    patterns = models.JSONField(default=dict)  # wins by base pattern
    opponents = models.JSONField(default=dict)  # by membership, as in `SeatFigures`

    class Meta:
        verbose_name = _("每日统计")
        verbose_name_plural = pgettext_lazy("复数", "每日统计")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["membership", "day", "room", "preset", "is_auto"], name="one_sum_a_day")
        ]
        indexes: ClassVar = [models.Index(fields=["club", "day"], name="day_figures_of_club")]

    def __str__(self) -> str:
        return f"{self.membership} · {self.day}"
