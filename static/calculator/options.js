/* The options of a ruleset: a control for each, and the ruleset that a change makes. A ruleset is {name, spec, line, options};
   `spec` is its preset, or {preset, options} with what differs from the preset. */

import { h } from "../table/dom.js";
import { fill, gettext } from "../table/words.js";

const presetOf = ruleset => ruleset.spec.preset ?? ruleset.spec;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The ruleset of a preset as it is. */
export const usual = (ruleset, rulesets) => rulesets.find(each => each.spec === presetOf(ruleset));

/** The ruleset with another value of an option, or of one row of its table. */
export function changed(ruleset, rulesets, { name, rows }, row, value) {
  const preset = usual(ruleset, rulesets);
  const table = { ...ruleset.options[name], [row]: value };
  // In the order of the rows; a row of null is not there.
  const given = row ? Object.fromEntries(rows.map(([one]) => [one, table[one]]).filter(([, fan]) => (fan ?? null) !== null)) : value;
  const options = { ...ruleset.options, [name]: given };
  const differing = Object.fromEntries(Object.entries(options).filter(([one, of]) => !same(of, preset.options[one])));
  if (!Object.keys(differing).length) return preset;
  return { ...preset, name: fill(gettext("%(preset)s（改过）"), { preset: preset.name }), spec: { preset: preset.spec, options: differing }, options };
}

/** A labelled control for every option; the one called `wrong` says what is allowed. */
export function optionControls(controls, ruleset, rulesets, wrong) {
  const preset = usual(ruleset, rulesets);
  return h("div", { class: "calc-opts" }, controls.map(option => h("div", { key: option.name, class: "calc-opt" },
    option.rows.length
      ? h("fieldset", null, h("legend", null, option.title), h("div", { class: "calc-opt-rows" }, option.rows.map(([row, title]) => field(option, row, title, ruleset, preset, wrong))))
      : field(option, "", option.title, ruleset, preset, wrong),
    option.name === wrong && h("p", { id: `wrong-${wrong}`, class: "calc-wrong", role: "alert" },
      fill(gettext("不能这样。允许的是：%(allowed)s。"), { allowed: option.allowed })))));
}

const valueOf = (ruleset, { name }, row) => (row ? ruleset.options[name][row] ?? null : ruleset.options[name]);
const wordsOf = ({ values }, value) => values.find(([each]) => same(each, value))?.[1] ?? String(value);

function field(option, row, title, ruleset, preset, wrong) {
  const id = `option-${option.name}${row && `-${row}`}`;
  const value = valueOf(ruleset, option, row), before = valueOf(preset, option, row);
  const about = {
    id, class: "in", "data-option": option.name, "data-row": row,
    "aria-invalid": option.name === wrong ? "true" : null, "aria-describedby": option.name === wrong ? `wrong-${wrong}` : null,
  };
  return h("div", { key: id, class: "field" }, h("label", { class: "l", for: id }, title),
    option.values.length
      ? h("select", about, option.values.map(([each, words], place) => h("option", { value: place, selected: same(each, value) }, words)))
      : h("input", { ...about, type: "number", inputmode: "numeric", min: option.lowest, max: option.highest, value }),
    !same(value, before) && h("span", { class: "h" }, fill(gettext("预设：%(value)s"), { value: wordsOf(option, before) })));
}

/** Controls that somebody has used no longer follow their attributes: make them show what the ruleset says. */
export function showValues(root) {
  for (const control of root.querySelectorAll("[data-option]")) {
    if (control.localName === "select") control.selectedIndex = [...control.options].findIndex(option => option.hasAttribute("selected"));
    else if (control !== document.activeElement) control.value = control.getAttribute("value");
  }
}

/** The value that a control stands for. What is no number is sent as it is, and refused. */
export const chosenValue = ({ values }, control) => (values.length ? values[control.selectedIndex][0] : control.value === "" ? "" : Number(control.value));
