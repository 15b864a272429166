"""What must hold after every fault: checks over the database, and over what clients sent and saw. Each returns its faults.

The numbers are those of docs/faults.md.
"""

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from accounts import ledger
from accounts.models import Account, Posting, Transfer
from games import frames, timing
from games.clients import Journal, Seen, compare
from games.log import Fold, database_now, forget_folds, fresh_fold, rows_after
from games.models import Action, Hand, HandSeat
from games.rules import ENGINE
from games.rules.record import judge, record_of
from games.rules.tiles import COPIES, TILES
from games.rules.wall import wall_text
from tests.faults.replayed import replayed
from tests.games.rules.tables import copies_everywhere

OVERDUE_SECONDS: Final = 15.0  # two on a machine of its own: docs/faults.md
LOGGED: Final = ("act", "nonce", "auto")  # commands whose acknowledgement says that a row is in the log
ROOT: Final = Path(__file__).resolve().parent.parent.parent


def check_all(journals: Sequence[Journal] = (), seen: Sequence[Seen] = (), *, is_served: bool = True) -> None:
    """Assert all of it. `is_served`: a server runs, so nothing is overdue."""
    forget_folds()
    faults = [
        *coins_add_up(),
        *holds_fit(),
        *hands_settle_once(),
        *logs_are_dense(),
        *acks_are_kept(journals),
        *tiles_are_kept(),
        *hands_are_due(OVERDUE_SECONDS if is_served else None),
        *times_are_kept(),
        *times_go_forward(),
        *anybody_can_come_back(seed=1),
        *clients_saw_the_log(seen),
    ]
    assert not faults, "\n".join(faults)


def coins_add_up() -> list[str]:
    """I1, I2, I4, I5: postings come to nothing, in each transfer, book and in all; balances are their sums, none below zero."""
    total = sum(Posting.objects.values_list("amount", flat=True))
    return [*ledger.ledger_check(), *([f"all postings add up to {total}"] if total else [])]


def holds_fit() -> list[str]:
    """I8: held are the coins of seats that left a hand which still runs, and each hold was posted once."""
    faults = []
    for account in Account.objects.filter(kind=Account.Kind.HELD).select_related("book"):
        running = HandSeat.objects.exclude(hand__status=Hand.Status.SETTLED).filter(
            hand__table__room__club__book=account.book
        )
        held = sum(running.values_list("held", flat=True))
        if held != account.balance:
            faults.append(f"account {account.pk} holds {account.balance}, the seats {held}")
    for seat in HandSeat.objects.filter(held__gt=0):
        key = f"{ledger.hand_key(seat.hand_id)}:held:{seat.number}"
        if Transfer.objects.filter(key=key, postings__amount=seat.held).count() != 1:
            faults.append(f"{seat}: its hold of {seat.held} was not posted once")
    return faults


def hands_settle_once() -> list[str]:
    """I9: a hand that is over, and no other, has come to what its log comes to, and moved its coins once."""
    faults = []
    for hand, fold in _hands():
        seats = list(hand.seats.order_by("number"))
        moved = Transfer.objects.filter(key=ledger.hand_key(hand.pk))
        if hand.status != Hand.Status.SETTLED:
            faults += [f"hand {hand.pk} is over and not settled"] if fold.is_over else []
            faults += [f"hand {hand.pk} runs and has moved coins"] if moved.exists() else []
            continue
        if fold.core is None or not fold.is_over or hand.record is None:
            faults.append(f"hand {hand.pk} is settled and not over")
            continue
        record = {key: hand.record[key] for key in hand.record if key not in ("result", "id", "auto_actions")}
        if "stopped" not in record:
            played = record_of(fold.core, **{key: record[key] for key in ("coefficient", "rake", "balances")})
            if json.loads(json.dumps(played)) != {**record, "result": hand.record["result"]}:
                faults.append(f"hand {hand.pk}: the record is not what the log says")
            result = judge(record)
            if result != hand.record["result"]:
                faults.append(f"hand {hand.pk}: judged again it comes to {result}")
            for key in ("units", "points", "rake", "coins"):
                if [getattr(seat, key) for seat in seats] != result.get(key):
                    faults.append(f"hand {hand.pk}: its seats have other {key} than its record")
        lines = {seat.membership.wallet_id: seat.held + (seat.coins or 0) for seat in seats if seat.membership}
        wallets = Posting.objects.filter(transfer__in=moved, account__kind=Account.Kind.WALLET)
        posted = dict(wallets.values_list("account", "amount"))
        if posted != {wallet: coins for wallet, coins in lines.items() if coins} or moved.count() > 1:
            faults.append(f"hand {hand.pk}: posted was {posted}, it comes to {lines}")
    return faults


