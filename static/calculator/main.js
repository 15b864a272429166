/* The calculator: a hand tapped together, judged by POST /api/v1/score/, kept in the address so that a link is the hand. */

import { copyText } from "../site/site.js";
import { h, patch } from "../table/dom.js";
import { face } from "../table/pieces.js";
import { fill, gettext, meldWords, ngettext, number, patternWords, pgettext, suitWords, tileWords } from "../table/words.js";
import {
  MELDS, SUITS, TILES, add, copies, empty, example, flags, fromQuery, left, lineOf, missing, obstacle, removeMeld, removeTile, settled, sorted, toQuery,
  under, undone, whyNot,
} from "./hand.js";
import { changed, chosenValue, optionControls, showValues } from "./options.js";

const root = document.getElementById("calculator");
const { rulesets, chosen, controls } = JSON.parse(document.getElementById("rulesets").textContent);
const PAUSE = 150; // ms without a tap before the server is asked
const ACROSS = 9;
const MOST_NAMED = 4; // waits that the line under the hand names

let ruleset = rulesets[chosen];
let hand = fromQuery(new URLSearchParams(location.search), ruleset.options.wild);
let kind = "hand"; // what a tap on a tile adds
let hint = "";
let focused = TILES[0]; // the one tile of the picker that Tab reaches
let answer = null; // {score, waits}: what the server said of the hand as it is
let problem = null; // {words, again, option}: why it said nothing, and the option that it named
let optionsOpen = false;
let question = 0;
let timer = null;

const icon = name => h("svg", { class: "i s", "aria-hidden": "true" }, h("use", { href: `${root.dataset.icons}#i-${name}` }));
const flagWords = flag => ({
  kong_flower: gettext("杠上花"), kong_shot: gettext("杠上炮"), robbed_kong: pgettext("按钮", "抢杠"), tianhu: gettext("天胡"), dihu: gettext("地胡"),
})[flag];
const kindWords = kind => ({
  hand: pgettext("加到", "手牌"), pung: pgettext("加到", "碰"), exposed_kong: pgettext("加到", "直杠"), added_kong: pgettext("加到", "补杠"),
  concealed_kong: pgettext("加到", "暗杠"), win: pgettext("加到", "胡张"),
})[kind];
const fanWords = fan => fill(gettext("%(fan)s 番"), { fan });
const timesWords = units => fill(ngettext("%(units)s 倍", "%(units)s 倍", units), { units: number(units) });
const pointsWords = units => fill(ngettext("%(points)s 分", "%(points)s 分", units * ruleset.options.base_points), { points: number(units * ruleset.options.base_points) });
const missingWords = count => fill(ngettext("还差 %(count)s 张", "还差 %(count)s 张", count), { count });

// --- asking -------------------------------------------------------------------------------------------------------
const known = new Map();

