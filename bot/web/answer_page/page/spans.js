// @ts-check
/** Parts of a text. The server gives every word with its ends, so nothing is counted here. */
import { byId, say, words as texts } from "./bridge.js";

/** @typedef {{first: number, last: number, done?: boolean}} Part  indices of words, both inclusive; done once both ends were tapped */
/** @param {string} name @param {Record<string, string>} attributes */
function make(name, attributes) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

/** @param {{pieces: {text: string, start?: number, end?: number}[], most: number, none: string, value: {start: number, end: number}[]}} asked
 * @param {string} language @param {() => void} changed */
export function drawSpans(asked, language, changed) {
  const box = document.createElement("div"), list = document.createElement("ul");
  const text = make("div", { id: "text", role: "listbox", "aria-multiselectable": "true", tabindex: "0", lang: language, "aria-label": texts.text });
  /** @type {{node: HTMLElement, start: number, end: number}[]} */ const words = [];
  /** @type {Part[]} */ let parts = [];
  /** @type {number | null} */ let current = null;
  let cursor = 0;
  /** @type {string[]} */ const past = [];
  list.className = "list";
  for (const piece of asked.pieces) {
    const node = make("span", piece.start === undefined ? { class: "g" } : { class: "w", role: "option", "aria-selected": "false", id: `w${words.length}` });
    node.textContent = piece.text;
    if (piece.start === undefined) node.setAttribute("role", "presentation");
    else words.push({ node, start: piece.start, end: piece.end ?? 0 });
    text.append(node);
  }
  const tools = make("div", { class: "row", hidden: "" }), picked = make("span", { id: "picked" });
  const step = (/** @type {"first" | "last"} */ side, /** @type {number} */ by) => {
    const button = make("button", { type: "button", "aria-label": `${side === "first" ? texts.start : texts.end}: ${by < 0 ? texts.back : texts.on}` });
    button.textContent = by < 0 ? "‹" : "›";
    button.addEventListener("click", () => nudge(side, by));
    return button;
  };
  const pair = (/** @type {"first" | "last"} */ side) => { const node = make("span", { class: "pair" }); node.append(step(side, -1), step(side, 1)); return node; };
  tools.append(pair("first"), picked, pair("last"));
  const back = make("button", { type: "button", "aria-label": texts["step-undo"], hidden: "" });
  back.textContent = "↶";
  back.addEventListener("click", undo);
  const handles = makeHandles(text, words.map(({ node }) => node), { first: texts.start, last: texts.end }, { begin: remember, move: drag, end: moved, nudge, tap });
  const place = make("div", { class: "place" });
  place.append(text, ...handles.nodes);
  box.append(place, list);
  window.addEventListener("resize", () => { if (text.isConnected) draw(); });

  const read = (/** @type {Part} */ part) => {
    const range = document.createRange();
    range.setStartBefore(words[part.first].node); range.setEndAfter(words[part.last].node);
    return range.toString();
  };
  const partAt = (/** @type {number} */ word, /** @type {number | null} */ but = null) => parts.findIndex((part, at) => at !== but && part.first <= word && word <= part.last);
  /** The farthest that an end may go without meeting another part. @param {number} from @param {number} to @param {number | null} but */
  function reach(from, to, but) {
    const by = Math.sign(to - from);
    let at = from;
    while (at !== to && partAt(at + by, but) < 0) at += by;
    return at;
  }
  function remember() { past.push(JSON.stringify({ parts, current })); if (past.length > 100) past.shift(); }
  function moved() { draw(); changed(); requestAnimationFrame(uncover); }
  /** The bar grows when a part opens: what was tapped stays in sight. */
  function uncover() {
    const over = words[cursor].node.getBoundingClientRect().bottom + 24 - byId("bar").getBoundingClientRect().top;
    if (current !== null && over > 0) window.scrollBy(0, over);
  }
  /** @param {number} word */
  function tap(word) {
    remember(); cursor = word; say("");
    const there = partAt(word), open = current === null ? null : parts[current];
    if (open && there === current) {
      if (open.first === open.last) { parts.splice(/** @type {number} */ (current), 1); current = null; }
      else if (word - open.first < open.last - word) open.first = word; else open.last = word; // the nearer end comes here
    } else if (there >= 0) current = there; // a finished part opens again
    else if (open && !(open.done && asked.most > 1)) {
      if (word > open.last) open.last = reach(open.last, word, current); else open.first = reach(open.first, word, current);
      open.done = true;
    } else if (parts.length >= asked.most) { past.pop(); say(texts.most, true); return; }
    else { parts.push({ first: word, last: word }); current = parts.length - 1; say(texts["tap-last"]); }
    moved();
  }
  /** One word more or less at an end. @param {"first" | "last"} side @param {number} by */
  function nudge(side, by) {
    if (current === null) return;
    const part = parts[current], to = part[side] + by;
    if (to < 0 || to >= words.length || (side === "first" ? to > part.last : to < part.first) || partAt(to, current) >= 0) return;
    remember(); part[side] = to; cursor = to; moved();
  }
  /** An end comes to this word, as far as the other end and other parts let it. @param {"first" | "last"} side @param {number} word */
  function drag(side, word) {
    if (current === null) return;
    const part = parts[current], other = part[side === "first" ? "last" : "first"];
    const to = reach(other, side === "first" ? Math.min(word, other) : Math.max(word, other), current);
    if (to !== part[side]) { part[side] = to; part.done = true; cursor = to; draw(); }
  }
  /** The word above or below the cursor. @param {number} by */
  function findByLine(by) {
    const [here] = words[cursor].node.getClientRects(), middle = (/** @type {DOMRect} */ { left, right }) => (left + right) / 2;
    let found = cursor, /** @type {DOMRect | null} */ line = null;
    for (let at = cursor + by; at >= 0 && at < words.length; at += by) {
      const [rect] = words[at].node.getClientRects(), isBeyond = by > 0 ? rect.top > here.bottom - 4 : rect.bottom < here.top + 4;
      if (!isBeyond) continue;
      if (line && Math.abs(rect.top - line.top) > 4) break;
      line ??= rect;
      if (found === cursor || Math.abs(middle(rect) - middle(here)) < Math.abs(middle(words[found].node.getClientRects()[0]) - middle(here))) found = at;
    }
    return found;
  }
  /** @param {number} at */
  function remove(at) { remember(); parts.splice(at, 1); current = null; moved(); }
  function undo() { const before = past.pop(); if (before) { ({ parts, current } = JSON.parse(before)); moved(); } }

  function draw() {
    for (const node of /** @type {HTMLElement[]} */ ([...text.children])) { node.classList.remove("in", "open", "cursor"); if (node.matches(".w")) node.setAttribute("aria-selected", "false"); }
    parts.forEach((part, at) => {
      for (let node = /** @type {Element | null} */ (words[part.first].node); node; node = node.nextElementSibling) {
        node.classList.add("in"); node.classList.toggle("open", at === current);
        if (node.matches(".w")) node.setAttribute("aria-selected", "true");
        if (node === words[part.last].node) break;
      }
    });
    if (words.length) { words[cursor].node.classList.add("cursor"); text.setAttribute("aria-activedescendant", words[cursor].node.id); }
    tools.hidden = current === null;
    handles.place(current === null ? null : parts[current]);
    picked.textContent = current === null ? "" : `«${brief(parts[current])}»`;
    back.hidden = past.length === 0;
    const none = document.getElementById("none");
    if (none) none.hidden = parts.length > 0;
    list.replaceChildren(...[...parts.entries()].sort(([, a], [, b]) => a.first - b.first).map(([at, part]) => {
      const item = document.createElement("li"), name = make("span", { class: "grow" }), drop = make("button", { type: "button", "aria-label": `${texts.remove} «${read(part)}»` });
      name.textContent = `«${read(part)}»`; drop.textContent = "✕"; drop.addEventListener("click", () => remove(at));
      item.append(name, drop);
      return item;
    }));
  }
  const brief = (/** @type {Part} */ part) => (part.last - part.first > 4 ? `${read({ first: part.first, last: part.first + 1 })} … ${read({ first: part.last - 1, last: part.last })}` : read(part));
  text.addEventListener("click", (event) => {
    const word = /** @type {HTMLElement} */ (event.target).closest?.(".w");
    if (word) tap(words.findIndex(({ node }) => node === word));
  });
  text.addEventListener("contextmenu", (event) => event.preventDefault());
  text.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by) {
      event.preventDefault();
      if (event.shiftKey) nudge("last", Math.sign(by));
      else if (event.altKey) nudge("first", Math.sign(by));
      else { cursor = event.key.endsWith("t") ? Math.min(Math.max(cursor + by, 0), words.length - 1) : findByLine(by); draw(); words[cursor].node.scrollIntoView({ block: "nearest" }); }
    } else if (event.key === " " || (event.key === "Enter" && !event.ctrlKey && !event.metaKey)) { event.preventDefault(); tap(cursor); }
    else if (event.key === "Escape" && current !== null) { event.preventDefault(); remove(current); }
    else if (event.key === "Backspace") { event.preventDefault(); undo(); }
  });
  /** A draft of another text's words, or a broken one, is left alone. @param {any} value */
  function apply(value) {
    if (!Array.isArray(value)) return;
    const found = value.map((part) => ({ first: words.findIndex((word) => word.start === part?.start), last: words.findIndex((word) => word.end === part?.end), done: true }));
    if (found.every(({ first, last }) => first >= 0 && last >= first)) { parts = found; current = null; draw(); }
  }
  apply(asked.value);
  draw();
  return {
    node: box, tools, back, apply,
    collect: () => [...parts].sort((a, b) => a.first - b.first).map((part) => ({ start: words[part.first].start, end: words[part.last].end })),
    isReady: () => { if (parts.length === 0) say(texts.mark, true); return parts.length > 0; },
  };
}

