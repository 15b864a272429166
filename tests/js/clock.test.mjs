import assert from "node:assert/strict";
import test from "node:test";
import { clockOf, reading } from "../../static/table/clock.js";

const hand = { deadline: "2026-01-01T12:00:15+00:00", now: "2026-01-01T12:00:05+00:00", seconds: 15 };

test("what is left follows from the server's clock, whatever ours says", () => {
  const clock = clockOf(hand, 1_000_000);
  assert.deepEqual(reading(clock, 1_000_000), { seconds: 10, part: 10 / 15, isReserve: false, urgent: false, more: 0 });
  assert.deepEqual(reading(clock, 1_005_200), { seconds: 5, part: 5 / 15, isReserve: false, urgent: true, more: 0 });
});

test("the ring steps by whole seconds and stops at nothing", () => {
  const clock = clockOf(hand, 0);
  assert.equal(reading(clock, 100).part, reading(clock, 900).part);
  assert.deepEqual(reading(clock, 99_000), { seconds: 0, part: 0, isReserve: false, urgent: true, more: 0 });
  assert.equal(reading(clockOf({ ...hand, seconds: 5 }, 0), 0).part, 1);
});

test("where nothing runs, nothing shows", () => {
  assert.equal(clockOf(null, 0), null);
  assert.equal(clockOf({ ...hand, deadline: null }, 0), null);
  assert.deepEqual(reading(null, 0), { seconds: null, part: 0, urgent: false, isReserve: false, more: 0 });
});

test("after the limit the ring turns to the reserve, which alone is urgent", () => {
  const clock = clockOf({ ...hand, reserve: 20 }, 0);
  assert.deepEqual(reading(clock, 8000), { seconds: 2, part: 2 / 15, isReserve: false, urgent: false, more: 20 });
  assert.deepEqual(reading(clock, 10_000), { seconds: 20, part: 1, isReserve: true, urgent: false, more: 20 });
  assert.deepEqual(reading(clock, 26_000), { seconds: 4, part: 4 / 20, isReserve: true, urgent: true, more: 4 });
  assert.equal(reading(clock, 99_000).seconds, 0);
});
