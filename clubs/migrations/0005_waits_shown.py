from django.db import migrations, models

from accounts.append_only import append_only_still


class Migration(migrations.Migration):
    """Waits were always shown; now the terms say whether they are."""

    dependencies = [("clubs", "0004_join_requests")]
    operations = [
        append_only_still("clubs", "RoomTerms"),
        migrations.AddField("roomterms", "waits_shown", models.BooleanField("听牌提示", default=True)),
        append_only_still("clubs", "RoomTerms"),
    ]
