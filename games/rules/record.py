"""Hand records: writing, replaying and judging them (RECORD.md, "Hand record").

A record holds decisions; passes, draws and the closing of claims follow from them. Replaying therefore closes the
claims on a tile when an action comes that is no claim on it: whoever could claim until then has passed.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .actions import ANSWERS, CLOSE, Action, IllegalAction, IllegalCode, Kind
from .errors import ErrorCode, Refusal
from .events import Event
from .hand import apply
from .ruleset import Ruleset, RulesetError
from .scoring import score_line
from .settlement import settle
from .state import IN_PLAY_ORDER, OVER, Claim, Hand
from .stopping import stop
from .tiles import SUITS, TILE_NAMES, TILES, TileError, parse_suit
from .wall import SEATS, parse_wall, wall_text

__all__ = ["FORMAT", "VERSION", "Record", "judge", "parse_record", "played", "record_of", "replay", "score_line"]

FORMAT: Final = "sichuan-mahjong-hand"
VERSION: Final = 1

#: Every action that a record can hold, by what stands for it there.
_ACTIONS: Final = {
    (seat, kind.value, *([] if tile is None else [TILE_NAMES[tile]])): Action(seat, kind, tile)
    for seat in range(SEATS)
    for kind, tiles in (
        (Kind.DISCARD, TILES),
        (Kind.KONG, (*TILES, None)),
        (Kind.WIN, (*TILES, None)),
        (Kind.PUNG, (None,)),
        (Kind.LEAVE, (None,)),
    )
    for tile in tiles
}


class Record(NamedTuple):
    """A record whose form is right. Whether its actions are legal shows when it is played."""

    ruleset: Ruleset
    coefficient: int
    rake: int
    balances: list[int]
    dealer: int
    wall: list[int]
    voids: list[int] | None
    actions: list[Action]


def record_of(hand: Hand, *, coefficient: int, rake: int, balances: Sequence[int]) -> dict[str, Any]:
    """The record of a hand so far, with its result where it is over."""
    voids = [seat.void for seat in hand.seats]
    record = {
        "format": FORMAT,
        "version": VERSION,
        "ruleset": hand.ruleset.spec,
        "coefficient": coefficient,
        "rake": rake,
        "balances": list(balances),
        "dealer": hand.dealer,
        "wall": wall_text(hand.wall),
        "voids": [None if void is None else SUITS[void] for void in voids] if hand.ruleset.void_suit else None,
        "actions": [list(move) for move in hand.moves],
    }
    if hand.phase is OVER:
        record["result"] = _full_result(hand, coefficient, rake, balances)
    return record


def judge(record: object) -> dict[str, Any]:
    """The result of a record, computed afresh, or {"error": …}."""
    try:
        parsed = parse_record(record)
        hand = _play(parsed)
    except Refusal as refusal:
        return refusal.as_json()
    return _full_result(hand, parsed.coefficient, parsed.rake, parsed.balances)


def replay(record: object) -> Iterator[tuple[Hand, list[Event]]]:
    """The hand after each step of a record, with the events of the step; the deal comes first, without events.

    It is one and the same hand that goes on: copy it to keep a step. Raises Refusal as judging would.
    """
    yield from _steps(parse_record(record))


def played(record: Mapping[str, Any]) -> Hand:
    """The hand of a record at its end, also of one that was ended from outside and so has no result but `stopped`.

    Raises Refusal as judging would.
    """
    if "result" in record:
        return _play(parse_record(record))
    hand = Hand(Ruleset.parse(record["ruleset"]), parse_wall(record["wall"]), record["dealer"])
    if None not in (record["voids"] or ()):  # else the void suits were still being named
        _name_voids(hand, _read_voids(hand.ruleset, record["voids"]) or ())
        for at, entry in enumerate(record["actions"]):
            _step(hand, _read_action(entry, at))
    stopped = record["stopped"]
    # The record does not tell whether the last claims were closed; what was paid does.
    if hand.claim and not hand.claim.winners() and len(hand.payments) < len(stopped["payments"]):
        _close_claims(hand)
    stop(hand, void=stopped["rule"] == "void")
    return hand


def _full_result(hand: Hand, coefficient: int, rake: int, balances: Sequence[int]) -> dict[str, Any]:
    result = hand.result()
    settlement = settle(hand.ruleset, result["units"], coefficient, rake, balances)
    return {
        "end": result["end"],
        "wins": result["wins"],
        "payments": result["payments"],
        "units": result["units"],
        "points": settlement.points,
        "rake": settlement.rake,
        "coins": settlement.coins,
        "balances": settlement.balances,
        "next_dealer": result["next_dealer"],
    }


# The form of a record


def parse_record(record: object) -> Record:
    """Read a record; Refusal where its form is not right."""
    if not isinstance(record, Mapping):
        raise Refusal(ErrorCode.BAD_FORMAT, "a record is an object")
    version = record.get("version")
    if record.get("format") != FORMAT or isinstance(version, bool) or version != VERSION:
        raise Refusal(ErrorCode.BAD_FORMAT, "not this format and version")
    try:
        ruleset = Ruleset.parse(record.get("ruleset"))
    except RulesetError as error:
        raise Refusal(ErrorCode.UNKNOWN_RULESET, str(error)) from error
    for name in ("coefficient", "rake"):
        if not _is_whole(record.get(name)):
            raise Refusal(ErrorCode.BAD_FORMAT, f"{name} is not a whole number")
    balances = record.get("balances")
    if not isinstance(balances, list) or len(balances) != SEATS or not all(_is_whole(coins) for coins in balances):
        raise Refusal(ErrorCode.BAD_FORMAT, "balances are not four whole numbers")
    dealer = record.get("dealer")
    if not _is_seat(dealer):
        raise Refusal(ErrorCode.BAD_FORMAT, "dealer is not a seat")
    try:
        wall = parse_wall(record.get("wall"))
    except TileError as error:
        raise Refusal(ErrorCode.BAD_WALL, str(error)) from error
    actions = record.get("actions")
    if not isinstance(actions, list):
        raise Refusal(ErrorCode.BAD_FORMAT, "actions are not a list")
    read_actions = [_read_action(entry, at) for at, entry in enumerate(actions)]
    voids = _read_voids(ruleset, record.get("voids"))
    return Record(ruleset, record["coefficient"], record["rake"], balances, record["dealer"], wall, voids, read_actions)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_seat(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < SEATS


def _read_action(entry: object, at: int) -> Action:
    # The seat is looked at by itself: for a dict, true and 1.0 are the same as 1.
    if isinstance(entry, list) and entry and type(entry[0]) is int:
        try:
            return _ACTIONS[tuple(entry)]
        except (KeyError, TypeError):  # a TypeError where a list or an object stands in it
            pass
    raise Refusal(ErrorCode.BAD_FORMAT, f"not an action: {entry!r}", at)


def _read_voids(ruleset: Ruleset, voids: object) -> list[int] | None:
    if not ruleset.void_suit:
        if voids is not None:
            raise Refusal(ErrorCode.BAD_VOID, "this ruleset has no void suit")
        return None
    if not isinstance(voids, list) or len(voids) != SEATS:
        raise Refusal(ErrorCode.BAD_VOID, "voids are not four suits")
    try:
        return [parse_suit(void) for void in voids]
    except TileError as error:
        raise Refusal(ErrorCode.BAD_VOID, str(error)) from error


# The play of a record


def _play(record: Record) -> Hand:
    *_, (hand, _events) = _steps(record)
    return hand


def _steps(record: Record) -> Iterator[tuple[Hand, list[Event]]]:
    hand = Hand(record.ruleset, record.wall, record.dealer)
    yield hand, []
    if record.voids is not None:
        yield hand, _name_voids(hand, record.voids)
    for at, action in enumerate(record.actions):
        try:
            events = _step(hand, action)
        except IllegalAction as error:
            code = ErrorCode.TRAILING_ACTIONS if hand.phase is OVER else ErrorCode.ILLEGAL_ACTION
            raise Refusal(code, error.message, at) from error
        yield hand, events
    if hand.phase is not OVER:
        yield hand, _end(hand)


def _name_voids(hand: Hand, voids: Sequence[int]) -> list[Event]:
    events: list[Event] = []
    for seat, suit in enumerate(voids):
        try:
            events += apply(hand, Action(seat, Kind.VOID, suit=suit))
        except IllegalAction as error:
            raise Refusal(ErrorCode.BAD_VOID, f"seat {seat}: {error.message}") from error
    return events


def _end(hand: Hand) -> list[Event]:
    """Where a record stops, everybody else has passed."""
    try:
        events = _close_claims(hand)
    except IllegalAction as error:
        raise Refusal(ErrorCode.INCOMPLETE, "a forced win is missing") from error
    if hand.phase is not OVER:
        raise Refusal(ErrorCode.INCOMPLETE, "the hand is not over")
    return events


def _step(hand: Hand, action: Action) -> list[Event]:
    """One action of a record, with the passes and the closing of claims that it implies."""
    claim = hand.claim
    if claim is None or action.tile is not None or not _belongs_to(claim, action):
        events = _close_claims(hand)
        if action.tile is None and action.kind is Kind.WIN and hand.phase is not OVER:
            raise IllegalAction(IllegalCode.NO_WIN, "a self-draw names its tile")
        events += apply(hand, action)
        if not hand.wall_left:
            events += _close_last_discard(hand)
        return events
    if action.kind is Kind.LEAVE:
        return apply(hand, action)
    assert action.seat is not None
    if action.kind is Kind.WIN:
        # Winners stand in play order: those before this one have won or passed.
        order = IN_PLAY_ORDER[claim.last.seat]
        earlier = order[: order.index(action.seat)] if action.seat in order else []
        events = _pass_all(hand, claim, earlier)
        return events + apply(hand, action)
    events = _pass_all(hand, claim, [seat for seat in claim.offers if seat != action.seat])
    return [*events, *apply(hand, action), *apply(hand, CLOSE)]


def _belongs_to(claim: Claim, action: Action) -> bool:
    """Whether an action without a tile, a claim or a leaving, leaves the claims open (RULES.md section 5).

    Once a seat has won only further wins do. What names its tile always closes them.
    """
    return action.kind is Kind.WIN or not claim.winners()


def _pass_all(hand: Hand, claim: Claim, seats: Sequence[int]) -> list[Event]:
    """Those of the seats that could still claim the tile pass."""
    events: list[Event] = []
    for seat in seats:
        if seat in claim.offers and seat not in claim.answers:
            events += apply(hand, ANSWERS[seat][Kind.PASS])
    return events


def _close_claims(hand: Hand) -> list[Event]:
    claim = hand.claim
    if claim is None:
        return []
    if not claim.offers:
        return apply(hand, CLOSE)
    return _pass_all(hand, claim, list(claim.offers)) + apply(hand, CLOSE)


def _close_last_discard(hand: Hand) -> list[Event]:
    """After the last discard the hand is over at once if nobody can win that tile (RULES.md section 6)."""
    return [] if hand.claim is None or hand.claim.offers else apply(hand, CLOSE)
