// What the player does and is told: keys, switches, the order of tiles, sounds, announcements.
import assert from "node:assert/strict";
import test from "node:test";
import { askedWords, handWords, hurryWords, standingWords, turnWords } from "../../static/table/announcements.js";
import { isHasty } from "../../static/table/clock.js";
import { cuesOf, effectsOf } from "../../static/table/cues.js";
import { movedTo, myCards } from "../../static/table/hand.js";
import { keyed } from "../../static/table/keys.js";
import { termsNews } from "../../static/table/lobby.js";
import { project, sideOf } from "../../static/table/model.js";
import { autoChoice } from "../../static/table/settings.js";
import { voiceFor } from "../../static/table/voice.js";

const tiles = text => text.match(/../g);
const people = ["甲", "乙", "丙", "丁"];
const seat = rest => ({ void: "s", hand: null, count: 13, melds: [], river: [], won: null, left: false, units: 0, ...rest });
const mine = { hand: tiles("1m2m3m5p5p5p7p8p9p2s4s6m6m6m"), count: 14 };

function modelOf(view, state = {}, rest = {}) {
  const hand = { id: 1, number: 1, you: 0, decision: 4, status: "playing", auto: [], players: people.map(name => ({ name })), view: { phase: "turn", dealer: 0, wall: 40, turn: 0, last: null, drawn: "6m", legal: [], answered: null, waits: [], discards: {}, seats: [seat(mine), seat(), seat(), seat()], ...view }, ...rest };
  const table = { you: 0, number: 1, room: { name: "厅" }, seats: people.map(name => ({ name })), terms: { label: "", unit_coins: 1 } };
  return project({ table, hand, log: [], pick: null, passed: null, order: null, ...state });
}

const win = { kind: "win", fan: 3, units: 4, payers: [3] }, kong = tile => ({ kind: "kong", tile, form: "concealed_kong", units: 2, payers: [1, 2, 3] });
const claim = { phase: "claim", turn: null, drawn: null, last: { seat: 3, tile: "5p", kind: "discard" } };
const atClaim = legal => modelOf({ ...claim, legal, seats: [seat({ hand: mine.hand.slice(1) }), seat(), seat(), seat({ river: [{ tile: "5p", claimed: false }] })] });

test("my own order of tiles is kept, what is new lies behind it, and a tile can be moved", () => {
  const view = { phase: "turn", drawn: null, seats: [seat({ hand: tiles("1m2m3m5p") })] };
  assert.equal(myCards(view, 0, tiles("5p9s1m3m")).map(card => card.tile).join(""), "5p1m3m2m");
  const cards = myCards({ ...view, drawn: "9p", seats: [seat({ hand: tiles("1m2m3m5p9p") })] }, 0);
  assert.equal(movedTo(cards, "1m#0", "3m#0").join(""), "2m3m1m5p");
  assert.equal(movedTo(cards, "5p#0", "1m#0").join(""), "5p1m2m3m");
  assert.equal(movedTo(cards, "1m#0", "9p#0").join(""), "1m2m3m5p", "the drawn tile stays apart");
});

test("switches take wins, wave other claims away, and leave my own turn to me", () => {
  const both = { win: true, pass: true }, none = { win: false, pass: false };
  const taken = (legal, autos) => { const { acts } = atClaim(legal); return acts[autoChoice(acts, autos)]?.kind ?? null; };
  assert.equal(taken([{ kind: "pung" }, { kind: "pass" }], both), "pass");
  assert.equal(taken([{ kind: "pung" }, { kind: "pass" }], none), null);
  assert.equal(taken([win, { kind: "pung" }, { kind: "pass" }], both), "hu");
  assert.equal(taken([win, { kind: "pung" }, { kind: "pass" }], { win: false, pass: true }), null, "a win is not waved away");
  const { acts } = modelOf({ legal: [kong("5p"), { kind: "discard", tile: "2s" }] });
  assert.equal(acts.at(-1).kind, "pass");
  assert.equal(autoChoice(acts, both), null);
});

test("while the program plays for me nothing is offered", () => {
  const legal = [kong("5p"), { kind: "discard", tile: "2s" }];
  const offered = auto => modelOf({ legal }, {}, { auto: [auto, false, false, false] }).acts.length;
  assert.deepEqual([offered(false), offered(true)], [2, 0]);
});

