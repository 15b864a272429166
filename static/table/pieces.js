/* Icons, pictures, tiles and melds: what all screens of the table are made of. */

import { h, remembered } from "./dom.js";
import { fill, gettext, tileWords } from "./words.js";

const LIGHTS = ["M73.7 89.4A46 46 0 0 1 26.3 89.4", "M89.4 26.3A46 46 0 0 1 89.4 73.7", "M26.3 10.6A46 46 0 0 1 73.7 10.6", "M10.6 73.7A46 46 0 0 1 10.6 26.3"];

export const icon = remembered(name => h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("use", { href: `#i-${name}` })));
export const picture = remembered(name => h("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, h("use", { href: `#${name}` })));
export const face = remembered(tile => h("svg", { viewBox: "0 0 60 80", "aria-hidden": "true" }, h("use", { href: tile === "back" ? "#back" : `#${tile[1]}${tile[0]}` })));

/** The class names that are on, of {name: whether}. */
export const names = list => Object.entries(list).filter(([, on]) => on).map(([name]) => name).join(" ");

/** A tile that lies on the table, a picture with a name unless it stands beside its words. */
export const tileOf = (tile, marks = "", label = tileWords(tile)) =>
  h("span", { class: `tile ${marks}`.trim(), role: label ? "img" : null, "aria-label": label || null, "aria-hidden": label ? null : "true" }, face(tile));

export function meldOf(meld, marks = "") {
  const tiles = Array.from({ length: meld.size }, (_, place) => {
    const hidden = meld.hidden.includes(place) || !meld.tile;
    return h("span", { class: names({ tile: true, back: hidden, turn: place === meld.turned, "is-same": meld.same && !hidden }) }, face(hidden ? "back" : meld.tile));
  });
  return h("span", { key: meld.key, class: `meld ${marks}`.trim(), "data-kind": meld.kind, role: "img", "aria-label": meld.label }, tiles);
}

/** The discards of a seat; `side` in words where it is not mine. */
export const riverWords = side => (side ? fill(gettext("%(side)s的牌河"), { side }) : gettext("我的牌河"));

export function riverOf(seat, side) {
  const lie = { left: " lie-left", right: " lie-right" }[seat.side] ?? "";
  return h("ol", { class: `river river--${seat.side}${lie}`, "aria-label": riverWords(side), "data-rows": seat.rows ?? null }, seat.river.map(one =>
    h("li", { key: one.key, class: names({ tile: true, "is-last": one.mark === "last", "is-hot": one.mark === "hot", "is-same": one.same }), "aria-label": tileWords(one.tile) }, face(one.tile))));
}

/** The dial in the middle: four lights, dark, around what is described. */
export const dialOf = (...inner) => h("svg", { class: "hub__dial", viewBox: "0 0 100 100", "aria-hidden": "true" }, LIGHTS.map(d => h("path", { class: "light", d })), inner);

/** The light of whose turn it is (mine first), a picture of its own over the dial: so it breathes without being painted anew. */
export const litOf = lights => h("svg", { class: "hub__dial hub__lit", viewBox: "0 0 100 100", "aria-hidden": "true" }, lights.map((isOn, side) => isOn && h("path", { d: LIGHTS[side] })));
