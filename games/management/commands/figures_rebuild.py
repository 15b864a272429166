"""`manage.py figures_rebuild`: the figures behind statistics and leaderboards, written anew from the records of all hands."""

from typing import Any

from django.core.management.base import BaseCommand

from games.figures import figures_rebuild


class Command(BaseCommand):
    help = "Write the figures of all settled hands anew from their records. Players may go on playing meanwhile."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{figures_rebuild()} hands")
