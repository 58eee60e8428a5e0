"""The pictures of docs/gallery.md: the first item of every campaign in examples/, on a phone, from `hromada try`.

python docs/pictures/gallery.py [NAME …]: all of them, or those of some campaigns. `make pictures` makes all.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from remake import newest, tap, trying

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks/shared"))

from _chromium import FLAGS, PROGRAM

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).with_name("gallery")
COLOURS = 32
"""Enough for a chat; a picture then has some 15 kB instead of 55."""
SKIP = re.compile("Пропустити|Пропустить|Skip")
MOST_TAPS = 30


def picture(browser: Browser, campaign: Path) -> None:
    """Tap from the start to the first item that counts or teaches, and keep the screen in few colours."""
    with trying(campaign) as address:
        page = browser.new_page(viewport={"width": 360, "height": 640}, locale="uk")
        page.goto(address)
        page.locator("#start").click()
        newest(page).wait_for()
        for _ in range(MOST_TAPS):
            if newest(page).locator(".key", has_text=SKIP).count():
                break
            tap(page, newest(page).locator(".key").first.inner_text())
        else:
            raise SystemExit(f"{campaign}: no item after {MOST_TAPS} taps.")
        newest(page).evaluate("shown => shown.scrollIntoView({block: 'end'})")
        screen = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        page.close()
    few = screen.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{campaign.parent.name}-{campaign.stem}.png", optimize=True)


def main() -> None:
    """Make them."""
    if PROGRAM is None:
        raise SystemExit("Chromium is missing (Debian: apt-get install chromium).")
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        for campaign in sorted((ROOT / "examples").glob("*/*.yaml")):
            if campaign.stem in sys.argv[1:] or not sys.argv[1:]:
                picture(browser, campaign)
        browser.close()


if __name__ == "__main__":
    main()
