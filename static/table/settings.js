/* The sheet of settings at the table, and what is done for the player in a hand. */

import { preferences } from "../js/preferences.js";
import { h, patch } from "./dom.js";
import { gettext } from "./words.js";

const AUTOS = "mahjong-autos";

const stored = () => JSON.parse(localStorage.getItem(AUTOS) ?? "{}");

/** What is decided for me in a hand: {win, pass}. With the next hand both are off again. */
export function autosOf(hand) {
  const { win = false, pass = false } = stored()[hand] ?? {};
  return { win, pass };
}

export function autoSwitch(hand, name) {
  const autos = autosOf(hand);
  localStorage.setItem(AUTOS, JSON.stringify({ [hand]: { ...autos, [name]: !autos[name] } }));
}

/** The offer that is taken for me, by its place, or null. A win is never waved away, and a kong in my own turn waits for me. */
export function autoChoice(acts, autos) {
  const win = acts.findIndex(act => act.kind === "hu");
  if (win >= 0) return autos.win ? win : null;
  const pass = acts.findIndex(act => act.kind === "pass" && act.action);
  return autos.pass && pass >= 0 ? pass : null;
}

/** Draw the sheet; `hand` is the id of the running hand, or null. */
export function drawSettings(sheet, hand) {
  const chosen = preferences(), autos = autosOf(hand);
  const toggle = (doing, name, is, title, line) => h("li", { key: name },
    h("button", { type: "button", class: "btn toggle", role: "switch", "data-do": doing, "data-name": name, "aria-checked": String(is) }, h("span", null, title, line && h("small", null, line))));
  patch(sheet, [
    h("h2", { key: "h" }, gettext("设置")),
    h("ul", { key: "play", class: "sheet__list" },
      toggle("setting", "sort", chosen.sort, gettext("自动理牌"), gettext("关掉后可以左右拖牌，自己摆")),
      hand !== null && toggle("autoplay", "win", autos.win, gettext("自动胡"), gettext("能胡就胡，只管这一局")),
      hand !== null && toggle("autoplay", "pass", autos.pass, gettext("不碰不杠"), gettext("别人打的牌自动过，能胡时还会问，只管这一局"))),
    h("ul", { key: "hear", class: "sheet__list" },
      toggle("setting", "sound", chosen.sound, gettext("音效")),
      h("li", { key: "volume" }, h("label", { class: "btn volume" }, gettext("音量"), h("input", { type: "range", min: 0, max: 100, step: 10, value: chosen.volume, "data-setting": "volume", disabled: !chosen.sound }))),
      "speechSynthesis" in globalThis && toggle("setting", "voice", chosen.voice, gettext("报牌"), gettext("用浏览器的声音念出打的牌")),
      "vibrate" in navigator && toggle("setting", "vibration", chosen.vibration, gettext("轮到我时震动"))),
    h("button", { key: "close", type: "button", class: "btn btn--ghost", "data-do": "close" }, gettext("关闭")),
  ]);
}
