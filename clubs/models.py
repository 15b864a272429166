"""Clubs: members and their roles, invitations and requests to join, rooms with versioned terms, titles."""

from typing import ClassVar, Final
from zoneinfo import ZoneInfo

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import Account, Book, User

#: What the 22 levels are called, unless a club calls them otherwise (RULES.md section 13).
TITLE_NAMES: Final = (
    pgettext_lazy("头衔", "未闻世事"),
    pgettext_lazy("头衔", "初入江湖"),
    pgettext_lazy("头衔", "初生牛犊"),
    pgettext_lazy("头衔", "小露锋芒"),
    pgettext_lazy("头衔", "小有所成"),
    pgettext_lazy("头衔", "街头霸王"),
    pgettext_lazy("头衔", "重装上阵"),
    pgettext_lazy("头衔", "小有名气"),
    pgettext_lazy("头衔", "混迹江湖"),
    pgettext_lazy("头衔", "八面玲珑手"),
    pgettext_lazy("头衔", "学无止境"),
    pgettext_lazy("头衔", "师出名门"),
    pgettext_lazy("头衔", "常胜将军"),
    pgettext_lazy("头衔", "横扫千军"),
    pgettext_lazy("头衔", "屈指可数"),
    pgettext_lazy("头衔", "空前绝后"),
    pgettext_lazy("头衔", "百里挑一"),
    pgettext_lazy("头衔", "家喻户晓"),
    pgettext_lazy("头衔", "鼎鼎大名"),
    pgettext_lazy("头衔", "名震江湖"),
    pgettext_lazy("头衔", "唯我独尊"),
    pgettext_lazy("头衔", "笑傲江湖"),
)


def title_name(level: int, own_name: str = "") -> str:
    """What a level is called: the club's own name, else the usual one in the active language."""
    return own_name or str(TITLE_NAMES[level - 1])


