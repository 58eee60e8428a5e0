// @ts-check
/** Handles below the two ends of the part that is open, to be dragged to another word. */
import { byId } from "./bridge.js";

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

/** @param {HTMLElement} text @param {HTMLElement[]} words @param {Record<Side, string>} names
 * @param {{begin: () => void, move: (side: Side, word: number) => void, end: () => void, nudge: (side: Side, by: number) => void, tap: (word: number) => void}} acts */
export function makeHandles(text, words, names, acts) {
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
