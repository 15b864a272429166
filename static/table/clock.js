/* The clock of a decision. The server decides when time is up; this only draws. */

/** A clock of a hand payload received at `receivedAt` (ms, own clock); null where nothing runs. */
export function clockOf(hand, receivedAt) {
  if (!hand?.deadline) return null;
  const left = Date.parse(hand.deadline) - Date.parse(hand.now);
  return { endsAt: receivedAt + left, total: hand.seconds * 1000 };
}

/** What it shows at `now`: whole seconds left, the part of the ring (0 to 1), whether time is short. */
export function reading(clock, now) {
  if (!clock) return { seconds: null, part: 0, urgent: false };
  const left = Math.max(0, clock.endsAt - now);
  const seconds = Math.ceil(left / 1000);
  return { seconds, part: Math.min(1, seconds * 1000 / clock.total), urgent: seconds <= 5 };
}