/* ---- handles --------------------------------------------------------------------------------------------------- */
/** @typedef {"first" | "last"} Side */
/** The word nearest to a point: the line first, then the place in it. @param {HTMLElement[]} words @param {number} x @param {number} y */
function findNearest(words, x, y) {
  let best = 0, least = Infinity;
  words.forEach((word, at) => {
    for (const rect of word.getClientRects()) {
      const dy = Math.max(rect.top - y, 0, y - rect.bottom), dx = Math.max(rect.left - x, 0, x - rect.right);
      if (dy * 1000 + dx < least) { least = dy * 1000 + dx; best = at; }
    }
  });
  return best;
}

/** Handles below the two ends of the part that is open, to be dragged to another word.
 * @param {HTMLElement} text @param {HTMLElement[]} words @param {Record<Side, string>} names
 * @param {{begin: () => void, move: (side: Side, word: number) => void, end: () => void, nudge: (side: Side, by: number) => void, tap: (word: number) => void}} acts */
function makeHandles(text, words, names, acts) {
  const handles = { first: makeHandle("first"), last: makeHandle("last") };

  /** @param {Side} side */
  function makeHandle(side) {
    const handle = document.createElement("span");
    /** @type {{x: number, y: number, moved: boolean} | null} */ let drag = null;
    let scroller = 0;
    handle.className = `handle ${side}`; handle.hidden = true; handle.tabIndex = 0;
    for (const [name, value] of Object.entries({ role: "slider", "aria-label": names[side], "aria-valuemin": "1", "aria-valuemax": String(words.length) })) handle.setAttribute(name, value);
    const follow = (/** @type {PointerEvent} */ { clientX, clientY }) => acts.move(side, findNearest(words, clientX, clientY - 30)); // it hangs below its line
    handle.addEventListener("pointerdown", (event) => { handle.setPointerCapture(event.pointerId); drag = { x: event.clientX, y: event.clientY, moved: false }; event.preventDefault(); });
    handle.addEventListener("pointermove", (event) => {
      if (!drag || (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6)) return;
      if (!drag.moved) { acts.begin(); drag.moved = true; }
      follow(event);
      cancelAnimationFrame(scroller);
      const bottom = byId("bar").getBoundingClientRect().top - 30, pace = event.clientY < 70 ? -6 : event.clientY > bottom ? 6 : 0;
      const roll = () => { if (!drag) return; window.scrollBy(0, pace); follow(event); scroller = requestAnimationFrame(roll); };
      if (pace) scroller = requestAnimationFrame(roll);
    });
    for (const type of /** @type {("pointerup" | "pointercancel")[]} */ (["pointerup", "pointercancel"])) handle.addEventListener(type, (event) => {
      const was = drag;
      drag = null; cancelAnimationFrame(scroller);
      if (was?.moved) { acts.end(); return; }
      handle.hidden = true; // a tap is meant for the word below
      const below = /** @type {HTMLElement | null} */ (document.elementFromPoint(event.clientX, event.clientY)?.closest(".w"));
      handle.hidden = false;
      if (was && type === "pointerup" && below) acts.tap(words.indexOf(below));
    });
    handle.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (by) { event.preventDefault(); event.stopPropagation(); acts.nudge(side, by); handle.focus(); }
    });
    return handle;
  }
  return {
    nodes: [handles.first, handles.last],
    /** Put them below the ends of a part, or hide them. @param {{first: number, last: number} | null} part */
    place(part) {
      for (const side of /** @type {Side[]} */ (["first", "last"])) {
        const handle = handles[side];
        handle.hidden = part === null;
        if (part === null) continue;
        const box = text.getBoundingClientRect(), rects = words[part[side]].getClientRects(), rect = side === "first" ? rects[0] : rects[rects.length - 1];
        if (!rect) continue; // not in the page yet
        handle.style.left = `${side === "first" ? Math.max(rect.left - box.left, 22) : Math.min(rect.right - box.left, box.width - 22)}px`; // within the page
        handle.style.top = `${rect.bottom - box.top - 4}px`;
        handle.setAttribute("aria-valuenow", String(part[side] + 1));
        handle.setAttribute("aria-valuetext", words[part[side]].textContent ?? "");
      }
    },
  };
}
