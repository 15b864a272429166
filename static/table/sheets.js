/* The sheets over the table (templates/games/table/dialogs.html). */

export const sheetOf = name => document.querySelector(`#${name}`);

export function sheetsClose() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

/** Show in the menu where the table's rules stand, and what one may do between two hands. */
export function drawMenu(sheet, { rules, isBetween }) {
  sheet.querySelector("[data-rules]").href = rules;
  for (const one of sheet.querySelectorAll("[data-between]")) one.hidden = !isBetween;
}
