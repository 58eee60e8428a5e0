// @ts-check
/** Telegram's bridge without its script: launch data, theme, safe areas, viewport; and the requests to our server. */

/** @template {HTMLElement} T @param {string} id @returns {T} */
export const byId = (id) => /** @type {T} */ (document.getElementById(id));
/** @param {string} name @param {Record<string, any>} [properties] @param {(Node | string)[]} children */
export function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}
/** @param {string} label @param {() => void} act @param {string} [className] */
export function makeButton(label, act, className = "") {
  const button = make("button", { type: "button", textContent: label, className });
  button.addEventListener("click", act);
  return button;
}
const root = document.documentElement;
/** @type {Record<string, string>} */
export const words = JSON.parse(document.body.dataset.words ?? "{}");

/* Storage may throw where the page is in a foreign frame. */
/** @param {"localStorage" | "sessionStorage"} kind */
function openStorage(kind) {
  const memory = new Map();
  const attempt = (/** @type {() => any} */ action, /** @type {() => any} */ fallback) => {
    try { return action(); } catch { return fallback(); }
  };
  return {
    get: (/** @type {string} */ key) => attempt(() => window[kind].getItem(key), () => memory.get(key) ?? null),
    set: (/** @type {string} */ key, /** @type {string} */ value) => attempt(() => window[kind].setItem(key, value), () => memory.set(key, value)),
    remove: (/** @type {string} */ key) => attempt(() => window[kind].removeItem(key), () => memory.delete(key)),
  };
}
export const kept = openStorage("localStorage");
const sitting = openStorage("sessionStorage");

/** Say something in the live region of the bar. @param {string} text @param {boolean} [bad] */
export function say(text, bad = false) {
  const place = byId("say");
  place.textContent = text;
  place.classList.toggle("bad", bad);
}

const launch = new URLSearchParams(location.hash.slice(1));
const origins = (document.body.dataset.frames ?? "").split(" ").filter(Boolean);
const framed = window.parent !== window;
const proxy = /** @type {any} */ (window).TelegramWebviewProxy;
const initData = launch.get("tgWebAppData") ?? "";
/** Whether a client of Telegram shows the page. */
export const inTelegram = initData !== "" || framed || Boolean(proxy);
/** The code of an invitation, which a link to the page carries, until it is used. */
export let invitation = launch.get("join") ?? "";
/** Take the code of the invitation, and take it out of the address. */
export function takeInvitation() {
  const taken = invitation;
  if (taken) history.replaceState(null, "", location.pathname + location.search);
  invitation = "";
  return taken;
}
/* The fragment goes once the session can survive a reload without it; in a frame without storage it has to stay. */
function hideLaunch() {
  try { window.sessionStorage.setItem("probe", "1"); window.sessionStorage.removeItem("probe"); } catch { return; }
  history.replaceState(null, "", location.pathname + location.search);
}

/** Tell the client something; nothing happens in an ordinary browser. @param {string} eventType @param {object} [eventData] */
export function post(eventType, eventData) {
  if (proxy?.postEvent) proxy.postEvent(eventType, JSON.stringify(eventData ?? {}));
  else if (framed) for (const origin of origins) {
    try { window.parent.postMessage(JSON.stringify({ eventType, eventData }), origin); } catch { /* another parent */ }
  }
}

/** @param {string} type @param {any} data */
function receive(type, data) {
  if (type === "theme_changed") paint(data?.theme_params);
  else if (type === "safe_area_changed" || type === "content_safe_area_changed") setInsets(type, data);
  else if (type === "viewport_changed") measure();
  else if (type === "visibility_changed" && data?.is_visible === false) window.dispatchEvent(new Event("leaving"));
  else if (type === "reload_iframe") { window.dispatchEvent(new Event("leaving")); post("iframe_will_reload"); location.reload(); }
}
window.addEventListener("message", (event) => {
  if (event.source !== window.parent || !origins.includes(event.origin) || typeof event.data !== "string") return;
  try { const { eventType, eventData } = JSON.parse(event.data); receive(eventType, eventData); } catch { /* not ours */ }
});
const scope = /** @type {any} */ (window);
scope.Telegram = { WebView: { receiveEvent: receive } };
scope.TelegramGameProxy = { receiveEvent: receive };
scope.TelegramGameProxy_receiveEvent = receive;

/* ---- theme ----------------------------------------------------------------------------------------------------- */
const HEX = /^#[0-9a-f]{6}$/i;
const TAKEN = ["bg_color", "text_color", "hint_color", "link_color", "button_color", "button_text_color", "secondary_bg_color", "destructive_text_color"];
/** @param {string} colour */
function luminance(colour) {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}
/** @param {string} one @param {string} other */
export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
/** A colour moved towards another until it can be read on a ground: Telegram's own themes have links and buttons below 4.5.
 * @param {string} colour @param {string} towards @param {string} ground */
