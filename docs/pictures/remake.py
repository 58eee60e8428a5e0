"""Every picture of the documents, made anew from the running product: `make pictures`.

The report page comes from `hromada demo`, the chats from `hromada try` and a real browser, 360 and 1280 pixels wide;
both interfaces of Label Studio from a real server (`make servers`), 800 and 1280 pixels wide.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright
from sqlmodel import select

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks/shared"))

from _chromium import FLAGS, PROGRAM  # noqa: E402
from _label_studio import OWNER, PASSWORD, Studio, program, server  # noqa: E402

from annotation.campaigns import project_file, template_files  # noqa: E402
from annotation.label_studio import payloads  # noqa: E402
from annotation.store import database  # noqa: E402
from annotation.store.models import Item  # noqa: E402
from annotation.workflow.lifecycle import projects  # noqa: E402

CAMPAIGN = HERE.parents[1] / "examples/eval-ua-tion/lmes-wis.yaml"
HROMADA = str(Path(sysconfig.get_path("scripts")) / "hromada")
SIZES = ((360, 740), (1280, 800))


@contextmanager
def trying(file: Path) -> Iterator[str]:
    """`hromada try` at work; the address of its page."""
    with subprocess.Popen([HROMADA, "try", str(file), "--json"], stdout=subprocess.PIPE, text=True) as process:
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


def newest(page: Page) -> Locator:
    """The newest message with buttons."""
    return page.locator("#log li", has=page.locator(".buttons")).last


def tap(page: Page, label: str) -> None:
    """Tap a button of the newest message, and wait until it is answered."""
    seen = page.locator("#log").inner_text()
    newest(page).locator(".key", has_text=label).first.click()
    page.wait_for_function("seen => document.querySelector('#log').innerText !== seen", arg=seen)
    page.locator(".toast").wait_for(state="detached")


def begin(page: Page, address: str) -> None:
    """Open the chat and press its button, up to the first thing that is asked."""
    page.goto(address)
    page.get_by_role("button", name="Почати").click()
    newest(page).wait_for()


def go_on(page: Page) -> None:
    """Tap the first button of whatever is asked, until there is an item."""
    while not newest(page).locator(".key", has_text="Пропустити").count():
        tap(page, newest(page).locator(".key").first.inner_text())


def chat(browser: Browser) -> None:
    """The chat after an answer, light and dark, on a phone and on a desktop."""
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            with trying(CAMPAIGN) as address:
                size = {"width": width, "height": height}
                page = browser.new_page(viewport=size, color_scheme=scheme, locale="uk")  # type: ignore[arg-type]
                begin(page, address)
                go_on(page)
                tap(page, newest(page).locator(".key").first.inner_text())
                page.get_by_text("✓ 1 ·").wait_for()
                newest(page).locator(".key", has_text="Пропустити").wait_for()
                page.screenshot(path=HERE / f"chat-{scheme}-{width}.png")
                page.close()


def bot(browser: Browser, folder: Path) -> None:
    """What an annotator meets, on a phone: eight screens of five templates."""
    with phone(browser, folder, "baseline") as page:
        page.screenshot(path=HERE / "bot-language.png")
        while not newest(page).locator(".key", has_text="Почати").count():
            tap(page, newest(page).locator(".key").first.inner_text())
        page.screenshot(path=HERE / "bot-task.png")
        go_on(page)
        page.screenshot(path=HERE / "bot-item.png")
        tap(page, "⋯")
        tap(page, newest(page).locator(".key").first.inner_text())
        page.screenshot(path=HERE / "bot-problem.png")
    with phone(browser, folder, "acceptability") as page:
        go_on(page)
        tap(page, "не можна")
        newest(page).locator(".key", has_text="Пропустити").wait_for()
        page.get_by_text(re.compile("[✓✗] 1 ·")).evaluate("shown => shown.closest('li').scrollIntoView()")
        page.screenshot(path=HERE / "bot-training.png")
    with phone(browser, folder, "multiple-answers") as page:
        go_on(page)
        for index in (1, 2):
            tap(page, newest(page).locator(".key").nth(index).inner_text())
        page.screenshot(path=HERE / "bot-boxes.png")
    with phone(browser, folder, "span-qa") as page:
        go_on(page)
        while not newest(page).locator(".key", has_text="Зберегти").count():
            tap(page, newest(page).locator(".key").first.inner_text())
        tap(page, "+ слово →")
        page.screenshot(path=HERE / "bot-span.png")
    with phone(browser, folder, "story-correction") as page:
        go_on(page)
        tap(page, newest(page).locator(".key").first.inner_text())
        page.get_by_placeholder("Повідомлення").fill(CORRECTED)
        page.get_by_role("button", name="Надіслати").click()
        newest(page).locator("del, s").first.wait_for()
        page.screenshot(path=HERE / "bot-correction.png")


@contextmanager
def phone(browser: Browser, folder: Path, template: str) -> Iterator[Page]:
    """The chat of a new campaign, on a phone."""
    subprocess.run(
        [HROMADA, "new", template, "--template", template], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    with trying(folder / template / "project.yaml") as address:
        page = browser.new_page(viewport={"width": 360, "height": 740}, locale="uk")
        begin(page, address)
        yield page


CORRECTED = (
    "Лисиця знайшла в лісі дзеркало. Вона подивилася в нього й засміялася. Вовк запитав, що там смішного, і лисиця"
    " віддала йому дзеркало."
)
"""The story of the template, put right."""
FIRST = {"answer": "вітряк"}
"""The blind answer, in the picture of the second pass."""


def campaign(folder: Path, template: str, studio: Studio) -> dict[str, int]:
    """Projects in Label Studio by picture, from a template with the items that lie beside this script."""
    template_files.write_template(folder / template, template_name=template)
    shutil.copy(HERE / f"{template}.jsonl", folder / template / "items.jsonl")
    file = folder / template / "project.yaml"
    definition = project_file.read_project(file).definition
    with database.open_database(f"sqlite:///{folder / template}.db") as opened, opened.transaction() as session:
        projects.load_project_file(session, file, now=datetime.now(UTC))
        items = session.exec(select(Item)).all()
        tasks = [payloads.build_task(definition, item, assignment_id=number) for number, item in enumerate(items, 1)]
        made = {template: studio.project(definition, tasks)[0]}
        if definition.all_questions[-1].step > 1:
            gold = {definition.all_questions[0].name: items[0].gold or ""}
            task = payloads.build_task(definition, items[0], assignment_id=1, first=FIRST, gold=gold)
            made[f"{template}-second"] = studio.project(definition, [task], second_pass=True)[0]
    return made


def corrected(page: Page) -> None:
    """A word put right, and the verdict."""
    editor = page.locator(".hr-edit textarea")
    editor.fill(editor.input_value().replace("побачив у", "побачила у"))
    page.locator(".hr-column").first.click()
    page.keyboard.press("1")


def filtered(page: Page) -> None:
    """The blind answer, or the first box."""
    page.keyboard.press("2")
    page.keyboard.press("w")


def label_studio(browser: Browser, folder: Path) -> None:
    """Both interfaces of Label Studio, with work begun."""
    found = program()
    if found is None:
        raise SystemExit("Label Studio is missing: make servers.")
    work: tuple[tuple[str, Callable[[Page], None]], ...] = (
        ("story-correction", corrected),
        ("instance-filtering", filtered),
    )
    with server(found, folder / "label-studio") as studio:
        page = browser.new_page(locale="uk")
        page.goto(f"{studio.url}/user/login/")
        page.locator("input[name=email]").fill(OWNER)
        page.locator("input[name=password]").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.get_by_text("Projects").first.wait_for()
        for template, begin in work:
            for name, number in campaign(folder, template, studio).items():
                for width, height in ((1280, 840), (800, 1100)):
                    page.set_viewport_size({"width": width, "height": height})
                    page.goto(studio.stream(number))
                    page.locator(".lsf-choice").first.wait_for()
                    begin(page)
                    page.wait_for_timeout(500)
                    page.screenshot(path=HERE / f"{name}-{width}.png")
        page.close()


def main() -> None:
    """Make all of them."""
    if PROGRAM is None:
        raise SystemExit("Chromium is missing (Debian: apt-get install chromium).")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        report(browser, Path(folder))
        chat(browser)
        bot(browser, Path(folder))
        label_studio(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
