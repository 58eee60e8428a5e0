// @ts-check
/** Pictures of the item; a tap opens one large: two fingers, the wheel, keys or buttons enlarge it. */
import { byId, make, makeButton, say, words } from "./bridge.js";

/** @typedef {{alt: string, src?: string, width?: number, height?: number}} Picture */
const dialog = /** @type {HTMLDialogElement} */ (byId("zoom")), MOST = 8, STEP = 1.6, BY_KEY = 60;
const stage = make("div", { id: "stage" }), percent = make("span", { id: "scale" });
percent.setAttribute("role", "status");
/** The picture in the dialog, and where it belongs: it is moved, as its address does not hold for long. @type {HTMLImageElement | null} */
let picture = null;
/** @type {HTMLElement | null} */ let home = null;
let scale = 1, least = 1, x = 0, y = 0;
/** @type {Map<number, {x: number, y: number}>} */ const fingers = new Map();

function place() {
  if (!picture) return;
  const limit = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ room) => (size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, at)));
  x = limit(x, picture.naturalWidth * scale, stage.clientWidth); y = limit(y, picture.naturalHeight * scale, stage.clientHeight);
  picture.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
  percent.textContent = `${Math.round((scale / least) * 100)}%`;
}
/** Zoom about a point of the stage. @param {number} to */
function zoom(to, px = stage.clientWidth / 2, py = stage.clientHeight / 2) {
  const next = Math.min(Math.max(to, least), Math.max(MOST * least, 4));
  x = px - ((px - x) * next) / scale; y = py - ((py - y) * next) / scale; scale = next;
  place();
}
function fit() {
  if (!picture) return;
  scale = least = Math.min(stage.clientWidth / picture.naturalWidth, stage.clientHeight / picture.naturalHeight);
  x = y = 0; place();
}
/** @param {HTMLElement} button @param {HTMLImageElement} image */
function open(button, image) {
  home = button; picture = image; fingers.clear();
  button.style.height = `${button.offsetHeight}px`; button.style.width = `${button.offsetWidth}px`;
  stage.replaceChildren(image); dialog.showModal(); fit();
}
dialog.addEventListener("close", () => {
  if (picture && home) { picture.style.transform = ""; home.append(picture); home.style.height = home.style.width = ""; home.focus({ preventScroll: true }); }
  picture = home = null;
});
/** @param {string} sign @param {string} label @param {() => void} act */
function makeSign(sign, label, act) {
  const button = makeButton(sign, act);
  button.setAttribute("aria-label", label);
  return button;
}
dialog.append(stage, make("div", { className: "row" }, makeSign("−", words.smaller, () => zoom(scale / STEP)), percent, makeSign("+", words.larger, () => zoom(scale * STEP)), makeSign("✕", words.close, () => dialog.close())));

stage.addEventListener("pointerdown", (event) => { stage.setPointerCapture(event.pointerId); fingers.set(event.pointerId, { x: event.clientX, y: event.clientY }); });
stage.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId), now = { x: event.clientX, y: event.clientY };
  if (!before) return;
  const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {
    const gap = (/** @type {{x: number, y: number}} */ point) => Math.hypot(point.x - other.x, point.y - other.y);
    x += (now.x - before.x) / 2; y += (now.y - before.y) / 2;
    zoom((scale * gap(now)) / Math.max(gap(before), 1), (now.x + other.x) / 2, (now.y + other.y) / 2);
  } else { x += now.x - before.x; y += now.y - before.y; place(); }
  fingers.set(event.pointerId, now);
});
for (const type of ["pointerup", "pointercancel"]) stage.addEventListener(type, (event) => fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
stage.addEventListener("wheel", (event) => { event.preventDefault(); zoom(scale * Math.exp(-event.deltaY / 400), event.clientX, event.clientY); }, { passive: false });
stage.addEventListener("dblclick", (event) => (scale > least * 1.1 ? fit() : zoom(least * 3, event.clientX, event.clientY)));
dialog.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return; // the browser's own zoom
  const [right, down] = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
  if (event.key === "+" || event.key === "=") zoom(scale * STEP);
  else if (event.key === "-") zoom(scale / STEP);
  else if (right || down) { event.preventDefault(); x += right * BY_KEY; y += down * BY_KEY; place(); }
});
window.addEventListener("resize", () => { if (dialog.open) fit(); });

/** A picture, under a button that opens it large; one that did not come is asked for again by a tap.
 * @param {Picture} picture @param {string} language @param {() => void} reload */
export function drawPicture({ alt, src, width, height }, language, reload) {
  const image = /** @type {HTMLImageElement} */ (make("img", { alt, lang: language, draggable: false }));
  if (width && height) Object.assign(image, { width, height });
  image.addEventListener("error", () => say(words.offline, true));
  if (src) image.src = src;
  const button = makeButton("", () => (image.naturalWidth ? open(button, image) : reload()), "picture");
  button.append(image);
  return button;
}
