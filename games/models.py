"""Tables and seats, hands and their append-only action log, results and payments.

The action log is the truth of a hand: state is a fold over its rows (`games.log`). Results and payments are written
once, in the transaction of the hand's last action, for history and reports.
"""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from clubs.models import Club, Membership, Room, RoomTerms


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


class Hand(models.Model):
    """One hand at a table, under the terms it was dealt under.

    The seed (and with it the wall) is a secret until the hand is over. `due_at` is when the program must act next
    (deadline, beat, bot).
    """

    class Status(models.TextChoices):
        SHUFFLING = "shuffling", _("洗牌")  # commitments are out, nonces come in
        PLAYING = "playing", _("进行中")
        SETTLED = "settled", _("已结算")

    table = models.ForeignKey(Table, models.PROTECT, related_name="hands", verbose_name=_("牌桌"))
    number = models.PositiveIntegerField(_("局次"))
    terms = models.ForeignKey(RoomTerms, models.PROTECT, related_name="hands", verbose_name=_("条款"))
    status = models.CharField(_("状态"), max_length=10, choices=Status.choices, default=Status.SHUFFLING)
    dealer = models.PositiveSmallIntegerField(_("庄家"), null=True)  # known from the deal on
    seed = models.BinaryField(max_length=32, editable=False)
    commitment = models.CharField(_("种子承诺"), max_length=64)
    due_at = models.DateTimeField(null=True, db_index=True)
    started_at = models.DateTimeField(_("开始"), auto_now_add=True)
    ended_at = models.DateTimeField(_("结束"), null=True, blank=True)
    end = models.CharField(_("结果"), max_length=8, blank=True)  # won, drawn, escaped
    record = models.JSONField(null=True, editable=False)  # RECORD.md, once the hand is over
    engine = models.CharField(max_length=20)  # version of games.rules that dealt it

    class Meta:
        verbose_name = _("牌局")
        verbose_name_plural = pgettext_lazy("复数", "牌局")
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "number"], name="hand_number_unique"),
            models.UniqueConstraint(
                fields=["table"], condition=~Q(status="settled"), name="one_running_hand_per_table"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"

    @property
    def is_practice(self) -> bool:
        """Whether a bot plays in it: no points, no sums. Reads the seats."""
        return any(seat.membership_id is None for seat in self.seats.all())


class HandSeat(models.Model):
    """Who held a seat of a hand and, once settled, what it came to. units, points, coins (net, after rake)."""

    hand = models.ForeignKey(Hand, models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField(_("座位"))
    membership = models.ForeignKey(Membership, models.PROTECT, null=True, related_name="hand_seats")  # null: a bot
    strength = models.CharField(max_length=6, blank=True)  # as of the seat at the table
    balance_before = models.BigIntegerField(_("结算前余额"), default=0)
    held = models.BigIntegerField(
        _("暂扣"), default=0
    )  # coins taken when a seat that had won left (RULES.md section 12)
    units = models.IntegerField(_("倍"), null=True)
    points = models.IntegerField(_("积分"), null=True)
    rake = models.BigIntegerField(_("台费"), null=True)
    coins = models.BigIntegerField(_("得失"), null=True)
    balance_after = models.BigIntegerField(_("结算后余额"), null=True)
    points_before = models.BigIntegerField(
        _("原积分"), null=True
    )  # the member's level points; a practice hand moves none
    points_after = models.BigIntegerField(_("新积分"), null=True)
    level_before = models.PositiveSmallIntegerField(null=True)
    level_after = models.PositiveSmallIntegerField(null=True)
    auto_actions = models.PositiveIntegerField(_("托管步数"), default=0)
    has_left = models.BooleanField(_("逃跑"), default=False)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["hand", "number"], name="hand_seat_unique")]

    def __str__(self) -> str:
        return f"{self.hand} · {self.number}"


