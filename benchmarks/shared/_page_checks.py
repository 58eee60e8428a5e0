"""What every page must stand in a real Chromium: width, console, requests, axe-core, keyboard, and paper."""

from __future__ import annotations

from dataclasses import dataclass, field

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Request

WIDTHS = (360, 768, 1280)
SCHEMES = ("light", "dark")
PAPER = (718, 1047)
"""The printable part of A4 in CSS pixels, with margins of a centimetre."""
MOST_TABS = 400
_FOCUSABLE = """() => [...document.querySelectorAll("a[href], summary, [tabindex='0'], button, input")]
  .filter((one) => one.checkVisibility() && !one.closest("details:not([open]) > :not(summary)")).length"""
_FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const style = getComputedStyle(one);
  const places = [...document.querySelectorAll("*")];
  return { place: places.indexOf(one), name: one.outerHTML.slice(0, 80),
           seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 };
}"""
_CUT_ON_PAPER = """([width, height]) => {
  const cut = [];
  for (const one of document.querySelectorAll("svg, table, p, h1, h2, h3, li, dd")) {
    if (!one.checkVisibility()) continue;
    const box = one.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1)) cut.push("wide: " + one.outerHTML.slice(0, 90));
    if (one.tagName === "svg" && box.height > height) cut.push("high: " + one.outerHTML.slice(0, 90));
    if (one.tagName === "svg" && getComputedStyle(one).breakInside !== "avoid") cut.push("may be split: svg");
  }
  for (const frame of document.querySelectorAll(".scroll"))
    if (frame.checkVisibility() && frame.scrollWidth > frame.clientWidth + 1)
      cut.push("hidden: " + frame.outerHTML.slice(0, 120));
  for (const one of document.querySelectorAll("body *")) {
    const style = getComputedStyle(one);
    if (style.position === "sticky" && style.top !== "auto") cut.push("sticky: " + one.outerHTML.slice(0, 90));
  }
  for (const one of document.querySelectorAll("details:not([open])"))
    if (one.lastElementChild.getBoundingClientRect().height === 0) cut.push("folded: " + one.outerHTML.slice(0, 90));
  return [...new Set(cut)].slice(0, 8);
}"""


@dataclass
class Troubles:
    """What went wrong on a page while it was looked at: errors of the console, and requests to anywhere else."""

    origin: str
    found: list[str] = field(default_factory=list)

    def note_message(self, message: ConsoleMessage) -> None:
        """Note an error or a warning of the console."""
        if message.type in {"error", "warning"}:
            self.found.append(f"console: {message.text}")

    def note_request(self, request: Request) -> None:
        """Note a request that leaves the page's own origin."""
        if not request.url.startswith((self.origin, "data:")):
            self.found.append(f"request: {request.url}")


def watch_page(page: Page, origin: str) -> Troubles:
    """Note from now on what goes wrong on a page whose addresses begin with `origin`."""
    troubles = Troubles(origin)
    page.on("console", troubles.note_message)
    page.on("request", troubles.note_request)
    page.on("pageerror", lambda error: troubles.found.append(f"script: {error}"))
    return troubles


def list_violations(page: Page) -> list[str]:
    """What axe-core, with all its rules, finds wrong: the rule, and the first places."""
    return [
        f"{one['id']}: {one['help']} · {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in Axe().run(page).response["violations"]
    ]


def find_overflow(page: Page) -> int:
    """By how many pixels the document is wider than the screen."""
    width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(0, width)


def check_keyboard(page: Page) -> list[str]:
    """What the tab key does not reach, and what it reaches without showing so."""
    wanted: int = page.evaluate(_FOCUSABLE)
    page.evaluate("document.activeElement.blur()")
    reached: dict[int, str] = {}
    problems = []
    for _ in range(min(wanted + 3, MOST_TABS)):
        page.keyboard.press("Tab")
        focused = page.evaluate(_FOCUSED)
        if focused is None or focused["place"] in reached:
            break
        reached[focused["place"]] = focused["name"]
        if not focused["seen"]:
            problems.append(f"not to be seen: {focused['name']}")
    if len(reached) < min(wanted, MOST_TABS):
        problems.append(f"reached {len(reached)} of {wanted}")
    return problems


def check_paper(page: Page) -> list[str]:
    """What would be cut, split or folded on paper; the size of the window is another one afterwards."""
    page.set_viewport_size({"width": PAPER[0], "height": PAPER[1]})
    page.emulate_media(media="print")
    cut: list[str] = page.evaluate(_CUT_ON_PAPER, list(PAPER))
    page.emulate_media(media="screen")
    return cut
