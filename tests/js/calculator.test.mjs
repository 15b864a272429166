import assert from "node:assert/strict";
import test from "node:test";
import {
  TILES, add, copies, empty, example, flags, fromQuery, left, lineOf, missing, obstacle, removeMeld, removeTile, textOf, toQuery, under, undone, whyNot,
} from "../../static/calculator/hand.js";

const chengdu = { spec: "chengdu", options: { wild: null, void_suit: false } };
const yaoji = { spec: "chengdu_yaoji", options: { wild: "1s", void_suit: false } };
const put = (hand, kind, ...tiles) => tiles.reduce((so, tile) => add(so, kind, tile), hand);
const thirteen = put(empty(), "hand", "1p", "1p", "9p", "9p", "2s", "2s", "2s", "8s", "8s", "8s", "5p", "5p", "5p");

test("the fourteenth tile is the winning one, and then the hand is full", () => {
  assert.equal(missing(thirteen), 0);
  const full = add(thirteen, "hand", "1p");
  assert.equal(full.win, "1p");
  assert.equal(obstacle(full, "hand", "3m", null), "full");
  assert.equal(undone(full).win, null);
  assert.equal(obstacle(full, "win", "9p", null), null);
});

test("a fifth copy is refused everywhere", () => {
  const four = put(empty(), "hand", "5m", "5m", "5m", "5m");
  assert.equal(obstacle(four, "hand", "5m", null), "copies");
  assert.equal(obstacle(four, "win", "5m", null), "copies");
  assert.equal(obstacle(put(empty(), "concealed_kong", "5m"), "pung", "5m", null), "copies");
  assert.equal(copies(four, "5m"), 4);
});

test("a meld takes its tiles out of the hand, and needs their room", () => {
  const melded = add(thirteen, "pung", "5p");
  assert.equal(textOf(melded.tiles), "1199p222888s");
  assert.equal(missing(melded), 0);
  assert.equal(obstacle(thirteen, "pung", "3m", null), "room");
  assert.equal(obstacle(empty(), "pung", "1s", "1s"), "wild");
  const four = put(empty(), "pung", "1m", "2m", "3m", "4m");
  assert.equal(obstacle(four, "pung", "5m", null), "melds");
  assert.equal(missing(removeMeld(four, 0)), 4);
});

test("facts of the moment go with the draw and the melds", () => {
  const kong = add(empty(), "exposed_kong", "5m");
  const flower = { ...kong, selfDraw: true, flag: "kong_flower" };
  assert.deepEqual(flags(flower), [["kong_flower", true], ["tianhu", false], ["dihu", false]]);
  assert.equal(removeMeld(flower, 0).flag, null);
  assert.equal(add({ ...empty(), selfDraw: true, flag: "tianhu" }, "pung", "5m").flag, null);
});

test("a scoring line as RECORD.md has it", () => {
  assert.deepEqual(lineOf({ ...example(), suit: "m", flag: "kong_shot" }, chengdu, true), {
    ruleset: "chengdu", concealed: "1199p222888s", melds: [{ kind: "pung", tile: "5p" }], void: null, win_tile: "1p", self_draw: false, flags: ["kong_shot"],
  });
  assert.equal(lineOf({ ...example(), suit: "m" }, { ...chengdu, options: { void_suit: true } }, false).void, "m");
  assert.ok(!("win_tile" in lineOf(example(), chengdu, false)));
});

test("the address holds the whole hand", () => {
  const hand = { ...add(add(example(), "win", "9p"), "hand", "9p"), selfDraw: true, suit: "m" };
  const read = fromQuery(new URLSearchParams(toQuery(hand)), null);
  assert.deepEqual({ ...read, tiles: textOf(read.tiles) }, { ...hand, tiles: textOf(hand.tiles) });
});

test("an address that means no hand leaves out what cannot be", () => {
  const query = new URLSearchParams({ hand: "11111m0x123456789p99s", melds: "chow-1m,pung-1s,pung-9z,pung-9m", win: "9m", flag: "tianhu", void: "z" });
  const hand = fromQuery(query, "1s");
  assert.deepEqual(hand.melds, [{ kind: "pung", tile: "9m" }]);
  assert.equal(textOf(hand.tiles), "1111m123456p");
  assert.deepEqual([hand.win, hand.flag, hand.suit, missing(hand)], ["9m", null, null, 0]);
});

test("another ruleset takes the melds of its wild away", () => {
  assert.deepEqual(under(add(empty(), "pung", "1s"), "1s").melds, []);
});

test("why a hand does not win", () => {
  const suits = put(empty(), "hand", "1m", "2p", "3s");
  assert.equal(whyNot({ ...suits, win: "1m" }, chengdu), "suits");
  assert.equal(whyNot({ ...empty(), win: "1s" }, yaoji), "wild");
  assert.equal(whyNot({ ...put(empty(), "hand", "1m"), win: "1m", suit: "m" }, { ...chengdu, options: { void_suit: true } }), "void");
  assert.equal(whyNot({ ...put(empty(), "hand", "1m"), win: "9m" }, chengdu), "shape");
});

test("what is left of a wait counts the winning tile as one of them", () => {
  assert.equal(left(add(thirteen, "win", "1p"), "1p"), 2);
  assert.equal(left(removeTile(thirteen, "1p"), "1p"), 3);
  assert.equal(TILES.length, 27);
});
