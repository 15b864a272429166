// Run by test_hands.py, which plays the hands and names their file in HANDS.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { myCards } from "../../static/table/hand.js";
import { project, sideOf } from "../../static/table/model.js";

const hands = JSON.parse(readFileSync(process.env.HANDS, "utf8"));
const people = ["甲", "乙", "丙", "丁"];
const table = { room: { name: "厅" }, number: 1, you: 0, seats: people.map(name => ({ name, title: "", coins: 0 })), terms: { label: "", unit_coins: 1 } };
const text = tiles => tiles.map(one => one.tile).join("");

/** The model at every step, with what the core knows of it. */
function* steps({ steps: all }) {
  const log = [];
  for (const step of all) {
    log.push(...step.events);
    const hand = { id: 1, number: 1, you: 0, decision: 0, status: "playing", auto: [], players: people.map(name => ({ name })), view: step.view };
    yield { step, model: project({ table, hand, log: [...log], pick: null, passed: null, order: null }) };
  }
}

test("tiles lie where the rules have them", () => {
  for (const hand of hands) {
    for (const { step, model } of steps(hand)) {
      for (const shown of model.seats) {
        assert.equal(text(shown.river), step.rivers[shown.seat]);
        assert.deepEqual(shown.melds.map(({ tile, size, turned, hidden }) => ({ tile, size, turned, hidden })), step.melds[shown.seat]);
        if (step.view.phase !== "void") assert.equal(shown.units, step.units[shown.seat]);
      }
      assert.equal(text(myCards(step.view, 0)), step.hand);
      assert.equal(new Set(model.hand.filter(cell => !cell.kind).map(card => card.key)).size, step.hand.length / 2);
    }
  }
});

test("a button brings what it says", () => {
  let compared = 0;
  for (const hand of hands) {
    for (const { step, model } of steps(hand)) {
      const said = model.acts.filter(act => act.kind === "kong" || act.kind === "hu").map(act => `${act.kind === "hu" ? "win" : "kong"}${act.line.match(/ \+.*/)?.[0] ?? ""}`);
      if (said.length !== step.offers.length) continue;   // somebody would come before me
      assert.deepEqual(said.sort(), [...step.offers].sort());
      compared += said.length;
    }
  }
  assert.ok(compared > 0);
});

test("the tally ends as the hand does, and the log tells all that kongs and wins brought", () => {
  for (const hand of hands) {
    const { model } = [...steps(hand)].at(-1);
    assert.deepEqual(model.tally.map(row => row.units), hand.units);
    const told = [0, 0, 0, 0];
    for (const line of model.log) told[line.seat ?? 0] += line.paid.reduce((sum, units) => sum + units, 0);
    assert.deepEqual(told, hand.income);
  }
});

test("the turn light is where the turn is", () => {
  for (const hand of hands) {
    for (const { step: { view }, model } of steps(hand)) {
      const lit = model.hub.lights.findIndex(Boolean);
      if (view.phase === "turn") assert.equal(["me", "right", "across", "left"][lit], sideOf(view.turn, 0));
      else if (view.phase !== "claim") assert.equal(lit, -1);
    }
  }
});
