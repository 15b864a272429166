/* From what the server sent to what the table shows: a pure function. It decides places, words and marks, never rules. */

import { marked, myCards, placed } from "./hand.js";
import { linesOf } from "./lines.js";
import { byWords, fanWords, fill, gainWords, gettext, meldWords, number, patternWords, pgettext, suitWords, tileShort, tileWords } from "./words.js";

export const SIDES = ["me", "right", "across", "left"];
const FACES = ["av-rice", "av-tea", "av-cat", "av-lime"];

/** Everything the table shows, of a state {table, hand, log, pick, passed, order}; `pick` is the key of the selected tile of one's own
    hand, `passed` the decision for which offers of one's own turn were waved away, `order` that of one's own tiles where they are not sorted,
    `beside` the seat on whose side one watches. */
export function project(state) {
  const { table, hand } = state;
  const running = hand && (hand.status !== "settled" || state.showsHand);
  const you = running ? hand.you : table.you;
  const bottom = you ?? (running ? state.beside ?? 0 : 0);
  const view = running ? hand.view : null;
  const cards = view && you !== null ? myCards(view, you, state.order) : [];
  const picked = cards.find(card => card.key === state.pick && !card.won) ?? null;
  const seats = SIDES.map((side, step) => {
    const seat = (bottom + step) % 4;
    const shown = running ? playingSeat(state, side, seat, you, picked) : waitingSeat(state, side, seat);
    return { ...shown, said: state.said?.[seat] ?? null };
  });
  const auto = running && you !== null && hand.status === "playing" && hand.auto[you] && !view.seats[you].won && !view.seats[you].left;
  const acts = view && !auto ? offers(state) : [];
  const claiming = view?.phase === "claim" && acts.length > 0;
  const choose = view && you !== null ? chooseOf(view, you) : null;
  const least = choose?.find(one => one.least)?.suit ?? null;
  return {
    screen: running ? hand.status === "shuffling" ? "shuffle" : view.phase : "lobby",
    you, bottom, seats,
    room: roomWords(state, running),
    hand: view ? placed(you === null ? backsOf(view.seats[bottom]) : cards.map(card => marked(card, state, { picked, isClaiming: claiming, least })), seats[0].melds) : [],
    watched: running && you === null ? { name: nameOf(state, bottom), next: nameOf(state, (bottom + 1) % 4), delay: table.terms.watching === "seconds" ? table.terms.watch_delay : 0 } : null,
    sits: table.you !== null,
    hub: hubOf(state, view, bottom, you, claiming),
    acts,
    claim: claiming ? { tile: view.last.tile, name: nameOf(state, view.last.seat), added: view.last.kind !== "discard" } : null,
    waits: view && you !== null ? waitsOf(view, you, picked) : null,
    choose,
    auto,
    won: view && you !== null && view.phase !== "over" && view.seats[you].won ? wonNotice(state, view, you) : null,
    answered: view?.answered ?? null,
    isAsked: Boolean(view?.legal.length) && !view.answered && view.phase !== "over",
    lobby: running ? null : lobbyOf(state),
    tally: running && view ? [0, 1, 2, 3].map(step => (bottom + step) % 4).map(seat => ({ name: nameOf(state, seat), units: view.seats[seat].units })) : [],
    log: linesOf(state.log),
    unit: unitWords(table.terms),
  };
}

/** The concealed tiles of who is watched. */
const backsOf = ({ count }) => Array.from({ length: count }, (_, place) => ({ key: `back:${place}`, back: true }));

const nameOf = ({ table, hand }, seat) => hand?.players[seat]?.name ?? table.seats[seat]?.name ?? "";

/** The relation of one seat to another: "right" plays after, "left" before. */
export const sideOf = (seat, from) => SIDES[(seat - from + 4) % 4];

export const unitWords = terms => !terms.unit_coins ? gettext("练习，不计金币") : fill(gettext("1 倍 = %(coins)s 币"), { coins: number(terms.unit_coins) });

function roomWords({ table, hand }, running) {
  const which = running ? fill(gettext("第 %(number)s 局"), hand) : fill(gettext("%(number)s 号桌"), table);
  return { name: table.room.name, which, label: table.terms.label, unit: unitWords(table.terms) };
}

function face(person, seat) {
  return person?.bot ? "av-bot" : FACES[seat];
}

