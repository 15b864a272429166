/* A socket that never gives up. Commands carry their own id and are sent again, under the same id, until they are answered. */

const PING_MS = 10_000;
const ANSWER_MS = 5000;                 // nothing heard for so long after a ping: the line is dead, whatever the browser says
const WAKE_MS = 3000;                   // the same for a page that was away, or whose network changed
const CONNECT_MS = 10_000;              // no snapshot for so long: another try
const BUSY_MS = 300;                    // after which a command that the server could not carry out now is sent again
const FINAL = new Set([4401, 4403, 4404, 4409]);

/** How long to wait before try number `tries` (1, 2, …): 0.3 s doubling to 2 s, so that a restarted server has everybody back soon, after
    forty tries to 10 s; each somewhere in its upper half. */
export function patience(tries, random = Math.random()) {
  const most = Math.min(tries > 40 ? 10_000 : 2000, 300 * 2 ** (tries - 1));
  return Math.round(most / 2 + random * most / 2);
}

/** A random uuid, version 4; crypto.randomUUID is missing on plain http. */
export function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6] & 0x0f | 0x40;
  bytes[8] = bytes[8] & 0x3f | 0x80;
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Open a line to `url`. `on.frame(frame, command, again)` gets every frame, with the command it answers and whether that was sent more than once;
    `on.state(state)` gets the state of the line: {open, final: close code or null, since: ms, retryAt: ms or null (a try is under way), rtt: ms
    or null}. */
export function line(url, on) {
  let socket = null, tries = 0, timer = null, heard = 0, frames = 0, pinged = 0;
  const state = { open: false, final: null, since: Date.now(), retryAt: null, rtt: null };
  const waiting = new Map();

  function tell(change) {
    Object.assign(state, change);
    on.state(state);
  }

  function connect() {
    clearTimeout(timer);
    drop();
    if (state.final) return;
    if (state.retryAt !== null) tell({ retryAt: null });
    const mine = socket = new WebSocket(url);
    setTimeout(() => { if (mine === socket && !state.open) lost(0); }, CONNECT_MS);
    mine.onmessage = event => { if (mine === socket) take(JSON.parse(event.data)); };
    mine.onclose = event => { if (mine === socket) lost(event.code); };
  }

  function drop() {
    const old = socket;
    socket = null;
    if (old) { old.onmessage = old.onclose = null; old.close(); }
  }

  function lost(code) {
    drop();
    if (FINAL.has(code)) return tell({ open: false, final: code, retryAt: null });
    const wait = patience(++tries + (code === 4408 ? 3 : 0));
    clearTimeout(timer);
    timer = setTimeout(connect, wait);
    tell({ open: false, since: state.open ? heard : state.since, retryAt: Date.now() + wait });
  }

  function take(frame) {
    heard = Date.now();
    frames += 1;
    if (frame.type === "pong") return tell({ rtt: Date.now() - pinged });
    if (frame.type === "snapshot" && !state.open) {
      tries = 0;
      tell({ open: true, retryAt: null });
      for (const one of waiting.values()) { one.again = true; write(one.command); }
      setTimeout(() => ping(ANSWER_MS), 1000);
    }
    const answered = frame.id ? waiting.get(frame.id) : undefined;
    if (answered && frame.code === "busy") {
      answered.again = true;
      setTimeout(() => write(answered.command), BUSY_MS);
      return;
    }
    if (answered) waiting.delete(frame.id);
    on.frame(frame, answered?.command, answered?.again);
  }

  function write(frame) {
    if (socket?.readyState === 1) socket.send(JSON.stringify(frame));
  }

  /** Ask for an answer; without one in time, or anything else, the line is lost. */
  function ping(patienceMs) {
    if (!state.open) return;
    const asked = socket, before = frames;
    pinged = Date.now();
    write({ type: "ping" });
    setTimeout(() => { if (asked === socket && frames === before) lost(0); }, patienceMs);
  }

  setInterval(() => ping(ANSWER_MS), PING_MS);
  const wake = () => {
    if (document.visibilityState === "hidden" || state.final) return;
    if (state.open) ping(WAKE_MS);
    else connect();
  };
  addEventListener("online", wake);
  addEventListener("offline", () => { if (!state.final) lost(0); }); // else it would look well until a ping is missed
  document.addEventListener("visibilitychange", wake);
  connect();

  return {
    state,
    retry: connect,
    /** Send a command until it is answered. */
    send(command) {
      const sent = { ...command, id: uuid() };
      waiting.set(sent.id, { command: sent, again: false });
      if (state.open) write(sent);
      return sent;
    },
    resync: () => write({ type: "resync" }),
    /** Whether a command like this one is still unanswered. */
    isWaiting: test => [...waiting.values()].some(one => test(one.command)),
  };
}
