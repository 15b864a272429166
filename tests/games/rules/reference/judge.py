"""Sections 13 and 14, and what a hand record must look like (RECORD.md)."""

from typing import Any

from .notation import ALL, PLACE, SEATS, Fault, read_ruleset
from .table import Table


def judge(record: dict[str, Any]) -> dict[str, Any]:
    """The result of a record, or its error."""
    try:
        return _judge(record)
    except Fault as fault:
        return fault.outcome


def _judge(record: dict[str, Any]) -> dict[str, Any]:
    if record.get("format") != "sichuan-mahjong-hand" or record.get("version") != 1:
        raise Fault("bad_format")
    coefficient, rake, dealer = (_whole(record.get(key)) for key in ("coefficient", "rake", "dealer"))
    balances = record.get("balances")
    if not isinstance(balances, list) or len(balances) != 4 or dealer not in SEATS:
        raise Fault("bad_format")
    balances = [_whole(balance) for balance in balances]
    options = read_ruleset(record.get("ruleset"))
    text = record.get("wall")
    actions = record.get("actions")
    if not isinstance(text, str) or not isinstance(actions, list):
        raise Fault("bad_format")
    wall = [text[place : place + 2] for place in range(0, len(text), 2)]
    if sorted(wall) != ALL:
        raise Fault("bad_wall")
    for at, action in enumerate(actions):
        if not _is_action(action):
            raise Fault("bad_format", at)
    table = Table(options, wall, dealer, record.get("voids"))
    for at, (seat, verb, *tile) in enumerate(actions):
        try:
            table.act(seat, verb, *tile or [None])
        except Fault as fault:
            raise Fault(fault.code, at) from None
    table.stop()
    return _result(table, coefficient, rake, balances)


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Fault("bad_format")
    return value


def _is_action(action: object) -> bool:
    if not isinstance(action, list) or not 2 <= len(action) <= 3:
        return False
    seat, verb, *tile = action
    if not isinstance(seat, int) or isinstance(seat, bool) or seat not in SEATS:
        return False
    if tile and not (isinstance(tile[0], str) and tile[0] in PLACE):
        return False
    return verb in (("discard", "kong", "win") if tile else ("pung", "kong", "win", "leave"))


def _result(table: Table, coefficient: int, rake: int, balances: list[int]) -> dict[str, Any]:
    payments = [
        {"kind": kind, "payer": payer, "payee": payee, "units": units} for kind, payer, payee, units in table.payments
    ]
    units = [0, 0, 0, 0]
    for _, payer, payee, paid in table.payments:
        units[payer] -= paid
        units[payee] += paid
    points = [table.options["base_points"] * number for number in units]
    after, raked = settle_coins([coefficient * number for number in points], rake, balances)
    return {
        "end": table.end,
        "wins": table.wins,
        "payments": payments,
        "units": units,
        "points": points,
        "rake": raked,
        "coins": [new - old for new, old in zip(after, balances, strict=True)],
        "balances": after,
        "next_dealer": next_dealer(table),
    }


def settle_coins(gross: list[int], rake: int, balances: list[int]) -> tuple[list[int], list[int]]:
    """13: the balances after the hand, and the rake that each seat paid."""
    after = list(balances)
    pool = 0
    for seat in SEATS:
        if gross[seat] < 0:
            paid = min(-gross[seat], after[seat])
            after[seat] -= paid
            pool += paid
    gainers = [seat for seat in SEATS if gross[seat] > 0]
    owed = sum(gross[seat] for seat in gainers)
    if owed:
        for seat in gainers:
            after[seat] += gross[seat] * pool // owed
        left_over = pool - sum(gross[seat] * pool // owed for seat in gainers)
        by_remainder = sorted(gainers, key=lambda seat: (-(gross[seat] * pool % owed), seat))
        for seat in by_remainder[:left_over]:
            after[seat] += 1
    raked = [min(rake, balance) for balance in after]
    return [balance - paid for balance, paid in zip(after, raked, strict=True)], raked


def next_dealer(table: Table) -> int | None:
    """14."""
    rule = table.options["dealer"]
    if rule == "random" or any(seat.left for seat in table.seats):
        return None
    if not table.wins:
        return table.dealer
    first = table.wins[0]
    if rule == "discarder":
        feeder: int | None = first["from"]
        return table.dealer if feeder is None else feeder
    if table.fed_two is not None:
        return table.fed_two
    return int(first["seat"])
