/* The live table. Frames come in, each with a complete view; the model follows from them, the page from the model.
   What the player does goes out as commands. */

import { sha256, fromHex, toHex } from "../js/sha256.js";
import { line } from "../js/socket.js";
import { faults } from "../js/wall.js";
import { clockOf, reading } from "./clock.js";
import { gainWords, project, sideOf } from "./model.js";
import { effect, move, placesOf } from "./motion.js";
import { drawPhrases, hear, muteSwitch } from "./phrases.js";
import { render } from "./render.js";
import { settle } from "./settle.js";
import { fill, gettext, pgettext, tileWords } from "./words.js";

const GUARD_MS = 350;            // new offers and a new turn ignore taps for so long
const SHOW_END_MS = 1600;        // the last stamp is seen before the settlement covers the table

const root = document.querySelector("#table");
const over = document.querySelector("#settle");
const layer = document.querySelector("#effects");
const say = document.querySelector("#say");

const state = { table: null, hand: null, log: [], pick: null, passed: null, showsHand: false, said: {} };
const seen = {};                 // of the running hand: {hand, commitment}
let clock = null, panel = null, notice = null, proof = null, hidden = null, guard = 0, spoken = "", warned = null, model = null, released = null;

const socket = line(new URL(root.dataset.socket, location.href.replace(/^http/, "ws")).href, { frame: take, state: draw });

/* --- Frames ------------------------------------------------------------------------------------------------------ */

function take(frame, command, again) {
  const events = [];
  if (frame.type === "snapshot") {
    Object.assign(state, { table: frame.table, log: frame.log });
    takeHand(frame.hand, []);
  } else if (frame.type === "table") {
    if (frame.table.version < state.table.version) return;
    state.table = frame.table;
  } else if (frame.type === "event") {
    const own = state.hand?.id === frame.hand.id ? state.hand.seq : 0;
    if (frame.seq <= own) return;
    if (frame.seq > own + 1) return socket.resync();
    if (own === 0) state.log = [];
    state.log = [...state.log, ...frame.events];
    events.push(...frame.events);
    takeHand(frame.hand, events);
  } else if (frame.type === "ack") {
    acknowledged(command, frame);
  } else if (frame.type === "said") {
    hear(state.said, frame, state.table, draw);
  } else if (frame.type === "error") {
    refused(frame, command, again);
  }
  draw(events);
  react(events);
}

function takeHand(hand, events) {
  const before = state.hand;
  const fresh = hand && (before?.id !== hand.id || before.decision !== hand.decision || before.view?.phase !== hand.view?.phase);
  state.hand = hand;
  clock = clockOf(hand, Date.now());
  if (fresh) { guard = Date.now() + GUARD_MS; warned = null; setTimeout(draw, GUARD_MS); }
  if (!hand) return;
  if (before?.id !== hand.id) {
    Object.assign(state, { pick: null, passed: null, showsHand: false });
    proof = null;
    if (seen.hand !== hand.id) Object.assign(seen, { hand: hand.id, commitment: hand.commitment });
  }
  if (hand.nonce_wanted) reveal(hand);
  if (hand.status === "settled" && events.length) {
    state.showsHand = true;
    setTimeout(() => { state.showsHand = false; draw(); speakResult(); }, SHOW_END_MS);
  }
}

function acknowledged(command, { table }) {
  if (table) location.assign(`/tables/${table}/`);
  if (command?.type === "leave") location.assign(root.dataset.lobby);
  if (command?.type === "ready") hidden = state.hand?.id ?? null;
}

function refused({ code, message }, command, again) {
  if (code === "escape_unconfirmed") return openEscape(message);
  if (command?.type === "nonce" || (command?.type === "act" && again)) return;
  tell({ kind: "error", title: message });
}

function tell(what, ms = 4000) {
  notice = what;
  setTimeout(() => { if (notice === what) { notice = null; draw(); } }, ms);
  draw();
}

/* --- Drawing ----------------------------------------------------------------------------------------------------- */

