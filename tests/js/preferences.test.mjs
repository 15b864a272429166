import assert from "node:assert/strict";
import test from "node:test";

import { DEFAULTS, prefer, preferences } from "../../static/js/preferences.js";

/** What a browser offers: text by key, or nothing at all. */
function browserWith(kept) {
  globalThis.document = { documentElement: { dataset: {} } };
  globalThis.localStorage = kept && { getItem: key => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) };
  return document.documentElement.dataset;
}

test("what was never chosen is as usual", () => {
  browserWith(new Map());
  assert.deepEqual(preferences(), { ...DEFAULTS });
});

test("a choice is kept, and shown on the page at once", () => {
  const kept = new Map(), shown = browserWith(kept);
  prefer("felt", "indigo");
  prefer("motion", false);
  assert.deepEqual({ ...shown }, { felt: "indigo", motion: "off" });
  prefer("felt", "");
  prefer("motion", true);
  assert.deepEqual({ ...shown }, {});
  assert.deepEqual(preferences(), { ...DEFAULTS });
  assert.throws(() => prefer("nonsense", 1), RangeError);
});

test("what is kept badly, or not at all, counts for nothing", () => {
  for (const text of ["", "{", "null", "[]", '"x"', '{"volume":"loud","sound":0,"felt":null}']) {
    browserWith(new Map([["preferences", text]]));
    assert.deepEqual(preferences(), { ...DEFAULTS }, text);
  }
  const shown = browserWith(undefined);
  prefer("felt", "ochre");
  assert.deepEqual(preferences(), { ...DEFAULTS });
  assert.deepEqual({ ...shown }, {});
});
