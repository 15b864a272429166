import assert from "node:assert/strict";
import test from "node:test";

import { told } from "../../static/site/line.js";

test("a seat is told of as long as it is kept", () => {
  assert.equal(told({ state: "waiting" }), "wait");
  assert.equal(told({ state: "offered" }), "seat");
});

test("who waits no more is not asked about again", () => {
  assert.equal(told({ state: "lapsed" }), "none");
  assert.equal(told(null), "none");
});
