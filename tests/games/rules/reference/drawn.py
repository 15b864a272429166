"""Section 9: who pays at a drawn hand."""

from typing import TYPE_CHECKING

from .scoring import Score, is_huazhu, waits

if TYPE_CHECKING:
    from .table import Seat, Table


def best_ready(table: "Table", seat: "Seat") -> Score | None:
    """The best ready hand; after a pung, with the best discard allowed (12)."""
    tiles, melds = seat.hand
    if len(tiles) + 3 * len(melds) == 13:
        hands = [tiles]
    else:
        hands = []
        for tile in table.allowed_discards(seat):
            rest = list(tiles)
            rest.remove(tile)
            hands.append(tuple(rest))
    found = [won for hand in hands for _, won in waits(table.options, hand, melds, seat.void)]
    return max(found, key=lambda won: won.uncapped_fan, default=None)


def settle_drawn(table: "Table") -> None:
    options = table.options
    live = table.live
    huazhu = [seat for seat in live if is_huazhu(options, *seat.hand)]
    ready = {seat.number: best for seat in live if (best := best_ready(table, seat))}

    for seat in huazhu:
        for other in table.seats:
            owed = other.live or (options["huazhu_pays_winners"] and not other.left)
            if owed and other not in huazhu:
                table.pay("huazhu", seat.number, other.number, options["huazhu_units"])

    for seat in live:
        for payee, best in ready.items():
            if seat.number not in ready:
                if seat not in huazhu or options["huazhu_pays_dajiao"]:
                    table.pay("dajiao", seat.number, payee, best.multiplier)
            elif options["dajiao_gap"] and best.multiplier > ready[seat.number].multiplier:
                table.pay("dajiao_gap", seat.number, payee, best.multiplier - ready[seat.number].multiplier)

    for seat in live:
        if seat.number in ready:
            continue
        for kong in seat.kongs:
            for payer, units in kong.paid:
                if kong.transferred or table.seats[payer].left:
                    continue
                if options["kong_refund_to"] == "ready" and payer not in ready:
                    continue
                table.pay("kong_refund", seat.number, payer, units)
