"""The state of a hand in play: what each seat has, what is on the table, what was paid.

Hand and Seat hold facts and answer questions about them. How decisions change them is written in the modules of the
phases (see hand.py).
"""

from collections.abc import Sequence
from enum import StrEnum
from itertools import chain, compress, repeat
from typing import Any, Final, NamedTuple

from .actions import Action, Kind, for_each_seat_and_tile
from .events import EndKind, Event, Paid, Payment, Win
from .holding import Holding, Meld, MeldKind
from .patterns import Score
from .ready import Wait, wait_mask, waits
from .result import hand_result
from .ruleset import Ruleset
from .shapes import TILE_CODE, suit_codes
from .tiles import TILES, tile_name
from .wall import SEATS, deal

#: RULES.md sections 10 and 12: the last four tiles of the wall.
LAST_TILES: Final = 4


class Phase(StrEnum):
    VOID = "void"
    TURN = "turn"
    CLAIM = "claim"
    OVER = "over"


# Python 3.11 looks up a member of an enum by a function, so what every step asks for has a name of its own.
TURN: Final = Phase.TURN
CLAIM: Final = Phase.CLAIM
OVER: Final = Phase.OVER
_WIN: Final = Kind.WIN

#: The three other seats in play order, from the one after each seat on.
IN_PLAY_ORDER: Final = tuple(tuple((number + step) % SEATS for step in range(1, SEATS)) for number in range(SEATS))


class LastKind(StrEnum):
    DISCARD = "discard"
    ADDED_KONG = "added_kong"


class Last(NamedTuple):
    """The tile that lies open for the others."""

    seat: int
    tile: int
    kind: LastKind


#: Every discard, by seat and tile.
LAST_DISCARDS: Final = for_each_seat_and_tile(lambda seat, tile: Last(seat, tile, LastKind.DISCARD))


class RiverTile(NamedTuple):
    tile: int
    #: Whether it was punged, konged or won.
    claimed: bool


#: Every tile as it first lies in a river.
RIVER_TILES: Final = tuple(RiverTile(tile, claimed=False) for tile in TILES)


class Kong(NamedTuple):
    """A kong that was paid."""

    seat: int
    form: MeldKind
    tile: int
    #: The seat that fed an exposed kong.
    feeder: int | None
    paid: tuple[Payment, ...]
    #: Whether its income went to the winners of a kong shot; then it is not refunded.
    transferred: bool = False

    @property
    def income(self) -> int:
        return sum(payment.units for payment in self.paid)


class Offer(NamedTuple):
    """What a seat may do with the tile of a claim."""

    #: What a win would come to, where it may win.
    win: Score | None
    #: Its possible answers.
    kinds: tuple[Kind, ...]


class Claim:
    """The claims on one tile: to whom it is offered, and who has answered what."""

    __slots__ = ("answers", "forced", "kong_shot", "last", "offers")

    def __init__(self, last: Last, kong_shot: bool) -> None:
        self.last = last
        #: Whether the discard follows a replacement draw.
        self.kong_shot = kong_shot
        #: In play order from the seat that the tile comes from.
        self.offers: dict[int, Offer] = {}
        #: Whether the seats to which it is offered must win; nobody else is offered anything then.
        self.forced = False
        self.answers: dict[int, Kind] = {}

    def copy(self) -> "Claim":
        twin = Claim(self.last, self.kong_shot)
        twin.offers, twin.forced, twin.answers = dict(self.offers), self.forced, dict(self.answers)
        return twin

    def winners(self) -> list[int]:
        """The seats that have answered with a win, in play order from the source of the tile."""
        if _WIN not in self.answers.values():
            return []
        return [seat for seat in self.offers if self.answers.get(seat) is _WIN]

    def unanswered(self) -> set[int]:
        """The seats whose answer could still matter: once anybody wins, a pung or kong does not."""
        if not self.answers:
            return set(self.offers)
        if len(self.answers) == len(self.offers):
            return set()
        won = _WIN in self.answers.values()
        return {seat for seat, offer in self.offers.items() if seat not in self.answers and (offer.win or not won)}