def logs_are_dense() -> list[str]:
    """I11: steps run 1, 2, 3 …; a command stands in one row; the version of the rules is kept."""
    faults = []
    for hand in Hand.objects.all():
        rows = list(hand.actions.order_by("seq").values_list("seq", "command_id"))
        if [seq for seq, _command in rows] != list(range(1, len(rows) + 1)):
            faults.append(f"hand {hand.pk}: its log has gaps")
        if hand.engine != ENGINE:
            faults.append(f"hand {hand.pk}: rules {hand.engine}")
    commands = Counter(Action.objects.exclude(command_id=None).values_list("command_id", flat=True))
    return faults + [f"command {id} stands in {count} rows" for id, count in commands.items() if count > 1]


def acks_are_kept(journals: Sequence[Journal]) -> list[str]:
    """I12: what was acknowledged is in the log as it was sent; what was refused is not; the rest is there once or not at all."""
    rows = {row.command_id: row for row in Action.objects.exclude(command_id=None)}
    faults = []
    for journal in journals:
        for id, command in journal.sent.items():
            row = rows.get(id)
            if row is None and id in journal.acknowledged and command["type"] in LOGGED:
                faults.append(f"acknowledged and lost: {command}")
            if row is not None and id in journal.refused:
                faults.append(f"refused and done: {command}")
            if row is not None and not _says(row, command):
                faults.append(f"sent was {command}, the log has {row.kind} {row.data}")
    return faults


def _says(row: Action, command: dict[str, Any]) -> bool:
    match command["type"]:
        case "act":
            action = {"kind": row.kind, **row.data}
            return command["hand"] == row.hand_id and command["action"].items() <= action.items()
        case "nonce":
            return command["hand"] == row.hand_id and row.data == {"nonce": command["nonce"]}
        case "auto":
            return row.data == {"on": command["on"]}
        case kind:
            return row.kind == str(kind)


def tiles_are_kept() -> list[str]:
    """I14: after every action there are 108 tiles, four of each kind, each in one place."""
    return [
        f"hand {hand.pk}, step {fold.seq}: tiles are lost or doubled"
        for hand in Hand.objects.all()
        for fold, _row in _steps(hand)
        if fold.core is not None and copies_everywhere(fold.core) != [COPIES] * len(TILES)
    ]


def hands_are_due(overdue: float | None) -> list[str]:
    """I17: a hand that runs has the one due time that its log says, not long gone where a server runs."""
    faults = []
    for hand, fold in _hands():
        due = None if hand.status == Hand.Status.SETTLED else timing.due_at(fold)
        if hand.due_at != due:
            faults.append(f"hand {hand.pk} is due at {hand.due_at}, its log says {due}")
        elif due is not None and overdue is not None and due < database_now() - timedelta(seconds=overdue):
            faults.append(f"hand {hand.pk} has been due since {due}")
    return faults


def times_are_kept() -> list[str]:
    """I18: no player decided after the deadline, and the program for none before it."""
    faults = []
    for hand in Hand.objects.all():
        before: Fold | None = None
        for fold, row in _steps(hand):
            if before is not None and before.core is not None and row.seat is not None and row.kind != "auto":
                if row.source == Action.Source.PLAYER and timing.is_late(before, row.seat, row.created_at):
                    faults.append(f"hand {hand.pk}, step {row.seq}: a player came too late")
                due = timing.due_at(before)
                leaves = hand.actions.filter(kind="leave", created_at=row.created_at).exists()
                if row.source == Action.Source.TIMER and not leaves and (due is None or row.created_at < due):
                    faults.append(f"hand {hand.pk}, step {row.seq}: the program came too early")
            before = fold.copy()
    return faults


