/* From the model to the page. Everything is described anew each time; `patch` touches only what differs. */

import { h, patch } from "./dom.js";
import { fill, gettext, number, pgettext, sideWords, signed, suitWords, tileShort, tileWords, tone, unitsWords } from "./words.js";

const LIGHTS = ["M73.7 89.4A46 46 0 0 1 26.3 89.4", "M89.4 26.3A46 46 0 0 1 89.4 73.7", "M26.3 10.6A46 46 0 0 1 73.7 10.6", "M10.6 73.7A46 46 0 0 1 10.6 26.3"];

export const icon = name => h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("use", { href: `#i-${name}` }));
export const picture = name => h("svg", { viewBox: "0 0 64 64", "aria-hidden": "true" }, h("use", { href: `#${name}` }));
export const face = tile => h("svg", { viewBox: "0 0 60 80", "aria-hidden": "true" }, h("use", { href: tile === "back" ? "#back" : `#${tile[1]}${tile[0]}` }));

const names = list => Object.entries(list).filter(([, on]) => on).map(([name]) => name).join(" ");

/** A tile that lies on the table, a picture with a name unless it stands beside its words. */
export const tileOf = (tile, marks = "", label = tileWords(tile)) =>
  h("span", { class: `tile ${marks}`.trim(), role: label ? "img" : null, "aria-label": label || null, "aria-hidden": label ? null : "true" }, face(tile));

export function meldOf(meld, marks = "") {
  const tiles = Array.from({ length: meld.size }, (_, place) => {
    const hidden = meld.hidden.includes(place) || !meld.tile;
    return h("span", { class: names({ tile: true, back: hidden, turn: place === meld.turned, "is-same": meld.same && !hidden }) }, face(hidden ? "back" : meld.tile));
  });
  return h("span", { key: meld.key, class: `meld ${marks}`.trim(), "data-kind": meld.kind, role: "img", "aria-label": meld.label }, tiles);
}

/** Show a model. `ui`: {panel, notice, line, ringing, fresh, escape, isBusy}. */
export function render(root, model, ui) {
  root.dataset.state = model.screen;
  root.classList.toggle("is-stale", !ui.line.open);
  const [me, right, across, left] = model.seats;
  patch(root, [
    h("h1", { key: "title", class: "vh" }, `${model.room.name} · ${model.room.which}`),
    barOf(model, ui),
    toolsOf(model, ui),
    seatOf(across, model), seatOf(left, model), seatOf(right, model),
    model.lobby ? lobbyOf(model, ui) : hubOf(model, ui),
    h("section", { key: "my-river", class: "seat seat--me", "data-seat": me.seat, "aria-label": gettext("我的牌河") }, riverOf(me)),
    mineOf(me, model, ui),
    logOf(model, ui),
    model.choose && chooseOf(model, ui),
  ].filter(Boolean));
}

function barOf({ room }, { line }) {
  const slow = line.rtt > 250;
  const state = !line.open ? "off" : slow ? "slow" : "ok";
  const words = !line.open ? gettext("已断开") : line.rtt === null ? "" : fill(slow ? gettext("%(ms)s ms 较慢") : gettext("%(ms)s ms"), { ms: line.rtt });
  return h("header", { key: "bar", class: "bar" },
    h("button", { type: "button", class: "btn-i", "data-do": "panel", "data-panel": "menu", "aria-label": gettext("菜单"), "aria-haspopup": "dialog" }, icon("menu")),
    h("p", { class: "room" }, h("b", null, room.name), h("small", null, room.which, " · ", h("i", null, room.unit, " · "), room.label)),
    h("p", { class: `link link--${state}` }, icon(line.open ? "link" : "cut"), h("span", null, words)),
  );
}

