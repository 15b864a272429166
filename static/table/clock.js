/* The clock of a decision. The server decides when time is up; this only draws. */

/** A clock of a hand payload received at `receivedAt` (ms, own clock); null where nothing runs. `reserve` is what follows the limit (ms). */
export function clockOf(hand, receivedAt) {
  if (!hand?.deadline) return null;
  const left = Date.parse(hand.deadline) - Date.parse(hand.now);
  return { endsAt: receivedAt + left, total: hand.seconds * 1000, reserve: (hand.reserve ?? 0) * 1000 };
}

/** What it shows at `now`: whole seconds left, the part of the ring (0 to 1), whether time is short, and whether it is the reserve that runs,
    of which `more` seconds are left. */
export function reading(clock, now) {
  if (!clock) return { seconds: null, part: 0, urgent: false, isReserve: false, more: 0 };
  const left = clock.endsAt - now, isReserve = left <= 0 && clock.reserve > 0;
  const rest = Math.max(0, isReserve ? clock.reserve + left : left);
  const seconds = Math.ceil(rest / 1000);
  return {
    seconds, part: Math.min(1, seconds * 1000 / (isReserve ? clock.reserve : clock.total)), isReserve,
    urgent: seconds <= 5 && (isReserve || !clock.reserve), more: Math.ceil((isReserve ? rest : clock.reserve) / 1000),
  };
}

const FIRST_SECOND_MS = 1000;

/** Whether a tap on a tile that was selected at `pickedAt` may have been meant for the table as it was before my turn, which began at `turnAt`
    (all ms): there is no taking back, so it does not discard. */
export const isHasty = (pickedAt, turnAt, now) => pickedAt < turnAt && now < turnAt + FIRST_SECOND_MS;
