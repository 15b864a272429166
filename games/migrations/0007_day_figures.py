import zoneinfo
from collections import defaultdict

import django.db.models.deletion
from django.db import migrations, models

from games.figures import day_sums, figures_told, opponents_of

BATCH = 500


def fill(apps, _editor):
    """The hands of before have opponents and sums too, and those that count for nothing have figures; fields that later versions
    add are filled by theirs."""
    seats, days = apps.get_model("games", "SeatFigures"), apps.get_model("games", "DayFigures")
    hands = list(seats.objects.order_by("hand").values_list("hand", flat=True).distinct())
    for start in range(0, len(hands), BATCH):
        batch = hands[start : start + BATCH]
        wins, payments, rows = defaultdict(list), defaultdict(list), defaultdict(list)
        for hand, *win in (
            apps.get_model("games", "Win").objects.filter(hand__in=batch).values_list("hand", "seat", "source")
        ):
            wins[hand].append(win)
        paid = apps.get_model("games", "Payment").objects.filter(hand__in=batch)
        for hand, *payment in paid.values_list("hand", "payer", "payee", "units"):
            payments[hand].append(payment)
        for row in seats.objects.filter(hand__in=batch).order_by("number"):
            rows[row.hand_id].append(row)
        for hand, four in rows.items():
            met = opponents_of([row.membership_id for row in four], wins=wins[hand], payments=payments[hand])
            for row, told in zip(four, met, strict=True):
                row.opponents = told
        seats.objects.bulk_update([row for four in rows.values() for row in four], ["opponents"], batch_size=BATCH)
    known = {field.attname for field in seats._meta.fields}
    settled = apps.get_model("games", "Hand").objects.filter(status="settled", figures=None)
    for values in list(figures_told(settled)):
        seats.objects.create(**{name: value for name, value in values.items() if name in known})
    known = {field.attname for field in days._meta.fields}
    for club in apps.get_model("clubs", "Club").objects.all():
        for member in (
            seats.objects.filter(club=club).order_by("membership").values_list("membership", flat=True).distinct()
        ):
            sums = day_sums(
                seats.objects.filter(membership=member).values().iterator(2000), zoneinfo.ZoneInfo(club.time_zone)
            )
            days.objects.bulk_create(
                (days(**{name: value for name, value in day.items() if name in known}) for day in sums),
                batch_size=BATCH,
            )


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0006_club_time_zone"),
        ("games", "0006_statistics_and_reports"),
    ]

    operations = [
        migrations.CreateModel(
            name="DayFigures",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("preset", models.CharField(max_length=24, verbose_name="规则")),
                ("day", models.DateField(verbose_name="日期")),
                ("is_auto", models.BooleanField(verbose_name="有托管")),
                ("hands", models.PositiveIntegerField(verbose_name="手数")),
                ("wins", models.PositiveIntegerField(verbose_name="胡")),
                ("first", models.PositiveIntegerField()),
                ("second", models.PositiveIntegerField()),
                ("third", models.PositiveIntegerField()),
                ("self_drawn", models.PositiveIntegerField(verbose_name="自摸")),
                ("jipin", models.PositiveIntegerField(verbose_name="极品")),
                ("dealt_in", models.PositiveIntegerField(verbose_name="点炮")),
                ("drawn", models.PositiveIntegerField()),
                ("live_at_draw", models.PositiveIntegerField()),
                ("ready", models.PositiveIntegerField()),
                ("huazhu", models.PositiveIntegerField()),
                ("dajiao", models.PositiveIntegerField()),
                ("left", models.PositiveIntegerField()),
                ("units", models.BigIntegerField(verbose_name="净倍数")),
                ("points", models.BigIntegerField(verbose_name="积分")),
                ("rake", models.BigIntegerField(verbose_name="台费")),
                ("coins", models.BigIntegerField(verbose_name="净金币")),
                ("fed", models.PositiveIntegerField()),
                ("fan", models.PositiveIntegerField()),
                ("exposed_kongs", models.PositiveIntegerField()),
                ("added_kongs", models.PositiveIntegerField()),
                ("concealed_kongs", models.PositiveIntegerField()),
                ("kongs_paid", models.PositiveIntegerField()),
                ("transfers_got", models.PositiveIntegerField()),
                ("transfers_paid", models.PositiveIntegerField()),
                ("huazhu_got", models.PositiveIntegerField()),
                ("huazhu_paid", models.PositiveIntegerField()),
                ("dajiao_got", models.PositiveIntegerField()),
                ("dajiao_paid", models.PositiveIntegerField()),
                ("refunds_got", models.PositiveIntegerField()),
                ("refunds_paid", models.PositiveIntegerField()),
                ("win_units", models.BigIntegerField()),
                ("fed_units", models.BigIntegerField()),
                ("self_draw_units", models.BigIntegerField()),
                ("exposed_kong_units", models.BigIntegerField()),
                ("added_kong_units", models.BigIntegerField()),
                ("concealed_kong_units", models.BigIntegerField()),
                ("kong_units_paid", models.BigIntegerField()),
                ("transfer_units", models.BigIntegerField()),
                ("huazhu_units", models.BigIntegerField()),
                ("dajiao_units", models.BigIntegerField()),
                ("refund_units", models.BigIntegerField()),
                ("escape_units", models.BigIntegerField()),
                ("patterns", models.JSONField(default=dict)),
                ("opponents", models.JSONField(default=dict)),
            ],
            options={
                "verbose_name": "每日统计",
                "verbose_name_plural": "每日统计",
            },
        ),
        migrations.AddField(
            model_name="seatfigures",
            name="is_practice",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="seatfigures",
            name="opponents",
            field=models.JSONField(default=dict),
        ),
        migrations.AddIndex(
            model_name="seatfigures",
            index=models.Index(fields=["membership", "hand"], name="hands_of_member"),
        ),
        migrations.AddIndex(
            model_name="seatfigures",
            index=models.Index(
                condition=models.Q(("is_practice", True)), fields=["membership"], name="practice_of_member"
            ),
        ),
        migrations.AddIndex(
            model_name="seatfigures",
            index=models.Index(
                condition=models.Q(("win_order__gt", 0)), fields=["membership", "uncapped_fan"], name="wins_of_member"
            ),
        ),
        migrations.AddIndex(
            model_name="seatfigures",
            index=models.Index(
                condition=models.Q(("is_jipin", True)),
                fields=["membership", "is_auto", "-uncapped_fan", "-win_units", "-ended_at"],
                name="best_of_member",
            ),
        ),
        migrations.AddField(
            model_name="dayfigures",
            name="club",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="clubs.club",
                verbose_name="俱乐部",
            ),
        ),
        migrations.AddField(
            model_name="dayfigures",
            name="membership",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="days",
                to="clubs.membership",
                verbose_name="成员",
            ),
        ),
        migrations.AddField(
            model_name="dayfigures",
            name="room",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clubs.room", verbose_name="房间"
            ),
        ),
        migrations.AddIndex(
            model_name="dayfigures",
            index=models.Index(fields=["club", "day"], name="day_figures_of_club"),
        ),
        migrations.AddConstraint(
            model_name="dayfigures",
            constraint=models.UniqueConstraint(
                fields=("membership", "day", "room", "preset", "is_auto"), name="one_sum_a_day"
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