function waitingSeat({ table }, side, seat) {
  const person = table.seats[seat];
  const base = { side, seat, melds: [], river: [], rack: 0 };
  if (!person) return { ...base, empty: true, canSit: table.you === null && !table.closed, avatar: "av-none" };
  return { ...base, name: person.name, isBot: person.bot, title: person.title, coins: person.coins, avatar: face(person, seat), ready: person.ready, waiting: true };
}

function playingSeat(state, side, seat, you, picked) {
  const { table, hand } = state;
  const player = hand.players[seat], seated = table.seats[seat];
  const about = seated?.name === player.name ? seated : null;
  const shown = {
    side, seat, name: player.name, isBot: player.bot, title: about?.title ?? "", coins: about?.coins ?? null, avatar: face(player, seat),
    auto: hand.auto[seat] && !player.bot, isMine: seat === you, melds: [], river: [], rack: 0,
  };
  const view = hand.view;
  if (!view) return shown;
  const its = view.seats[seat];
  const turn = view.phase === "turn" && view.turn === seat;
  const last = view.last?.kind === "discard" && view.phase !== "over" && view.last.seat === seat ? view.last.tile : null;
  const river = its.river.map((one, place) => ({ key: `${seat}:${place}`, tile: one.tile, claimed: one.claimed })).filter(one => !one.claimed);
  if (last && river.length && river.at(-1).tile === last) river.at(-1).mark = view.phase === "claim" && seat !== you && view.legal.length ? "hot" : "last";
  for (const one of river) one.same = picked !== null && one.tile === picked.tile;
  return {
    ...shown,
    dealer: view.dealer === seat,
    turn: turn || (seat === you && view.phase === "claim" && view.legal.length > 0),
    suit: its.void,
    naming: view.phase === "void" && !its.void,
    units: view.phase === "void" ? null : its.units,
    left: its.left,
    rack: seat === you ? 0 : its.count,
    gap: turn && its.count % 3 === 2,
    melds: its.melds.map((meld, place) => meldOf(state, meld, seat, place, picked)),
    river,
    rows: river.length > 18 ? Math.ceil(river.length / 6) : null,
    won: its.won ? wonMark(state, its.won) : null,
  };
}

function meldOf(state, meld, owner, place, picked) {
  const { kind } = meld;
  const size = kind === "pung" ? 3 : 4;
  const from = meld.from === null ? null : sideOf(meld.from, owner);
  const giver = from ? fill(gettext("，自%(name)s"), { name: nameOf(state, meld.from) }) : "";
  return {
    key: `meld:${owner}:${place}`, kind, tile: meld.tile, size,
    turned: from === null ? -1 : { left: 0, across: 1, right: size - 1 }[from],
    hidden: kind === "concealed_kong" ? [0, 3] : [],
    same: picked !== null && meld.tile === picked.tile,
    label: fill(gettext("%(meld)s%(tile)s"), { meld: meldWords(kind), tile: tileWords(meld.tile) }) + giver,
  };
}

function wonMark(state, won) {
  const from = won.from !== null ? nameOf(state, won.from) : null;
  const orders = [gettext("首胡"), gettext("二胡"), gettext("三胡")];
  return { tile: won.tile, fan: fanWords(won.fan), how: `${orders[won.order - 1] ?? ""} ${byWords(won.by)}`, from };
}

function wonNotice(state, view, you) {
  const { won, units } = view.seats[you];
  const from = won.by === "self_draw" ? byWords("self_draw") : fill(gettext("%(name)s%(by)s"), { name: nameOf(state, won.from), by: byWords(won.by) });
  return { title: fanWords(won.fan), units, line: `${patternWords(won.base)} · ${from}` };
}

/* --- What may be done -------------------------------------------------------------------------------------------- */

