/* The lobby's rooms, tables and lines: asked for again while somebody looks at them, sent again only when they have changed. */

const SECONDS = 4;

const live = document.getElementById("live");
const title = document.title;
let tag = "";

async function refresh() {
  if (document.hidden || live.contains(document.activeElement)) return;
  const answer = await fetch(live.dataset.address, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store", redirect: "error" });
  if (answer.status !== 200) return;
  live.innerHTML = await answer.text();
  tag = answer.headers.get("ETag");
  count();
}

/** What is left of a seat that is offered to me. The time is the server's, and so is the decision. */
function count() {
  const left = live.querySelector("[data-until]");
  document.title = left ? `● ${title}` : title;
  if (!left) return;
  left.dataset.ends ??= Date.now() + Date.parse(left.dataset.until) - Date.parse(left.dataset.now);
  left.textContent = Math.max(0, Math.ceil((left.dataset.ends - Date.now()) / 1000));
}

const quietly = () => refresh().catch(() => {});
setInterval(quietly, SECONDS * 1000);
setInterval(count, 1000);
document.addEventListener("visibilitychange", quietly);
count();
