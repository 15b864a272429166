"""How the pages of records do for a member of many hands: `make bench-records`, or `python -m bench.records 100000`.

A club plays a few hands, which are then copied day by day with changing opponents, first to a hundredth of what is asked, then
to all of it. What counts is the ratio: a page that sums few rows hardly takes longer with a hundred times the hands.
Without DATABASE_URL it measures SQLite.
"""

import os
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any, Final

import django

from bench.site import own_database, own_file

PLAYED: Final = 40  # hands
A_DAY: Final = 80  # hands, two rounds of copies
OTHERS: Final = 30  # members who sit opposite
FEW: Final = 100  # times fewer hands in the first measurement
LINES: Final = 5_000  # of the statement of the month before this one
RUNS: Final = 5  # of each page; the median is told


def main() -> None:
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    place: AbstractContextManager[None] = own_database() if os.environ.get("DATABASE_URL") else own_file()
    with place:
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        measure(hands)


def measure(hands: int) -> None:
    from django.db import connection
    from django.test import Client
    from django.urls import reverse

    from bench.club import SLUG, BenchClub

    club = BenchClub()
    others = [club.member(f"other{number}") for number in range(OTHERS)]
    user = club.member("anna")
    copies = Copies(club, user, others)
    pages = {
        "statistics": reverse("statistics", args=[SLUG]),
        "statistics, all time": reverse("statistics", args=[SLUG]) + "?period=all",
        "leaderboard, season": reverse("leaderboard", args=[SLUG]) + "?period=season",
        "history": reverse("history"),
        "history, won": reverse("history") + "?result=won",
        "history, 8 fan": reverse("history") + "?fan=8",
        "history, one room, 90 days": reverse("history") + f"?period=90&room={copies.room.pk}",
        "statement": reverse("statement", args=[SLUG]),
        f"statement, a month of {LINES:,}": reverse("statement", args=[SLUG]) + f"?month={_last_month():%Y-%m}",
        f"statement, a day of {LINES // 25}": reverse("statement", args=[SLUG])
        + f"?month={_last_month():%Y-%m}&day={_last_month():%Y-%m}-10",
    }
    client = Client(HTTP_HOST="localhost")
    client.force_login(user)
    told: list[dict[str, float]] = []
    for count in (hands // FEW, hands):
        start = time.perf_counter()
        copies.grow(count)
        if not told:
            copies.coins()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        print(f"{count:,} hands on {connection.vendor}, made in {time.perf_counter() - start:.0f} s", flush=True)
        told.append({name: _seconds(client, address) for name, address in pages.items()})
    print(f"{'page':30} {hands // FEW:>9,} {hands:>9,}   ratio")
    for name in pages:
        few, many = (each[name] for each in told)
        print(f"{name:30} {few:8.3f}s {many:8.3f}s {many / few:7.1f}")


def _last_month() -> datetime:
    """The first moment of the month before this one."""
    from django.utils import timezone

    return (timezone.localtime().replace(day=1) - timedelta(days=1)).replace(day=1, hour=0, minute=0, second=0)


def _seconds(client: Any, address: str) -> float:
    """The median time of a page, the first of which is not counted."""
    times = []
    for _run in range(RUNS + 1):
        start = time.perf_counter()
        answer = client.get(address)
        times.append(time.perf_counter() - start)
        assert answer.status_code == 200, answer
    return sorted(times[1:])[RUNS // 2]


class Copies:
    """Hands that a member has played with some others, copied with all their rows."""

    def __init__(self, club: Any, user: Any, others: Sequence[Any]) -> None:
        from clubs.models import Membership, RoomTerms
        from clubs.rooms import room_create
        from games.models import Hand, HandSeat, Payment, SeatFigures, Win
        from games.selfplay import hand_play_out, table_open_with

        self.room = room_create(
            club=club.club,
            name="测试厅",
            actor=club.operator,
            preset="qq_dingque",
            coefficient=0,
            pacing=RoomTerms.Pacing.INSTANT,
        )
        people = [user, *others[:3]]
        table = table_open_with(self.room, people)
        for _hand in range(PLAYED):
            hand_play_out(table_id=table.pk, users=people)
        member = dict(Membership.objects.filter(club=club.club).values_list("user", "pk"))
        self.me, self.others = member[user.pk], [member[other.pk] for other in others]
        self.last = Hand.objects.order_by("-pk")[0]
        self.models = (Hand, HandSeat, Win, Payment, SeatFigures)
        self.club = club.club
        self.round = 0

    def grow(self, count: int) -> None:
        """Copy the hands that were played until there are so many, older days last."""
        from django.db import connection, transaction
        from django.utils import timezone

        from games.figures import days_rebuild

        start = timezone.now().replace(hour=4, minute=0, second=0, microsecond=0)
        with transaction.atomic(), connection.cursor() as cursor:
            while (self.round + 1) * PLAYED < count:
                self.round += 1
                self._copy(cursor, start - timedelta(days=self.round * PLAYED // A_DAY))
        days_rebuild(club=self.club)

    def _copy(self, cursor: Any, day: datetime) -> None:
        from django.db import connection

        shift = self.round * 10_000_000
        first = self.last.pk - PLAYED
        opposite = [self.me, *(self.others[(self.round + seat) % OTHERS] for seat in range(3))]
        cases = " ".join(f"WHEN {seat} THEN {member}" for seat, member in enumerate(opposite))
        moment = connection.ops.adapt_datetimefield_value(day)
        for model in self.models:
            told, values = [], []
            for field in model._meta.concrete_fields:
                column = connection.ops.quote_name(str(field.column))
                told.append(column)
                match field.name:
                    case "id":
                        values.append(f"id + {shift}")
                    case "hand":
                        values.append(f"hand_id + {shift}")
                    case "number" if model.__name__ == "Hand":
                        values.append(f"{column} + {shift // 10_000}")
                    case "membership":
                        values.append(f"CASE number {cases} END")
                    case "ended_at" | "started_at":
                        values.append("%s")
                    case "record":
                        values.append("NULL")
                    case "opponents":
                        values.append(self._renamed(opposite))
                    case _:
                        values.append(column)
            own = "id" if model.__name__ == "Hand" else "hand_id"
            cursor.execute(
                f"INSERT INTO {model._meta.db_table} ({', '.join(told)}) SELECT {', '.join(values)}"
                f" FROM {model._meta.db_table} WHERE {own} > {first} AND {own} <= {self.last.pk}",
                [moment] * values.count("%s"),
            )

    def coins(self) -> None:
        """Give the member a month of many lines, 25 days of as many each, one for every hand there is and then again."""
        from django.db import transaction

        from accounts.models import Account, Posting, Transfer
        from clubs.models import Membership
        from games.models import SeatFigures

        me = Membership.objects.select_related("wallet__book").get(pk=self.me)
        Membership.objects.filter(pk=self.me).update(joined_at=_last_month())
        house = Account.objects.get(book=me.wallet.book, kind=Account.Kind.ISSUE)
        hands = list(SeatFigures.objects.filter(membership=self.me).values_list("hand", flat=True))
        moment = Transfer._meta.get_field("created_at")
        moment.auto_now_add = False
        with transaction.atomic():
            made = Transfer.objects.bulk_create(
                Transfer(
                    book=me.wallet.book,
                    key=f"hand:{hands[line % len(hands)]}:bench:{line}",
                    kind=Transfer.Kind.HAND,
                    created_at=_last_month() + timedelta(days=line * 25 // LINES, minutes=line % (LINES // 25)),
                )
                for line in range(LINES)
            )
            Posting.objects.bulk_create(
                Posting(transfer=transfer, account=account, amount=sign, balance_after=balance + sign * (line + 1))
                for line, transfer in enumerate(made)
                for account, balance, sign in ((me.wallet, me.wallet.balance, 1), (house, house.balance, -1))
            )
        moment.auto_now_add = True

    def _renamed(self, members: Sequence[int]) -> str:
        """The opponents of a row, by the members who sit there in a copy."""
        from django.db import connection

        names = "opponents" if connection.vendor == "sqlite" else "opponents::text"
        for seat, member in enumerate([self.me, *self.others[:3]]):
            names = f"REPLACE({names}, '\"{member}\"', '\"seat{seat}\"')"
        for seat, member in enumerate(members):
            names = f"REPLACE({names}, '\"seat{seat}\"', '\"{member}\"')"
        return names if connection.vendor == "sqlite" else f"({names})::jsonb"


if __name__ == "__main__":
    main()
