from django.db import migrations

from accounts.append_only import append_only


class Migration(migrations.Migration):
    """Terms and level changes are history: what was played for and who rose when is never rewritten."""

    dependencies = [("clubs", "0001_initial")]
    operations = [append_only("clubs", "RoomTerms", "LevelChange")]
