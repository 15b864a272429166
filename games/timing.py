"""When a hand must move on, and how.

Every deadline follows from the log: the time of the row that began the present decision, the room's limits, and what a
seat has left of its reserve for the hand. So any process can fire one, and a process that comes late collides in the log.
The time in which no process ran stands in the log as well (`games.clock`) and counts for nobody.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from clubs.models import RoomTerms
from games import bots
from games.log import GRACE, Draft, Fold, core_draft, lot
from games.models import Action
from games.rules.hand import Action as CoreAction
from games.rules.hand import Kind, Phase
from games.rules.views import view_for

NONCE_SECONDS: Final = 3.0
BEAT: Final = (0.6, 1.2)  # seconds between a discard and what follows it, at random (pacing "quick")
CLOSING: Final = (
    0.3  # seconds after the end of a blind window: what is written for those who did not answer delays nothing
)
PACE: Final = (0.7, 1.6)  # seconds a bot or an absent seat takes


def deadline_for(fold: Fold, seat: int | None) -> datetime | None:
    """The end of the limit that a seat is shown: of its own decision, or of the turn that is running. During claims only
    those who can claim have one, since it would tell the others that somebody can."""
    if fold.core is None or fold.core.phase is Phase.OVER:
        return None
    if fold.core.phase is Phase.CLAIM and seat not in fold.core.unanswered():
        return None
    return fold.began + timedelta(seconds=fold.limit_seconds)


def reserve_for(fold: Fold, seat: int | None) -> float | None:
    """The seconds of reserve that follow the deadline which a seat is shown. None where that is not for it to know: what
    others have left for void suits and claims."""
    if deadline_for(fold, seat) is None or fold.core is None:
        return None
    if fold.core.phase is Phase.TURN:
        return fold.reserve_left(fold.core.turn)
    return fold.reserve_left(seat) if seat in fold.asked else None


def is_late(fold: Fold, seat: int, now: datetime) -> bool:
    """Whether a decision of a seat arriving now is too late."""
    return fold.core is not None and now > fold.began + timedelta(seconds=_most_seconds(fold, seat))


def _most_seconds(fold: Fold, seat: int) -> float:
    return fold.limit_seconds + fold.reserve_left(seat) + GRACE


def due_at(fold: Fold) -> datetime | None:
    """When the program must act next. None when the hand is over."""
    return min((at for at, _ in _pending(fold)), default=None)


def due_drafts(fold: Fold, now: datetime) -> list[Draft]:
    """The rows that are due: what the program does now for the first seat whose time has come, or the closing of
    claims.
    """
    due = sorted((at, draft_at) for at, draft_at in _pending(fold) if at <= now)
    return _drafts(fold, due[0][1]) if due else []


# What is pending: a seat's decision (its number), or what belongs to no seat.
_CLOSE: Final = -1
_DEAL: Final = -2


def _pending(fold: Fold) -> Iterator[tuple[datetime, int]]:
    core = fold.core
    if core is None:
        waits_for_nonce = any(nonce is None for nonce in fold.nonces)
        yield fold.began + timedelta(seconds=NONCE_SECONDS) if waits_for_nonce else fold.hand.started_at, _DEAL
        return
    if core.phase is Phase.OVER:
        return
    if core.phase is Phase.CLAIM and core.claims_closable:
        yield fold.began + timedelta(seconds=_beat(fold)), _CLOSE
        return
    for seat in fold.asked:
        yield fold.began + timedelta(seconds=_decision_seconds(fold, seat)), seat


def _decision_seconds(fold: Fold, seat: int) -> float:
    assert fold.core is not None
    if not (fold.players[seat].is_bot or fold.auto[seat]):
        return _most_seconds(fold, seat)
    # A claim is answered at once: the beat alone paces what follows a discard, whether or not anybody could claim.
    if fold.terms.pacing == RoomTerms.Pacing.INSTANT or fold.core.phase is Phase.CLAIM:
        return 0.0
    return _chance(fold, f"pace:{seat}", PACE)


def _beat(fold: Fold) -> float:
    match fold.terms.pacing:
        case RoomTerms.Pacing.BLIND:
            return fold.terms.claim_seconds + GRACE + CLOSING
        case RoomTerms.Pacing.QUICK:
            return _chance(fold, "beat", BEAT)
        case _:
            return 0.0


def _chance(fold: Fold, what: str, between: tuple[float, float]) -> float:
    """A random moment that every process agrees on and no player can know: drawn from the secret seed."""
    assert fold.core is not None
    drawn = sha256(bytes(fold.hand.seed) + f"{what}:{len(fold.core.decisions)}".encode()).digest()
    low, high = between
    return low + (high - low) * int.from_bytes(drawn[:4]) / 2**32


def _drafts(fold: Fold, pending: int) -> list[Draft]:
    core = fold.core
    if core is None:
        dealer = fold.hand.dealer if fold.hand.dealer is not None else lot(fold)
        return [Draft("deal", data={"dealer": dealer})]
    if pending == _CLOSE:
        return [core_draft(CoreAction(None, Kind.CLOSE), Action.Source.TABLE)]
    return [seat_draft(fold, pending)]


def seat_draft(fold: Fold, seat: int) -> Draft:
    """What the policy of bots and auto-play decides for a seat, from that seat's view alone."""
    assert fold.core is not None
    source = Action.Source.BOT if fold.players[seat].is_bot else Action.Source.TIMER
    return core_draft(bots.choose(view_for(fold.core, seat), fold.core.ruleset, fold.players[seat].strength), source)
