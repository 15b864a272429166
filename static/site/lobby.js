/* The lobby's tables, fetched again now and then while somebody looks at them. */

const live = document.getElementById("live");
const seconds = Number(live.dataset.refresh);

async function refresh() {
  if (document.hidden || live.contains(document.activeElement)) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("live");
  // Every answer masks the form token anew; only what people see counts as a change.
  if (fresh && fresh.textContent !== live.textContent) live.replaceChildren(...fresh.childNodes);
}

setInterval(() => refresh().catch(() => {}), seconds * 1000);
document.addEventListener("visibilitychange", () => refresh().catch(() => {}));
