"""Frames of the states that the table's pictures are taken of, from hands that the rules core really played."""

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from games import words
from games.rules import PRESETS
from games.rules.hand import Action, Hand, Kind, Phase, apply, automatic_actions
from games.rules.tiles import parse_tile
from games.rules.views import event_for, view_for
from games.rules.wall import commitment, shuffled_wall, wall_text

NAMES = ("川西小满", "锦里老陈", "听雨的猫", "青柠不酸")
TITLES = ("小有所成", "常胜将军", "混迹江湖", "小露锋芒")
COINS = (86400, 312800, 41250, 128000)
RULESET = PRESETS["qq_dingque"].ruleset
NOW = datetime.now(UTC)
SEED = bytes(32)
NONCES = [bytes([seat]) * 32 for seat in range(4)]

Json = dict[str, Any]
Test = Callable[[Hand, Json], bool]


def table(**changes: Any) -> Json:
    seats = [
        {
            "number": n,
            "name": NAMES[n],
            "bot": False,
            "level": 5,
            "title": TITLES[n],
            "coins": COINS[n],
            "points": 1486,
            "ready": n != 2,
        }
        for n in range(4)
    ]
    terms = {
        "preset": "qq_dingque",
        "label": PRESETS["qq_dingque"].label,
        "coefficient": 200,
        "rake": 400,
        "base_points": 6,
        "unit_coins": 1200,
        "entry_minimum": 20000,
        "turn_seconds": 15,
        "claim_seconds": 8,
        "void_seconds": 15,
        "pacing": "normal",
        "bots_allowed": True,
        "escape_units": 4,
        "rules_url": "/rooms/1/rules/",
    }
    room = {"id": 1, "name": "锦江厅", "club": {"slug": "jinjiang", "name": "锦江茶社"}}
    return {
        "id": 1,
        "room": room,
        "number": 3,
        "version": 1,
        "closed": False,
        "you": 0,
        "terms": terms,
        "seats": seats,
        **changes,
    }


def payload(hand: Hand | None, seat: int | None, left: float, total: int, **changes: Any) -> Json:
    status = "shuffling" if hand is None else "settled" if hand.phase is Phase.OVER else "playing"
    return {
        "id": 7,
        "number": 6,
        "seq": 1,
        "decision": 1,
        "status": status,
        "you": seat,
        "deadline": (NOW + timedelta(seconds=left)).isoformat() if total else None,
        "now": NOW.isoformat(),
        "seconds": total or None,
        "auto": [False] * 4,
        "commitment": commitment(SEED),
        "nonce_commitments": [None] * 4,
        "nonce_wanted": False,
        "players": [{"seat": n, "name": NAMES[n], "bot": False} for n in range(4)],
        "view": view_for(hand, seat) if hand else None,
        "settlement": None,
        **changes,
    }


def settlement(hand: Hand, wall: list[int], number: int) -> Json:
    result = hand.result()
    seats = []
    for seat in range(4):
        units = result["units"][seat]
        points = units * 6
        coins = points * 200 - 400
        seats.append(
            {
                "units": units,
                "points": points,
                "gross": points * 200,
                "rake": 400,
                "coins": coins,
                "balance": COINS[seat] + coins,
                "points_before": 1486,
                "points_after": 1486 + points,
                "level_before": 5,
                "level_after": 6 if points > 14 else 5,
                "title_before": "小有所成",
                "title_after": "街头霸王" if points > 14 else "小有所成",
                "next_title": "重装上阵",
                "next_threshold": 2300,
            }
        )
    proof = {
        "hand_id": str(number),
        "seed": SEED.hex(),
        "commitment": commitment(SEED),
        "nonces": [one.hex() for one in NONCES],
        "nonce_commitments": [sha256(one).hexdigest() for one in NONCES],
        "wall": wall_text(wall),
    }
    return {
        "end": result["end"],
        "end_words": words.end_words(result["end"]),
        "wins": [{**win, "words": words.win_words(win)} for win in result["wins"]],
        "payments": [{**one, "words": words.payment_words(one, NAMES)} for one in result["payments"]],
        "seats": seats,
        "proof": proof,
        "replay_url": "/hands/7/",
        "record_url": "/api/v1/hands/7/record",
    }


def choose(view: Json, seat: int) -> Action:
    """A plain way to play: whatever there is to claim, else the loosest tile."""
    legal, held = view["legal"], view["seats"][seat]["hand"]

    def loose(act: Json) -> tuple[int, ...]:
        if act["kind"] == "void":
            return (sum(1 for tile in held if tile[1] == act["suit"]),)
        rank, suit = int(act["tile"][0]), act["tile"][1]
        near = sum(1 for tile in held if tile[1] == suit and abs(int(tile[0]) - rank) <= 2)
        return (-len(view["discards"].get(act["tile"], ())), held.count(act["tile"]) * 3 + near)

    order = ["win", "kong", "pung", "pass", "void", "discard"]
    best = min(order.index(act["kind"]) for act in legal)
    act = min((act for act in legal if act["kind"] == order[best]), key=lambda act: loose(act) if best > 3 else ())
    tile = parse_tile(act["tile"]) if "tile" in act else None
    return Action(seat, Kind(act["kind"]), tile, "mps".index(act["suit"]) if "suit" in act else None)


