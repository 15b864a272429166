/* The live table. Frames come in, each with a complete view; the model follows from them, the page from the model.
   What the player does goes out as commands. */

import { prefer, preferences } from "../js/preferences.js";
import { line } from "../js/socket.js";
import { faults } from "../js/wall.js";
import { askedWords, handWords, hurryWords, resultWords, standingWords, turnWords } from "./announcements.js";
import { clockOf, isHasty, reading } from "./clock.js";
import { cuesOf, effectsOf } from "./cues.js";
import { dragTiles } from "./drag.js";
import { movedTo, myCards } from "./hand.js";
import { keyed } from "./keys.js";
import { termsNews } from "./lobby.js";
import { project, sideOf } from "./model.js";
import { effect, move, placesOf } from "./motion.js";
import { nonceCommit, nonceOf } from "./nonces.js";
import { drawPhrases, hear, muteSwitch } from "./phrases.js";
import { render } from "./render.js";
import { settle } from "./settle.js";
import { autoChoice, autosOf, autoSwitch, drawSettings } from "./settings.js";
import { drawMenu, sheetOf, sheetsClose } from "./sheets.js";
import { soundPlay, soundUnlock } from "./sound.js";
import { voiceSay } from "./voice.js";
import { fill, gettext } from "./words.js";

const GUARD_MS = 350;            // new offers and a new turn ignore taps for so long
const TERMS_MS = 8000;           // for so long it is said that the room has other terms
const SHOW_END_MS = 1600;        // the last stamp is seen before the settlement covers the table

const root = document.querySelector("#table");
const over = document.querySelector("#settle");
const layer = document.querySelector("#effects");
const wide = matchMedia("(min-aspect-ratio: 1/1) and (min-height: 560px) and (min-width: 1180px)");   // where table.css shows the log
const say = document.querySelector("#say"), sayTurn = document.querySelector("#say-turn"), sayHand = document.querySelector("#say-hand");

const state = { table: null, hand: null, log: [], pick: null, passed: null, order: null, showsHand: false, beside: 0, said: {} };
const seen = {};                 // of the running hand: {hand, commitment}
let clock = null, panel = null, notice = null, proof = null, hidden = null, model = null, released = null;
let guard = 0, turnAt = 0, pickedAt = 0, taken = null, spoken = "", warned = null;

const socket = line(new URL(root.dataset.socket, location.href.replace(/^http/, "ws")).href, { frame: take, state: () => draw() });

/* --- Frames ------------------------------------------------------------------------------------------------------ */

function take(frame, command, again) {
  const events = [];
  let isNew = false;
  const terms = state.table?.terms;
  if (frame.type === "snapshot") {
    Object.assign(state, { table: frame.table, log: frame.log });
    isNew = takeHand(frame.hand, []);
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
    isNew = takeHand(frame.hand, events);
  } else if (frame.type === "ack") {
    acknowledged(command, frame);
  } else if (frame.type === "said") {
    hear(state.said, frame, state.table, () => draw());
  } else if (frame.type === "error") {
    refused(frame, command, again);
  }
  const changed = terms && termsNews(terms, state.table.terms);
  if (changed) tell({ kind: "info", icon: "book", ...changed }, TERMS_MS);
  draw(events);
  takeForMe();
  react(events, isNew);
}

/** Take a hand as it is now. Returns whether it is at another decision than before. */
function takeHand(hand, events) {
  const before = state.hand;
  const isNew = Boolean(hand) && (before?.id !== hand.id || before.decision !== hand.decision || before.view?.phase !== hand.view?.phase);
  state.hand = hand;
  clock = clockOf(hand, Date.now());
  if (!hand) return false;
  if (isNew) {
    guard = Date.now() + GUARD_MS;
    warned = null;
    if (hand.view?.phase === "turn" && hand.view.turn === hand.you) turnAt = Date.now();
    if (hand.view?.legal.length && hand.you !== null) setTimeout(draw, GUARD_MS);
  }
  if (before?.id !== hand.id) {
    Object.assign(state, { pick: null, passed: null, order: null, showsHand: false });
    proof = null;
    if (seen.hand !== hand.id) Object.assign(seen, { hand: hand.id, commitment: hand.commitment });
  }
  keepOrder();
  if (hand.nonce_wanted) reveal(hand);
  if (hand.status === "settled" && events.length) {
    state.showsHand = true;
    setTimeout(() => { state.showsHand = false; draw(); if (state.hand?.id === hand.id && hand.you !== null) speak(resultWords(state)); }, SHOW_END_MS);
  }
  return isNew;
}

/** Where tiles are not sorted, remember in which order they lie. */
function keepOrder() {
  const { hand } = state;
  state.order = preferences().sort || !hand?.view || hand.you === null ? null : myCards(hand.view, hand.you, state.order).filter(card => !card.apart).map(card => card.tile);
}

function acknowledged(command, { table }) {
  if (table) location.assign(`/tables/${table}/`);
  if (command?.type === "leave") location.assign(root.dataset.lobby);
  if (command?.type === "ready") hidden = state.hand?.id ?? null;
}

