/* The end of a hand: my result first, then why, then the four hands, all open. */

import { h, patch } from "./dom.js";
import { myCards } from "./hand.js";
import { project } from "./model.js";
import { icon, meldOf, names, picture, tileOf } from "./pieces.js";
import { fanWords, fill, gettext, number, pgettext, signed, tileShort, tileWords, tone, unitsWords } from "./words.js";

/** The mark of a payment: one character and a colour. Its name and its reason come from the server. */
const markOf = ({ kind, rule }) => (rule === "concealed_kong" ? { mark: pgettext("记号", "雨"), look: " k--rain" } : {
  win: { mark: pgettext("记号", "胡"), look: "" },
  kong: { mark: pgettext("记号", "风"), look: " k--wind" },
  kong_transfer: { mark: pgettext("记号", "转"), look: " k--back" },
  kong_refund: { mark: pgettext("记号", "退"), look: " k--back" },
  huazhu: { mark: pgettext("记号", "猪"), look: " k--pig" },
  dajiao: { mark: pgettext("记号", "叫"), look: " k--call" },
  dajiao_gap: { mark: pgettext("记号", "差"), look: " k--call" },
  escape: { mark: pgettext("记号", "逃"), look: " k--back" },
}[kind]);

/** Show the settlement of the hand in `state` within `root`. `ui`: {proof, notice, isBusy}. */
export function settle(root, state, ui) {
  const { hand, table } = state;
  const { settlement, view, players } = hand;
  const me = hand.you;
  const mine = settlement.seats[me];
  // That everybody paid the whole fee stands among the sums.
  const notes = settlement.notes.filter(note => note.code !== "rake" || settlement.seats.some(seat => seat.rake !== settlement.terms.rake));
  const order = [0, 1, 2, 3].map(step => (me + step) % 4);
  const { seats } = project({ ...state, showsHand: true, pick: null });
  const cards = order.map((seat, step) => handOf({ seat, shown: seats[step], hand, isMe: seat === me }));
  patch(root, [
    h("div", { key: "left", class: "left" },
      headOf(state, mine),
      settlement.stopped && h("p", { class: "stopped paper" }, h("b", null, settlement.stopped.words), h("span", null, fill(gettext("事由：%(reason)s"), settlement.stopped))),
      !players.some(player => player.bot) && h("dl", { class: "sums paper" },
        sum(fill(gettext("积分 %(units)s × %(base)s"), { units: Math.abs(mine.units), base: settlement.terms.base_points }), signed(mine.points), tone(mine.points)),
        sum(fill(gettext("× 系数 %(coefficient)s"), { coefficient: number(settlement.terms.coefficient) }), signed(mine.gross), tone(mine.gross)),
        mine.gap !== 0 && sum(gettext("金币不足"), signed(mine.gap), tone(mine.gap)),
        sum(gettext("台费"), mine.rake ? signed(-mine.rake) : "0", tone(-mine.rake)),
        sum(gettext("实得（币）"), signed(mine.coins), `net ${tone(mine.coins)}`)),
      notes.length > 0 && h("ul", { class: "notes paper" }, notes.map(note => h("li", null, note.words))),
      mine.points_after !== mine.points_before && levelOf(mine),
      wallOf(settlement.proof, ui.proof)),
    h("div", { key: "hands", class: "hands", tabindex: "0", role: "region", "aria-label": gettext("四家手牌与收付") }, cards),
    h("nav", { key: "go", class: "go", "aria-label": gettext("下一步") },
      ui.notice && h("p", { key: "toast", class: "toast", role: "status" }, ui.notice.title),
      h("button", { type: "button", class: "btn", "data-do": "leave" }, gettext("离开")),
      h("a", { class: "btn", href: settlement.replay_url }, icon("play"), gettext("回放")),
      h("button", { type: "button", class: "btn btn--icon", "data-do": "share", "data-url": settlement.replay_url, "aria-label": gettext("分享回放") }, icon("share")),
      h("button", { type: "button", class: "btn btn--primary", "data-do": "ready", disabled: ui.isBusy }, gettext("再来一局"))),
  ]);

  function handOf({ seat, shown, isMe }) {
    const its = view.seats[seat], result = settlement.seats[seat];
    const open = myCards({ ...view, drawn: null }, seat);
    const row = open.filter(card => !card.won), won = its.won?.tile;
    const label = [...shown.melds.map(meld => meld.label), ...row.map(card => tileWords(card.tile))].join(gettext("、")) + (won ? fill(gettext("，胡%(tile)s"), { tile: tileWords(won) }) : "");
    const practice = !table.terms.unit_coins, units = unitsWords(result.units);
    return h("section", { key: seat, class: names({ h: true, "h--me": isMe, "h--long": result.account.length > 3, paper: true }), "aria-label": players[seat].name },
      h("div", null,
        h("div", { class: "h__top" },
          h("span", { class: "avatar" }, picture(shown.avatar), shown.dealer && h("b", { class: "seal seal--dealer", title: gettext("庄家") }, pgettext("印", "庄"))),
          h("div", { class: "h__name" }, h("span", null, players[seat].name), stateOf(its, seat)),
          h("div", { class: `h__coins ${tone(practice ? result.units : result.coins)}` }, practice ? units : signed(result.coins), !practice && h("small", null, units))),
        h("div", { class: "open", role: "img", "aria-label": label, vars: { "--n": widthOf(shown.melds, row, won) } },
          shown.melds.map(meld => meldOf({ ...meld, same: false })),
          h("span", { class: "run" }, row.map(card => tileOf(card.tile, "", ""))),
          won && tileOf(won, "is-win", ""))),
      h("ul", { class: "why" }, result.account.map(lineOf)));
  }

  function stateOf(its, seat) {
    if (its.won) return h("b", { class: "state state--hu" }, `${gettext("胡")} · ${fanWords(its.won.fan)}`);
    if (its.left) return h("b", { class: "state" }, gettext("逃跑"));
    const { waits } = settlement.seats[seat];
    if (waits?.length) return h("b", { class: "state state--ting" }, fill(gettext("听 %(tiles)s"), { tiles: waits.map(tileShort).join(" ") }));
    return h("b", { class: "state" }, waits ? gettext("未听") : gettext("未胡"));
  }

}

