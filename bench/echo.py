"""The site with a bare Channels consumer beside it that sends back what it gets, as a measure for the table's socket."""

from config.asgi import application as site  # first, since it loads the applications

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope  # isort: skip
from channels.generic.websocket import AsyncWebsocketConsumer  # isort: skip

PATH = "/echo/"


class Echo(AsyncWebsocketConsumer):
    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self.send(text_data=text_data)


_echo = Echo.as_asgi()


async def application(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    is_echo = scope["type"] == "websocket" and scope["path"] == PATH
    await (_echo if is_echo else site)(scope, receive, send)
