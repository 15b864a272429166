/* What every page has: toasts that can be closed, confirmation before what cannot be undone, copying, filters that send themselves,
   a page for when there is no network. */

const dialog = document.getElementById("confirm");

document.addEventListener("click", event => {
  const dismiss = event.target.closest("[data-dismiss]");
  if (dismiss) dismiss.closest(".toast").remove();
  const copy = event.target.closest("[data-copy]");
  if (copy) copyText(document.querySelector(copy.dataset.copy).textContent, copy);
});

document.addEventListener("submit", event => {
  const form = event.target, button = event.submitter;
  const asks = button?.dataset.confirm ? button : form;
  if (!asks.dataset.confirm || form.dataset.confirmed) return;
  event.preventDefault();
  dialog.querySelector("h2").textContent = asks.dataset.confirm;
  dialog.querySelector("p").textContent = asks.dataset.confirmWords;
  dialog.querySelector("[value=yes]").textContent = asks.dataset.confirmVerb;
  dialog.returnValue = "";
  dialog.showModal();
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "yes") return;
    form.dataset.confirmed = "true";
    form.requestSubmit(button);
  }, { once: true });
});

for (const form of document.querySelectorAll("[data-autosubmit]")) form.addEventListener("change", () => form.requestSubmit());

for (const toast of document.querySelectorAll(".toast:not(.error)")) setTimeout(() => toast.remove(), 6000);

navigator.serviceWorker?.register("/worker.js").catch(() => {});

/** Put a text on the clipboard and say so on the button for a moment. */
export async function copyText(text, button) {
  await navigator.clipboard.writeText(text);
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  label.textContent = button.dataset.copied;
  button.classList.add("is-said");
  setTimeout(() => { label.textContent = before; button.classList.remove("is-said"); }, 2000);
}
