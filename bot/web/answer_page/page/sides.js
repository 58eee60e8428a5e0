// @ts-check
/** Texts to compare: in columns; on a phone one is seen at a time, and a swipe or a tab leads to the other. */
import { make, say, words } from "./bridge.js";

/** @param {{name: string, text: string}[]} sides @param {string} language */
export function drawSides(sides, language) {
  const narrow = matchMedia("(max-width: 699.98px)"), seen = new Set([0]);
  let settle = 0;
  const sections = sides.map(({ name, text }, at) => make("section", { id: `side${at}` }, make("h2", { id: `name${at}`, textContent: name }), make("p", { className: "block", textContent: text, lang: language })));
  const tabs = sides.map(({ name }, at) => {
    const tab = make("button", { type: "button", id: `tab${at}`, className: "tab", textContent: name });
    tab.setAttribute("role", "tab"); tab.setAttribute("aria-controls", `side${at}`);
    tab.addEventListener("click", () => show(at));
    tab.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], to = at + (by ?? 0);
      if (by && tabs[to]) { show(to); tabs[to].focus(); }
    });
    return tab;
  });
  const strip = make("div", { className: "compared" }, ...sections), list = make("div", { className: "tabs" }, ...tabs);
  list.setAttribute("role", "tablist"); list.setAttribute("aria-label", words.compared);

  function arrange() {
    sections.forEach((section, at) => {
      section.setAttribute("aria-labelledby", narrow.matches ? `tab${at}` : `name${at}`);
      section.setAttribute("role", narrow.matches ? "tabpanel" : "region");
      section.tabIndex = narrow.matches ? 0 : -1;
    });
  }
  /** @param {number} at @param {boolean} [scroll] */
  function show(at, scroll = true) {
    seen.add(at);
    tabs.forEach((tab, index) => { tab.setAttribute("aria-selected", String(index === at)); tab.tabIndex = index === at ? 0 : -1; });
    if (scroll) strip.scrollTo({ left: at * strip.clientWidth });
  }
  strip.addEventListener("scroll", () => {
    clearTimeout(settle);
    settle = window.setTimeout(() => { if (narrow.matches) show(Math.round(strip.scrollLeft / strip.clientWidth), false); }, 80);
  }, { passive: true });
  narrow.addEventListener("change", arrange);
  arrange(); show(0, false);
  return {
    node: make("div", {}, list, strip),
    /** Whether all texts were seen; on a phone it leads to the first that was not. */
    areSeen() {
      const rest = sides.findIndex((_, at) => !seen.has(at));
      if (!narrow.matches || rest < 0) return true;
      show(rest); window.scrollTo(0, 0); say(words["other-first"], true);
      return false;
    },
  };
}
