"""What happens by itself between decisions: draws, kongs paid, wins recorded, the end of the hand."""

from .drawn import drawn_payments
from .events import DRAWN, Draw, EndKind, Event, Over, Win, WinBy, Won
from .holding import MeldKind
from .options import Mode
from .patterns import Moment, Score
from .payments import kong_payments, kong_transfer, win_payers, win_payments
from .state import OVER, TURN, Hand, Kong


def next_turn(hand: Hand, after: int, events: list[Event]) -> None:
    """The next live seat after one draws; where the wall is empty the hand is drawn (RULES.md section 6)."""
    if hand.wall_left == 0:
        hand.pay(drawn_payments(hand), events)
        finish(hand, EndKind.DRAWN, events)
        return
    number = hand.others[after][0].number
    hand.phase = TURN
    hand.claim = None
    events.append(DRAWN[number][hand.draw(number, False)])


def draw_replacement(hand: Hand, number: int, events: list[Event]) -> None:
    hand.phase = TURN
    hand.claim = None
    events.append(Draw(number, hand.draw(number, True), True))


def pay_kong(hand: Hand, number: int, form: MeldKind, tile: int, feeder: int | None, events: list[Event]) -> None:
    payments = kong_payments(hand.ruleset, form, tile, number, feeder, hand.live_others(number))
    hand.kongs.append(Kong(number, form, tile, feeder, tuple(payments)))
    hand.pay(payments, events)


def record_win(
    hand: Hand, number: int, source: int | None, by: WinBy, tile: int, score: Score, moment: Moment, events: list[Event]
) -> None:
    """Write down a win and what is paid for it. The winner is no longer live afterwards."""
    win = Win(number, source, by, tile, score, moment, order=len(hand.wins) + 1)
    last_kong = hand.kongs[-1] if hand.kongs else None
    payers = win_payers(source, moment, hand.live_others(number), last_kong)
    hand.wins.append(win)
    hand.seats[number].won = win
    hand.retire(hand.seats[number])
    events.append(Won(win))
    hand.pay(win_payments(hand.ruleset, win, payers), events)
    if moment.kong_shot and hand.ruleset.kong_shot_transfer and last_kong is not None:
        hand.pay(kong_transfer(last_kong, number), events)
        hand.kongs[-1] = last_kong._replace(transferred=True)


def finish_if_won(hand: Hand, events: list[Event]) -> None:
    """The hand ends with its first winning event, or when one live seat is left (RULES.md section 6)."""
    if hand.ruleset.mode is Mode.SINGLE or len(hand.live_seats()) == 1:
        finish(hand, EndKind.WON, events)


def finish(hand: Hand, end: EndKind, events: list[Event]) -> None:
    hand.phase = OVER
    hand.end = end
    hand.drawn = None
    hand.claim = None
    events.append(Over(end))