function toolsOf(model, ui) {
  const phrases = model.sits && h("button", { type: "button", class: "btn-i", "data-do": "panel", "data-panel": "phrases", "aria-haspopup": "dialog" }, icon("chat"), h("span", null, gettext("快捷语")));
  if (model.screen === "lobby") return phrases && h("div", { key: "tools", class: "tools" }, phrases);
  return h("div", { key: "tools", class: "tools" },
    phrases,
    h("button", { type: "button", class: "btn-i btn-i--log", "data-do": "panel", "data-panel": "log", "aria-haspopup": "dialog" }, icon("log"), h("span", null, gettext("记录"))),
    model.you !== null && h("button", { type: "button", class: "btn-i", "data-do": "auto", role: "switch", "aria-checked": String(Boolean(model.auto)), disabled: model.screen === "shuffle" || model.screen === "over" },
      icon("auto"), h("span", null, gettext("托管"))),
  );
}

/* --- Seats ------------------------------------------------------------------------------------------------------- */

function seatOf(seat, model) {
  const side = sideWords(seat.side);
  return h("section", { key: seat.side, class: `seat seat--${seat.side}`, "data-seat": seat.seat, "aria-label": `${side} ${seat.name ?? gettext("空位")}` },
    h("div", { class: "post" },
      whoOf(seat),
      rackOf(seat),
      h("div", { class: "melds", "data-n": seat.melds.length }, seat.melds.map(meld => meldOf(meld))),
    ),
    riverOf(seat, side),
  );
}

function whoOf(seat) {
  if (seat.empty) {
    return h("header", { class: "who is-empty" },
      h("span", { class: "avatar" }, picture("av-none")),
      seat.canSit
        ? h("button", { type: "button", class: "btn btn--sit", "data-do": "sit", "data-seat-number": seat.seat }, gettext("坐下"))
        : h("span", { class: "who__name" }, gettext("空位")),
    );
  }
  const { won } = seat;
  return h("header", { class: names({ who: true, "is-turn": seat.turn, "is-won": won, "is-auto": seat.auto, "is-away": seat.left }) },
    h("span", { class: "avatar" }, picture(seat.avatar), seat.dealer && h("b", { class: "seal seal--dealer", title: gettext("庄家") }, pgettext("印", "庄"))),
    h("span", { class: "who__name" }, seat.name),
    h("span", { class: "who__title" }, seat.title),
    seat.coins !== null && h("span", { class: "who__coins" }, icon("coin"), number(seat.coins)),
    h("span", { class: "who__marks" },
      seat.waiting && h("span", { class: seat.ready ? "badge badge--ready" : "badge badge--wait" }, seat.ready ? gettext("已准备") : gettext("未准备")),
      seat.suit && h("span", { class: "badge", "data-suit": seat.suit }, fill(gettext("缺%(suit)s"), { suit: suitWords(seat.suit) })),
      seat.naming && h("span", { class: "badge badge--wait" }, gettext("定缺中")),
      seat.units !== null && seat.units !== undefined && h("span", { class: `delta ${tone(seat.units)}` }, h("span", { class: "vh" }, gettext("本局")), signed(seat.units)),
      seat.left && h("span", { class: "tag tag--warn" }, icon("exit"), gettext("已离开")),
      seat.auto && !seat.left && h("span", { class: "tag" }, icon("auto"), gettext("托管")),
    ),
    seat.said && h("p", { class: "bubble", role: "status" }, seat.said),
    won && h("p", { class: "won" }, h("b", { class: "seal seal--hu" }, pgettext("印", "胡")), tileOf(won.tile, "is-win"),
      h("span", null, h("b", null, won.fan), h("small", null, won.how, won.from && h("i", null, won.from)))),
  );
}

function rackOf(seat) {
  if (seat.empty || seat.waiting) return null;
  const backs = Array.from({ length: seat.rack }, (_, place) => h("i", { class: seat.gap && place === seat.rack - 1 ? "gap" : null }));
  return h("div", { class: `rack rack--${seat.side}${seat.won ? " is-down" : ""}`, role: "img", "aria-label": fill(gettext("%(count)s 张手牌"), { count: seat.rack }) }, backs);
}

