// @ts-check
/** A corrected text: a text area, and the difference below or beside it. */
import { say, words } from "./bridge.js";

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

/* ---- difference ------------------------------------------------------------------------------------------------ */
const TOKEN = /\s+|[\p{L}\p{M}\p{N}]+(?:['’ʼ\u2010\u2011-][\p{L}\p{M}\p{N}]+)*|\p{Extended_Pictographic}(?:[\p{M}\u200d\u{1f3fb}-\u{1f3ff}]|\p{Extended_Pictographic})*|./gsu;
const MOST = 1200;

/** @typedef {{kind: "same" | "del" | "ins", text: string}} Piece */
/** @param {string} before @param {string} after @returns {Piece[]} */
function diff(before, after) {
  const a = before.match(TOKEN) ?? [], b = after.match(TOKEN) ?? [];
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const pieces = /** @type {Piece[]} */ ([]);
  const add = (/** @type {Piece["kind"]} */ kind, /** @type {string} */ text) => {
    if (!text) return;
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text; else pieces.push({ kind, text });
  };
  add("same", a.slice(0, head).join(""));
  for (const [kind, text] of script(a.slice(head, a.length - tail), b.slice(head, b.length - tail))) add(kind, text);
  add("same", tail ? a.slice(-tail).join("") : "");
  return tidy(pieces);
}
/** @param {string[]} a @param {string[]} b @returns {[Piece["kind"], string][]} */
function script(a, b) {
  const n = a.length, m = b.length, max = Math.min(n + m, MOST), trace = [];
  let v = new Int32Array(2 * max + 3);
  for (let d = 0; d <= max; d++) {
    trace.push(v.slice(max - d, max + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const at = max + 1 + k;
      let x = k === -d || (k !== d && v[at - 1] < v[at + 1]) ? v[at + 1] : v[at - 1] + 1;
      while (x < n && x - k < m && a[x] === b[x - k]) x++;
      v[at] = x;
      if (x >= n && x - k >= m) return back(a, b, trace, d);
    }
  }
  return [["del", a.join("")], ["ins", b.join("")]]; // hardly anything in common
}
/** @param {string[]} a @param {string[]} b @param {Int32Array[]} trace @param {number} last @returns {[Piece["kind"], string][]} */
function back(a, b, trace, last) {
  const out = /** @type {[Piece["kind"], string][]} */ ([]);
  let x = a.length, y = b.length;
  for (let d = last; d > 0; d--) {
    const v = trace[d], k = x - y, at = (/** @type {number} */ other) => v[other + d + 1];
    const from = k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1, px = at(from), py = px - from;
    while (x > px && y > py) { out.push(["same", a[x - 1]]); x--; y--; }
    out.push(x === px ? ["ins", b[y - 1]] : ["del", a[x - 1]]);
    x = px; y = py;
  }
  while (x > 0) { out.push(["same", a[x - 1]]); x--; y--; }
  return out.reverse();
}
/** Deletions before insertions; a lone blank between two changes joins them. @param {Piece[]} pieces */
function tidy(pieces) {
  const out = /** @type {Piece[]} */ ([]);
  let del = "", ins = "";
  const flush = () => { if (del) out.push({ kind: "del", text: del }); if (ins) out.push({ kind: "ins", text: ins }); del = ins = ""; };
  pieces.forEach((piece, at) => {
    if (piece.kind === "del") del += piece.text;
    else if (piece.kind === "ins") ins += piece.text;
    else if ((del || ins) && piece.text === " " && pieces[at + 1]) { del += piece.text; ins += piece.text; }
    else { flush(); out.push({ ...piece }); }
  });
  flush();
  return out;
}
/** How many places were changed. @param {Piece[]} pieces */
const count = (pieces) => pieces.filter((piece, at) => piece.kind !== "same" && (at === 0 || pieces[at - 1].kind === "same")).length;
/** The share of the longer text that stayed. @param {Piece[]} pieces @param {string} before @param {string} after */
const kept = (pieces, before, after) => pieces.reduce((sum, piece) => sum + (piece.kind === "same" ? piece.text.length : 0), 0) / Math.max(before.length, after.length, 1);
/** Blanks of a change made visible. @param {string} text */
const visible = (text) => (/^\s+$/u.test(text) ? text.replace(/\n/g, "⏎\n").replace(/\u00a0|\u202f/g, "⍽").replace(/ /g, "␣").replace(/\t/g, "⇥") : text.replace(/\u00a0|\u202f/g, "⍽"));
