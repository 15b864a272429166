"""A club with a season behind it, as pages are to be seen: long names, open questions, people at tables, a hand for every day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import F

from accounts.models import User
from accounts.tokens import token_create
from clubs.invitations import invitation_create
from clubs.members import member_ban, member_join, request_make, request_refuse
from clubs.models import Club, Invitation, JoinRequest, Membership, Room, RoomTerms
from clubs.rooms import room_change_terms, room_close, room_create
from clubs.titles import titles_change
from games import tables
from games.figures import figures_rebuild
from games.log import folded
from games.models import Hand, Report, Table
from games.reports import report_close, report_open
from games.selfplay import decide, hand_deal, hand_play_out
from tests.people import PASSWORD, club_of, member_of, room_of, table_of

PEOPLE = {
    "anna": "川西小满",
    "bao": "锦里老陈",
    "chen": "听雨的猫",
    "deng": "Bartholomew van der Meer",
    "emei": "青柠不酸",
    "fang": "春熙路阿May",
    "gao": "盖碗茶",
    "hong": "巴蜀老张",
}
TONIGHT = 6  # hands


@dataclass(frozen=True)
class Season:
    """What pages of it need in their addresses."""

    operator: User
    member: User
    newcomer: User
    club: Club
    room: Room
    hand: Hand
    running: Hand
    table: Table
    invitation: Invitation
    request: JoinRequest
    report: Report


def season(*, hands: int) -> Season:
    """Make it: `hands` between four members, the last ones today, the others before."""
    operator = User.objects.create_superuser("operator", password=PASSWORD, display_name="锦里掌柜")
    club = club_of(operator, welcome_coins=50_000)
    people = [
        member_of(club, operator, name, display_name=shown, coins=200_000, reason="开张")
        for name, shown in PEOPLE.items()
    ]
    hall = room_of(club, operator, turn_seconds=300, reserve_seconds=600)
    room_create(club=club, name="练习房", actor=operator, preset="qq_xuezhan", bots_allowed=True)
    room_create(
        club=club,
        name="望江楼雅间",
        actor=operator,
        preset="chengdu",
        coefficient=5_000,
        rake=2_000,
        entry_minimum=1_000_000,
        watching=RoomTerms.Watching.SECONDS,
    )
    room_close(
        room=room_create(club=club, name="浣花溪", actor=operator, preset="qq_dingque", coefficient=50), actor=operator
    )
    played = _play(hall, people[:4], hands)
    titles_change(club=club, actor=operator, thresholds={2: 6}, names={}, reason="第一次胡牌就升级")
    table = _evening(hall, people)
    room_change_terms(
        room=hall, actor=operator, changes={"rake": 500, "pacing": RoomTerms.Pacing.QUICK}, reason="台费随夜场调整"
    )

    answered = report_open(hand_id=played[0].pk, reporter=people[1], kind=Report.Kind.values[0], words="对家说是手滑。")
    report_close(report=answered, actor=operator, note="看过回放，没有违规，牌面有效。")
    report = report_open(
        hand_id=played[-1].pk,
        reporter=people[0],
        kind=Report.Kind.values[0],
        words="第三巡以后两家一直在等对方出牌，请看一下有没有通牌。",
        seq=20,
    )

    invitation = invitation_create(club=club, actor=operator, max_uses=20)
    token_create(user=people[0], name="牌谱备份")
    newcomer = User.objects.create_user("lin", password=PASSWORD, display_name="竹林深处")
    request = _other_clubs(operator, people[0], newcomer)
    banned = Membership.objects.get(club=club, user=people[7])
    member_ban(membership=banned, actor=operator, reason="多次逃跑")
    return Season(
        operator=operator,
        member=people[0],
        newcomer=newcomer,
        club=club,
        room=hall,
        hand=played[-1],
        running=table.hands.latest("pk"),
        table=table,
        invitation=invitation,
        request=request,
        report=report,
    )


def _play(room: Room, users: Sequence[User], hands: int) -> list[Hand]:
    table = table_of(room, users)
    played = [hand_play_out(table_id=table.pk, users=users) for _hand in range(hands)]
    for user in users:
        tables.seat_leave(table_id=table.pk, user=user)
    for ago, hand in enumerate(reversed(played[:-TONIGHT]), start=1):
        passed = timedelta(hours=15 * ago)
        Hand.objects.filter(pk=hand.pk).update(started_at=F("started_at") - passed, ended_at=F("ended_at") - passed)
    figures_rebuild()
    return played


def _other_clubs(operator: User, member: User, newcomer: User) -> JoinRequest:
    """A second club of the member, one that both ask to be let into, and one that invites the member."""
    abroad = club_of(operator, name="Sichuan Mahjong Society of Amsterdam", slug="noord", welcome_coins=5_000)
    member_join(code=invitation_create(club=abroad, actor=operator).code, user=member)
    careful = club_of(operator, name="青城山茶馆", slug="qingcheng", needs_approval=True)
    code = invitation_create(club=careful, actor=operator, max_uses=20).code
    request_refuse(request=request_make(code=code, user=newcomer), actor=operator, reason="请先写明是谁介绍的。")
    request_make(code=code, user=member, message="老陈介绍我来的，周末晚上常在。")
    request = request_make(code=code, user=newcomer, message="小满介绍我来的。")
    third = club_of(operator, name="宽窄巷子夜场", slug="kuanzhai", welcome_coins=8_000)
    invitation_create(club=third, actor=operator, invitee=member)
    return request


def _evening(room: Room, people: Sequence[User]) -> Table:
    """Who sits in the room now: two who wait, and the member with three others in the middle of a hand, at turn."""
    waiting, playing = people[1:3], [people[0], *people[3:6]]
    table_of(room, waiting)
    table = table_of(room, playing)
    while True:
        fold = folded(hand_deal(table_id=table.pk, users=playing).pk)
        while not fold.is_over:
            if fold.asked == {0} and len(fold.rows) > 60:
                return table
            fold = decide(fold, max(fold.asked), playing)
