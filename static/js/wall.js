/* The fair wall, rebuilt from what is published after a hand. The same steps as games/rules/wall.py, in the reader's own browser. */

import { fromHex, sha256, toHex } from "./sha256.js";

const utf8 = new TextEncoder();
const WALL = 108;

/** What is published of a seed (hex) before the hand. */
export function commitment(seed) {
  return toHex(sha256(join([utf8.encode("sichuan-mahjong-seed-v1"), fromHex(seed)])));
}

/** The wall ("1m9s…") that follows from a hand's identity, the seed and the nonces of seats 0 to 3 (hex). */
export function shuffledWall(handId, seed, nonces) {
  const parts = [utf8.encode(handId), fromHex(seed), ...nonces.map(fromHex)];
  const key = sha256(join([utf8.encode("sichuan-mahjong-wall-v1"), ...parts.flatMap(part => [uint32(part.length), part])]));
  const words = stream(key);
  const wall = Array.from({ length: WALL }, (_, place) => `${(place >> 2) % 9 + 1}${"mps"[Math.floor(place / 36)]}`);
  for (let place = WALL - 1; place > 0; place--) {
    const choices = place + 1;
    const limit = 2 ** 32 - 2 ** 32 % choices;
    let word;
    do word = words.next().value; while (word >= limit);
    const other = word % choices;
    [wall[place], wall[other]] = [wall[other], wall[place]];
  }
  return wall.join("");
}

/** Check a hand's proof, and what was seen of it before the deal: `seen` {commitment, nonce: own nonce in hex or null}.
    Returns the list of what does not hold: "seed", "seen", "nonces", "mine", "wall"; empty when all is in order.
    A seat that never showed its nonce takes part with its commitment in the nonce's place. */
export function faults(proof, seen = {}) {
  const found = [];
  if (commitment(proof.seed) !== proof.commitment) found.push("seed");
  if (seen.commitment && seen.commitment !== proof.commitment) found.push("seen");
  const opens = (nonce, seat) =>
    nonce === proof.nonce_commitments[seat] || toHex(sha256(fromHex(nonce))) === proof.nonce_commitments[seat];
  if (!proof.nonces.every(opens)) found.push("nonces");
  if (seen.nonce && !proof.nonces.includes(seen.nonce)) found.push("mine");
  if (shuffledWall(proof.hand_id, proof.seed, proof.nonces) !== proof.wall) found.push("wall");
  return found;
}

function* stream(key) {
  for (let block = 0; ; block++) {
    const counter = new Uint8Array(8);
    new DataView(counter.buffer).setUint32(4, block);
    const bytes = new DataView(sha256(join([key, counter])).buffer);
    for (let at = 0; at < 32; at += 4) yield bytes.getUint32(at);
  }
}

function uint32(number) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, number);
  return bytes;
}

function join(parts) {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}
