import assert from "node:assert/strict";
import test from "node:test";
import { line, patience, uuid } from "../../static/js/socket.js";

/** A line in a browser whose time the test moves: the sockets it opened, what it sent, the states it was in. */
function opened(context) {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout", "Date"] });
  const sockets = [], sent = [], states = [], answers = [], listeners = {};
  globalThis.WebSocket = class {
    readyState = 1;
    constructor() { sockets.push(this); }
    send(text) { sent.push(JSON.parse(text)); }
    close() { this.isClosed = true; }
  };
  globalThis.addEventListener = (name, call) => { listeners[name] = call; };
  globalThis.document = { visibilityState: "visible", addEventListener: globalThis.addEventListener };
  const open = line("ws://club.example/", { frame: (frame, command) => answers.push([frame.type, command?.type]), state: state => states.push({ ...state }) });
  return {
    open, sockets, sent, states, answers,
    hear: frame => sockets.at(-1).onmessage({ data: JSON.stringify(frame) }),
    close: code => sockets.at(-1).onclose({ code }),
    tell: name => listeners[name](),
    pass: ms => { for (let left = ms; left > 0; left -= 100) context.mock.timers.tick(Math.min(left, 100)); }, // what a timer starts is timed from then
  };
}

test("waiting doubles, is spread by chance and has a bound", () => {
  assert.equal(patience(1, 0), 150);
  assert.equal(patience(1, 1), 300);
  assert.equal(patience(3, 1), 1200);
  assert.equal(patience(40, 1), 2000);
  assert.equal(patience(50, 1), 10_000);
  assert.equal(patience(50, 0), 5000);
  assert.ok(new Set(Array.from({ length: 40 }, () => patience(5))).size > 20);
});

test("ids are random uuids of version 4", () => {
  assert.match(uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(uuid(), uuid());
});

test("what the server was too busy for is sent again under its id until it is answered", context => {
  const { open, sent, answers, hear, pass } = opened(context);
  hear({ type: "snapshot" });
  const { id } = open.send({ type: "unready" });
  for (let time = 0; time < 2; time += 1) {
    hear({ type: "error", id, code: "busy" });
    pass(400);
  }
  assert.equal(sent.filter(command => command.id === id).length, 3);
  assert.ok(open.isWaiting(command => command.id === id));
  hear({ type: "ack", id });
  assert.deepEqual(answers.slice(1), [["ack", "unready"]]);
  assert.ok(!open.isWaiting(() => true));
});

test("it never gives up: an hour without a server, and then it is back within ten seconds", context => {
  const { open, sockets, sent, states, hear, close, pass } = opened(context);
  hear({ type: "snapshot" });
  const { id } = open.send({ type: "ready" });
  close(1006);
  assert.equal(states.at(-1).open, false);
  for (let second = 0; second < 3600; second += 1) {
    if (!sockets.at(-1).isClosed) close(1006);
    assert.ok(states.at(-1).retryAt - Date.now() <= 10_000);
    pass(1000);
  }
  assert.ok(sockets.length > 360);
  while (sockets.at(-1).isClosed) pass(1000);
  hear({ type: "snapshot" });
  assert.ok(open.state.open);
  assert.equal(sent.filter(command => command.id === id).length, 2, "what was not answered is sent again, under its id");
});

test("a line that does not answer a ping is lost, within fifteen seconds and with the time of what is shown", context => {
  const { open, hear, pass, sent } = opened(context);
  hear({ type: "snapshot" });
  const shown = Date.now();
  pass(1000);
  assert.equal(sent.at(-1).type, "ping");
  hear({ type: "pong" });
  pass(13_900);
  assert.ok(open.state.open);
  pass(200);
  assert.deepEqual([open.state.open, open.state.since], [false, shown + 1000]);
});

test("a try that leads nowhere is followed by another", context => {
  const { sockets, states, pass } = opened(context);
  pass(10_000);
  assert.ok(states.at(-1).retryAt !== null);
  pass(300);
  assert.equal(sockets.length, 2);
  assert.equal(states.at(-1).retryAt, null, "while it is tried there is no time of the next try");
});

test("a device that goes offline says so at once, and connects at once when it is back or looked at", context => {
  const { open, sockets, hear, close, tell, pass } = opened(context);
  hear({ type: "snapshot" });
  tell("offline");
  assert.equal(open.state.open, false);
  for (let time = 0; time < 20; time += 1) { pass(2000); close(1006); }
  let tries = sockets.length;
  tell("online");
  assert.equal(sockets.length, ++tries);
  close(1006);
  tell("visibilitychange");
  assert.equal(sockets.length, ++tries);
  close(1006);
  document.visibilityState = "hidden";
  tell("visibilitychange");
  assert.equal(sockets.length, tries);
});

test("a page that comes to the front asks at once whether its line still holds", context => {
  const { open, sockets, hear, tell, pass } = opened(context);
  hear({ type: "snapshot" });
  pass(1500);
  hear({ type: "pong" });
  tell("visibilitychange");
  pass(3100);
  assert.equal(open.state.open, false);
  pass(300);
  assert.equal(sockets.length, 2);
});

test("what the server has decided ends it", context => {
  const { open, sockets, hear, close, tell, pass } = opened(context);
  hear({ type: "snapshot" });
  close(4403);
  assert.equal(open.state.final, 4403);
  tell("offline");
  tell("online");
  pass(60_000);
  assert.equal(sockets.length, 1);
});
