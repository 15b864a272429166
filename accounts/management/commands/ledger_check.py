from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.ledger import ledger_check
from accounts.models import Book


class Command(BaseCommand):
    help = "Prove the ledger: one line for each fault, exit status 1 if there is any."

    def handle(self, *args: Any, **options: Any) -> None:
        faults = ledger_check()
        for fault in faults:
            self.stdout.write(fault)
        if faults:
            raise CommandError(f"{len(faults)} faults")
        self.stdout.write(f"{Book.objects.count()} books, no fault")
