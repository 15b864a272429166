/* The part of the account page that is kept on this device (static/js/preferences.js): each choice holds at once. */

import { preferences, prefer } from "../js/preferences.js";

const look = document.getElementById("look-form");
const chosen = preferences();

for (const field of look.elements) {
  if (field.type === "radio") field.checked = chosen[field.name] === field.value;
  else if (field.type === "checkbox") field.checked = chosen[field.name];
  else if (field.type === "range") field.value = chosen[field.name];
}
look.addEventListener("change", ({ target }) => {
  prefer(target.name, target.type === "checkbox" ? target.checked : target.type === "range" ? Number(target.value) : target.value);
});
look.addEventListener("submit", event => event.preventDefault());
look.hidden = false;
