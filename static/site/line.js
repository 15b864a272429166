/* Who stands in a line and looks at something else is told so, on whatever page, when a seat is kept for them. The lobby notes here
   that one waits, and tells everything itself. */

const KEY = "line";
const SECONDS = 5;

/** Note on this device that its person waits, with the address of the lobby where the seat is taken; without one: not any more. */
export function lineKeep(lobby) {
  try { if (lobby) localStorage.setItem(KEY, lobby); else localStorage.removeItem(KEY); } catch { /* a browser that keeps nothing */ }
}

const kept = () => { try { return localStorage.getItem(KEY); } catch { return null; } };

/** What is to be shown for an answer of the API to `GET /line/`: "seat" is kept, "wait" for it, or "none" of both. */
export const told = line => line?.state === "offered" ? "seat" : line?.state === "waiting" ? "wait" : "none";

async function look() {
  const lobby = kept();
  const answer = lobby && await fetch("/api/v1/line/", { cache: "no-store" });
  if (answer && !answer.ok && answer.status !== 401) return; // nobody knows: asked again soon
  const now = answer?.ok ? told((await answer.json()).line) : "none";
  if (lobby && now === "none") lineKeep("");
  show(now === "seat" ? lobby : "");
}

function show(lobby) {
  const shown = document.querySelector(".seat-kept");
  if (!lobby) shown?.remove();
  if (!lobby || shown) return;
  const note = document.getElementById("seat-kept").content.cloneNode(true);
  note.querySelector("a").href = lobby;
  document.body.append(note);
}

if (globalThis.document && !document.querySelector("[data-tells-line]")) setInterval(() => look().catch(() => {}), SECONDS * 1000);
