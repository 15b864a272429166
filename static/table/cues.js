/* What is seen, heard, felt and said aloud of what happened: pure functions. */

import { gainWords, gettext, pgettext, tileWords } from "./words.js";

const MY_TURN = [40], MY_WIN = [60, 40, 120];   // vibration, ms on and off

/** {sounds: names of sound.js, words: to be said aloud, buzz: vibration pattern or null} of events as the seat `you` sees them (null: who
    watches); `isAsked`: they end with a decision of mine. */
export function cuesOf(events, { you, isAsked }) {
  const sounds = events.map(event => soundOf(event, you)).filter(Boolean);
  const wins = events.some(event => event.kind === "win" && event.seat === you);
  return {
    sounds: isAsked ? [...sounds, "turn"] : sounds,
    words: events.map(wordsOf).filter(Boolean).join(gettext("，")),
    buzz: wins ? MY_WIN : isAsked ? MY_TURN : null,
  };
}

/** What is shown over the seats, {kind: "hu" | "wind" | "rain", seat, label}: wins, and the kongs that are paid. `view` is of the hand after the events. */
export function effectsOf(events, view) {
  const effects = events.filter(event => event.kind === "win").map(({ seat }) => ({ kind: "hu", seat, label: pgettext("印", "胡") }));
  const paid = new Map();
  for (const { kind, payment } of events) {
    if (kind === "pay" && payment.kind === "kong") paid.set(payment.payee, [...paid.get(payment.payee) ?? [], payment.units]);
  }
  for (const [seat, [units, ...others]] of paid) {
    const isRain = view.seats[seat].melds.findLast(meld => meld.kind !== "pung")?.kind === "concealed_kong";
    effects.push({ kind: isRain ? "rain" : "wind", seat, label: `${isRain ? gettext("下雨") : gettext("刮风")} ${gainWords(units, others.length + 1)}` });
  }
  return effects;
}

function soundOf({ kind, seat, end }, you) {
  if (kind === "draw") return seat === you ? "draw" : null;
  if (kind === "over") return end === "won" ? null : "end";
  return ["deal", "discard", "pung", "kong", "win"].includes(kind) ? kind : null;
}

function wordsOf({ kind, tile, by }) {
  return {
    discard: () => tileWords(tile), pung: () => gettext("碰"), kong: () => gettext("杠"),
    win: () => (by === "self_draw" ? pgettext("按钮", "自摸") : gettext("胡")),
  }[kind]?.() ?? null;
}
