"""`manage.py figures_rebuild`: the figures behind statistics and leaderboards, written anew from the records of all hands; with
`--days CLUB` only a club's sums by day, from its figures, after it has moved to another time zone."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from clubs.models import Club
from games.figures import days_rebuild, figures_rebuild


class Command(BaseCommand):
    help = "Write the figures of all settled hands anew from their records. Players may go on playing meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", metavar="CLUB", help="only the sums by day of the club of this address name")

    def handle(self, *args: Any, days: str | None, **options: Any) -> None:
        if days is None:
            self.stdout.write(f"{figures_rebuild()} hands")
            return
        club = Club.objects.filter(slug=days).first()
        if club is None:
            raise CommandError(f"no club {days}")
        self.stdout.write(f"{days_rebuild(club=club)} members")
