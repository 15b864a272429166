/* While there is no network a page that is asked for is answered with the offline page. Everything else, and every page that can be
   had, comes from the site itself: nothing live is ever kept. */

const STORE = "offline-{{ version }}";
const KEPT = [{% for address in kept %}"{{ address|escapejs }}"{% if not forloop.last %}, {% endif %}{% endfor %}];

self.addEventListener("install", event => {
  event.waitUntil(caches.open(STORE).then(store => store.addAll(KEPT)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", event => {
  event.waitUntil(caches.keys()
    .then(names => Promise.all(names.filter(name => name !== STORE).map(name => caches.delete(name))))
    .then(() => self.clients.claim()));
});

self.addEventListener("fetch", event => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match(KEPT[0])));
  } else if (origin === location.origin && KEPT.includes(pathname)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(pathname)));
  }
});
