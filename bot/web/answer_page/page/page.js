// @ts-check
/** The item to answer now: drawn from what the server sends, answered by the data of the chat's own buttons. */
import { drawCode, drawEntry, drawReply, drawTold } from "./accounts.js";
import { byId, call, fetchWork, firstWork, inTelegram, invitation, make, makeButton, post, say, start, takeInvitation, words } from "./bridge.js";
import { drawCorrection } from "./corrections.js";
import { Draft } from "./drafts.js";
import { drawMarkdown } from "./markdown.js";
import { drawPicture } from "./pictures.js";
import { drawSides } from "./sides.js";
import { drawSpans } from "./spans.js";

/** @typedef {{label: string, data: string}} Action */
/** @typedef {{node: Node, collect: () => any, apply: (value: any) => void, isReady: () => boolean, tools?: HTMLElement, back?: HTMLElement}} Question */
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const FIRST_WAIT = 2000, LONGEST_WAIT = 60000;
/** @type {Draft | null} */ let draft = null;
/** @type {Question | null} */ let question = null;
/** @type {any} */ let shown = null;
/** @type {ReturnType<typeof drawSides> | null} */ let compared = null;
/** @type {Action | null} */ let undo = null;
/** What was done while the server could not be reached. @type {{path: string, body: object} | null} */ let unsent = null;
/** Of somebody without Telegram: the commands, and the number of the last message that they saw. @type {{menu: {text: string, label: string}[], move: string | null} | null} */
let account = null;
let screen = 0, isStarted = false;
let busy = false, timer = 0, wait = FIRST_WAIT;

/** A text of the item in its runs, Markdown, or a picture. @param {{runs: {text: string, bold?: boolean, underlined?: boolean}[], fold: boolean, markdown?: import("./markdown.js").MarkdownNode[], picture?: import("./pictures.js").Picture}} block */
function drawBlock({ runs, fold, markdown, picture }) {
  if (picture) return drawPicture(picture, shown.language, () => void loadAgain());
  if (markdown) return foldAway(drawMarkdown(markdown, shown.language), fold);
  const nodes = runs.map(({ text, bold, underlined }) => (bold ? make("strong", {}, text) : underlined ? make("u", {}, text) : text));
  const paragraph = make("p", { className: "block", lang: shown.language }, ...nodes);
  return foldAway(paragraph, fold);
}
/** @param {HTMLElement} text @param {boolean} fold */
function foldAway(text, fold) {
  return fold ? make("details", { open: true }, make("summary", {}, words.text), text) : text;
}

/** @param {any} asked @returns {Question | null} */
function drawQuestion(asked) {
  const changed = () => { unsent = null; draft?.change(); }; // what is being changed is sent by a tap only
  if (asked.kind === "edit") return drawCorrection(asked, shown.language, changed);
  if (asked.kind === "span") return drawSpans(asked, shown.language, changed);
  if (asked.kind === "choices") return drawBoxes(asked, changed);
  if (asked.kind === "text" || asked.kind === "number") return drawField(asked, changed);
  return null;
}
/** @param {any} asked @param {() => void} changed @returns {Question} */
function drawBoxes(asked, changed) {
  const boxes = asked.options.map((/** @type {string} */ label, /** @type {number} */ index) => {
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", id: `box${index}` }));
    box.addEventListener("change", changed);
    return { box, line: make("li", {}, make("label", { htmlFor: box.id, lang: shown.language }, box, make("span", { className: "grow", textContent: label }))) };
  });
  const apply = (/** @type {any} */ value) => boxes.forEach((/** @type {any} */ { box }, /** @type {number} */ index) => { box.checked = Array.isArray(value) && value.includes(index); });
  apply(asked.value);
  return {
    node: make("ul", { className: "options boxes" }, ...boxes.map((/** @type {any} */ { line }) => line)),
    collect: () => boxes.flatMap((/** @type {any} */ { box }, /** @type {number} */ index) => (box.checked ? [index] : [])),
    apply, isReady: () => true,
  };
}
/** @param {any} asked @param {() => void} changed @returns {Question} */
function drawField(asked, changed) {
  const isNumber = asked.kind === "number";
  const field = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (make(isNumber ? "input" : "textarea", { id: "field", value: asked.value ?? "", autocomplete: "off" }));
  field.setAttribute("aria-label", words.answer);
  if (isNumber) { field.setAttribute("inputmode", "numeric"); field.setAttribute("placeholder", `${asked.low}–${asked.high}`); }
  field.addEventListener("input", changed);
  return {
    node: asked.ends?.length ? make("div", {}, ...asked.ends.map((/** @type {string} */ line) => make("p", { className: "quiet", textContent: line, lang: shown.language })), field) : field,
    collect: () => field.value,
    apply: (value) => { if (typeof value === "string") field.value = value; },
    isReady: () => { if (!field.value.trim()) { field.focus(); say(words.empty, true); } return field.value.trim() !== ""; },
  };
}

