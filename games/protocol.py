"""The table socket's frames, typed in one place; docs/protocol.md describes each for client authors.

Commands come in, are decoded strictly (unknown fields, wrong types and oversized values are refused as `bad_frame`)
and are carried out by `games.tables` and `games.play`. Frames go out as they stand here.
"""

from typing import Annotated, Any, Literal

import msgspec
from django.utils.translation import gettext as _
from msgspec import Meta, Struct

from accounts.errors import Refused
from games.bots import Strength
from games.rules.actions import Action
from games.rules.tiles import SUITS, tile_name

MAX_FRAME = 4096  # bytes of one incoming frame

CommandId = Annotated[str, Meta(pattern=r"^[0-9a-fA-F-]{8,36}\Z")]
SeatNumber = Annotated[int, Meta(ge=0, le=3)]
HandId = Annotated[int, Meta(ge=1, le=2**53)]
Seq = Annotated[int, Meta(ge=0, le=2**31)]
Hex32 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
TileName = Annotated[str, Meta(pattern=r"^[1-9][mps]\Z")]
Suit = Literal["m", "p", "s"]
TableCode = Annotated[str, Meta(pattern=r"^[0-9A-Za-z]{0,8}\Z")]
PhraseName = Literal[
    "hello", "hurry", "wait", "nice", "unlucky", "thanks", "sorry", "laugh", "again", "bye"
]  # what they say stands in static/table/phrases.js


class Frame(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=False):
    """Any frame: a JSON object whose `type` says which."""


# --- Client to server ----------------------------------------------------------------------------------------------
class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """What a seat decides. `tile` goes with a discard and with a kong in one's own turn, `suit` with a void suit."""

    kind: Literal["void", "discard", "kong", "win", "pung", "pass"]
    tile: TileName | None = None
    suit: Suit | None = None


def choice_of(action: Action) -> Choice:
    """The choice that stands for a seat's action in the rules core."""
    return Choice(
        kind=action.kind.value,  # type: ignore[arg-type]
        tile=None if action.tile is None else tile_name(action.tile),
        suit=None if action.suit is None else SUITS[action.suit],  # type: ignore[arg-type]
    )


class Sit(Frame, frozen=True, tag="sit"):
    """Sit down; at a private table with its `code`."""

    id: CommandId
    seat: SeatNumber
    code: TableCode = ""


class Ready(Frame, frozen=True, tag="ready"):
    """Ready for the next hand; `nonce_commitment` is the SHA-256 of the 32 random bytes this seat will add to the
    wall.
    """

    id: CommandId
    nonce_commitment: Hex32


class Unready(Frame, frozen=True, tag="unready"):
    id: CommandId


class Nonce(Frame, frozen=True, tag="nonce"):
    id: CommandId
    hand: HandId
    nonce: Hex32


class Act(Frame, frozen=True, tag="act"):
    """A decision in a running hand. `seq` is the last event the client has seen: a decision made on an older state is
    stale.
    """

    id: CommandId
    hand: HandId
    seq: Seq
    action: Choice


class Auto(Frame, frozen=True, tag="auto"):
    """Switch auto-play (托管) of one's own seat."""

    id: CommandId
    on: bool


class Leave(Frame, frozen=True, tag="leave"):
    """Leave the seat; `escape` accepts the penalty of leaving a running hand."""

    id: CommandId
    escape: bool = False


class Bots(Frame, frozen=True, tag="bots"):
    """Fill the empty seats with bots of a strength."""

    id: CommandId
    strength: Strength = Strength.NORMAL


class Change(Frame, frozen=True, tag="change"):
    """Get up and sit down at another table of the room; the ack says at which."""

    id: CommandId


class Part(Frame, frozen=True, tag="part"):
    """Vote for closing the table, or take the vote back."""

    id: CommandId
    on: bool


class Say(Frame, frozen=True, tag="say"):
    """Say one of the fixed phrases."""

    id: CommandId
    phrase: PhraseName


class Resync(Frame, frozen=True, tag="resync"):
    pass


class Ping(Frame, frozen=True, tag="ping"):
    pass


TableCommand = Sit | Ready | Unready | Nonce | Act | Auto | Leave | Bots | Change | Part | Say
Command = TableCommand | Resync | Ping


# --- Server to client ----------------------------------------------------------------------------------------------
class Snapshot(Frame, frozen=True, tag="snapshot"):
    """Everything the page shows; alone rebuilds it. `log` holds the hand's events so far that this seat could see."""

    table: dict[str, Any]
    hand: dict[str, Any] | None
    log: list[dict[str, Any]]


class TableChanged(Frame, frozen=True, tag="table"):
    table: dict[str, Any]


class Event(Frame, frozen=True, tag="event"):
    """One step of the hand that this seat can see. `seq` counts those steps without gaps."""

    seq: int
    events: list[dict[str, Any]]
    hand: dict[str, Any]


class Ack(Frame, frozen=True, tag="ack"):
    """The command `id` was carried out and is on disk. `table` is where one sits after `change`, else null."""

    id: str
    seq: int
    table: int | None = None


class Error(Frame, frozen=True, tag="error"):
    """The command `id` (null: the frame could not be read) was refused and nothing was changed."""

    id: str | None
    code: str
    message: str
    data: dict[str, Any]


class Said(Frame, frozen=True, tag="said"):
    """Somebody at the table said a phrase. It may get lost, and is kept nowhere."""

    seat: int
    phrase: str


class Pong(Frame, frozen=True, tag="pong"):
    pass


OutFrame = Snapshot | TableChanged | Event | Ack | Error | Said | Pong

# --- Close codes ---------------------------------------------------------------------------------------------------
CLOSE_BROKEN = 1011
CLOSE_SIGNED_OUT = 4401
CLOSE_NO_ACCESS = 4403
CLOSE_NO_TABLE = 4404
CLOSE_FLOOD = 4408
CLOSE_TOO_MANY = 4409

_decoder = msgspec.json.Decoder(Command)
_encoder = msgspec.json.Encoder()


def decode(text: str) -> Command:
    """The command in a frame's text. Raises `Refused("bad_frame")`."""
    if len(text) > MAX_FRAME:
        raise Refused("bad_frame", _("消息过长。"))
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError, ValueError) as error:
        raise Refused("bad_frame", _("无法理解的消息。"), detail=str(error)[:200]) from None


def encode(frame: OutFrame) -> str:
    """A frame as the text that goes out."""
    return _encoder.encode(frame).decode()