async function scored(line) {
  const body = JSON.stringify(line);
  if (!known.has(body)) {
    // Without cookies: who asks does not matter, and no token is needed.
    const response = await fetch(root.dataset.api, { method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" }, body });
    if (response.status === 429) throw Object.assign(new Error(), { wait: Number(response.headers.get("Retry-After")) || 60 });
    if (!response.ok) throw refusal(await response.json());
    known.set(body, await response.json());
  }
  return known.get(body);
}

/** A coded error of the API; one of the ruleset names the option at fault. */
function refusal({ code, detail }) {
  const option = code === "unknown_ruleset" && controls.find(({ name }) => detail.startsWith(`option ${name} `));
  const words = option ? fill(gettext("选项「%(option)s」不能这样，允许的是：%(allowed)s。"), { option: option.title, allowed: option.allowed }) : detail;
  return Object.assign(new Error(words), { option: option?.name });
}

async function ask() {
  clearTimeout(timer);
  const mine = ++question;
  let found = null, failed = null;
  try {
    const score = hand.win === null ? null : await scored(lineOf(hand, ruleset, true));
    found = { score, waits: score?.win ? null : await scored(lineOf(hand, ruleset, false)) };
  } catch (error) {
    failed = failure(error);
  }
  if (mine !== question) return;
  answer = found;
  problem = failed;
  if (failed?.wait) timer = setTimeout(ask, failed.wait * 1000);
  draw();
}

function failure(error) {
  if (error.wait) return { wait: error.wait, words: fill(ngettext("算得太勤了，%(count)s 秒后自动再算。", "算得太勤了，%(count)s 秒后自动再算。", error.wait), { count: error.wait }) };
  if (error instanceof TypeError || error instanceof SyntaxError) return { again: true, words: gettext("没连上服务器。看看网络，再试一次。") };
  return { again: !error.option, words: error.message, option: error.option };
}

/** The hand or its ruleset is another one: say so in the address and ask anew. */
function change(next, words = "") {
  hand = next;
  hint = words;
  answer = problem = null;
  question += 1;
  const rules = typeof ruleset.spec === "string" ? { preset: ruleset.spec } : { preset: ruleset.spec.preset, options: JSON.stringify(ruleset.spec.options) };
  history.replaceState(null, "", `?${new URLSearchParams({ ...rules, ...toQuery(hand) })}`);
  document.querySelector(".foot [name=next]").value = location.pathname + location.search;
  clearTimeout(timer);
  if (missing(hand) === 0) timer = setTimeout(ask, PAUSE);
  draw();
}

// --- drawing ------------------------------------------------------------------------------------------------------
function draw() {
  patch(root, [
    h("div", { key: "left", class: "stack calc-left" }, board(), picker(), moment()),
    h("div", { key: "right", class: "stack calc-right" }, rules(), result()),
  ]);
  showValues(root);
  document.getElementById("ruleset").value = rulesets.indexOf(ruleset);
}

function rules() {
  return h("section", { key: "rules", class: "card tight calc-rules" },
    h("div", { class: "field" }, h("label", { class: "l", for: "ruleset" }, gettext("规则")),
      h("select", { class: "in", id: "ruleset" }, rulesets.map((each, place) =>
        h("option", { value: place, selected: each === ruleset }, each.name)))),
    typeof ruleset.spec === "string" && h("p", { class: "s dim" }, ruleset.line),
    h("details", { class: "s", open: optionsOpen }, h("summary", null, gettext("番和全部选项")), optionControls(controls, ruleset, rulesets, problem?.option)));
}

const tileButton = (tile, label, { key, marks = "", ...attributes }) =>
  h("button", { key, type: "button", class: `tile ${marks}`.trim(), "aria-label": label, ...attributes }, face(tile));

function board() {
  const count = new Map();
  const tiles = sorted(hand.tiles).map(tile => {
    count.set(tile, (count.get(tile) ?? 0) + 1);
    const unwanted = ruleset.options.void_suit && tile[1] === hand.suit && tile !== ruleset.options.wild;
    return tileButton(tile, fill(gettext("拿掉%(tile)s"), { tile: tileWords(tile) }), {
      key: `${tile}${count.get(tile)}`, marks: unwanted ? "stand is-void" : "stand", "data-do": "remove", "data-tile": tile,
    });
  });
  const slots = Array.from({ length: missing(hand) }, (_, place) => h("span", { key: `slot${place}`, class: "slot", "aria-hidden": "true" }));
  const melds = hand.melds.map((meld, place) => h("button", {
    key: `meld${place}`, type: "button", class: "calc-meld", "data-do": "remove-meld", "data-place": place,
    "aria-label": fill(gettext("拿掉%(meld)s"), { meld: `${meldWords(meld.kind)} ${tileWords(meld.tile)}` }),
  }, h("small", null, meldWords(meld.kind)), h("span", { class: "tiles" }, Array.from({ length: meld.kind === "pung" ? 3 : 4 }, (_, at) => {
    const hidden = meld.kind === "concealed_kong" && (at === 0 || at === 3);
    return h("span", { class: hidden ? "tile back" : "tile" }, face(hidden ? "back" : meld.tile));
  }))));
  const win = hand.win === null
    ? h("span", { key: "win", class: "slot win", "aria-hidden": "true" }, pgettext("印", "胡"))
    : tileButton(hand.win, fill(gettext("拿掉胡张%(tile)s"), { tile: tileWords(hand.win) }), { key: "win", marks: "stand is-win", "data-do": "remove-win" });
  return h("section", { key: "board", class: "calc-board", "aria-label": gettext("手牌和副露") },
    h("div", { class: "calc-hand", role: "group", "aria-label": gettext("点牌拿掉") }, tiles, slots, melds, win),
    verdict());
}

function verdict() {
  return h("p", { class: "verdict", role: "status", "aria-busy": String(missing(hand) === 0 && !answer && !problem) }, verdictWords());
}

function verdictWords() {
  if (hint) return [icon("warn"), h("span", null, hint)];
  if (missing(hand) > 0) return [h("b", null, missingWords(missing(hand))), h("span", null, gettext("13 张看听什么，14 张算番"))];
  if (problem) return [icon("warn"), h("span", null, problem.words)];
  if (!answer) return h("span", null, gettext("正在算…"));
  const { score, waits } = answer;
  if (score?.win) return [h("b", { class: "seal-hu" }, pgettext("印", "胡")), h("b", null, patternWords(score.base)), h("span", null, `${fanWords(score.fan)} · ${timesWords(score.units)}`)];
  const heard = waits.waits.length > MOST_NAMED ? waitsWords(waits.waits) : fill(gettext("听 %(tiles)s"), { tiles: waits.waits.map(wait => tileWords(wait.tile)).join(gettext("、")) });
  if (score) return [h("b", null, gettext("这手不胡")), waits.ready && h("span", null, heard)];
  if (!waits.ready) return [h("b", null, gettext("没听牌")), waits.huazhu && h("span", null, gettext("万筒条三门都有"))];
  return h("b", null, heard);
}

function picker() {
  return h("section", { key: "picker", class: "card tight calc-picker", "aria-label": gettext("选牌") },
    h("div", { class: "seg full", role: "group", "aria-label": gettext("点牌加到哪里") }, ["hand", ...MELDS, "win"].map(one =>
      h("button", { type: "button", "data-do": "kind", "data-kind": one, "aria-pressed": String(one === kind) }, kindWords(one)))),
    h("div", { class: "calc-tiles", role: "group", "aria-label": gettext("牌，用方向键移动") }, TILES.map(tile => {
      const held = copies(hand, tile);
      const blocked = obstacle(hand, kind, tile, ruleset.options.wild);
      const label = fill(ngettext("%(kind)s加%(tile)s，已有 %(count)s 张", "%(kind)s加%(tile)s，已有 %(count)s 张", held), { kind: kindWords(kind), tile: tileWords(tile), count: held });
      return h("div", { key: tile, class: "calc-pick" },
        tileButton(tile, label, { key: "tile", marks: tile === ruleset.options.wild ? "is-drawn" : "", "data-do": "add", "data-tile": tile, "aria-disabled": blocked ? "true" : null, tabindex: tile === focused ? "0" : "-1" }),
        held > 0 && h("small", { "aria-hidden": "true" }, held));
    })),
    ruleset.options.wild && h("p", { class: "xs faint" }, fill(gettext("%(tile)s是任用，可当任何牌，不能碰杠"), { tile: tileWords(ruleset.options.wild) })));
}

function moment() {
  const choices = flags(hand);
  const impossible = choices.filter(([, can]) => !can).map(([flag]) => flag);
  return h("section", { key: "moment", class: "card tight calc-moment", "aria-label": gettext("怎么胡的") },
    h("div", { class: "calc-choices" },
      h("div", { class: "seg", role: "group", "aria-label": gettext("怎么胡的") }, [false, true].map(selfDraw =>
        h("button", { type: "button", "data-do": "draw", "data-self": String(selfDraw), "aria-pressed": String(hand.selfDraw === selfDraw) }, selfDraw ? pgettext("按钮", "自摸") : pgettext("按钮", "点炮")))),
      h("div", { class: "seg", role: "group", "aria-label": gettext("胡的时候") }, choices.map(([flag, can]) =>
        h("button", { type: "button", key: flag, "data-do": "flag", "data-flag": flag, "aria-pressed": String(hand.flag === flag), disabled: !can }, flagWords(flag)))),
      ruleset.options.void_suit && h("div", { class: "seg", role: "group", "aria-label": gettext("定缺") }, SUITS.map(suit =>
        h("button", { type: "button", key: suit, "data-do": "void", "data-suit": suit, "aria-pressed": String(hand.suit === suit) }, fill(gettext("缺%(suit)s"), { suit: suitWords(suit) }))))),
    impossible.length > 0 && h("p", { class: "xs faint" }, impossible.includes("kong_flower") ? gettext("杠上花要先有杠") : gettext("有副露就没有天胡、地胡")),
    hand.flag === "kong_flower" && h("p", { class: "xs faint" }, gettext("杠上花按最后一副杠算")));
}

function result() {
  const heading = h("h2", { class: "vh" }, gettext("结果"));
  if (problem) {
    return h("section", { key: "result", class: "card tight calc-result" }, heading,
      h("p", { class: "note warn" }, icon("warn"), h("span", null, problem.words)),
      problem.again && h("button", { type: "button", class: "btn", "data-do": "again" }, gettext("再试一次")));
  }
  if (answer?.score?.win) return winCard(answer.score, heading);
  if (answer) return waitsCard(answer, heading);
  return h("section", { key: "result", class: "card tight calc-result" }, heading, h("p", { class: "s dim" }, todoWords()),
    hand.tiles.length + hand.melds.length === 0 && h("button", { type: "button", class: "btn", "data-do": "example" }, gettext("看个例子")));
}

function todoWords() {
  if (missing(hand) === 0) return gettext("正在算…");
  if (hand.tiles.length + hand.melds.length === 0) return gettext("点牌放进手牌，满 13 张就看听什么；再点一张当胡张，就看番型、番数和倍数。");
  return fill(gettext("%(missing)s，点牌补上。"), { missing: missingWords(missing(hand)) });
}

function itemWords({ name, times }) {
  const words = { gen: gettext("根"), self_draw: gettext("自摸加番") }[name] ?? flagWords(name) ?? meldWords(name) ?? patternWords(name);
  return times > 1 ? `${words} × ${times}` : words;
}

function winCard(score, heading) {
  const capped = score.fan < score.uncapped_fan;
  return h("section", { key: "result", class: "card flush calc-result" }, heading,
    h("div", { class: "calc-sum" },
      h("b", { class: "big" }, fanWords(score.fan)), h("b", { class: "big" }, timesWords(score.units)),
      score.jipin && h("span", { class: "chip gold" }, gettext("极品")),
      capped && h("span", { class: "chip" }, fill(gettext("共 %(all)s，%(cap)s封顶"), { all: fanWords(score.uncapped_fan), cap: fanWords(score.fan) }))),
    h("h3", null, gettext("番")),
    h("ul", { class: "rows s", "data-list": "items" }, score.items.map((item, place) =>
      // A base pattern of no fan is the foundation; anything else of none adds nothing in this ruleset.
      h("li", { key: place }, h("span", { class: "grow" }, itemWords(item)),
        item.fan || place === 0 ? h("b", { class: "num" }, fanWords(item.fan)) : h("span", { class: "num faint" }, gettext("不加番"))))),
    h("h3", null, gettext("谁付多少")),
    h("ul", { class: "rows s", "data-list": "payments" }, score.payments.map((payment, place) => paymentRow(payment, place, score))),
    h("p", { class: "card-f" }, fill(gettext("1 倍 = 底分 %(base)s，房间里再乘系数。杠钱在杠的时候就付了。"), { base: ruleset.options.base_points })));
}

const payerWords = payer => ({
  discarder: gettext("点炮的人付"), robbed: gettext("被抢杠的人付"), feeder: gettext("点杠的人付"), each: gettext("没胡的每家付"), others: gettext("其余没胡的每家付"),
})[payer];

function paymentRow(payment, place, score) {
  const name = { win: gettext("胡牌"), kong_transfer: gettext("呼叫转移") }[payment.kind] ?? `${meldWords(payment.meld.kind)} ${tileWords(payment.meld.tile)}`;
  return h("li", { key: place },
    h("div", { class: "grow" }, h("b", null, name), ` ${payerWords(payment.payer)}`, payment.kind === "win" && h("p", { class: "xs faint" }, whyWords(score))),
    payment.units === null
      ? h("span", { class: "num" }, gettext("这一杠收的全数"))
      : h("span", { class: "num" }, h("b", null, timesWords(payment.units)), h("small", { class: "faint" }, pointsWords(payment.units))));
}

function whyWords({ fan, multiplier, units }) {
  const values = { fan: fanWords(fan), multiplier: timesWords(multiplier) };
  return units > multiplier ? fill(gettext("%(fan)s是 %(multiplier)s，自摸加底再加 1 倍"), values) : fill(gettext("%(fan)s是 %(multiplier)s"), values);
}

function waitsCard({ score, waits }, heading) {
  const why = score && {
    suits: gettext("万筒条三门都有。缺一门才能胡。"),
    void: fill(gettext("手里还有定缺的%(suit)s。打完才能胡。"), { suit: hand.suit ? suitWords(hand.suit) : "" }),
    wild: gettext("别人打出的任用牌不能胡。"),
    shape: gettext("不是四副加一对，也不是七对，或者这个规则没有这种牌型。"),
  }[whyNot(hand, ruleset)];
  return h("section", { key: "result", class: "card flush calc-result" }, heading,
    why && h("p", { class: "calc-why" }, h("b", null, gettext("这手不胡")), ` ${why}`),
    waits.ready
      ? [h("h3", null, waitsWords(waits.waits)),
        h("ul", { class: "calc-waits s", "data-list": "waits" }, waits.waits.map(waitRow)),
        h("p", { class: "card-f" }, gettext("番和倍按点炮算。点一种，就算它当胡张。"))]
      : !why && h("p", { class: "calc-why" }, h("b", null, gettext("没听牌")), ` ${waits.huazhu ? gettext("万筒条三门都有，流局时是花猪。") : gettext("换一两张再看。")}`));
}

const leftWords = count => fill(ngettext("剩 %(count)s 张", "剩 %(count)s 张", count), { count });

function waitsWords(waits) {
  const kinds = fill(ngettext("听 %(count)s 种", "听 %(count)s 种", waits.length), { count: waits.length });
  return `${kinds} · ${leftWords(waits.reduce((sum, wait) => sum + left(hand, wait.tile), 0))}`;
}

function waitRow(wait) {
  return h("li", { key: wait.tile }, h("button", { type: "button", "data-do": "win", "data-tile": wait.tile },
    h("span", { class: "tile", "aria-hidden": "true" }, face(wait.tile)),
    h("span", { class: "grow" }, h("b", null, tileWords(wait.tile)), h("small", { class: "dim" }, leftWords(left(hand, wait.tile)))),
    h("span", { class: "num" }, h("b", null, fanWords(wait.fan)), h("small", { class: "dim" }, timesWords(wait.multiplier)))));
}

// --- doing --------------------------------------------------------------------------------------------------------
const obstacleWords = (why, tile) => ({
  copies: fill(gettext("%(tile)s只有四张"), { tile: tileWords(tile) }),
  full: gettext("满了。点手牌拿掉一张再加"),
  wild: fill(gettext("%(tile)s是任用，不能碰杠"), { tile: tileWords(tile) }),
  melds: gettext("最多四副"),
  room: gettext("放不下。先点手牌拿掉几张"),
})[why];

const deeds = {
  add({ tile }) {
    const why = obstacle(hand, kind, tile, ruleset.options.wild);
    focused = tile;
    if (!why) return change(add(hand, kind, tile));
    hint = obstacleWords(why, tile);
    return draw();
  },
  remove: ({ tile }) => change(removeTile(hand, tile)),
  "remove-meld": ({ place }) => change(removeMeld(hand, Number(place))),
  "remove-win": () => change({ ...hand, win: null }),
  kind(data) { kind = data.kind; hint = ""; draw(); },
  draw: ({ self }) => change(settled({ ...hand, selfDraw: self === "true" })),
  flag: ({ flag }) => change({ ...hand, flag: hand.flag === flag ? null : flag }),
  void: ({ suit }) => change({ ...hand, suit: hand.suit === suit ? null : suit }),
  win: ({ tile }) => change({ ...hand, win: tile }),
  again() { problem = null; draw(); ask(); },
  example: () => change(example()),
};

root.addEventListener("click", event => {
  const button = event.target.closest("[data-do]");
  if (!button) return;
  const place = [...root.querySelectorAll(".calc-hand button")].indexOf(button);
  deeds[button.dataset.do](button.dataset);
  if (place >= 0 && document.activeElement === document.body) {
    // What had the focus is gone; the keyboard goes on beside it.
    const rest = root.querySelectorAll(".calc-hand button");
    (rest[Math.min(place, rest.length - 1)] ?? root.querySelector(".calc-tiles [tabindex='0']")).focus();
  }
});

root.addEventListener("change", ({ target }) => {
  if (target.id === "ruleset") ruleset = rulesets[target.value];
  else edit(target);
  change(under(hand, ruleset.options.wild));
});

/** An option has another value; the ruleset that comes of it stands after the presets. */
function edit(control) {
  const option = controls.find(({ name }) => name === control.dataset.option);
  ruleset = changed(ruleset, rulesets, option, control.dataset.row, chosenValue(option, control));
  rulesets.splice(rulesets.findLastIndex(({ spec }) => typeof spec === "string") + 1);
  if (!rulesets.includes(ruleset)) rulesets.push(ruleset);
}

root.addEventListener("toggle", ({ target }) => { optionsOpen = target.open; }, true);

root.addEventListener("keydown", event => {
  if (["select", "input"].includes(event.target.localName) || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Backspace" && hand.tiles.length + hand.melds.length + Number(hand.win !== null)) {
    event.preventDefault();
    change(undone(hand));
  }
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -ACROSS, ArrowDown: ACROSS }[event.key];
  const next = step && event.target.dataset.do === "add" && TILES[TILES.indexOf(event.target.dataset.tile) + step];
  if (!next) return;
  event.preventDefault();
  focused = next;
  draw();
  root.querySelector(`[data-do=add][data-tile="${next}"]`).focus();
});

document.getElementById("clear").addEventListener("click", () => { kind = "hand"; change(empty()); });
document.getElementById("share").addEventListener("click", event => copyText(location.href, event.currentTarget));
for (const tool of document.querySelectorAll(".calc-tools")) tool.hidden = false;
change(hand);
