from django.db import migrations, models


class Migration(migrations.Migration):
    """When a server process was last known to run (`games.clock`)."""

    dependencies = [("games", "0002_append_only_log")]
    operations = [
        migrations.CreateModel(
            "Heartbeat",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField()),
            ],
        ),
    ]
