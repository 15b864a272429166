import django.core.validators
from django.db import migrations, models

from accounts.append_only import append_only_still


class Migration(migrations.Migration):
    """Time in reserve and watching. Terms that were agreed on before have neither."""

    dependencies = [("clubs", "0002_append_only")]
    operations = [
        append_only_still("clubs", "RoomTerms"),
        migrations.AddField(
            "roomterms",
            "reserve_seconds",
            models.PositiveSmallIntegerField(
                "每局备用时间（秒）", default=0, validators=[django.core.validators.MaxValueValidator(600)]
            ),
        ),
        migrations.AlterField(
            "roomterms",
            "reserve_seconds",
            models.PositiveSmallIntegerField(
                "每局备用时间（秒）", default=20, validators=[django.core.validators.MaxValueValidator(600)]
            ),
        ),
        migrations.AddField(
            "roomterms",
            "watching",
            models.CharField(
                "旁观",
                max_length=8,
                choices=[("off", "不开放"), ("seconds", "延迟若干秒"), ("hands", "只看打完的一局")],
                default="off",
            ),
        ),
        migrations.AddField(
            "roomterms",
            "watch_delay",
            models.PositiveSmallIntegerField(
                "旁观延迟（秒）", default=60, validators=[django.core.validators.MaxValueValidator(600)]
            ),
        ),
        append_only_still("clubs", "RoomTerms"),
    ]
