// @ts-check
/** Markdown and formulas of the item: what is wider than the page scrolls in a box of its own. */
import { make, words } from "./bridge.js";

/** A text, or a tag, attributes, and what is inside. @typedef {string | [string, Record<string, string>, ...any[]]} MarkdownNode */
const MATHML = "http://www.w3.org/1998/Math/MathML";

/** @param {MarkdownNode} node @param {boolean} [inMath] @returns {Node | string} */
function build(node, inMath = false) {
  if (typeof node === "string") return node;
  const [tag, attributes, ...inside] = node, isMath = inMath || tag === "math";
  const element = isMath ? document.createElementNS(MATHML, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...inside.map((one) => build(one, isMath)));
  const label = tag === "table" ? words.table : tag === "pre" ? words.listing : tag === "math" ? words.formula : "";
  return label ? enclose(element, label, attributes.display === "inline") : element;
}
/** A box that scrolls, in a line or with lines of its own. @param {Element} element @param {string} label @param {boolean} isInline */
function enclose(element, label, isInline) {
  const box = make(isInline ? "span" : "div", { className: "scroll" }, element);
  box.dataset.label = label;
  return box;
}
/** Let the keys scroll what is wider than its box; in a line, only such a formula becomes a box. @param {Element} text */
function measure(text) {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (text.querySelectorAll(".scroll"))) {
    box.classList.remove("wide");
    const room = box.parentElement?.clientWidth || text.clientWidth, width = box.firstElementChild?.getBoundingClientRect().width ?? 0;
    const isWide = width > room + 1 || (box.clientWidth > 0 && box.scrollWidth > box.clientWidth);
    box.classList.toggle("wide", isWide);
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", box.dataset.label ?? ""]]) {
      if (isWide) box.setAttribute(name, value); else box.removeAttribute(name);
    }
  }
}

/** @param {MarkdownNode[]} nodes @param {string} language */
export function drawMarkdown(nodes, language) {
  const text = make("div", { className: "markdown", lang: language }, ...nodes.map((node) => build(node)));
  new ResizeObserver(() => measure(text)).observe(text);
  return text;
}
