"""A title has a name of its own only where the club gave it one; the usual names follow the reader's language."""

from django.db import migrations, models

USUAL = [
    "未闻世事",
    "初入江湖",
    "初生牛犊",
    "小露锋芒",
    "小有所成",
    "街头霸王",
    "重装上阵",
    "小有名气",
    "混迹江湖",
    "八面玲珑手",
    "学无止境",
    "师出名门",
    "常胜将军",
    "横扫千军",
    "屈指可数",
    "空前绝后",
    "百里挑一",
    "家喻户晓",
    "鼎鼎大名",
    "名震江湖",
    "唯我独尊",
    "笑傲江湖",
]


def usual_names_forget(apps, schema_editor):
    titles = apps.get_model("clubs", "Title").objects
    for level, name in enumerate(USUAL, start=1):
        titles.filter(level=level, own_name=name).update(own_name="")


def usual_names_write(apps, schema_editor):
    titles = apps.get_model("clubs", "Title").objects
    for level, name in enumerate(USUAL, start=1):
        titles.filter(level=level, own_name="").update(own_name=name)


class Migration(migrations.Migration):
    dependencies = [("clubs", "0007_words")]

    operations = [
        migrations.RenameField("title", "name", "own_name"),
        migrations.AlterField("title", "own_name", models.CharField(blank=True, max_length=12, verbose_name="头衔")),
        migrations.RunPython(usual_names_forget, usual_names_write),
    ]
