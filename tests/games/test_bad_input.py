"""Scoring lines and records spoilt in every way, through the commands: results and coded errors, never a traceback or a hang."""

import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from games.lines import LONGEST_MESSAGE
from games.rules.errors import ErrorCode
from tests.games.rules.cases import cases

from .test_lines import outcome

#: Lines to one start of a command.
BATCH: Final = 500

ODD: Final[list[Any]] = [
    None,
    True,
    False,
    0,
    1,
    4,
    -1,
    0.0,
    1.5,
    1e308,
    float("nan"),
    float("-inf"),
    10**40,
    -(2**63),
    10**4299,
    "",
    "m",
    "5m",
    "0m",
    "10m",
    "５m",
    "5m" * 54,
    "5m" * 5_000,
    "win",
    "leave",
    "\x00",
    "\ud83c",
    "🀄",
    "preset",
    [],
    {},
    [[]],
    [0, "discard", "5m"],
    {"preset": "jj", "options": {}},
    {"pinghu": 10**9},
    {"kind": "pung", "tile": "5m"},
]

# A value spoilt


def spoil_value(rng: random.Random, value: Any) -> Any:
    """Change one thing somewhere in a value."""
    inside = [place for place in containers(value) if place]
    if not inside:
        return rng.choice(ODD)
    rng.choice((put, put, put, take_out, add, exchange, repeat, rename))(rng, rng.choice(inside[:3] + inside))
    return value


def containers(value: Any) -> Iterator[Any]:
    """The lists and objects in a value, outer ones first."""
    if isinstance(value, dict | list):
        yield value
        for part in value.values() if isinstance(value, dict) else value:
            yield from containers(part)


def a_key(rng: random.Random, place: Any) -> Any:
    return rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))


def put(rng: random.Random, place: Any) -> None:
    place[a_key(rng, place)] = copy.deepcopy(rng.choice(ODD))


def take_out(rng: random.Random, place: Any) -> None:
    del place[a_key(rng, place)]


def add(rng: random.Random, place: Any) -> None:
    odd = copy.deepcopy(rng.choice(ODD))
    if isinstance(place, dict):
        place[rng.choice(("", "x", "tile", "options", "chow", "\udfff"))] = odd
    else:
        place.insert(rng.randrange(len(place) + 1), odd)


def exchange(rng: random.Random, place: Any) -> None:
    one, other = a_key(rng, place), a_key(rng, place)
    place[one], place[other] = place[other], place[one]


def repeat(rng: random.Random, place: Any) -> None:
    if isinstance(place, list):
        again = copy.deepcopy(place[a_key(rng, place)])
        place[:] = [*place, *[again] * rng.choice((1, 1, 100))]


def rename(rng: random.Random, place: Any) -> None:
    if isinstance(place, dict):
        key = a_key(rng, place)
        place[rng.choice((key.upper(), key + "s", key[1:]))] = place.pop(key)


# A text spoilt


def cut(rng: random.Random, text: bytes) -> bytes:
    return text[: rng.randrange(1, len(text))]


def hole(rng: random.Random, text: bytes) -> bytes:
    start = rng.randrange(1, len(text))
    return text[:start] + text[start + rng.choice((1, 2, 10)) :]


def stray_byte(rng: random.Random, text: bytes) -> bytes:
    place = rng.randrange(len(text))
    return text[:place] + bytes([rng.choice((0, 0x22, 0x2C, 0x5C, 0x7B, 0x80, 0xC0, 0xED, 0xFF))]) + text[place:]


def other_byte(rng: random.Random, text: bytes) -> bytes:
    place = rng.randrange(1, len(text))
    return text[:place] + bytes([rng.randrange(32, 256)]) + text[place + 1 :]


def half_a_character(rng: random.Random, text: bytes) -> bytes:
    return text[:-1] + rng.choice(
        (b', "x": "\\ud800"}', b', "\\udc00": 0}', b', "x": "\xed\xa0\x80"}', b', "x": "\xf0\x9f"}')
    )


def key_twice(rng: random.Random, text: bytes) -> bytes:
    return b'{"ruleset": "jj", "voids": null, "melds": [], ' + text[1:]


def deep(rng: random.Random, text: bytes) -> bytes:
    depth = rng.choice((10, 500, 990, 1_000, 1_100, 100_000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"x":', b"}")))
    nest = opening * depth + b"0" + closing * rng.choice((depth, depth - 1))
    return rng.choice((nest, text[:-1] + b', "x": ' + nest + b"}"))


def long(rng: random.Random, text: bytes) -> bytes:
    return text[:-1] + b', "x": "' + b"x" * rng.choice((10_000, 1 << 20)) + b'"}'


def long_number(rng: random.Random, text: bytes) -> bytes:
    return (
        text[:-1]
        + b', "rake": '
        + rng.choice((b"9" * 4_301, b"-" + b"9" * 9_999, b"1e999", b"01", b"-", b"1.", b"+1"))
        + b"}"
    )


def twice(rng: random.Random, text: bytes) -> bytes:
    return text + rng.choice((b"", b" ", b",")) + text


def marked(rng: random.Random, text: bytes) -> bytes:
    return rng.choice((b"\xef\xbb\xbf" + text, text.decode().encode("utf-16-le"), b"\x00" + text, b"// x " + text))


TEXT_FAULTS: Final[list[Callable[[random.Random, bytes], bytes]]] = [
    *[cut, hole, stray_byte, other_byte, half_a_character] * 4,
    key_twice,
    deep,
    long,
    long_number,
    twice,
    marked,
]


def a_spoilt_line(rng: random.Random, case: Any) -> bytes:
    value = copy.deepcopy(case)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        value = spoil_value(rng, value)
    text = json.dumps(value).encode()
    if len(text) > 2 and rng.random() < 0.3:
        text = rng.choice(TEXT_FAULTS)(rng, text)
    return text.replace(b"\n", b" ").strip() or b"?"


@pytest.mark.parametrize("examples", [1_000, pytest.param(100_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    ("command", "files"), [("score_hands", ("hands", "waits")), ("judge_hands", ("records", "illegal"))]
)
def test_spoilt_lines_are_judged_or_refused(command: str, files: tuple[str, str], examples: int) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    good = [[case["in"] for case in cases(name)] for name in files]
    seen: Counter[str] = Counter()
    for start in range(0, examples, BATCH):
        lines = [a_spoilt_line(rng, rng.choice(rng.choice(good))) for _ in range(min(BATCH, examples - start))]
        status, answers, err = outcome(command, b"\n".join(lines))
        assert (status, err) == (1, "")
        for line, answer in zip(lines, answers, strict=True):
            if "error" in answer:
                assert answer["error"].keys() == {"code", "at", "message"}, line[:5_000]
                assert answer["error"]["at"] is None or answer["error"]["at"] >= 0, line[:5_000]
                assert 0 < len(answer["error"]["message"]) <= LONGEST_MESSAGE, line[:5_000]
                seen[answer["error"]["code"]] += 1
            else:
                assert {"win", "ready", "end"} & set(answer), line[:5_000]
                seen["judged"] += 1
    print(seen)
    assert seen.keys() <= {*ErrorCode, "judged"}
    usual = {"bad_format", "unknown_ruleset", "judged"}
    assert seen.keys() >= (usual if command == "score_hands" else {*usual, "illegal_action", "bad_wall"})
