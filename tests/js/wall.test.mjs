import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fromHex, sha256, toHex } from "../../static/js/sha256.js";
import { commitment, faults, shuffledWall } from "../../static/js/wall.js";

const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url)));
const proofOf = vector => ({ ...vector, nonce_commitments: vector.nonces.map(nonce => toHex(sha256(fromHex(nonce)))) });

test("walls and commitments are those of the server", () => {
  for (const vector of vectors) {
    assert.equal(shuffledWall(vector.hand_id, vector.seed, vector.nonces), vector.wall);
    assert.equal(commitment(vector.seed), vector.commitment);
  }
});

test("an honest proof has no faults", () => {
  for (const vector of vectors) {
    assert.deepEqual(faults(proofOf(vector), { commitment: vector.commitment, nonce: vector.nonces[1] }), []);
  }
});

test("a seat that never showed its nonce takes part with its commitment", () => {
  const vector = vectors[0];
  const proof = proofOf(vector);
  proof.nonces = [...vector.nonces];
  proof.nonces[3] = proof.nonce_commitments[3];
  proof.wall = shuffledWall(proof.hand_id, proof.seed, proof.nonces);
  assert.deepEqual(faults(proof), []);
});

test("every lie is found", () => {
  const proof = proofOf(vectors[3]);
  const other = vectors[4];
  assert.deepEqual(faults({ ...proof, wall: other.wall }), ["wall"]);
  assert.deepEqual(faults({ ...proof, seed: other.seed }), ["seed", "wall"]);
  assert.deepEqual(faults({ ...proof, commitment: other.commitment, seed: other.seed }, { commitment: proof.commitment }), ["seen", "wall"]);
  assert.deepEqual(faults({ ...proof, nonces: other.nonces }), ["nonces", "wall"]);
  assert.deepEqual(faults({ ...proof, hand_id: "2" }), ["wall"]);
  assert.deepEqual(faults(proof, { nonce: other.nonces[0] }), ["mine"]);
});
