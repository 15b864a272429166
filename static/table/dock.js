/* The dock, just above the hand: what I may do, what I wait for, what I should know. */

import { h } from "./dom.js";
import { icon, names, tileOf } from "./pieces.js";
import { fill, gettext, pgettext, tileShort, unitsWords } from "./words.js";

export function dockOf(model, ui) {
  const notice = noticeOf(model, ui);
  const acts = model.acts.length > 0 && ui.line.open && !ui.isTaken;
  const covered = notice && !acts;
  return [
    notice && h("div", { key: "notice", class: `notice notice--${notice.kind}${acts ? " notice--over" : ""}`, role: "status" }, notice.body),
    !covered && model.waits && model.acts.length < 3 && waitsOf(model.waits, model.acts.length > 0),
    !notice && !acts && autosNow(model, ui.autos),
    acts && h("div", { key: "acts", class: names({ acts: true, "is-new": ui.fresh }), role: "group", "aria-label": gettext("可选操作") },
      model.claim && h("p", { class: "claim" }, tileOf(model.claim.tile, "is-hot", ""), h("span", null, h("b", null, model.claim.name), ` ${model.claim.added ? pgettext("报牌", "补杠") : pgettext("报牌", "打")} ${tileShort(model.claim.tile)}`)),
      model.acts.map((act, place) => h("button", { key: `${act.kind}${act.tile ?? ""}`, type: "button", class: `act act--${act.kind}`, "data-do": "act", "data-place": place, disabled: ui.isBusy },
        h("b", null, act.title), h("small", null, act.line), h("kbd", null, { pung: "P", kong: "K", hu: "H", pass: gettext("空格") }[act.kind]))),
    ),
  ];
}

/** What is decided for me in this hand, each with a tap to end it. */
function autosNow({ you, won, screen }, autos) {
  const on = [autos.win && ["win", gettext("自动胡")], autos.pass && ["pass", gettext("不碰不杠")]].filter(Boolean);
  if (!on.length || you === null || won || screen === "over") return null;
  return h("p", { key: "autos", class: "autos" }, on.map(([name, title]) =>
    h("button", { type: "button", class: "chip", "data-do": "autoplay", "data-name": name, "aria-label": fill(gettext("%(title)s，关掉"), { title }) }, icon("check"), title)));
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
  if (model.watched) return { kind: "eye", body: [icon("eye"), h("p", null, h("b", null, gettext("旁观")), h("small", null, model.watched.delay ? fill(gettext("%(name)s 的座位一侧，手牌不公开，晚 %(delay)s 秒"), model.watched) : fill(gettext("%(name)s 的座位一侧，手牌不公开"), model.watched))),
    h("button", { type: "button", class: "btn btn--ghost btn--two", "data-do": "beside" }, gettext("换一侧"), h("small", null, fill(gettext("到%(next)s"), model.watched)))] };
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

function partingOf({ parting, sitting }, { isBusy }) {
  const said = fill(gettext("%(names)s 想散桌（%(yes)s/%(all)s）"), { ...parting, names: parting.names.join(gettext("、")) });
  return { kind: "wait", body: [icon("cut"), h("p", null, h("b", null, said), h("small", null, gettext("所有人同意后牌桌关闭"))),
    sitting && (parting.mine
      ? h("button", { type: "button", class: "btn", "data-do": "stay", disabled: isBusy }, gettext("收回"))
      : h("button", { type: "button", class: "btn btn--primary", "data-do": "askpart", disabled: isBusy }, gettext("同意散桌")))] };
}