test("keys ask for what the buttons do", () => {
  const turn = modelOf({ legal: [kong("5p"), { kind: "discard", tile: "2s" }] }), ask = (key, model = turn, rest = {}) => keyed(key, model, { pick: null, isCovered: false, ...rest });
  assert.deepEqual(ask("1"), { do: "pick", key: "1m#0" });
  assert.deepEqual(ask("]"), { do: "pick", key: "6m#2" });
  assert.deepEqual(ask("arrowright", turn, { pick: "1m#0" }), { do: "pick", key: "2m#0" });
  assert.deepEqual(ask("enter", turn, { pick: "2s#0" }), { do: "discard", key: "2s#0" });
  assert.equal(ask("enter"), null);
  assert.deepEqual(ask("d"), { do: "discard", key: "6m#2" });
  assert.deepEqual(ask("k"), { do: "act", place: 0 });
  assert.deepEqual(ask(" "), { do: "act", place: 1 });
  assert.equal(ask("p"), null);
  assert.deepEqual(ask("k", modelOf({ legal: [kong("5p"), kong("6m")] })), { do: "next", kind: "kong" });
  assert.deepEqual(ask("n"), { do: "autoplay", name: "pass" });
  assert.equal(ask("d", turn, { isCovered: true }), null);
  assert.deepEqual(ask("?", turn, { isCovered: true }), { do: "panel", panel: "help" });
  const choosing = modelOf({ phase: "void", turn: null, seats: [seat({ ...mine, void: null }), seat(), seat(), seat()], legal: ["m", "p", "s"].map(suit => ({ kind: "void", suit })) });
  assert.deepEqual(ask("2", choosing), { do: "void", suit: "p" });
});

test("who watches can only ask for the next side, and is told of everybody's turn", () => {
  const hand = { id: 1, number: 1, you: null, decision: 4, status: "playing", auto: [], players: people.map(name => ({ name })), view: { phase: "turn", dealer: 0, wall: 40, turn: 2, last: null, drawn: null, legal: [], answered: null, waits: [], discards: {}, seats: [seat(), seat(), seat({ melds: [{ kind: "pung", tile: "5p", from: 1 }], count: 11 }), seat()] } };
  const table = { you: null, number: 1, room: { name: "厅" }, seats: people.map(name => ({ name })), terms: { label: "", unit_coins: 1, watching: "seconds", watch_delay: 5 } };
  const from = beside => project({ table, hand, log: [], pick: null, passed: null, order: null, beside });
  assert.deepEqual(from(0).watched, { name: "甲", next: "乙", delay: 5 });
  assert.deepEqual(from(2).seats.map(one => one.name), ["丙", "丁", "甲", "乙"]);
  assert.deepEqual(from(2).hub.lights, [true, false, false, false]);
  assert.equal(from(2).seats[0].melds[0].turned, sideOf(1, 2) === "left" ? 0 : 2);
  assert.deepEqual([2, 0].map(beside => from(beside).hand.filter(card => card.back).length), [11, 13]);
  assert.equal(turnWords(from(2)), "轮到丙");
  assert.ok(standingWords(from(2), { seconds: null }).startsWith("轮到丙"));
  assert.deepEqual(["v", "d", "a", "1"].map(key => keyed(key, from(0), { pick: null, isCovered: false })), [{ do: "beside" }, null, null, null]);
  assert.equal(keyed("v", modelOf({}), { pick: null, isCovered: false }), null);
});

test("a change of terms is told once, with when it begins", () => {
  const terms = (version, newest) => ({ version, newest });
  assert.equal(termsNews(terms(1, true), terms(1, true)), null);
  assert.match(termsNews(terms(1, true), terms(1, false)).line, /下一局起/);
  assert.equal(termsNews(terms(1, false), terms(1, false)), null);
  assert.match(termsNews(terms(1, false), terms(2, true)).title, /现在/);
  assert.match(termsNews(terms(2, true), terms(3, true)).title, /现在/);
});

test("a tile that was selected before my turn is not discarded by a tap in its first second", () => {
  assert.ok(isHasty(900, 1000, 1999));
  assert.ok(!isHasty(900, 1000, 2000));
  assert.ok(!isHasty(1100, 1000, 1300), "selected in this turn");
});

