"""`manage.py demo`: create the demo club once and print its logins."""

from typing import Any

from django.core.management.base import BaseCommand

from games.demo import MEMBERS, OPERATOR, PASSWORD, SLUG, demo_create


class Command(BaseCommand):
    help = "Create the demo club (once): one operator, eight members with coins, two rooms and a few finished hands."

    def handle(self, *args: Any, **options: Any) -> None:
        demo_create()
        members = ", ".join(username for username, _name in MEMBERS)
        self.stdout.write(f"演示账号 demo logins (密码 password: {PASSWORD})")
        self.stdout.write(f"  管理员 operator: {OPERATOR[0]}   (/clubs/{SLUG}/desk/, /admin/)")
        self.stdout.write(f"  成员 members:    {members}")
