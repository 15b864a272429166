import assert from "node:assert/strict";
import test from "node:test";
import { h, remembered } from "../../static/table/dom.js";
import { myCards, placed } from "../../static/table/hand.js";
import { project, sideOf } from "../../static/table/model.js";
import { gainWords, number, signed, tileShort, tileWords } from "../../static/table/words.js";

const seat = rest => ({ void: "s", hand: null, count: 13, melds: [], river: [], won: null, left: false, units: 0, ...rest });
const tiles = text => text.match(/../g);

function stateOf(view, rest = {}) {
  const people = ["甲", "乙", "丙", "丁"];
  return {
    table: {
      room: { name: "厅" }, number: 1, you: 0, closed: false, seats: people.map(name => ({ name, bot: false, title: "", coins: 10, ready: false })),
      terms: { label: "规则", unit_coins: 1200, bots_allowed: true },
    },
    hand: {
      id: 1, number: 2, you: 0, decision: 4, status: "playing", auto: [false, false, false, false], players: people.map(name => ({ name, bot: false })),
      view: { phase: "turn", dealer: 0, wall: 40, turn: 0, last: null, drawn: null, legal: [], answered: null, waits: [], discards: {}, ...view },
    },
    log: [], pick: null, passed: null, showsHand: false, ...rest,
  };
}

const mine = { hand: tiles("1m2m3m5p5p5p7p8p9p2s4s6m6m6m"), count: 14 };
const turn = { seats: [seat(mine), seat(), seat(), seat()], drawn: "6m", legal: [{ kind: "discard", tile: "2s" }, { kind: "discard", tile: "4s" }] };

test("seats stand around the viewer in the order of play", () => {
  assert.deepEqual([0, 1, 2, 3].map(one => sideOf(one, 1)), ["left", "me", "right", "across"]);
  const { seats } = project({ ...stateOf(turn), hand: { ...stateOf(turn).hand, you: 2 } });
  assert.deepEqual(seats.map(one => one.seat), [2, 3, 0, 1]);
});

test("my tiles: the void suit last, the drawn tile apart, each copy with a key of its own", () => {
  const cards = myCards(stateOf(turn).hand.view, 0);
  assert.equal(cards.map(card => card.tile).join(""), "1m2m3m6m6m5p5p5p7p8p9p2s4s6m");
  assert.equal(new Set(cards.map(card => card.key)).size, 14);
  assert.deepEqual(cards.filter(card => card.unwanted).map(card => card.tile), ["2s", "4s"]);
  assert.ok(cards[11].gap && cards[13].drawn && cards[13].apart);
});

test("two rows of seven cells, whatever was melded", () => {
  const card = key => ({ key }), meld = key => ({ key, kind: "pung" });
  for (const [held, melds] of [[13, 0], [10, 1], [7, 2], [4, 3], [1, 4], [11, 1], [8, 2], [5, 3], [2, 4]]) {
    const cells = placed(Array.from({ length: held }, (_, i) => card(i)), Array.from({ length: melds }, (_, i) => meld(`m${i}`)));
    let width = 0;
    const ends = cells.map(cell => (width += cell.kind ? 3 : 1));
    assert.ok(ends.includes(7), `${held} tiles, ${melds} melds`);
    assert.equal(cells.length, held + melds);
  }
});

test("offers say what they bring, 过 stands last and only where it may", () => {
  const claim = { ...turn, phase: "claim", turn: null, drawn: null, last: { seat: 3, tile: "5p", kind: "discard" } };
  const legal = [{ kind: "win", fan: 3, units: 4, payers: [3] }, { kind: "pass" }, { kind: "pung" }, { kind: "kong", form: "exposed_kong", units: 2, payers: [3] }];
  const model = project(stateOf({ ...claim, legal }));
  assert.deepEqual(model.acts.map(act => `${act.title} ${act.line}`), ["碰 5筒", "杠 5筒 +2", "胡 三番 +4", "过 不要"]);
  assert.deepEqual(model.acts[1].action, { kind: "kong" });
  assert.equal(model.claim.name, "丁");
  const forced = project(stateOf({ ...claim, legal: legal.slice(0, 1) }));
  assert.deepEqual(forced.acts.map(act => act.kind), ["hu"]);
});

