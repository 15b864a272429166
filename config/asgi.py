"""The ASGI application: pages and API over HTTP, tables over WebSocket, the timekeeper while the server runs."""

import asyncio
import gc
import logging
import os
import warnings
from typing import Final

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# whitenoise speaks of a folder that only `collectstatic` makes, and Django of the files whitenoise hands it. Both work.
warnings.filterwarnings("ignore", "No directory at: ", UserWarning)
warnings.filterwarnings("ignore", "StreamingHttpResponse must consume synchronous iterators", Warning)
http = get_asgi_application()  # loads the applications, so it comes before every import that needs a model

from asgiref.typing import (  # noqa: E402
    ASGI3Application,
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    Scope,
    WebSocketScope,
)
from channels.db import database_sync_to_async  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.conf import settings  # noqa: E402
from django.db import DatabaseError  # noqa: E402
from django.urls import re_path  # noqa: E402

from games.admission import run_admission  # noqa: E402
from games.clock import START_SILENCE, heart_beat, run_clock  # noqa: E402
from games.doorbell import run_doorbell  # noqa: E402
from games.lookout import run_lookout  # noqa: E402
from games.routing import websocket_urlpatterns  # noqa: E402

logger = logging.getLogger(__name__)

GARBAGE: Final = (5_000, 10, 100)  # objects, small and middle collections after which a small, middle, large one is due


def exact_origin(app: ASGI3Application) -> ASGI3Application:
    """Let a socket through only from a page of the very scheme, host and port it connects to, or of TRUSTED_ORIGINS.

    A page elsewhere could otherwise open a table with its visitor's cookie. No Origin, `null`, another port and a host
    that merely contains ours are all refused with 403, before the socket is accepted.
    """

    async def guarded(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        assert scope["type"] == "websocket"
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        welcome = {_own_origin(scope), *settings.TRUSTED_ORIGINS}
        known = len(origins) == 1 and origins[0].decode("latin-1").lower() in welcome
        await (app if known else refuse)(scope, receive, send)

    return guarded


def _own_origin(scope: WebSocketScope) -> str:
    """The origin of this site's pages as the connecting browser sees them, e.g. `http://127.0.0.1:8000`."""
    scheme = {"ws": "http", "wss": "https"}[scope["scheme"]]
    host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1").lower()
    return f"{scheme}://{host}"


class BodyTooLarge(Exception):
    """More came than anything here takes."""


def bounded(app: ASGI3Application) -> ASGI3Application:
    """Take no more of a request's body than pages and API do. Django would first keep all of it on disk."""

    async def guarded(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        taken = 0

        async def received() -> ASGIReceiveEvent:
            nonlocal taken
            message = await receive()
            if message["type"] == "http.request":
                taken += len(message["body"])
                if taken > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
                    raise BodyTooLarge
            return message

        try:
            await app(scope, received, send)
        except BodyTooLarge:
            headers = [(b"content-length", b"0"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 413, "headers": headers, "trailers": False})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return guarded


async def refuse(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Close a socket before it is accepted, which a browser sees as status 403."""
    await receive()
    await send({"type": "websocket.close", "code": 4403, "reason": None})


async def lifespan(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Start the timekeeper and all else that goes on by itself with the server, and stop them with the server."""
    await receive()
    try:  # before the first command can come too late
        await database_sync_to_async(heart_beat, thread_sensitive=False)(START_SILENCE)
    except DatabaseError:
        logger.exception("No database yet; the timekeeper goes on trying")
    tasks = [
        asyncio.create_task(run_clock(), name="timekeeper: no turn limit runs out any more"),
        asyncio.create_task(run_admission(), name="admission: no socket is closed any more"),
        asyncio.create_task(run_doorbell(), name="doorbell: other processes are not heard any more"),
        asyncio.create_task(run_lookout(), name="lookout: what no bell rings for is not seen any more"),
    ]
    for task in tasks:
        task.add_done_callback(_say_if_failed)
    # While garbage is collected every table waits. What is there now stays, and need not be gone through; the rest seldom,
    # since next to nothing here is garbage that only a collection finds.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    await send({"type": "lifespan.startup.complete"})
    await receive()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await send({"type": "lifespan.shutdown.complete"})


def _say_if_failed(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.critical("Stopped: %s", task.get_name(), exc_info=error)


routes = [*websocket_urlpatterns, re_path(r"", refuse)]  # type: ignore[arg-type]  # an ASGI application for a view
application = ProtocolTypeRouter(
    {
        "http": bounded(http),  # type: ignore[arg-type]  # Django's own types are wider
        "websocket": exact_origin(URLRouter(routes)),
        "lifespan": lifespan,
    }
)
