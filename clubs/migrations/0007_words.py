from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clubs", "0006_club_time_zone"),
    ]

    operations = [
        migrations.AlterField(
            model_name="membership",
            name="status",
            field=models.CharField(
                choices=[("active", "正常"), ("banned", "已停用"), ("left", "已退出")],
                default="active",
                max_length=10,
                verbose_name="状态",
            ),
        ),
        migrations.AlterField(
            model_name="roomterms",
            name="pacing",
            field=models.CharField(
                choices=[
                    ("quick", "快：随机停 0.6 到 1.2 秒"),
                    ("blind", "盲：每张都停满应牌时限"),
                    ("instant", "即时：不停，练习用"),
                ],
                default="quick",
                max_length=8,
                verbose_name="打牌后的停顿",
            ),
        ),
    ]