function draw(events = []) {
  if (!state.table) {
    if (socket.state.final) location.assign(root.dataset.lobby);
    return;
  }
  const before = Array.isArray(events) && events.length ? placesOf(root) : null;
  model = project(state);
  if (state.pick && !model.hand.some(card => card.key === state.pick)) state.pick = null;
  const now = Date.now();
  const ui = {
    now, panel, notice, line: socket.state, lobby: root.dataset.lobby, terms: state.table.terms,
    clock: reading(clock, now), fresh: now < guard, offline: !navigator.onLine, isBusy: busy(), hasCode: Boolean(root.dataset.code),
  };
  render(root, model, ui);
  const settled = settling();
  over.hidden = !settled;
  root.inert = settled;
  if (settled) settle(over, state, { proof, isBusy: ui.isBusy });
  for (const one of document.querySelectorAll("#menu [data-between]")) one.hidden = model.you === null || model.screen !== "lobby";
  document.title = `${model.hub.lights[0] && model.you !== null ? "● " : ""}${model.room.name}`;
  if (before) { move(root, before, events, seat => sideOf(seat, model.bottom), released); released = null; }
}

const busy = () => socket.isWaiting(command => !["nonce", "auto", "say"].includes(command.type));

/** Whether the settlement covers the table: the hand I played is over, and I have not said yet what comes next. */
function settling() {
  const { hand, table, showsHand } = state;
  return hand?.status === "settled" && hand.settlement && !showsHand && hand.you !== null && hand.you === table.you && hidden !== hand.id && !table.seats[table.you].ready;
}

setInterval(() => {
  if (!state.table || document.hidden) return;
  const { seconds, isReserve } = reading(clock, Date.now());
  const warning = isReserve ? `+${seconds}` : seconds;
  if (model?.you !== null && model?.hub.lights[0] && (seconds === 10 || seconds === 5) && warned !== warning) {
    warned = warning;
    speak(fill(isReserve ? gettext("备用时间还有 %(seconds)s 秒") : gettext("还有 %(seconds)s 秒"), { seconds }));
  }
  draw();
}, 1000);

/* --- What happened: effects and speech --------------------------------------------------------------------------- */

function react(events) {
  const side = seat => sideOf(seat, model.bottom);
  const rain = {};
  for (const event of events) {
    if (event.kind === "win") effect(layer, root, { kind: "hu", side: side(event.seat), label: pgettext("印", "胡") });
    if (event.kind === "pay" && event.payment.kind === "kong") (rain[event.payment.payee] ??= []).push(event.payment.units);
  }
  for (const [seat, units] of Object.entries(rain)) {
    const concealed = state.hand.view.seats[seat].melds.findLast(meld => meld.kind !== "pung")?.kind === "concealed_kong";
    effect(layer, root, { kind: concealed ? "rain" : "wind", side: side(Number(seat)), label: `${concealed ? gettext("下雨") : gettext("刮风")} ${gainWords(units[0], units.length)}` });
  }
  speakTurn(events);
}

function speak(words) {
  spoken = words;
  say.textContent = say.textContent === words ? `${words} ` : words;
}

function speakTurn(events) {
  const view = state.hand?.view;
  if (!view || model.you === null || !events.length) return;
  const drawn = events.find(event => event.kind === "draw" && event.seat === model.you && event.tile);
  const offered = model.acts.filter(act => act.kind !== "pass").map(act => `${act.title} ${act.line}`).join(gettext("，"));
  if (model.choose) speak(fill(gettext("请定缺：%(suits)s"), { suits: model.choose.map(one => fill(gettext("%(suit)s %(count)s 张"), { suit: one.words, count: one.held })).join(gettext("，")) }));
  else if (view.phase === "turn" && view.turn === model.you && (drawn || events.some(event => event.seat === model.you))) {
    speak([drawn ? fill(gettext("轮到你，摸%(tile)s"), { tile: tileWords(drawn.tile) }) : gettext("轮到你出牌"), offered].filter(Boolean).join(gettext("，")));
  } else if (model.claim && model.acts.length) speak(fill(gettext("%(name)s %(tile)s，可以%(offered)s"), { name: model.claim.name, tile: tileWords(model.claim.tile), offered }));
}

function speakResult() {
  const { hand } = state;
  if (hand?.settlement && hand.you !== null) {
    const mine = hand.settlement.seats[hand.you];
    const words = state.table.terms.unit_coins ? gettext("本局结束，%(end)s。你 %(units)s 倍，%(coins)s 币。") : gettext("本局结束，%(end)s。你 %(units)s 倍。");
    speak(fill(words, { end: hand.settlement.end_words, units: mine.units, coins: mine.coins }));
  }
}

