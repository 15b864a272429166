"""The wall: its 108 tiles, the order of the deal and the provably fair shuffle (RULES.md sections 2 and 16).

Before the first tile is dealt the program publishes the commitment to a secret seed; every player adds a nonce; after
the hand the seed is published. Anybody can then check the commitment and compute the same wall.
"""

import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from .tiles import ALL_TILES, TILE_NAMES, TILE_OF_NAME, TileError

SEATS: Final = 4
WALL_SIZE: Final = len(ALL_TILES)
_SORTED: Final = list(ALL_TILES)

_WORDS: Final = 1 << 32


def deal(wall: Sequence[int], dealer: int) -> tuple[list[list[int]], int]:
    """The 13 tiles of each seat, and how many tiles of the wall they took.

    From the dealer in play order each seat takes four tiles, three times round, then one tile each.
    """
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    taken = 0
    for size in (4, 4, 4, 1):
        for step in range(SEATS):
            hands[(dealer + step) % SEATS] += wall[taken : taken + size]
            taken += size
    return hands, taken


def is_wall(tiles: Sequence[int]) -> bool:
    """Whether these are the 108 tiles, four of each."""
    return sorted(tiles) == _SORTED


def wall_text(wall: Sequence[int]) -> str:
    """A wall as a record holds it: two characters a tile, front first."""
    return "".join(TILE_NAMES[tile] for tile in wall)


def parse_wall(text: object) -> list[int]:
    """The wall that a record holds."""
    if not isinstance(text, str) or len(text) != 2 * WALL_SIZE:
        raise TileError("the wall is not a text of 108 tiles")
    try:
        wall = [TILE_OF_NAME[text[place : place + 2]] for place in range(0, 2 * WALL_SIZE, 2)]
    except KeyError as error:
        raise TileError(f"not a tile: {error}") from error
    if not is_wall(wall):
        raise TileError("the wall is not the 108 tiles")
    return wall


def commitment(seed: bytes) -> str:
    """What is published of a seed before the hand: sha256, in hex, of b"sichuan-mahjong-seed-v1" and the seed."""
    return sha256(b"sichuan-mahjong-seed-v1" + seed).hexdigest()


def shuffled_wall(hand_id: str, seed: bytes, nonces: Sequence[bytes]) -> list[int]:
    """The wall that follows from the identity of a hand, the secret seed and the nonces of seats 0 to 3.

    - key = sha256(b"sichuan-mahjong-wall-v1" followed by hand_id in UTF-8, the seed and the four nonces, each preceded
      by its length in four bytes, big-endian).
    - Block i = sha256(key followed by i in eight bytes, big-endian), i = 0, 1, 2, …; the blocks one after another are
      a stream of 32-bit words, big-endian.
    - Fisher-Yates over the sorted wall (four of each tile; m, p, s; by rank): for i from 107 down to 1 the tiles at i
      and at j change places, where j = word mod (i + 1) of the next word below 2^32 − (2^32 mod (i + 1)). Words from
      there on are skipped, so that every j is equally likely.
    """
    if len(nonces) != SEATS:
        raise ValueError("there is one nonce for each of the four seats")
    parts = (hand_id.encode(), seed, *nonces)
    key = sha256(b"sichuan-mahjong-wall-v1" + b"".join(struct.pack(">I", len(part)) + part for part in parts)).digest()
    words = _words(key)
    wall = list(ALL_TILES)
    for place in range(WALL_SIZE - 1, 0, -1):
        choices = place + 1
        limit = _WORDS - _WORDS % choices
        word = next(word for word in words if word < limit)
        other = word % choices
        wall[place], wall[other] = wall[other], wall[place]
    return wall


def _words(key: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from struct.unpack(">8I", sha256(key + struct.pack(">Q", block)).digest())
        block += 1
