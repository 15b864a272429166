"""A club with people, a room and a table, as most tests want them."""

from typing import Any

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_create
from games.selfplay import table_open_with

PASSWORD = "a-good-password-1"
table_of = table_open_with


def club_of(operator: User, *, name: str = "锦里麻将社", slug: str = "jinli", **values: Any) -> Club:
    return club_create(name=name, slug=slug, actor=operator, **values)


def member_of(
    club: Club, operator: User, name: str, *, display_name: str = "", coins: int = 100_000, reason: str = "test"
) -> User:
    """A new member, who has been given coins beside those of the club's welcome."""
    user = User.objects.create_user(name, password=PASSWORD, display_name=display_name or name.title())
    membership = member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    member_coins_issue(membership=membership, amount=coins, reason=reason, actor=operator, key=f"test:{name}")
    return user


def room_of(club: Club, operator: User, *, name: str = "锦江厅", **terms: Any) -> Room:
    """A room for coins and without a beat, if its terms do not say otherwise."""
    usual = {"preset": "qq_dingque", "coefficient": 200, "rake": 400, "pacing": RoomTerms.Pacing.INSTANT}
    return room_create(club=club, name=name, actor=operator, **{**usual, **terms})
