from django.db import migrations

from accounts.append_only import append_only


class Migration(migrations.Migration):
    """The log of a hand and what it came to are never rewritten."""

    dependencies = [("games", "0001_initial")]
    operations = [append_only("games", "Action", "Win", "Payment")]
