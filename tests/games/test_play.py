"""A hand through the services: from four ready seats to the ledger."""

import uuid
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

import pytest

from accounts import ledger
from accounts.models import Account, Transfer, User
from clubs.members import member_ban, member_coins_withdraw, member_unban
from clubs.models import Club, Membership, Room, RoomTerms
from clubs.rooms import room_create
from games import frames, play, tables
from games.bots import Strength
from games.history import HandsSum, hands_sum, seats_of
from games.log import Collision, folded, forget_folds, tail
from games.models import Action, Hand, HandSeat, Payment, Seat, Table, Win
from games.proof import hands_check
from games.protocol import Choice
from games.rules.hand import Phase
from games.rules.record import judge
from games.rules.wall import parse_wall, shuffled_wall
from games.selfplay import choice_of, hand_deal, hand_play_out
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def command() -> str:
    return str(uuid.uuid4())


def asked(hand: Hand) -> int:
    """A seat that must decide now."""
    core = folded(hand.pk).core
    assert core is not None
    return core.turn if core.phase is Phase.TURN else min(core.unanswered())


def act(hand: Hand, users: list[User], seat: int, *, choice: Choice | None = None, command_id: str = "") -> play.Done:
    fold = folded(hand.pk)
    return play.act(
        hand_id=hand.pk,
        user=users[seat],
        seq=fold.seen[seat],
        choice=choice or choice_of(fold, seat),
        command_id=command_id or command(),
    )


def play_until(hand: Hand, users: list[User], phase: Phase) -> int:
    """Play on until somebody is asked in `phase`; returns that seat."""
    while True:
        core = folded(hand.pk).core
        assert core is not None
        assert core.phase is not Phase.OVER, "the hand ended first"
        seat = asked(hand)
        if core.phase is phase:
            return seat
        act(hand, users, seat)


def test_a_hand_ends_in_the_ledger_the_titles_and_the_record(table: Table, members: list[User], club: Club) -> None:
    players = members[:4]
    before = dict(Account.objects.filter(holder__in=players).values_list("holder", "balance"))
    hand = hand_play_out(table_id=table.pk, users=players)

    assert hand.status == Hand.Status.SETTLED
    assert hand.due_at is None
    record = hand.record
    assert judge({key: value for key, value in record.items() if key != "result"}) == record["result"]
    assert record["balances"] == [before[user.pk] for user in players]

    seats = list(HandSeat.objects.filter(hand=hand))
    for seat, user in zip(seats, players, strict=True):
        wallet = Account.objects.get(holder=user)
        assert wallet.balance - before[user.pk] == seat.coins == record["result"]["coins"][seat.number]
        assert wallet.balance == seat.balance_after
        member = Membership.objects.get(user=user, club=club)
        assert member.points == seat.points == seat.points_after == record["result"]["points"][seat.number]
        assert member.level == seat.level_after
    assert sum(seat.units or 0 for seat in seats) == 0
    assert ledger.house_account(club.book, Account.Kind.RAKE).balance == sum(record["result"]["rake"])
    assert Transfer.objects.filter(key=f"hand:{hand.pk}").count() == 1
    assert ledger.ledger_check(club.book) == []
    assert Win.objects.filter(hand=hand).count() == len(record["result"]["wins"])
    assert Payment.objects.filter(hand=hand).count() == len(record["result"]["payments"])
    assert not Seat.objects.filter(table=table, is_ready=True).exists()


def test_a_time_that_was_read_before_the_last_row_is_not_used(table: Table, members: list[User]) -> None:
    """Else the next row would be older than it: another writer was quicker between the two."""
    users = members[:4]
    hand = hand_deal(table_id=table.pk, users=users)
    last_seq, _now = tail(hand.pk)
    assert folded(hand.pk, last_seq).seq == last_seq
    act(hand, users, asked(hand))
    forget_folds()
    for _whether_it_is_read_or_known in range(2):
        with pytest.raises(Collision):
            folded(hand.pk, last_seq)


