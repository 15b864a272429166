"""The files of statement, history, ledger and reports: what stands in them, and who gets them."""

import csv
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import Posting, User
from clubs.models import Club, Membership
from games.models import Hand, HandSeat, Table
from games.reports import report_close, report_open
from games.selfplay import hand_play_out


@pytest.fixture
def hand(table: Table, members: list[User]) -> Hand:
    return hand_play_out(table_id=table.pk, users=members[:4])


def read(client: Client, address: str, **query: Any) -> list[dict[str, str]]:
    answer = client.get(address, query)
    assert answer.status_code == 200, address
    assert answer["Content-Disposition"].startswith("attachment; ")
    text = b"".join(answer).decode()
    assert text.startswith("\N{BYTE ORDER MARK}")
    return list(csv.DictReader(text[1:].splitlines()))


def test_the_statement_goes_from_opening_to_closing(
    hand: Hand, members: list[User], club: Club, client: Client
) -> None:
    client.force_login(members[0])
    rows = read(client, reverse("statement_csv", args=[club.slug]))
    mine = HandSeat.objects.get(hand=hand, membership__user=members[0])
    assert (rows[0]["类别"], rows[0]["余额"], rows[-1]["类别"]) == ("期初", "0", "现在")
    assert [row["变动"] for row in rows] == ["", "100000", f"{mine.coins}", ""]
    assert rows[2]["牌局"] == f"{hand.pk}" and rows[-1]["余额"] == f"{mine.balance_after}"
    assert client.get(reverse("statement_csv", args=[club.slug]), {"month": "2020-01"}).status_code == 404


def test_the_history_as_it_is_filtered(hand: Hand, members: list[User], client: Client) -> None:
    client.force_login(members[0])
    (row,) = read(client, reverse("history_csv"))
    mine = HandSeat.objects.get(hand=hand, membership__user=members[0])
    assert (row["牌局"], row["房间"], row["金币"], row["倍"]) == (
        f"{hand.pk}",
        "锦江厅",
        f"{mine.coins}",
        f"{mine.units}",
    )
    assert all(name in row["同桌的人"] for name in ("Bao", "Chen", "Deng"))
    assert read(client, reverse("history_csv"), period="dates", until="2020-01-01") == []
    assert client.get(reverse("history_csv"), {"result": "nonsense"}).status_code == 400
    page = client.get(reverse("history"), {"period": "7"}).text
    assert f"{reverse('history_csv')}?period=7" in page


def test_many_hands_take_few_queries(
    table: Table, members: list[User], client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _hand in range(3):
        hand_play_out(table_id=table.pk, users=members[:4])
    client.force_login(members[0])
    with django_assert_max_num_queries(24):
        assert len(read(client, reverse("history_csv"))) == 3


def test_operators_alone_get_the_ledger(
    hand: Hand, members: list[User], operator: User, club: Club, client: Client
) -> None:
    address = reverse("desk_ledger_csv", args=[club.slug])
    client.force_login(members[0])
    assert client.get(address).status_code == 403
    client.force_login(operator)
    rows = read(client, address)
    assert len(rows) == Posting.objects.filter(account__book=club.book_id).count()
    assert sum(int(row["变动"]) for row in rows) == 0
    assert {row["持有人"] for row in rows} >= {"Anna", "Bao", ""}
    assert address in client.get(reverse("desk_ledger", args=[club.slug])).text
    client.force_login(User.objects.create_user("stranger"))
    for name in ("desk_ledger_csv", "statement_csv", "reports_csv"):
        assert client.get(reverse(name, args=[club.slug])).status_code == 404
    client.logout()
    assert client.get(address).status_code == 302


def test_reports_are_those_that_the_page_shows(
    hand: Hand, members: list[User], operator: User, club: Club, client: Client
) -> None:
    words = ("=HYPERLINK(1)", "别人的事")
    for user, said in zip(members, words, strict=False):
        report = report_open(hand_id=hand.pk, reporter=user, kind="fault", words=said)
    report_close(report=report, actor=operator, note="已查")
    address = reverse("reports_csv", args=[club.slug])
    client.force_login(members[0])
    (row,) = read(client, address)
    assert (row["说明"], row["待处理"], row["申诉人"]) == ("'=HYPERLINK(1)", "是", "Anna")
    client.force_login(operator)
    assert [(row["说明"], row["答复"], row["处理人"]) for row in read(client, address)] == [
        ("别人的事", "已查", operator.name),
        ("'=HYPERLINK(1)", "", ""),
    ]
    assert Membership.objects.filter(user=operator, club=club).exists()
