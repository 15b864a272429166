"""A database of an earlier version is brought up to date with all that was played in it."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.ledger import ledger_check
from accounts.models import User
from clubs.models import Club, Room
from clubs.titles import title_names, titles_change
from games import play
from games.figures import figures_told
from games.models import DayFigures, Hand, SeatFigures, Table
from games.proof import days_check, hands_check
from games.selfplay import hand_deal, hand_play_out

BEFORE = [("games", "0006_statistics_and_reports"), ("clubs", "0007_words")]


@pytest.fixture
def newest() -> Iterator[None]:
    """Whatever a test does, the tests that follow find the newest tables."""
    yield
    upgrade()


def upgrade() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.mark.django_db(transaction=True)
def test_figures_and_titles_of_before(
    newest: None, club: Club, room: Room, table: Table, members: list[User], operator: User
) -> None:
    titles_change(club=club, actor=operator, thresholds={}, names={3: "新秀"}, reason="调整")
    for _hand in range(3):
        hand_play_out(table_id=table.pk, users=members[:4])
    void = hand_deal(table_id=table.pk, users=members[:4])
    play.hand_stop(hand_id=void.pk, actor=operator, rule="void", reason="停电")

    executor = MigrationExecutor(connection)
    then = executor.migrate(BEFORE).apps
    assert "games_dayfigures" not in connection.introspection.table_names()
    then.get_model("games", "SeatFigures").objects.filter(hand=void.pk).delete()  # kept since for void hands too
    names = dict(then.get_model("clubs", "Title").objects.filter(club=club.pk).values_list("level", "name"))
    assert (names[2], names[3]) == ("初入江湖", "新秀")

    upgrade()
    assert [*ledger_check(), *hands_check(), *days_check()] == []
    anew = list(figures_told(Hand.objects.all()))
    assert list(SeatFigures.objects.order_by("hand_id", "number").values(*anew[0])) == anew
    assert len(anew) == 16
    assert sum(DayFigures.objects.values_list("hands", flat=True)) == 12
    assert list(club.titles.exclude(own_name="").values_list("level", "own_name")) == [(3, "新秀")]
    assert title_names(club)[2] == "初入江湖"