function offers(state) {
  const { hand, passed } = state;
  const view = hand.view;
  if (view.answered) return [];
  const own = view.phase === "turn";
  const acts = [];
  for (const act of view.legal) {
    const gain = [act, act.others].filter(part => part?.units).map(part => gainWords(part.units, part.payers.length)).join(" ");
    const tile = act.tile ?? view.last?.tile;
    if (act.kind === "pung") acts.push({ kind: "pung", title: gettext("碰"), line: tileShort(tile), tile, action: { kind: "pung" } });
    if (act.kind === "kong") {
      acts.push({ kind: "kong", title: gettext("杠"), line: `${tileShort(tile)} ${gain}`.trim(), tile, action: own ? { kind: "kong", tile } : { kind: "kong" } });
    }
    if (act.kind === "win") acts.push({ kind: "hu", title: own ? pgettext("按钮", "自摸") : gettext("胡"), line: `${fanWords(act.fan)} ${gain}`.trim(), tile, action: { kind: "win" } });
  }
  if (!acts.length || (own && passed === hand.decision)) return [];
  const rank = ["pung", "kong", "hu"];
  acts.sort((a, b) => rank.indexOf(a.kind) - rank.indexOf(b.kind));
  const passes = view.legal.some(act => act.kind === "pass");
  const discards = own && view.legal.some(act => act.kind === "discard");
  if (passes || discards) {
    const line = passes ? gettext("不要") : acts.at(-1).kind === "hu" ? gettext("不胡") : gettext("不杠");
    acts.push({ kind: "pass", title: gettext("过"), line, action: passes ? { kind: "pass" } : null });
  }
  return acts;
}

function waitsOf(view, you, picked) {
  if (view.seats[you].won || view.phase === "void" || view.phase === "over") return null;
  const mine = view.phase === "turn" && view.turn === you;
  const waits = mine ? picked && view.discards?.[picked.tile] : view.waits;
  if (!waits?.length) return null;
  const fans = waits.map(wait => wait.fan), low = Math.min(...fans), high = Math.max(...fans);
  const best = low === high ? `${high}` : `${low}–${high}`;
  return {
    tile: mine ? picked.tile : null, many: waits.length > 3, best: fill(gettext("%(fan)s 番"), { fan: best }),
    items: waits.map(wait => ({ tile: wait.tile, left: wait.left, fan: fill(gettext("%(fan)s 番"), { fan: wait.fan }) })),
  };
}

const heldOf = (view, you, suit) => view.seats[you].hand.filter(tile => tile[1] === suit).length;

function leastSuit(view, you) {
  const choice = view.legal.filter(act => act.kind === "void").map(act => act.suit);
  return choice.sort((a, b) => heldOf(view, you, a) - heldOf(view, you, b))[0] ?? null;
}

function chooseOf(view, you) {
  if (view.phase !== "void" || view.seats[you].void) return null;
  const least = leastSuit(view, you);
  const suits = view.legal.filter(act => act.kind === "void").map(act => act.suit);
  if (!suits.length) return null;
  return ["m", "p", "s"].map(suit => ({ suit, words: suitWords(suit), held: heldOf(view, you, suit), least: suit === least, legal: suits.includes(suit) }));
}

function hubOf({ hand, table }, view, bottom, you, claiming) {
  if (!view) {
    const ready = table.seats.filter(seat => seat?.ready).length;
    return { lights: [], say: hand?.status === "shuffling" ? gettext("洗牌") : "", wall: null, ready };
  }
  const mine = view.phase === "turn" && view.turn === you && you !== null;
  const naming = view.phase === "void";
  const lit = view.phase === "turn" ? view.turn : claiming ? you : null;
  return {
    lights: SIDES.map((_, step) => lit === (bottom + step) % 4),
    say: naming ? gettext("定缺") : claiming ? gettext("请选择") : mine ? gettext("请出牌") : "",
    wall: view.wall,
  };
}

function lobbyOf({ table, hand }) {
  const seated = table.seats.filter(Boolean).length;
  const mine = table.you === null ? null : table.seats[table.you];
  const people = table.seats.filter(seat => seat && !seat.bot), wanting = people.filter(seat => seat.wants_end);
  return {
    seated, ready: table.seats.filter(seat => seat?.ready).length,
    sitting: mine !== null, isReady: mine?.ready ?? false, closed: table.closed ?? false,
    bots: table.terms.bots_allowed && mine !== null && seated < 4 && !table.playing,
    playing: table.playing ?? null, watching: table.terms.watching ?? "off", delay: table.terms.watch_delay ?? 0,
    last: table.playing && hand?.settlement ? hand.settlement.replay_url : null,
    isPrivate: table.private ?? false, code: table.code ?? null,
    parting: wanting.length ? { names: wanting.map(seat => seat.name), yes: wanting.length, all: people.length, mine: mine?.wants_end ?? false } : null,
  };
}