/* --- The fair wall ----------------------------------------------------------------------------------------------- */

const NONCES = "mahjong-nonces";
const nonces = () => JSON.parse(localStorage.getItem(NONCES) ?? "[]");

function ready() {
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
  localStorage.setItem(NONCES, JSON.stringify([nonce, ...nonces()].slice(0, 8)));
  socket.send({ type: "ready", nonce_commitment: toHex(sha256(fromHex(nonce))) });
}

const ownNonce = hand => nonces().find(nonce => toHex(sha256(fromHex(nonce))) === hand.nonce_commitments[hand.you]);

function reveal(hand) {
  const nonce = ownNonce(hand);
  if (nonce && !socket.isWaiting(command => command.type === "nonce" && command.hand === hand.id)) socket.send({ type: "nonce", hand: hand.id, nonce });
}

function check() {
  const { hand } = state;
  const { proof: published } = hand.settlement;
  const whole = { nonce_commitments: hand.nonce_commitments, ...published };
  proof = faults(whole, { commitment: seen.hand === hand.id ? seen.commitment : null, nonce: published.nonces[hand.you] === whole.nonce_commitments[hand.you] ? null : ownNonce(hand) });
  speak(proof.length ? gettext("牌墙有误，请向茶社反映") : gettext("牌墙无误"));
}

/* --- What the player does ---------------------------------------------------------------------------------------- */

const act = action => socket.send({ type: "act", hand: state.hand.id, seq: state.hand.seq, action });

function play(place) {
  const offer = model.acts[place];
  if (!offer || Date.now() < guard || busy()) return;
  if (offer.action) act(offer.action);
  else state.passed = state.hand.decision;
}

function discard(key) {
  const card = model.hand.find(one => one.key === key);
  if (!card || card.won || busy() || Date.now() < guard) return;
  const { view } = state.hand;
  if (view.phase !== "turn" || view.turn !== model.you) return;
  if (!card.legal) return tell({ kind: "error", title: gettext("现在不能打这张"), line: gettext("先打缺门的牌") }, 2500);
  released = root.querySelector(`[data-key="${key}"]`)?.getBoundingClientRect();
  act({ kind: "discard", tile: card.tile });
}

function pick(key) {
  if (state.pick === key) discard(key);
  else state.pick = key;
}

const doing = {
  tile: ({ dataset }) => pick(dataset.key),
  act: ({ dataset }) => play(Number(dataset.place)),
  void: ({ dataset }) => act({ kind: "void", suit: dataset.suit }),
  auto: () => socket.send({ type: "auto", on: !model.auto }),
  back: () => socket.send({ type: "auto", on: false }),
  sit: ({ dataset }) => socket.send({ type: "sit", seat: Number(dataset.seatNumber), code: root.dataset.code }),
  change: () => { close(); socket.send({ type: "change" }); },
  askpart: () => { close(); open("part"); },
  part: () => { close(); socket.send({ type: "part", on: true }); },
  stay: () => socket.send({ type: "part", on: false }),
  say: ({ dataset }) => { close(); socket.send({ type: "say", phrase: dataset.phrase }); },
  mute: ({ dataset }) => { muteSwitch(dataset.member); drawPhrases(document.querySelector("#phrases"), state.table); },
  copy: ({ dataset }) => navigator.clipboard.writeText(dataset.copy).then(() => tell({ kind: "info", title: gettext("已复制") })),
  ready, check,
  unready: () => socket.send({ type: "unready" }),
  bots: () => socket.send({ type: "bots", strength: document.querySelector("[data-strength]").value }),
  leave: () => { close(); socket.send({ type: "leave", escape: false }); },
  escape: () => { close(); socket.send({ type: "leave", escape: true }); },
  retry: () => socket.retry(),
  panel: ({ dataset }) => open(dataset.panel),
  help: () => { close(); open("help"); },
  close,
};

document.addEventListener("click", event => {
  const control = event.target.closest("[data-do]");
  if (control) doing[control.dataset.do](control);
  else if (model?.auto && root.contains(event.target)) doing.back();
  else if (panel === "log" && !event.target.closest(".log")) panel = null;
  else if (state.pick && !event.target.closest(".dock")) state.pick = null;
  else return;
  draw();
});

