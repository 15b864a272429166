import assert from "node:assert/strict";
import test from "node:test";
import { linesOf } from "../../static/table/lines.js";

const pay = (kind, payer, payee, units) => ({ kind: "pay", payment: { kind, payer, payee, units }, words: "" });
const EVENTS = [
  { kind: "draw", seat: 1, words: "乙 摸牌" },
  { kind: "kong", seat: 1, tile: "3s", form: "concealed_kong", words: "乙 暗杠 三条" }, pay("kong", 0, 1, 2), pay("kong", 2, 1, 2), pay("kong", 3, 1, 2),
  { kind: "discard", seat: 1, tile: "9p", words: "乙 打 九筒" },
  { kind: "win", seat: 0, tile: "9p", words: "甲 胡 九筒：胡 平胡 1 番" }, pay("win", 1, 0, 2),
];
const shown = lines => lines.map(line => [line.key, line.before, line.tile, line.after, line.gain]);
const LINES = [[1, "乙 暗杠 ", "3s", "", "下雨 +2×3"], [5, "乙 打 ", "9p", "", null], [6, "甲 胡 ", "9p", " 胡 平胡 1 番", "+2"]];

test("what was earned stands on the line that earned it", () => assert.deepEqual(shown(linesOf([...EVENTS])), LINES));

test("a log that grows says the same, and keeps the lines that stay", () => {
  linesOf([]);
  let before = [], log = [];
  for (const event of EVENTS) {
    log = [...log, event];
    const lines = linesOf(log);
    assert.equal(linesOf(log), lines);
    const changed = before.filter((line, place) => lines[place] !== line);
    assert.ok(changed.length <= (event.kind === "pay" ? 1 : 0));
    before = lines;
  }
  assert.deepEqual(shown(before), LINES);
});

test("another log, or one that is shorter, is read from its beginning", () => {
  linesOf([...EVENTS]);
  assert.deepEqual(shown(linesOf(EVENTS.slice(0, 6))), [LINES[0], LINES[1]]);
  assert.deepEqual(shown(linesOf([{ kind: "discard", seat: 2, tile: "1m", words: "丙 打 一万" }])), [[0, "丙 打 ", "1m", "", null]]);
  assert.deepEqual(linesOf([]), []);
});
