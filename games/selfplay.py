"""Four members sit down and play a whole hand by the bots' policy, through the same commands that their browsers send.

For the demo club, tests and benchmarks.
"""

import secrets
import uuid
from collections.abc import Sequence
from hashlib import sha256

from accounts.models import User
from clubs.models import Room
from games import bots, play, protocol, tables
from games.log import NONCE_BYTES, Fold, folded
from games.models import Hand, Seat, Table
from games.protocol import Choice
from games.rules.views import view_for


def table_open_with(room: Room, users: Sequence[User]) -> Table:
    """A new table at which these sit, the first one in seat 0."""
    table = tables.table_open(room=room, user=users[0])
    for number, user in enumerate(users[1:], start=1):
        tables.seat_take(table_id=table.pk, number=number, user=user)
    return table


def hand_play_out(*, table_id: int, users: Sequence[User]) -> Hand:
    """Ready the four seated users, play one hand to its end and return it, settled.

    The room's pacing must be `instant`, else the claims of a discard stay open until their beat is over.
    """
    hand = hand_deal(table_id=table_id, users=users)
    fold = folded(hand.pk)
    while not fold.is_over:
        fold = decide(fold, min(fold.asked), users)
    hand.refresh_from_db()
    return hand


def hand_deal(*, table_id: int, users: Sequence[User]) -> Hand:
    """Ready the four seated users and reveal their nonces: a hand that is dealt and waits for its first decision."""
    nonces = {user.pk: secrets.token_bytes(NONCE_BYTES) for user in users}
    hand = None
    for user in users:
        commitment = sha256(nonces[user.pk]).hexdigest()
        hand = tables.seat_ready(table_id=table_id, user=user, nonce_commitment=commitment) or hand
    assert hand is not None, f"only {Seat.objects.filter(table_id=table_id).count()} seats are taken"
    for user in users:
        nonce = nonces[user.pk].hex()
        play.nonce_reveal(hand_id=hand.pk, user=user, nonce=nonce, command_id=str(uuid.uuid4()))
    play.tick(hand.pk)
    return hand


def decide(fold: Fold, seat: int, users: Sequence[User]) -> Fold:
    """Let a seat that is asked decide by the bots' policy. Returns the hand after it."""
    play.act(
        hand_id=fold.hand.pk,
        user=next(user for user in users if user.pk == fold.players[seat].user_id),
        seq=fold.seen[seat],
        choice=choice_of(fold, seat),
        command_id=str(uuid.uuid4()),
    )
    return folded(fold.hand.pk)


def choice_of(fold: Fold, seat: int) -> Choice:
    """What the bots' policy would choose for a seat."""
    assert fold.core is not None
    return protocol.choice_of(bots.choose(view_for(fold.core, seat), fold.core.ruleset))
