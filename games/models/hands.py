"""Hands and their append-only action log, results and payments.

The action log is the truth of a hand: state is a fold over its rows (`games.log`). Results and payments are written
once, in the transaction of the hand's last action, for history and reports.
"""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from clubs.models import Membership, RoomTerms
from games.models.tables import Table


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