function riverOf(seat, side) {
  const lie = { left: " lie-left", right: " lie-right" }[seat.side] ?? "";
  const label = side ? fill(gettext("%(side)s的牌河"), { side }) : gettext("我的牌河");
  return h("ol", { class: `river river--${seat.side}${lie}`, "aria-label": label, "data-rows": seat.rows ?? null }, seat.river.map(one =>
    h("li", { key: one.key, class: names({ tile: true, "is-last": one.mark === "last", "is-hot": one.mark === "hot", "is-same": one.same }), "aria-label": tileWords(one.tile) }, face(one.tile))));
}

function hubOf({ hub, screen }, ui) {
  const { seconds, part, urgent, isReserve, more } = ui.clock;
  const known = ui.line.open && seconds !== null && screen !== "shuffle";
  return h("div", { key: "hub", class: names({ hub: true, "is-urgent": known && urgent, "is-reserve": known && isReserve }), role: "timer", "aria-label": [hub.say, known && fill(isReserve ? gettext("备用时间还有 %(seconds)s 秒") : gettext("还有 %(seconds)s 秒"), { seconds }), hub.wall !== null && fill(gettext("余 %(count)s 张"), { count: hub.wall })].filter(Boolean).join(gettext("，")) },
    h("svg", { class: "hub__dial", viewBox: "0 0 100 100", "aria-hidden": "true" },
      LIGHTS.map((d, side) => h("path", { class: hub.lights[side] ? "light on" : "light", d })),
      h("circle", { class: "track", cx: 50, cy: 50, r: 36 }),
      h("circle", { class: known ? "clock" : "clock is-off", cx: 50, cy: 50, r: 36, pathLength: 100, "stroke-dasharray": `${known ? Math.round(part * 100) : 0} 100`, transform: "rotate(-90 50 50)" }),
    ),
    h("b", { class: "hub__sec" }, known ? seconds : ui.line.open ? "" : "–"),
    known && more > 0 && h("small", { class: "hub__more", "aria-hidden": "true" }, isReserve ? gettext("备用") : `+${more}`),
    h("span", { class: names({ hub__say: true, "is-alone": !known }) }, hub.say),
    hub.wall !== null && h("p", { class: "hub__wall" }, `${pgettext("牌墙", "余")} `, h("b", null, hub.wall), " ", h("i", null, gettext("张"))),
  );
}

function mineOf(me, model, ui) {
  return h("section", { key: "mine", class: "mine", "aria-label": gettext("我的座位") },
    h("div", { class: "me" }, whoOf(me)),
    h("div", { class: "dock" }, dockOf(model, ui)),
    h("ol", { class: names({ hand: true, "is-auto": model.auto }), "aria-label": gettext("我的手牌") },
      model.hand.map(card => card.kind ? h("li", { key: card.key, class: "own-meld" }, meldOf({ ...card, key: null })) : cardOf(card)),
      Array.from({ length: model.backs }, (_, place) => h("li", { key: `back:${place}` }, h("span", { class: "tile stand back" }, face("back")))),
    ),
  );
}

function cardOf(card) {
  return h("li", { key: card.key, class: names({ "void-from": card.gap, drawn: card.apart }) || null },
    h("button", {
      type: "button", "data-do": "tile", "data-key": card.key, "data-tile": card.tile, "aria-label": card.label, "aria-pressed": String(card.pick), disabled: card.won,
      class: names({ tile: true, stand: true, "is-void": card.greyed, "is-pick": card.pick, "is-drawn": card.drawn && !card.pick, "is-same": card.same, "is-mate": card.mate, "is-win": card.won }),
    }, face(card.tile)));
}

/* --- The dock: what I may do, what I wait for, what I should know ------------------------------------------------- */