function refused({ code, message }, command, again) {
  if (taken && command?.type === "act") taken.isRefused = true;
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
    if (socket.state.retryAt) root.querySelector(".connecting").lastChild.data = navigator.onLine ? gettext("暂时连不上，正在重试…") : gettext("你的设备离线了，恢复后自动进入牌桌");
    return;
  }
  const side = seat => sideOf(seat, model.bottom);
  const before = model && placesOf(root, events, side);
  model = project(state);
  if (state.pick && !model.hand.some(card => card.key === state.pick)) state.pick = null;
  const now = Date.now();
  const ui = {
    now, panel, notice, isLogShown: panel === "log" || wide.matches, line: socket.state, lobby: root.dataset.lobby, terms: state.table.terms, autos: autosOf(state.hand?.id),
    clock: reading(clock, now), fresh: now < guard, offline: !navigator.onLine, isBusy: busy(), isTaken: choiceForMe() !== null, hasCode: Boolean(root.dataset.code),
  };
  render(root, model, ui);
  const settled = settling();
  over.hidden = !settled;
  root.inert = settled;
  if (settled) settle(over, state, { proof, notice, isBusy: ui.isBusy });
  const title = `${model.hub.lights[0] && model.you !== null ? "● " : ""}${model.room.name}`;
  if (document.title !== title) document.title = title;
  move(root, before, events, side, released);
  if (events.length) released = null;
}

const busy = () => socket.isWaiting(command => !["nonce", "auto", "say"].includes(command.type));

/** Whether the settlement covers the table: the hand I played is over, and I have not said yet what comes next. */
function settling() {
  const { hand, table, showsHand } = state;
  return hand?.status === "settled" && hand.settlement && !showsHand && hand.you !== null && hand.you === table.you && hidden !== hand.id && !table.seats[table.you].ready;
}

setInterval(() => {
  if (!state.table || document.hidden) return;
  const now = reading(clock, Date.now());
  const warning = now.isReserve ? `+${now.seconds}` : now.seconds;
  const words = model?.isAsked && model.you !== null ? hurryWords(now) : null;
  if (words && warned !== warning) {
    warned = warning;
    speak(words);
    if (preferences().sound) soundPlay(["hurry"], preferences().volume);
  }
  draw();
}, 1000);

/* --- What happened: effects, sounds, speech ---------------------------------------------------------------------- */

function react(events, isNew) {
  if (!state.hand) return;
  for (const { seat, ...what } of effectsOf(events, state.hand.view)) effect(layer, root, { ...what, side: sideOf(seat, model.bottom) });
  cue(events, isNew);
  const asked = askedWords(model, state.hand.view, events);
  if (asked) speak(asked);
  sayTurn.textContent = turnWords(model);
  const isMine = event => ["pung", "kong"].includes(event.kind) && event.seat === model.you;
  if (!sayHand.textContent || events.some(event => event.kind === "deal" || event.kind === "voids" || isMine(event))) sayHand.textContent = handWords(model);
}