function lineOf(line) {
  const { mark, look } = markOf(line);
  return h("li", null, h("span", { class: `k${look}`, "aria-hidden": "true" }, mark),
    h("div", null, h("b", null, line.name), h("small", null, line.who), line.why.map(sentence => h("p", null, sentence))),
    h("span", { class: `u ${tone(line.units)}` }, signed(line.units)));
}

/** How many tiles a hand is wide, its gaps and the tiles that lie across counted in. */
const widthOf = (melds, row, won) => melds.reduce((width, meld) => width + meld.size + (meld.turned < 0 ? .25 : .6), row.length + (won ? 1.3 : 0)) + .5;

const sum = (name, value, look) => h("div", null, h("dt", null, name), h("dd", { class: look }, value));

function headOf({ hand, table }, mine) {
  const { settlement, view, you } = hand;
  const won = view.seats[you].won, win = settlement.wins.find(one => one.seat === you);
  const stamp = won ? pgettext("印", "胡") : view.seats[you].left ? pgettext("印", "逃") : settlement.end === "drawn" ? pgettext("印", "流") : pgettext("印", "局");
  const winners = settlement.wins.length ? ` · ${fill(gettext("%(count)s 家胡"), { count: settlement.wins.length })}` : "";
  return h("header", { class: "mine-top" },
    h("p", { class: "round" }, h("span", null, `${table.room.name} · ${fill(gettext("第 %(number)s 局"), hand)}`), h("span", null, `${settlement.end_words}${winners}`)),
    h("b", { class: won ? "stamp" : "stamp stamp--calm", "aria-hidden": "true" }, stamp),
    h("div", null, h("h1", null, win ? win.words : view.seats[you].left ? gettext("逃跑") : gettext("未胡")), h("p", { class: "sum" }, hand.players.some(player => player.bot) ? gettext("练习，不计金币和积分") : unitsWords(mine.units))),
    h("p", { class: `coins ${tone(mine.units)}` }, table.terms.unit_coins ? signed(mine.coins) : unitsWords(mine.units), table.terms.unit_coins > 0 && mine.balance !== null && h("small", null, icon("coin"), number(mine.balance))));
}

function levelOf(mine) {
  const rises = mine.level_after > mine.level_before, falls = mine.level_after < mine.level_before;
  const floor = mine.threshold ?? 0, missing = mine.next_threshold === null ? null : mine.next_threshold - mine.points_after;
  const part = missing === null ? 1 : Math.min(1, Math.max(0.02, (mine.points_after - floor) / (mine.next_threshold - floor)));
  return h("section", { class: "level paper", "aria-label": gettext("积分与头衔") },
    h("span", { class: rises ? "up" : falls ? "up up--down" : "up up--still" }, rises || falls ? icon(rises ? "up" : "down") : h("b", null, mine.level_after)),
    h("h2", null, (rises || falls) && h("s", null, `${mine.title_before} → `), h("em", null, mine.title_after)),
    h("p", { class: "pts" }, `${mine.points_before < 0 ? "−" : ""}${number(mine.points_before)} → `, h("b", null, `${mine.points_after < 0 ? "−" : ""}${number(mine.points_after)}`)),
    h("div", { class: "track", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(part * 100), "aria-label": gettext("距离下一头衔") }, h("i", { vars: { width: `${part * 100}%` } })),
    h("p", { class: "next" }, missing === null ? gettext("已是最高头衔") : fill(gettext("距「%(title)s」还有 %(points)s 分"), { title: mine.next_title, points: number(missing) })));
}

function wallOf(proof, checked) {
  const short = `${proof.commitment.slice(0, 4)}…${proof.commitment.slice(-4)}`;
  const reasons = { seed: gettext("种子与承诺不符"), seen: gettext("承诺在局中变过"), nonces: gettext("随机数与承诺不符"), mine: gettext("你的随机数没有用上"), wall: gettext("牌墙与种子不符") };
  const [title, line] = !checked ? [gettext("这副牌可以自己验"), gettext("种子与四家随机数已公开")]
    : checked.length ? [gettext("牌墙有误，请向茶社反映"), checked.map(fault => reasons[fault]).join(gettext("；"))]
      : [gettext("牌墙无误"), fill(gettext("108 张与开局承诺一致 · %(short)s"), { short })];
  return h("section", { class: `wall paper${checked ? checked.length ? " is-wrong" : " is-right" : ""}`, role: "status" },
    icon("shield"), h("p", null, h("b", null, title), h("small", null, line)),
    h("button", { type: "button", class: "btn", "data-do": "check" }, checked ? gettext("再验一次") : gettext("校验牌墙")));
}
