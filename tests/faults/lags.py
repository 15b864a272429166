"""How long after it was written down a step of a hand is seen."""

import asyncio
import json
from contextlib import suppress
from datetime import datetime

from django.utils import timezone
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from games.clients import Client, Payload


async def watch(client: Client, table_id: int, lags: list[float]) -> None:
    """Look on at a table until cancelled; note the lag (seconds) of every event that comes as it happens."""
    while True:
        with suppress(ConnectionClosed, InvalidHandshake, OSError):
            async with client.socket(table_id) as socket:
                async for text in socket:
                    note(json.loads(text), lags)
        await asyncio.sleep(0.1)


def note(frame: Payload, lags: list[float]) -> None:
    if frame["type"] == "event":
        now = timezone.now()
        lags += [(now - datetime.fromisoformat(event["at"])).total_seconds() for event in frame["events"]]


def share(lags: list[float], part: float) -> float:
    """The lag below which a part of them is."""
    return sorted(lags)[int(len(lags) * part)]


def told(lags: list[float]) -> str:
    """The lags in words."""
    return f"{len(lags)} events, lag p50 {share(lags, 0.5):.3f} s, p95 {share(lags, 0.95):.3f} s, at most {max(lags):.3f} s"
