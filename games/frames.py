"""What goes to a player about a table and its hand: the payloads of the socket's frames (docs/protocol.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from accounts.moments import moment_text
from clubs.models import RoomTerms, Title
from clubs.rooms import preset_name, ruleset_of, unit_coins
from games import rules, timing, words
from games.log import SEATS, WATCHER, Fold, Step, bot_name
from games.models import Hand, HandSeat, Seat, Table
from games.rules.explain import payment_explained, waits_left, win_told
from games.rules.options import LeaverWins
from games.rules.views import open_seats, view_for

Payload = dict[str, Any]


#: Of a table: its own version, and the newest terms of its room.
Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What is read of a table, once for all who look at it."""

    table: Table
    seats: Sequence[Seat]
    titles: dict[int, Title]
    running: Hand | None

    @property
    def version(self) -> Version:
        assert self.table.room.terms_id is not None
        return self.table.version, self.table.room.terms_id

    def seat_of(self, user_id: int) -> int | None:
        """Where a user sits."""
        return next((seat.number for seat in self.seats if seat.user_id == user_id), None)


def table_facts(table_id: int) -> TableFacts:
    table = Table.objects.select_related("room__club", "room__terms").get(pk=table_id)
    seats = list(Seat.objects.filter(table=table).select_related("user", "membership__wallet"))
    levels = {seat.membership.level for seat in seats if seat.membership}
    titles = {title.level: title for title in Title.objects.filter(club=table.room.club_id, level__in=levels)}
    running = Hand.objects.filter(table=table).exclude(status=Hand.Status.SETTLED).select_related("terms").first()
    return TableFacts(table, seats, titles, running)


def table_payload(facts: TableFacts, user_id: int) -> Payload:
    """T of docs/protocol.md: the table, its terms and who sits at it, as one user sees it."""
    table, running = facts.table, facts.running
    terms = running.terms if running else table.room.terms
    assert terms is not None
    ruleset = ruleset_of(terms)
    you = facts.seat_of(user_id)
    seats: list[Payload | None] = [None] * 4
    for seat in facts.seats:
        seats[seat.number] = _seat_payload(seat, facts.titles, terms)
    return {
        "id": table.pk,
        "room": {
            "id": table.room_id,
            "name": table.room.name,
            "club": {"slug": table.room.club.slug, "name": table.room.club.name},
        },
        "number": table.number,
        "version": table.version,
        "closed": table.closed_at is not None,
        "playing": running.number if running else None,
        "private": bool(table.code),
        "code": table.code if you is not None else None,
        "you": you,
        "terms": {
            "version": terms.version,
            "newest": terms.pk == table.room.terms_id,
            "preset": terms.preset,
            "ruleset": ruleset.spec,
            "label": preset_name(terms.preset),
            "coefficient": terms.coefficient,
            "rake": terms.rake,
            "base_points": ruleset.base_points,
            "unit_coins": unit_coins(terms),
            "entry_minimum": terms.entry_minimum,
            "turn_seconds": terms.turn_seconds,
            "claim_seconds": terms.claim_seconds,
            "void_seconds": terms.void_seconds,
            "reserve_seconds": terms.reserve_seconds,
            "pacing": terms.pacing,
            "waits_shown": terms.waits_shown,
            "bots_allowed": terms.bots_allowed,
            "watching": RoomTerms.Watching.OFF.value if table.code else terms.watching,
            "watch_delay": terms.watch_delay,
            "escape_units": ruleset.escape_units,
            "rules_url": f"{reverse('room_rules', args=[table.room_id])}?version={terms.version}",
        },
        "seats": seats,
    }


def _seat_payload(seat: Seat, titles: dict[int, Title], terms: RoomTerms) -> Payload:
    member = seat.membership
    return {
        "number": seat.number,
        "name": seat.user.name if seat.user else bot_name(seat.number, seat.strength),
        "bot": member is None,
        "level": member.level if member else None,
        "title": titles[member.level].name if member else "",
        "coins": member.wallet.balance if member else None,
        "points": member.points if member else None,
        "ready": seat.is_ready and (member is None or seat.ready_terms_id == terms.pk),
        "member": str(member.pk) if member else None,
        "wants_end": seat.wants_end,
    }


