"""Every picture of the documents, made anew from the running product: `make pictures`.

The report page comes from `hromada demo`, the chats from `hromada try` and a real browser, 360 and 1280 pixels wide.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
CAMPAIGN = HERE.parents[1] / "examples/eval-ua-tion/lmes-wis.yaml"
HROMADA = str(Path(sysconfig.get_path("scripts")) / "hromada")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
SIZES = ((360, 740), (1280, 800))


@contextmanager
def trying() -> Iterator[str]:
    """`hromada try` at work; the address of its page."""
    with subprocess.Popen([HROMADA, "try", str(CAMPAIGN), "--json"], stdout=subprocess.PIPE, text=True) as process:
        try:
            told = "".join(process.stdout.readline() for _ in range(3)) if process.stdout else ""
            yield str(json.loads(told)["address"])
        finally:
            process.terminate()
            process.wait(20)


def report(browser: Browser, folder: Path) -> None:
    """The demo's page, as far down as its first tables."""
    subprocess.run([HROMADA, "demo", "--to", str(folder / "demo"), "--json"], check=True, stdout=subprocess.DEVNULL)
    for width, height in SIZES:
        page = browser.new_page(viewport={"width": width, "height": height + 200})
        page.goto((folder / "demo/report.html").as_uri())
        page.screenshot(path=HERE / f"report-{width}.png")
        page.close()


def answered(page: Page, *, times: int) -> None:
    """Start, and answer so many items by their first button."""
    page.get_by_role("button", name="Почати").click()
    for number in range(1, times + 1):
        item = page.locator("#log li", has=page.locator(".buttons")).last
        item.locator(".key").first.click()
        page.get_by_text(f"✓ {number} ·").wait_for()
    page.locator("#log li", has=page.locator(".buttons")).last.wait_for()
    page.locator(".toast").wait_for(state="detached")


def chat(browser: Browser) -> None:
    """The chat after an answer, light and dark, on a phone and on a desk."""
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            with trying() as address:
                size = {"width": width, "height": height}
                page = browser.new_page(viewport=size, color_scheme=scheme, locale="uk")  # type: ignore[arg-type]
                page.goto(address)
                answered(page, times=1)
                page.screenshot(path=HERE / f"chat-{scheme}-{width}.png")
                page.close()


def main() -> None:
    """Make all of them."""
    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("Chromium is missing (Debian: apt-get install chromium).")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        report(browser, Path(folder))
        chat(browser)
        browser.close()


if __name__ == "__main__":
    main()
