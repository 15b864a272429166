"""`manage.py ledger_check`: prove balances, transfers, hands and records against each other."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.ledger import ledger_check
from accounts.models import Book
from games.models import Hand
from games.proof import days_check, hands_check


class Command(BaseCommand):
    help = "Prove the ledger and every settled hand: one line for each fault, exit status 1 if there is any."

    def handle(self, *args: Any, **options: Any) -> None:
        faults = 0
        for fault in (*ledger_check(), *hands_check(), *days_check()):
            self.stdout.write(fault)
            faults += 1
        if faults:
            raise CommandError(f"{faults} faults")
        hands = Hand.objects.filter(status=Hand.Status.SETTLED).count()
        self.stdout.write(f"{Book.objects.count()} books and {hands} hands, no fault")
