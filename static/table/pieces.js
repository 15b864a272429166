/* Icons, pictures, tiles and melds: what all screens of the table are made of. */

import { h } from "./dom.js";
import { tileWords } from "./words.js";

export const icon = name => h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("use", { href: `#i-${name}` }));
export const picture = name => h("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, h("use", { href: `#${name}` }));
export const face = tile => h("svg", { viewBox: "0 0 60 80", "aria-hidden": "true" }, h("use", { href: tile === "back" ? "#back" : `#${tile[1]}${tile[0]}` }));

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
