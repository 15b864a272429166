"""The vectors that wall.test.mjs checks the browser's wall against are those of the rules core."""

import json
from pathlib import Path

from games.rules.wall import commitment, shuffled_wall, wall_text

VECTORS = Path(__file__).with_name("vectors.json")


def vectors() -> list[dict[str, object]]:
    """A dozen hands: seeds and nonces that count up, identities of several lengths, one nonce of another length."""
    made: list[dict[str, object]] = []
    for number in range(12):
        seed = bytes((number * 31 + place * 7) % 256 for place in range(32))
        nonces = [bytes((number + seat * 64 + place) % 256 for place in range(32)) for seat in range(4)]
        if number == 11:
            nonces[2] = b"\x00"
        hand_id = ("1", "42", "四川-7")[number % 3] * (number + 1)
        made.append(
            {
                "hand_id": hand_id,
                "seed": seed.hex(),
                "commitment": commitment(seed),
                "nonces": [nonce.hex() for nonce in nonces],
                "wall": wall_text(shuffled_wall(hand_id, seed, nonces)),
            }
        )
    return made


def test_the_stored_vectors_are_the_rules_own() -> None:
    assert json.loads(VECTORS.read_text()) == vectors()


if __name__ == "__main__":
    VECTORS.write_text(json.dumps(vectors(), ensure_ascii=False, indent=1) + "\n")