def hand_payload(fold: Fold, user_id: int, now: datetime | None = None) -> Payload:
    """H of docs/protocol.md: the hand as one user sees it, whoever that is."""
    seat = fold.seat_of(user_id)
    index = WATCHER if seat is None else seat
    deadline = timing.deadline_for(fold, seat)
    return {
        **_shown_to_all(fold),
        "seq": fold.seen[index],
        "decision": fold.decision[index],
        "you": seat,
        "deadline": moment_text(deadline) if deadline else None,
        "now": moment_text(now or timezone.now()),
        "seconds": fold.limit_seconds if deadline else None,
        "reserve": timing.reserve_for(fold, seat),
        "nonce_wanted": fold.core is None and seat is not None and fold.nonces[seat] is None,
        "view": _view(fold, seat),
        "settlement": settlement_payload(fold) if fold.is_over else None,
    }


def _shown_to_all(fold: Fold) -> Payload:
    """What everybody is shown alike, made once for all of them."""
    key = f"hand {get_language()}"
    shown: Payload | None = fold.shared.get(key)
    if shown is None:
        shown = fold.shared[key] = {
            "id": fold.hand.pk,
            "number": fold.hand.number,
            "status": _status(fold).value,
            "auto": list(fold.auto),
            "commitment": fold.hand.commitment,
            "nonce_commitments": list(fold.commitments),
            "players": [{"seat": player.seat, "name": player.name, "bot": player.is_bot} for player in fold.players],
        }
    return shown


def _view(fold: Fold, seat: int | None) -> Payload | None:
    """What a seat sees, without its waits where the terms keep them from players."""
    if fold.core is None:
        return None
    seats = fold.shared.get("seats")
    if seats is None:
        seats = fold.shared["seats"] = open_seats(fold.core)
    view = view_for(fold.core, seat, seats)
    return view if fold.terms.waits_shown else {**view, "waits": [], "discards": {}}


def _status(fold: Fold) -> Hand.Status:
    if fold.core is None:
        return Hand.Status.SHUFFLING
    return Hand.Status.SETTLED if fold.is_over else Hand.Status.PLAYING


def event_payloads(step: Step, seat: int | None, names: Sequence[str]) -> list[Payload]:
    """E of docs/protocol.md: what a seat sees of a step, each event with its sentence."""
    key = (seat if step.is_own(seat) else None, get_language() or "")
    told = step.told.get(key)
    if told is None:
        told = [{**event, "words": words.event_words(event, names)} for event in step.events_for(seat)]
        step.told[key] = told
    return told


def log_payload(fold: Fold, user_id: int) -> list[Payload]:
    """All events of a hand so far that a user could see."""
    seat = fold.seat_of(user_id)
    names = names_of(fold)
    return [event for step in steps(fold) for event in event_payloads(step, seat, names)]


def steps(fold: Fold) -> Iterator[Step]:
    """The steps of a hand from its first row up to where `fold` stands."""
    again = Fold(fold.hand, fold.terms, fold.players)
    for row in fold.rows:
        yield again.take(row)


def names_of(fold: Fold) -> list[str]:
    """The players' names by seat."""
    return [player.name for player in fold.players]


def settlement_payload(fold: Fold) -> Payload:
    """S of docs/protocol.md: what the hand came to, seat by seat, in words, with the proof of its wall. Read once for all."""
    key = _settlement_key(get_language())
    if key not in fold.shared:
        fold.shared[key] = _settlement(fold)
    settlement: Payload = fold.shared[key]
    return settlement


def is_settlement_read(fold: Fold, language: str) -> bool:
    """Whether `settlement_payload` does without the database."""
    return _settlement_key(language) in fold.shared


def _settlement_key(language: str | None) -> str:
    return f"settlement {language}"


def _settlement(fold: Fold) -> Payload:
    assert fold.core is not None
    result = fold.core.result()
    names = names_of(fold)
    wins = wins_payload(fold.core)
    payments = [payment_explained(fold.core, payment) for payment in fold.core.payments]
    rows = list(HandSeat.objects.filter(hand=fold.hand).select_related("membership").order_by("number"))
    unit = unit_coins(fold.terms)
    gaps = coin_gaps(rows, unit)
    titles = list(Title.objects.filter(club_id=fold.terms.room.club_id).order_by("level"))
    hand = Hand.objects.only("record").get(pk=fold.hand.pk)
    return {
        "end": result["end"],
        "end_words": words.end_words(result["end"]),
        "stopped": {
            "rule": fold.stopped.rule,
            "reason": fold.stopped.reason,
            "words": words.stop_words(fold.stopped.rule),
        }
        if fold.stopped
        else None,
        "terms": {
            "base_points": fold.core.ruleset.base_points,
            "coefficient": fold.terms.coefficient,
            "rake": fold.terms.rake,
        },
        "wins": wins,
        "payments": [
            {
                **payment,
                "coins": payment["units"] * unit,
                "name": words.payment_name(payment["rule"]),
                "words": words.payment_words(payment, names),
                "reason": words.reason_words([payment], names),
            }
            for payment in payments
        ],
        "notes": _notes(fold, rows, gaps, names),
        "seats": [
            {
                **_outcome_payload(fold, rows[number], titles),
                "gap": gaps[number],
                "waits": waits_left(fold.core, number),
                "account": _account(payments, number, wins, names),
            }
            for number in SEATS
        ],
        "proof": {
            "hand_id": str(fold.hand.pk),
            "seed": bytes(fold.hand.seed).hex(),
            "commitment": fold.hand.commitment,
            "nonce_commitments": list(fold.commitments),
            "nonces": [
                nonce.hex() if nonce is not None else said
                for nonce, said in zip(fold.nonces, fold.commitments, strict=True)
            ],
            "wall": hand.record["wall"] if hand.record else "",
        },
        "replay_url": reverse("hand", args=[fold.hand.pk]),
        "record_url": f"/api/v1/hands/{fold.hand.pk}/record",
    }