function cue(events, isNew) {
  const { sound, volume, voice, vibration } = preferences();
  const { sounds, words, buzz } = cuesOf(events, { you: model.you, isAsked: isNew && model.isAsked && events.length > 0 && choiceForMe() === null });
  if (sound) soundPlay(sounds, volume);
  if (sound && voice && words) voiceSay(words, volume);
  if (vibration && buzz && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(buzz);
}

function speak(words) {
  spoken = words;
  say.textContent = say.textContent === words ? `${words} ` : words;
}

/* --- The fair wall ----------------------------------------------------------------------------------------------- */

function reveal(hand) {
  const nonce = nonceOf(hand);
  if (nonce && !socket.isWaiting(command => command.type === "nonce" && command.hand === hand.id)) socket.send({ type: "nonce", hand: hand.id, nonce });
}

function check() {
  const { hand } = state;
  const { proof: published } = hand.settlement;
  const whole = { nonce_commitments: hand.nonce_commitments, ...published };
  proof = faults(whole, { commitment: seen.hand === hand.id ? seen.commitment : null, nonce: published.nonces[hand.you] === whole.nonce_commitments[hand.you] ? null : nonceOf(hand) });
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

/** The place of the offer that my switches take now, or null; what was refused is left to me. */
function choiceForMe() {
  const { hand } = state;
  if (!hand || model.you === null || model.auto || (isTaken() && taken.isRefused)) return null;
  return autoChoice(model.acts, autosOf(hand.id));
}

const isTaken = () => taken?.hand === state.hand.id && taken.decision === state.hand.decision;

function takeForMe() {
  const place = model && choiceForMe();
  if (place === null || isTaken() || busy()) return;
  taken = { hand: state.hand.id, decision: state.hand.decision, isRefused: false };
  act(model.acts[place].action);
  draw();
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

/** Select a tile; a second time discards it, unless that is hasty: then it only stays selected. */
function pick(key) {
  const now = Date.now();
  if (state.pick === key && !isHasty(pickedAt, turnAt, now)) return discard(key);
  state.pick = key;
  pickedAt = now;
}

function reorder(key, other) {
  state.order = movedTo(model.hand, key, other);
  state.pick = null;
}

function share(url) {
  if (navigator.share) return void navigator.share({ title: document.title, url }).catch(() => {});
  doing.copy({ copy: url });
}

/** By the `data-do` of a button, or of what a key stands for; each gets its data. */
const doing = {
  tile: ({ key }) => pick(key),
  pick: ({ key }) => { state.pick = null; pick(key); draw(); root.querySelector(`[data-key="${key}"]`)?.focus(); },
  discard: ({ key }) => (key === state.pick ? pick(key) : discard(key)),
  act: ({ place }) => play(Number(place)),
  next: ({ kind }) => chooseNext(kind),
  void: ({ suit }) => busy() || act({ kind: "void", suit }),
  beside: () => { state.beside = (model.bottom + 1) % 4; speak(fill(gettext("现在在%(next)s一侧"), model.watched)); },
  auto: () => socket.send({ type: "auto", on: !model.auto }),
  back: () => socket.send({ type: "auto", on: false }),
  autoplay: ({ name }) => { autoSwitch(state.hand.id, name); drawSettings(sheetOf("settings"), state.hand.id); takeForMe(); },
  setting: ({ name }) => { prefer(name, !preferences()[name]); keepOrder(); drawSettings(sheetOf("settings"), runningHand()); },
  sit: ({ seatNumber }) => socket.send({ type: "sit", seat: Number(seatNumber), code: root.dataset.code }),
  change: () => { close(); socket.send({ type: "change" }); },
  askpart: () => { close(); open("part"); },
  part: () => { close(); socket.send({ type: "part", on: true }); },
  stay: () => socket.send({ type: "part", on: false }),
  say: ({ phrase }) => { close(); socket.send({ type: "say", phrase }); },
  mute: ({ member }) => { muteSwitch(member); drawPhrases(sheetOf("phrases"), state.table); },
  copy: ({ copy }) => navigator.clipboard.writeText(copy).then(() => tell({ kind: "info", title: gettext("已复制") })),
  share: ({ url }) => share(new URL(url, location.href).href),
  ready: () => socket.send({ type: "ready", nonce_commitment: nonceCommit() }),
  unready: () => socket.send({ type: "unready" }),
  check,
  bots: () => socket.send({ type: "bots", strength: document.querySelector("[data-strength]").value }),
  leave: () => { close(); socket.send({ type: "leave", escape: false }); },
  escape: () => { close(); socket.send({ type: "leave", escape: true }); },
  retry: () => socket.retry(),
  panel: ({ panel: name }) => { const isOpen = panel === name; close(); if (!isOpen) open(name); },
  repeat: () => speak(spoken),
  standing: () => speak(standingWords(model, reading(clock, Date.now()))),
  close,
};

document.addEventListener("click", event => {
  const control = event.target.closest("[data-do]");
  if (control) doing[control.dataset.do](control.dataset);
  else if (model?.auto && root.contains(event.target)) doing.back();
  else if (panel === "log" && !event.target.closest(".log")) panel = null;
  else if (state.pick && !event.target.closest(".dock")) state.pick = null;
  else return;
  draw();
});

document.addEventListener("input", ({ target }) => {
  if (!target.dataset.setting) return;
  prefer(target.dataset.setting, Number(target.value));
  soundPlay(["discard"], preferences().volume);
});

for (const gesture of ["pointerdown", "keydown"]) document.addEventListener(gesture, soundUnlock);

dragTiles(root, {
  up: key => { state.pick = key; pickedAt = Date.now(); discard(key); },
  aside: reorder,
  movable: () => state.order !== null,
  end: draw,
});

/* --- Panels and keys --------------------------------------------------------------------------------------------- */

const runningHand = () => (model.you !== null && state.hand?.status === "playing" ? state.hand.id : null);

function open(name) {
  if (name === "menu") drawMenu(sheetOf(name), { rules: state.table.terms.rules_url, isBetween: model.you !== null && model.screen === "lobby" });
  if (name === "phrases") drawPhrases(sheetOf(name), state.table);
  if (name === "settings") drawSettings(sheetOf(name), runningHand());
  if (name === "log") panel = "log";
  else sheetOf(name).showModal();
}

function openEscape(message) {
  sheetOf("escape-words").textContent = message;
  open("escape");
}

function close() {
  panel = null;
  sheetsClose();
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !model || event.target.closest("select") || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") { close(); state.pick = null; return draw(); }
  const key = event.key.toLowerCase();
  const onButton = event.target.closest("button, a, summary");
  if ((key === "enter" || key === " ") && onButton && !onButton.closest(".hand")) return;
  const asked = keyed(key, model, { pick: state.pick, isCovered: !over.hidden });
  if (!asked) return;
  event.preventDefault();
  doing[asked.do](asked);
  draw();
});

/** With several kongs the key goes to the next one; Enter on it takes it. */
function chooseNext(kind) {
  const buttons = [...root.querySelectorAll(`.act--${kind}`)];
  buttons[(buttons.indexOf(document.activeElement) + 1) % buttons.length].focus();
}