def times_go_forward() -> list[str]:
    """I19: no row was written after later ones: who woke up late has appended nothing."""
    faults = []
    for hand in Hand.objects.all():
        moments = list(hand.actions.order_by("seq").values_list("created_at", flat=True))
        if moments != sorted(moments):
            faults.append(f"hand {hand.pk}: a later step is older")
    return faults


def anybody_can_come_back(seed: int, most: int = 6) -> list[str]:
    """I29: the hand as it stood after any of its steps, and what came later, is the whole hand. Tried at `most` steps of each."""
    faults = []
    rng = random.Random(seed)
    for hand in Hand.objects.all():
        rows = list(hand.actions.order_by("seq"))
        kept = {row.seq: fold.copy() for fold, row in _steps(hand)}
        whole = kept.get(len(rows))
        for at in rng.sample(range(1, len(rows)), min(most, len(rows) - 1)):
            late = kept[at].copy()
            for row in rows[at:]:
                late.take(row)
            if whole is None or _shown(late) != _shown(whole):
                faults.append(f"hand {hand.pk}: who comes back at step {at} sees another hand")
    return faults


def _shown(fold: Fold) -> list[Any]:
    """What the four seats and a spectator are shown of a hand."""
    users = [*(player.user_id or 0 for player in fold.players), 0]
    return [fold.seq, *(frames.hand_payload(fold, user, fold.began) for user in users)]


def clients_saw_the_log(seen: Sequence[Seen]) -> list[str]:
    """I29 again, as it came over the sockets: each client put together the whole hand, over however many connections."""
    faults = []
    for one in seen:
        hand = Hand.objects.get(pk=one.hand_id)
        fold = _whole(hand)
        if one.events != frames.log_payload(fold, fold.players[one.seat].user_id or 0):
            faults.append(f"hand {hand.pk}: seat {one.seat} saw another hand")
        if hand.record is None:
            faults.append(f"hand {hand.pk}: seat {one.seat} saw the end of a hand that runs")
        elif told := compare([one], hand.record):
            faults += [f"hand {hand.pk}: {fault}" for fault in told]
    return faults


def replays_elsewhere(seed: int) -> list[str]:
    """I13: another process, with hashes of its own, comes to the same states step by step and to the same results."""
    records = [hand.record for hand in Hand.objects.all() if hand.record and "result" in hand.record]
    environment = {"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.faults.replayed"]
    told = subprocess.run(
        command, cwd=ROOT, env=environment, input=json.dumps(records), capture_output=True, text=True, check=True
    )
    return [
        f"hand {record['id']}: another process comes to another hand"
        for record, there in zip(records, json.loads(told.stdout), strict=True)
        if there != replayed(record)
    ]


def nothing_is_told(sinks: dict[str, bytes]) -> list[str]:
    """I22: the seeds and walls of hands that run stand in none of these."""
    faults = []
    for hand, fold in _hands():
        if hand.status == Hand.Status.SETTLED:
            continue
        seed = bytes(hand.seed)
        secrets = [seed, seed.hex().encode(), repr(seed)[2:-1].encode()]
        if fold.core is not None:
            secrets += [wall_text(fold.core.remaining_wall)[:40].encode(), repr(fold.core.remaining_wall).encode()]
        faults += [f"hand {hand.pk}: {name} tells" for name, sink in sinks.items() for one in secrets if one in sink]
    return faults


def _hands() -> Iterator[tuple[Hand, Fold]]:
    for hand in Hand.objects.all():
        yield hand, _whole(hand)


def _whole(hand: Hand) -> Fold:
    fold = fresh_fold(hand)
    for row in rows_after(fold):
        fold.take(row)
    return fold


def _steps(hand: Hand) -> Iterator[tuple[Fold, Action]]:
    """The hand after each row of its log, one and the same fold."""
    fold = fresh_fold(hand)
    for row in rows_after(fold):
        fold.take(row)
        yield fold, row
