"""Sections 2 to 6, 8, 10 and 12: what the seats may do, and what that costs them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .drawn import best_ready, settle_drawn
from .notation import SEATS, Fault, Meld, Options
from .scoring import Melds, Moment, Score, Tiles, paid_by_feeder, score

Payment = tuple[str, int, int, int]


@dataclass
class Kong:
    """A kong that took place: who paid how much for it, and whether that has passed to a winner."""

    kind: str
    feeder: int | None
    paid: list[tuple[int, int]]
    transferred: bool = False


@dataclass
class Seat:
    number: int
    tiles: list[str]
    void: str | None = None
    melds: list[Meld] = field(default_factory=list)
    kongs: list[Kong] = field(default_factory=list)
    draws: int = 0
    discards: int = 0
    #: The fan of the wins passed since the last draw (10).
    passed: list[int] = field(default_factory=list)
    won: bool = False
    left: bool = False

    @property
    def live(self) -> bool:
        return not self.won and not self.left

    @property
    def hand(self) -> tuple[Tiles, Melds]:
        return tuple(self.tiles), tuple(self.melds)


class Table:
    """A hand from the deal on. `stage` says what is awaited:

    draw: the turn's seat has to draw, from the front or (replacement) the back, which happens when it acts.
    act: the turn's seat has drawn or punged.
    claims: the open tile, a discard or an added kong of the turn's seat, may be claimed.
    over: nothing.
    """

    def __init__(self, options: Options, wall: Sequence[str], dealer: int, voids: Sequence[str] | None) -> None:
        self.options = options
        self.wall = list(wall)
        self.dealer = dealer
        self.seats = [Seat(number, []) for number in SEATS]
        order = [self.seats[(dealer + step) % 4] for step in range(4)]
        for size in (4, 4, 4, 1):
            for seat in order:
                seat.tiles += [self.wall.pop(0) for _ in range(size)]
        self.payments: list[Payment] = []
        self.wins: list[dict[str, Any]] = []
        self.end = ""
        self.turn = dealer
        self.replacing: Kong | None = None
        self.drawn: str | None = None
        self.stage = "draw"
        self.draw()
        if options["void_suit"]:
            self.name_voids(voids)
        elif voids is not None:
            raise Fault("bad_void")
        # The open tile.
        self.tile = ""
        self.robbing = False
        self.shot: Kong | None = None
        self.winners: list[int] = []
        #: Who fed the first tile that two or more seats won (14).
        self.fed_two: int | None = None

    # What follows from the rules

    def name_voids(self, voids: object) -> None:
        """3."""
        if not isinstance(voids, list) or len(voids) != 4:
            raise Fault("bad_void")
        for seat, void in zip(self.seats, voids, strict=True):
            held = {tile[1] for tile in seat.tiles if tile != self.options["wild"]}
            if void not in ("m", "p", "s") or (len(held) < 3 and void in held):
                raise Fault("bad_void")
            seat.void = void

    @property
    def live(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.live]

    def after(self, number: int) -> list[Seat]:
        """The other live seats in play order."""
        others = [self.seats[(number + step) % 4] for step in (1, 2, 3)]
        return [seat for seat in others if seat.live]

    def pay(self, kind: str, payer: int, payee: int, units: int) -> None:
        if units:
            self.payments.append((kind, payer, payee, units))

    def draw(self) -> None:
        seat = self.seats[self.turn]
        self.drawn = self.wall.pop() if self.replacing else self.wall.pop(0)
        seat.tiles.append(self.drawn)
        seat.draws += 1
        seat.passed = []
        self.stage = "act"

    def must_draw(self, seat: Seat, kong: Kong | None = None) -> None:
        if not self.wall:
            self.finish()
            return
        self.turn, self.replacing, self.drawn, self.stage = seat.number, kong, None, "draw"

    def finish(self) -> None:
        """6: the hand is over, unless by a leaving."""
        self.stage = "over"
        single = self.options["mode"] == "single"
        if (single and self.wins) or (not single and len(self.live) == 1):
            self.end = "won"
        else:
            self.end = "drawn"
            settle_drawn(self)

    def moment_of_draw(self) -> Moment:
        """7."""
        seat = self.seats[self.turn]
        first = seat.draws == 1 and not seat.melds
        return Moment(
            self_draw=True,
            kong_flower=self.replacing is not None,
            after_exposed_kong=self.replacing is not None and self.replacing.kind == "exposed",
            tianhu=first and seat.number == self.dealer and not seat.discards,
            dihu=first and seat.number != self.dealer,
        )

    def wins_by_itself(self) -> Score | None:
        """What the tile just drawn is worth as a self-draw."""
        seat = self.seats[self.turn]
        if self.drawn is None:
            return None
        return score(self.options, *seat.hand, seat.void, self.moment_of_draw())

    def wins_with_open_tile(self, seat: Seat) -> Score | None:
        """7 and 10: what the open tile is worth to a seat that may win with it."""
        if self.tile == self.options["wild"] or seat.number == self.turn or not seat.live:
            return None
        moment = Moment(kong_shot=self.shot is not None, robbed_kong=self.robbing)
        tiles, melds = seat.hand
        won = score(self.options, (*tiles, self.tile), melds, seat.void, moment)
        if won and seat.passed and not self.forced("last_four"):
            if self.options["pass_win"] == "until_draw":
                return None
            if self.options["pass_win"] == "unless_higher" and won.uncapped_fan <= max(seat.passed):
                return None
        return won

    def forced(self, *rules: str) -> bool:
        """10: one of the last four tiles has been drawn."""
        return self.options["forced_win"] in rules and len(self.wall) <= 3

    def could_still_win(self) -> list[Seat]:
        """Who may win the open tile after those who have, in play order."""
        last = self.winners[-1] if self.winners else self.turn
        behind = [seat for seat in self.after(self.turn) if (seat.number - self.turn) % 4 > (last - self.turn) % 4]
        return [seat for seat in behind if self.wins_with_open_tile(seat)]

    # Claims (5)

    def open_claims(self, tile: str, robbing: bool, shot: Kong | None) -> None:
        self.tile, self.robbing, self.shot, self.winners, self.stage = tile, robbing, shot, [], "claims"
        if not self.wall and not self.could_still_win():
            self.close_claims()

    def close_claims(self) -> None:
        """Who could win the open tile and did not has passed. Then play goes on."""
        self.pass_wins()
        if self.winners:
            if self.options["mode"] == "single" or len(self.live) == 1:
                self.finish()
            else:
                self.must_draw(self.after(self.winners[-1])[0])
        elif self.robbing:
            self.complete_added_kong()
        else:
            self.must_draw(self.after(self.turn)[0])

    def pass_wins(self) -> None:
        if self.options["pass_win"] == "free":
            return
        for seat in self.after(self.turn):
            won = self.wins_with_open_tile(seat)
            if won:
                seat.passed.append(won.uncapped_fan)

    def check_forced_claims(self, code: str = "illegal_action") -> None:
        if self.forced("last_four") and self.could_still_win():
            raise Fault(code)

    def claim(self, number: int, verb: str) -> None:
        seat = self.seats[number]
        if seat not in self.after(self.turn):
            raise Fault("illegal_action")
        if verb == "win":
            self.claim_win(seat)
        else:
            self.check_forced_claims()
            size = 2 if verb == "pung" else 3
            if self.robbing or not self.wall or self.tile == self.options["wild"]:
                raise Fault("illegal_action")
            if self.tile[1] == seat.void or seat.tiles.count(self.tile) < size:
                raise Fault("illegal_action")
            self.pass_wins()
            for _ in range(size):
                seat.tiles.remove(self.tile)
            if verb == "pung":
                seat.melds.append(Meld("pung", self.tile))
                self.turn, self.replacing, self.drawn, self.stage = number, None, None, "act"
            else:
                seat.melds.append(Meld("exposed_kong", self.tile))
                self.pay_kong(seat, "exposed", self.turn)

    def claim_win(self, seat: Seat) -> None:
        able = self.could_still_win()
        if seat not in able or (self.forced("last_four") and seat is not able[0]):
            raise Fault("illegal_action")
        won = self.wins_with_open_tile(seat)
        assert won
        if self.robbing and not self.winners:
            self.seats[self.turn].tiles.remove(self.tile)
        self.pay("win", self.turn, seat.number, won.multiplier)
        if self.shot and self.options["kong_shot_transfer"]:
            self.pay("kong_transfer", self.turn, seat.number, sum(units for _, units in self.shot.paid))
            self.shot.transferred = True
        self.enter_win(seat, self.turn, "robbed_kong" if self.robbing else "discard", self.tile, won)
        self.winners.append(seat.number)
        if len(self.winners) == 2 and self.fed_two is None:
            self.fed_two = self.turn

    def enter_win(self, seat: Seat, feeder: int | None, by: str, tile: str, won: Score) -> None:
        seat.won = True
        self.wins.append({"seat": seat.number, "from": feeder, "by": by, "tile": tile, **won._asdict()})

    # A turn (4)

    def discard(self, seat: Seat, tile: str) -> None:
        allowed = self.allowed_discards(seat)
        if tile not in allowed:
            raise Fault("illegal_action")
        seat.tiles.remove(tile)
        seat.discards += 1
        self.open_claims(tile, robbing=False, shot=self.replacing)

    def allowed_discards(self, seat: Seat) -> list[str]:
        void = [tile for tile in seat.tiles if tile[1] == seat.void and tile != self.options["wild"]]
        return void or seat.tiles

    def kong(self, seat: Seat, tile: str) -> None:
        if self.drawn is None or not self.wall or tile[1] == seat.void or tile == self.options["wild"]:
            raise Fault("illegal_action")
        if Meld("pung", tile) in seat.melds and tile in seat.tiles:
            self.open_claims(tile, robbing=True, shot=None)
        elif seat.tiles.count(tile) == 4:
            seat.tiles = [other for other in seat.tiles if other != tile]
            seat.melds.append(Meld("concealed_kong", tile))
            self.pay_kong(seat, "concealed", None)
        else:
            raise Fault("illegal_action")

    def complete_added_kong(self) -> None:
        seat = self.seats[self.turn]
        seat.tiles.remove(self.tile)
        seat.melds[seat.melds.index(Meld("pung", self.tile))] = Meld("added_kong", self.tile)
        self.pay_kong(seat, "added", None)

    def pay_kong(self, seat: Seat, kind: str, feeder: int | None) -> None:
        """8, then the replacement is to be drawn."""
        others = "exposed_kong_others_units" if kind == "exposed" else f"{kind}_kong_units"
        paid = []
        for other in self.after(seat.number):
            units = self.options["exposed_kong_units" if other.number == feeder else others]
            self.pay("kong", other.number, seat.number, units)
            paid.append((other.number, units))
        kong = Kong(kind, feeder, paid)
        seat.kongs.append(kong)
        self.must_draw(seat, kong)

    def self_draw(self, seat: Seat, tile: str) -> None:
        won = self.wins_by_itself()
        if won is None or tile != self.drawn:
            raise Fault("illegal_action")
        if paid_by_feeder(self.options, self.moment_of_draw()):
            assert self.replacing and self.replacing.feeder is not None
            self.pay("win", self.replacing.feeder, seat.number, won.multiplier)
        else:
            bonus = self.options["self_draw_bonus"] == "base"
            for other in self.after(seat.number):
                self.pay("win", other.number, seat.number, won.multiplier + bonus)
        self.enter_win(seat, None, "self_draw", tile, won)
        if self.options["mode"] == "single" or len(self.live) == 1:
            self.finish()
        else:
            self.must_draw(self.after(seat.number)[0])

    # Leaving (12)

    def leave(self, seat: Seat) -> None:
        if self.stage == "claims" and self.winners:
            self.check_forced_claims()
            self.close_claims()
            if self.stage == "over":
                raise Fault("trailing_actions")
        if seat.left:
            raise Fault("illegal_action")
        if seat.won:
            seat.left = True
            if self.options["leaver_wins"] == "forfeit":
                self.payments = [paid for paid in self.payments if (paid[0], paid[2]) != ("win", seat.number)]
            return
        if self.stage == "claims" and self.robbing:
            self.complete_added_kong()
        self.escape(seat)

    def escape(self, seat: Seat) -> None:
        others = self.after(seat.number)
        dajiao = []
        if len(self.wall) <= 4:
            dajiao = [(other.number, best.multiplier) for other in others if (best := best_ready(self, other))]
        if sum(units for _, units in dajiao) > self.options["escape_units"] * len(others):
            for number, units in dajiao:
                self.pay("dajiao", seat.number, number, units)
        else:
            for other in others:
                self.pay("escape", seat.number, other.number, self.options["escape_units"])
        seat.left = True
        self.stage, self.end = "over", "escaped"

    # The decisions of a record

    def act(self, number: int, verb: str, tile: str | None) -> None:
        seat = self.seats[number]
        if self.stage == "over":
            raise Fault("trailing_actions")
        if verb == "leave":
            self.leave(seat)
            return
        if self.stage == "claims":
            if tile is None and (verb == "win" or not self.winners):
                self.claim(number, verb)
                return
            self.check_forced_claims()
            self.close_claims()
            if self.stage == "over":
                raise Fault("trailing_actions")
        if tile is None or number != self.turn:
            raise Fault("illegal_action")
        if self.stage == "draw":
            self.draw()
        if verb != "win" and self.forced("last_four", "last_four_self_draw") and self.wins_by_itself():
            raise Fault("illegal_action")
        {"discard": self.discard, "kong": self.kong, "win": self.self_draw}[verb](seat, tile)

    def stop(self) -> None:
        """No more actions: who could still claim has passed."""
        if self.stage == "claims":
            self.check_forced_claims("incomplete")
            self.close_claims()
        if self.stage != "over":
            raise Fault("incomplete")
