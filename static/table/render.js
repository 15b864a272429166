/* From the model to the page. Everything is described anew each time; `patch` touches only what differs. */

import { dockOf } from "./dock.js";
import { h, patch, remembered } from "./dom.js";
import { lobbyOf } from "./lobby.js";
import { dialOf, face, icon, litOf, meldOf, names, picture, riverOf, riverWords, tileOf } from "./pieces.js";
import { fill, gettext, number, pgettext, sideWords, signed, suitWords, tone } from "./words.js";

/** Show a model. `ui`: what main.js knows beside it. */
export function render(root, model, ui) {
  root.dataset.state = model.screen;
  root.classList.toggle("is-stale", !ui.line.open);
  const [me, right, across, left] = model.seats;
  patch(root, [
    h("h1", { key: "title", class: "vh" }, `${model.room.name} · ${model.room.which}`),
    barOf(model, ui),
    toolsOf(model, ui),
    seatOf(across), seatOf(left), seatOf(right),
    model.lobby ? lobbyOf(model, ui) : hubOf(model, ui),
    h("section", { key: "my-river", class: "seat seat--me", "data-seat": me.seat, "aria-label": riverWords(model.watched?.name) }, riverOf(me, model.watched?.name)),
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
  if (model.screen === "lobby") return phrases && h("div", { key: "tools", class: "tools" }, phrases, settingsTool(ui));
  return h("div", { key: "tools", class: "tools" },
    phrases,
    h("button", { type: "button", class: "btn-i btn-i--log", "data-do": "panel", "data-panel": "log", "aria-haspopup": "dialog" }, icon("log"), h("span", null, gettext("记录"))),
    settingsTool(ui),
    model.you !== null && h("button", { type: "button", class: "btn-i", "data-do": "auto", role: "switch", "aria-checked": String(Boolean(model.auto)), disabled: model.screen === "shuffle" || model.screen === "over" },
      icon("auto"), h("span", null, gettext("托管"))),
  );
}

const settingsTool = ({ autos }) =>
  h("button", { type: "button", class: names({ "btn-i": true, "is-on": autos.win || autos.pass }), "data-do": "panel", "data-panel": "settings", "aria-haspopup": "dialog" }, icon("gear"), h("span", null, gettext("设置")));

/* --- Seats ------------------------------------------------------------------------------------------------------- */

function seatOf(seat) {
  const side = sideWords(seat.side);
  return h("section", { key: seat.side, class: `seat seat--${seat.side}`, "data-seat": seat.seat, "aria-label": `${side} ${seat.name ?? gettext("空位")}` },
    h("div", { class: "post" },
      whoOf(seat),
      rackOf(seat),
      h("div", { class: "melds", "data-n": seat.melds.length }, seat.melds.map(meld => meldOf(meld))),
    ),
    riverOf(seat, fill(gettext("%(side)s的牌河"), { side })),
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
    h("span", { class: names({ who__name: true, "is-bot": seat.isBot }) }, nameOf(seat)),
    h("span", { class: "who__title" }, seat.title),
    seat.coins !== null && h("span", { class: "who__coins" }, icon("coin"), number(seat.coins)),
    h("span", { class: "who__marks" },
      seat.waiting && h("span", { class: seat.ready ? "badge badge--ready" : "badge badge--wait" }, seat.ready ? gettext("已准备") : gettext("未准备")),
      seat.suit && h("span", { class: "badge", "data-suit": seat.suit }, fill(gettext("缺%(suit)s"), { suit: suitWords(seat.suit) })),
      seat.naming && h("span", { class: "badge badge--wait" }, gettext("定缺中")),
      seat.units !== null && seat.units !== undefined && h("span", { class: `delta ${tone(seat.units)}` }, h("span", { class: "vh" }, gettext("本局")), signed(seat.units)),
      seat.left && h("span", { class: "tag tag--warn" }, icon("exit"), gettext("已离开")),
      seat.auto && !seat.left && !seat.isMine && h("span", { class: "tag" }, icon("auto"), gettext("托管")),
    ),
    seat.said && h("p", { class: "bubble", role: "status" }, seat.said),
    won && h("p", { class: "won" }, h("b", { class: "seal seal--hu" }, pgettext("印", "胡")), tileOf(won.tile, "is-win"),
      h("span", null, h("b", null, won.fan), h("small", null, won.how, won.from && h("i", null, won.from)))),
  );
}

/** A bot's strength and its name may stand in two lines. */
const nameOf = ({ name, isBot }) => (isBot ? name.split(/(?<=·)/).flatMap((part, place) => [place > 0 && h("wbr"), part.replaceAll(" ", "\u00a0")]) : name);

function rackOf(seat) {
  if (seat.empty || seat.waiting) return null;
  const backs = Array.from({ length: seat.rack }, (_, place) => h("i", { class: seat.gap && place === seat.rack - 1 ? "gap" : null }));
  return h("div", { class: `rack rack--${seat.side}${seat.won ? " is-down" : ""}`, role: "img", "aria-label": fill(gettext("%(count)s 张手牌"), { count: seat.rack }) }, backs);
}

function hubOf({ hub, screen }, ui) {
  const { seconds, part, urgent, isReserve, more } = ui.clock;
  const known = ui.line.open && seconds !== null && screen !== "shuffle";
  return h("div", { key: "hub", class: names({ hub: true, "is-urgent": known && urgent, "is-reserve": known && isReserve }), role: "timer", "aria-label": [hub.say, known && fill(isReserve ? gettext("备用时间还有 %(seconds)s 秒") : gettext("还有 %(seconds)s 秒"), { seconds }), hub.wall !== null && fill(gettext("余 %(count)s 张"), { count: hub.wall })].filter(Boolean).join(gettext("，")) },
    dialOf(
      h("circle", { class: "track", cx: 50, cy: 50, r: 36 }),
      h("circle", { class: known ? "clock" : "clock is-off", cx: 50, cy: 50, r: 36, pathLength: 100, "stroke-dasharray": `${known ? Math.round(part * 100) : 0} 100`, transform: "rotate(-90 50 50)" }),
    ),
    litOf(hub.lights),
    h("b", { class: known && seconds > 99 ? "hub__sec is-long" : "hub__sec" }, known ? seconds : ui.line.open ? "" : "–"),
    known && more > 0 && h("small", { class: "hub__more", "aria-hidden": "true" }, isReserve ? gettext("备用") : `+${more}`),
    h("span", { class: names({ hub__say: true, "is-alone": !known }) }, ui.line.open && hub.say),
    hub.wall !== null && h("p", { class: "hub__wall" }, `${pgettext("牌墙", "余")} `, h("b", null, hub.wall), " ", h("i", null, gettext("张"))),
  );
}

function mineOf(me, model, ui) {
  const { watched } = model;
  return h("section", { key: "mine", class: "mine", "aria-label": watched ? fill(gettext("%(name)s的座位"), watched) : gettext("我的座位") },
    h("div", { class: "me" }, whoOf(me)),
    h("div", { class: "dock" }, dockOf(model, ui)),
    h("ol", { class: names({ hand: true, "is-auto": model.auto }), "aria-label": watched ? fill(gettext("%(name)s的手牌"), watched) : gettext("我的手牌") },
      model.hand.map(card => card.kind ? h("li", { key: card.key, class: "own-meld" }, meldOf({ ...card, key: null })) : card.back ? backOf(card) : cardOf(card)),
    ),
  );
}

const backOf = card => h("li", { key: card.key, "aria-hidden": "true" }, h("span", { class: "tile stand back" }, face("back")));

function cardOf(card) {
  return h("li", { key: card.key, class: names({ "void-from": card.gap, drawn: card.apart }) || null },
    h("button", {
      type: "button", "data-do": "tile", "data-key": card.key, "data-tile": card.tile, "aria-label": card.label, "aria-pressed": String(card.pick), disabled: card.won,
      class: names({ tile: true, stand: true, "is-void": card.greyed, "is-pick": card.pick, "is-drawn": card.drawn && !card.pick, "is-same": card.same, "is-ready": card.readies, "is-mate": card.mate, "is-win": card.won }),
    }, face(card.tile)));
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

function logOf({ tally, log, unit }, { panel, isLogShown }) {
  return h("aside", { key: "log", class: panel === "log" ? "log is-open" : "log", "aria-label": gettext("本局记录") },
    h("button", { type: "button", class: "log__close btn-i", "data-do": "close", "aria-label": gettext("关闭") }, icon("down")),
    h("table", { class: "tally" },
      h("caption", null, gettext("本局（倍）"), h("i", null, unit)),
      h("tbody", null, tally.map(row => h("tr", null, h("th", { scope: "row" }, row.name), h("td", { class: tone(row.units) }, signed(row.units)))))),
    h("div", { class: "log__box", role: "log", "aria-live": "polite", tabindex: isLogShown ? 0 : null }, stepsOf(log)),
  );
}

const stepsOf = remembered(log => h("ol", { class: "log__list" }, log.length ? log.map(lineOf) : h("li", { key: "none" }, gettext("开局后，每一步都记在这里"))));

const lineOf = remembered(line =>
  h("li", { key: line.key, class: names({ ev: line.loud, "ev--hu": line.kind === "win" }) || null },
    line.kind === "win" && h("b", { class: "seal", "aria-hidden": "true" }, pgettext("印", "胡")),
    h("span", null, line.before), line.tile && tileOf(line.tile), line.after && h("span", null, line.after), line.gain && h("b", { class: "gain" }, line.gain)));