function dockOf(model, ui) {
  const notice = noticeOf(model, ui);
  const acts = model.acts.length > 0 && ui.line.open;
  const covered = notice && !acts;
  return [
    notice && h("div", { key: "notice", class: `notice notice--${notice.kind}${acts ? " notice--over" : ""}`, role: "status" }, notice.body),
    !covered && model.waits && model.acts.length < 3 && waitsOf(model.waits, model.acts.length > 0),
    acts && h("div", { key: "acts", class: names({ acts: true, "is-new": ui.fresh }), role: "group", "aria-label": gettext("可选操作") },
      model.claim && h("p", { class: "claim" }, tileOf(model.claim.tile, "is-hot", ""), h("span", null, h("b", null, model.claim.name), ` ${model.claim.added ? pgettext("报牌", "补杠") : pgettext("报牌", "打")} ${tileShort(model.claim.tile)}`)),
      model.acts.map((act, place) => h("button", { key: `${act.kind}${act.tile ?? ""}`, type: "button", class: `act act--${act.kind}`, "data-do": "act", "data-place": place, disabled: ui.isBusy },
        h("b", null, act.title), h("small", null, act.line), h("kbd", null, { pung: "P", kong: "K", hu: "H", pass: gettext("空格") }[act.kind]))),
    ),
  ];
}

function noticeOf(model, ui) {
  const { line } = ui;
  if (line.final) {
    const [title, small] = { 4401: [gettext("登录已失效"), gettext("请重新登录")], 4403: [gettext("你不能再看这张牌桌"), gettext("你已不在这家茶社")], 4404: [gettext("没有这张牌桌"), ""], 4409: [gettext("这张牌桌开在太多窗口里"), gettext("请在较新的窗口里继续")] }[line.final];
    return { kind: "off", body: [icon("cut"), h("p", null, h("b", null, title), h("small", null, small)), h("a", { class: "btn btn--primary", href: ui.lobby }, gettext("回大厅"))] };
  }
  if (!line.open) {
    const ago = Math.max(0, Math.round((ui.now - line.since) / 1000)), wait = Math.max(0, Math.ceil((line.retryAt - ui.now) / 1000));
    const title = ui.offline ? gettext("你的设备离线了") : gettext("连接断开，正在重连…");
    return { kind: "off", body: [h("span", { class: "spin", "aria-hidden": "true" }), h("p", null, h("b", null, title), h("small", null, fill(gettext("画面停在 %(seconds)s 秒前；超时会转托管"), { seconds: ago }))),
      h("button", { type: "button", class: "btn btn--primary btn--two", "data-do": "retry" }, gettext("立即重试"), h("small", null, line.retryAt ? fill(gettext("%(seconds)s 秒后自动"), { seconds: wait }) : gettext("正在连接")))] };
  }
  if (ui.notice) return { kind: ui.notice.kind, body: [ui.notice.kind === "error" ? h("b", { class: "seal" }, "!") : icon(ui.notice.icon ?? "check"), h("p", null, h("b", null, ui.notice.title), ui.notice.line && h("small", null, ui.notice.line))] };
  if (model.auto) {
    return { kind: "auto", body: [icon("auto"), h("p", null, h("b", null, gettext("托管中")), h("small", null, gettext("由系统代打，点任意处取回"))),
      h("button", { type: "button", class: "btn btn--primary", "data-do": "back" }, gettext("我来打"))] };
  }
  if (model.won) {
    return { kind: "won", body: [h("b", { class: "seal seal--hu" }, pgettext("印", "胡")), h("p", null, h("b", null, model.won.title, " ", fill(gettext("本局 %(units)s"), { units: unitsWords(model.won.units) })), h("small", null, model.won.line)),
      h("button", { type: "button", class: "btn btn--ghost btn--two", "data-do": "leave" }, gettext("先离开"), h("small", null, gettext("结果照算")))] };
  }
  if (model.lobby?.parting && !model.lobby.playing) return partingOf(model.lobby, ui);
  if (model.screen === "shuffle") return { kind: "wait", body: [icon("shield"), h("p", null, h("b", null, gettext("正在洗牌")), h("small", null, gettext("四家各出一份随机数，局后可以自己校验")))] };
  if (model.watched) return { kind: "eye", body: [icon("eye"), h("p", null, h("b", null, gettext("旁观")), h("small", null, model.watched.delay ? fill(gettext("%(name)s 的座位一侧，手牌不公开，晚 %(delay)s 秒"), model.watched) : fill(gettext("%(name)s 的座位一侧，手牌不公开"), model.watched)))] };
  if (model.answered) return { kind: "wait", body: [icon("check"), h("p", null, h("b", null, { pass: gettext("已过"), pung: gettext("已选碰"), kong: gettext("已选杠"), win: gettext("已选胡") }[model.answered]), h("small", null, gettext("等待其他人")))] };
  return null;
}

