"""What people are told of: by whom, when, how often, on the site and by e-mail, and when it is past."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.ledger import transfer_reverse
from accounts.models import Notice, User
from accounts.notices import notice_address, notice_words, notices_of, notices_read, switches_of, switches_set
from clubs.members import member_coins_issue, member_coins_withdraw
from clubs.models import Club, Membership, Room
from games import play, seating, tables
from games.log import database_now
from games.models import Action, Hand, Table, Waiting
from games.selfplay import hand_deal, hand_play_out

KINDS = Notice.Kind


def told(user: User, kind: str) -> list[str]:
    """The words of a person's notices of a kind, oldest first."""
    return [notice_words(notice) for notice in notices_of(user).filter(kind=kind).order_by("pk")]


def unread(user: User, kind: str) -> int:
    return notices_of(user).filter(kind=kind, read_at=None).count()


def everything_is_late(hand: Hand) -> None:
    """The program acts for whoever is asked, as if every limit had run out."""
    rows = Action.objects.filter(hand=hand)
    before = rows.count()
    future = rows.latest("seq").created_at + timedelta(hours=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "database_now", lambda *_told: future)
        play.tick(hand.pk)
    assert rows.count() > before


# --- A table -------------------------------------------------------------------------------------------------------
def test_who_sits_down_is_told_once_that_the_table_has_begun(table: Table, members: list[User]) -> None:
    hand_deal(table_id=table.pk, users=members[:4])
    for user in members[:4]:
        assert told(user, KINDS.TABLE) == ["「锦里麻将社」锦江厅 1 号桌开打了"]
    assert told(members[4], KINDS.TABLE) == []
    assert notice_address(notices_of(members[0]).get(kind=KINDS.TABLE)) == reverse("table", args=[table.pk])


def test_the_second_hand_is_news_for_a_newcomer_alone(table: Table, members: list[User]) -> None:
    hand_play_out(table_id=table.pk, users=members[:4])
    tables.seat_leave(table_id=table.pk, user=members[3])
    tables.seat_take(table_id=table.pk, number=3, user=members[4])
    hand_play_out(table_id=table.pk, users=[*members[:3], members[4]])
    assert [len(told(user, KINDS.TABLE)) for user in members] == [1] * 5


def test_what_a_notice_told_of_is_past_with_its_hand(table: Table, members: list[User]) -> None:
    hand_deal_and_finish = hand_play_out(table_id=table.pk, users=members[:4])
    assert hand_deal_and_finish.status == Hand.Status.SETTLED
    assert unread(members[0], KINDS.TABLE) == 0


def test_practice_is_not_announced(practice: Room, members: list[User]) -> None:
    table = tables.table_open(room=practice, user=members[0])
    tables.seat_ready(table_id=table.pk, user=members[0], nonce_commitment="0" * 64)
    assert tables.bots_fill(table_id=table.pk, user=members[0]) is not None
    assert told(members[0], KINDS.TABLE) == []