def wins_payload(core: rules.Hand) -> list[Payload]:
    """The wins of a hand, each with its fan item by item and how fan become units, in words."""
    told = [win_told(core.ruleset, win, core.seats[win.seat].melds) for win in core.wins]
    return [
        {
            **win,
            "items": [{**item, "words": words.item_name(item["name"])} for item in win["items"]],
            "words": words.win_words(win),
            "fan_words": words.fan_words(win),
            "units_words": words.units_words(win),
        }
        for win in told
    ]


def _account(payments: Sequence[Payload], seat: int, wins: Sequence[Payload], names: Sequence[str]) -> list[Payload]:
    """What one seat got and paid, in the order in which it arose; what one event makes alike is one line."""
    own = [payment for payment in payments if seat in (payment["payer"], payment["payee"])]
    lines = []
    for group in words.payment_groups(own):
        first = group[0]
        win = next((win for win in wins if first["kind"] == "win" and win["seat"] == first["payee"]), None)
        why = (
            [win["fan_words"], win["units_words"]]
            if win and win["seat"] == seat
            else [words.reason_words(group, names)]
        )
        lines.append(
            {
                "kind": first["kind"],
                "rule": first["rule"],
                "units": sum(payment["units"] if payment["payee"] == seat else -payment["units"] for payment in group),
                "name": win["words"] if win else words.payment_name(first["rule"]),
                "who": words.account_words(group, seat, names),
                "why": why,
            }
        )
    return lines


def coin_gaps(rows: Sequence[HandSeat], unit: int) -> list[int]:
    """By seat, the coins that it paid less (+) or got less (-) than its units say, because somebody's ran out."""
    return [(row.coins or 0) + (row.rake or 0) - (row.units or 0) * unit for row in rows]


def _notes(fold: Fold, rows: Sequence[HandSeat], gaps: Sequence[int], names: Sequence[str]) -> list[Payload]:
    """What else bears on the coins of a hand: {code, words}."""
    assert fold.core is not None
    ruleset, terms = fold.core.ruleset, fold.terms
    gone = [seat.number for seat in fold.core.seats if seat.won and seat.left]
    struck = gone if ruleset.leaver_wins is LeaverWins.FORFEIT else []
    notes = [{"code": "struck", "words": words.struck_words(names[number])} for number in struck]
    if any(gaps):
        notes.append({"code": "shortage", "words": words.shortage_words(gaps, names)})
    if terms.rake:
        paid = [row.rake or 0 for row in rows]
        notes.append({"code": "rake", "words": words.rake_words(terms.rake, paid, names)})
    return notes


def _outcome_payload(fold: Fold, row: HandSeat, titles: Sequence[Title]) -> Payload:
    names = {title.level: title.name for title in titles}
    upcoming = next(
        (title for title in titles if row.level_after is not None and title.level == row.level_after + 1), None
    )
    return {
        "units": row.units,
        "points": row.points,
        "gross": (row.points or 0) * fold.terms.coefficient,
        "rake": row.rake,
        "coins": row.coins,
        "balance": row.balance_after if row.membership else None,
        "points_before": row.points_before,
        "points_after": row.points_after,
        "level_before": row.level_before,
        "level_after": row.level_after,
        "title_before": names.get(row.level_before or 0),
        "title_after": names.get(row.level_after or 0),
        "threshold": next((title.threshold for title in titles if title.level == row.level_after), None),
        "next_title": upcoming.name if upcoming else None,
        "next_threshold": upcoming.threshold if upcoming else None,
    }
