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


def is_operator(*, user: User, club: Club) -> bool:
    """Whether a person may run a club: its operators may, and the site's staff may run every club."""
    if user.is_active and user.is_staff:
        return True
    return Membership.objects.filter(
        user=user, user__is_active=True, club=club, role=Membership.Role.OPERATOR, status=Membership.Status.ACTIVE
    ).exists()


def require_operator(*, user: User, club: Club) -> None:
    """Raises `Refused`: not_an_operator."""
    if not is_operator(user=user, club=club):
        raise Refused("not_an_operator", _("只有俱乐部管理员可以这样做。"), status=403)