def test_the_log_is_dense_and_its_fold_is_the_state(table: Table, members: list[User]) -> None:
    hand = hand_play_out(table_id=table.pk, users=members[:4])
    rows = list(Action.objects.filter(hand=hand))
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert [row.kind for row in rows[:10]] == ["commit", *["nonce_commit"] * 4, *["nonce"] * 4, "deal"]
    again = folded(hand.pk)
    assert again.core is not None
    assert again.core.moves == hand.record["actions"]


def test_the_wall_follows_from_the_commitments(table: Table, members: list[User]) -> None:
    hand = hand_play_out(table_id=table.pk, users=members[:4])
    rows = list(Action.objects.filter(hand=hand))
    said = [row.data["commitment"] for row in rows if row.kind == "nonce_commit"]
    nonces = [bytes.fromhex(row.data["nonce"]) for row in sorted(rows[5:9], key=lambda row: row.seat or 0)]
    assert [sha256(nonce).hexdigest() for nonce in nonces] == said
    assert shuffled_wall(str(hand.pk), bytes(hand.seed), nonces) == parse_wall(hand.record["wall"])


def test_a_table_plays_on_and_the_next_dealer_follows_the_rules(
    members: list[User], practice: Room, seated: Callable[[Room], Table]
) -> None:
    table = seated(practice)
    numbers = [hand_play_out(table_id=table.pk, users=members[:4]).number for _ in range(3)]
    assert numbers == [1, 2, 3]


