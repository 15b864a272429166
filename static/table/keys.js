/* The keyboard: which key asks for what. */

const PLACES = "1234567890-=[]";
const OFFERS = { p: "pung", k: "kong", h: "hu", " ": "pass" };
const PANELS = { "?": "help", c: "phrases", l: "log", o: "settings" };

/** What a key asks for in a model, as the data of a button that would do the same ({do, …}), or null. `pick` is the key of the selected tile,
    `isCovered` whether the settlement covers the table. */
export function keyed(key, model, { pick, isCovered }) {
  if (key === "r") return { do: "repeat" };
  if (key in PANELS) return key === "c" && !model.sits ? null : { do: "panel", panel: PANELS[key] };
  if (model.screen === "lobby" || isCovered) return null;
  if (key === "s") return { do: "standing" };
  if (model.watched) return key === "v" ? { do: "beside" } : null;
  if (model.you === null) return null;
  if (model.choose && "123".includes(key)) {
    const { suit, legal } = model.choose[key - 1];
    return legal ? { do: "void", suit } : null;
  }
  if (key === "a") return { do: "auto" };
  if (key === "w" || key === "n") return { do: "autoplay", name: key === "w" ? "win" : "pass" };
  if (key in OFFERS) return offered(OFFERS[key], model.acts);
  return chosen(key, model.hand.filter(card => !card.kind && !card.won), pick);
}

/** With several kongs the key only goes to the next one; Enter on it takes it. */
function offered(kind, acts) {
  const places = acts.map((_, place) => place).filter(place => acts[place].kind === kind);
  if (!places.length) return null;
  return places.length > 1 ? { do: "next", kind } : { do: "act", place: places[0] };
}

function chosen(key, cards, pick) {
  if (key === "d") {
    const drawn = cards.find(card => card.drawn);
    return drawn ? { do: "discard", key: drawn.key } : null;
  }
  if (key === "enter") return pick ? { do: "discard", key: pick } : null;
  const at = cards.findIndex(card => card.key === pick);
  const to = { arrowright: Math.min(at + 1, cards.length - 1), arrowleft: Math.max(at - 1, 0) }[key] ?? PLACES.indexOf(key);
  return cards[to] ? { do: "pick", key: cards[to].key } : null;
}
