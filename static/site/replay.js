/* The replay of a hand: the board at one step, moved by scrubber, buttons, keys, the log and the address: #84 is
   row 84 of the hand's log, ?eyes=2 what seat 2 saw. */

import { faults } from "../js/wall.js";
import { h, patch } from "../table/dom.js";
import { myCards } from "../table/hand.js";
import { project, sideOf } from "../table/model.js";
import { move, placesOf } from "../table/motion.js";
import { dialOf, face, litOf, meldOf, names as classes, picture, riverOf } from "../table/pieces.js";
import { fill, gettext, pgettext, signed, tileWords } from "../table/words.js";
import { copyText } from "./site.js";

const data = JSON.parse(document.getElementById("replay").textContent);
const proof = JSON.parse(document.getElementById("proof").textContent);
const { steps, names } = data;
const last = steps.length - 1;
const board = document.getElementById("board");
const scrub = document.getElementById("scrub");
const eyesChoice = document.getElementById("eyes");
const play = document.querySelector("[data-key=play]");
const log = document.getElementById("log");
const keyOnly = document.getElementById("key-only");
const BEAT = 900; // ms a step at 1×

const address = new URLSearchParams(location.search);
const report = document.getElementById("to-report");
let at = stepOfAddress();
let eyes = names[address.get("eyes")] ? address.get("eyes") : "";
let speed = 1;
let timer = null;

/** The step of the row that the address names, or the last one before it; without one the end. */
function stepOfAddress() {
  const seq = Number(location.hash.slice(1));
  return seq > 0 ? Math.max(0, steps.findLastIndex(step => step.seq <= seq)) : last;
}

function clamp(step) {
  return Number.isInteger(step) ? Math.min(Math.max(step, 0), last) : last;
}

// --- the board ----------------------------------------------------------------------------------------------------
const PRACTICE = { label: "", unit_coins: 0 };
const NOTHING = [];

/** What the table would show of a step to who sits at the bottom. */
function modelOf({ view }) {
  const table = { room: { name: "" }, number: 0, you: null, terms: PRACTICE, seats: names.map(() => null) };
  const players = names.map((name, seat) => ({ name, bot: data.bots[seat] }));
  return project({ table, hand: { id: 0, number: 0, you: data.bottom, decision: 0, status: "playing", auto: [], players, view }, log: NOTHING, pick: null, passed: null, order: null });
}

function seatOf(seat, step) {
  const { view } = step, isOpen = eyes === "" || Number(eyes) === seat.seat || view.phase === "over";
  const cards = myCards({ ...view, drawn: view.turn === seat.seat ? view.drawn : null }, seat.seat);
  const lie = { left: " lie-left", right: " lie-right" }[seat.side] ?? "";
  const wide = cards.length + seat.melds.reduce((sum, meld) => sum + meld.size + .6, 0) + 1;
  const words = isOpen ? cards.map(card => tileWords(card.tile)).join(gettext("、")) : fill(gettext("%(count)s 张手牌"), { count: cards.length });
  return h("section", { key: seat.side, class: `seat seat--${seat.side}`, "aria-label": seat.name, vars: { "--n": wide } },
    whoOf(seat, step),
    h("div", { class: "own" },
      h("div", { class: `rack rack--${seat.side}${lie}`, role: "img", "aria-label": words }, cards.map(card => {
        const isShown = isOpen || card.won;
        return h("span", { key: isOpen ? card.key : null, class: classes({ tile: true, back: !isShown, apart: card.apart, "is-void": isShown && card.unwanted, "is-drawn": isOpen && card.drawn, "is-win": card.won }) }, face(isShown ? card.tile : "back"));
      })),
      h("div", { class: "melds", "data-n": seat.melds.length }, seat.melds.map(meld => meldOf(meld)))),
    riverOf(seat, seat.name));
}

function whoOf(seat, step) {
  const units = step.view.seats[seat.seat].units * data.unit;
  return h("header", { class: classes({ who: true, "is-turn": seat.turn }) },
    h("span", { class: "face" }, picture(seat.avatar), seat.dealer && h("b", { class: "mark" }, pgettext("印", "庄"))),
    h("b", { class: "cut" }, seat.name),
    seat.suit && h("span", { class: "chip" }, data.voids[seat.suit]),
    seat.left && h("span", { class: "chip" }, data.words.left),
    h("b", { class: `amt ${units > 0 ? "up" : units < 0 ? "down" : "zero"}` }, units ? signed(units) : "0"),
    seat.won && h("p", { class: "won" }, h("b", { class: "mark" }, pgettext("印", "胡")), step.wins[step.view.seats[seat.seat].won.order]));
}

function hubOf({ hub }) {
  return h("div", { key: "hub", class: "hub", role: "img", "aria-label": `${data.words.wall} ${hub.wall}` },
    dialOf(h("circle", { class: "track", cx: 50, cy: 50, r: 36 })), litOf(hub.lights),
    h("p", null, h("b", null, hub.wall), h("small", null, data.words.wall)));
}

