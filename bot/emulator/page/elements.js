// Draws messages with nodes, never with markup: what people and bots write stays text.

const TAGS = {
  bold: "strong", italic: "em", underline: "u", strikethrough: "s", code: "code", pre: "pre", blockquote: "blockquote",
};

export function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

// A block ends its line itself, so a line break after it is left out.
const isBlock = (node) => ["pre", "blockquote", "expandable_blockquote"].includes(node?.type);

export function drawNodes(nodes, translate, command) {
  return nodes.map((node, index) => {
    if (typeof node === "string") {
      return document.createTextNode(isBlock(nodes[index - 1]) ? node.replace(/^\n/, "") : node);
    }
    const content = drawNodes(node.content, translate, command);
    if (TAGS[node.type]) return element(TAGS[node.type], {}, ...content);
    if (node.type === "expandable_blockquote") return drawFoldedQuote(content, translate);
    if (node.type === "spoiler") return drawSpoiler(content, translate);
    if (node.type === "text_link" || node.type === "url") return drawLink(node, content);
    if (node.type === "bot_command") return drawCommand(content, command);
    return element("span", { className: "found" }, ...content);
  });
}

function drawFoldedQuote(content, translate) {
  const text = element("div", { className: "folded" }, ...content);
  const toggle = element("button", { type: "button", className: "fold", textContent: translate("more") });
  toggle.setAttribute("aria-expanded", "false");
  toggle.addEventListener("click", () => {
    const open = text.classList.toggle("open");
    toggle.setAttribute("aria-expanded", String(open));
    toggle.textContent = translate(open ? "less" : "more");
  });
  return element("blockquote", { className: "expandable" }, text, toggle);
}

function drawSpoiler(content, translate) {
  const hidden = element("button", { type: "button", className: "spoiler" }, ...content);
  hidden.setAttribute("aria-label", translate("hidden"));
  hidden.addEventListener("click", () => hidden.replaceWith(element("span", {}, ...content)), { once: true });
  return hidden;
}

function drawLink(node, content) {
  const address = node.argument || content.map((part) => part.textContent).join("");
  if (!/^https?:\/\//i.test(address)) return element("span", { className: "found" }, ...content);
  return element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, ...content);
}

function drawCommand(content, command) {
  const button = element("button", { type: "button", className: "command" }, ...content);
  button.addEventListener("click", () => command(button.textContent));
  return button;
}

export function drawMessage(message, { translate, command, tap, open, edit, bot }) {
  const who = element("span", { className: "unseen", textContent: `${message.mine ? translate("you") : bot}: ` });
  const body = element("div", { className: "body" }, who);
  if (message.reply) body.append(drawReply(message));
  if (message.file) body.append(drawFile(message.file, translate));
  if (message.media) body.append(element("div", { className: "file", textContent: translate(message.media) }));
  body.append(element("div", { className: "text" }, ...drawNodes(message.text, translate, command)));
  const bubble = element("li", { className: message.mine ? "mine" : "theirs" }, body);
  bubble.dataset.id = message.id;
  body.append(drawStamp(message, { translate, edit }));
  if (message.reaction) bubble.append(element("div", { className: "reaction", textContent: message.reaction }));
  if (message.rows.length) bubble.append(drawButtons(message, { translate, tap, open }));
  return bubble;
}

function drawReply(message) {
  const quote = element("button", { type: "button", className: "answers", textContent: message.reply });
  quote.addEventListener("click", () => document.querySelector(`[data-id="${message.above}"]`)?.scrollIntoView());
  return quote;
}

function drawStamp(message, { translate, edit }) {
  const time = new Date(message.at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const lock = message.protected ? element("span", { title: translate("protected"), textContent: "⊘ " }) : "";
  if (lock) lock.setAttribute("aria-hidden", "true");
  const stamp = element("div", { className: "stamp" }, lock, `${message.edited ? `${translate("edited")} ` : ""}${time}`);
  if (message.mine && !message.file && !message.media) {
    const change = element("button", { type: "button", className: "change", textContent: translate("edit") });
    change.addEventListener("click", () => edit(message));
    stamp.prepend(change, " ");
  }
  return stamp;
}

function drawFile(file, translate) {
  const address = `media/${encodeURIComponent(file.id)}`;
  if (file.kind === "photo") return element("img", { src: address, alt: translate("photo") });
  const label = `📄 ${file.name} · ${formatSize(file.size)}`;
  return element("a", { href: address, className: "file", download: file.name }, label);
}

function formatSize(bytes) {
  return bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;
}

function drawButtons(message, { translate, tap, open }) {
  const box = element("div", { className: "buttons" });
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", translate("buttons"));
  for (const row of message.rows) {
    const line = element("div", { className: "row" });
    for (const key of row) line.append(drawButton(key, message, { tap, open }));
    box.append(line);
  }
  return box;
}

function drawButton(key, message, { tap, open }) {
  if (key.url !== null) {
    return element("a", { className: "key", href: key.url, target: "_blank", rel: "noopener noreferrer" }, `${key.text} ↗`);
  }
  const button = element("button", { type: "button", className: "key", textContent: key.text });
  if (key.page) {
    button.addEventListener("click", () => open(message, key.page));
    return button;
  }
  button.disabled = key.data === null;
  button.addEventListener("click", () => {
    button.setAttribute("aria-busy", "true");
    tap(message, key.data);
  });
  return button;
}
