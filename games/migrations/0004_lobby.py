import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Private tables, votes for parting, and the line of a room."""

    dependencies = [
        ("clubs", "0003_terms_reserve_watching"),
        ("games", "0003_heartbeat"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.AddField("seat", "wants_end", models.BooleanField(default=False)),
        migrations.AddField(
            "table", "code", models.CharField("口令", blank=True, db_index=True, default="", max_length=8), False
        ),
        migrations.CreateModel(
            "Waiting",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("offered_until", models.DateTimeField(db_index=True, null=True)),
                ("lapsed_at", models.DateTimeField(null=True)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                (
                    "membership",
                    models.ForeignKey(
                        to="clubs.membership", on_delete=django.db.models.deletion.CASCADE, related_name="waiting"
                    ),
                ),
                (
                    "room",
                    models.ForeignKey(
                        to="clubs.room", on_delete=django.db.models.deletion.CASCADE, related_name="waiting"
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        to="games.table",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="offers",
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        to=settings.AUTH_USER_MODEL,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="waiting",
                    ),
                ),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.AddConstraint(
            "waiting",
            models.CheckConstraint(
                condition=Q(table=None, offered_until=None) | Q(table__isnull=False, offered_until__isnull=False),
                name="an_offer_has_a_limit",
            ),
        ),
    ]
