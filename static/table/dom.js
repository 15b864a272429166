/* Elements from descriptions. `patch` changes what is there into what is described; elements with the same key are kept,
   so that focus, scroll and running animations survive and a tile can be followed from place to place. What is described as before
   is not looked at: reading the page is what takes time on a slow phone. */

const SVG = new Set(["svg", "use", "path", "circle", "rect", "g"]);
const keys = new WeakMap(), descriptions = new WeakMap();

/** Describe an element: attributes (true: present; null, false: absent; `vars`: CSS properties; `key`), then children and texts. */
export function h(tag, attributes, ...children) {
  const { key = null, vars = null, ...rest } = attributes ?? {};
  return { tag, key, vars, attributes: rest, children: children.flat(4).filter(child => child !== null && child !== undefined && child !== false && child !== "") };
}

/** `make`, which for the same object or name gives what it gave before: a description that is known to be the same is not compared. */
export function remembered(make) {
  const objects = new WeakMap(), names = new Map();
  return of => {
    const made = typeof of === "object" ? objects : names;
    if (!made.has(of)) made.set(of, make(of));
    return made.get(of);
  };
}

/** Make `parent`'s children be the described ones. */
export function patch(parent, children) {
  const keyed = new Map(), rest = [];
  for (const node of parent.childNodes) {
    const key = keys.get(node);
    if (key !== undefined) keyed.set(key, node);
    else rest.push(node);
  }
  let place = parent.firstChild;
  for (const child of children) {
    const node = take(child, keyed, rest);
    if (typeof child === "object") dress(node, child);
    else if (node.data !== String(child)) node.data = String(child);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

function take(child, keyed, rest) {
  if (typeof child !== "object") {
    return rest[0]?.nodeType === 3 ? rest.shift() : document.createTextNode("");
  }
  if (child.key !== null) {
    const node = keyed.get(child.key);
    keyed.delete(child.key);
    if (node?.localName === child.tag) return node;
  } else {
    const at = rest.findIndex(node => node.localName === child.tag);
    if (at >= 0) return rest.splice(at, 1)[0];
  }
  const node = SVG.has(child.tag) ? document.createElementNS("http://www.w3.org/2000/svg", child.tag) : document.createElement(child.tag);
  if (child.key !== null) keys.set(node, child.key);
  return node;
}

function dress(node, description) {
  if (same(descriptions.get(node), description)) return;
  descriptions.set(node, description);
  const { attributes, vars, children } = description;
  for (const { name } of [...node.attributes]) {
    if (name !== "style" && (attributes[name] ?? false) === false) node.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    const text = value === true ? "" : String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
  for (const [name, value] of Object.entries(vars ?? {})) node.style.setProperty(name, value);
  patch(node, children);
}

function same(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  return one.tag === other.tag && one.key === other.key && equal(one.attributes, other.attributes) && equal(one.vars ?? {}, other.vars ?? {})
    && one.children.length === other.children.length && one.children.every((child, place) => same(child, other.children[place]));
}

function equal(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every(name => one[name] === other[name]);
}
