"""The table socket: decodes commands, calls the services, sends frames. It holds nothing but how far its client is."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from asgiref.typing import ASGIReceiveCallable, ASGISendCallable, Scope, WebSocketScope
from channels.db import database_sync_to_async
from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, parse_cookie
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.errors import Refused
from accounts.models import User
from games import admission, allowance, frames, lookout, protocol, tables, watching
from games.admission import SIGNED_OUT, Ticket
from games.commands import carry_out
from games.frames import TableFacts, Version
from games.log import Fold, states
from games.lookout import Look
from games.protocol import OutFrame
from games.watching import Sight

logger = logging.getLogger(__name__)

MOST_SOCKETS: Final = 8  # of one person at one table, in each server process: they do not know of each other's
SEND_SECONDS: Final = 10.0  # a client that does not read for so long is cut off


_open: defaultdict[tuple[int, int], list["TableConsumer"]] = defaultdict(list)  # by person and table, oldest first


async def table_socket(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """The socket of a table: the application that `games.routing` names."""
    assert scope["type"] == "websocket"
    await TableConsumer(scope, send).serve(receive)


class TableConsumer:
    """One client at one table, seated or watching.

    It does without the consumers and the middleware of Channels, since a process has many sockets: of what those keep for each of
    them, and do for each frame, it needs a cookie. What happens at the table it learns from `games.lookout`.
    """

    user: User
    ticket: Ticket

    def __init__(self, scope: WebSocketScope, send: ASGISendCallable) -> None:
        self._write: Any = send
        self.table_id = int(scope["url_route"]["kwargs"]["table_id"])  # type: ignore[typeddict-item]
        headers = dict(scope["headers"])
        self._cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
        self._languages = headers.get(b"accept-language", b"").decode("latin-1")
        self.session_key = self._cookies.get(settings.SESSION_COOKIE_NAME, "")
        self.language = settings.LANGUAGE_CODE
        self.fold: Fold | None = None
        self.table_version: Version = (-1, -1)
        self.sight = Sight()
        self.is_open = False  # it has had its snapshot, and is told what comes after
        self.mine: list[TableConsumer] = []  # this person's sockets at the table, with this one
        self.telling: asyncio.Task[None] | None = None
        self.ending: list[asyncio.Task[None]] = []
        self.seen: Look | None = None  # the newest look, until it is told
        self.told: Look | None = None  # the last one that was
        self.phrases: list[OutFrame] = []  # heard and not sent yet
        self.sits = False  # at the table: who does not hears nothing
        self.turn = asyncio.Lock()  # one at a time reads the log and sends what it found

    async def serve(self, receive: ASGIReceiveCallable) -> None:
        """Serve the client until it or we close the socket."""
        await receive()
        await self._write({"type": "websocket.accept"})  # first, so that a refusal reaches the browser as a close code
        try:
            await self._connect()
            while (message := await receive())["type"] == "websocket.receive":
                if self.is_open:  # else it is being closed
                    await self._receive(message.get("text"))
        finally:
            self._disconnect()

    async def _connect(self) -> None:
        try:
            user = await database_sync_to_async(admission.person_of, thread_sensitive=False)(self.session_key)
            if user is None:
                await self.close(protocol.CLOSE_SIGNED_OUT)
                return
            if not allowance.spend(user.pk, allowance.SNAPSHOT):
                await self.close(protocol.CLOSE_FLOOD)
                return
            self.user, self.language = user, self._language_of(user)
            self._make_room()
            lookout.join(self.table_id, self)
            await self._send(await self._in_database(self._snapshot))
        except Refused as refusal:
            self.turn_away(refusal)
        except DatabaseError:  # closed in order, so that nothing of this socket stays; its client comes again
            logger.warning("table %s: could not be read for a new socket", self.table_id)
            self.fail()
        else:
            self.is_open = True
            self._wake()
            admission.guests.add(self)

    def _disconnect(self) -> None:
        self.is_open = False
        admission.guests.discard(self)
        lookout.leave(self.table_id, self)
        for task in (self.telling, *self.ending):
            if task is not None:
                task.cancel()
        if self in self.mine:
            self.mine.remove(self)
            if not self.mine:
                del _open[self.user.pk, self.table_id]

    def _make_room(self) -> None:
        """Take a place among this person's sockets at the table; where there are too many, the oldest one goes."""
        self.mine = _open[self.user.pk, self.table_id]
        self.mine.append(self)
        if len(self.mine) > MOST_SOCKETS:
            oldest = self.mine.pop(0)
            oldest.end(protocol.CLOSE_TOO_MANY)

    def end(self, code: int) -> None:
        """Close the socket, and wait for nobody: its client may be gone, or read nothing."""

        async def end() -> None:
            with suppress(OSError):
                await self.close(code)

        self.ending.append(asyncio.create_task(end()))

    def turn_away(self, refusal: Refused) -> None:
        self.end(_close_code(refusal))

    def see(self, look: Look) -> None:
        if look is not self.told or self.sight.is_late:
            self.seen = look
            self._wake()

    def hear(self, seat: int, phrase: str) -> None:
        if self.sits:
            self.phrases.append(protocol.Said(seat, phrase))
            self._wake()

    def fail(self) -> None:
        self.end(protocol.CLOSE_BROKEN)

    async def close(self, code: int) -> None:
        await self._write({"type": "websocket.close", "code": code})

    async def _receive(self, text: str | None) -> None:
        if not allowance.spend(self.user.pk):
            await self.close(protocol.CLOSE_FLOOD)
            return
        async with self.turn:
            await self._answer(text)

    async def _answer(self, text: str | None) -> None:
        command_id = None
        try:
            with translation.override(self.language):
                command = protocol.decode(text or "")
            command_id = getattr(command, "id", None)
            match command:
                case protocol.Ping():
                    await self._send([protocol.Pong()])
                case protocol.Resync() if not allowance.spend(self.user.pk, allowance.SNAPSHOT):
                    await self.close(protocol.CLOSE_FLOOD)
                case protocol.Resync():
                    self.fold = self.told = None  # a snapshot that cannot be made now is sent at a later look
                    await self._send(await self._in_database(self._snapshot))
                case _:
                    ack = await self._in_database(carry_out, command, self.table_id, self.user, self.session_key)
                    await self._send([ack])
        except Refused as refusal:
            if refusal.code == SIGNED_OUT:
                await self.close(protocol.CLOSE_SIGNED_OUT)
                return
            await self._send([protocol.Error(command_id, refusal.code, str(refusal.message), refusal.data)])
        except DatabaseError:
            logger.exception("table %s: the database does not answer", self.table_id)
            with translation.override(self.language):
                message = _("没有成功，请再试一次。")
            await self._send([protocol.Error(command_id, "busy", message, {})])

    # --- What runs in a database thread ----------------------------------------------------------------------------
    def _snapshot(self) -> list[OutFrame]:
        self._require_session()
        table, _membership = tables.table_of(table_id=self.table_id, user=self.user)
        sight = watching.sight_of(table, self.user)
        fold = watching.fold_until(sight)
        self.ticket = Ticket(self.session_key, self.user.pk, table.room.club_id)
        return self._snapshot_of(frames.table_facts(self.table_id), fold, sight)

    def _snapshot_of(self, facts: TableFacts, fold: Fold | None, sight: Sight) -> list[OutFrame]:
        snapshot = protocol.Snapshot(
            frames.table_payload(facts, self.user.pk),
            frames.hand_payload(fold, self.user.pk, sight.until) if fold else None,
            frames.log_payload(fold, self.user.pk) if fold else [],
        )
        self._is_shown(facts, fold, sight)
        return [snapshot]

    def _is_shown(self, facts: TableFacts, fold: Fold | None, sight: Sight) -> None:
        """Note how far this client is: not before all of its frames are there, so that what a fault keeps from it is told at the
        next look."""
        self.table_version, self.sits = facts.version, facts.seat_of(self.user.pk) is not None
        self.fold, self.sight = fold, sight

    def _plays(self, look: Look) -> bool:
        """Whether a look tells this client all that is new: it plays in the newest hand, or there is none."""
        fold, newest = self.fold, look.newest
        if newest is None:
            return fold is None
        if newest.seat_of(self.user.pk) is None or (fold is not None and fold.seat_of(self.user.pk) is None):
            return False
        if not newest.is_over:
            return True
        return fold is not None and fold.hand.pk == newest.hand.pk and frames.is_settlement_read(newest, self.language)

    def _news_here(self, look: Look) -> list[OutFrame]:
        """The frames that this client lacks of a look, for one who plays."""
        fold, newest, facts = self.fold, look.newest, look.table
        if fold is not None and newest is not None and newest.hand.number < fold.hand.number:
            return []  # an old look
        sight = Sight(newest.hand.pk if newest else None)
        if newest is not None and (fold is None or fold.hand.pk != newest.hand.pk):
            return self._snapshot_of(facts, newest, sight)
        news = self._table_news(facts)
        if fold is not None and newest is not None and fold.seq < newest.seq:
            news += self._hand_news(fold, look.states_after(fold), sight)
            fold = newest
        if facts.version < self.table_version:
            self.fold = fold
        else:
            self._is_shown(facts, fold, sight)
        return news

    def _news_from_afar(self, look: Look) -> list[OutFrame]:
        """The same for anybody else: what may be seen, and how late, is asked of the database."""
        self._require_session()
        facts = look.table if look.table.version >= self.table_version else frames.table_facts(self.table_id)
        table, _membership = tables.table_of(table_id=self.table_id, user=self.user)
        sight = watching.sight_of(table, self.user, self.fold)
        if sight.hand_id != (self.fold.hand.pk if self.fold else None):
            return self._snapshot_of(facts, watching.fold_until(sight), sight)
        news, fold = self._table_news(facts), self.fold
        if fold is not None and not fold.is_over:
            after = list(states(fold, watching.rows_until(fold, sight)))
            news += self._hand_news(fold, after, sight)
            fold = after[-1] if after else fold
        self._is_shown(facts, fold, sight)
        return news

    def _table_news(self, facts: TableFacts) -> list[OutFrame]:
        if facts.version <= self.table_version:
            return []
        return [protocol.TableChanged(frames.table_payload(facts, self.user.pk))]

    def _hand_news(self, fold: Fold, after: Iterable[Fold], sight: Sight) -> list[OutFrame]:
        """The frames of the states that follow the one which this client was shown last."""
        news: list[OutFrame] = []
        names = frames.names_of(fold)
        for state in after:
            assert state.step is not None
            events = frames.event_payloads(state.step, fold.seat_of(self.user.pk), names)
            if events:
                hand = frames.hand_payload(state, self.user.pk, sight.until)
                news.append(protocol.Event(hand["seq"], events, hand))
            fold = state
        return news

    # --- Plumbing --------------------------------------------------------------------------------------------------
    def _wake(self) -> None:
        """Let the client be told what was seen and heard. No task waits for that: most of the time there is nothing."""
        if self.is_open and (self.telling is None or self.telling.done()):
            self.telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self.seen is not None or self.phrases:
            try:
                async with self.turn:
                    heard, self.phrases = self.phrases, []
                    await self._send(heard)
                    look, self.seen = self.seen, None
                    if look is not None:
                        await self._send(await self._news_of(look))
                        self.told = look
            except Refused as refusal:
                self.turn_away(refusal)
            except DatabaseError:
                logger.warning("table %s: could not look at the log, will look again", self.table_id)
            except OSError:  # the client is gone, and `disconnect` comes
                return
            except Exception:
                logger.exception("table %s: a socket is broken", self.table_id)
                self.fail()
                return

    async def _news_of(self, look: Look) -> list[OutFrame]:
        if self._plays(look):
            with translation.override(self.language):
                return self._news_here(look)
        news: list[OutFrame] = await self._in_database(self._news_from_afar, look)
        return news

    async def _in_database(self, work: Any, *args: Any) -> Any:
        def run() -> Any:
            with translation.override(self.language):
                return work(*args)

        return await database_sync_to_async(run, thread_sensitive=False)()

    def _require_session(self) -> None:
        admission.require_session(self.session_key, self.user.pk)

    async def _send(self, out: list[OutFrame]) -> None:
        if not out:
            return
        try:
            async with asyncio.timeout(SEND_SECONDS):
                for frame in out:
                    await self._write({"type": "websocket.send", "text": protocol.encode(frame)})
        except TimeoutError:
            await self.close(protocol.CLOSE_FLOOD)

    def _language_of(self, user: User) -> str:
        """The language of the page that opened the socket: the cookie's, else the account's, else what the browser asks for."""
        for chosen in (self._cookies.get(settings.LANGUAGE_COOKIE_NAME), user.language):
            if chosen in dict(settings.LANGUAGES):
                return chosen
        request = HttpRequest()
        request.META["HTTP_ACCEPT_LANGUAGE"] = self._languages
        return translation.get_language_from_request(request)


def _close_code(refusal: Refused) -> int:
    if refusal.code == SIGNED_OUT:
        return protocol.CLOSE_SIGNED_OUT
    return protocol.CLOSE_NO_TABLE if refusal.status == 404 else protocol.CLOSE_NO_ACCESS
