"""Players, the double-entry ledger of coins, audit entries, notices and API tokens.

A *book* is the ledger of one club. Its accounts are `issue` (where coins come from), `rake` (台费), `held` (what a player
who left a running hand still owes it) and one `wallet` per member. A *transfer* is one business event; its *postings* add
up to zero. Nothing here is ever updated or deleted: the database itself refuses it, and the database itself moves an
account's balance when a posting is inserted (migration `ledger_guards`). Coins are written by `accounts.ledger` alone.
"""

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.naming import name_validate


class User(AbstractUser):
    """A person who can sign in: player, operator or both. Of a closed account nothing is left but its place in the books."""

    display_name = models.CharField(_("昵称"), max_length=24, blank=True, validators=[name_validate])
    language = models.CharField(
        _("语言"), max_length=10, choices=[("zh-hans", "简体中文"), ("en", "English")], blank=True
    )

    closed_at = models.DateTimeField(_("注销时间"), null=True, blank=True)

    @property
    def name(self) -> str:
        return gettext("已注销") if self.closed_at else self.display_name or self.username


class Book(models.Model):
    """The ledger of one club."""

    name = models.CharField(_("名称"), max_length=60)

    class Meta:
        verbose_name = _("账本")
        verbose_name_plural = pgettext_lazy("复数", "账本")

    def __str__(self) -> str:
        return self.name


class Account(models.Model):
    """An account of a book. `balance` (coins) is the sum of its postings, kept by the database so that it can refuse a debt."""

    class Kind(models.TextChoices):
        ISSUE = "issue", _("发行")
        RAKE = "rake", _("台费")
        HELD = "held", _("暂扣")
        WALLET = "wallet", _("钱包")

    book = models.ForeignKey(Book, models.PROTECT, related_name="accounts")
    kind = models.CharField(_("类别"), max_length=8, choices=Kind.choices)
    holder = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="accounts")
    balance = models.BigIntegerField(_("余额"), default=0)

    class Meta:
        verbose_name = _("账户")
        verbose_name_plural = pgettext_lazy("复数", "账户")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["book", "kind"], condition=Q(holder=None), name="one_house_account_per_kind"
            ),
            models.UniqueConstraint(
                fields=["book", "holder"], condition=Q(holder__isnull=False), name="one_wallet_per_member"
            ),
            models.CheckConstraint(
                condition=Q(kind="wallet", holder__isnull=False) | (~Q(kind="wallet") & Q(holder=None)),
                name="wallet_has_a_holder",
            ),
            models.CheckConstraint(condition=Q(kind="issue") | Q(balance__gte=0), name="no_debt"),
            models.CheckConstraint(condition=Q(balance__gt=-(2**53), balance__lt=2**53), name="balance_in_range"),
        ]

    def __str__(self) -> str:
        return f"{self.book} · {self.holder.name if self.holder else self.get_kind_display()}"


class Transfer(models.Model):
    """One business event that moves coins. `key` is unique, so that a retry posts once."""

    class Kind(models.TextChoices):
        ISSUE = "issue", _("发放")
        WITHDRAW = "withdraw", _("收回")
        HAND = "hand", _("牌局")
        HOLD = "hold", _("暂扣")
        REVERSAL = "reversal", _("冲正")

    book = models.ForeignKey(Book, models.PROTECT, related_name="transfers")
    key = models.CharField(_("业务编号"), max_length=80, unique=True)
    kind = models.CharField(_("类别"), max_length=8, choices=Kind.choices)
    reason = models.CharField(_("事由"), max_length=200, blank=True)
    actor = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("经手人"))
    reverses = models.OneToOneField("self", models.PROTECT, null=True, blank=True, related_name="reversed_by")
    created_at = models.DateTimeField(_("时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("转账")
        verbose_name_plural = pgettext_lazy("复数", "转账")
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return self.key

    @property
    def is_reversible(self) -> bool:
        """Whether it is of a kind that can be taken back by itself: coins held for a hand go back with that."""
        return self.kind not in (self.Kind.HOLD, self.Kind.REVERSAL)


class Posting(models.Model):
    """One line of a transfer: `amount` coins into (positive) or out of (negative) an account."""

    # Both keys are indexed by what stands in Meta.
    transfer = models.ForeignKey(Transfer, models.PROTECT, related_name="postings", db_index=False)
    account = models.ForeignKey(Account, models.PROTECT, related_name="postings", db_index=False)
    amount = models.BigIntegerField(_("变动"))
    balance_after = models.BigIntegerField(_("变动后余额"))

    class Meta:
        verbose_name = _("分录")
        verbose_name_plural = pgettext_lazy("复数", "分录")
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["transfer", "account"], name="one_posting_per_account"),
            models.CheckConstraint(condition=~Q(amount=0), name="posting_moves_coins"),
        ]
        indexes: ClassVar = [models.Index(fields=["account", "id"], name="postings_of_account")]

    def __str__(self) -> str:
        return f"{self.account_id}: {self.amount:+d}"


