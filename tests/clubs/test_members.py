"""Joining, roles, bans, and the coins that operators give and take; invitations."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from accounts.errors import Refused
from accounts.ledger import ledger_check
from accounts.models import Account, AuditEntry, User
from clubs.clubs import club_create
from clubs.invitations import invitation_create, invitation_find, invitation_revoke
from clubs.members import (
    member_ban,
    member_coins_issue,
    member_coins_withdraw,
    member_join,
    member_leave,
    member_role_change,
    member_unban,
)
from clubs.models import Club, Invitation, Membership
from clubs.roles import membership_of, require_operator
from clubs.titles import titles_change
from tests.races import at_once

Refusal = Callable[[Callable[[], object]], Refused]
OPERATOR, MEMBER = Membership.Role.OPERATOR, Membership.Role.MEMBER


@pytest.fixture
def newcomer(db: None) -> User:
    return User.objects.create_user("newcomer")


# --- Joining -------------------------------------------------------------------------------------------------------
def test_a_newcomer_joins_and_is_welcomed(club: Club, operator: User, newcomer: User) -> None:
    invitation = invitation_create(club=club, actor=operator)
    member = member_join(code=f" {invitation.code[:4]} {invitation.code[4:].lower()}", user=newcomer)
    assert (member.club, member.role, member.status, member.level) == (club, "member", "active", 1)
    assert Account.objects.get(holder=newcomer).balance == 500
    invitation.refresh_from_db()
    assert invitation.uses == 1
    joined = AuditEntry.objects.get(action="member.joined")
    assert (joined.actor, joined.book, joined.after) == (newcomer, club.book, {"invitation": invitation.code})
    assert ledger_check(club.book) == []


def test_a_member_who_joins_again_stays_what_he_is(club: Club, operator: User, newcomer: User) -> None:
    invitation = invitation_create(club=club, actor=operator, max_uses=1)
    member = member_join(code=invitation.code, user=newcomer)
    assert member_join(code=invitation.code, user=newcomer) == member  # though it is used up
    invitation_revoke(invitation=invitation, actor=operator)
    assert member_join(code=invitation.code, user=newcomer) == member
    assert Account.objects.get(holder=newcomer).balance == 500
    assert Invitation.objects.get().uses == 1


def test_without_welcome_coins_nothing_is_issued(operator: User, newcomer: User) -> None:
    club = club_create(name="x", slug="x", actor=operator)
    member_join(code=invitation_create(club=club, actor=operator).code, user=newcomer)
    assert not club.book.transfers.exists()


def test_a_newcomer_stands_on_the_level_of_no_points(club: Club, operator: User, newcomer: User) -> None:
    titles_change(club=club, actor=operator, thresholds={2: -100, 3: 0}, reason="x")
    assert member_join(code=invitation_create(club=club, actor=operator).code, user=newcomer).level == 3


@pytest.mark.parametrize("code", ["", "ABCDEFGH", "x" * 500, "a\x00b", "锦里", "' OR 1=1", "２３４５"])
def test_an_unknown_code_is_refused(club: Club, newcomer: User, refusal: Refusal, code: str) -> None:
    refused = refusal(lambda: member_join(code=code, user=newcomer))
    assert (refused.code, refused.status) == ("invitation_unknown", 404)


def test_an_invitation_ends(club: Club, operator: User, newcomer: User, refusal: Refusal) -> None:
    soon = timezone.now() + timedelta(days=1)
    invitation = invitation_create(club=club, actor=operator, expires_at=soon)
    same = Invitation.objects.filter(pk=invitation.pk)
    for state, code in (
        ({"uses": 1}, "invitation_used_up"),
        ({"expires_at": timezone.now()}, "invitation_expired"),
        ({"revoked_at": timezone.now()}, "invitation_revoked"),
    ):
        same.update(**state)
        assert refusal(lambda: member_join(code=invitation.code, user=newcomer)).code == code
        assert refusal(lambda: invitation_find(invitation.code)).code == code
        same.update(uses=0, expires_at=soon)
    same.update(revoked_at=None)
    assert invitation_find(invitation.code) == invitation


def test_the_banned_do_not_come_back_by_an_invitation(
    club: Club, operator: User, anna: Membership, refusal: Refusal
) -> None:
    member_ban(membership=anna, actor=operator, reason="x")
    code = invitation_create(club=club, actor=operator).code
    assert refusal(lambda: member_join(code=code, user=anna.user)).code == "banned"


def test_who_left_comes_back_as_a_member_with_what_he_had(club: Club, operator: User, anna: Membership) -> None:
    Membership.objects.filter(pk=anna.pk).update(status=Membership.Status.LEFT, role=OPERATOR, points=30)
    member = member_join(code=invitation_create(club=club, actor=operator).code, user=anna.user)
    assert (member.pk, member.status, member.role, member.points) == (anna.pk, "active", "member", 30)
    assert Account.objects.get(holder=anna.user).balance == 500  # welcomed once
    assert AuditEntry.objects.filter(action="member.rejoined").count() == 1


def test_who_leaves_keeps_coins_and_points_for_another_day(club: Club, operator: User, anna: Membership) -> None:
    Membership.objects.filter(pk=anna.pk).update(points=30)
    member_leave(membership=anna)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.actor, entry.after) == ("member.left", anna.user, {"status": "left"})
    assert Account.objects.get(holder=anna.user).balance == 500
    assert ledger_check(club.book) == []
    member = member_join(code=invitation_create(club=club, actor=operator).code, user=anna.user)
    assert (member.pk, member.status, member.points, member.wallet.balance) == (anna.pk, "active", 30, 500)


def test_a_club_is_never_left_without_an_operator(
    club: Club, operator: User, anna: Membership, refusal: Refusal
) -> None:
    own = club.memberships.get(user=operator)
    assert refusal(lambda: member_leave(membership=own)).code == "last_operator"
    member_role_change(membership=anna, role=OPERATOR, actor=operator, reason="x")
    member_leave(membership=own)
    assert refusal(lambda: member_leave(membership=own)).code == "not_a_member"
    assert refusal(lambda: member_leave(membership=anna)).code == "last_operator"


def test_the_banned_do_not_leave(operator: User, anna: Membership, refusal: Refusal) -> None:
    """They would come back as if nothing had been."""
    member_ban(membership=anna, actor=operator, reason="x")
    assert refusal(lambda: member_leave(membership=anna)).code == "banned"


@pytest.mark.parametrize("max_uses", [0, -1, 10_001, True, 1.5, "3"])
def test_bad_uses_are_refused(club: Club, operator: User, refusal: Refusal, max_uses: int) -> None:
    refused = refusal(lambda: invitation_create(club=club, actor=operator, max_uses=max_uses))
    assert (refused.code, refused.data) == ("bad_amount", {"field": "max_uses"})


def test_an_invitation_expires_in_the_future(club: Club, operator: User, refusal: Refusal) -> None:
    past = timezone.now()
    refused = refusal(lambda: invitation_create(club=club, actor=operator, expires_at=past))
    assert refused.code == "bad_expiry"


# --- Who may what --------------------------------------------------------------------------------------------------
def test_membership(club: Club, operator: User, anna: Membership, newcomer: User, refusal: Refusal) -> None:
    assert membership_of(user=anna.user, club=club) == anna
    assert refusal(lambda: membership_of(user=newcomer, club=club)).code == "not_a_member"
    member_ban(membership=anna, actor=operator, reason="x")
    assert refusal(lambda: membership_of(user=anna.user, club=club)).code == "banned"
    Membership.objects.update(status=Membership.Status.LEFT)
    assert refusal(lambda: membership_of(user=anna.user, club=club)).code == "not_a_member"


def test_operators_are_those_of_the_club_and_the_sites_staff(
    club: Club, operator: User, anna: Membership, newcomer: User
) -> None:
    other = club_create(name="x", slug="x", actor=newcomer)
    staff = User.objects.create_user("staff", is_staff=True)
    for user, where, may in (
        (operator, club, True),
        (operator, other, False),
        (newcomer, club, False),
        (anna.user, club, False),
        (staff, club, True),
        (staff, other, True),
    ):
        if may:
            require_operator(user=user, club=where)
        else:
            with pytest.raises(Refused, match="not_an_operator"):
                require_operator(user=user, club=where)
    member_role_change(membership=anna, role=OPERATOR, actor=operator, reason="x")
    require_operator(user=anna.user, club=club)
    member_ban(membership=anna, actor=operator, reason="x")
    User.objects.filter(pk=staff.pk).update(is_active=False)
    for user in (anna.user, User.objects.get(pk=staff.pk)):
        with pytest.raises(Refused, match="not_an_operator"):
            require_operator(user=user, club=club)


def test_what_only_operators_may(
    club: Club, operator: User, anna: Membership, bao: Membership, refusal: Refusal
) -> None:
    stranger = User.objects.create_user("stranger")
    club_create(name="x", slug="x", actor=stranger)
    invitation = invitation_create(club=club, actor=operator)
    for actor in (anna.user, stranger):
        for call in (
            partial(member_ban, membership=bao, reason="x"),
            partial(member_unban, membership=bao, reason="x"),
            partial(member_role_change, membership=bao, role=OPERATOR, reason="x"),
            partial(member_coins_issue, membership=bao, amount=5, reason="x", key="k"),
            partial(member_coins_withdraw, membership=bao, amount=5, reason="x", key="k"),
            partial(invitation_create, club=club),
            partial(invitation_revoke, invitation=invitation),
        ):
            refused = refusal(partial(call, actor=actor))
            assert (refused.code, refused.status) == ("not_an_operator", 403)


# --- Running a club ------------------------------------------------------------------------------------------------
def test_bans_and_roles_are_kept_with_their_reason(operator: User, anna: Membership) -> None:
    for change, action, before, after in (
        (partial(member_role_change, role=OPERATOR), "member.role_changed", {"role": "member"}, {"role": "operator"}),
        (member_ban, "member.banned", {"status": "active"}, {"status": "banned"}),
        (member_unban, "member.unbanned", {"status": "banned"}, {"status": "active"}),
    ):
        change(membership=anna, actor=operator, reason=" 因为 ")
        entry = AuditEntry.objects.latest("pk")
        assert (entry.actor, entry.action, entry.reason) == (operator, action, "因为")
        assert (entry.before, entry.after) == (before, after)
        change(membership=anna, actor=operator, reason="又一次")  # nothing to do
        assert AuditEntry.objects.latest("pk") == entry
    anna.refresh_from_db()
    assert (anna.role, anna.status) == ("operator", "active")


def test_changes_that_make_no_sense(operator: User, anna: Membership, refusal: Refusal) -> None:
    own = Membership.objects.get(user=operator)
    assert refusal(lambda: member_ban(membership=own, actor=operator, reason="x")).code == "own_membership"
    refused = refusal(lambda: member_role_change(membership=own, role=MEMBER, actor=operator, reason="x"))
    assert refused.code == "own_membership"
    assert refusal(lambda: member_ban(membership=anna, actor=operator, reason=" ")).code == "reason_required"
    refused = refusal(lambda: member_role_change(membership=anna, role="boss", actor=operator, reason="x"))  # type: ignore[arg-type]
    assert refused.code == "bad_role"
    Membership.objects.filter(pk=anna.pk).update(status=Membership.Status.LEFT)
    assert refusal(lambda: member_unban(membership=anna, actor=operator, reason="x")).code == "not_a_member"


def test_coins_are_given_and_taken(club: Club, operator: User, anna: Membership, refusal: Refusal) -> None:
    member_coins_issue(membership=anna, amount=100, reason="x", actor=operator, key="k1")
    member_coins_withdraw(membership=anna, amount=550, reason="x", actor=operator, key="k2")
    assert Account.objects.get(pk=anna.wallet_id).balance == 50
    refused = refusal(lambda: member_coins_withdraw(membership=anna, amount=51, reason="x", actor=operator, key="k3"))
    assert refused.code == "insufficient_coins"
    assert ledger_check(club.book) == []


# --- At the same time ----------------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_one_use_left_admits_one(club: Club, operator: User) -> None:
    code = invitation_create(club=club, actor=operator, max_uses=2).code
    users = [User.objects.create_user(f"user-{number}") for number in range(6)]
    outcomes = at_once([partial(member_join, code=code, user=user) for user in users])
    assert sum(isinstance(each, Membership) for each in outcomes) == 2
    assert [each.code for each in outcomes if isinstance(each, Refused)] == ["invitation_used_up"] * 4
    assert Invitation.objects.get(code=code).uses == 2
    assert ledger_check() == []


@pytest.mark.django_db(transaction=True)
def test_two_joins_of_one_person_are_one(club: Club, operator: User) -> None:
    code = invitation_create(club=club, actor=operator, max_uses=5).code
    user = User.objects.create_user("user")
    outcomes = at_once([partial(member_join, code=code, user=user)] * 5)
    assert {each.pk for each in outcomes} == {Membership.objects.get(user=user).pk}
    assert Invitation.objects.get(code=code).uses == 1
    assert Account.objects.get(holder=user).balance == 500
