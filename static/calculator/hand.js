/* The hand on the calculator: what can be added, what a scoring line says of it, and how it stands in the address.
   A hand is {tiles, melds, win, selfDraw, flag, suit}: concealed tiles in the order in which they were added, melds {kind, tile},
   the winning tile or null, one fact of the moment or null, the void suit or null. Functions give a new hand. */

export const SUITS = ["m", "p", "s"];
export const TILES = SUITS.flatMap(suit => Array.from({ length: 9 }, (_, place) => `${place + 1}${suit}`));
export const MELDS = ["pung", "exposed_kong", "added_kong", "concealed_kong"];
const COPIES = 4, FULL = 13, MOST_MELDS = 4;

export const empty = () => ({ tiles: [], melds: [], win: null, selfDraw: false, flag: null, suit: null });
export const example = () => ({ ...empty(), tiles: tilesOf("1199p222888s"), melds: [{ kind: "pung", tile: "5p" }], win: "1p" });

const sizeOf = kind => (kind === "pung" ? 3 : 4);
const isKong = meld => meld.kind !== "pung";
export const sorted = tiles => [...tiles].sort((one, other) => TILES.indexOf(one) - TILES.indexOf(other));

/** Concealed tiles that are still missing. */
export const missing = hand => FULL - 3 * hand.melds.length - hand.tiles.length;

/** Copies of a tile in the hand, melds and the winning tile included. */
export const copies = (hand, tile) =>
  hand.tiles.filter(one => one === tile).length + Number(hand.win === tile)
  + hand.melds.reduce((sum, meld) => sum + (meld.tile === tile ? sizeOf(meld.kind) : 0), 0);

/** Copies of a tile that somebody else may hold, the winning tile counted as one of them. */
export const left = (hand, tile) => COPIES - copies({ ...hand, win: null }, tile);

/** A meld takes its tiles out of the concealed hand, as far as they are there. */
function melded(hand, kind, tile) {
  const tiles = [...hand.tiles];
  for (let count = sizeOf(kind); count && tiles.includes(tile); count -= 1) tiles.splice(tiles.lastIndexOf(tile), 1);
  return { ...hand, tiles, melds: [...hand.melds, { kind, tile }] };
}

/** Why a tile cannot be added as `kind` ("hand", "win" or a meld): "copies", "full", "wild", "melds" or "room"; else null. */
export function obstacle(hand, kind, tile, wild) {
  if (kind === "hand") {
    if (!missing(hand) && hand.win !== null) return "full";
    return copies(hand, tile) < COPIES ? null : "copies";
  }
  if (kind === "win") return left(hand, tile) > 0 ? null : "copies";
  if (tile === wild) return "wild";
  if (hand.melds.length === MOST_MELDS) return "melds";
  const after = melded(hand, kind, tile);
  if (copies(after, tile) > COPIES) return "copies";
  return missing(after) < 0 ? "room" : null;
}

/** The hand with a tile more, which has no obstacle. The fourteenth tile is the winning one. */
export function add(hand, kind, tile) {
  if (kind === "win" || (kind === "hand" && !missing(hand))) return { ...hand, win: tile };
  if (kind === "hand") return { ...hand, tiles: [...hand.tiles, tile] };
  return settled(melded(hand, kind, tile));
}

export function removeTile(hand, tile) {
  const tiles = [...hand.tiles];
  tiles.splice(tiles.lastIndexOf(tile), 1);
  return { ...hand, tiles };
}

export const removeMeld = (hand, place) => settled({ ...hand, melds: hand.melds.filter((_, one) => one !== place) });

/** The hand without what was added last. */
export function undone(hand) {
  if (hand.win !== null) return { ...hand, win: null };
  if (hand.tiles.length) return { ...hand, tiles: hand.tiles.slice(0, -1) };
  return removeMeld(hand, hand.melds.length - 1);
}

/** The facts of the moment that go with a self-draw or a discard, and whether this hand can have each. */
export function flags(hand) {
  const bare = hand.melds.length === 0;
  return hand.selfDraw
    ? [["kong_flower", hand.melds.some(isKong)], ["tianhu", bare], ["dihu", bare]]
    : [["kong_shot", true], ["robbed_kong", true]];
}

/** The hand without a fact that it cannot have. */
export const settled = hand => (flags(hand).some(([flag, can]) => can && flag === hand.flag) ? hand : { ...hand, flag: null });

/** The hand under another ruleset: melds of its wild tile are gone. */
export const under = (hand, wild) => settled({ ...hand, melds: hand.melds.filter(meld => meld.tile !== wild) });

/** The scoring line of a full hand (docs/rules/RECORD.md). */
export function lineOf(hand, ruleset, withWin) {
  const line = { ruleset: ruleset.spec, concealed: textOf(hand.tiles), melds: hand.melds, void: ruleset.options.void_suit ? hand.suit : null };
  return withWin ? { ...line, win_tile: hand.win, self_draw: hand.selfDraw, flags: hand.flag ? [hand.flag] : [] } : line;
}

/** Why a hand with its winning tile does not win: "suits", "void", "wild" or "shape". */
export function whyNot(hand, ruleset) {
  if (hand.win === ruleset.options.wild && !hand.selfDraw) return "wild";
  const natural = [...hand.tiles, hand.win].filter(tile => tile !== ruleset.options.wild);
  if (ruleset.options.void_suit && natural.some(tile => tile[1] === hand.suit)) return "void";
  const suits = new Set([...natural, ...hand.melds.map(meld => meld.tile)].map(tile => tile[1]));
  return suits.size === SUITS.length ? "suits" : "shape";
}

/** "1199p222888s", in order. */
export const textOf = tiles => SUITS.map(suit => {
  const ranks = sorted(tiles).filter(tile => tile[1] === suit).map(tile => tile[0]).join("");
  return ranks && ranks + suit;
}).join("");

const tilesOf = text => [...text.matchAll(/([1-9]+)([mps])/g)].flatMap(([, ranks, suit]) => [...ranks].map(rank => rank + suit));

/** A hand as parameters of the address. */
export function toQuery(hand) {
  return Object.fromEntries(Object.entries({
    hand: textOf(hand.tiles),
    melds: hand.melds.map(meld => `${meld.kind}-${meld.tile}`).join(","),
    win: hand.win,
    self_draw: hand.selfDraw ? "1" : null,
    flag: hand.flag,
    void: hand.suit,
  }).filter(([, value]) => value));
}

/** The hand of an address; what cannot be is left out. */
export function fromQuery(query, wild) {
  let hand = { ...empty(), selfDraw: query.get("self_draw") === "1" };
  const put = (kind, tile) => {
    if (TILES.includes(tile) && !obstacle(hand, kind, tile, wild)) hand = add(hand, kind, tile);
  };
  for (const meld of (query.get("melds") ?? "").split(",")) {
    const [kind, tile] = meld.split("-");
    if (MELDS.includes(kind)) put(kind, tile);
  }
  for (const tile of tilesOf(query.get("hand") ?? "")) if (missing(hand) > 0) put("hand", tile);
  put("win", query.get("win"));
  const suit = query.get("void");
  return settled({ ...hand, flag: query.get("flag"), suit: SUITS.includes(suit) ? suit : null });
}