/** @param {any} asked */
function drawOptions(asked) {
  return make("ul", { className: "options" }, ...asked.options.map((/** @type {Action} */ { label, data }, /** @type {number} */ index) => {
    const button = makeButton("", () => choose(data));
    const key = (index + 1) % 10;
    button.append(make("span", { className: "grow", textContent: label, lang: shown.language }), ...(index < 10 ? [make("kbd", { ariaHidden: "true", textContent: String(key) })] : []));
    return make("li", {}, button);
  }));
}
/** The bar: what answers, and what else can be done. */
function drawBar() {
  const asked = shown?.asked, row = make("div", { className: "row wrap" }), rows = /** @type {Node[]} */ ([]);
  if (question?.tools) rows.push(question.tools);
  if (shown) row.append(drawMore());
  if (shown?.actions.keep) row.append(drawAction(shown.actions.keep));
  if (shown?.actions.back) row.append(drawAction(shown.actions.back));
  if (question?.back) row.append(question.back);
  const before = undo;
  if (before) row.append(makeButton(`↶ ${before.label}`, () => void tap(before.data)));
  row.append(make("span", { className: "grow" }));
  if (asked?.leave) row.append(drawAction(asked.leave));
  if (asked?.none) row.append(Object.assign(makeButton(asked.none, () => void tap(asked.done, [])), { id: "none" }));
  if (question) row.append(Object.assign(makeButton(words["text-save"], () => void save(), "main"), { id: "save" }));
  if (!shown && account) row.append(drawMore());
  else if (!shown) row.append(makeButton(words["go-on"], () => void goOn(), "main"));
  byId("buttons").replaceChildren(...rows, row);
}
/** @param {Action} action */
const drawAction = ({ label, data }) => makeButton(label, () => void tap(data));
/** Skip, report and pause, under one button. */
function drawMore() {
  const { skip = [], report = [], pause } = shown?.actions ?? {}, dialog = /** @type {HTMLDialogElement} */ (byId("more"));
  const part = (/** @type {string} */ title, /** @type {Action[]} */ actions) => (actions.length ? [make("h2", { textContent: title }), ...actions.map((action) => makeButton(action.label, () => { dialog.close(); void tap(action.data); }))] : []);
  dialog.replaceChildren(...part(words.skip, skip), ...part(words.report, report), ...(pause ? part(words.pause, [pause]) : []), ...drawMenu(dialog), makeButton("✕", () => dialog.close()));
  const open = makeButton(words.more, () => dialog.showModal());
  open.setAttribute("aria-label", shown ? `${words.skip}, ${words.report}, ${words.pause}` : words.more);
  open.hidden = !skip.length && !report.length && !pause && !account;
  return open;
}
/** The commands of somebody without Telegram, their code, and a way out. @param {HTMLDialogElement} dialog */
function drawMenu(dialog) {
  if (!account) return [];
  const lead = (/** @type {string} */ label, /** @type {() => void} */ act) => makeButton(label, () => { dialog.close(); act(); });
  return [
    make("h2", { textContent: words.menu }), ...account.menu.map(({ text, label }) => lead(label, () => void send(text))),
    ...(account.move ? [make("a", { className: "key", href: account.move, target: "_blank", rel: "noopener noreferrer", textContent: words.move }), make("p", { className: "quiet", textContent: words["move-use"] })] : []),
    lead(words.code, () => void showCode()), lead(words.leave, () => void leave()),
  ];
}
async function showCode() {
  const { status, data } = await call("GET", "code").catch(() => ({ status: 0, data: {} }));
  if (status === 200) { main.prepend(drawCode(data.code)); window.scrollTo(0, 0); } else say(words.offline, true);
}
async function leave() {
  const { status } = await call("POST", "leave", {}).catch(() => ({ status: 0 }));
  if (status === 200) location.reload(); else say(words.offline, true);
}