/* Drag a tile of the hand up: it follows the finger and is discarded beyond a third of its height. */
let drag = null;
root.addEventListener("pointerdown", event => {
  const tile = event.target.closest(".hand button.tile");
  if (tile && event.isPrimary) drag = { tile, y: event.clientY, key: tile.dataset.key, moved: false };
});
root.addEventListener("pointermove", event => {
  if (!drag) return;
  const up = Math.min(0, event.clientY - drag.y);
  if (up < -8 && !drag.moved) { drag.moved = true; drag.tile.setPointerCapture(event.pointerId); }
  if (drag.moved) drag.tile.style.setProperty("translate", `0 ${up}px`);
});
for (const name of ["pointerup", "pointercancel"]) {
  root.addEventListener(name, event => {
    if (!drag) return;
    const { tile, key, moved, y } = drag;
    drag = null;
    if (!moved) return;
    if (name === "pointerup" && event.clientY - y < -tile.offsetHeight / 3) { state.pick = key; discard(key); }
    tile.style.removeProperty("translate");
    root.addEventListener("click", stop, { capture: true, once: true });
    setTimeout(() => root.removeEventListener("click", stop, { capture: true }));
    draw();
  });
}
const stop = event => event.stopPropagation();

/* --- Panels and keys --------------------------------------------------------------------------------------------- */

function open(name) {
  if (name === "phrases") drawPhrases(document.querySelector("#phrases"), state.table);
  if (name === "log") { panel = panel === "log" ? null : "log"; return; }
  document.querySelector(`#${name}`).showModal();
}

function openEscape(message) {
  document.querySelector("#escape-words").textContent = message;
  open("escape");
}

function close() {
  panel = null;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

const PLACES = "1234567890-=[]";

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !model || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") { close(); state.pick = null; return draw(); }
  const key = event.key.toLowerCase();
  const onButton = event.target.closest("button, a, summary");
  if ((key === "enter" || key === " ") && onButton && !onButton.closest(".hand")) return;
  if (!press(key, event.key)) return;
  event.preventDefault();
  draw();
});

/** Carry out a key. Returns whether it means something now. */
function press(key) {
  if (key === "?") return open("help"), true;
  if (key === "r") return speak(spoken), true;
  if (key === "l") return open("log"), true;
  if (key === "t" && state.table.you !== null) return open("phrases"), true;
  if (model.screen === "lobby" || !over.hidden) return false;
  const cards = model.hand.filter(card => !card.kind && !card.won);
  if (model.choose && "123".includes(key)) {
    const choice = model.choose[key - 1];
    return choice.legal && !busy() && act({ kind: "void", suit: choice.suit }), true;
  }
  if (key === "a" && model.you !== null) return doing.auto(), true;
  const offer = { p: "pung", k: "kong", h: "hu", " ": "pass" }[key];
  if (offer) {
    const place = model.acts.findIndex(one => one.kind === offer);
    if (place < 0) return false;
    const several = model.acts.filter(one => one.kind === offer);
    if (several.length > 1) return chooseNext(offer), true;
    return play(place), true;
  }
  if (key === "d") {
    const drawn = cards.find(card => card.drawn);
    return drawn && discard(drawn.key), Boolean(drawn);
  }
  if (key === "enter") {
    if (state.pick) discard(state.pick);
    return Boolean(state.pick);
  }
  const at = cards.findIndex(card => card.key === state.pick);
  const to = PLACES.includes(key) ? PLACES.indexOf(key) : key === "arrowright" ? Math.min(at + 1, cards.length - 1) : key === "arrowleft" ? Math.max(at - 1, 0) : -1;
  if (to < 0 || !cards[to]) return false;
  state.pick = cards[to].key;
  draw();
  root.querySelector(`[data-key="${state.pick}"]`)?.focus();
  return true;
}

/** With several kongs the key goes to the next one; Enter on it takes it. */
function chooseNext(kind) {
  const buttons = [...root.querySelectorAll(`.act--${kind}`)];
  buttons[(buttons.indexOf(document.activeElement) + 1) % buttons.length].focus();
}
