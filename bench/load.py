"""The sections of `bench.live`."""

import asyncio
import random
import socket
import statistics
import threading
from collections import Counter
from collections.abc import Awaitable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from time import perf_counter, process_time
from typing import Any, Final, TypeVar
from uuid import uuid4

import uvloop
from channels.layers import get_channel_layer
from django.core.management import call_command
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from bench import echo
from bench.club import SLUG, BenchClub, Seated, cookie_of
from bench.layers import GROUPS, MEMBERS, layers_compared
from bench.link import opened
from bench.players import Figures, Hall, Stuck, hall
from bench.site import Server
from clubs.models import RoomTerms
from games.models import Action, Hand, Table
from games.rules.wall import SEATS

ROUNDS: Final = 3
FAST_TABLES: Final = 24
FAST_SECONDS: Final = 10.0  # several hands at each table
QUIET_TABLES: Final = 10
FEW: Final = 50
MANY: Final = 200
LOAD_SECONDS: Final = 15.0
HAND_SECONDS: Final = 75.0  # in which most tables end a hand and begin another
PACE: Final = 1.0
VIEWERS: Final = 200
LOBBY_SECONDS: Final = 4.0  # as static/site/lobby.js has it

Result = TypeVar("Result")


def measure(asked: Sequence[str], seed: int) -> None:
    """Run the sections of these names, or all."""
    random.seed(seed)
    call_command("migrate", interactive=False, verbosity=0)
    club = BenchClub()
    server = Server(free_port())
    print(f"seed {seed}, one worker, {server.url}")
    try:
        for name, section in SECTIONS.items():
            if asked and name not in asked:
                continue
            try:
                section(club, server)
            except* Stuck as stuck:
                print(f"  {stuck.exceptions[0]}: the server cannot keep up: NOT REACHED")
            club.hands_stop()
    finally:
        server.stop()


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run the clients, on the loop that costs least."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def durable(club: BenchClub, server: Server) -> None:
    title(f"Durable actions a second, {FAST_TABLES} tables, against rows created over as many connections")
    seated = club.seated(FAST_TABLES, RoomTerms.Pacing.INSTANT)
    hands = [spare_hand(one) for one in seated]
    rates: dict[str, list[float]] = {"create": [], "ours": []}

    async def rounds() -> None:
        async with hall([server.url], 0) as played:
            await played.open(seated)
            await played.measured(2)
            for _ in range(ROUNDS):
                clients = process_time()
                figures, cpu = await costing([server], played.measured(FAST_SECONDS))
                clients = (process_time() - clients) / FAST_SECONDS
                rates["ours"].append(len(figures.acknowledged) / FAST_SECONDS)
                print("  acknowledged  ", percentiles(figures.acknowledged), dict(figures.refused) or "")
                print(f"    {figures.answered} commands of any kind, {len(figures.sizes)} events", end=", ")
                print(f"server {cpu:.0%} and clients {clients:.0%} of a processor", end=", ")
                print(f"{1000 * cpu / rates['ours'][-1]:.2f} ms of the server for an action")

    run(rounds())
    for _ in range(ROUNDS):
        rates["create"].append(created(hands, FAST_SECONDS))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    for name, rate in medians.items():
        print(f"  {name:14} {rate:10,.0f} /s")
    judge("ours / create", medians["ours"] / medians["create"], "", at_least=0.5)


def spare_hand(seated: Seated) -> Hand:
    """A settled hand, to which the loop may add rows."""
    table = Table.objects.select_related("room__terms").get(pk=seated.table_id)
    assert table.room.terms is not None
    return Hand.objects.create(
        table=table,
        number=0,
        terms=table.room.terms,
        status=Hand.Status.SETTLED,
        seed=b"",
        commitment="",
        engine="",
    )


_rows: dict[int, int] = {}


def created(hands: Sequence[Hand], seconds: float) -> float:
    """Rows a second that a bare loop over `create()` adds to the log of hands, each over a connection of its own."""
    ends = perf_counter() + seconds
    counts: list[int] = []

    def loop(hand: Hand) -> None:
        first = seq = _rows.get(hand.pk, 0)
        while perf_counter() < ends:
            seq += 1
            Action.objects.create(
                hand=hand,
                seq=seq,
                seat=0,
                kind="discard",
                data={"tile": "5m"},
                source=Action.Source.PLAYER,
                command_id=str(uuid4()),
                created_at=timezone.now(),
            )
        connection.close()
        _rows[hand.pk] = seq
        counts.append(seq - first)

    threads = [threading.Thread(target=loop, args=(hand,)) for hand in hands]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


