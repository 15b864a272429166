"""Who may do what in a club."""

from django.utils.translation import gettext as _

from accounts.errors import Refused
from accounts.models import User
from clubs.models import Club, Membership


def membership_of(*, user: User, club: Club) -> Membership:
    """A person's active membership. Raises `Refused`: not_a_member, banned."""
    membership = Membership.objects.select_related("wallet", "club", "user").filter(user=user, club=club).first()
    if membership is None or membership.status == Membership.Status.LEFT:
        raise Refused("not_a_member", _("你不是这个俱乐部的成员。"), status=403)
    if membership.status == Membership.Status.BANNED:
        raise Refused("banned", _("你的成员资格已被停用。"), status=403)
    return membership


def require_operator(*, user: User, club: Club) -> None:
    """Operators run their club; the site's staff run every club. Raises `Refused`: not_an_operator."""
    if user.is_active and user.is_staff:
        return
    is_operator = Membership.objects.filter(
        user=user, user__is_active=True, club=club, role=Membership.Role.OPERATOR, status=Membership.Status.ACTIVE
    ).exists()
    if not is_operator:
        raise Refused("not_an_operator", _("只有俱乐部管理员可以这样做。"), status=403)
