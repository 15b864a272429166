"""The demo club of a fresh installation: an operator, eight members with coins, two rooms and a few finished hands."""

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_coins_issue, member_join
from clubs.models import Club, Room, RoomTerms
from clubs.rooms import room_change_terms, room_create
from games import tables
from games.selfplay import hand_play_out, table_open_with

SLUG: Final = "jinli"
OPERATOR: Final = ("operator", "锦里掌柜")
MEMBERS: Final = (
    ("xiaoman", "川西小满"),
    ("laochen", "锦里老陈"),
    ("maomao", "听雨的猫"),
    ("qingning", "青柠不酸"),
    ("amay", "春熙路阿May"),
    ("gaiwan", "盖碗茶"),
    ("laozhang", "巴蜀老张"),
    ("zhulin", "竹林深处"),
)
PASSWORD: Final = "jinli-demo-88"  # noqa: S105 - printed by `make run`
COINS: Final = 200_000
HANDS: Final = 6


@transaction.atomic
def demo_create() -> bool:
    """Create the demo club, once. Returns whether it was created now."""
    if Club.objects.filter(slug=SLUG).exists():
        return False
    operator = User.objects.create_superuser(OPERATOR[0], password=PASSWORD, display_name=OPERATOR[1])
    club = club_create(name="锦里麻将社", slug=SLUG, actor=operator, welcome_coins=50_000)
    members = [_member(club, operator, *names) for names in MEMBERS]
    hall = room_create(
        club=club,
        name="锦江厅",
        actor=operator,
        preset="qq_dingque",
        coefficient=200,
        rake=400,
        entry_minimum=10_000,
        pacing=RoomTerms.Pacing.INSTANT,
    )
    room_create(club=club, name="练习房", actor=operator, preset="qq_xuezhan", bots_allowed=True)
    _play(hall, members[:4], HANDS // 2)
    _play(hall, members[4:], HANDS - HANDS // 2)
    room_change_terms(
        room=hall, actor=operator, changes={"pacing": RoomTerms.Pacing.QUICK}, reason=_("开张：改为正常节奏")
    )
    return True


def _member(club: Club, operator: User, username: str, name: str) -> User:
    user = User.objects.create_user(username, password=PASSWORD, display_name=name)
    invitation = invitation_create(club=club, actor=operator)
    membership = member_join(code=invitation.code, user=user)
    key = f"demo:{username}"
    member_coins_issue(membership=membership, amount=COINS, reason=_("演示俱乐部开张"), actor=operator, key=key)
    return user


def _play(room: Room, users: list[User], hands: int) -> None:
    table = table_open_with(room, users)
    for _hand in range(hands):
        hand_play_out(table_id=table.pk, users=users)
    for user in users:
        tables.seat_leave(table_id=table.pk, user=user)