def quiet(club: BenchClub, server: Server) -> None:
    title(f"From a discard to its event at the other three, {QUIET_TABLES} tables, against an echo of that size")
    seated = club.seated(QUIET_TABLES, RoomTerms.Pacing.QUICK)

    async def both() -> tuple[Figures, list[float], list[float]]:
        async with hall([server.url], PACE) as played:
            await played.open(seated)
            await played.measured(2)
            figures = await played.measured(LOAD_SECONDS)
            size = round(statistics.fmean(figures.sizes))
            print(f"  {size:,} bytes a frame")
            beside = await echoes(server, size, QUIET_TABLES * (SEATS - 1), LOAD_SECONDS)
        return figures, beside, await echoes(server, size, QUIET_TABLES * (SEATS - 1), LOAD_SECONDS)

    figures, beside, alone = run(both())
    print(f"  seen           {percentiles(figures.seen)}")
    print(f"  acknowledged   {percentiles(figures.acknowledged)}")
    print(f"  echo           {percentiles(alone)}")
    print(f"  echo beside    {percentiles(beside)}")
    for name, echoed in (("echo", alone), ("echo beside", beside)):
        judge(f"seen / {name}, p99", percentile(figures.seen, 99) / percentile(echoed, 99), "", at_most=3)


async def echoes(server: Server, size: int, sockets: int, seconds: float) -> list[float]:
    """Seconds that frames of a size take to come back, one a second on each socket."""
    frame = b"x" * size
    found: list[float] = []

    async def one() -> None:
        back = asyncio.Event()

        def take(_text: bytes) -> None:
            found.append(perf_counter() - sent)
            back.set()

        link = await opened(server.url, echo.PATH, take)
        await asyncio.sleep(random.uniform(0, PACE))
        ends = perf_counter() + seconds
        while (sent := perf_counter()) < ends:
            back.clear()
            link.send(frame)
            await back.wait()
            await asyncio.sleep(PACE)
        link.close()

    await asyncio.gather(*(one() for _ in range(sockets)))
    return found


def evening(club: BenchClub, server: Server) -> None:
    title(f"{FEW} and {MANY} tables, an action every {PACE:g} s at each, and {VIEWERS} who look at the lobby")
    seated = club.seated(MANY, RoomTerms.Pacing.QUICK)
    viewers = [cookie_of(club.member(f"viewer-{number}")) for number in range(VIEWERS)]

    async def grow() -> None:
        memory = server.memory()
        async with hall([server.url], PACE) as played:
            costs = []
            for begin, end in ((0, FEW), (FEW, MANY)):
                await played.open(seated[begin:end])
                await played.measured(3)
                figures, cpu = await load([server], played, end)
                costs.append(cpu / end)
                grown = (server.memory() - memory) / end / 1000
                print(f"    memory {server.memory() / 1e6:.0f} MB")
            judge("seen, p99", 1000 * percentile(figures.seen, 99), "ms", at_most=100)
            figures, cpu = await load([server], played, MANY, HAND_SECONDS)
            print(
                f"    memory {server.memory() / 1e6:.0f} MB, {(server.memory() - memory) / MANY / 1000:.0f} kB a table"
            )
            judge("seen while hands end and begin, p99", 1000 * percentile(figures.seen, 99), "ms", at_most=100)
            judge("memory of a table", grown, "kB", at_most=200)
            judge(f"processor time of a table among {MANY} / among {FEW}", costs[1] / costs[0], "", at_most=1.2)
            answers, both = await costing([server], looks(server, viewers, LOAD_SECONDS))
            print(f"  the lobby      {percentiles([seconds for seconds, _status in answers])}")
            statuses = Counter(status for _seconds, status in answers)
            print(f"    {dict(statuses)}, server {both - cpu:+.0%} of a processor")

    run(grow())


def workers(club: BenchClub, server: Server) -> None:
    title(f"{MANY} tables, an action every {PACE:g} s at each, two workers, two seats of each table on either")
    seated = club.seated(MANY, RoomTerms.Pacing.QUICK)
    second = Server(free_port())

    async def both() -> None:
        async with hall([server.url, second.url], PACE) as played:
            await played.open(seated)
            await played.measured(3)
            figures, _cpu = await load([server, second], played, MANY)
            judge("seen, p99", 1000 * percentile(figures.seen, 99), "ms", at_most=100)

    try:
        run(both())
    finally:
        second.stop()


