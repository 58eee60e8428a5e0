// @ts-check
/** People without Telegram: joining by a link, coming back by a code, and what the chat would have told them. */
import { byId, call, make, makeButton, words } from "./bridge.js";
import { drawPicture } from "./pictures.js";

/** @typedef {{html: string, rows: {label: string, data: string}[][], hint: string | null, file?: {name: string, data: string}, picture?: import("./pictures.js").Picture}} Told */
const TAGS = new Set(["B", "STRONG", "I", "EM", "U", "S", "CODE", "PRE", "BLOCKQUOTE"]);
const COMMAND = /(\/[a-z]{3,12})(?![\w/])/;


/** A message's markup, rebuilt from the tags that messages have; a command in it is a button. @param {string} html @param {(text: string) => void} send */
function rebuild(html, send) {
  /** @param {Node} node @returns {(Node | string)[]} */
  const copy = (node) => {
    if (node instanceof Text) return (node.textContent ?? "").split(COMMAND).map((part, at) => (at % 2 ? makeButton(part, () => send(part), "command") : part));
    if (!(node instanceof Element)) return [];
    const inside = [...node.childNodes].flatMap(copy);
    const address = node instanceof HTMLAnchorElement ? node.getAttribute("href") ?? "" : "";
    if (/^https:\/\//i.test(address)) return [make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, ...inside)];
    return TAGS.has(node.tagName) ? [make(node.tagName.toLowerCase(), {}, ...inside)] : inside;
  };
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes].flatMap(copy);
}

/** The messages that the chat would have brought, with their buttons.
 * @param {Told[]} told @param {(data: string) => void} tap @param {(text: string) => void} send */
export function drawTold(told, tap, send) {
  return told.map(({ html, rows, file, picture }) => {
    const section = make("section", { className: "told" }, make("div", { className: "block" }, ...rebuild(html, send)));
    if (picture) section.append(drawPicture(picture, document.documentElement.lang, () => location.reload()));
    if (file) {
      const bytes = Uint8Array.from(atob(file.data), (one) => one.charCodeAt(0));
      section.append(make("a", { href: URL.createObjectURL(new Blob([bytes])), download: file.name, textContent: `📄 ${file.name}` }));
    }
    for (const row of rows) section.append(make("div", { className: "row wrap" }, ...row.map(({ label, data }) => makeButton(label, () => tap(data), "grow"))));
    return section;
  });
}

/** A field for what a message asks for, or for a command. @param {string} hint @param {(text: string) => void} send */
export function drawReply(hint, send) {
  const field = /** @type {HTMLTextAreaElement} */ (make("textarea", { id: "reply", rows: 1, placeholder: hint || words.write, autocomplete: "off" }));
  field.setAttribute("aria-label", hint || words.write);
  const form = make("form", { className: "row" }, field, make("button", { type: "submit", className: "main", textContent: words.send }));
  form.addEventListener("submit", (event) => { event.preventDefault(); if (field.value.trim()) send(field.value); });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); } });
  return form;
}

/** The personal code, and what it is for. @param {string} code */
export function drawCode(code) {
  return make("section", { className: "told" }, make("h2", { textContent: words.code }), make("p", {}, make("code", { id: "code", textContent: code })), make("p", { className: "quiet", textContent: words["code-use"] }));
}

/** Where somebody unknown begins: joining by the code of a link, or coming back by their own.
 * @param {string} invitation @param {(work: any) => void} enter @param {(text: string, bad?: boolean) => void} say */
export function drawEntry(invitation, enter, say) {
  const remember = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", id: "remember" }));
  const field = /** @type {HTMLInputElement} */ (make("input", { id: "own", autocomplete: "off", autocapitalize: "characters", spellcheck: false, placeholder: "XXXX-XXXX-…" }));
  field.setAttribute("aria-label", words["code-own"]);
  let busy = false;
  /** @param {string} path @param {object} body @param {string} refused */
  const ask = async (path, body, refused) => {
    if (busy) return;
    busy = true;
    try {
      const { status, data } = await call("POST", path, { ...body, remember: remember.checked });
      if (status === 200) enter(data);
      else say(status === 429 ? words.busy : data.toast ?? refused, true);
    } catch { say(words.offline, true); }
    busy = false;
  };
  const join = () => void ask("join", { code: invitation, language: document.documentElement.lang }, words["code-unknown"]);
  const form = make("form", { className: "row wrap" }, field, make("button", { type: "submit", textContent: words["code-enter"] }));
  form.addEventListener("submit", (event) => { event.preventDefault(); if (field.value.trim()) void ask("recover", { code: field.value }, words["code-unknown"]); });
  byId("header").textContent = "";
  return [
    make("h1", { textContent: invitation ? words.join : words["join-none"], tabIndex: -1 }),
    ...(invitation ? [make("p", { textContent: words["join-about"] })] : []),
    make("p", { className: "boxes" }, make("label", { htmlFor: "remember" }, remember, make("span", { className: "grow", textContent: words.remember }))),
    ...(invitation ? [make("p", {}, makeButton(words["join-now"], join, "main"))] : []),
    make("h2", { textContent: words["code-have"] }), form,
  ];
}