class Seat:
    """One of the four hands. A seat is live until it has won or left."""

    __slots__ = (
        "_ready",
        "codes",
        "counts",
        "known_waits",
        "left",
        "live",
        "melds",
        "number",
        "passed_fan",
        "river",
        "units",
        "void",
        "won",
    )

    def __init__(self, number: int, tiles: Sequence[int]) -> None:
        self.number = number
        #: The concealed tiles: how many copies of each, and as suit codes (see shapes.py).
        self.counts = counts = [0] * len(TILES)
        for tile in tiles:
            counts[tile] += 1
        self.codes = suit_codes(tiles)
        self.melds: list[Meld] = []
        self.river: list[RiverTile] = []
        self.void: int | None = None
        #: Until it has won or left.
        self.live = True
        self.won: Win | None = None
        self.left = False
        #: The highest total fan among the wins passed since the last draw; None where none was (RULES.md section 10).
        self.passed_fan: int | None = None
        #: Received minus paid so far.
        self.units = 0
        #: The mask of `wait_mask`, where it has been asked for since the concealed tiles changed.
        self.known_waits: int | None = None
        self._ready: list[Wait] | None = None

    def copy(self) -> "Seat":
        twin = object.__new__(Seat)
        for name in Seat.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.counts = self.counts.copy()
        twin.codes = self.codes.copy()
        twin.melds = self.melds.copy()
        twin.river = self.river.copy()
        return twin

    @property
    def tiles(self) -> list[int]:
        """The concealed tiles, sorted."""
        return list(chain.from_iterable(map(repeat, TILES, self.counts)))

    @property
    def holding(self) -> Holding:
        manzu, pinzu, souzu = self.codes
        return Holding((manzu, pinzu, souzu), tuple(self.melds), self.void)

    def draw(self, ruleset: Ruleset, tile: int) -> bool:
        """Take a tile of the wall; whether the hand waited for it."""
        mask = self.known_waits
        if mask is None:
            mask = self.wait_mask(ruleset)
        self.counts[tile] += 1
        self.codes[tile // 9] += TILE_CODE[tile]
        self.known_waits = None
        self.passed_fan = None
        return mask >> tile & 1 == 1

    def remove(self, tile: int, copies: int = 1) -> None:
        self.counts[tile] -= copies
        self.codes[tile // 9] -= copies * TILE_CODE[tile]
        self.known_waits = None

    def name_void(self, suit: int) -> None:
        self.void = suit
        self.known_waits = None

    def discardable(self, ruleset: Ruleset) -> list[int]:
        """Of each tile, how many copies may be discarded: tiles of the void suit go first, and a wild has no suit
        (RULES.md sections 3 and 11).
        """
        if self.void is None:
            return self.counts
        first = 9 * self.void
        of_void_suit = [0] * len(TILES)
        of_void_suit[first : first + 9] = self.counts[first : first + 9]
        if ruleset.wild is not None:
            of_void_suit[ruleset.wild] = 0
        return of_void_suit if any(of_void_suit) else self.counts

    def allowed_discards(self, ruleset: Ruleset) -> list[int]:
        """The tiles that may be discarded."""
        return list(compress(TILES, self.discardable(ruleset)))

    def wait_mask(self, ruleset: Ruleset) -> int:
        """The tiles that complete the hand (see ready.py), kept until the concealed tiles change.

        Where every turn asks, `known_waits` is looked at first: that saves four calls.
        """
        mask = self.known_waits
        if mask is None:
            manzu, pinzu, souzu = self.codes
            # Nearly every hand has three suits at first, and no wait; wilds may stand for tiles of another suit.
            three_suits = manzu and pinzu and souzu and ruleset.wild is None
            mask = self.known_waits = 0 if three_suits else wait_mask(ruleset, self.holding)
            self._ready = None
        return mask

    def waits(self, ruleset: Ruleset) -> list[Wait]:
        """The waits of the hand, kept until the concealed tiles change."""
        if not self.wait_mask(ruleset):
            return []
        if self._ready is None:
            self._ready = waits(ruleset, self.holding)
        return self._ready

    def waits_after_discard(self, ruleset: Ruleset, tile: int) -> list[Wait]:
        """The waits that a seat about to discard would have after this discard."""
        return waits(ruleset, self.holding.without_tile(tile))


class Hand:
    """A hand from the deal to its end. It starts dealt, with the first draw of the dealer made (RULES.md section 2)."""

    __slots__ = (
        "_front",
        "claim",
        "dealer",
        "decisions",
        "drawn",
        "drawn_wins",
        "end",
        "fed_two",
        "kongs",
        "last",
        "others",
        "payments",
        "phase",
        "replacement",
        "ruleset",
        "seats",
        "turn",
        "wall",
        "wall_left",
        "wins",
    )

    def __init__(self, ruleset: Ruleset, wall: Sequence[int], dealer: int) -> None:
        self.ruleset = ruleset
        self.wall = tuple(wall)
        self.dealer = dealer
        hands, self._front = deal(self.wall, dealer)
        self.wall_left = len(self.wall) - self._front
        self.seats = [Seat(number, tiles) for number, tiles in enumerate(hands)]
        #: For each seat the other live seats in play order, from the one after it on.
        self.others = self._others()
        self.phase = Phase.VOID if ruleset.void_suit else Phase.TURN
        #: The seat to act, in the phases VOID (the dealer) and TURN.
        self.turn = dealer
        #: The tile drawn for this turn; None after a pung, and outside a turn.
        self.drawn: int | None = None
        #: Whether it replaces a kong: the last of `kongs`.
        self.replacement = False
        #: Whether it completes a winning shape.
        self.drawn_wins = False
        self.last: Last | None = None
        self.claim: Claim | None = None
        self.payments: list[Payment] = []
        self.wins: list[Win] = []
        self.kongs: list[Kong] = []
        #: The seat that fed the first tile with two or more winners.
        self.fed_two: int | None = None
        self.end: EndKind | None = None
        #: The decisions so far that a record has: all but void suits, passes and the closing of claims.
        self.decisions: list[Action] = []
        self.draw(dealer, False)

    def copy(self) -> "Hand":
        """An independent copy."""
        twin = object.__new__(Hand)
        for name in Hand.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.seats = [seat.copy() for seat in self.seats]
        twin.others = twin._others()
        twin.claim = self.claim.copy() if self.claim else None
        twin.payments = self.payments.copy()
        twin.wins = self.wins.copy()
        twin.kongs = self.kongs.copy()
        twin.decisions = self.decisions.copy()
        return twin

    # Questions

    @property
    def remaining_wall(self) -> tuple[int, ...]:
        """The tiles not drawn yet, front first."""
        return self.wall[self._front : self._front + self.wall_left]

    @property
    def after_last_draws(self) -> bool:
        """Whether one of the last four tiles has been drawn (RULES.md section 10)."""
        return self.wall_left < LAST_TILES

    @property
    def claims_closable(self) -> bool:
        return self.claim is not None and not self.claim.unanswered()

    def unanswered(self) -> set[int]:
        """The seats that still have to name a void suit, or whose answer to the open claims could still matter."""
        if self.phase is Phase.VOID:
            return {seat.number for seat in self.seats if seat.void is None}
        return self.claim.unanswered() if self.claim else set()

    def live_seats(self) -> list[int]:
        return [seat.number for seat in self.seats if seat.live]

    def live_others(self, number: int) -> list[int]:
        return [seat.number for seat in self.seats if seat.live and seat.number != number]

    @property
    def moves(self) -> list[list[Any]]:
        """The decisions so far, as a record has them."""
        return [
            [seat, kind.value] if tile is None else [seat, kind.value, tile_name(tile)]
            for seat, kind, tile, _ in self.decisions
        ]

    def result(self) -> dict[str, Any]:
        """What a hand that is over has come to (RECORD.md), without rake, coins and balances."""
        return hand_result(self)

    def _others(self) -> list[list[Seat]]:
        return [[self.seats[other] for other in order if self.seats[other].live] for order in IN_PLAY_ORDER]

    # Changes that every phase has a part in

    def retire(self, seat: Seat) -> None:
        """A seat that has won or left is no longer live."""
        seat.live = False
        self.others = self._others()

    def draw(self, number: int, replacement: bool) -> int:
        """A seat draws, a replacement from the back of the wall."""
        front = self._front
        self.wall_left -= 1
        if replacement:
            tile = self.wall[front + self.wall_left]
        else:
            tile = self.wall[front]
            self._front = front + 1
        # A wild is no wait, so that the drawn hand itself has to be looked at: see turn.py.
        ruleset = self.ruleset
        self.drawn_wins = self.seats[number].draw(ruleset, tile) or tile == ruleset.wild
        self.turn = number
        self.drawn = tile
        self.replacement = replacement
        return tile

    def take_back_draw(self) -> None:
        """Undo a draw that was not acted on."""
        if self.drawn is None:
            return
        self.seats[self.turn].remove(self.drawn)
        self.wall_left += 1
        if not self.replacement:
            self._front -= 1
        self.drawn = None

    def pay(self, payments: Sequence[Payment], events: list[Event]) -> None:
        for payment in payments:
            self.payments.append(payment)
            self.seats[payment.payer].units -= payment.units
            self.seats[payment.payee].units += payment.units
            events.append(Paid(payment))

    def strike(self, payments: Sequence[Payment]) -> None:
        for payment in payments:
            self.payments.remove(payment)
            self.seats[payment.payer].units += payment.units
            self.seats[payment.payee].units -= payment.units