function waitsOf(waits, narrow) {
  return h("div", { key: "waits", class: names({ waits: true, "is-many": waits.many, "is-narrow": narrow }), role: "status", "aria-label": gettext("听牌提示") },
    waits.tile && h("span", { class: "waits__for" }, gettext("打"), tileOf(waits.tile)),
    h("b", { class: "seal seal--ting" }, pgettext("印", "听")),
    h("ul", null, waits.items.map(wait => h("li", { key: wait.tile }, tileOf(wait.tile), h("span", null, h("i", null, waits.many ? h("b", null, gettext("余")) : `${gettext("余")} `, wait.left)), h("em", null, wait.fan)))),
    waits.many && h("b", { class: "waits__best" }, waits.best),
  );
}

/* --- Panels ------------------------------------------------------------------------------------------------------ */

function chooseOf({ choose }, { clock, isBusy }) {
  return h("section", { key: "choose", class: "choose", role: "dialog", "aria-labelledby": "choose-h" },
    h("h2", { id: "choose-h" }, gettext("定缺：选一门不要的花色"), clock.seconds !== null && h("span", { "aria-hidden": "true" }, fill(gettext("%(seconds)s 秒"), clock))),
    h("div", { class: "choose__suits" }, choose.map(one =>
      h("button", { type: "button", class: one.least ? "suit is-least" : "suit", "data-suit": one.suit, "data-do": "void", disabled: !one.legal || isBusy },
        tileOf(`1${one.suit}`, "", ""), h("b", null, one.words),
        h("small", null, fill(gettext("%(count)s 张"), { count: one.held }), one.least && ` · ${gettext("建议")}`)))),
    h("p", null, gettext("四家都选好后一起亮出。超时由系统代选。")),
  );
}

const STRENGTHS = () => [["easy", gettext("新手")], ["normal", gettext("熟手")], ["strong", gettext("高手")]];

