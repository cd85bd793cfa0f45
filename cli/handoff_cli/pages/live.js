"use strict";
/* A page from `handoff view --serve` asks for a newer one and takes it in without losing its place. */
(() => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement, live = byId("live"), query = byId("query");
  const PAUSE = 2000, LONGER = 10000; // milliseconds

  const fetched = (path, type) => new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("GET", path);
    request.responseType = type;
    request.onload = () => (request.status === 200 ? done(request.response) : failed(new Error(String(request.status))));
    request.onerror = failed;
    request.send();
  });

  const details = (id) => byId(id) && byId(id).querySelector("details");

  async function renew() {
    const fresh = await fetched(".", "document");
    const state = { query: query.value, off: view.unchecked(), theme: "" };
    const top = view.anchor();
    const atEnd = scrollY > 0 && root.scrollHeight - innerHeight - scrollY < 120;
    const open = [...document.querySelectorAll(".e > details[open]")].map((one) => one.parentElement.id);
    const focus = document.activeElement && document.activeElement.id;
    for (const id of ["overview", "filters", "timeline"]) byId(id).replaceWith(fresh.getElementById(id));
    root.dataset.version = fresh.documentElement.dataset.version;
    document.title = fresh.title;
    for (const id of open) if (details(id)) details(id).open = true;
    view.read();
    view.restore(state);
    const again = top && byId(top.item.el.id);
    if (atEnd) scrollTo(0, root.scrollHeight);
    else if (again) scrollTo(0, scrollY + again.getBoundingClientRect().top - top.offset);
    if (focus && focus !== document.activeElement.id && byId(focus)) byId(focus).focus({ preventScroll: true });
  }

  async function follow() {
    let pause = PAUSE;
    if (!document.hidden) {
      try {
        if ((await fetched("version", "text")) !== root.dataset.version) await renew();
        live.className = "";
        live.textContent = "live";
      } catch {
        live.className = "off";
        live.textContent = "no longer live";
        pause = LONGER;
      }
    }
    setTimeout(follow, pause);
  }

  follow();
})();
