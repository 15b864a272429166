/* The fixed phrases that players say to each other, and whose are not shown. Muting is this browser's own matter. */

import { h, patch } from "./dom.js";
import { gettext, pgettext } from "./words.js";

const MUTED = "mahjong-muted";   // ids of members, or this
const EVERYBODY = "all";
const SHOWN_MS = 4000;

export const PHRASES = ["hello", "hurry", "wait", "nice", "unlucky", "thanks", "sorry", "laugh", "again", "bye"];

/** What a phrase says. */
export const phraseWords = name => ({
  hello: gettext("大家好！"), hurry: gettext("快点嘛，等得花儿都谢了"), wait: gettext("稍等，我想一下"), nice: gettext("打得漂亮！"), unlucky: gettext("手气不好，莫法"),
  thanks: pgettext("快捷语", "谢谢！"), sorry: gettext("不好意思"), laugh: gettext("哈哈哈"), again: gettext("再来一局？"), bye: gettext("下次再打，再见"),
})[name] ?? "";

export const mutedOnes = () => JSON.parse(localStorage.getItem(MUTED) ?? "[]");

const isMuted = member => mutedOnes().some(one => one === member || one === EVERYBODY);

export function muteSwitch(member) {
  const muted = mutedOnes();
  localStorage.setItem(MUTED, JSON.stringify(muted.includes(member) ? muted.filter(one => one !== member) : [...muted, member].slice(-200)));
}

/** Keep what a seat said for a while; `draw` is called when it goes. Of who is muted nothing is kept. */
export function hear(said, { seat, phrase }, table, draw) {
  const words = phraseWords(phrase);
  if (!words || isMuted(table.seats[seat]?.member)) return;
  said[seat] = words;
  setTimeout(() => { if (said[seat] === words) { delete said[seat]; draw(); } }, SHOWN_MS);
}

/** Draw the sheet with the phrases, and with the others at the table to mute. */
export function drawPhrases(sheet, table) {
  const all = mutedOnes().includes(EVERYBODY);
  const others = table.seats.filter(seat => seat?.member && seat.number !== table.you).map(({ member, name }) => ({ member, name, on: isMuted(member), disabled: all }));
  patch(sheet, [
    h("h2", { key: "h" }, gettext("快捷语")),
    h("ul", { key: "phrases", class: "phrases" }, PHRASES.map(name => h("li", { key: name }, h("button", { type: "button", class: "btn", "data-do": "say", "data-phrase": name }, phraseWords(name))))),
    h("h3", { key: "mute-h" }, gettext("不看谁的快捷语")),
    h("ul", { key: "mute", class: "sheet__list" }, [{ member: EVERYBODY, name: gettext("所有人"), on: all }, ...others].map(one => h("li", { key: one.member },
      h("button", { type: "button", class: "btn", role: "switch", "data-do": "mute", "data-member": one.member, "aria-checked": String(one.on), disabled: one.disabled }, one.name, h("small", null, one.on ? gettext("已屏蔽") : gettext("看得到")))))),
    h("button", { key: "close", type: "button", class: "btn btn--ghost", "data-do": "close" }, gettext("关闭")),
  ].filter(Boolean));
}
