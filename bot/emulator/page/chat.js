import { drawMessage, element } from "./elements.js";

const $ = (id) => document.getElementById(id);
const words = await (await fetch("words.json")).json();
// `around` is what the server describes around the messages: keyboard, reply box, menu; `editing` is a message id,
// `stream` the events of the server, `typing` the timer that ends the display of "typing".
const state = { person: null, people: [], language: "uk", bot: "", around: null, editing: null, stream: null, typing: 0 };
const translate = (key) => words[state.language][key];

async function postAct(body) {
  const answer = await fetch("act", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => null);
  if (!answer?.ok) {
    showToast(translate(answer ? "refused" : "lost"));
    return null;
  }
  return answer.json();
}

const sendText = (text) => postAct({ do: "send", person: state.person, text });
const tapButton = (message, data) => postAct({ do: "tap", person: state.person, message: message.id, data });

function startEditing(message) {
  state.editing = message.id;
  $("text").value = message.plain;
  $("editing").hidden = false;
  $("text").focus();
  fitTextHeight();
}

function stopEditing() {
  state.editing = null;
  $("editing").hidden = true;
  $("text").value = "";
  fitTextHeight();
}

function showToast(text) {
  const box = element("div", { className: "toast", textContent: text });
  $("toasts").replaceChildren(box);
  setTimeout(() => box.remove(), 4500);
}

function showAlert(text) {
  $("alert-text").textContent = text;
  $("alert").showModal();
}

function showMessage(message, { live = true } = {}) {
  const old = $("log").querySelector(`[data-id="${message.id}"]`);
  if (message.deleted) {
    old?.remove();
    return;
  }
  const focused = old?.querySelector(".key:focus-visible") ? findFocusedKey(old) : null;
  const handlers = { tap: tapButton, open: openPage, edit: startEditing, command: sendText };
  const bubble = drawMessage(message, { translate, bot: state.bot, ...handlers });
  const near = $("scroller").scrollHeight - $("scroller").scrollTop - $("scroller").clientHeight < 160;
  if (old) old.replaceWith(bubble);
  else $("log").append(bubble);
  if (focused !== null) {
    (bubble.querySelectorAll(".key")[focused] ?? bubble.querySelector(".key") ?? $("scroller")).focus();
  }
  if (live && (near || message.mine)) scrollToBottom();
}

const findFocusedKey = (old) => [...old.querySelectorAll(".key")].indexOf(document.activeElement);

function scrollToBottom() {
  $("scroller").scrollTop = $("scroller").scrollHeight;
}

function translatePage() {
  document.documentElement.lang = state.language;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = translate(node.dataset.word);
  for (const node of document.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", translate(node.dataset.label));
  }
  for (const kind of ["photo", "sticker", "voice"]) $(kind).textContent = translate(kind);
  $("text").placeholder = translate("message");
  $("start").textContent = translate("start");
}

function showSurroundings() {
  const around = state.around;
  const fresh = !$("log").children.length;
  $("empty").hidden = !fresh;
  $("description").textContent = around.description || translate("empty");
  $("start").hidden = !(fresh || around.blocked);
  $("start").textContent = translate(around.blocked ? "unblock" : "start");
  $("composer").hidden = around.blocked;
  $("block").textContent = translate(around.blocked ? "unblock" : "block");
  $("pinned").hidden = !around.pinned;
  $("pinned").textContent = `${translate("pinned")} ${around.pinned}`;
  $("asked").hidden = !around.asked;
  $("asked-text").textContent = around.asked;
  $("text").placeholder = around.placeholder || translate("message");
  showActivity(around);
  showMenu(around.menu);
  showKeyboard(around.keyboard);
}

function showActivity(around) {
  clearTimeout(state.typing);
  $("doing").textContent = around.blocked ? translate("blocked") : around.typing ? translate("typing") : translate("bot");
  if (around.typing) {
    state.typing = setTimeout(() => {
      $("doing").textContent = translate("bot");
    }, around.typing * 1000);
  }
}

function showMenu(commands) {
  const lines = commands.map(({ command, description }) => {
    const button = element("button", { type: "button" }, element("b", {}, `/${command}`), ` ${description}`);
    button.addEventListener("click", () => {
      closeMenu();
      sendText(`/${command}`);
    });
    return element("li", {}, button);
  });
  $("menu").replaceChildren(...(lines.length ? lines : [element("li", { textContent: translate("no-commands") })]));
}

function closeMenu() {
  $("menu").hidden = true;
  $("commands").setAttribute("aria-expanded", "false");
}

function showKeyboard(rows) {
  $("keyboard").hidden = !rows.length;
  $("keyboard").replaceChildren(
    ...rows.map((row) => {
      const line = element("div", { className: "row" });
      for (const text of row) {
        const key = element("button", { type: "button", className: "key", textContent: text });
        key.addEventListener("click", () => sendText(text));
        line.append(key);
      }
      return line;
    }),
  );
}