test("in my own turn a kong names its tile and can be waved away", () => {
  const legal = [...turn.legal, { kind: "kong", tile: "5p", form: "concealed_kong", units: 2, payers: [1, 2, 3] }];
  const state = stateOf({ ...turn, legal });
  assert.deepEqual(project(state).acts.map(act => act.line), ["5筒 +2×3", "不杠"]);
  assert.deepEqual(project(state).acts[0].action, { kind: "kong", tile: "5p" });
  assert.equal(project(state).acts[1].action, null);
  assert.deepEqual(project({ ...state, passed: 4 }).acts, []);
});

test("nothing shows that others could claim: without an offer of mine a claim is a quiet table", () => {
  const quiet = project(stateOf({ ...turn, phase: "claim", turn: null, drawn: null, last: { seat: 3, tile: "5p", kind: "discard" }, legal: [] }));
  assert.deepEqual(quiet.hub.lights, [false, false, false, false]);
  assert.deepEqual([quiet.acts, quiet.claim, quiet.hub.say], [[], null, ""]);
});

test("waits follow the selected tile in my turn, my hand otherwise", () => {
  const waits = [{ tile: "2p", left: 2, fan: 2, multiplier: 2 }, { tile: "5p", left: 1, fan: 3, multiplier: 4 }];
  const state = stateOf({ ...turn, discards: { "2s": waits } });
  assert.equal(project(state).waits, null);
  const chosen = project({ ...state, pick: "2s#0" }).waits;
  assert.deepEqual([chosen.tile, chosen.best, chosen.items.map(one => one.tile)], ["2s", "2–3 番", ["2p", "5p"]]);
});

test("a claimed discard is gone from its river; the newest is marked", () => {
  const river = [{ tile: "1m", claimed: false }, { tile: "9p", claimed: true }, { tile: "3s", claimed: false }];
  const model = project(stateOf({ ...turn, turn: 1, drawn: null, last: { seat: 3, tile: "3s", kind: "discard" }, seats: [seat({ ...mine, hand: mine.hand.slice(1) }), seat(), seat(), seat({ river })] }));
  assert.deepEqual(model.seats[3].river.map(one => [one.tile, one.mark]), [["1m", undefined], ["3s", "last"]]);
});

test("a claimed tile lies turned on the side of its giver", () => {
  const melds = from => project(stateOf({ ...turn, seats: [seat(mine), seat({ melds: [{ kind: "pung", tile: "5p", from }] }), seat(), seat()] })).seats[1].melds[0].turned;
  assert.deepEqual([melds(0), melds(3), melds(2)], [0, 1, 2]);
});

test("without a hand the table waits", () => {
  const state = stateOf(turn);
  state.hand = null;
  state.table.seats[2] = null;
  state.table.you = null;
  const model = project(state);
  assert.equal(model.screen, "lobby");
  assert.deepEqual(model.lobby, { seated: 3, ready: 0, sitting: false, isReady: false, closed: false, bots: false, playing: null, watching: "off", delay: 0, last: null, isPrivate: false, code: null, parting: null });
  assert.ok(model.seats[2].empty && model.seats[2].canSit);
});

test("who watches sees backs and melds where my tiles would lie", () => {
  const melds = [{ kind: "pung", tile: "5p", from: 3 }];
  const state = stateOf({ ...turn, legal: [], drawn: null, seats: [seat({ count: 11, melds }), seat(), seat(), seat()] });
  const { hand, watched } = project({ ...state, hand: { ...state.hand, you: null }, table: { ...state.table, you: null } });
  assert.deepEqual([hand.filter(cell => cell.back).length, hand.filter(cell => cell.kind).map(cell => cell.tile), watched.name], [11, ["5p"], "甲"]);
});

test("a description is made once for the same object", () => {
  let made = 0;
  const list = remembered(words => { made += 1; return h("p", null, words); }), words = ["甲"];
  assert.equal(list(words), list(words));
  assert.notEqual(list(words), list(["甲"]));
  assert.equal(made, 2);
});

test("numbers and tiles in words", () => {
  assert.deepEqual([number(1234567), number(86400), number(12)], ["1,234,567", "86,400", "12"]);
  assert.deepEqual([signed(15200), signed(-4), signed(0)], ["+15,200", "−4", "±0"]);
  assert.deepEqual([tileWords("9m"), tileShort("5p"), gainWords(2, 3), gainWords(2, 1)], ["九万", "5筒", "+2×3", "+2"]);
});
