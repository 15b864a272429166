/* The middle of the table while no hand runs: its terms, and what is to be done until four are ready. */

import { h } from "./dom.js";
import { icon } from "./pieces.js";
import { fill, gettext, number } from "./words.js";

const STRENGTHS = () => [["easy", gettext("新手")], ["normal", gettext("熟手")], ["strong", gettext("高手")]];

export function lobbyOf({ lobby, room }, ui) {
  const { terms } = ui;
  const three = [[gettext("底金"), number(terms.base_points)], [gettext("系数"), number(terms.coefficient)], [gettext("台费"), number(terms.rake)]];
  const heading = lobby.closed ? gettext("牌桌已散") : lobby.playing ? fill(gettext("第 %(playing)s 局正在打"), lobby) : lobby.seated < 4 ? fill(gettext("等人：%(seated)s/4"), lobby) : fill(gettext("已准备 %(ready)s/4"), lobby);
  return h("section", { key: "lobby", class: "lobby paper", "aria-label": gettext("等待开局") },
    h("h2", null, heading),
    h("p", { class: "lobby__rules" }, terms.label, " · ", h("a", { href: terms.rules_url, target: "_blank", rel: "noopener" }, gettext("本桌规则"))),
    h("dl", { class: "lobby__terms" }, three.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
    h("p", { class: "lobby__unit" }, room.unit, !terms.waits_shown && ` · ${gettext("不提示听牌")}`, terms.entry_minimum ? ` · ${fill(gettext("入场 %(coins)s 币"), { coins: number(terms.entry_minimum) })}` : ""),
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

/** What is said when the terms of the table were `before` and are `after`: a running hand keeps its own. */
export function termsNews(before, after) {
  if (before.newest && !after.newest) return { title: gettext("房间条款已改"), line: gettext("这一局照原来的打完，下一局起按新条款") };
  return before.version === after.version ? null : { title: gettext("现在按新条款"), line: gettext("系数、台费或规则有变，看“本桌规则”") };
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