function lobbyOf({ lobby, room }, ui) {
  const { terms } = ui;
  const three = [[gettext("底金"), number(terms.base_points)], [gettext("系数"), number(terms.coefficient)], [gettext("台费"), number(terms.rake)]];
  const heading = lobby.closed ? gettext("牌桌已散") : lobby.playing ? fill(gettext("第 %(playing)s 局正在打"), lobby) : lobby.seated < 4 ? fill(gettext("等人：%(seated)s/4"), lobby) : fill(gettext("已准备 %(ready)s/4"), lobby);
  return h("section", { key: "lobby", class: "lobby paper", "aria-label": gettext("等待开局") },
    h("h2", null, heading),
    h("p", { class: "lobby__rules" }, terms.label, " · ", h("a", { href: terms.rules_url, target: "_blank", rel: "noopener" }, gettext("本桌规则"))),
    h("dl", { class: "lobby__terms" }, three.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
    h("p", { class: "lobby__unit" }, room.unit, terms.entry_minimum ? ` · ${fill(gettext("入场 %(coins)s 币"), { coins: number(terms.entry_minimum) })}` : ""),
    lobby.code && h("p", { key: "code", class: "lobby__note" }, gettext("私桌口令"), " ", h("b", { class: "lobby__code" }, lobby.code),
      h("button", { type: "button", class: "btn btn--small", "data-do": "copy", "data-copy": `${location.origin}/tables/code/?code=${lobby.code}` }, icon("share"), gettext("复制链接"))),
    lobby.playing && h("p", { key: "watch", class: "lobby__note" }, watchWords(lobby), lobby.last && " ", lobby.last && h("a", { href: lobby.last }, gettext("看上一局"))),
    h("div", { class: "lobby__go" },
      lobby.bots && h("div", { key: "bots", class: "lobby__bots" },
        h("button", { type: "button", class: "btn btn--primary", "data-do": "bots", disabled: ui.isBusy }, icon("auto"), gettext("机器人补位")),
        h("select", { "data-strength": true, "aria-label": gettext("机器人的水平") },
          STRENGTHS().map(([strength, name]) => h("option", { value: strength, selected: strength === "normal" }, name)))),
      goOf(lobby, ui),
      h(lobby.sitting ? "button" : "a", lobby.sitting ? { key: "leave", type: "button", class: "btn btn--ghost", "data-do": "leave" } : { key: "home", class: "btn btn--ghost", href: ui.lobby }, lobby.sitting ? gettext("离开") : gettext("回大厅")),
    ),
  );
}

function goOf(lobby, ui) {
  if (lobby.closed) return null;
  if (lobby.playing) return lobby.sitting && h("p", { key: "pick", class: "lobby__pick" }, gettext("打完这局就可以准备"));
  if (lobby.sitting) {
    return lobby.isReady
      ? h("button", { key: "unready", type: "button", class: "btn btn--ghost", "data-do": "unready", disabled: ui.isBusy }, icon("check"), gettext("已准备"), h("small", null, gettext("点此取消")))
      : h("button", { key: "ready", type: "button", class: lobby.bots ? "btn" : "btn btn--primary", "data-do": "ready", disabled: ui.isBusy }, gettext("准备"));
  }
  return h("p", { key: "pick", class: "lobby__pick" }, lobby.isPrivate && !ui.hasCode ? gettext("私桌，有口令才能坐下") : lobby.seated < 4 ? gettext("选一个空位坐下") : gettext("人已坐满"));
}

const watchWords = ({ watching, delay, sitting }) => (sitting ? "" : {
  off: gettext("这个房间不开放旁观。"), hands: gettext("旁观只看打完的一局。"), seconds: fill(gettext("旁观晚 %(delay)s 秒，马上开始。"), { delay }),
}[watching]);

function partingOf({ parting, sitting }, { isBusy }) {
  const said = fill(gettext("%(names)s 想散桌（%(yes)s/%(all)s）"), { ...parting, names: parting.names.join(gettext("、")) });
  return { kind: "wait", body: [icon("cut"), h("p", null, h("b", null, said), h("small", null, gettext("所有人同意后牌桌关闭"))),
    sitting && (parting.mine
      ? h("button", { type: "button", class: "btn", "data-do": "stay", disabled: isBusy }, gettext("收回"))
      : h("button", { type: "button", class: "btn btn--primary", "data-do": "askpart", disabled: isBusy }, gettext("同意散桌")))] };
}

function logOf({ tally, log, unit }, { panel }) {
  return h("aside", { key: "log", class: panel === "log" ? "log is-open" : "log", "aria-label": gettext("本局记录") },
    h("button", { type: "button", class: "log__close btn-i", "data-do": "close", "aria-label": gettext("关闭") }, icon("down")),
    h("table", { class: "tally" },
      h("caption", null, gettext("本局（倍）"), h("i", null, unit)),
      h("tbody", null, tally.map(row => h("tr", null, h("th", { scope: "row" }, row.name), h("td", { class: tone(row.units) }, signed(row.units)))))),
    h("div", { class: "log__box", role: "log", "aria-live": "polite" }, h("ol", { class: "log__list" }, !log.length && h("li", { key: "none" }, gettext("开局后，每一步都记在这里")), log.slice(-60).map(line =>
      h("li", { key: line.key, class: names({ ev: line.loud, "ev--hu": line.kind === "win" }) || null },
        line.kind === "win" && h("b", { class: "seal", "aria-hidden": "true" }, pgettext("印", "胡")),
        h("span", null, line.before), line.tile && tileOf(line.tile), line.after && h("span", null, line.after), line.gain && h("b", { class: "gain" }, line.gain))))),
  );
}
