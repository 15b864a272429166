/* What a screen reader is told. Sentences only, of the model and the state; main.js puts them into the live regions. */

import { fill, gettext, tileWords } from "./words.js";

const list = words => words.filter(Boolean).join(gettext("，"));

/** What I am asked for now, after these events; null where nothing is asked anew. */
export function askedWords(model, view, events) {
  if (!view || model.you === null || !events.length) return null;
  if (model.choose) {
    const suits = model.choose.map(one => fill(gettext("%(suit)s %(count)s 张"), { suit: one.words, count: one.held }));
    return fill(gettext("请定缺：%(suits)s"), { suits: list(suits) });
  }
  const offered = list(model.acts.filter(act => act.kind !== "pass").map(act => `${act.title} ${act.line}`));
  const drawn = events.find(event => event.kind === "draw" && event.seat === model.you && event.tile);
  if (view.phase === "turn" && view.turn === model.you && (drawn || events.some(event => event.seat === model.you))) {
    return list([drawn ? fill(gettext("轮到你，摸%(tile)s"), { tile: tileWords(drawn.tile) }) : gettext("轮到你出牌"), offered]);
  }
  if (model.claim && model.acts.length) return fill(gettext("%(name)s %(tile)s，可以%(offered)s"), { name: model.claim.name, tile: tileWords(model.claim.tile), offered });
  return null;
}

/** Whose turn it is: one of the others', or nobody's. My own is told by `askedWords`. */
export function turnWords(model) {
  const other = model.seats.find(seat => seat.turn && !seat.isMine);
  return other ? fill(gettext("轮到%(name)s"), { name: other.name }) : "";
}

/** My hand: its tiles in the order in which they lie, then its melds. */
export function handWords(model) {
  if (!model.hand.length || model.you === null) return "";
  const [me] = model.seats;
  const tiles = model.hand.filter(card => !card.kind).map(card => card.label);
  return [fill(gettext("手牌：%(tiles)s"), { tiles: tiles.join(gettext("、")) }), ...me.melds.map(meld => meld.label)].join(gettext("；"));
}

/** Where the hand stands: mine, the last discard, whose turn it is, what is left of the wall and of the time. */
export function standingWords(model, { seconds }) {
  const last = model.seats.find(seat => seat.river.at(-1)?.mark);
  return [
    handWords(model),
    last && fill(gettext("上一张：%(name)s 打 %(tile)s"), { name: last.name, tile: tileWords(last.river.at(-1).tile) }),
    model.seats[0].isMine && model.seats[0].turn ? gettext("轮到你") : turnWords(model),
    ...model.seats.filter(seat => seat.won).map(seat => fill(gettext("%(name)s 已胡 %(tile)s，%(fan)s"), { name: seat.name, tile: tileWords(seat.won.tile), fan: seat.won.fan })),
    model.hub.wall !== null && fill(gettext("余 %(count)s 张"), { count: model.hub.wall }),
    seconds !== null && fill(gettext("还有 %(seconds)s 秒"), { seconds }),
  ].filter(Boolean).join(gettext("。"));
}

/** What a settled hand came to for me. */
export function resultWords({ hand, table }) {
  const mine = hand.settlement.seats[hand.you];
  const words = table.terms.unit_coins ? gettext("本局结束，%(end)s。你 %(units)s 倍，%(coins)s 币。") : gettext("本局结束，%(end)s。你 %(units)s 倍。");
  return fill(words, { end: hand.settlement.end_words, units: mine.units, coins: mine.coins });
}

/** That time gets short: at ten seconds and at five; null at other times. */
export function hurryWords({ seconds, isReserve }) {
  if (seconds !== 10 && seconds !== 5) return null;
  return fill(isReserve ? gettext("备用时间还有 %(seconds)s 秒") : gettext("还有 %(seconds)s 秒"), { seconds });
}