class Action(models.Model):
    """One row of a hand's log; seq runs 1, 2, 3 … without gaps. Append-only.

    The first rows are the shuffle (`commit`, `nonce_commit` ×4, `nonce` ×4), then `deal`, then the actions of
    games.rules (`void`, `discard`, `kong`, `win`, `pung`, `pass`, `close`, `leave`), with `auto` (托管 on or off) and `pause`
    (time in which no server ran) between.
    """

    class Source(models.TextChoices):
        PLAYER = "player", _("玩家")
        TIMER = "timer", _("超时托管")  # the seat ran out of time, or is played automatically
        BOT = "bot", _("机器人")
        TABLE = "table", _("程序")  # what nobody is asked for: the deal, forced wins, closing of claims

    hand = models.ForeignKey(Hand, models.PROTECT, related_name="actions")
    seq = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True)
    kind = models.CharField(max_length=12)
    data = models.JSONField(default=dict)  # {"tile": "5m"}, {"suit": "m"}, {"nonce": hex} …
    source = models.CharField(max_length=6, choices=Source.choices)
    command_id = models.CharField(max_length=36, null=True)  # the client's id of a player's command
    created_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar = ["seq"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["hand", "seq"], name="action_seq_unique"),
            models.UniqueConstraint(
                fields=["hand", "seat", "command_id"], condition=Q(command_id__isnull=False), name="command_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hand} {self.seq} {self.kind}"


class Heartbeat(models.Model):
    """When a server process was last known to run: one row, kept by `games.clock`."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)


class Win(models.Model):
    """One win of a settled hand, for history and statistics."""

    hand = models.ForeignKey(Hand, models.PROTECT, related_name="wins")
    order = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    source = models.PositiveSmallIntegerField(null=True)  # the seat that fed it
    by = models.CharField(max_length=12)  # self_draw, discard, robbed_kong
    tile = models.CharField(max_length=2)
    base = models.CharField(max_length=16)
    gen = models.PositiveSmallIntegerField()
    fan = models.PositiveSmallIntegerField()
    uncapped_fan = models.PositiveSmallIntegerField()
    multiplier = models.PositiveIntegerField()
    is_jipin = models.BooleanField()

    class Meta:
        ordering: ClassVar = ["order"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["hand", "order"], name="win_order_unique")]

    def __str__(self) -> str:
        return f"{self.hand} {self.order} {self.base}"


class Payment(models.Model):
    """One payment of a settled hand, in units (RULES.md sections 8, 9, 12)."""

    hand = models.ForeignKey(Hand, models.PROTECT, related_name="payments")
    order = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=16)
    payer = models.PositiveSmallIntegerField()
    payee = models.PositiveSmallIntegerField()
    units = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["order"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["hand", "order"], name="payment_order_unique"),
            models.CheckConstraint(condition=Q(units__gt=0), name="payment_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.hand} {self.order} {self.kind}"


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


class Report(models.Model):
    """What a member finds wrong with a hand, for the operators of its club. Open until one of them answers it with a note."""

    class Kind(models.TextChoices):
        COLLUSION = "collusion", _("串通或作弊")
        ABUSE = "abuse", _("言语或拖延")
        RESULT = "result", _("结算不对")
        FAULT = "fault", _("程序或网络故障")
        OTHER = "other", _("其他")

    hand = models.ForeignKey(Hand, models.PROTECT, related_name="reports", verbose_name=_("牌局"))
    reporter = models.ForeignKey(Membership, models.PROTECT, related_name="reports", verbose_name=_("申诉人"))
    kind = models.CharField(_("类别"), max_length=10, choices=Kind.choices)
    words = models.CharField(_("说明"), max_length=500)
    seq = models.PositiveIntegerField(_("第几步"), null=True)  # the moment in the hand's log
    is_open = models.BooleanField(_("待处理"), default=True)
    note = models.CharField(_("答复"), max_length=500, blank=True)
    closed_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", verbose_name=_("处理人"))
    closed_at = models.DateTimeField(_("处理时间"), null=True)
    created_at = models.DateTimeField(_("提交时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("申诉")
        verbose_name_plural = pgettext_lazy("复数", "申诉")
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["hand", "reporter"], condition=Q(is_open=True), name="one_open_report_per_hand"
            ),
            models.CheckConstraint(
                condition=Q(is_open=True, closed_by=None, closed_at=None)
                | Q(is_open=False, closed_by__isnull=False, closed_at__isnull=False),
                name="report_closed_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hand} · {self.get_kind_display()}"
