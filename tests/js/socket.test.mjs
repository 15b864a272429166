import assert from "node:assert/strict";
import test from "node:test";
import { line, patience, uuid } from "../../static/js/socket.js";

test("waiting doubles, is spread by chance and has a bound", () => {
  assert.equal(patience(1, 0), 150);
  assert.equal(patience(1, 1), 300);
  assert.equal(patience(3, 1), 1200);
  assert.equal(patience(40, 1), 2000);
  assert.equal(patience(50, 1), 10_000);
  assert.equal(patience(50, 0), 5000);
});

test("ids are random uuids of version 4", () => {
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});

test("what the server was too busy for is sent again under its id until it is answered", context => {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  const sent = [], answers = [];
  let socket = null;
  globalThis.WebSocket = class {
    readyState = 1;
    constructor() { socket = this; }
    send(text) { sent.push(JSON.parse(text)); }
    close() {}
  };
  globalThis.addEventListener = () => {};
  globalThis.document = { visibilityState: "visible", addEventListener() {} };
  const hear = frame => socket.onmessage({ data: JSON.stringify(frame) });
  const open = line("ws://club.example/", { frame: (frame, command) => answers.push([frame.type, command?.type]), state() {} });
  hear({ type: "snapshot" });
  const { id } = open.send({ type: "unready" });
  for (let time = 0; time < 2; time += 1) {
    hear({ type: "error", id, code: "busy" });
    context.mock.timers.tick(400);
  }
  assert.equal(sent.filter(command => command.id === id).length, 3);
  assert.ok(open.isWaiting(command => command.id === id));
  hear({ type: "ack", id });
  assert.deepEqual(answers.slice(1), [["ack", "unready"]]);
  assert.ok(!open.isWaiting(() => true));
});