class Club(models.Model):
    name = models.CharField(_("名称"), max_length=40)
    slug = models.SlugField(_("网址名"), max_length=40, unique=True)
    book = models.OneToOneField(Book, models.PROTECT, related_name="club", verbose_name=_("账本"))
    welcome_coins = models.PositiveIntegerField(_("新成员赠币"), default=0)
    needs_approval = models.BooleanField(_("加入须管理员同意"), default=False)
    time_zone = models.CharField(_("时区"), max_length=40, default="Asia/Shanghai")  # one of `clubs.clubs.zone_names`
    created_at = models.DateTimeField(_("创建时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("俱乐部")
        verbose_name_plural = pgettext_lazy("复数", "俱乐部")

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        """Where the club's days begin and end."""
        return ZoneInfo(self.time_zone)


class Membership(models.Model):
    """A person in a club. `points` are the level points 积分 (may be negative), `level` 1..22 is what they reach now."""

    class Role(models.TextChoices):
        MEMBER = "member", _("成员")
        OPERATOR = "operator", _("管理员")

    class Status(models.TextChoices):
        ACTIVE = "active", _("正常")
        BANNED = "banned", _("已停用")
        LEFT = "left", _("已退出")

    club = models.ForeignKey(Club, models.PROTECT, related_name="memberships", verbose_name=_("俱乐部"))
    user = models.ForeignKey(User, models.PROTECT, related_name="memberships", verbose_name=_("成员"))
    wallet = models.OneToOneField(Account, models.PROTECT, related_name="membership", verbose_name=_("钱包"))
    role = models.CharField(_("角色"), max_length=10, choices=Role.choices, default=Role.MEMBER)
    status = models.CharField(_("状态"), max_length=10, choices=Status.choices, default=Status.ACTIVE)
    points = models.BigIntegerField(_("积分"), default=0)
    level = models.PositiveSmallIntegerField(_("等级"), default=1)
    joined_at = models.DateTimeField(_("加入时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("成员")
        verbose_name_plural = pgettext_lazy("复数", "成员")
        constraints: ClassVar = [models.UniqueConstraint(fields=["club", "user"], name="one_membership_per_club")]

    def __str__(self) -> str:
        return f"{self.user.name} @ {self.club}"

    @property
    def title(self) -> str:
        """The name of the title, of a row of `clubs.pages.memberships_of`."""
        return title_name(self.level, self.own_title)  # type: ignore[attr-defined]


class Invitation(models.Model):
    """A link or code that lets a person join, whoever it is or the `invitee` alone. `uses` never passes `max_uses`."""

    club = models.ForeignKey(Club, models.PROTECT, related_name="invitations", verbose_name=_("俱乐部"))
    code = models.CharField(_("邀请码"), max_length=12, unique=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+", verbose_name=_("发出人"))
    invitee = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="invitations", verbose_name=_("只给一个人")
    )
    max_uses = models.PositiveIntegerField(
        _("可用次数"), default=1, validators=[MinValueValidator(1), MaxValueValidator(10_000)]
    )
    uses = models.PositiveIntegerField(_("已用次数"), default=0)
    expires_at = models.DateTimeField(_("到期"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("撤销时间"), null=True, blank=True)
    created_at = models.DateTimeField(_("创建时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("邀请")
        verbose_name_plural = pgettext_lazy("复数", "邀请")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(uses__lte=F("max_uses")), name="invitation_not_overused")
        ]

    def __str__(self) -> str:
        return self.code


class JoinRequest(models.Model):
    """Somebody with an invitation asks a club that approves its members to be let in. A pending one holds a use of the
    invitation."""

    class Status(models.TextChoices):
        PENDING = "pending", _("待审批")
        APPROVED = "approved", _("已通过")
        REFUSED = "refused", _("未通过")
        WITHDRAWN = "withdrawn", _("已撤回")

    club = models.ForeignKey(Club, models.PROTECT, related_name="join_requests", verbose_name=_("俱乐部"))
    user = models.ForeignKey(User, models.PROTECT, related_name="join_requests", verbose_name=_("申请人"))
    invitation = models.ForeignKey(Invitation, models.PROTECT, related_name="join_requests", verbose_name=_("邀请"))
    message = models.CharField(_("给管理员的话"), max_length=120, blank=True)
    status = models.CharField(_("状态"), max_length=10, choices=Status.choices, default=Status.PENDING)
    reason = models.CharField(_("事由"), max_length=200, blank=True)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", verbose_name=_("经手人"))
    decided_at = models.DateTimeField(_("处理时间"), null=True, blank=True)
    created_at = models.DateTimeField(_("提交时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("入社申请")
        verbose_name_plural = pgettext_lazy("复数", "入社申请")
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["club", "user"], condition=Q(status="pending"), name="one_pending_request_per_club"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user.name} → {self.club}"


class Room(models.Model):
    """A room of a club; what is played in it stands in its newest terms."""

    club = models.ForeignKey(Club, models.PROTECT, related_name="rooms", verbose_name=_("俱乐部"))
    name = models.CharField(_("名称"), max_length=24)
    is_open = models.BooleanField(_("开放"), default=True)
    terms = models.ForeignKey(
        "RoomTerms", models.PROTECT, null=True, related_name="+", verbose_name=_("现行条款")
    )  # the newest version
    created_at = models.DateTimeField(_("创建时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("房间")
        verbose_name_plural = pgettext_lazy("复数", "房间")
        constraints: ClassVar = [models.UniqueConstraint(fields=["club", "name"], name="room_name_unique_in_club")]

    def __str__(self) -> str:
        return self.name


class RoomTerms(models.Model):
    """One version of a room's terms, never changed: a hand keeps the terms it was dealt under.

    coefficient N (coins a point), rake A (coins a seat and hand), limits in seconds.
    """

    class Pacing(models.TextChoices):
        # docs/pacing.md explains the choice to operators.
        QUICK = "quick", _("快：随机停 0.6 到 1.2 秒")
        BLIND = "blind", _("盲：每张都停满应牌时限")
        INSTANT = "instant", _("即时：不停，练习用")

    class Watching(models.TextChoices):
        OFF = "off", _("不开放")
        SECONDS = "seconds", _("延迟若干秒")
        HANDS = "hands", _("只看打完的一局")

    room = models.ForeignKey(Room, models.PROTECT, related_name="versions", verbose_name=_("房间"))
    version = models.PositiveIntegerField(_("版本"))
    preset = models.CharField(_("规则"), max_length=24)
    options = models.JSONField(
        _("规则选项"), default=dict, blank=True
    )  # laid over the preset's, validated by games.rules
    coefficient = models.PositiveIntegerField(_("房间系数 N"), default=0, validators=[MaxValueValidator(1_000_000)])
    rake = models.PositiveIntegerField(_("台费 A"), default=0, validators=[MaxValueValidator(1_000_000_000)])
    entry_minimum = models.PositiveIntegerField(_("入场下限"), default=0, validators=[MaxValueValidator(1_000_000_000)])
    turn_seconds = models.PositiveSmallIntegerField(
        _("出牌时限（秒）"), default=20, validators=[MinValueValidator(3), MaxValueValidator(300)]
    )
    claim_seconds = models.PositiveSmallIntegerField(
        _("碰杠胡时限（秒）"), default=10, validators=[MinValueValidator(2), MaxValueValidator(60)]
    )
    void_seconds = models.PositiveSmallIntegerField(
        _("定缺时限（秒）"), default=15, validators=[MinValueValidator(3), MaxValueValidator(120)]
    )
    reserve_seconds = models.PositiveSmallIntegerField(
        _("每局备用时间（秒）"), default=20, validators=[MaxValueValidator(600)]
    )  # that a seat may take beyond its limits within one hand
    pacing = models.CharField(_("打牌后的停顿"), max_length=8, choices=Pacing.choices, default=Pacing.QUICK)
    waits_shown = models.BooleanField(_("听牌提示"), default=True)
    bots_allowed = models.BooleanField(_("可用机器人补位（练习）"), default=False)
    watching = models.CharField(_("旁观"), max_length=8, choices=Watching.choices, default=Watching.OFF)
    watch_delay = models.PositiveSmallIntegerField(
        _("旁观延迟（秒）"), default=60, validators=[MaxValueValidator(600)]
    )  # with `watching` seconds
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", verbose_name=_("修改人"))
    created_at = models.DateTimeField(_("生效时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("房间条款")
        verbose_name_plural = pgettext_lazy("复数", "房间条款")
        ordering: ClassVar = ["-version"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["room", "version"], name="terms_version_unique"),
            # Bots have no wallet, so a room that admits them plays for nothing.
            models.CheckConstraint(
                condition=Q(bots_allowed=False) | Q(coefficient=0, rake=0), name="bots_only_without_coins"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.room} v{self.version}"


class Title(models.Model):
    """One of a club's 22 level titles. `threshold` in points; level 1 has none (open below).

    `own_name` is the club's name for it; empty: the usual one, in the language of whoever reads it.
    """

    club = models.ForeignKey(Club, models.PROTECT, related_name="titles", verbose_name=_("俱乐部"))
    level = models.PositiveSmallIntegerField(_("等级"), validators=[MinValueValidator(1), MaxValueValidator(22)])
    own_name = models.CharField(_("头衔"), max_length=12, blank=True)
    threshold = models.BigIntegerField(_("积分门槛"), null=True, blank=True)

    class Meta:
        verbose_name = _("头衔")
        verbose_name_plural = pgettext_lazy("复数", "头衔")
        ordering: ClassVar = ["level"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["club", "level"], name="title_level_unique"),
            models.CheckConstraint(
                condition=Q(level=1, threshold=None) | Q(level__gt=1, threshold__isnull=False),
                name="level_one_open_below",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def usual_name(self) -> str:
        return title_name(self.level)

    @property
    def name(self) -> str:
        return title_name(self.level, self.own_name)


class LevelChange(models.Model):
    """A member rose or fell to another level. Append-only. `cause` is e.g. "hand:17" or "thresholds"."""

    membership = models.ForeignKey(Membership, models.PROTECT, related_name="level_changes", verbose_name=_("成员"))
    before = models.PositiveSmallIntegerField(_("原等级"))
    after = models.PositiveSmallIntegerField(_("新等级"))
    points = models.BigIntegerField(_("积分"))
    cause = models.CharField(_("原因"), max_length=40)
    created_at = models.DateTimeField(_("时间"), auto_now_add=True)

    class Meta:
        verbose_name = _("头衔变动")
        verbose_name_plural = pgettext_lazy("复数", "头衔变动")
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return f"{self.membership}: {self.before} → {self.after}"