function readable(colour, towards, ground) {
  const part = (/** @type {string} */ from, /** @type {number} */ at) => parseInt(from.slice(at, at + 2), 16);
  for (let share = 0; share <= 1; share += 0.05) {
    const mixed = "#" + [1, 3, 5].map((at) => Math.round(part(colour, at) * (1 - share) + part(towards, at) * share).toString(16).padStart(2, "0")).join("");
    if (contrast(mixed, ground) >= 4.6) return mixed;
  }
  return towards;
}
/** Take the theme's colours, each made readable; ours where the text itself is not. @param {Record<string, string> | undefined} params */
export function paint(params) {
  const own = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = Object.fromEntries(Object.entries(params ?? {}).filter(([name, value]) => TAKEN.includes(name) && HEX.test(value)));
  for (const name of TAKEN) root.style.removeProperty(`--${name}`);
  const sound = theme.bg_color && theme.text_color && contrast(theme.bg_color, theme.text_color) >= 4.5;
  root.classList.toggle("dark", sound ? luminance(theme.bg_color) < 0.25 : own);
  if (!sound) return;
  const { bg_color: ground, text_color: text } = theme;
  if (!theme.secondary_bg_color || contrast(text, theme.secondary_bg_color) < 4.5) theme.secondary_bg_color = ground;
  for (const name of ["hint_color", "link_color", "destructive_text_color"]) if (theme[name]) theme[name] = readable(theme[name], text, ground);
  if (theme.button_color && theme.button_text_color) {
    const lighter = luminance(theme.button_text_color) > luminance(theme.button_color);
    theme.button_color = readable(theme.button_color, lighter ? "#000000" : "#ffffff", theme.button_text_color);
  } else { delete theme.button_color; delete theme.button_text_color; }
  for (const [name, value] of Object.entries(theme)) root.style.setProperty(`--${name}`, value);
}

/* ---- viewport, safe area, keyboard on the screen -------------------------------------------------------------- */
/** @type {Record<string, Record<string, unknown>>} */
const insets = { safe_area_changed: {}, content_safe_area_changed: {} };
/** @param {"safe_area_changed" | "content_safe_area_changed"} type @param {any} data */
function setInsets(type, data) {
  insets[type] = data ?? {};
  for (const side of ["top", "bottom", "left", "right"]) {
    const size = Object.values(insets).reduce((sum, inset) => sum + Math.min(Math.max(Number(inset[side]) || 0, 0), 200), 0);
    root.style.setProperty(`--safe_${side}`, `max(env(safe-area-inset-${side}, 0px), ${size}px)`);
  }
}
/** Keep the bar above the keyboard where the layout does not shrink by itself (iOS). */
function measure() {
  const view = window.visualViewport;
  if (view && view.height > 100 && view.scale < 1.01) { // a zoomed page and a collapsed one say nothing of the keyboard
    const hidden = Math.max(0, Math.round(window.innerHeight - view.height - view.offsetTop));
    const keyboard = hidden > 80 ? hidden : 0;
    root.style.setProperty("--keyboard", `${keyboard}px`);
    root.classList.toggle("typing", keyboard > 0 || (window.innerHeight < 500 && document.activeElement instanceof HTMLTextAreaElement));
  }
  root.style.setProperty("--bar", `${byId("bar").offsetHeight}px`);
}
window.visualViewport?.addEventListener("resize", measure);
window.visualViewport?.addEventListener("scroll", measure);

/* ---- server ---------------------------------------------------------------------------------------------------- */
let token = sitting.get("session") ?? "";
/** @param {string} method @param {string} path @param {object} [body] @param {boolean} [keepalive] */
export async function call(method, path, body, keepalive = false) {
  const headers = /** @type {Record<string, string>} */ ({ Accept: "application/json" });
  if (body) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, { method, headers, keepalive, cache: "no-store", credentials: "same-origin", body: body && JSON.stringify(body) });
  return { status: response.status, data: await response.json().catch(() => ({})) };
}
const assignment = new URLSearchParams(location.search).get("a") ?? "";
let isNew = initData !== "";
/** The item to answer now. What the client passed opens a session first; one of an earlier load of the page stays where it is refused. */
export async function fetchWork() {
  if (isNew) {
    const { status, data } = await call("POST", "session", { init_data: initData, assignment });
    isNew = status >= 500;
    if (status === 200) { sitting.set("session", (token = data.token)); hideLaunch(); }
    if ("item" in data) return { status, data };
  }
  return call("GET", `work?a=${encodeURIComponent(assignment)}`);
}
/** The first item, asked for while other files of the page are still on their way. */
export const firstWork = fetchWork();
firstWork.catch(() => { /* the page says it */ });

/* ---- start ----------------------------------------------------------------------------------------------------- */
export function start() {
  let theme = undefined;
  try { theme = JSON.parse(launch.get("tgWebAppThemeParams") ?? sitting.get("theme") ?? "null") ?? undefined; } catch { /* ours */ }
  if (theme) sitting.set("theme", JSON.stringify(theme));
  paint(theme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => theme || paint(undefined));
  new ResizeObserver(measure).observe(byId("bar"));
  document.addEventListener("focusin", measure);
  document.addEventListener("focusout", measure);
  post("iframe_ready", { reload_supported: true });
  for (const type of ["web_app_ready", "web_app_expand", "web_app_request_theme", "web_app_request_safe_area", "web_app_request_content_safe_area"]) post(type);
  post("web_app_setup_swipe_behavior", { allow_vertical_swipe: false });
}
