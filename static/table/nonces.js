/* My part in the fair wall: random bytes that are promised before the deal and shown after it. Kept, for a hand may outlive a page. */

import { fromHex, sha256, toHex } from "../js/sha256.js";

const NONCES = "mahjong-nonces", KEPT = 8;

const kept = () => JSON.parse(localStorage.getItem(NONCES) ?? "[]");
const commitmentOf = nonce => toHex(sha256(fromHex(nonce)));

/** Make a nonce and keep it. Returns its commitment (hex), which may be shown. */
export function nonceCommit() {
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(32)));
  localStorage.setItem(NONCES, JSON.stringify([nonce, ...kept()].slice(0, KEPT)));
  return commitmentOf(nonce);
}

/** My nonce (hex) for a hand in which I play; undefined where this browser did not make it. */
export const nonceOf = hand => kept().find(nonce => commitmentOf(nonce) === hand.nonce_commitments[hand.you]);