/** `events` that led to this step from the one that the board shows: their tiles fly. */
function drawBoard(step, events) {
  const side = seat => sideOf(seat, data.bottom);
  const before = placesOf(board, events, side);
  const model = modelOf(step), [me, right, across, left] = model.seats;
  patch(board, [...[across, left, right].map(seat => seatOf(seat, step)), hubOf(model), seatOf(me, step)]);
  move(board, before, events, side);
}

function draw(events = NOTHING) {
  const step = steps[at];
  drawBoard(step, events);
  scrub.value = at;
  scrub.setAttribute("aria-valuetext", sentence(step));
  document.getElementById("said").textContent = sentence(step);
  document.getElementById("where").textContent = `${at} / ${last} · ${step.clock}`;
  for (const item of log.children) {
    const own = Number(item.dataset.step);
    item.classList.toggle("now", own === at);
    if (own === at) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
    item.hidden = keyOnly.checked && own !== at && !steps[own].mark;
    item.querySelector("a").firstChild.textContent = sentence(steps[own]);
  }
  keepInSight(log.querySelector(".now"));
  history.replaceState(null, "", `${location.pathname}${eyes === "" ? "" : `?eyes=${eyes}`}#${step.seq}`);
  if (report) report.search = `?seq=${step.seq}`;
}

/** What a step says: in one seat's eyes the others' draws stay unseen. */
function sentence(step) {
  const hidden = eyes !== "" && step.kind === "draw" && Number(eyes) !== step.seat;
  return hidden ? step.hidden : step.words[0];
}

function keepInSight(item) {
  const top = item.offsetTop - log.offsetTop;
  if (top < log.scrollTop || top + item.offsetHeight > log.scrollTop + log.clientHeight) log.scrollTop = top - log.clientHeight / 2;
}

// --- moving -------------------------------------------------------------------------------------------------------
function go(step) {
  const before = at;
  at = clamp(step);
  draw(at === before + 1 ? [steps[at]] : NOTHING);
}

function nextMark(direction) {
  for (let step = at + direction; step >= 0 && step <= last; step += direction) if (steps[step].mark) return step;
  return direction < 0 ? 0 : last;
}

function stop() {
  clearInterval(timer);
  timer = null;
  play.setAttribute("aria-pressed", "false");
}

function start() {
  if (at === last) at = 0;
  clearInterval(timer);
  timer = setInterval(() => { if (at < last) go(at + 1); if (at === last) stop(); }, BEAT / speed);
  play.setAttribute("aria-pressed", "true");
  draw();
}

const moves = {
  back: () => go(nextMark(-1)),
  prev: () => go(at - 1),
  next: () => go(at + 1),
  forth: () => go(nextMark(1)),
  play: () => timer ? stop() : start(),
};

for (const button of document.querySelectorAll("[data-key]")) {
  button.addEventListener("click", () => { if (button !== play) stop(); moves[button.dataset.key](); });
}
for (const button of document.querySelectorAll("[data-speed]")) {
  button.addEventListener("click", () => {
    speed = Number(button.dataset.speed);
    for (const each of document.querySelectorAll("[data-speed]")) each.setAttribute("aria-pressed", String(each === button));
    if (timer) start();
  });
}
scrub.addEventListener("input", () => { stop(); go(Number(scrub.value)); });
eyesChoice.addEventListener("change", () => { eyes = eyesChoice.value; draw(); });
keyOnly.addEventListener("change", () => draw());
log.addEventListener("click", event => {
  const item = event.target.closest("li");
  if (!item || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  stop();
  go(Number(item.dataset.step));
  board.scrollIntoView({ block: "nearest" });
});
document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea, summary")) return;
  if (event.key === " " && event.target.closest("button, a")) return;
  const move = {
    ArrowLeft: event.shiftKey ? "back" : "prev", ArrowRight: event.shiftKey ? "forth" : "next", " ": "play",
  }[event.key];
  if (move) {
    if (move !== "play") stop();
    moves[move]();
  } else if (/^[0-4]$/.test(event.key)) {
    eyes = eyesChoice.value = event.key === "0" ? "" : String(event.key - 1);
    draw();
  } else return;
  event.preventDefault();
});
addEventListener("hashchange", () => { stop(); go(stepOfAddress()); });
document.getElementById("copy-step").addEventListener("click", event => copyText(location.href, event.currentTarget));

// --- the wall -----------------------------------------------------------------------------------------------------
document.getElementById("verify").addEventListener("click", () => {
  const result = document.getElementById("wall-result");
  const isFair = faults(proof).length === 0;
  result.textContent = isFair ? result.dataset.ok : result.dataset.bad;
  result.classList.toggle("ok", isFair);
  result.classList.toggle("bad", !isFair);
});

// --- begin --------------------------------------------------------------------------------------------------------
const marks = document.getElementById("marks");
for (const step of steps) {
  if (!step.mark) continue;
  const mark = document.createElement("i");
  mark.className = step.mark;
  mark.style.setProperty("left", `${step.n / last * 100}%`);
  marks.append(mark);
}
eyesChoice.value = eyes;
draw();
