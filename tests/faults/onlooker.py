"""A client in a process of its own, which a test may stop: it opens a table and prints the last step that it has seen.

python -m tests.faults.onlooker URL TABLE COOKIE
"""

import asyncio
import json
import sys

from websockets.asyncio.client import connect


async def look_on(url: str, table_id: str, cookie: str) -> None:
    address = f"ws{url.removeprefix('http')}/ws/tables/{table_id}/"
    async with connect(address, origin=url, additional_headers={"Cookie": cookie}, proxy=None) as socket:  # type: ignore[arg-type]
        async for text in socket:
            hand = json.loads(text).get("hand")
            if hand:
                print(hand["seq"], hand["status"], flush=True)


if __name__ == "__main__":
    asyncio.run(look_on(*sys.argv[1:]))
