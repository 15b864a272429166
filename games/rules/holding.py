"""What a seat holds: melds, and the whole of a hand as patterns and waits see it (RULES.md sections 3 to 5)."""

from enum import StrEnum
from itertools import compress
from typing import NamedTuple

from .shapes import TILE_CODE, SuitCodes, count_in


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

    @property
    def melded_codes(self) -> tuple[list[int], list[int]]:
        """The suit codes of the pungs and of the kongs."""
        pungs, kongs = [0, 0, 0], [0, 0, 0]
        for meld in self.melds:
            codes = kongs if meld.is_kong else pungs
            codes[meld.tile // 9] += meld.size * TILE_CODE[meld.tile]
        return pungs, kongs

    def copies(self, tile: int) -> int:
        """How many copies of a tile the seat has, melds included."""
        return count_in(self.codes, tile) + sum(meld.size for meld in self.melds if meld.tile == tile)

    def natural_codes(self, wild: int | None) -> SuitCodes:
        """The concealed tiles without the wilds."""
        if wild is None:
            return self.codes
        codes = list(self.codes)
        codes[wild // 9] -= count_in(codes, wild) * TILE_CODE[wild]
        return codes

    def holds_void(self, wild: int | None) -> bool:
        """Whether tiles of the void suit are still concealed; a wild has no suit."""
        return self.void is not None and self.natural_codes(wild)[self.void] != 0

    def natural_suits(self, wild: int | None) -> set[int]:
        """The suits held, melds included, wilds left out."""
        suits = set(compress(range(3), self.natural_codes(wild)))
        for meld in self.melds:
            suits.add(meld.tile // 9)
        return suits
