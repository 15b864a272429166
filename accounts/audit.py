"""Audit entries: who changed what, from what to what, and why. Written in the transaction of the change.

Every action has its words here, and so has every value that is no field of the changed model.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.db import models, transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import AuditEntry, Book, User

ACTIONS: Final[Mapping[str, Promise]] = {
    "club.created": _("新建俱乐部"),
    "club.changed": _("修改俱乐部"),
    "titles.changed": _("修改头衔"),
    "invitation.created": _("发出邀请"),
    "invitation.revoked": _("撤销邀请"),
    "invitation.declined": _("婉拒邀请"),
    "member.joined": _("加入俱乐部"),
    "member.rejoined": _("重新加入俱乐部"),
    "member.left": _("退出俱乐部"),
    "request.made": _("申请加入"),
    "request.withdrawn": _("撤回入社申请"),
    "request.approved": _("同意入社申请"),
    "request.refused": _("不同意入社申请"),
    "member.banned": _("停用成员"),
    "member.unbanned": _("恢复成员"),
    "member.role_changed": _("改变角色"),
    "room.created": _("新建房间"),
    "room.renamed": _("房间改名"),
    "table.closed": _("散掉牌桌"),
    "hand.stopped": _("强制结束一局"),
    "report.opened": _("申诉一局"),
    "report.closed": _("处理申诉"),
    "room.terms_changed": _("修改房间条款"),
    "room.opened": _("开放房间"),
    "room.closed": _("关闭房间"),
    "coins.issue": _("发放金币"),
    "coins.withdraw": _("收回金币"),
    "coins.reversal": _("冲正转账"),
    "user.created": _("新建用户"),
    "user.changed": _("修改用户"),
    "user.password_set": _("重设密码"),
    "user.token_revoked": _("撤销 API 令牌"),
    "user.closed": _("注销账户"),
}
VALUES: Final[Mapping[str, Promise]] = {
    "coins": _("金币"),
    "transfer": _("业务编号"),
    "reversal": _("冲正的业务编号"),
    "invitation": _("邀请码"),
    "token": _("API 令牌"),
    "request": _("入社申请"),
    "rule": _("结束方式"),
    "hand": _("牌局"),
}


def audit_write(
    *,
    actor: User | None,
    action: str,
    subject: models.Model,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str = "",
    book: Book | None = None,
) -> AuditEntry:
    """Keep a change of `subject`: the changed values before and after. `book` is the book of the club concerned.
    Of a `reason` as much is kept as there is room for."""
    assert action in ACTIONS, f"no words for the action {action}"
    assert transaction.get_connection().in_atomic_block, "an audit entry belongs to the transaction of its change"
    return AuditEntry.objects.create(
        actor=actor,
        action=action,
        subject_type=subject._meta.model_name or "",
        subject_id=str(subject.pk),
        before=dict(before or {}),
        after=dict(after or {}),
        reason=reason.strip()[:200],
        book=book,
    )


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Only what differs between two states: (before, after)."""
    keys = [key for key in after if before.get(key) != after[key]]
    return {key: before.get(key) for key in keys}, {key: after[key] for key in keys}
