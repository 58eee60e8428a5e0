"use strict";
// Sections that changed come as server-sent events and replace the old ones; focus and scrolling stay where they were.
const connection = document.getElementById("connection");
const words = document.body.dataset;

function say(state, text) {
  connection.className = state;
  if (connection.textContent !== text) connection.textContent = text;
}

function replaceSection(id, html) {
  const old = document.getElementById(`live-${id}`);
  if (!old) {
    location.reload();
    return;
  }
  const scrolled = [...old.querySelectorAll(".scroll")].map((frame) => frame.scrollLeft);
  const focusable = "a, [tabindex]";
  const place = [...old.querySelectorAll(focusable)].indexOf(document.activeElement);
  old.innerHTML = html;
  old.querySelectorAll(".scroll").forEach((frame, number) => { frame.scrollLeft = scrolled[number] ?? 0; });
  if (place >= 0) old.querySelectorAll(focusable)[place]?.focus({ preventScroll: true });
}

function sortSections(order) {
  const shown = [...document.querySelectorAll(".live")].map((section) => section.id);
  const wanted = order.map((id) => `live-${id}`);
  if (shown.join() === wanted.join()) return;
  const focused = document.activeElement;
  document.querySelector("h1").after(...wanted.map((id) => document.getElementById(id)).filter(Boolean));
  focused.focus({ preventScroll: true });
}

// How many of the things to do are below the window: a phone shows about ten.
const below = document.getElementById("below");

function countBelow() {
  const tasks = [...document.querySelectorAll(".tasks li")];
  const number = tasks.filter((task) => task.getBoundingClientRect().bottom > innerHeight).length;
  below.hidden = number === 0;
  below.textContent = below.dataset.words.replace("{n}", number);
}

addEventListener("scroll", countBelow, { passive: true });
addEventListener("resize", countBelow);
addEventListener("load", countBelow);

const source = new EventSource(words.events);
source.onopen = () => say("live", words.live);
source.onerror = () => say("lost", words.lost);
source.onmessage = (event) => {
  const { sections, order, refreshed } = JSON.parse(event.data);
  for (const [id, html] of Object.entries(sections)) replaceSection(id, html);
  sortSections(order);
  countBelow();
  document.getElementById("refreshed").textContent = refreshed;
  say("live", words.live);
};
addEventListener("pagehide", () => source.close());
