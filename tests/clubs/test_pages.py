from datetime import timedelta

import pytest
import segno
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from clubs.invitations import invitation_create, invitation_revoke
from clubs.members import member_ban, member_join, request_make, request_refuse
from clubs.models import Club, Invitation, JoinRequest, Membership
from tests.people import PASSWORD, club_of

FORM = {"display_name": "小满", "username": "xiaoman", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_user("operator", password=PASSWORD, display_name="掌柜")


@pytest.fixture
def club(operator: User) -> Club:
    return club_of(operator, welcome_coins=5_000)


@pytest.fixture
def invitation(club: Club, operator: User) -> Invitation:
    return invitation_create(club=club, actor=operator)


def join_address(code: str) -> str:
    return reverse("join_code", args=[code])


def test_an_invited_visitor_signs_up_and_is_a_member(client: Client, club: Club, invitation: Invitation) -> None:
    page = client.get(join_address(invitation.code))
    assert club.name in page.text and "5,000" in page.text
    answer = client.post(reverse("account_signup"), FORM)
    assert answer.headers["Location"] == reverse("lobby", args=[club.slug])
    membership = Membership.objects.get(user__username="xiaoman")
    assert (membership.club, membership.wallet.balance, membership.user.name) == (club, 5_000, "小满")
    assert client.get(answer.headers["Location"]).status_code == 200


def test_nobody_signs_up_without_an_invitation(client: Client, club: Club) -> None:
    client.post(reverse("account_signup"), FORM)
    assert not User.objects.filter(username="xiaoman").exists()


def test_an_invitation_used_up_meanwhile_leaves_no_account(client: Client, invitation: Invitation) -> None:
    client.get(join_address(invitation.code))
    Invitation.objects.filter(pk=invitation.pk).update(uses=1)
    client.post(reverse("account_signup"), FORM)
    assert not User.objects.filter(username="xiaoman").exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("username", ""), ("username", "no spaces"), ("display_name", "很" * 25), ("password2", "other")],
)
def test_a_faulty_sign_up_is_shown_again(client: Client, invitation: Invitation, field: str, value: str) -> None:
    client.get(join_address(invitation.code))
    answer = client.post(reverse("account_signup"), {**FORM, field: value})
    assert answer.status_code == 200 and 'aria-invalid="true"' in answer.text
    assert not User.objects.filter(username="xiaoman").exists()


def test_a_member_of_none_joins_with_one_click_and_only_once(client: Client, invitation: Invitation) -> None:
    user = User.objects.create_user("bao")
    client.force_login(user)
    for _click in range(2):
        client.post(join_address(invitation.code))
    assert Membership.objects.filter(user=user).count() == 1
    invitation.refresh_from_db()
    assert invitation.uses == 1


def test_a_member_is_told_so(client: Client, operator: User, invitation: Invitation) -> None:
    client.force_login(operator)
    assert "已经是这家俱乐部的成员" in client.get(join_address(invitation.code)).text


def test_invalid_codes_say_what_is_wrong(client: Client, operator: User, invitation: Invitation, club: Club) -> None:
    used_up = invitation_create(club=club, actor=operator)
    expired = invitation_create(club=club, actor=operator)
    Invitation.objects.filter(pk=used_up.pk).update(uses=1)
    Invitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(hours=1))
    invitation_revoke(invitation=invitation, actor=operator)
    for code, words in [
        ("NOSUCHCODE", "没有这个邀请码"),
        (used_up.code, "名额已用完"),
        (expired.code, "已过期"),
        (invitation.code, "已被撤销"),
    ]:
        page = client.get(join_address(code))
        assert page.status_code in (404, 409)
        assert words in page.text


@pytest.mark.parametrize(
    "code", ["", "X" * 13, "A/B", "../admin", "https://club.example/", "https://club.example/join/", "https://["]
)
def test_the_join_form_refuses_what_cannot_be_a_code(client: Client, db: None, code: str) -> None:
    assert client.get(reverse("join"), {"code": code}).status_code == 400


def test_a_typed_code_leads_to_the_invitation(client: Client, invitation: Invitation) -> None:
    answer = client.get(reverse("join"), {"code": f" {invitation.code.lower()} "})
    assert answer.headers["Location"] == join_address(invitation.code)


def test_a_pasted_link_leads_to_the_invitation(client: Client, invitation: Invitation) -> None:
    link = f" http://testserver{join_address(invitation.code)} "
    assert client.get(reverse("join"), {"code": link}).headers["Location"] == join_address(invitation.code)


def test_the_qr_code_is_drawn_into_the_page(client: Client, invitation: Invitation) -> None:
    page = client.get(join_address(invitation.code)).text
    drawn = segno.make_qr(f"http://testserver{join_address(invitation.code)}", error="m")
    assert drawn.svg_inline(border=3, omitsize=True, light="#fff", svgclass="qr", lineclass=None) in page