async def load(
    servers: Sequence[Server], played: Hall, tables: int, seconds: float = LOAD_SECONDS
) -> tuple[Figures, float]:
    """What so many tables come to in a while, and how much of a processor the servers use for them."""
    clients = process_time()
    figures, cpu = await costing(servers, played.measured(seconds))
    clients = (process_time() - clients) / seconds
    print(f"  {tables} tables, {len(figures.acknowledged) / seconds:.0f} actions/s", end=", ")
    print(f"{len(figures.sizes) / seconds:.0f} events/s, {figures.ended} hands ended", end=", ")
    print(f"refused {dict(figures.refused)}")
    print(f"    seen         {percentiles(figures.seen)}")
    print(f"    acknowledged {percentiles(figures.acknowledged)}")
    print(f"    server {cpu:.0%} of a processor, {cpu / tables * 100:.0%} for 100 tables; clients {clients:.0%}")
    return figures, cpu


async def costing(servers: Sequence[Server], work: Awaitable[Result]) -> tuple[Result, float]:
    """What some work comes to, and how much of a processor the servers used meanwhile."""
    began, before = perf_counter(), sum(server.seconds() for server in servers)
    result = await work
    return result, (sum(server.seconds() for server in servers) - before) / (perf_counter() - began)


async def looks(server: Server, cookies: Sequence[str], seconds: float) -> list[tuple[float, int]]:
    """Seconds and statuses of the answers to browsers that keep a lobby open."""
    path = reverse("lobby_live", args=[SLUG])
    found: list[tuple[float, int]] = []
    ends = perf_counter() + seconds

    def look(headers: dict[str, str]) -> HTTPResponse:
        link = HTTPConnection(server.url.removeprefix("http://"))
        link.request("GET", path, headers=headers)
        answer = link.getresponse()
        answer.read()
        link.close()
        return answer

    async def one(cookie: str) -> None:
        headers = {"Cookie": cookie}
        await asyncio.sleep(random.uniform(0, LOBBY_SECONDS))
        while (began := perf_counter()) < ends:
            answer = await asyncio.get_running_loop().run_in_executor(browsers, look, headers)
            found.append((perf_counter() - began, answer.status))
            headers["If-None-Match"] = answer.headers["ETag"] or headers["If-None-Match"]
            await asyncio.sleep(LOBBY_SECONDS)

    with ThreadPoolExecutor(len(cookies)) as browsers:  # none waits for another one
        await asyncio.gather(*(one(cookie) for cookie in cookies))
    return found


def layers(club: BenchClub, server: Server) -> None:
    title(f"Channel layers, {GROUPS} groups of {MEMBERS}")
    compared = layers_compared()
    for name, delivered in compared.items():
        print(f"  {name:24} {delivered.rate:8,.0f} /s, {delivered.lost:,} of {delivered.sent:,} lost")
    ours = type(get_channel_layer()).__name__
    judge(f"lost by {ours}, which the site uses", compared[ours].lost, "", at_most=0)


def percentile(values: Sequence[float], rank: int) -> float:
    return statistics.quantiles(values, n=100)[rank - 1]


def percentiles(values: Sequence[float]) -> str:
    p50, p99 = (1000 * percentile(values, rank) for rank in (50, 99))
    return f"p50 {p50:6.1f} ms, p99 {p99:6.1f} ms, {len(values):,} times"


def judge(what: str, value: float, unit: str, *, at_least: float | None = None, at_most: float | None = None) -> None:
    """Print a figure beside what is wanted of it."""
    reached = (at_least is None or value >= at_least) and (at_most is None or value <= at_most)
    wanted = f"at least {at_least:g}" if at_least is not None else f"at most {at_most:g}"
    print(f"  {what}: {value:.2f} {unit}".rstrip() + f", wanted {wanted}: {'reached' if reached else 'NOT REACHED'}")


def title(text: str) -> None:
    print(f"\n{text}", flush=True)


SECTIONS: Final = {
    "durable": durable,
    "quiet": quiet,
    "evening": evening,
    "workers": workers,
    "layers": layers,
}
