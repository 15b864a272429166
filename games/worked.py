"""Worked hands for the rules pages: example hands in tile notation, and what `games.rules` makes of them under a ruleset.

No number is written here. Which examples a ruleset gets follows from what it knows: one for each pattern of its fan table,
one for each way to win that adds fan, its kongs, an escape, and a drawn hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import gettext

from games import words
from games.rulebook import MEANINGS, Fan, Line, Section, basics, fan_table, option_rows, sections
from games.rules.drawn import drawn_payments, escape_payments
from games.rules.events import Payment, Win, WinBy
from games.rules.explain import payment_explained, win_told
from games.rules.hand import Hand, Seat
from games.rules.holding import Holding, Meld, MeldKind
from games.rules.options import FlowerPayers, Pattern
from games.rules.patterns import Moment, score
from games.rules.payments import kong_payments, kong_transfer, win_payers, win_payments
from games.rules.ruleset import Ruleset
from games.rules.shapes import suit_codes
from games.rules.state import Kong
from games.rules.tiles import ALL_TILES, parse_suit, parse_tile, parse_tiles, tile_name
from games.rules.wall import SEATS

Melds = tuple[tuple[MeldKind, str], ...]


_FED: Final = Moment()


@dataclass(frozen=True)
class _Example:
    """A winning hand: 13 tiles or what melds leave of them, and the tile it wins with."""

    concealed: str
    win_tile: str
    melds: Melds = ()
    moment: Moment = _FED


_SELF_DRAW: Final = Moment(self_draw=True)
_PUNGS: Final[Melds] = tuple((MeldKind.PUNG, tile) for tile in ("3m", "7m", "2p", "9p"))

#: For each pattern a hand of that pattern and of no higher one.
_PATTERNS: Final[Mapping[Pattern, _Example]] = {
    Pattern.PINGHU: _Example("123m567m789m4455p", "4p"),
    Pattern.DUIDUIHU: _Example("333m777m22p99p", "2p", ((MeldKind.PUNG, "8p"),)),
    Pattern.JINGOUDIAO: _Example("5p", "5p", _PUNGS),
    Pattern.QINGYISE: _Example("1234566678999m", "3m"),
    Pattern.DAIYAOJIU: _Example("123789m12311p78p", "9p", moment=_SELF_DRAW),
    Pattern.QIDUI: _Example("11335577m2244p9p", "9p"),
    Pattern.QINGDUI: _Example("33355577m99m", "7m", ((MeldKind.PUNG, "1m"),)),
    Pattern.JIANGDUI: _Example("222m555m22p88p", "8p", ((MeldKind.PUNG, "8m"),)),
    Pattern.LONGQIDUI: _Example("11113355m2244p9p", "9p"),
    Pattern.QINGQIDUI: _Example("1133445577992m", "2m", moment=_SELF_DRAW),
    Pattern.QINGYAOJIU: _Example("1122233378999m", "1m"),
    Pattern.QINGLONGQIDUI: _Example("1111334455772m", "2m"),
    Pattern.TIANHU: _Example("123m567m789m4455p", "4p", moment=Moment(self_draw=True, tianhu=True)),
    Pattern.DIHU: _Example("123m567m789m4455p", "4p", moment=Moment(self_draw=True, dihu=True)),
}
_GEN: Final = _Example("1111234567899m", "9m")
_WILD: Final = _Example("112233445566m1s", "7m", moment=_SELF_DRAW)
_KONG_FLOWER: Final = _Example(
    "234678m55p78p", "9p", ((MeldKind.EXPOSED_KONG, "4p"),), Moment(self_draw=True, kong_flower=True)
)
_KONG_SHOT: Final = _Example("234m678m4455p567p", "4p", moment=Moment(kong_shot=True))
_ROBBED_KONG: Final = _Example("234m678m4455p567p", "4p", moment=Moment(robbed_kong=True))

#: Four hands at the end of the wall: a big ready hand, a plain one, one that is not ready and has a kong, one of three suits.
_DRAWN: Final[tuple[tuple[str, Melds, str], ...]] = (
    ("1234567892345m", (), "s"),
    ("234678m3345678p", (), "s"),
    ("1479m235679s", ((MeldKind.CONCEALED_KONG, "8s"),), "p"),
    ("13589m2469p3579s", (), "p"),
)


@dataclass(frozen=True)
class Shown:
    """A hand as it is drawn: whose it is (or ""), its melds, its tiles, the tile it won with."""

    name: str
    melds: list[list[str]]
    tiles: list[str]
    win: str | None = None


@dataclass(frozen=True)
class Sample:
    """A hand for a line of the fan table: of one of its patterns, melds first, and the tile it wins with."""

    pattern: str
    tiles: list[str]
    win: str


@dataclass(frozen=True)
class Worked:
    """A worked example: what it shows, the hands, and what they come to, sentence by sentence."""

    heading: str
    meaning: str
    hands: list[Shown]
    lines: list[str]


@dataclass(frozen=True)
class WorkedSection:
    heading: str
    examples: list[Worked]


@dataclass(frozen=True)
class Book:
    """All that a rules page says of a ruleset."""

    basics: list[str]
    fans: list[tuple[Fan, Sample]]
    sections: list[Section]
    worked: list[WorkedSection]
    options: list[Line]


def book_of(ruleset: Ruleset) -> Book:
    """The rules page of a ruleset, in the active language."""
    return Book(
        basics=basics(ruleset),
        fans=[(fan, _sample(fan)) for fan in fan_table(ruleset)],
        sections=sections(ruleset),
        worked=worked_hands(ruleset),
        options=option_rows(ruleset),
    )


def _sample(fan: Fan) -> Sample:
    """Of the patterns that the tiles alone make, if there is one: what 天胡 wins with may be any hand."""
    pattern = min(map(Pattern, fan.patterns), key=lambda each: each in (Pattern.TIANHU, Pattern.DIHU))
    example = _PATTERNS[pattern]
    melds = [tile for meld in _meld_tiles(example.melds) for tile in meld]
    return Sample(words.pattern_name(pattern), [*melds, *_tiles(example.concealed)], example.win_tile)


def worked_hands(ruleset: Ruleset) -> list[WorkedSection]:
    """The worked examples of a ruleset, in the active language."""
    return [
        WorkedSection(gettext("胡牌的例子"), list(_wins(ruleset))),
        WorkedSection(gettext("刮风下雨的例子"), list(_kongs(ruleset))),
        WorkedSection(gettext("流局和逃跑的例子"), [_drawn(ruleset), _escape(ruleset)]),
    ]


def _names() -> list[str]:
    return [gettext("甲"), gettext("乙"), gettext("丙"), gettext("丁")]


# --- Wins ----------------------------------------------------------------------------------------------------------
def _wins(ruleset: Ruleset) -> Iterator[Worked]:
    listed = sorted(ruleset.patterns, key=lambda row: row[1])
    for pattern, _fan in listed:
        yield _win(ruleset, _PATTERNS[pattern], str(MEANINGS[pattern]))
        if pattern is Pattern.PINGHU:
            plain = _PATTERNS[pattern]
            yield _win(ruleset, _Example(plain.concealed, plain.win_tile, moment=_SELF_DRAW), gettext("同一手牌，自摸"))
    if ruleset.gen_fan:
        yield _win(ruleset, _GEN, gettext("一根：四张一样的，没有开杠"))
    if ruleset.wild is not None:
        yield _win(ruleset, _WILD, gettext("任用牌当作番最高的那张"))
    yield _kong_flower(ruleset)
    yield _win(ruleset, _ROBBED_KONG, gettext("抢杠：别人补杠的那张就是要胡的牌"))


def _won(ruleset: Ruleset, example: _Example) -> tuple[Win, list[Meld]]:
    """The win of seat 0; where it is fed, by seat 1."""
    melds = [Meld(kind, parse_tile(tile)) for kind, tile in example.melds]
    manzu, pinzu, souzu = suit_codes(parse_tiles(example.concealed))
    tile = parse_tile(example.win_tile)
    moment = example.moment
    found = score(ruleset, Holding((manzu, pinzu, souzu), tuple(melds)).with_tile(tile), moment)
    assert found is not None, f"{example} does not win"
    by = WinBy.SELF_DRAW if moment.self_draw else WinBy.ROBBED_KONG if moment.robbed_kong else WinBy.DISCARD
    return Win(0, None if moment.self_draw else 1, by, tile, found, moment, order=1), melds


def _win(ruleset: Ruleset, example: _Example, meaning: str) -> Worked:
    win, melds = _won(ruleset, example)
    payments = win_payments(ruleset, win, win_payers(win.source, win.moment, [1, 2, 3], None))
    return _worked_win(ruleset, win, melds, example, payments, meaning)


def _worked_win(
    ruleset: Ruleset, win: Win, melds: Sequence[Meld], example: _Example, payments: Sequence[Payment], meaning: str
) -> Worked:
    told = win_told(ruleset, win, melds)
    lines = [words.fan_words(told), words.units_words(told), *_paid(_table(ruleset), payments)]
    hand = Shown("", _meld_tiles(example.melds), _tiles(example.concealed), example.win_tile)
    return Worked(words.win_words(told), meaning, [hand], lines)


def _kong_flower(ruleset: Ruleset) -> Worked:
    """A win on the replacement of an exposed kong that seat 1 has fed."""
    feeder_pays = ruleset.exposed_kong_flower is FlowerPayers.DISCARDER
    example = replace(_KONG_FLOWER, moment=_KONG_FLOWER.moment._replace(fed_flower=feeder_pays))
    win, melds = _won(ruleset, example)
    kong = _kong(ruleset, melds[0].kind, melds[0].tile, seat=0, feeder=1)
    payments = [*kong.paid, *win_payments(ruleset, win, win_payers(None, win.moment, [1, 2, 3], kong))]
    meaning = gettext("杠上花：%(name)s 打的牌被直杠，补来的一张胡了") % {"name": _names()[1]}
    return _worked_win(ruleset, win, melds, example, payments, meaning)


# --- Kongs ---------------------------------------------------------------------------------------------------------
def _kong(ruleset: Ruleset, form: MeldKind, tile: int, *, seat: int, feeder: int | None) -> Kong:
    others = [other for other in range(SEATS) if other != seat]
    return Kong(seat, form, tile, feeder, tuple(kong_payments(ruleset, form, tile, seat, feeder, others)))


def _kongs(ruleset: Ruleset) -> Iterator[Worked]:
    for form, tile, feeder in (
        (MeldKind.EXPOSED_KONG, "8m", 1),
        (MeldKind.ADDED_KONG, "3s", None),
        (MeldKind.CONCEALED_KONG, "5p", None),
    ):
        kong = _kong(ruleset, form, parse_tile(tile), seat=0, feeder=feeder)
        heading = words.meld_words({"kind": form.value, "tile": tile})
        lines = _paid(_table(ruleset), kong.paid)
        yield Worked(heading, "", [Shown("", [[tile] * 4], [])], lines or [gettext("不收钱。")])
    yield _kong_shot(ruleset)


def _kong_shot(ruleset: Ruleset) -> Worked:
    """Seat 1 makes a concealed kong, and seat 0 wins on its discard."""
    tile = "9s"
    kong = _kong(ruleset, MeldKind.CONCEALED_KONG, parse_tile(tile), seat=1, feeder=None)
    win, melds = _won(ruleset, _KONG_SHOT)
    payments = [*kong.paid, *win_payments(ruleset, win, [1])]
    if ruleset.kong_shot_transfer:
        payments += kong_transfer(kong, 0)
    name = _names()[1]
    meaning = gettext("杠上炮：%(name)s 暗杠 %(tile)s，补牌后打出的一张点炮") % {
        "name": name,
        "tile": words.tile_words(tile),
    }
    worked = _worked_win(ruleset, win, melds, _KONG_SHOT, payments, meaning)
    return Worked(worked.heading, meaning, [Shown(name, [[tile] * 4], []), *worked.hands], worked.lines)


# --- Drawn hands and escapes ---------------------------------------------------------------------------------------
def _table(ruleset: Ruleset) -> Hand:
    """The four hands of the drawn example, with the kong paid."""
    hand = Hand(ruleset, ALL_TILES, dealer=0)
    hand.seats = [Seat(number, parse_tiles(concealed)) for number, (concealed, _melds, _void) in enumerate(_DRAWN)]
    for seat, (_concealed, melds, void) in zip(hand.seats, _DRAWN, strict=True):
        seat.melds = [Meld(kind, parse_tile(tile)) for kind, tile in melds]
        if ruleset.void_suit:
            seat.name_void(parse_suit(void))
        hand.kongs += [
            _kong(ruleset, meld.kind, meld.tile, seat=seat.number, feeder=None) for meld in seat.melds if meld.is_kong
        ]
    return hand


def _table_shown() -> list[Shown]:
    return [
        Shown(name, _meld_tiles(melds), _tiles(concealed))
        for name, (concealed, melds, _void) in zip(_names(), _DRAWN, strict=True)
    ]


def _drawn(ruleset: Ruleset) -> Worked:
    hand = _table(ruleset)
    meaning = gettext("牌墙摸完，四家都没胡；%(name)s 早先暗杠过 %(tile)s") % {
        "name": _names()[2],
        "tile": words.tile_words("8s"),
    }
    return Worked(gettext("流局"), meaning, _table_shown(), _paid(hand, drawn_payments(hand)))


def _escape(ruleset: Ruleset) -> Worked:
    hand = _table(ruleset)
    meaning = gettext("%(name)s 中途离开") % {"name": _names()[3]}
    lines = _paid(hand, escape_payments(hand, 3))
    return Worked(gettext("逃跑"), meaning, [], lines or [gettext("不收钱。")])


def _paid(hand: Hand, payments: Sequence[Payment]) -> list[str]:
    """Who pays whom and why."""
    told = [payment_explained(hand, payment) for payment in payments]
    return [words.payments_explained_words(group, _names()) for group in words.payment_groups(told)]


def _tiles(text: str) -> list[str]:
    return [tile_name(tile) for tile in parse_tiles(text)]


def _meld_tiles(melds: Melds) -> list[list[str]]:
    return [[tile] * Meld(kind, parse_tile(tile)).size for kind, tile in melds]
