/* The log of a hand, line by line. It grows by an event or two at a time: what is known of its beginning is not made again. */

import { gainWords, gettext, tileWords } from "./words.js";

const PAID = ["kong", "win"];
const NOTHING = { events: [], lines: [], form: null };

let known = NOTHING;

/** The events of a hand as lines: {key, before, tile, after, loud, gain}. What is paid stands on the line that earned it. A line that says what it
    said before is the same object. */
export function linesOf(events) {
  const { length } = known.events;
  if (length > events.length || known.events.at(-1) !== events[length - 1]) known = NOTHING;
  if (known.events.length < events.length) known = { events, ...added(known, events.slice(known.events.length)) };
  return known.lines;
}

/** The lines with what further events say; `form`: of the last kong. */
function added({ events: { length }, lines: before, form }, events) {
  const lines = [...before];
  events.forEach((event, number) => {
    if (event.kind === "kong") form = event.form;
    if (event.kind === "draw" || event.kind === "answer") return;
    const at = event.kind === "pay" && PAID.includes(event.payment.kind) ? earnerOf(lines, event.payment) : -1;
    if (at < 0) lines.push(lineOf(event, length + number));
    else lines[at] = earning(lines[at], event.payment, form);
  });
  return { lines, form };
}

const earnerOf = (lines, payment) => lines.findLastIndex(line => line.loud && line.seat === payment.payee && line.pays === payment.kind);

function earning(line, { kind, units }, form) {
  const paid = [...line.paid, units];
  const even = paid.every(one => one === units);
  const sum = even ? gainWords(units, paid.length) : `+${paid.reduce((a, b) => a + b)}`;
  return { ...line, paid, gain: kind === "kong" ? `${form === "concealed_kong" ? gettext("下雨") : gettext("刮风")} ${sum}` : sum };
}

function lineOf(event, key) {
  const words = event.words ?? "";
  const spoken = event.tile ? tileWords(event.tile) : null;
  const at = spoken ? words.indexOf(spoken) : -1;
  return {
    key, seat: event.seat ?? null, kind: event.kind, words, tile: event.tile ?? null, paid: [], gain: null,
    before: at < 0 ? words : words.slice(0, at), after: at < 0 ? "" : words.slice(at + spoken.length).replace(/^[：:]\s*/, " "),
    loud: PAID.includes(event.kind), pays: event.kind,
  };
}