function showPeople() {
  const lines = state.people.map((person) => {
    const button = element("button", { type: "button", textContent: person.name });
    if (person.id === state.person) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => openChat(person.id));
    return element("li", {}, button);
  });
  $("people-list").replaceChildren(...lines);
}

function showChat(event) {
  if (event.person !== state.person) stopEditing(); // after a lost connection, half-typed words stay
  state.person = event.person;
  state.people = event.people;
  state.bot = event.bot;
  state.around = event.around;
  const { language } = event.people.find((person) => person.id === event.person);
  state.language = language in words ? language : "en";
  state.spoken = language;
  $("joining-language").replaceChildren(
    ...Object.entries(event.languages).map(([value, name]) => element("option", { value, lang: value, textContent: name })),
  );
  document.title = `${event.bot} · hromada`;
  $("bot").textContent = event.bot;
  translatePage();
  $("log").replaceChildren();
  for (const message of event.messages) showMessage(message, { live: false });
  showPeople();
  showSurroundings();
  scrollToBottom();
}

function showEvent(event) {
  state.around = event.around;
  if (event.message && event.kind !== "toast" && event.kind !== "alert") showMessage(event.message);
  if (event.kind === "toast" || event.kind === "alert") {
    const waiting = $("log").querySelectorAll(`[data-id="${event.on}"] [aria-busy]`);
    for (const button of waiting) button.removeAttribute("aria-busy");
    if (event.kind === "alert") showAlert(event.text);
    else if (event.text) showToast(event.text);
  }
  showSurroundings();
}

function openChat(person) {
  state.stream?.close();
  state.stream = new EventSource(person === null ? "events" : `events?person=${person}`);
  state.stream.addEventListener("message", ({ data }) => {
    const event = JSON.parse(data);
    if (event.people) showChat(event);
    else showEvent(event);
  });
  state.stream.addEventListener("error", () => {
    $("doing").textContent = translate("lost");
  });
}

function fitTextHeight() {
  $("text").style.height = "auto";
  $("text").style.height = `${Math.min($("text").scrollHeight, 160)}px`;
}

async function submitText(event) {
  event.preventDefault();
  const text = $("text").value.trim();
  if (!text) return;
  const done = state.editing === null
    ? await sendText(text)
    : await postAct({ do: "edit", person: state.person, message: state.editing, text });
  if (done) stopEditing();
}

$("composer").addEventListener("submit", submitText);
$("text").addEventListener("input", fitTextHeight);
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submitText(event);
  if (event.key === "Escape") stopEditing();
});
$("media").addEventListener("change", () => {
  postAct({ do: "media", person: state.person, kind: $("media").value });
  $("media").value = "";
});
$("not-editing").addEventListener("click", stopEditing);
$("commands").addEventListener("click", () => {
  const hidden = $("menu").hidden;
  $("menu").hidden = !hidden;
  $("commands").setAttribute("aria-expanded", String(hidden));
  if (hidden) $("menu").querySelector("button")?.focus();
});
$("menu").addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    closeMenu();
    $("commands").focus();
  }
});
$("start").addEventListener("click", () =>
  state.around.blocked
    ? postAct({ do: "unblock", person: state.person }).then(() => openChat(state.person))
    : sendText("/start"),
);
$("block").addEventListener("click", async () => {
  await postAct({ do: state.around.blocked ? "unblock" : "block", person: state.person });
  openChat(state.person);
});
// A client opens a Mini App in a frame, answers its requests, and closes it by its own button.
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
async function openPage(message, page) {
  const opened = await postAct({ do: "open", person: state.person, message: message.id, page, dark: isDark() });
  if (!opened) return;
  const frame = element("iframe", { id: "mini-app", title: state.bot, src: opened.address });
  frame.addEventListener("load", () => frame.focus());  // or else its keys go to the chat
  $("mini-app").replaceWith(frame);
  $("page").showModal();
}

addEventListener("message", ({ source, origin, data }) => {
  const frame = $("mini-app");
  if (source !== frame.contentWindow || typeof data !== "string") return;
  const answer = (eventType, eventData) => source.postMessage(JSON.stringify({ eventType, eventData }), origin);
  const { eventType } = JSON.parse(data);
  if (eventType === "web_app_request_safe_area") answer("safe_area_changed", { top: 0, bottom: 0, left: 0, right: 0 });
  if (eventType === "web_app_close") $("page").close();
});
$("page-close").addEventListener("click", () => $("page").close());
$("page").addEventListener("close", () => $("mini-app").replaceWith(element("iframe", { id: "mini-app", title: "" })));
$("alert-ok").addEventListener("click", () => $("alert").close());
$("join").addEventListener("click", () => {
  $("joining-language").value = state.spoken;
  $("joining").showModal();
});
$("joining-cancel").addEventListener("click", () => $("joining").close());
$("joining-form").addEventListener("submit", async () => {
  const joined = await postAct({ do: "join", name: $("joining-name").value, language: $("joining-language").value });
  $("joining-name").value = "";
  if (joined) openChat(joined.person);
});
openChat(null);
