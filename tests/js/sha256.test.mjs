import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { fromHex, sha256, toHex } from "../../static/js/sha256.js";

const hash = text => toHex(sha256(new TextEncoder().encode(text)));

test("the vectors of FIPS 180-4", () => {
  assert.equal(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.equal(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  assert.equal(hash("a".repeat(1_000_000)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
});

test("every length around the block borders is as node's own", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7 + length);
    assert.equal(toHex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
  }
});

test("hex there and back", () => {
  assert.equal(toHex(fromHex("00ff10ab")), "00ff10ab");
  assert.deepEqual(fromHex(""), new Uint8Array());
});
