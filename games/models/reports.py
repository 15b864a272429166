"""What members find wrong with hands."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.models import User
from clubs.models import Membership
from games.models.hands import Hand


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
