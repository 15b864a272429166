import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0007_words"),
        ("games", "0007_day_figures"),
    ]

    operations = [
        migrations.AddField(
            model_name="seat",
            name="ready_terms",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clubs.roomterms"
            ),
        ),
    ]
