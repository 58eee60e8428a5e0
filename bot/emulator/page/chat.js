import { bubble, element } from "./elements.js";

const $ = (id) => document.getElementById(id);
const words = await (await fetch("words.json")).json();
const state = { person: null, people: [], language: "uk", bot: "", around: null, editing: null, stream: null, typing: 0 };
const say = (key) => words[state.language][key];

async function act(body) {
  const answer = await fetch("act", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => null);
  if (!answer?.ok) {
    toast(say(answer ? "refused" : "lost"));
    return null;
  }
  return answer.json();
}

const send = (text) => act({ do: "send", person: state.person, text });
const tap = (message, data) => act({ do: "tap", person: state.person, message: message.id, data });

function edit(message) {
  state.editing = message.id;
  $("text").value = message.plain;
  $("editing").hidden = false;
  $("text").focus();
  fit();
}

function stopEditing() {
  state.editing = null;
  $("editing").hidden = true;
  $("text").value = "";
  fit();
}

function toast(text) {
  const made = element("div", { className: "toast", textContent: text });
  $("toasts").replaceChildren(made);
  setTimeout(() => made.remove(), 4500);
}

function alertWith(text) {
  $("alert-text").textContent = text;
  $("alert").showModal();
}

function put(message, { live = true } = {}) {
  const old = $("log").querySelector(`[data-id="${message.id}"]`);
  if (message.deleted) {
    old?.remove();
    return;
  }
  const focused = old?.querySelector(".key:focus-visible") ? focusedKey(old) : null;
  const made = bubble(message, { say, tap, edit, command: send, bot: state.bot });
  const near = $("scroller").scrollHeight - $("scroller").scrollTop - $("scroller").clientHeight < 160;
  if (old) old.replaceWith(made);
  else $("log").append(made);
  if (focused !== null) (made.querySelectorAll(".key")[focused] ?? made.querySelector(".key") ?? $("scroller")).focus();
  if (live && (near || message.mine)) bottom();
}

const focusedKey = (old) => [...old.querySelectorAll(".key")].indexOf(document.activeElement);

function bottom() {
  $("scroller").scrollTop = $("scroller").scrollHeight;
}

function translate() {
  document.documentElement.lang = state.language;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = say(one.dataset.word);
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", say(one.dataset.label));
  $("text").placeholder = say("message");
  $("start").textContent = say("start");
}

function arrange() {
  const around = state.around;
  const fresh = !$("log").children.length;
  $("empty").hidden = !fresh;
  $("description").textContent = around.description || say("empty");
  $("start").hidden = !(fresh || around.blocked);
  $("start").textContent = say(around.blocked ? "unblock" : "start");
  $("composer").hidden = !$("start").hidden;
  $("block").textContent = say(around.blocked ? "unblock" : "block");
  $("pinned").hidden = !around.pinned;
  $("pinned").textContent = `${say("pinned")} ${around.pinned}`;
  $("asked").hidden = !around.asked;
  $("asked-text").textContent = around.asked;
  $("text").placeholder = around.placeholder || say("message");
  doing(around);
  menu(around.menu);
  keys(around.keyboard);
}

function doing(around) {
  clearTimeout(state.typing);
  $("doing").textContent = around.blocked ? say("blocked") : around.typing ? say("typing") : say("bot");
  if (around.typing) {
    state.typing = setTimeout(() => {
      $("doing").textContent = say("bot");
    }, around.typing * 1000);
  }
}

function menu(commands) {
  const lines = commands.map((one) => {
    const made = element("button", { type: "button" }, element("b", {}, `/${one.command}`), ` ${one.description}`);
    made.addEventListener("click", () => {
      fold();
      send(`/${one.command}`);
    });
    return element("li", {}, made);
  });
  $("menu").replaceChildren(...(lines.length ? lines : [element("li", { textContent: say("no-commands") })]));
}

function fold() {
  $("menu").hidden = true;
  $("commands").setAttribute("aria-expanded", "false");
}

function keys(rows) {
  $("keyboard").hidden = !rows.length;
  $("keyboard").replaceChildren(
    ...rows.map((row) => {
      const line = element("div", { className: "row" });
      for (const text of row) {
        const made = element("button", { type: "button", className: "key", textContent: text });
        made.addEventListener("click", () => send(text));
        line.append(made);
      }
      return line;
    }),
  );
}

function everybody() {
  const lines = state.people.map((one) => {
    const made = element("button", { type: "button", textContent: one.name });
    if (one.id === state.person) made.setAttribute("aria-current", "true");
    made.addEventListener("click", () => open(one.id));
    return element("li", {}, made);
  });
  $("people-list").replaceChildren(...lines);
}

function whole(event) {
  if (event.person !== state.person) stopEditing(); // after a lost connection, half-typed words stay
  state.person = event.person;
  state.people = event.people;
  state.bot = event.bot;
  state.around = event.around;
  state.language = event.people.find((one) => one.id === event.person).language in words
    ? event.people.find((one) => one.id === event.person).language
    : "uk";
  document.title = `${event.bot} · hromada`;
  $("bot").textContent = event.bot;
  translate();
  $("log").replaceChildren();
  for (const message of event.messages) put(message, { live: false });
  everybody();
  arrange();
  bottom();
}

function changed(event) {
  state.around = event.around;
  if (event.message && event.kind !== "toast" && event.kind !== "alert") put(event.message);
  if (event.kind === "toast" || event.kind === "alert") {
    const waiting = $("log").querySelectorAll(`[data-id="${event.on}"] [aria-busy]`);
    for (const one of waiting) one.removeAttribute("aria-busy");
    if (event.kind === "alert") alertWith(event.text);
    else if (event.text) toast(event.text);
  }
  arrange();
}

function open(person) {
  state.stream?.close();
  state.stream = new EventSource(person === null ? "events" : `events?person=${person}`);
  state.stream.addEventListener("message", (told) => {
    const event = JSON.parse(told.data);
    if (event.people) whole(event);
    else changed(event);
  });
  state.stream.addEventListener("error", () => {
    $("doing").textContent = say("lost");
  });
}

function fit() {
  $("text").style.height = "auto";
  $("text").style.height = `${Math.min($("text").scrollHeight, 160)}px`;
}

async function compose(event) {
  event.preventDefault();
  const text = $("text").value.trim();
  if (!text) return;
  const done = state.editing === null
    ? await send(text)
    : await act({ do: "edit", person: state.person, message: state.editing, text });
  if (done) stopEditing();
}

$("composer").addEventListener("submit", compose);
$("text").addEventListener("input", fit);
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) compose(event);
  if (event.key === "Escape") stopEditing();
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
    fold();
    $("commands").focus();
  }
});
$("start").addEventListener("click", () =>
  state.around.blocked ? act({ do: "unblock", person: state.person }).then(() => open(state.person)) : send("/start"),
);
$("block").addEventListener("click", async () => {
  await act({ do: state.around.blocked ? "unblock" : "block", person: state.person });
  open(state.person);
});
$("alert-ok").addEventListener("click", () => $("alert").close());
$("join").addEventListener("click", () => {
  $("joining-language").value = state.language;
  $("joining").showModal();
});
$("joining-cancel").addEventListener("click", () => $("joining").close());
$("joining-form").addEventListener("submit", async () => {
  const made = await act({ do: "join", name: $("joining-name").value, language: $("joining-language").value });
  $("joining-name").value = "";
  if (made) open(made.person);
});
open(null);
