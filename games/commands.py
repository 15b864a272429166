"""What a client at a table may ask for, carried out by the services."""

from typing import Final

from django.core.cache import cache
from django.utils.translation import gettext as _

from accounts.errors import Refused
from accounts.models import User
from games import admission, doorbell, play, protocol, seating, tables
from games.models import Seat

PHRASE_SECONDS: Final = 3  # between two phrases of one person


def carry_out(command: protocol.TableCommand, table_id: int, user: User, session_key: str) -> protocol.Ack:
    """Carry out a command of a user whose socket was opened by a session. Raises `Refused`."""
    seq, table = 0, None
    if not isinstance(command, protocol.Act | protocol.Nonce):  # which ask for it with all else that they ask
        admission.require_session(session_key, user.pk)
    match command:
        case protocol.Act(id, hand, seen, action):
            seq = play.act(hand_id=hand, user=user, seq=seen, choice=action, command_id=id, session_key=session_key).seq
        case protocol.Nonce(id, hand, nonce):
            seq = play.nonce_reveal(hand_id=hand, user=user, nonce=nonce, command_id=id, session_key=session_key).seq
        case protocol.Auto(id, on):
            seq = play.auto_switch(hand_id=_running_hand(table_id, user), user=user, on=on, command_id=id).seq
        case protocol.Leave():
            seq = _leave(command, table_id, user)
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
            _say(command.phrase, table_id, user)
    return protocol.Ack(command.id, seq, table)


def _say(phrase: str, table_id: int, user: User) -> None:
    seat = Seat.objects.filter(table=table_id, user=user).values_list("number", flat=True).first()
    if seat is None:
        raise Refused("not_seated", _("你不在这张牌桌上。"), status=409)
    if not cache.add(f"phrase:{user.pk}", True, PHRASE_SECONDS):
        raise Refused("phrase_too_soon", _("说得太快了，歇一歇。"), status=429)
    doorbell.say(table_id, seat, phrase)


def _leave(command: protocol.Leave, table_id: int, user: User) -> int:
    hand = play.hand_of(table_id=table_id, user=user) or play.hand_left(
        table_id=table_id, user=user, command_id=command.id
    )
    if hand is None:
        tables.seat_leave(table_id=table_id, user=user)
        return 0
    return play.leave(hand_id=hand, user=user, escape=command.escape, command_id=command.id).seq


def _running_hand(table_id: int, user: User) -> int:
    hand = play.hand_of(table_id=table_id, user=user)
    if hand is None:
        raise Refused("not_in_hand", _("你不在这一局里。"), status=409)
    return hand
