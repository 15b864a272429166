/* What moves: tiles fly from where they were to where they are, by transform and opacity alone. Nothing does where motion is unwanted. */

import { moves } from "../js/preferences.js";

const EASE = "cubic-bezier(.22, .8, .3, 1)";
const APPEARING = [{ transform: "translateY(-30%)", opacity: 0 }, { transform: "none", opacity: 1 }];

/** Where what these events may move is now: the last piece of each row, the racks, and my own tiles where it is not another's event. To read a place
    takes time on a slow phone. Null where nothing happened or nothing may move. */
export function placesOf(root, events, side) {
  if (!events.length || !moves()) return null;
  const isMine = events.some(event => !Number.isInteger(event.seat) || side(event.seat) === "me");
  const places = new Map();
  for (const element of root.querySelectorAll(`.river > li:last-child, .meld:last-child, .rack${isMine ? ", .hand > li" : ""}`)) places.set(element, element.getBoundingClientRect());
  return places;
}

/** How an element comes from a rectangle to where it stands: what is to be animated, or null where it stands there already. */
function flight(element, from, timing) {
  const to = element.getBoundingClientRect();
  if (!from?.width || !to.width) return null;
  const dx = from.left + from.width / 2 - to.left - to.width / 2, dy = from.top + from.height / 2 - to.top - to.height / 2;
  const scale = Math.min(2.4, Math.max(.3, Math.sqrt(from.width * from.height / (to.width * to.height))));
  if (Math.abs(dx) + Math.abs(dy) < 2) return null;
  return { element, frames: [{ transform: `translate(${dx}px, ${dy}px) scale(${scale})` }, { transform: "none" }], timing };
}

function start({ element, frames, timing }) {
  element.classList.add("is-flying");
  const run = element.animate(frames, { easing: EASE, ...timing });
  run.onfinish = run.oncancel = () => element.classList.remove("is-flying");
}

/** After a render: move what changed its place. `before` is `placesOf` from before it, `events` what happened, `side` the side of a seat,
    `picked` the rectangle of the tile that was let go by hand. */
export function move(root, before, events, side, picked) {
  if (!before) return;
  // All places are read before anything is changed: the page is laid out once.
  const flights = [...root.querySelectorAll(".hand > li")].filter(element => before.has(element)).map(element => flight(element, before.get(element), { duration: 180 }));
  for (const event of events) {
    if (event.kind === "discard") {
      const tile = root.querySelector(`.river--${side(event.seat)} > li:last-child`);
      if (tile && !before.has(tile)) flights.push(flight(tile, side(event.seat) === "me" && picked ? picked : originOf(root, before, side(event.seat)), { duration: 180 }));
    }
    if (event.kind === "pung" || event.kind === "kong") {
      const melds = root.querySelectorAll(side(event.seat) === "me" ? ".hand .meld, .seat--me .meld" : `.seat--${side(event.seat)} .meld`);
      const meld = melds[melds.length - 1];
      if (meld && !before.has(meld)) flights.push(flight(meld, lastOf(before) ?? originOf(root, before, side(event.seat)), { duration: 260 }));
    }
    if (event.kind === "draw" && side(event.seat) === "me") {
      const drawn = root.querySelector(".hand > .drawn .tile");
      if (drawn) flights.push({ element: drawn, frames: APPEARING, timing: { duration: 180 } });
    }
    if (event.kind === "deal") flights.push(...dealt(root));
  }
  flights.filter(Boolean).forEach(start);
}

/** The deal: four tiles at a time to each seat, mine from the middle of the table. */
function dealt(root) {
  const middle = root.querySelector(".hub__dial")?.getBoundingClientRect();
  const timing = place => ({ duration: 240, delay: Math.floor(place / 4) * 130, fill: "backwards" });
  const mine = [...root.querySelectorAll(".hand > li")].map((element, place) => flight(element, middle, timing(place))).filter(Boolean);
  for (const one of mine) Object.assign(one.frames[0], { opacity: 0 });
  const backs = [...root.querySelectorAll(".rack")].flatMap(rack => [...rack.children].map((element, place) => ({ element, frames: APPEARING, timing: timing(place) })));
  return [...mine, ...backs];
}

function originOf(root, before, side) {
  const mine = side === "me" && [...before].findLast(([element]) => element.matches(".hand > li"));
  if (mine) return mine[1];
  return before.get(root.querySelector(`.rack--${side}`)) ?? root.querySelector(`.seat--${side} .who`)?.getBoundingClientRect();
}

/** Where the newest discard lay: it is the one that is gone now. */
function lastOf(before) {
  return [...before].find(([element]) => element.matches(".river > li") && !element.isConnected)?.[1];
}

/* --- 胡, 刮风, 下雨: one at a time, over the seat it happens to ---------------------------------------------------- */

const queue = [];
let playing = false;

/** Show an effect over a seat's plate: {kind: "hu" | "wind" | "rain", side, label}. */
export function effect(layer, root, what) {
  if (queue.length > 5) return;
  queue.push(what);
  if (!playing) next(layer, root);
}

function next(layer, root) {
  const what = queue.shift();
  playing = Boolean(what);
  if (!what) return;
  const seat = root.querySelector(what.side === "me" ? ".river--me" : `.seat--${what.side} .who`)?.getBoundingClientRect();
  if (!seat) return next(layer, root);
  const box = document.createElement("div");
  box.className = `fx fx--${what.kind}`;
  box.innerHTML = what.kind === "hu" ? "<b class=\"seal seal--hu\"></b>" : `<svg viewBox="0 0 160 100"><use href="#fx-${what.kind}"/></svg><span class="fx__label"></span>`;
  box.querySelector("b, span").textContent = what.label;
  layer.append(box);
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(innerWidth - width - 4, Math.max(4, seat.left + seat.width / 2 - width / 2));
  const top = Math.min(innerHeight - height - 4, Math.max(4, seat.top + Math.min(seat.height, 120) / 2 - height / 2));
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${top}px`);
  const end = () => { box.remove(); next(layer, root); };
  if (!moves()) return void setTimeout(end, 800);
  setTimeout(() => {
    const leave = box.animate([{ opacity: 1 }, { opacity: 0, transform: "translateY(-10px)" }], { duration: 200, fill: "forwards" });
    leave.onfinish = end;
  }, what.kind === "hu" ? 1100 : 950);
}
