/* The lobby's rooms, tables and lines, and the tables of the desk: asked for again while somebody looks at them, the lobby's sent
   again only when they have changed. */

import { lineKeep } from "./line.js";

const SECONDS = 4;
const STALE_SECONDS = 12;

const stale = document.getElementById("stale");
const live = document.getElementById("live");
const title = document.title;
let tag = "", seen = Date.now();

async function refresh() {
  if (document.hidden && !waits()) return;
  const answer = await fetch(live.dataset.address, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store", redirect: "error" });
  if (!answer.ok && answer.status !== 304) throw new Error(answer.statusText);
  seen = Date.now();
  if (answer.status === 304 || live.querySelector(":active")) return;
  const focused = live.contains(document.activeElement) ? purpose(document.activeElement) : null;
  live.innerHTML = await answer.text();
  tag = answer.headers.get("ETag");
  count();
  if (focused) [...live.querySelectorAll("a, button")].find(control => purpose(control) === focused)?.focus();
}

/** Whether one stands in a line here: then the title tells of the seat behind other windows, too, and other pages do. */
const waits = () => Boolean(live.querySelector("[data-line]"));

/** What a link or button is for: it stays the same when the lobby is drawn anew. */
function purpose(control) {
  const asked = control.form ? [control.form.action, control.form.elements.room?.value, control.form.elements.private?.value] : [control.href];
  return [...asked, control.textContent].join(" ");
}

/** Whether what stands here is old, since the server cannot be reached. */
function admit() {
  const seconds = Math.round((Date.now() - seen) / 1000);
  stale.hidden = seconds < STALE_SECONDS;
  const [words, ago] = stale.children, told = navigator.onLine ? stale.dataset.away : stale.dataset.offline;
  if (words.textContent !== told) words.textContent = told; // else it would be read out every second
  ago.textContent = ago.dataset.words.replace("%s", seconds);
}

/** What is left of a seat that is offered to me. The time is the server's, and so is the decision. */
function count() {
  const left = live.querySelector("[data-until]");
  if ("tellsLine" in live.dataset) lineKeep(waits() ? location.pathname : "");
  document.title = left ? `● ${title}` : title;
  if (!left) return;
  left.dataset.ends ??= Date.now() + Date.parse(left.dataset.until) - Date.parse(left.dataset.now);
  left.textContent = Math.max(0, Math.ceil((left.dataset.ends - Date.now()) / 1000));
}

const quietly = () => refresh().catch(() => {});
setInterval(quietly, SECONDS * 1000);
setInterval(() => { count(); if (!document.hidden) admit(); }, 1000);
document.addEventListener("visibilitychange", quietly);
addEventListener("online", quietly);
count();