def test_whose_time_runs_out_is_told_once_a_hand(table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    everything_is_late(hand)  # the void suits: who is absent there is hidden
    assert not any(told(user, KINDS.TURN) for user in members)
    everything_is_late(hand)
    told_ones = [user for user in members if told(user, KINDS.TURN)]
    assert told_ones, "nobody was told"
    for user in told_ones:
        assert told(user, KINDS.TURN) == ["锦江厅 1 号桌轮到你时你不在，托管在替你出牌"]


# --- The line ------------------------------------------------------------------------------------------------------
def test_who_waits_is_told_of_the_seat_that_is_kept_for_them(room: Room, members: list[User]) -> None:
    anna, bao, host = members[:3]
    for user in (anna, bao):
        seating.waiting_join(room=room, user=user)
    assert told(anna, KINDS.SEAT) == []
    table = tables.table_open(room=room, user=host)
    for user in (anna, bao):
        assert told(user, KINDS.SEAT) == ["「锦里麻将社」锦江厅 1 号桌给你留了座位，45 秒内到大厅入座"]
        assert unread(user, KINDS.SEAT) == 1
    assert notice_address(notices_of(anna).get(kind=KINDS.SEAT)) == reverse("lobby", args=["jinli"])
    seating.lines_tend()
    assert len(told(anna, KINDS.SEAT)) == 1
    seating.waiting_accept(user=anna)
    assert (unread(anna, KINDS.SEAT), unread(bao, KINDS.SEAT)) == (0, 1)
    tables.seat_leave(table_id=table.pk, user=host)
    assert tables.end_vote(table_id=table.pk, user=anna, on=True)
    assert unread(bao, KINDS.SEAT) == 0, "the table is no more"
    tables.table_open(room=room, user=host)
    assert (len(told(bao, KINDS.SEAT)), unread(bao, KINDS.SEAT)) == (2, 1)
    Waiting.objects.filter(user=bao).update(offered_until=database_now() - timedelta(seconds=1))
    seating.lines_tend()
    assert unread(bao, KINDS.SEAT) == 0, "the seat went to the next"


# --- Coins ---------------------------------------------------------------------------------------------------------
def test_coins_that_operators_move_are_told_of_once(club: Club, members: list[User], operator: User) -> None:
    anna = Membership.objects.select_related("wallet__book", "club").get(user=members[0])
    for _repeat in range(2):
        given = member_coins_issue(membership=anna, amount=20_000, reason="周赛", actor=operator, key="k1")
    member_coins_withdraw(membership=anna, amount=5_000, reason="记错", actor=operator, key="k2")
    transfer_reverse(transfer=given, reason="撤回周赛", actor=operator)
    assert told(members[0], KINDS.COINS)[1:] == [
        "「锦里麻将社」发给你 20,000 金币：周赛",
        "「锦里麻将社」收回 5,000 金币：记错",
        "「锦里麻将社」冲正，从你这里减 20,000 金币：撤回周赛",
    ]


# --- Switches and mail ---------------------------------------------------------------------------------------------
def posted(count: int) -> Sequence[EmailMessage]:
    """The mails that went out, once there are so many of them."""
    deadline = time.monotonic() + 60
    while len(mail.outbox) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return mail.outbox


@pytest.fixture
def issue(club: Club, members: list[User], operator: User) -> Callable[[str], object]:
    anna = Membership.objects.select_related("wallet__book", "club").get(user=members[0])
    return lambda key: member_coins_issue(membership=anna, amount=7, reason="周赛\n冠军", actor=operator, key=key)


def test_every_kind_has_a_switch_of_its_own(members: list[User], issue: Callable[[str], object]) -> None:
    assert [(each.on_site, each.by_mail) for each in switches_of(members[0])] == [(True, False)] * len(KINDS)
    before = len(told(members[0], KINDS.COINS))
    switches_set(user=members[0], on_site=[KINDS.TABLE], by_mail=[])
    issue("off")
    assert len(told(members[0], KINDS.COINS)) == before
    switches_set(user=members[0], on_site=[KINDS.COINS, "nonsense"], by_mail=[])
    issue("on")
    assert len(told(members[0], KINDS.COINS)) == before + 1


def test_a_mail_goes_to_a_confirmed_address_after_the_commit(
    members: list[User],
    issue: Callable[[str], object],
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.SITE_URL = "https://club.example"
    switches_set(user=members[0], on_site=KINDS.values, by_mail=[KINDS.COINS])
    address = EmailAddress.objects.create(user=members[0], email="anna@club.example", primary=True)
    User.objects.filter(pk=members[0].pk).update(language="en")
    with django_capture_on_commit_callbacks(execute=True):
        issue("unconfirmed")
    address.verified = True
    address.save(update_fields=["verified"])
    with django_capture_on_commit_callbacks(execute=True):
        issue("confirmed")
        assert mail.outbox == []
    (letter,) = posted(1)
    assert letter.to == ["anna@club.example"]
    assert letter.subject.endswith("周赛 冠军")
    assert "锦里麻将社" in letter.subject and "7" in letter.subject and "发给你" not in letter.subject
    assert f"https://club.example{reverse('statement', args=['jinli'])}" in letter.body


# --- On the site ---------------------------------------------------------------------------------------------------
def test_the_bell_counts_and_opening_a_notice_takes_note_of_it(
    client: Client, members: list[User], issue: Callable[[str], object]
) -> None:
    issue("k")
    client.force_login(members[0])
    assert '<b class="badge">2</b>' in client.get(reverse("home")).text
    page = client.get(reverse("notices")).text
    assert "发给你 7 金币：周赛\n冠军" in page
    newest = notices_of(members[0])[0]
    assert client.get(reverse("notice", args=[newest.pk])).headers["Location"] == notice_address(newest)
    assert '<b class="badge">1</b>' in client.get(reverse("home")).text
    client.post(reverse("notices"))
    assert 'class="badge"' not in client.get(reverse("home")).text


def test_nobody_reads_anothers_notices(client: Client, members: list[User], issue: Callable[[str], object]) -> None:
    issue("k")
    theirs = notices_of(members[0])[0]
    client.force_login(members[1])
    assert client.get(reverse("notice", args=[theirs.pk])).status_code == 404
    assert notices_read(user=members[1], ids=[theirs.pk]) == 0
    assert "周赛" not in client.get(reverse("notices")).text
    theirs.refresh_from_db()
    assert theirs.read_at is None


def test_the_switches_on_the_account_page(client: Client, members: list[User]) -> None:
    client.force_login(members[0])
    client.post(reverse("switches_change"), {"on_site": ["table", "coins"], "by_mail": ["request"]})
    chosen = {each.kind: (each.on_site, each.by_mail) for each in switches_of(members[0])}
    off = (False, False)
    on_site, mail_only = (True, False), (False, True)
    told = {"table": on_site, "request": mail_only, "coins": on_site}
    assert chosen == dict.fromkeys(KINDS.values, off) | told
    assert client.get(reverse("account")).text.count("checked>") == 3
