/* The replay of a hand: the board at one step, moved by scrubber, buttons, keys, the log and the address: #84 is
   row 84 of the hand's log, ?eyes=2 what seat 2 saw. */

import { faults } from "../js/wall.js";
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
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

function tile(name, className = "") {
  const made = element("span", `tile ${className}`);
  if (name === null) { made.classList.add("back"); return made; }
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 60 80");
  const use = document.createElementNS(ns, "use");
  use.setAttribute("href", `${board.dataset.sprite}#${name[1]}${name[0]}`);
  svg.append(use);
  made.append(svg);
  return made;
}

function tiles(list, className = "") {
  const row = element("span", `tiles ${className}`, ...list.map(each => tile(each.tile, each.className)));
  row.setAttribute("role", "img");
  row.setAttribute("aria-label", list.map(each => each.tile === null ? "?" : data.tiles[each.tile]).join(" "));
  return row;
}

function change(amount) {
  const made = element("b", `amt ${amount > 0 ? "up" : amount < 0 ? "down" : "zero"}`);
  made.textContent = (amount > 0 ? "+" : amount < 0 ? "−" : "") + Math.abs(amount).toLocaleString("en");
  return made;
}

function seat(number, step) {
  const view = step.view;
  const shown = view.seats[number];
  const place = ["s", "e", "n", "w"][(number - data.bottom + 4) % 4];
  const head = element("div", "id", element("b", "cut", names[number]));
  if (number === data.dealer) head.append(element("span", "chip", data.words.dealer));
  if (shown.void) head.append(element("span", "chip", data.voids[shown.void]));
  if (shown.left) head.append(element("span", "chip", data.words.left));
  head.append(change(shown.units * data.unit));
  const open = eyes === "" || Number(eyes) === number || view.phase === "over";
  const mine = [...shown.hand];
  const drawn = view.turn === number ? view.drawn : null;
  if (drawn) mine.splice(mine.lastIndexOf(drawn), 1);
  const inHand = mine.map(name => ({ tile: open ? name : null, className: name[1] === shown.void && open ? "is-void" : "" }));
  if (drawn) inHand.push({ tile: open ? drawn : null, className: "gap is-drawn" });
  if (shown.won) inHand.push({ tile: shown.won.tile, className: "gap is-win" });
  const hand = element("div", "hand", tiles(inHand));
  if (shown.melds.length) {
    hand.append(element("span", "melds", ...shown.melds.map(meld =>
      tiles(Array.from({ length: meld.kind === "pung" ? 3 : 4 }, () => ({ tile: meld.tile }))))));
  }
  const last = view.last && view.last.seat === number && view.last.kind === "discard" ? shown.river.length - 1 : -1;
  const river = tiles(shown.river.map((each, index) => ({
    tile: each.tile, className: `${each.claimed ? "claimed" : ""} ${index === last ? "is-last" : ""}`,
  })));
  const box = element("section", `seat ${place}${view.turn === number ? " is-turn" : ""}`, head, hand,
    shown.won ? element("p", "won", step.wins[shown.won.order]) : null, element("div", "river", river));
  box.setAttribute("aria-label", names[number]);
  return box;
}

function draw() {
  const step = steps[at];
  const order = [2, 3, 1, 0].map(turn => (data.bottom + turn) % 4); // across, left, right, me
  const [across, left, right, me] = order.map(number => seat(number, step));
  const hub = element("div", "hub");
  const shown = step.tile;
  if (shown && (eyes === "" || step.kind !== "draw" || Number(eyes) === step.seat)) hub.append(element("span", "only-l", tile(shown)));
  hub.append(element("span", "only-l", sentence(step)), element("span", "", `${data.words.wall} `, element("b", "", String(step.view.wall))));
  board.replaceChildren(across, left, hub, right, me);
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
  at = clamp(step);
  draw();
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
keyOnly.addEventListener("change", draw);
log.addEventListener("click", event => {
  const item = event.target.closest("li");
  if (!item || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  stop();
  go(Number(item.dataset.step));
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
  const mark = element("i", step.mark);
  mark.style.setProperty("left", `${step.n / last * 100}%`);
  marks.append(mark);
}
eyesChoice.value = eyes;
draw();
