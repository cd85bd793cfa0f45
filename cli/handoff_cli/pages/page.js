"use strict";
/* Shows, hides and finds what the page already holds. It never makes markup of text. */
const view = (() => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  const query = byId("query"), hits = byId("hits"), all = byId("all");
  const bar = document.querySelector(".bar");
  const kept = history.state && history.state.handoff ? history.state.handoff : { query: "", off: [], theme: "" };
  let items = [], days = [], entries = 0, found = [], place = -1, wanted = [];

  /* The page as lists; `text` is made at the first search. */
  function read() {
    items = [];
    days = [];
    entries = 0;
    for (const el of byId("timeline").children) {
      if (el.classList.contains("day")) days.push({ el, items: [] });
      if (!el.classList.contains("item")) continue;
      const own = el.dataset.kind ? [el] : [...el.querySelectorAll(":scope > .e")];
      const item = { el, agent: el.dataset.agent, shown: true, rows: [] };
      item.rows = own.map((row) => ({ el: row, kind: row.dataset.kind, shown: true, text: null, item }));
      entries += own.length;
      items.push(item);
      if (days.length) days[days.length - 1].items.push(item);
    }
  }

  const text = (row) => (row.text ??= row.el.textContent.toLowerCase());
  const unchecked = () => [...bar.querySelectorAll("#filters input:not(:checked)")].map((box) => `${box.name} ${box.value}`);

  function apply() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const off = new Set(unchecked());
    const top = anchor();
    let count = 0;
    wanted = words;
    found = [];
    for (const item of items) {
      let some = false;
      const agentOn = !off.has(`agent ${item.agent}`);
      for (const row of item.rows) {
        const on = agentOn && !off.has(`kind ${row.kind}`) && words.every((word) => text(row).includes(word));
        if (on !== row.shown && row.el !== item.el) row.el.hidden = !on;
        row.shown = on;
        if (!on) continue;
        some = true;
        count += 1;
        if (words.length) found.push(row);
      }
      if (some !== item.shown) item.el.hidden = !some;
      item.shown = some;
    }
    for (const day of days) day.el.hidden = !day.items.some((item) => item.shown);
    byId("none").hidden = count > 0 || entries === 0;
    const filtered = words.length > 0 || off.size > 0;
    hits.textContent = filtered ? `${count.toLocaleString("en")} of ${entries.toLocaleString("en")}` : "";
    all.hidden = !filtered;
    place = -1;
    if (top && top.item.shown) scrollTo(0, scrollY + top.item.el.getBoundingClientRect().top - top.offset);
    highlight();
    keep();
  }

  function keep() {
    const state = { query: query.value, off: unchecked(), theme: root.dataset.theme || "" };
    history.replaceState({ handoff: state }, "");
  }

  function reset() {
    query.value = "";
    for (const box of bar.querySelectorAll("#filters input")) box.checked = true;
    apply();
  }

  /* What stands at the top of the screen, and how far below its edge; null above the timeline. */
  function anchor() {
    const edge = bar.getBoundingClientRect().bottom;
    if (byId("timeline").getBoundingClientRect().top >= edge) return null;
    const item = items.find((one) => one.shown && one.el.getBoundingClientRect().bottom > edge + 1);
    return item ? { item, offset: item.el.getBoundingClientRect().top } : null;
  }

  /* Matches are painted without a change to the page, and only near the screen. */
  const painted = new Map(), byElement = new Map();
  const paint = "highlights" in CSS ? new Highlight() : null;
  if (paint) CSS.highlights.set("found", paint);
  const watch = new IntersectionObserver((changes) => {
    for (const change of changes) {
      for (const range of painted.get(change.target) || []) paint.delete(range);
      painted.delete(change.target);
      if (change.isIntersecting) painted.set(change.target, byElement.get(change.target).rows.flatMap(ranges));
    }
  }, { rootMargin: "600px" });

  function ranges({ el, shown }) {
    const made = [];
    if (!shown) return made;
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, lower = node.data.toLowerCase();
      if (lower.length !== node.data.length) continue;
      for (const word of wanted) {
        for (let at = lower.indexOf(word); at >= 0 && made.length < 500; at = lower.indexOf(word, at + word.length)) {
          const range = new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length });
          paint.add(range);
          made.push(range);
        }
      }
    }
    for (const details of el.querySelectorAll(":scope > details")) {
      const seen = details.firstElementChild.textContent.toLowerCase();
      details.classList.toggle("in-output", wanted.some((word) => !seen.includes(word) && details.textContent.toLowerCase().includes(word)));
    }
    return made;
  }

  function highlight() {
    if (!paint) return;
    watch.disconnect();
    for (const el of painted.keys()) for (const one of el.querySelectorAll(".in-output")) one.classList.remove("in-output");
    painted.clear();
    paint.clear();
    byElement.clear();
    if (!wanted.length) return;
    for (const item of items) {
      if (!item.shown) continue;
      byElement.set(item.el, item);
      watch.observe(item.el);
    }
  }

  /* Going to places. */
  function go(el) {
    const inside = el.closest("details") || (el.matches(".e") ? el.querySelector("details") : null);
    if (inside && wanted.length) inside.open = true;
    el.scrollIntoView({ block: el.matches(".item") ? "start" : "center" });
  }

  function nextMatch(step) {
    if (!found.length) return;
    place = (place + step + found.length) % found.length;
    const el = found[place].el;
    for (const one of document.querySelectorAll(".now")) one.classList.remove("now");
    el.classList.add("now");
    go(el);
    hits.textContent = `${place + 1} of ${found.length.toLocaleString("en")}`;
  }

  function nextTurn(step) {
    const shown = items.filter((item) => item.shown);
    const on = document.activeElement && document.activeElement.closest(".item");
    let at = shown.findIndex((item) => item.el === on);
    if (at < 0) {
      const top = anchor();
      at = top ? shown.indexOf(top.item) - (step > 0 && top.offset > 0 ? 1 : 0) : step > 0 ? -1 : 0;
    }
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + step))];
    if (!next) return;
    next.el.focus({ preventScroll: true });
    next.el.scrollIntoView({ block: "start" });
  }

  function reveal(hash) {
    const el = /^#[a-z]\d+$/.test(hash) ? byId(hash.slice(1)) : null;
    if (!el) return;
    if (el.closest("[hidden]")) reset();
    const folded = el.closest(".long");
    if (folded) folded.classList.add("whole");
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link) reveal(link.getAttribute("href"));
    const more = event.target.closest(".more");
    if (more) {
      const whole = more.previousElementSibling.classList.toggle("whole");
      more.setAttribute("aria-expanded", String(whole));
      more.textContent = whole ? "Show less" : "Show all";
      if (!whole) more.closest(".e, .card").scrollIntoView({ block: "nearest" });
    }
  }, true);

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.matches("input[type=search], textarea, select");
    if (event.key === "Escape" && (typing || query.value)) {
      query.value = "";
      apply();
      if (typing) query.blur();
    } else if (typing || !byId("keys").checked) {
      return;
    } else if (event.key === "/") {
      query.focus();
      query.select();
    } else if (event.key === "j" || event.key === "k") {
      nextTurn(event.key === "j" ? 1 : -1);
    } else {
      return;
    }
    event.preventDefault();
  });

  let waiting = 0;
  query.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, entries > 2000 ? 160 : 40);
  });
  query.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    if (query.value.toLowerCase().split(/\s+/).filter(Boolean).join(" ") !== wanted.join(" ")) apply();
    nextMatch(event.shiftKey ? -1 : 1);
  });
  bar.addEventListener("submit", (event) => event.preventDefault());
  bar.addEventListener("change", apply);
  all.addEventListener("click", () => { reset(); query.focus(); });
  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    keep();
  });
  new ResizeObserver(() => root.style.setProperty("--bar", `${bar.offsetHeight + 8}px`)).observe(bar);

  function restore(state) {
    query.value = state.query;
    for (const box of bar.querySelectorAll("#filters input")) box.checked = !state.off.includes(`${box.name} ${box.value}`);
    if (state.theme) root.dataset.theme = state.theme;
    if (state.query || state.off.length) apply();
  }

  read();
  restore(kept);
  reveal(location.hash);
  return { anchor, read, restore, unchecked };
})();