def test_a_repeated_command_gets_the_first_answer(table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    seat = play_until(hand, members, Phase.TURN)
    choice, again = choice_of(folded(hand.pk), seat), command()
    first = act(hand, members, seat, choice=choice, command_id=again)
    rows = Action.objects.filter(hand=hand).count()
    for _ in range(3):
        assert act(hand, members, seat, choice=choice, command_id=again) == first
    assert Action.objects.filter(hand=hand).count() == rows
    refusal("command_conflict", lambda: act(hand, members, seat, choice=Choice("pass"), command_id=again))


def test_what_is_not_allowed_changes_nothing(table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    seat = play_until(hand, members, Phase.TURN)
    rows = Action.objects.filter(hand=hand).count()
    other = (seat + 1) % 4
    seen = folded(hand.pk).seen[seat]

    refusal("illegal_action", lambda: act(hand, members, other, choice=Choice("discard", "1m")))
    refusal("illegal_action", lambda: act(hand, members, seat, choice=Choice("pung")))
    refusal("illegal_action", lambda: act(hand, members, seat, choice=Choice("void", suit="m")))
    choice = choice_of(folded(hand.pk), seat)

    def act_on(seq: int, user: User) -> play.Done:
        return play.act(hand_id=hand.pk, user=user, seq=seq, choice=choice, command_id=command())

    refusal("stale", lambda: act_on(seen - 1, members[seat]))
    refusal("bad_frame", lambda: act_on(seen + 1, members[seat]))
    refusal("not_in_hand", lambda: act_on(seen, members[4]))
    refusal("hand_running", lambda: tables.seat_leave(table_id=table.pk, user=members[seat]))
    refusal(
        "hand_running",
        lambda: tables.seat_ready(table_id=table.pk, user=members[seat], nonce_commitment="0" * 64),
    )
    assert Action.objects.filter(hand=hand).count() == rows


def test_a_banned_member_acts_no_more(table: Table, members: list[User], club: Club) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    seat = play_until(hand, members, Phase.TURN)
    Membership.objects.filter(user=members[seat]).update(status=Membership.Status.BANNED)
    refusal("banned", lambda: act(hand, members, seat))


def test_a_nonce_must_fit_its_commitment(table: Table, members: list[User]) -> None:
    nonces = [bytes([number]) * 32 for number in range(4)]
    for user, nonce in zip(members, nonces, strict=False):
        hand = tables.seat_ready(table_id=table.pk, user=user, nonce_commitment=sha256(nonce).hexdigest())
    assert hand is not None

    def reveal(seat: int, nonce: bytes) -> play.Done:
        return play.nonce_reveal(hand_id=hand.pk, user=members[seat], nonce=nonce.hex(), command_id=command())

    refusal("bad_nonce", lambda: reveal(0, nonces[1]))
    reveal(0, nonces[0])
    refusal("stale", lambda: reveal(0, nonces[0]))
    refusal("hand_starting", lambda: play.leave(hand_id=hand.pk, user=members[1], escape=True, command_id=command()))


def test_escaping_needs_consent_ends_the_hand_and_costs_the_penalty(table: Table, members: list[User]) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    asked_for = refusal(
        "escape_unconfirmed",
        lambda: play.leave(hand_id=hand.pk, user=members[2], escape=False, command_id=command()),
    )
    assert asked_for.data == {"units": 48, "coins": 48 * 6 * 200, "won": False}
    play.leave(hand_id=hand.pk, user=members[2], escape=True, command_id=command())

    hand.refresh_from_db()
    assert hand.end == "escaped"
    assert hand.record["result"]["units"] == [16, 16, -48, 16]
    seat = HandSeat.objects.get(hand=hand, number=2)
    assert seat.has_left
    assert seat.coins == -48 * 6 * 200 - 400
    assert not Seat.objects.filter(user=members[2]).exists()
    assert Seat.objects.filter(table=table).count() == 3
    table.refresh_from_db()
    assert table.next_dealer is None
    refusal("not_in_hand", lambda: act(hand, members, 2, choice=Choice("pass")))


def test_where_no_coins_are_played_escaping_speaks_of_none(
    seated: Callable[[Room], Table], practice: Room, members: list[User]
) -> None:
    hand = hand_deal(table_id=seated(practice).pk, users=members[:4])
    asked_for = refusal(
        "escape_unconfirmed",
        lambda: play.leave(hand_id=hand.pk, user=members[2], escape=False, command_id=command()),
    )
    assert "币" not in str(asked_for.message)
    assert asked_for.data["coins"] == 0


def test_who_took_a_seat_in_a_running_hand_may_get_up_again(
    seated: Callable[[Room], Table], members: list[User], club: Club, operator: User
) -> None:
    """A winner leaves, the hand goes on, and a newcomer who sits down there is not in it."""
    room = room_create(club=club, name="血战", actor=operator, preset="qq_xuezhan", pacing=RoomTerms.Pacing.INSTANT)
    table = seated(room)
    for _attempt in range(20):
        hand = hand_deal(table_id=table.pk, users=members[:4])
        while not (fold := folded(hand.pk)).is_over:
            assert fold.core is not None
            if won := [seat for seat in range(4) if fold.core.seats[seat].won]:
                break
            act(hand, members, asked(hand))
        else:
            continue
        play.leave(hand_id=hand.pk, user=members[won[0]], escape=True, command_id=command())
        for newcomer in (members[4], members[won[0]]):
            tables.seat_take(table_id=table.pk, number=won[0], user=newcomer)
            tables.seat_leave(table_id=table.pk, user=newcomer)
            assert not Seat.objects.filter(user=newcomer).exists()
        other = members[(won[0] + 1) % 4]
        refusal("hand_running", partial(tables.seat_leave, table_id=table.pk, user=other))
        return
    pytest.fail("twenty hands without a winner")


def test_leaving_a_club(table: Table, members: list[User], club: Club) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    refusal("hand_running", lambda: tables.club_leave(club=club, user=members[0]))
    play.leave(hand_id=hand.pk, user=members[1], escape=True, command_id=command())
    before = Account.objects.get(holder=members[0]).balance
    tables.club_leave(club=club, user=members[0])
    membership = Membership.objects.get(user=members[0])
    assert membership.status == Membership.Status.LEFT
    assert membership.wallet.balance == before
    assert not Seat.objects.filter(user=members[0]).exists()
    refusal("table_unknown", lambda: tables.seat_take(table_id=table.pk, number=0, user=members[0]))
    refusal("not_a_member", lambda: tables.club_leave(club=club, user=members[0]))
    assert ledger.ledger_check(club.book) == []


def test_who_cannot_pay_pays_what_is_there_and_the_winners_share_it(
    table: Table, members: list[User], club: Club, operator: User
) -> None:
    """RULES.md section 13 in live play: a unit costs 1,200 coins, nobody has so many."""
    purses = [1_000, 700, 50, 0]
    for user, left in zip(members, purses, strict=False):
        membership = Membership.objects.get(user=user)
        amount = membership.wallet.balance - left
        member_coins_withdraw(membership=membership, amount=amount, reason="x", actor=operator, key=f"short:{user.pk}")
    for _attempt in range(20):
        before = [Account.objects.get(holder=user).balance for user in members[:4]]
        hand = hand_play_out(table_id=table.pk, users=members[:4])
        if hand.payments.exists():
            break
    seats = list(HandSeat.objects.filter(hand=hand).select_related("membership__wallet"))
    units, coins, rake = ([getattr(seat, name) for seat in seats] for name in ("units", "coins", "rake"))
    assert [seat.points for seat in seats] == [6 * each for each in units], "points move in full"
    for seat, had in zip(seats, before, strict=True):
        assert seat.membership is not None
        assert seat.units is not None and seat.coins is not None and seat.rake is not None
        assert seat.membership.wallet.balance == seat.balance_after == had + seat.coins
        assert seat.balance_after >= 0
        assert seat.rake <= 400
        if seat.units < 0:
            assert seat.coins + seat.rake == -min(had, -seat.units * 1_200)
    assert sum(coins) + sum(rake) == 0
    gains = [each + taken for each, taken in zip(coins, rake, strict=True)]
    owed = sum(each for each in units if each > 0)
    paid = -sum(each for each in gains if each < 0)
    assert paid < owed * 1_200, "somebody could not pay"
    for each, gain in zip(units, gains, strict=True):
        if each > 0:
            assert abs(gain - paid * each / owed) < 1

    assert hand.record is not None
    assert judge({key: value for key, value in hand.record.items() if key != "result"}) == hand.record["result"]
    assert hand.record["balances"] == before
    transfer = Transfer.objects.filter(key=ledger.hand_key(hand.pk)).first()
    moved: dict[Any, int] = dict(transfer.postings.values_list("account__holder", "amount")) if transfer else {}
    assert moved.pop(None, 0) == sum(rake)
    assert moved == {user.pk: each for user, each in zip(members, coins, strict=False) if each}
    shown = frames.hand_payload(folded(hand.pk), members[0].pk)["settlement"]["seats"]
    assert [seat["coins"] for seat in shown] == coins
    assert [seat["gross"] for seat in shown] == [1_200 * each for each in units]
    assert [seat["balance"] for seat in shown] == [seat.balance_after for seat in seats]
    assert ledger.ledger_check(club.book) == []
    assert list(hands_check()) == []


def test_an_escape_takes_no_more_than_is_there(table: Table, members: list[User], club: Club, operator: User) -> None:
    membership = Membership.objects.get(user=members[2])
    member_coins_withdraw(membership=membership, amount=99_000, reason="x", actor=operator, key="short")
    hand = hand_deal(table_id=table.pk, users=members[:4])
    play.leave(hand_id=hand.pk, user=members[2], escape=True, command_id=command())
    coins = list(HandSeat.objects.filter(hand=hand).values_list("coins", flat=True))
    assert coins == [334 - 400, 333 - 400, -1_000, 333 - 400]
    assert ledger.ledger_check(club.book) == []
    assert list(hands_check()) == []


def test_a_winner_who_leaves_is_settled_from_what_was_held(table: Table, members: list[User], club: Club) -> None:
    """RULES.md section 12: play goes on; a loss is taken at once, a gain is credited at the end."""
    for _attempt in range(60):
        loss = 0
        hand = hand_deal(table_id=table.pk, users=members[:4])
        leaver = None
        while not (fold := folded(hand.pk)).is_over:
            assert fold.core is not None
            won = [seat for seat in range(4) if fold.core.seats[seat].won]
            if won and leaver is None:
                leaver = won[0]
                before = Account.objects.get(holder=members[leaver]).balance
                play.leave(hand_id=hand.pk, user=members[leaver], escape=True, command_id=command())
                loss = -fold.core.seats[leaver].units * 6 * 200
                taken = before - Account.objects.get(holder=members[leaver]).balance
                assert taken == (min(before, loss + 400) if loss > 0 else 0)
                assert not Seat.objects.filter(user=members[leaver]).exists()
                continue
            act(hand, members, asked(hand))
        hand.refresh_from_db()
        result = hand.record["result"]
        assert judge({key: value for key, value in hand.record.items() if key != "result"}) == result
        assert ledger.house_account(club.book, Account.Kind.HELD).balance == 0
        assert ledger.ledger_check(club.book) == []
        for seat in HandSeat.objects.filter(hand=hand).select_related("membership__wallet"):
            assert seat.membership is not None
            assert seat.membership.wallet.balance == seat.balance_after
        if leaver is not None:
            assert result["next_dealer"] is None
            if loss > 0:
                return
            tables.seat_take(table_id=table.pk, number=leaver, user=members[leaver])
    pytest.fail("sixty hands without a winner who left with a loss")


def test_bots_fill_a_practice_table_and_nothing_is_at_stake(members: list[User], practice: Room) -> None:
    user = members[0]
    table = tables.table_open(room=practice, user=user)
    assert tables.bots_fill(table_id=table.pk, user=user) is None
    nonce = b"n" * 32
    hand = tables.seat_ready(table_id=table.pk, user=user, nonce_commitment=sha256(nonce).hexdigest())
    assert hand is not None
    play.nonce_reveal(hand_id=hand.pk, user=user, nonce=nonce.hex(), command_id=command())
    assert play.tick(hand.pk) is not None
    play.auto_switch(hand_id=hand.pk, user=user, on=True, command_id=command())
    assert play.tick(hand.pk) is None

    hand.refresh_from_db()
    assert hand.status == Hand.Status.SETTLED
    mine = HandSeat.objects.get(hand=hand, number=0)
    assert mine.coins == 0
    assert hand.is_practice
    assert hands_sum(seats_of(user=user)) == HandsSum(hands=0, coins=0, rake=0, points=0, practice=1)
    assert mine.points_before == mine.points_after == 0
    assert mine.auto_actions > 0
    assert not Transfer.objects.filter(key=f"hand:{hand.pk}").exists()
    tables.seat_leave(table_id=table.pk, user=user)
    table.refresh_from_db()
    assert table.closed_at is not None
    assert not Seat.objects.filter(table=table).exists()


def test_a_bot_keeps_the_strength_that_it_was_seated_with(members: list[User], practice: Room) -> None:
    user = members[0]
    table = tables.table_open(room=practice, user=user)
    tables.bots_fill(table_id=table.pk, user=user, strength=Strength.STRONG)
    hand = tables.seat_ready(table_id=table.pk, user=user, nonce_commitment="0" * 64)
    assert hand is not None
    players = folded(hand.pk).players
    assert [player.strength for player in players] == ["normal", "strong", "strong", "strong"], (
        "absent people are normal"
    )
    assert [player.name for player in players[1:]] == ["高手·机器人乙", "高手·机器人丙", "高手·机器人丁"]

    HandSeat.objects.filter(hand=hand).update(strength="")
    forget_folds()
    old = folded(hand.pk).players[1]
    assert (old.name, old.strength) == ("机器人乙", "normal"), "a bot of before there were strengths"


def test_bots_do_not_sit_where_coins_are_played(table: Table, members: list[User]) -> None:
    refusal("bots_not_allowed", lambda: tables.bots_fill(table_id=table.pk, user=members[0]))


def test_seats(room: Room, table: Table, members: list[User], operator: User, practice: Room) -> None:
    emma = members[4]
    refusal("seat_taken", lambda: tables.seat_take(table_id=table.pk, number=2, user=emma))
    refusal("seated_elsewhere", lambda: tables.table_open(room=practice, user=members[0]))
    refusal("table_unknown", lambda: tables.seat_take(table_id=10**6, number=2, user=emma))
    refusal(
        "table_unknown", lambda: tables.seat_take(table_id=table.pk, number=2, user=User.objects.create(username="x"))
    )
    refusal("not_seated", lambda: tables.seat_ready(table_id=table.pk, user=emma, nonce_commitment="0" * 64))
    assert tables.seat_take(table_id=table.pk, number=1, user=members[1]).number == 1
    for user in [*members[:4], *members[:4]]:  # getting up twice is getting up
        tables.seat_leave(table_id=table.pk, user=user)
    refusal("table_closed", lambda: tables.seat_take(table_id=table.pk, number=0, user=emma))


def test_the_entry_minimum_is_asked_at_the_door_and_before_each_hand(
    club: Club, members: list[User], operator: User
) -> None:
    rich = room_create(
        club=club, name="大厅", actor=operator, preset="qq_xuezhan", coefficient=10, entry_minimum=100_000
    )
    table = tables.table_open(room=rich, user=members[0])
    membership = Membership.objects.get(user=members[0])
    member_coins_withdraw(membership=membership, amount=1, reason="test", actor=operator, key="w:1")
    short = refusal(
        "entry_minimum",
        lambda: tables.seat_ready(table_id=table.pk, user=members[0], nonce_commitment="0" * 64),
    )
    assert short.data == {"minimum": 100_000, "balance": 99_999}
    tables.seat_leave(table_id=table.pk, user=members[0])
    refusal("entry_minimum", lambda: tables.table_open(room=rich, user=members[0]))


def test_a_suspended_member_holds_no_seat_between_hands(
    table: Table, members: list[User], club: Club, operator: User, practice: Room
) -> None:
    tables.seat_ready(table_id=table.pk, user=members[1], nonce_commitment="0" * 64)
    membership = Membership.objects.get(club=club, user=members[0])
    member_ban(membership=membership, actor=operator, reason="test")
    assert tables.seat_take(table_id=table.pk, number=0, user=members[4]).number == 0
    member_unban(membership=membership, actor=operator, reason="test")
    tables.table_open(room=practice, user=members[0])


def test_a_suspended_members_seat_is_free_after_the_hand(
    table: Table, members: list[User], club: Club, operator: User
) -> None:
    hand = hand_deal(table_id=table.pk, users=members[:4])
    member_ban(membership=Membership.objects.get(club=club, user=members[0]), actor=operator, reason="test")
    assert Seat.objects.filter(table=table, user=members[0]).exists(), "the hand is played out"
    play.leave(hand_id=hand.pk, user=members[1], escape=True, command_id=command())
    assert not Seat.objects.filter(table=table, user=members[0]).exists()


def test_ready_is_answered_again_and_may_change_its_commitment(table: Table, members: list[User]) -> None:
    for user in members[:3]:
        tables.seat_ready(table_id=table.pk, user=user, nonce_commitment="0" * 64)
    tables.seat_ready(table_id=table.pk, user=members[0], nonce_commitment="1" * 64)
    assert Seat.objects.get(user=members[0]).nonce_commitment == "1" * 64
    hand = tables.seat_ready(table_id=table.pk, user=members[3], nonce_commitment="0" * 64)
    assert hand is not None
    tables.seat_ready(table_id=table.pk, user=members[3], nonce_commitment="0" * 64)
    refusal("hand_running", lambda: tables.seat_ready(table_id=table.pk, user=members[3], nonce_commitment="2" * 64))


def test_the_highest_terms_there_are_can_be_settled(club: Club, operator: User, members: list[User]) -> None:
    """Every win as high as a room allows: what comes of it fits the database."""
    room = room_create(
        club=club,
        name="天价",
        actor=operator,
        preset="qq_dingque",
        options={"patterns": {"pinghu": 20}, "cap_fan": 14, "base_points": 10_000, "huazhu_units": 1000},
        coefficient=1_000_000,
        rake=1_000_000_000,
        pacing=RoomTerms.Pacing.INSTANT,
    )
    table = tables.table_open(room=room, user=members[0])
    for user in members[1:4]:
        tables.seat_take(table_id=table.pk, number=None, user=user)
    for _hand in range(8):
        hand = hand_play_out(table_id=table.pk, users=members[:4])
        assert hand.status == Hand.Status.SETTLED
    assert Win.objects.filter(hand__table=table, multiplier=2**13).exists()
    assert ledger.ledger_check() == []
