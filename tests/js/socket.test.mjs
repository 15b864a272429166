import assert from "node:assert/strict";
import test from "node:test";
import { patience, uuid } from "../../static/js/socket.js";

test("waiting doubles, is spread by chance and has a bound", () => {
  assert.equal(patience(1, 0), 150);
  assert.equal(patience(1, 1), 300);
  assert.equal(patience(3, 1), 1200);
  assert.equal(patience(40, 1), 2000);
  assert.equal(patience(50, 1), 10_000);
  assert.equal(patience(50, 0), 5000);
});

test("ids are random uuids of version 4", () => {
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});
