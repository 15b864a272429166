/* What a person likes on this device: kept in the browser, never sent. Importing this shows the page that way at once; a change in
   another tab shows here too.

   scheme  "" as the system has it, "light", "dark"
   felt    the table's colour: "" green, "indigo", "ochre", "graphite"
   face    of the tiles: "" drawn, "numbered" with a numeral in the corner
   gain    "" gains in cinnabar, "green" gains in green and losses in cinnabar
   motion  false: nothing moves; the system's wish for less motion counts in any case
   sound   false: silence; volume 0 to 100
   voice   tiles are said when they are discarded
   vibration  on one's own turn
   sort    false: the hand lies as it was laid at the table */

const KEY = "preferences";
export const DEFAULTS = Object.freeze({
  scheme: "", felt: "", face: "", gain: "", motion: true, sound: true, volume: 60, voice: false, vibration: true, sort: true,
});
const SHOWN = ["scheme", "felt", "face", "gain"];   // data- attributes of <html>, read by tokens.css

/** The preferences that are kept, completed by the defaults. What is kept badly, or cannot be read, counts for nothing. */
export function preferences() {
  const kept = read();
  return Object.fromEntries(Object.entries(DEFAULTS).map(([name, usual]) =>
    [name, typeof kept[name] === typeof usual ? kept[name] : usual]));
}

/** Keep one preference and show the page that way. */
export function prefer(name, value) {
  if (!(name in DEFAULTS)) throw new RangeError(name);
  try { localStorage.setItem(KEY, JSON.stringify({ ...read(), [name]: value })); } catch { /* a browser that keeps nothing */ }
  show();
}

/** Whether anything may move: the person's wish here and the system's. */
export const moves = () => preferences().motion && !matchMedia("(prefers-reduced-motion: reduce)").matches;

function read() {
  try { return JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { return {}; }
}

function show() {
  const root = document.documentElement, chosen = preferences();
  for (const name of SHOWN) if (chosen[name]) root.dataset[name] = chosen[name]; else delete root.dataset[name];
  if (chosen.motion) delete root.dataset.motion; else root.dataset.motion = "off";
}

if (globalThis.document) {
  show();
  addEventListener("storage", event => { if (event.key === KEY) show(); });
}
