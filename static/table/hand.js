/* My own tiles: in which order they lie, and how each of them is marked. */

import { gettext, tileWords } from "./words.js";

/** My concealed cards: sorted with the void suit last, or as they lie in `order` (tiles), with what is new behind it; the tile just drawn
    (or won with) apart. */
export function myCards(view, you, order = null) {
  const mine = view.seats[you];
  const tiles = [...(mine.hand ?? [])];
  const apart = mine.won?.tile ?? view.drawn;
  if (apart && tiles.length % 3 === 2) tiles.splice(tiles.lastIndexOf(apart), 1);
  const suit = view.phase === "void" ? null : mine.void;
  const rank = tile => (tile[1] === suit ? 3 : "mps".indexOf(tile[1])) * 10 + Number(tile[0]);
  tiles.sort((a, b) => rank(a) - rank(b));
  const copies = {};
  const card = (tile, rest) => {
    copies[tile] = (copies[tile] ?? -1) + 1;
    return { key: `${tile}#${copies[tile]}`, tile, unwanted: tile[1] === suit, ...rest };
  };
  const cards = (order ? arranged(tiles, order) : tiles).map(tile => card(tile, {}));
  const first = order ? -1 : cards.findIndex(one => one.unwanted);
  if (first > 0) cards[first].gap = true;
  if (apart) cards.push(card(apart, mine.won ? { won: true, apart: true } : { drawn: true, apart: true }));
  return cards;
}

/** Tiles in a player's own order: those of `order` that are still held, then what is new. */
function arranged(tiles, order) {
  const rest = [...tiles];
  const held = order.filter(tile => {
    const at = rest.indexOf(tile);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
  return [...held, ...rest];
}

/** The order of cards after the card `key` was put where the card `other` lies. */
export function movedTo(cards, key, other) {
  const row = cards.filter(card => !card.apart), from = row.findIndex(card => card.key === key), to = row.findIndex(card => card.key === other);
  if (from >= 0 && to >= 0) row.splice(to, 0, ...row.splice(from, 1));
  return row.map(card => card.tile);
}

/** A card as it is shown: whether its discard is legal and leaves me ready, whether it is selected, like the selected one, part of what may be claimed, and what it is called. `least` is the
    suit to be advised while void suits are chosen. */
export function marked(card, state, { picked, isClaiming, least }) {
  const view = state.hand.view;
  const mine = view.phase === "turn" && view.turn === state.hand.you;
  const readies = mine && Boolean(view.discards?.[card.tile]);
  const legal = mine && view.legal.some(act => act.kind === "discard" && act.tile === card.tile);
  return {
    ...card, legal, readies,
    pick: picked?.key === card.key,
    same: picked !== null && picked.key !== card.key && picked.tile === card.tile,
    mate: isClaiming && card.tile === view.last.tile && view.legal.some(act => act.kind === "pung" || act.kind === "kong"),
    greyed: card.unwanted || least === card.tile[1],
    label: tileWords(card.tile) + (card.unwanted ? gettext("，缺门") : "") + (card.drawn ? gettext("，刚摸") : "") + (readies ? gettext("，打出听牌") : "") + (card.won ? gettext("，胡的牌") : ""),
  };
}

/** Tiles and melds in the fourteen cells: two rows of seven that are both full, whatever was melded. */
export function placed(cards, melds) {
  const row = cards.filter(card => !card.apart), apart = cards.filter(card => card.apart);
  const first = [7, 4, 1].find(size => size <= row.length) ?? 0, beside = Math.floor((7 - first) / 3);
  return [...row.slice(0, first), ...melds.slice(0, beside), ...melds.slice(beside), ...row.slice(first), ...apart];
}