def test_an_invitation_for_one_person_is_on_the_home_page(client: Client, club: Club, operator: User) -> None:
    user = User.objects.create_user("bao")
    personal = invitation_create(club=club, actor=operator, invitee=user)
    assert client.get(join_address(personal.code)).status_code == 403
    client.force_login(user)
    assert "掌柜 请你加入「锦里麻将社」" in client.get(reverse("home")).text
    assert client.get(join_address(personal.code)).status_code == 200
    assert "已婉拒" in client.post(reverse("join_decline", args=[personal.code]), follow=True).text
    assert "请你加入" not in client.get(reverse("home")).text


def test_who_is_suspended_everywhere_is_told_so_on_the_home_page(client: Client, club: Club, operator: User) -> None:
    user = User.objects.create_user("bao")
    client.force_login(user)
    assert "还没有俱乐部" in client.get(reverse("home")).text
    member = member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    member_ban(membership=member, actor=operator, reason="test")
    home = client.get(reverse("home")).text
    assert "「锦里麻将社」停用了你的成员资格" in home and "还没有俱乐部" not in home


# --- A club that approves its members ------------------------------------------------------------------------------
@pytest.fixture
def choosy(club: Club) -> Club:
    club.needs_approval = True
    club.save(update_fields=["needs_approval"])
    return club


def test_a_visitor_signs_up_and_has_asked(client: Client, choosy: Club, invitation: Invitation) -> None:
    assert "要管理员同意" in client.get(join_address(invitation.code)).text
    answer = client.post(reverse("account_signup"), FORM)
    assert answer.headers["Location"] == reverse("home")
    assert JoinRequest.objects.get(user__username="xiaoman").status == "pending"
    assert not Membership.objects.filter(user__username="xiaoman").exists()
    home = client.get(reverse("home")).text
    assert "待审批" in home and choosy.name in home
    assert client.get(reverse("lobby", args=[choosy.slug])).status_code == 404


def test_a_request_is_made_seen_and_withdrawn(client: Client, choosy: Club, invitation: Invitation) -> None:
    user = User.objects.create_user("bao")
    client.force_login(user)
    assert client.post(join_address(invitation.code), {"message": "x" * 121}).status_code == 400
    assert not JoinRequest.objects.exists()
    answer = client.post(join_address(invitation.code), {"message": "老张介绍来的"}, follow=True)
    assert "待审批" in answer.text and "排第 1 位" in answer.text
    used_up = client.get(join_address(invitation.code))
    assert used_up.status_code == 409 and "名额已用完" in used_up.text
    Invitation.objects.filter(pk=invitation.pk).update(max_uses=5)
    assert "正等管理员处理" in client.get(join_address(invitation.code)).text
    asked = JoinRequest.objects.get(user=user)
    assert asked.message == "老张介绍来的"
    other = Client()
    other.force_login(User.objects.create_user("chen"))
    assert other.post(reverse("join_withdraw", args=[asked.pk])).status_code == 404
    assert "已撤回" in client.post(reverse("join_withdraw", args=[asked.pk]), follow=True).text


def test_a_refusal_is_shown_with_its_reason(
    client: Client, choosy: Club, operator: User, invitation: Invitation
) -> None:
    user = User.objects.create_user("bao")
    request_refuse(request=request_make(code=invitation.code, user=user), actor=operator, reason="本季名额已满")
    client.force_login(user)
    for page in ("home", "join"):
        assert "本季名额已满" in client.get(reverse(page)).text


def test_guessing_codes_has_a_limit(client: Client, club: Club, invitation: Invitation, operator: User) -> None:
    for _guess in range(10):
        assert client.get(join_address("GUESSED2")).status_code == 404
    refused = client.get(join_address(invitation.code))
    assert refused.status_code == 429
    assert club.name not in refused.text
    assert client.post(join_address(invitation.code)).status_code == 429
    assert client.get(join_address(invitation.code), REMOTE_ADDR="203.0.113.9").status_code == 200
    client.force_login(operator)  # counted by person, not by the address of everybody in the tea house
    assert client.get(join_address(invitation.code)).status_code == 200


def test_good_codes_are_no_guesses(client: Client, invitation: Invitation) -> None:
    for _look in range(15):
        assert client.get(join_address(invitation.code)).status_code == 200


def test_a_short_password_is_refused_in_chinese(client: Client, invitation: Invitation) -> None:
    client.get(join_address(invitation.code))
    answer = client.post(reverse("account_signup"), {**FORM, "password1": "Tea-7", "password2": "Tea-7"})
    assert "密码太短，至少要 8 个字符。" in answer.text
    assert "too short" not in answer.text
