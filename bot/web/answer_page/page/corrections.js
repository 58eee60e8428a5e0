// @ts-check
/** A corrected text: a text area, and the difference below or beside it. */
import { say, words } from "./bridge.js";
import { count, diff, kept, visible } from "./difference.js";

/** @param {{original: string, value: string}} asked @param {string} language @param {() => void} changed */
export function drawCorrection(asked, language, changed) {
  const box = document.createElement("div"), left = document.createElement("div"), area = document.createElement("textarea");
  const section = document.createElement("section"), title = document.createElement("h2"), shown = document.createElement("p");
  const fits = CSS.supports("field-sizing", "content");
  let composing = false, doubted = false, timer = 0, pieces = diff(asked.original, asked.value);
  box.className = "sides"; shown.id = "diff"; title.textContent = words.difference; shown.lang = language;
  Object.assign(area, { id: "area", value: asked.value, lang: language, spellcheck: false, autocomplete: "off", translate: false });
  for (const [name, value] of Object.entries({ autocorrect: "off", autocapitalize: "none", "aria-label": words.edited, "data-gramm": "false" })) area.setAttribute(name, value);
  left.append(area); section.append(title, shown); box.append(left, section);

  const grow = () => { if (!fits) { area.style.height = "auto"; area.style.height = `${area.scrollHeight + 2}px`; } };
  const draw = () => {
    pieces = diff(asked.original, area.value);
    section.hidden = count(pieces) === 0;
    shown.replaceChildren(...pieces.map(({ kind, text }) => {
      if (kind === "same") return document.createTextNode(text);
      const node = document.createElement(kind);
      node.textContent = visible(text);
      return node;
    }));
    const save = document.getElementById("save");
    if (save) save.textContent = count(pieces) === 0 ? words.same : `${words.changes}: ${count(pieces)}`;
  };
  const settle = () => { doubted = false; changed(); clearTimeout(timer); timer = window.setTimeout(draw, 200); };
  area.addEventListener("compositionstart", () => { composing = true; });
  area.addEventListener("compositionend", () => { composing = false; settle(); });
  area.addEventListener("input", () => { grow(); if (!composing) settle(); });
  queueMicrotask(() => { grow(); draw(); });
  return {
    node: box,
    collect: () => area.value,
    apply: (/** @type {any} */ value) => { if (typeof value === "string") { area.value = value; grow(); draw(); } },
    /** A text with little of the original in it is asked about once. */
    isReady: () => {
      draw();
      if (doubted || kept(pieces, asked.original, area.value) >= 0.5) return true;
      doubted = true; say(words.little, true);
      return false;
    },
  };
}
