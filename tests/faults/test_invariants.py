"""The checks of `invariants` themselves: green after hands that nothing befell, and red after one damage each."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction
from django.db.models import F

from accounts.models import Account, Posting, Transfer, User
from games import frames, log
from games.clients import Journal, Seen
from games.log import Fold, folded
from games.models import Action, Hand, HandSeat, Table
from games.selfplay import hand_deal, hand_play_out
from tests.database import guards_off
from tests.faults import invariants

Check = Callable[[], list[str]]


@pytest.fixture
def hands(table: Table, users: list[User]) -> list[Hand]:
    """One that is settled, and one that runs."""
    return [play(table_id=table.pk, users=users) for play in (hand_play_out, hand_deal)]


def test_a_damaged_row_is_found(hands: list[Hand]) -> None:
    settled, running = (Action.objects.filter(hand=hand) for hand in hands)
    last, discard = settled.order_by("-seq")[0], settled.filter(kind="discard", source=Action.Source.PLAYER)[0]
    seats, of_hands = HandSeat.objects.filter(hand=hands[0]), Transfer.objects.filter(key__startswith="hand:")
    wallets = Account.objects.filter(kind=Account.Kind.WALLET)
    of_running = Hand.objects.filter(pk=hands[1].pk)
    later = F("created_at") + timedelta(hours=1)
    due: Check = partial(invariants.hands_are_due, 2.0)
    damages: list[tuple[Check, Callable[[], object]]] = [
        (invariants.coins_add_up, lambda: wallets.update(balance=F("balance") + 1)),
        (invariants.coins_add_up, lambda: Posting.objects.filter(amount__gt=0).update(amount=F("amount") + 1)),
        (invariants.holds_fit, lambda: HandSeat.objects.filter(hand=hands[1], number=2).update(held=5)),
        (invariants.hands_settle_once, lambda: seats.filter(number=1).update(coins=F("coins") + 1)),
        (invariants.hands_settle_once, lambda: of_hands.update(key="other")),
        (invariants.hands_settle_once, lambda: of_running.update(status=Hand.Status.SETTLED)),
        (invariants.logs_are_dense, lambda: settled.filter(pk=last.pk).update(seq=F("seq") + 1)),
        (invariants.logs_are_dense, lambda: running.filter(kind="nonce").update(command_id="12345678")),
        (invariants.logs_are_dense, lambda: of_running.update(engine="0")),
        (due, lambda: of_running.update(due_at=None)),
        (due, lambda: of_running.update(due_at=F("due_at") + timedelta(seconds=1))),
        (due, lambda: running.update(created_at=F("created_at") - timedelta(hours=1))),
        (invariants.times_are_kept, lambda: settled.filter(seq__gte=discard.seq).update(created_at=later)),
        (invariants.times_are_kept, lambda: settled.filter(kind="discard").update(source=Action.Source.TIMER)),
        (invariants.times_go_forward, lambda: running.filter(kind="commit").update(created_at=later)),
    ]
    for check, damage in damages:
        assert check() == []
        with transaction.atomic():
            with guards_off():
                assert damage()
                assert check() != []
            transaction.set_rollback(True)


def test_what_clients_sent_and_saw_is_held_against_the_log(hands: list[Hand]) -> None:
    row = Action.objects.filter(kind="discard").first()
    assert row is not None and row.command_id is not None
    action = {"kind": "discard", **row.data}
    sent = {"type": "act", "id": row.command_id, "hand": row.hand_id, "seq": 1, "action": action}
    lost = {**sent, "id": "12345678"}
    sound = Journal({row.command_id: sent, "12345678": lost}, acknowledged={row.command_id}, refused={"12345678"})
    assert invariants.acks_are_kept([sound]) == []
    unsound = [
        Journal({"12345678": lost}, acknowledged={"12345678"}),
        Journal({row.command_id: sent}, refused={row.command_id}),
        Journal({row.command_id: {**sent, "action": {**action, "tile": "other"}}}),
    ]
    assert [len(invariants.acks_are_kept([journal])) for journal in unsound] == [1, 1, 1]

    fold = folded(hands[0].pk)
    events, settlement = frames.log_payload(fold, fold.players[2].user_id or 0), frames.settlement_payload(fold)
    seen = [Seen(hands[0].pk, 2, events, settlement), Seen(hands[0].pk, 2, events[:-1], settlement)]
    assert invariants.clients_saw_the_log(seen[:1]) == []
    assert len(invariants.clients_saw_the_log(seen[1:])) == 1
    other = {**settlement, "payments": settlement["payments"][1:]}
    assert len(invariants.clients_saw_the_log([Seen(hands[0].pk, 2, events, other)])) == 1


def test_a_program_that_goes_wrong_is_found(hands: list[Hand], monkeypatch: pytest.MonkeyPatch) -> None:
    assert invariants.replays_elsewhere(seed=3) == []
    assert invariants.tiles_are_kept() == []
    assert invariants.anybody_can_come_back(seed=3) == []

    def forgetful(self: Fold) -> Fold:
        other = copy(self)
        other.seen = [0] * 5
        return other

    def replayed(record: object) -> dict[str, object]:
        return {"states": [hash(str(record))], "result": {}}

    def fifth(fold: Fold) -> list[int]:
        wall = wall_of(fold)
        other = next(tile for tile in wall if tile != wall[0])
        return [other, *wall[1:]] if fold.hand.pk == hands[1].pk else wall

    copy, wall_of = Fold.copy, log.wall_of
    with monkeypatch.context() as mutant:
        mutant.setattr(Fold, "copy", forgetful)
        assert invariants.anybody_can_come_back(seed=3) != []
    with monkeypatch.context() as mutant:
        mutant.setattr(invariants, "replayed", replayed)
        assert invariants.replays_elsewhere(seed=3) != []
    with monkeypatch.context() as mutant:
        mutant.setattr(log, "wall_of", fifth)
        assert invariants.tiles_are_kept() != []


def test_a_secret_that_gets_out_is_found(hands: list[Hand]) -> None:
    settled, running = (folded(hand.pk) for hand in hands)
    assert running.core is not None
    tells = [
        bytes(running.hand.seed),
        bytes(running.hand.seed).hex().encode(),
        repr(running.core.remaining_wall).encode(),
    ]
    sinks = {"own page": b"...", "what is over": bytes(settled.hand.seed).hex().encode()}
    assert invariants.nothing_is_told(sinks) == []
    assert len(invariants.nothing_is_told({str(at): b"..." + tell + b"..." for at, tell in enumerate(tells)})) == 3
