"""Clubs in the admin: titles as one ladder, members' roles and coins, invitations, the ledger."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.audit import ACTIONS
from accounts.ledger import ledger_check
from accounts.models import AuditEntry, Transfer, User
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_ban, member_coins_issue, request_make
from clubs.models import Club, Invitation, Membership
from clubs.titles import points_add, titles_change


def _coins(membership: Membership) -> int:
    return Membership.objects.select_related("wallet").get(pk=membership.pk).wallet.balance


# --- Clubs and titles ----------------------------------------------------------------------------------------------
def test_clubs_are_made_and_changed(desk: Client, site: User) -> None:
    path = reverse("admin:clubs_club_add")
    made = {"name": "望江楼", "slug": "wangjiang", "welcome_coins": 5000, "time_zone": "Asia/Chongqing"}
    refused = desk.post(path, made | {"slug": "Wang_Jiang"})
    assert refused.status_code == 200
    assert "网址名只能用小写字母" in refused.content.decode()
    assert desk.post(path, made).status_code == 302
    club = Club.objects.get(slug="wangjiang")
    assert club.titles.count() == 22
    assert club.memberships.get().user == site
    page = reverse("admin:clubs_club_change", args=[club.pk])
    moved = {"name": "望江楼麻将", "slug": "other", "welcome_coins": 0, "time_zone": "Europe/Lisbon"}
    assert reverse("admin:games_dayfigures_rebuild") in desk.post(page, moved, follow=True).content.decode()
    club.refresh_from_db()
    assert (club.name, club.slug, club.welcome_coins) == ("望江楼麻将", "wangjiang", 0)
    entry = AuditEntry.objects.get(action="club.changed")
    assert (entry.before["name"], entry.after["name"]) == ("望江楼", "望江楼麻将")
    assert (entry.before["time_zone"], club.time_zone) == ("Asia/Chongqing", "Europe/Lisbon")
    nowhere = {"name": "望江楼", "welcome_coins": 0, "time_zone": "Mars/Olympus"}
    assert desk.post(page, nowhere).status_code == 200


def _ladder(club: Club, **changes: Any) -> dict[str, Any]:
    answers: dict[str, Any] = {"step": "confirm", "reason": "新赛季"}
    for title in club.titles.all():
        answers[f"name_{title.level}"] = title.name
        if title.threshold is not None:
            answers[f"threshold_{title.level}"] = title.threshold
    return answers | changes


def test_the_ladder_is_changed_as_a_whole(desk: Client, club: Club, anna: Membership) -> None:
    points_add(club=club, points={anna.pk: 150}, cause="test")
    path = reverse("admin:clubs_club_titles", args=[club.pk])
    assert desk.get(path).content.decode().count('name="threshold_') == 21
    refused = desk.post(path, _ladder(club, threshold_5=500))
    assert refused.status_code == 400
    assert "须大于上一级的 500" in refused.content.decode()
    assert desk.post(path, _ladder(club, threshold_5="x")).status_code == 400
    assert desk.post(path, _ladder(club, reason="")).status_code == 400
    assert desk.post(path, _ladder(club, name_3="一" * 13)).status_code == 400
    assert 'placeholder="初生牛犊"' in desk.get(path).text
    anna.refresh_from_db()
    assert anna.level == 2
    assert desk.post(path, _ladder(club, threshold_2=120, threshold_3=140, name_3="牛刀小试")).status_code == 302
    anna.refresh_from_db()
    assert anna.level == 3
    assert club.titles.get(level=3).name == "牛刀小试"
    assert AuditEntry.objects.get(action="titles.changed").reason == "新赛季"


# --- Members -------------------------------------------------------------------------------------------------------
def test_members_are_banned_and_made_operators_with_a_reason(desk: Client, anna: Membership) -> None:
    for action, field, value in (
        ("ban", "status", "banned"),
        ("unban", "status", "active"),
        ("make_operator", "role", "operator"),
        ("make_member", "role", "member"),
    ):
        path = reverse(f"admin:clubs_membership_{action}", args=[anna.pk])
        assert "Anna" in desk.get(path).content.decode()
        assert desk.post(path, {"step": "confirm", "reason": ""}).status_code == 400
        assert desk.post(path, {"step": "confirm", "reason": "因为"}).status_code == 302
        anna.refresh_from_db()
        assert getattr(anna, field) == value
    assert AuditEntry.objects.filter(subject_type="membership", reason="因为").count() == 4


def test_coins_are_issued_after_a_page_that_states_them(desk: Client, anna: Membership, bao: Membership) -> None:
    path = reverse("admin:clubs_membership_changelist")
    chosen = {"action": "coins_issue", "_selected_action": [anna.pk, bao.pk]}
    first = desk.post(path, chosen).content.decode()
    assert 'name="amount"' in first
    order = chosen | {"key": str(uuid4()), "amount": 2500, "reason": "周赛奖励"}
    review = desk.post(path, order | {"step": "review"}).content.decode()
    for stated in ("Anna", "Bao", "+2,500", "5,000", "周赛奖励"):
        assert stated in review
    assert _coins(anna) == 100_000
    done = desk.post(path, order | {"step": "confirm"}, follow=True).content.decode()
    assert "已入账" in done
    again = desk.post(path, order | {"step": "confirm"}, follow=True).content.decode()
    assert "没有重复入账" in again
    assert (_coins(anna), _coins(bao)) == (102_500, 102_500)
    other = desk.post(path, order | {"step": "confirm", "amount": 9999})
    assert other.status_code == 400
    assert _coins(anna) == 102_500
    assert ledger_check() == []


def test_a_withdrawal_is_all_or_nothing(desk: Client, anna: Membership, bao: Membership) -> None:
    path = reverse("admin:clubs_membership_changelist")
    order = {"action": "coins_withdraw", "step": "confirm", "reason": "更正", "amount": 60_000}
    desk.post(path, order | {"_selected_action": [bao.pk], "key": str(uuid4())})
    assert _coins(bao) == 40_000
    refused = desk.post(path, order | {"_selected_action": [anna.pk, bao.pk], "key": str(uuid4())})
    assert refused.status_code == 400
    assert "Bao" in refused.content.decode()
    assert "余额不足" in refused.content.decode()
    assert (_coins(anna), _coins(bao)) == (100_000, 40_000)


def test_a_members_page_issues_and_withdraws(desk: Client, anna: Membership) -> None:
    page = desk.get(reverse("admin:clubs_membership_change", args=[anna.pk])).text
    for action, sign, coins in (("issue", "+", 102_500), ("withdraw", "−", 100_000)):
        path = reverse(f"admin:clubs_membership_{action}", args=[anna.pk])
        assert f'href="{path}"' in page
        assert 'name="amount"' in desk.get(path).text
        order = {"key": str(uuid4()), "amount": 2500, "reason": "周赛奖励"}
        assert f"{sign}2,500" in desk.post(path, order | {"step": "review"}).text
        answer = desk.post(path, order | {"step": "confirm"})
        assert answer.headers["Location"] == reverse("admin:clubs_membership_change", args=[anna.pk])
        assert _coins(anna) == coins
    assert ledger_check() == []


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_the_audit_log_speaks_words(desk: Client, anna: Membership, site: User, club: Club, language: str) -> None:
    titles_change(club=club, actor=site, thresholds={2: 90}, reason="新赛季")
    member_coins_issue(membership=anna, amount=12_345, reason="x", actor=site, key="audit")
    member_ban(membership=anna, actor=site, reason="x")
    page = desk.get(reverse("admin:accounts_auditentry_changelist"), headers={"accept-language": language}).text
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page, re.S)
    assert len(cells) > 20
    for action in ACTIONS:
        assert not any(action in cell for cell in cells), action
    assert "12,345" in page
    words = {"zh-hans": ("停用成员", "第 2 级"), "en": ("Member suspended", "Level 2")}[language]
    assert all(each in page for each in words)
    assert "invitation" not in "".join(cells) or language == "en"
    some = desk.get(reverse("admin:accounts_auditentry_changelist"), {"action": "member.banned"}).text
    assert "停用成员" in some


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": 0},
        {"amount": -5},
        {"amount": "1.5"},
        {"amount": 10**12},
        {"amount": ""},
        {"reason": ""},
        {"reason": "a\x00"},
        {"key": "x"},
    ],
)
def test_a_wrong_order_moves_nothing(desk: Client, anna: Membership, wrong: dict[str, Any]) -> None:
    order = {"action": "coins_issue", "_selected_action": [anna.pk], "step": "confirm"}
    answers = {"key": str(uuid4()), "amount": 5, "reason": "x"}
    assert desk.post(reverse("admin:clubs_membership_changelist"), order | answers | wrong).status_code == 400
    assert _coins(anna) == 100_000


def test_invitations_are_made_and_revoked(desk: Client, club: Club, site: User) -> None:
    path = reverse("admin:clubs_invitation_add")
    assert desk.post(path, {"club": club.pk, "max_uses": 0}).status_code == 200
    assert desk.post(path, {"club": club.pk, "max_uses": 3}).status_code == 302
    invitation = Invitation.objects.get()
    assert (invitation.created_by, invitation.max_uses) == (site, 3)
    assert invitation.code in desk.get(reverse("admin:clubs_invitation_change", args=[invitation.pk])).content.decode()
    page = desk.get(reverse("admin:clubs_invitation_change", args=[invitation.pk]), headers={"host": "localhost:8123"})
    assert f'value="http://localhost:8123/join/{invitation.code}/"' in page.text
    desk.post(reverse("admin:clubs_invitation_revoke", args=[invitation.pk]), {"step": "confirm"})
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None


def test_requests_to_join_are_approved_and_refused_with_a_reason(desk: Client, club: Club, site: User) -> None:
    Club.objects.filter(pk=club.pk).update(needs_approval=True)
    code = invitation_create(club=club, actor=site, max_uses=5).code
    asked = [
        request_make(code=code, user=User.objects.create_user(name), message="老张介绍") for name in ("eva", "fan")
    ]
    listed = desk.get(reverse("admin:clubs_joinrequest_changelist")).text
    assert "老张介绍" in listed and "待审批" in listed
    page = desk.get(reverse("admin:clubs_joinrequest_change", args=[asked[0].pk])).text
    assert "待审批" in page and "(&#x27;pending" not in page
    approve = reverse("admin:clubs_joinrequest_approve", args=[asked[0].pk])
    assert desk.post(approve, {"step": "confirm", "reason": ""}).status_code == 302
    assert Membership.objects.get(club=club, user__username="eva").status == "active"
    again = desk.post(approve, {"step": "confirm", "reason": ""})
    assert again.status_code == 400 and "已经处理过" in again.text
    refuse = reverse("admin:clubs_joinrequest_refuse", args=[asked[1].pk])
    assert desk.post(refuse, {"step": "confirm", "reason": ""}).status_code == 400
    assert desk.post(refuse, {"step": "confirm", "reason": "名额已满"}).status_code == 302
    request_make(code=code, user=User.objects.create_user("gao"), message="小满介绍")
    listed = desk.get(reverse("admin:clubs_joinrequest_changelist")).text
    assert listed.index("小满介绍") < listed.index("老张介绍")
    asked[1].refresh_from_db()
    assert (asked[1].status, asked[1].reason, asked[1].decided_by) == ("refused", "名额已满", site)


def test_the_clubs_list_sets_thousands_apart(desk: Client, club: Club) -> None:
    Club.objects.filter(pk=club.pk).update(welcome_coins=1_250_000)
    assert "1,250,000" in desk.get(reverse("admin:clubs_club_changelist")).text


# --- Ledger --------------------------------------------------------------------------------------------------------
def test_a_transfer_is_shown_with_its_postings_and_reversed_once(desk: Client, anna: Membership, site: User) -> None:
    transfer = Transfer.objects.get(key="test:anna")
    page = desk.get(reverse("admin:accounts_transfer_change", args=[transfer.pk])).content.decode()
    assert "+100,000" in page
    assert "-100,000" in page
    path = reverse("admin:accounts_transfer_reversal", args=[transfer.pk])
    assert path in page
    review = desk.post(path, {"step": "review", "reason": "发错了"}).content.decode()
    assert "发错了" in review
    assert _coins(anna) == 100_000
    for _time in range(2):
        assert desk.post(path, {"step": "confirm", "reason": "发错了"}).status_code == 302
    assert _coins(anna) == 0
    page = desk.get(reverse("admin:accounts_transfer_change", args=[transfer.pk])).content.decode()
    assert path not in page, "what is taken back is not offered again"
    reversal = Transfer.objects.get(reverses=transfer)
    assert (reversal.actor, reversal.reason) == (site, "发错了")
    page = desk.get(reverse("admin:accounts_transfer_change", args=[transfer.pk])).content.decode()
    assert f"#{reversal.pk}" in page
    refused = desk.post(
        reverse("admin:accounts_transfer_reversal", args=[reversal.pk]), {"step": "confirm", "reason": "再来"}
    )
    assert refused.status_code == 400
    assert ledger_check() == []


def test_a_club_admin_who_is_not_staff_stays_outside(anna: Membership, club: Club, db: None) -> None:
    owner = User.objects.create_user("owner", password="owner-pass-1")
    club_create(name="对门", slug="duimen", actor=owner)
    client = Client()
    client.force_login(owner)
    order = {"action": "coins_issue", "_selected_action": [anna.pk], "step": "confirm"}
    answers = {"key": str(uuid4()), "amount": 5, "reason": "x"}
    assert client.post(reverse("admin:clubs_membership_changelist"), order | answers).status_code in (302, 403)
    assert _coins(anna) == 100_000
