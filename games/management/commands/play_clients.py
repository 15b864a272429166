"""`manage.py play_clients --url http://127.0.0.1:8000 --hands 20`: whole hands played and checked from outside.

Four members sign in, open a table, play over real WebSockets and compare what each was shown with the record in the
API; every record is judged again. Exit status 1 if anything differs.
"""

import asyncio
import json
import time
from collections import defaultdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.clients import Client, ClientError, Seen, compare, play_hands
from games.demo import MEMBERS, PASSWORD


class Command(BaseCommand):
    help = "Play hands from outside with four members and check what they saw against the API."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", required=True, help="the site, e.g. http://127.0.0.1:8000")
        parser.add_argument("--hands", type=int, default=20)
        parser.add_argument(
            "--room", help="the room's id; default: the first room of the members' club that takes coins"
        )
        parser.add_argument("--members", nargs=4, default=[name for name, _nick in MEMBERS[:4]], metavar="NAME")
        parser.add_argument("--password", default=PASSWORD)

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        clients = [Client(options["url"].rstrip("/"), name) for name in options["members"]]
        faults = 0
        checked = 0

        def check(hand_id: int, seen: list[Seen]) -> None:
            nonlocal faults, checked
            record = json.loads(clients[0].get(f"/api/v1/hands/{hand_id}/record"))
            found = compare(seen, record) + _titles_differ(clients, seen)
            checked += 1
            faults += len(found)
            coins = " ".join(f"{coins:+d}" for coins in record["result"]["coins"])
            self.stdout.write(
                f"hand {hand_id}: {record['result']['end']:7} coins {coins}  {'ok' if not found else 'FAULTS'}"
            )
            for fault in found:
                self.stderr.write(f"  {fault}")

        try:
            asyncio.run(_play(clients, options, check))
        except (ClientError, OSError) as error:
            raise CommandError(str(error)) from error
        seconds = time.monotonic() - started
        self.stdout.write(f"{checked} hands checked, {faults} faults, {seconds:.0f} s")
        if faults or checked != options["hands"]:
            raise CommandError("what the members saw is not what the API says")


async def _play(clients: list[Client], options: dict[str, Any], check: Any) -> None:
    for client in clients:
        await asyncio.to_thread(client.sign_in, options["password"])
    room = options["room"] or await asyncio.to_thread(_coin_room, clients[0])
    path = await asyncio.to_thread(
        clients[0].post, f"/rooms/{room}/tables/", {}, await asyncio.to_thread(_lobby, clients[0], room)
    )
    table_id = int(path.strip("/").split("/")[-1])
    seen: dict[int, list[Seen]] = defaultdict(list)
    checks: set[asyncio.Task[None]] = set()

    def settled(one: Seen) -> None:
        seen[one.hand_id].append(one)
        if len(seen[one.hand_id]) == len(clients):
            checks.add(asyncio.create_task(asyncio.to_thread(check, one.hand_id, seen.pop(one.hand_id))))

    await asyncio.gather(
        *(play_hands(client, table_id, seat, options["hands"], settled) for seat, client in enumerate(clients))
    )
    await asyncio.gather(*checks)


def _rooms(client: Client) -> list[dict[str, Any]]:
    rooms: list[dict[str, Any]] = json.loads(client.get("/api/v1/rooms/"))["results"]
    return rooms


def _coin_room(client: Client) -> str:
    rooms = sorted((room for room in _rooms(client) if room["terms"]["coefficient"]), key=lambda room: int(room["id"]))
    if not rooms:
        raise ClientError("the members have no room that takes coins")
    return str(rooms[0]["id"])


def _lobby(client: Client, room_id: str) -> str:
    room = next(room for room in _rooms(client) if str(room["id"]) == str(room_id))
    return f"/clubs/{room['club']['slug']}/"


def _titles_differ(clients: list[Client], seen: list[Seen]) -> list[str]:
    """Where a title that the settlement showed is not the one that the API gives for the hand."""
    faults = []
    said = {seat["seat"]: seat for seat in json.loads(clients[0].get(f"/api/v1/hands/{seen[0].hand_id}/"))["seats"]}
    for one in seen:
        for number, shown in enumerate(one.settlement["seats"]):
            if (said[number]["level"], said[number]["title"]) != (shown["level_after"], shown["title_after"]):
                faults.append(f"seat {one.seat} was shown {shown['title_after']}, the API says {said[number]['title']}")
    return faults
