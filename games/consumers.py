"""The table socket: decodes commands, calls the services, sends frames. It holds nothing but how far its client is."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.errors import Refused
from accounts.models import User
from games import admission, allowance, doorbell, frames, lookout, play, protocol, seating, tables, watching
from games.admission import SIGNED_OUT, Ticket
from games.frames import TableFacts, Version
from games.log import Fold, states
from games.lookout import Look
from games.models import Seat
from games.protocol import OutFrame
from games.watching import Sight

logger = logging.getLogger(__name__)

MOST_SOCKETS: Final = 8  # of one person at one table, in each server process: they do not know of each other's
PHRASE_SECONDS: Final = 3  # between two phrases of one person
SEND_SECONDS: Final = 10.0  # a client that does not read for so long is cut off


_open: defaultdict[tuple[int, int], list["TableConsumer"]] = defaultdict(list)  # by person and table, oldest first


class TableConsumer(AsyncWebsocketConsumer):
    """One client at one table, seated or watching.

    It takes no part in Channels' own dispatching of the channel layer, without which no socket would open: what happens at
    the table it learns from `games.lookout`.
    """

    channel_layer_alias = "none"

    async def connect(self) -> None:
        self.user: User = self.scope["user"]
        self.table_id = int(self.scope["url_route"]["kwargs"]["table_id"])
        self.language = _language(self.scope)
        self.fold: Fold | None = None
        self.table_version: Version = (-1, -1)
        self.sight = Sight()
        self.tasks: list[asyncio.Task[None]] = []
        self.woken = asyncio.Event()  # there is something to tell
        self.seen: Look | None = None  # the newest look, until it is told
        self.told: Look | None = None  # the last one that was
        self.phrases: list[OutFrame] = []  # heard and not sent yet
        self.sits = False  # at the table: who does not hears nothing
        self.turn = asyncio.Lock()  # one at a time reads the log and sends what it found
        await self.accept()  # first, so that a refusal reaches the browser as a close code
        if not self.user.is_authenticated:
            await self.close(protocol.CLOSE_SIGNED_OUT)
            return
        if not allowance.spend(self.user.pk, allowance.SNAPSHOT):
            await self.close(protocol.CLOSE_FLOOD)
            return
        self._make_room()
        lookout.join(self.table_id, self)
        try:
            await self._send(await self._in_database(self._snapshot))
        except Refused as refusal:
            self.turn_away(refusal)
            return
        except DatabaseError:  # closed in order, so that nothing of this socket stays; its client comes again
            logger.warning("table %s: could not be read for a new socket", self.table_id)
            self.fail()
            return
        self.tasks.append(asyncio.create_task(self._tell()))
        admission.guests.add(self)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Channels would close old connections of a thread of its own before each frame, in which nothing here runs."""
        match message["type"]:
            case "websocket.receive":
                await self.websocket_receive(message)
            case "websocket.connect":
                await self.websocket_connect(message)
            case "websocket.disconnect":
                await self.websocket_disconnect(message)

    async def disconnect(self, code: int) -> None:
        admission.guests.discard(self)
        lookout.leave(self.table_id, self)
        for task in self.tasks:
            task.cancel()
        key = (self.user.pk, self.table_id)
        if self in _open[key]:
            _open[key].remove(self)
        if not _open[key]:
            del _open[key]

    def _make_room(self) -> None:
        """Take a place among this person's sockets at the table; where there are too many, the oldest one goes."""
        mine = _open[self.user.pk, self.table_id]
        mine.append(self)
        if len(mine) > MOST_SOCKETS:
            oldest = mine.pop(0)
            oldest.end(protocol.CLOSE_TOO_MANY)

    def end(self, code: int) -> None:
        """Close the socket, and wait for nobody: its client may be gone, or read nothing."""

        async def end() -> None:
            with suppress(OSError):
                await self.close(code)

        self.tasks.append(asyncio.create_task(end()))

    def turn_away(self, refusal: Refused) -> None:
        self.end(_close_code(refusal))

    def see(self, look: Look) -> None:
        if look is not self.told or self.sight.is_late:
            self.seen = look
            self.woken.set()

    def hear(self, seat: int, phrase: str) -> None:
        if self.sits:
            self.phrases.append(protocol.Said(seat, phrase))
            self.woken.set()

    def fail(self) -> None:
        self.end(protocol.CLOSE_BROKEN)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not allowance.spend(self.user.pk):
            await self.close(protocol.CLOSE_FLOOD)
            return
        async with self.turn:
            await self._answer(text_data)

    async def _answer(self, text_data: str | None) -> None:
        command_id = None
        try:
            with translation.override(self.language):
                command = protocol.decode(text_data or "")
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
                    await self._send([await self._in_database(self._carry_out, command)])
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
        self.ticket = Ticket(self.scope["session"].session_key, self.user.pk, table.room.club_id)
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

    def _carry_out(self, command: protocol.TableCommand) -> protocol.Ack:
        user, table_id, key = self.user, self.table_id, self.scope["session"].session_key
        seq, table = 0, None
        if not isinstance(command, protocol.Act | protocol.Nonce):  # which ask for it with all else that they ask
            self._require_session()
        match command:
            case protocol.Act(id, hand, seen, action):
                seq = play.act(hand_id=hand, user=user, seq=seen, choice=action, command_id=id, session_key=key).seq
            case protocol.Nonce(id, hand, nonce):
                seq = play.nonce_reveal(hand_id=hand, user=user, nonce=nonce, command_id=id, session_key=key).seq
            case protocol.Auto(id, on):
                seq = play.auto_switch(hand_id=self._running_hand(), user=user, on=on, command_id=id).seq
            case protocol.Leave():
                seq = self._leave(command)
            case protocol.Sit():
                tables.seat_take(table_id=table_id, number=command.seat, user=user, code=command.code)
            case protocol.Ready():
                tables.seat_ready(table_id=table_id, user=user, nonce_commitment=command.nonce_commitment)
            case protocol.Unready():
                tables.seat_unready(table_id=table_id, user=user)
            case protocol.Bots():
                tables.bots_fill(table_id=table_id, user=user, strength=command.strength)
            case protocol.Change():
                table = seating.table_change(table_id=table_id, user=user).table_id
            case protocol.Part():
                tables.end_vote(table_id=table_id, user=user, on=command.on)
            case protocol.Say():
                self._say(command.phrase)
        return protocol.Ack(command.id, seq, table)

    def _say(self, phrase: str) -> None:
        seat = Seat.objects.filter(table=self.table_id, user=self.user).values_list("number", flat=True).first()
        if seat is None:
            raise Refused("not_seated", _("你不在这张牌桌上。"), status=409)
        if not cache.add(f"phrase:{self.user.pk}", True, PHRASE_SECONDS):
            raise Refused("phrase_too_soon", _("说得太快了，歇一歇。"), status=429)
        doorbell.say(self.table_id, seat, phrase)

    def _leave(self, command: protocol.Leave) -> int:
        hand = play.hand_of(table_id=self.table_id, user=self.user) or play.hand_left(
            table_id=self.table_id, user=self.user, command_id=command.id
        )
        if hand is None:
            tables.seat_leave(table_id=self.table_id, user=self.user)
            return 0
        return play.leave(hand_id=hand, user=self.user, escape=command.escape, command_id=command.id).seq

    def _running_hand(self) -> int:
        hand = play.hand_of(table_id=self.table_id, user=self.user)
        if hand is None:
            raise Refused("not_in_hand", _("你不在这一局里。"), status=409)
        return hand

    # --- Plumbing --------------------------------------------------------------------------------------------------
    async def _tell(self) -> None:
        """Send what was seen and heard at the table."""
        while True:
            await self.woken.wait()
            self.woken.clear()
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
        admission.require_session(self.scope["session"].session_key, self.user.pk)

    async def _send(self, out: list[OutFrame]) -> None:
        if not out:
            return
        try:
            async with asyncio.timeout(SEND_SECONDS):
                for frame in out:
                    await self.send(text_data=protocol.encode(frame))
        except TimeoutError:
            await self.close(protocol.CLOSE_FLOOD)


def _close_code(refusal: Refused) -> int:
    if refusal.code == SIGNED_OUT:
        return protocol.CLOSE_SIGNED_OUT
    return protocol.CLOSE_NO_TABLE if refusal.status == 404 else protocol.CLOSE_NO_ACCESS


def _language(scope: dict[str, Any]) -> str:
    """The language of the page that opened the socket: the cookie's, else the account's, else what the browser asks for."""
    for chosen in (scope.get("cookies", {}).get(settings.LANGUAGE_COOKIE_NAME), getattr(scope["user"], "language", "")):
        if chosen in dict(settings.LANGUAGES):
            return chosen
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = dict(scope["headers"]).get(b"accept-language", b"").decode("latin-1")
    return translation.get_language_from_request(request)