def search(
    states: dict[str, Test], seat: int = 0, hands: int = 700
) -> dict[str, tuple[Hand, list[Json], list[int], int]]:
    """For each state a hand that reaches it: the hand there, the log that the seat saw, the wall, the hand's number."""
    found: dict[str, tuple[Hand, list[Json], list[int], int]] = {}
    for number in range(1, hands):
        wall = shuffled_wall(str(number), SEED, NONCES)
        hand = Hand(RULESET, wall, number % 4)
        log: list[Json] = [{"kind": "deal", "dealer": number % 4}]
        while True:
            view = view_for(hand, seat)
            for name, stop in states.items():
                if name not in found and stop(hand, view):
                    found[name] = (
                        hand.copy(),
                        [{**event, "words": words.event_words(event, NAMES)} for event in log],
                        wall,
                        number,
                    )
            if hand.phase is Phase.OVER or len(found) == len(states):
                break
            actions = automatic_actions(hand)
            if not actions:
                views = {other: view if other == seat else view_for(hand, other) for other in range(4)}
                other = next(
                    other for other, its in reversed(views.items()) if its["legal"] and its["answered"] is None
                )
                actions = [choose(views[other], other)]
            for action in actions:
                log += [shown for event in apply(hand, action) if (shown := event_for(event, seat)) is not None]
    print("not found:", sorted(set(states) - set(found)))
    return found


def kinds(view: Json) -> set[str]:
    return {act["kind"] for act in view["legal"]}


def my_turn(hand: Hand, view: Json) -> bool:
    return hand.phase is Phase.TURN and hand.turn == 0


STATES: dict[str, Test] = {
    "table": lambda hand, view: (
        my_turn(hand, view)
        and "kong" in kinds(view)
        and "discard" in kinds(view)
        and hand.wall_left < 34
        and bool(view["discards"])
    ),
    "claim": lambda hand, view: (
        hand.phase is Phase.CLAIM and {"pung", "kong", "pass"} <= kinds(view) and hand.wall_left < 40
    ),
    "hu": lambda hand, view: hand.phase is Phase.CLAIM and {"pung", "win", "pass"} <= kinds(view),
    "void": lambda hand, view: hand.phase is Phase.VOID,
    "won": lambda hand, view: hand.phase is Phase.TURN and view["seats"][0]["won"] is not None and hand.turn != 0,
    "ready": lambda hand, view: hand.phase is Phase.TURN and hand.turn != 0 and len(view["waits"]) > 1,
    "many": lambda hand, view: hand.phase is Phase.TURN and hand.turn != 0 and len(view["waits"]) > 4,
    "late": lambda hand, view: hand.phase is Phase.TURN and max(len(seat["river"]) for seat in view["seats"]) > 20,
    "melds": lambda hand, view: my_turn(hand, view) and len(view["seats"][0]["melds"]) == 3 and hand.wall_left < 30,
    "selfdraw": lambda hand, view: my_turn(hand, view) and "win" in kinds(view),
    "over": lambda hand, view: (
        hand.phase is Phase.OVER
        and len(hand.result()["wins"]) > 1
        and view["seats"][0]["won"] is not None
        and len(hand.result()["payments"]) > 8
    ),
    "drawn": lambda hand, view: (
        hand.phase is Phase.OVER and hand.result()["end"] == "drawn" and len(hand.result()["payments"]) > 4
    ),
}


def make() -> dict[str, list[Json]]:
    """The states by name, each with the frames that a socket would have sent."""
    made: dict[str, list[Json]] = {}
    found = search(STATES)
    for name, (hand, log, wall, number) in found.items():
        changes: Json = {}
        if hand.phase is Phase.OVER:
            changes["settlement"] = settlement(hand, wall, number)
        total = 0 if hand.phase is Phase.OVER else 8 if hand.phase is Phase.CLAIM else 15
        left = 6 if total == 8 else 4.2 if name == "late" else 11.5
        snapshot = {"type": "snapshot", "table": table(), "hand": payload(hand, 0, left, total, **changes), "log": log}
        if hand.phase is Phase.OVER:
            snapshot["table"]["seats"][0]["ready"] = False
        made[name] = [snapshot]
    watched = found["table"][0]
    made["watch"] = [{**made["table"][0], "table": table(you=None), "hand": payload(watched, None, 9, 15)}]
    made["auto"] = [copy.deepcopy(made["ready"][0])]
    made["auto"][0]["hand"]["auto"] = [True, False, False, True]
    made["shuffle"] = [{"type": "snapshot", "table": table(), "hand": payload(None, 0, 5, 5), "log": []}]
    lobby = table()
    lobby["seats"][3] = None
    lobby["seats"][2] |= {"bot": True, "name": "机器人 3", "title": "", "coins": None, "ready": True}
    lobby["seats"][0]["ready"] = False
    made["lobby"] = [{"type": "snapshot", "table": lobby, "hand": None, "log": []}]
    open_table = table(you=None)
    open_table["seats"] = [None, open_table["seats"][1], None, open_table["seats"][3]]
    made["empty"] = [{"type": "snapshot", "table": open_table, "hand": None, "log": []}]
    return made
