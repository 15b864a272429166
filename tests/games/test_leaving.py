"""Closing an account: nothing tells who it was, hands and books stay, coins go back to their clubs."""

from functools import partial

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from accounts import ledger
from accounts.errors import Refused
from accounts.models import Account, ApiToken, AuditEntry, Notice, Transfer, User
from accounts.tokens import token_create
from clubs.clubs import club_create
from clubs.invitations import invitation_create
from clubs.members import member_ban, request_make
from clubs.models import Club, JoinRequest, Membership, Room
from games import play, seating
from games.leaving import account_close
from games.models import Hand, HandSeat, Seat, Table, Waiting
from games.selfplay import hand_deal, hand_play_out
from tests.people import PASSWORD


def refused(user: User) -> str:
    with pytest.raises(Refused) as caught:
        account_close(user=user)
    return caught.value.code


def test_a_closed_account_leaves_hands_and_books_without_a_name(
    client: Client, table: Table, members: list[User], club: Club
) -> None:
    anna = members[0]
    hand = hand_play_out(table_id=table.pk, users=members[:4])
    balance = Account.objects.get(holder=anna).balance
    EmailAddress.objects.create(user=anna, email="anna@club.example", verified=True, primary=True)
    token_create(user=anna, name="script")
    account_close(user=anna)
    anna = User.objects.get(pk=anna.pk)
    assert (anna.username, anna.display_name, anna.is_active, anna.name) == (f"#{anna.pk}", "", False, "已注销")
    assert not anna.has_usable_password()
    for owned in (ApiToken, EmailAddress, Notice, Seat, Waiting):
        assert not owned._default_manager.filter(user=anna).exists(), owned
    membership = Membership.objects.get(user=anna)
    assert (membership.status, membership.wallet.balance) == ("left", 0)
    given_back = Transfer.objects.get(key=f"closed:{membership.pk}:1")
    assert (given_back.kind, given_back.postings.get(account=membership.wallet).amount) == ("withdraw", -balance)
    assert ledger.ledger_check() == []
    assert HandSeat.objects.get(hand=hand, number=0).membership == membership
    client.force_login(members[1])
    page = client.get(reverse("hand", args=[hand.pk])).text
    assert "已注销" in page and "Anna" not in page
    assert "Anna" not in client.get(reverse("history")).text
    assert AuditEntry.objects.get(action="user.closed").actor == anna


def test_a_hand_must_be_over_first(table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    assert refused(members[0]) == "hand_running"
    assert User.objects.get(pk=members[0].pk).is_active
    play.leave(hand_id=hand.pk, user=members[0], escape=True, command_id="c" * 36)
    assert Hand.objects.get(pk=hand.pk).status == Hand.Status.SETTLED
    account_close(user=members[0])


def test_seats_lines_and_requests_are_given_up(room: Room, table: Table, members: list[User], operator: User) -> None:
    other = club_create(name="望江楼", slug="wangjiang", actor=operator, needs_approval=True)
    asked = request_make(code=invitation_create(club=other, actor=operator).code, user=members[4], message="我是 Emma")
    seating.waiting_join(room=room, user=members[4])
    account_close(user=members[4])
    asked.refresh_from_db()
    assert (asked.status, asked.message, asked.invitation.uses) == (JoinRequest.Status.WITHDRAWN, "", 0)
    assert not Waiting.objects.exists()
    account_close(user=members[3])
    assert [seat.user for seat in table.seats.order_by("number")] == members[:3]


def test_who_is_suspended_may_go_too(table: Table, members: list[User], operator: User) -> None:
    membership = Membership.objects.get(user=members[0])
    member_ban(membership=membership, actor=operator, reason="test")
    account_close(user=members[0])
    membership.refresh_from_db()
    assert (membership.status, membership.wallet.balance) == ("banned", 0)
    assert not Seat.objects.filter(table=table, number=0).exists()


def test_nobody_abandons_a_club_or_the_site(operator: User, db: None) -> None:
    founder = User.objects.create_user("founder")
    club_create(name="青城", slug="qingcheng", actor=founder)
    assert refused(founder) == "last_operator"
    assert User.objects.get(pk=founder.pk).is_active
    assert refused(User.objects.create_user("staff", is_staff=True)) == "staff_account"


def test_the_page_asks_for_the_password(client: Client, members: list[User]) -> None:
    address = reverse("account_close")
    other = Client()
    for browser in (client, other):
        assert browser.login(username="anna", password=PASSWORD)
        assert browser.get(reverse("account")).status_code == 200
    assert "100,000" in client.get(address).text
    wrong = client.post(address, {"password": "wrong"})
    assert wrong.status_code == 400
    assert User.objects.get(pk=members[0].pk).is_active
    assert client.post(address, {"password": PASSWORD}).headers["Location"] == reverse("account_login")
    for browser in (client, other):
        assert browser.get(reverse("account")).status_code == 302
    assert not client.login(username="anna", password=PASSWORD)


def test_guessing_the_password_has_a_limit(client: Client, members: list[User]) -> None:
    client.force_login(members[0])
    post = partial(client.post, reverse("account_close"))
    for _guess in range(6):
        post({"password": "wrong"})
    assert post({"password": PASSWORD}).status_code == 400
    assert User.objects.get(pk=members[0].pk).is_active
