// Draws messages with nodes, never with markup: what people and bots write stays text.

const PLAIN = {
  bold: "strong", italic: "em", underline: "u", strikethrough: "s", code: "code", pre: "pre", blockquote: "blockquote",
};

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const afterBlock = (node) => ["pre", "blockquote", "expandable_blockquote"].includes(node?.type); // it ends its line itself

export function formatted(nodes, say, command) {
  return nodes.map((node, place) => {
    if (typeof node === "string") return document.createTextNode(afterBlock(nodes[place - 1]) ? node.replace(/^\n/, "") : node);
    const content = formatted(node.content, say, command);
    if (PLAIN[node.type]) return element(PLAIN[node.type], {}, ...content);
    if (node.type === "expandable_blockquote") return folded(content, say);
    if (node.type === "spoiler") return spoiler(content, say);
    if (node.type === "text_link" || node.type === "url") return link(node, content);
    if (node.type === "bot_command") return commanded(content, command);
    return element("span", { className: "found" }, ...content);
  });
}

function folded(content, say) {
  const text = element("div", { className: "folded" }, ...content);
  const toggle = element("button", { type: "button", className: "fold", textContent: say("more") });
  toggle.setAttribute("aria-expanded", "false");
  toggle.addEventListener("click", () => {
    const open = text.classList.toggle("open");
    toggle.setAttribute("aria-expanded", String(open));
    toggle.textContent = say(open ? "less" : "more");
  });
  return element("blockquote", { className: "expandable" }, text, toggle);
}

function spoiler(content, say) {
  const hidden = element("button", { type: "button", className: "spoiler" }, ...content);
  hidden.setAttribute("aria-label", say("hidden"));
  hidden.addEventListener("click", () => hidden.replaceWith(element("span", {}, ...content)), { once: true });
  return hidden;
}

function link(node, content) {
  const address = node.argument || content.map((one) => one.textContent).join("");
  if (!/^https?:\/\//i.test(address)) return element("span", { className: "found" }, ...content);
  return element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, ...content);
}

function commanded(content, command) {
  const made = element("button", { type: "button", className: "command" }, ...content);
  made.addEventListener("click", () => command(made.textContent));
  return made;
}

export function bubble(message, { say, command, tap, edit, bot }) {
  const who = element("span", { className: "unseen", textContent: `${message.mine ? say("you") : bot}: ` });
  const body = element("div", { className: "body" }, who);
  if (message.reply) body.append(element("div", { className: "answers", textContent: message.reply }));
  if (message.file) body.append(attached(message.file));
  body.append(element("div", { className: "text" }, ...formatted(message.text, say, command)));
  const made = element("li", { className: message.mine ? "mine" : "theirs" }, body);
  made.dataset.id = message.id;
  body.append(stamp(message, { say, edit }));
  if (message.reaction) made.append(element("div", { className: "reaction", textContent: message.reaction }));
  if (message.rows.length) made.append(buttons(message, { say, tap }));
  return made;
}

function stamp(message, { say, edit }) {
  const time = new Date(message.at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const lock = message.protected ? element("span", { title: say("protected"), textContent: "⊘ " }) : "";
  if (lock) lock.setAttribute("aria-hidden", "true");
  const made = element("div", { className: "stamp" }, lock, `${message.edited ? `${say("edited")} ` : ""}${time}`);
  if (message.mine && !message.file) {
    const change = element("button", { type: "button", className: "change", textContent: say("edit") });
    change.addEventListener("click", () => edit(message));
    made.prepend(change, " ");
  }
  return made;
}

function attached(file) {
  const address = `media/${encodeURIComponent(file.id)}`;
  if (file.kind === "photo") return element("img", { src: address, alt: file.name });
  return element("a", { href: address, className: "file", download: file.name }, `📄 ${file.name} · ${size(file.size)}`);
}

function size(bytes) {
  return bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;
}

function buttons(message, { say, tap }) {
  const box = element("div", { className: "buttons" });
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", say("buttons"));
  for (const row of message.rows) {
    const line = element("div", { className: "row" });
    for (const key of row) line.append(button(key, message, tap));
    box.append(line);
  }
  return box;
}

function button(key, message, tap) {
  if (key.url !== null) {
    return element("a", { className: "key", href: key.url, target: "_blank", rel: "noopener noreferrer" }, `${key.text} ↗`);
  }
  const made = element("button", { type: "button", className: "key", textContent: key.text });
  made.disabled = key.data === null;
  made.addEventListener("click", () => {
    made.setAttribute("aria-busy", "true");
    tap(message, key.data);
  });
  return made;
}