class AuditEntry(models.Model):
    """Who changed what, from what to what, and why. Append-only; written in the transaction of the change."""

    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", verbose_name=_("操作人"))
    action = models.CharField(_("操作"), max_length=60)  # namespaced, e.g. "room.terms_changed"
    subject_type = models.CharField(_("对象类别"), max_length=40)  # model name, e.g. "room"
    subject_id = models.CharField(_("对象编号"), max_length=40)
    book = models.ForeignKey(
        Book, models.PROTECT, null=True, related_name="+", verbose_name=_("账本")
    )  # the club concerned
    before = models.JSONField(_("原值"), default=dict)
    after = models.JSONField(_("新值"), default=dict)
    reason = models.CharField(_("事由"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("操作日志")
        verbose_name_plural = pgettext_lazy("复数", "操作日志")
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.action} {self.subject_type}:{self.subject_id}"


class Notice(models.Model):
    """Something a person is told. Its words are made of `kind` and `data` when it is read (`accounts.notices`).

    `cause` is what it is about, e.g. "hand:17": nobody is told twice of the same.
    """

    class Kind(models.TextChoices):
        TABLE = "table", _("我的桌开打了")
        SEAT = "seat", _("排队等到了座位")
        TURN = "turn", _("离开时轮到我")
        INVITATION = "invite", _("俱乐部请我加入")
        REQUEST = "request", _("入社申请有结果")
        COINS = "coins", _("金币发放、收回或冲正")
        REPORT = "report", _("申诉有答复")

    user = models.ForeignKey(User, models.CASCADE, related_name="notices")
    kind = models.CharField(_("类别"), max_length=8, choices=Kind.choices)
    book = models.ForeignKey(Book, models.PROTECT, related_name="+")  # of the club concerned
    cause = models.CharField(max_length=40, db_index=True)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(_("时间"), auto_now_add=True)
    read_at = models.DateTimeField(_("读过"), null=True, blank=True)

    class Meta:
        verbose_name = _("通知")
        verbose_name_plural = pgettext_lazy("复数", "通知")
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "kind", "cause"], name="told_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["user"], condition=Q(read_at=None), name="unread_notices")]

    def __str__(self) -> str:
        return f"{self.user} · {self.kind} · {self.cause}"


class NoticeSwitch(models.Model):
    """How a person wants to be told of one kind; without a row: on the site, not by e-mail."""

    user = models.ForeignKey(User, models.CASCADE, related_name="notice_switches")
    kind = models.CharField(max_length=8, choices=Notice.Kind.choices)
    on_site = models.BooleanField(default=True)
    by_mail = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "kind"], name="one_switch_per_kind")]

    def __str__(self) -> str:
        return f"{self.user} · {self.kind}"


class ApiToken(models.Model):
    """A personal API token. Only its SHA-256 is stored; the token is shown once, when it is made."""

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("名称"), max_length=60)
    digest = models.CharField(max_length=64, unique=True, validators=[RegexValidator(r"^[0-9a-f]{64}$")])
    expires_at = models.DateTimeField(_("到期"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("最近使用"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("撤销时间"), null=True, blank=True)
    created_at = models.DateTimeField(_("创建时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("API 令牌")
        verbose_name_plural = pgettext_lazy("复数", "API 令牌")
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.user} · {self.name}"