test("what happens is heard, said and felt", () => {
  const discard = { kind: "discard", seat: 3, tile: "9m" };
  assert.deepEqual(cuesOf([discard], { you: 0, isAsked: false }), { sounds: ["discard"], words: "九万", buzz: null });
  assert.deepEqual(cuesOf([{ kind: "draw", seat: 0, tile: "1p" }], { you: 0, isAsked: true }).sounds, ["draw", "turn"]);
  assert.deepEqual(cuesOf([{ kind: "draw", seat: 1 }], { you: 0, isAsked: false }).sounds, [], "another's draw is silent");
  assert.equal(cuesOf([{ kind: "win", seat: 2, by: "discard" }], { you: 0, isAsked: false }).words, "胡");
  const own = cuesOf([{ kind: "win", seat: 0, by: "self_draw" }, { kind: "over", end: "won" }], { you: 0, isAsked: false });
  assert.deepEqual([own.sounds, own.words, own.buzz.length], [["win"], "自摸", 3]);
  assert.deepEqual(cuesOf([{ kind: "deal", dealer: 1 }], { you: 0, isAsked: false }).sounds, ["deal"]);
  assert.deepEqual(cuesOf([{ kind: "over", end: "drawn" }], { you: 0, isAsked: false }).sounds, ["end"]);
});

test("wins and paid kongs are shown over the seat they happen to", () => {
  const pay = (kind, payer, payee, units) => ({ kind: "pay", payment: { kind, payer, payee, units } });
  const view = { seats: [{ melds: [] }, { melds: [{ kind: "concealed_kong" }, { kind: "pung" }] }, { melds: [{ kind: "added_kong" }] }, { melds: [] }] };
  const shown = events => effectsOf(events, view).map(({ kind, seat, label }) => `${kind} ${seat} ${label}`);
  assert.deepEqual(shown([{ kind: "kong", seat: 1 }, pay("kong", 0, 1, 2), pay("kong", 2, 1, 2)]), ["rain 1 下雨 +2×2"]);
  assert.deepEqual(shown([pay("kong", 3, 2, 1)]), ["wind 2 刮风 +1"]);
  assert.deepEqual(shown([{ kind: "win", seat: 3 }, pay("win", 0, 3, 4), { kind: "win", seat: 0 }]), ["hu 3 胡", "hu 0 胡"]);
});

test("only voices of this machine speak, in the language of the page", () => {
  const voice = (lang, localService, isDefault = false) => ({ lang, localService, default: isDefault });
  const [far, near, usual, english] = [voice("zh-CN", false, true), voice("zh_TW", true), voice("zh-CN", true, true), voice("en-US", true)];
  assert.equal(voiceFor([far, near, usual, english], "zh-hans"), usual);
  assert.equal(voiceFor([far, near], "zh-hans"), near);
  assert.equal(voiceFor([far, english], "zh-hans"), null);
  assert.equal(voiceFor([far, usual, english], "en"), english);
});

test("a screen reader is told what I am asked, whose turn it is, my hand and where it stands", () => {
  const draw = { kind: "draw", seat: 0, tile: "6m" };
  const turn = modelOf({ legal: [kong("5p"), { kind: "discard", tile: "2s" }] });
  assert.equal(askedWords(turn, { phase: "turn", turn: 0 }, [draw]), "轮到你，摸六万，杠 5筒 +2×3");
  assert.equal(askedWords(turn, { phase: "turn", turn: 0 }, []), null);
  const claiming = atClaim([win, { kind: "pung" }, { kind: "pass" }]);
  assert.equal(askedWords(claiming, { phase: "claim", turn: null }, [{ kind: "discard", seat: 3, tile: "5p" }]), "丁 五筒，可以碰 5筒，胡 三番 +4");
  assert.equal(turnWords(turn), "");
  assert.equal(turnWords(modelOf({ turn: 2, drawn: null })), "轮到丙");
  assert.match(handWords(turn), /^手牌：一万、二万、三万、六万、六万、五筒.*四条，缺门、六万，刚摸$/);
  const standing = standingWords(claiming, { seconds: 7 });
  for (const part of ["手牌：二万", "上一张：丁 打 五筒", "轮到你", "余 40 张", "还有 7 秒"]) assert.ok(standing.includes(part), part);
  assert.equal(hurryWords({ seconds: 5, isReserve: true }), "备用时间还有 5 秒");
  assert.equal(hurryWords({ seconds: 6, isReserve: false }), null);
});
