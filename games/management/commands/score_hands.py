"""`manage.py score_hands`: games/lines.py does it."""

import argparse
import sys
from typing import Any

from django.core.management.base import BaseCommand

from games import lines


class Command(BaseCommand):
    help = "Scores hands: scoring lines in (JSON), what they come to out. See docs/referee.md"
    requires_system_checks = ()  # they look at the database; hands need none

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        lines.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(lines.run("score", options["jobs"]))
