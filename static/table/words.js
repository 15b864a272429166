/* The words of the table that the server does not send. msgids are Chinese, as everywhere; Django's JavaScript catalogue translates. */

export const gettext = text => globalThis.gettext?.(text) ?? text;
export const ngettext = (one, many, count) => globalThis.ngettext?.(one, many, count) ?? one;
export const pgettext = (context, text) => globalThis.pgettext?.(context, text) ?? text;

/** Fill %(name)s places. */
export const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);

const numerals = () => [
  pgettext("牌", "一"), pgettext("牌", "二"), pgettext("牌", "三"), pgettext("牌", "四"), pgettext("牌", "五"),
  pgettext("牌", "六"), pgettext("牌", "七"), pgettext("牌", "八"), pgettext("牌", "九"),
];

function ranked(tile, rank) {
  const forms = { m: gettext("%(rank)s万"), p: gettext("%(rank)s筒"), s: gettext("%(rank)s条") };
  return fill(forms[tile[1]], { rank });
}

/** A tile: "5m" is 五万. */
export const tileWords = tile => ranked(tile, numerals()[tile[0] - 1]);
/** A tile, short: "5m" is 5万. */
export const tileShort = tile => ranked(tile, tile[0]);

export const suitWords = suit => ({ m: pgettext("花色", "万"), p: pgettext("花色", "筒"), s: pgettext("花色", "条") })[suit];

/** 三番. */
export const fanWords = fan => fill(gettext("%(n)s番"), { n: numerals()[fan - 1] ?? fan });

export const meldWords = kind => ({
  pung: gettext("碰"), exposed_kong: gettext("直杠"), added_kong: gettext("补杠"), concealed_kong: gettext("暗杠"),
})[kind];

export const sideWords = side => ({ me: gettext("我"), right: gettext("下家"), across: gettext("对家"), left: gettext("上家") })[side];

/** The base pattern of a win. */
export const patternWords = pattern => ({
  tianhu: gettext("天胡"), dihu: gettext("地胡"), qinglongqidui: gettext("清龙七对"), qingyaojiu: gettext("清幺九"),
  qingqidui: gettext("清七对"), longqidui: gettext("龙七对"), jiangdui: gettext("将对"), qingdui: gettext("清对"),
  qidui: gettext("七对"), daiyaojiu: gettext("带幺九"), qingyise: gettext("清一色"), jingoudiao: gettext("金钩钓"),
  duiduihu: gettext("对对胡"), pinghu: gettext("平胡"),
})[pattern] ?? pattern;

export const byWords = by => ({ self_draw: gettext("自摸"), discard: gettext("点炮"), robbed_kong: gettext("抢杠") })[by];

/** A whole number with thousands: 86,400. */
export const number = value => Math.abs(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
/** The same with its sign, always: +6, −4, ±0. */
export const signed = value => (value > 0 ? "+" : value < 0 ? "−" : "±") + number(value);
/** A change in units: +6 倍. */
export const unitsWords = units => fill(ngettext("%(units)s 倍", "%(units)s 倍", units), { units: signed(units) });
/** "+2×3": units from each of so many payers. */
export const gainWords = (units, payers) => `+${units}${payers > 1 ? `×${payers}` : ""}`;
export const tone = value => (value > 0 ? "gain" : value < 0 ? "loss" : "zero");