/** @param {{item: any, draft: any, menu?: any, move?: string | null, language?: string, screen?: number, told?: any[], code?: string, is_gone?: boolean}} work */
function draw({ item, draft: stored, menu, move = null, language, screen: number, told = [], code, is_gone: isGone }) {
  const isNext = shown && item?.assignment === shown.assignment && item.asked.name !== shown.asked.name; // its texts were read
  draft?.end(); draft = null; question = null; shown = item; compared = null;
  byId("header").textContent = item?.header ?? "";
  account = menu ? { menu, move } : null; screen = number || screen;
  if (language && language !== document.documentElement.lang && !code) { location.search = `?l=${language}`; return; }
  const messages = [...(code ? [drawCode(code)] : []), ...drawTold(told, (data) => void tap(data), (text) => void send(text))];
  if (!item && (account || isGone)) {
    if (!messages.length && !isGone && !isStarted) { isStarted = true; setTimeout(() => void send("/start")); return; }
    isStarted = false;
    main.replaceChildren(make("h1", { className: "offscreen", textContent: words.told, tabIndex: -1 }), ...messages, ...(isGone ? [] : [drawReply(told.at(-1)?.hint ?? "", (text) => void send(text))]));
    drawBar(); window.scrollTo(0, 0);
    return;
  }
  if (!item) { main.replaceChildren(make("h1", { textContent: words.nothing, tabIndex: -1 })); drawBar(); return; }
  const { asked } = item;
  question = drawQuestion(asked); compared = item.sides.length ? drawSides(item.sides, item.language) : null;
  main.replaceChildren(
    ...messages, ...item.blocks.map(drawBlock), ...(compared ? [compared.node] : []),
    ...item.answered.map(([title, answer]) => make("p", { className: "quiet", textContent: `${title} — ${answer}` })),
    make("h1", { textContent: asked.title, lang: item.language, tabIndex: -1 }), ...(asked.help ? [make("p", { className: "quiet", textContent: asked.help, lang: item.language })] : []),
    ...(asked.heading ? [make("p", { className: "block", lang: item.language }, make("strong", {}, asked.heading))] : []), question ? question.node : drawOptions(asked),
  );
  drawBar();
  if (question) { draft = new Draft(item, stored, question); }
  if (isNext) main.querySelector("h1")?.scrollIntoView(); else window.scrollTo(0, 0);
}

/** Do what a button of the chat does, with what was entered. @param {string} data @param {any} [entered] */
const tap = (data, entered) => act("tap", entered === undefined ? { data } : { data, entered });
/** Answer with an option, once everything to compare was seen. @param {string} data */
function choose(data) { if (!compared || compared.areSeen()) void tap(data); }
/** Go on in Telegram: where there is still no item, the chat says why, so it comes to the front. */
async function goOn() { if (await tap("g:0::") && !shown) post("web_app_close"); }
/** Say something to the bot, without Telegram. @param {string} text */
const send = (text) => act("say", { text, screen });
/** @param {string} path @param {object} body @returns {Promise<boolean>} whether the server has done it */
async function act(path, body) {
  if (busy) return false;
  let isDone = false;
  clearTimeout(timer); unsent = null;
  busy = true; document.body.setAttribute("aria-busy", "true");
  try {
    if (path === "say") await draft?.flush(); // the item is drawn again below what the bot says
    const { status, data: work } = await call("POST", path, body);
    if (status === 200) {
      isDone = true;
      const isAnswered = shown && (work.item?.assignment !== shown.assignment || work.item?.revision !== shown.revision || work.item?.asked.name !== shown.asked.name);
      if (isAnswered) draft?.end(true);
      undo = work.undo;
      if (isAnswered || !shown || !question || work.told?.length) { draw(work); (main.querySelector("h1") ?? main).focus?.({ preventScroll: true }); }
      else drawBar();
      say(work.toast); wait = FIRST_WAIT;
    } else if (status === 401 && !inTelegram) showEntry();
    else if (status === 401) say(words.again, true);
    else throw new Error(String(status));
  } catch {
    say(words.offline, true); void draft?.flush();
    unsent = { path, body }; timer = window.setTimeout(resend, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }
  busy = false; document.body.removeAttribute("aria-busy");
  return isDone;
}
/** Let somebody come back whom the server knows no more; what they wrote stays in sight. */
function showEntry() {
  byId("entry")?.remove();
  main.prepend(make("section", { id: "entry" }, ...drawEntry("", begin, say)));
  byId("buttons").replaceChildren(); say(words.ended, true); window.scrollTo(0, 0);
}
/** Send it again: what was stored already, with its response lost, is refused as out of date, and the next item is drawn. */
function resend() {
  if (unsent) void act(unsent.path, unsent.body);
}
window.addEventListener("online", resend);
async function save() {
  if (question?.isReady()) await tap(shown.asked.done, question.collect());
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.repeat || document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void save(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLTextAreaElement || event.target instanceof HTMLInputElement) return;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  const option = digit && !question ? shown?.asked.options?.[(Number(digit) + 9) % 10] : null;
  if (option) { event.preventDefault(); choose(option.data); }
});

async function load(asked = fetchWork()) {
  try {
    const { status, data } = await asked;
    if (status === 200 && invitation && !inTelegram) await send(`/start ${takeInvitation()}`);
    else if (status === 200) draw(data);
    else if (status === 401 && !inTelegram) main.replaceChildren(...drawEntry(invitation, begin, say));
    else { byId("header").textContent = ""; main.replaceChildren(make("p", { textContent: status === 401 ? words.again : words.offline })); }
  } catch { main.replaceChildren(make("p", { textContent: words.offline }), makeButton(words["go-on"], () => void load())); }
}
/** Get the item again, with new addresses of its pictures, once what was entered is stored. */
async function loadAgain() { await draft?.flush(); await load(); }
/** Begin with an account: what the chat says first, or the item that waits. @param {any} work */
function begin(work) {
  takeInvitation(); say("");
  if (work.code) draw(work); else void load();
}
start();
void load(firstWork);
