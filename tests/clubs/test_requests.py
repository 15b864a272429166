"""Asking a club to be let in: made, withdrawn, approved, refused, and whoever asked is told."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.errors import Refused
from accounts.ledger import ledger_check
from accounts.models import Account, AuditEntry, Notice, User
from accounts.notices import notice_words
from clubs.invitations import LONGEST, invitation_create, invitation_decline, invitation_find, invitations_for
from clubs.members import (
    member_ban,
    member_join,
    member_leave,
    request_approve,
    request_make,
    request_refuse,
    request_withdraw,
)
from clubs.models import Club, Invitation, JoinRequest, Membership
from tests.races import at_once

Refusal = Callable[[Callable[[], object]], Refused]


@pytest.fixture
def choosy(club: Club) -> Club:
    """The club, which approves its members."""
    club.needs_approval = True
    club.save(update_fields=["needs_approval"])
    return club


@pytest.fixture
def invitation(choosy: Club, operator: User) -> Invitation:
    return invitation_create(club=choosy, actor=operator, max_uses=1)


@pytest.fixture
def newcomer(db: None) -> User:
    return User.objects.create_user("newcomer")


@pytest.fixture
def asked(invitation: Invitation, newcomer: User) -> JoinRequest:
    return request_make(code=invitation.code, user=newcomer, message=" 老张介绍来的 ")


def uses(invitation: Invitation) -> int:
    return Invitation.objects.get(pk=invitation.pk).uses


def told(user: User) -> list[str]:
    notices = Notice.objects.filter(user=user, kind=Notice.Kind.REQUEST).select_related("book__club")
    return [notice_words(notice) for notice in notices]


def test_asking_makes_nobody_a_member_and_holds_a_use(
    asked: JoinRequest, invitation: Invitation, newcomer: User, refusal: Refusal
) -> None:
    assert (asked.status, asked.message) == ("pending", "老张介绍来的")
    assert not Membership.objects.filter(user=newcomer).exists()
    assert uses(invitation) == 1
    assert request_make(code=invitation.code, user=newcomer) == asked  # though it is used up
    assert refusal(lambda: member_join(code=invitation.code, user=newcomer)).code == "approval_needed"
    other = User.objects.create_user("other")
    assert refusal(lambda: request_make(code=invitation.code, user=other)).code == "invitation_used_up"


def test_an_approved_newcomer_is_a_member_with_the_welcome_coins(
    asked: JoinRequest, choosy: Club, operator: User, newcomer: User, invitation: Invitation
) -> None:
    membership = request_approve(request=asked, actor=operator)
    assert (membership.user, membership.status) == (newcomer, "active")
    assert Account.objects.get(holder=newcomer).balance == 500
    asked.refresh_from_db()
    assert (asked.status, asked.decided_by, uses(invitation)) == ("approved", operator, 1)
    assert told(newcomer) == ["「锦里麻将社」同意了你的入社申请"]
    joined = AuditEntry.objects.get(action="member.joined", actor=operator)
    assert joined.after == {"invitation": invitation.code, "request": str(asked.pk)}
    assert ledger_check(choosy.book) == []


def test_a_refused_one_is_told_why_and_may_ask_again(
    asked: JoinRequest, operator: User, newcomer: User, invitation: Invitation, refusal: Refusal
) -> None:
    assert refusal(lambda: request_refuse(request=asked, actor=operator, reason=" ")).code == "reason_required"
    request_refuse(request=asked, actor=operator, reason="本季名额已满")
    assert told(newcomer) == ["「锦里麻将社」没有同意你的入社申请：本季名额已满"]
    assert uses(invitation) == 0
    assert request_make(code=invitation.code, user=newcomer).pk != asked.pk


def test_what_is_withdrawn_or_decided_stays_so(
    asked: JoinRequest, operator: User, newcomer: User, invitation: Invitation, refusal: Refusal
) -> None:
    request_withdraw(request=asked)
    assert (uses(invitation), told(newcomer)) == (0, [])
    for decide in (
        lambda: request_withdraw(request=asked),
        lambda: request_approve(request=asked, actor=operator),
        lambda: request_refuse(request=asked, actor=operator, reason="x"),
    ):
        assert refusal(decide).code == "request_decided"


def test_only_operators_decide(asked: JoinRequest, anna_before: User, refusal: Refusal) -> None:
    assert refusal(lambda: request_approve(request=asked, actor=anna_before)).code == "not_an_operator"
    assert refusal(lambda: request_refuse(request=asked, actor=anna_before, reason="x")).code == "not_an_operator"


@pytest.fixture
def anna_before(club: Club, operator: User) -> User:
    """A member from before the club became choosy."""
    user = User.objects.create_user("anna")
    club.needs_approval = False
    club.save(update_fields=["needs_approval"])
    member_join(code=invitation_create(club=club, actor=operator).code, user=user)
    club.needs_approval = True
    club.save(update_fields=["needs_approval"])
    return user


def test_who_need_not_or_may_not_ask_is_told_so(
    anna_before: User, club: Club, operator: User, newcomer: User, refusal: Refusal
) -> None:
    code = invitation_create(club=club, actor=operator).code
    assert refusal(lambda: request_make(code=code, user=anna_before)).code == "already_a_member"
    assert refusal(lambda: request_make(code=code, user=newcomer, message="x" * 121)).code == "bad_message"
    assert refusal(lambda: request_make(code=code, user=newcomer, message="\x00")).code == "bad_message"
    member_ban(membership=Membership.objects.get(user=anna_before), actor=operator, reason="x")
    assert refusal(lambda: request_make(code=code, user=anna_before)).code == "banned"
    Club.objects.update(needs_approval=False)
    assert refusal(lambda: request_make(code=code, user=newcomer)).code == "approval_not_needed"


def test_whoever_left_comes_back_with_what_was_theirs(anna_before: User, club: Club, operator: User) -> None:
    membership = Membership.objects.get(user=anna_before)
    member_leave(membership=membership)
    code = invitation_create(club=club, actor=operator).code
    back = request_approve(request=request_make(code=code, user=anna_before), actor=operator)
    assert (back.pk, back.status, back.wallet.balance) == (membership.pk, "active", 500)


def test_a_closed_account_is_not_let_in(asked: JoinRequest, operator: User, newcomer: User, refusal: Refusal) -> None:
    User.objects.filter(pk=newcomer.pk).update(is_active=False)
    assert refusal(lambda: request_approve(request=asked, actor=operator)).code == "account_closed"


@pytest.mark.django_db(transaction=True)
def test_one_of_two_operators_decides(asked: JoinRequest, operator: User, newcomer: User) -> None:
    def approve() -> object:
        return request_approve(request=asked, actor=operator)

    def refuse() -> object:
        return request_refuse(request=asked, actor=operator, reason="x")

    results = at_once([approve, refuse])
    assert sorted(isinstance(result, Refused) for result in results) == [False, True]
    assert len(told(newcomer)) == 1


# --- Invitations for one person ------------------------------------------------------------------------------------
def test_an_invitation_for_one_person_is_told_and_good_for_them_alone(
    club: Club, operator: User, newcomer: User, refusal: Refusal
) -> None:
    personal = invitation_create(club=club, actor=operator, invitee=newcomer)
    assert list(invitations_for(newcomer)) == [personal]
    (notice,) = Notice.objects.filter(user=newcomer).select_related("book__club")
    assert notice_words(notice) == "「锦里麻将社」请你加入"
    other = User.objects.create_user("other")
    refused = refusal(lambda: member_join(code=personal.code, user=other))
    assert (refused.code, refused.status) == ("invitation_personal", 403)
    assert refusal(lambda: invitation_find(personal.code)).code == "invitation_personal"
    assert refusal(lambda: invitation_decline(invitation=personal, user=other)).code == "invitation_personal"
    member_join(code=personal.code, user=newcomer)
    assert list(invitations_for(newcomer)) == []


def test_a_declined_invitation_is_over(club: Club, operator: User, newcomer: User, refusal: Refusal) -> None:
    personal = invitation_create(club=club, actor=operator, invitee=newcomer)
    invitation_decline(invitation=personal, user=newcomer)
    assert list(invitations_for(newcomer)) == []
    assert Notice.objects.get(user=newcomer).read_at is not None
    assert refusal(lambda: member_join(code=personal.code, user=newcomer)).code == "invitation_revoked"
    assert AuditEntry.objects.get(action="invitation.declined").actor == newcomer


@pytest.mark.parametrize("expires_at", [datetime.max.replace(tzinfo=UTC), datetime(2300, 1, 1, tzinfo=UTC)])
def test_an_invitation_ends_at_a_time_that_can_be_told(
    club: Club, operator: User, newcomer: User, refusal: Refusal, expires_at: datetime
) -> None:
    """In another zone the last moments of the year 9999 are none: the home page of whoever is asked in would fail."""
    invite = partial(invitation_create, club=club, actor=operator, invitee=newcomer)
    assert refusal(partial(invite, expires_at=expires_at)).code == "bad_expiry"
    invite(expires_at=timezone.now() + LONGEST - timedelta(minutes=1))
    client = Client()
    client.force_login(newcomer)
    assert client.get(reverse("home")).status_code == 200


def test_a_club_does_not_ask_the_same_person_again_and_again(
    club: Club, operator: User, newcomer: User, refusal: Refusal
) -> None:
    """Each time they would get a notice, and a mail, whatever they answered."""
    first = invitation_create(club=club, actor=operator, invitee=newcomer)
    again = partial(invitation_create, club=club, actor=operator, invitee=newcomer)
    assert refusal(again).code == "invited_lately"
    invitation_decline(invitation=first, user=newcomer)
    assert refusal(again).code == "invited_lately"
    assert Notice.objects.filter(user=newcomer).count() == 1
    Invitation.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(days=2))
    code = again().code
    member_leave(membership=member_join(code=code, user=newcomer))
    assert again().invitee == newcomer  # who had come


def test_members_are_not_invited_and_one_person_only_once(club: Club, operator: User, anna: Membership) -> None:
    with pytest.raises(Refused, match="already_a_member"):
        invitation_create(club=club, actor=operator, invitee=anna.user)
    with pytest.raises(Refused, match="bad_amount"):
        invitation_create(club=club, actor=operator, invitee=User.objects.create_user("bea"), max_uses=2)
