"""What a seat holds: melds, and the whole of a hand as patterns and waits see it (RULES.md sections 3 to 5)."""

from enum import StrEnum
from typing import NamedTuple

from .shapes import TILE_CODE, count_in


class MeldKind(StrEnum):
    PUNG = "pung"
    EXPOSED_KONG = "exposed_kong"
    ADDED_KONG = "added_kong"
    CONCEALED_KONG = "concealed_kong"


class Meld(NamedTuple):
    kind: MeldKind
    tile: int
    #: The seat whose discard was claimed; None for a concealed kong. An added kong keeps the source of its pung.
    source: int | None = None

    @property
    def is_kong(self) -> bool:
        return self.kind is not MeldKind.PUNG

    @property
    def size(self) -> int:
        return 4 if self.is_kong else 3


class Holding(NamedTuple):
    """Concealed tiles as suit codes (see shapes.py), melds, and the void suit where one was named."""

    codes: tuple[int, int, int]
    melds: tuple[Meld, ...] = ()
    void: int | None = None

    def with_tile(self, tile: int) -> "Holding":
        return self._changed(tile, TILE_CODE[tile])

    def without_tile(self, tile: int) -> "Holding":
        return self._changed(tile, -TILE_CODE[tile])

    def _changed(self, tile: int, code: int) -> "Holding":
        manzu, pinzu, souzu = self.codes
        if tile < 9:
            return Holding((manzu + code, pinzu, souzu), self.melds, self.void)
        if tile < 18:
            return Holding((manzu, pinzu + code, souzu), self.melds, self.void)
        return Holding((manzu, pinzu, souzu + code), self.melds, self.void)

    def copies(self, tile: int) -> int:
        """How many copies of a tile the seat has, melds included."""
        return count_in(self.codes, tile) + sum(meld.size for meld in self.melds if meld.tile == tile)

    def holds_void(self, wild: int | None) -> bool:
        """Whether tiles of the void suit are still concealed; a wild has no suit."""
        return self.void is not None and bool(self.natural_code(self.void, wild))

    def natural_code(self, suit: int, wild: int | None) -> int:
        """The code of a suit without its wilds."""
        code = self.codes[suit]
        if wild is not None and wild // 9 == suit:
            return code - count_in(self.codes, wild) * TILE_CODE[wild]
        return code

    def natural_suits(self, wild: int | None) -> set[int]:
        """The suits held, melds included, wilds left out."""
        suits = {meld.tile // 9 for meld in self.melds}
        for suit, code in enumerate(self.codes):
            if code and (wild is None or self.natural_code(suit, wild)):
                suits.add(suit)
        return suits
