"""Every picture of the documents, made again from the running product: `make pictures`, or some, by the name of what
makes them: `remake.py report tutorial`.

The report page comes from `hromada demo`, the chats from `hromada try` and a real browser, 360 and 1280 pixels wide;
both interfaces of Label Studio from a real server (`make servers`), 800 and 1280 pixels wide.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright
from sqlmodel import select, update

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "benchmarks/shared"))

from _chromium import FLAGS, PROGRAM  # noqa: E402
from _label_studio import OWNER, PASSWORD, Studio, program, server  # noqa: E402

from annotation.campaigns import project_file, template_files  # noqa: E402
from annotation.label_studio import payloads  # noqa: E402
from annotation.simulation import engine  # noqa: E402
from annotation.simulation.answer_generator import SimulationSettings  # noqa: E402
from annotation.store import database, queries  # noqa: E402
from annotation.store.models import Item, Judgement, Participation, Project, Report  # noqa: E402
from annotation.workflow.annotators import invitations  # noqa: E402
from annotation.workflow.lifecycle import projects, transitions  # noqa: E402

CAMPAIGN = HERE.parents[1] / "examples/eval-ua-tion/lmes-wis.yaml"
HROMADA = str(Path(sysconfig.get_path("scripts")) / "hromada")
SIZES = ((360, 740), (1280, 800))
STORY_VOTES = """
votes: {format: csv, file: votes.csv, item: item, annotator: who,
  answers: {result: result, why: why, fixed: fixed, notable: notable, comment: comment}}
"""


ASKED = """\
project: words
title: Яке слово довше?
language: uk
instructions: Порахуйте літери в кожному слові й торкніться довшого.
question: {type: choice, text: Яке слово довше?, options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 3
reward: {countdown: yes}
"""


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
    for ending in ("", ".uk"):
        page = browser.new_page(viewport={"width": 360, "height": 940})
        page.goto((folder / f"demo/report{ending}.html").as_uri())
        page.screenshot(path=HERE / f"report-360{ending}.png")
        page.close()


def dashboard(browser: Browser, folder: Path) -> None:
    """The dashboard of a programme under way, and the page of corrected stories."""
    url = f"sqlite:///{folder / 'dashboard.db'}"
    fill_campaigns(url)
    environment = {"PATH": os.environ["PATH"], "HROMADA_DATABASE_URL": url}
    words = [HROMADA, "dashboard", "--listen", "127.0.0.1:0", "--json"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
        address = json.loads("".join(process.stdout.readline() for _ in range(3)) if process.stdout else "")["address"]
        shots = (
            ("dashboard-1280", "?lang=en", 1280, 900, "light", ""),
            ("dashboard-project-768", "projects/nine.low?lang=en", 768, 1100, "dark", "#live-agreement table"),
            ("dashboard-project-360", "projects/nine.low?lang=uk", 360, 900, "light", "#live-agreement table"),
        )
        for name, path, width, height, scheme, waits_for in shots:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
            )
            page = context.new_page()
            page.goto(f"{address}{path}")
            page.locator(waits_for or "#connection.live").wait_for()
            page.wait_for_timeout(1000)
            page.screenshot(path=HERE / f"{name}.png")
            context.close()
        process.terminate()


def fill_campaigns(url: str) -> None:
    """Two baselines under way, the answers of simulated people moved into the last twenty hours."""
    files = [CAMPAIGN.parent / "programme" / f"{name}.yaml" for name in ("low", "word-length")]
    with database.open_database(url, create=True) as opened:
        with opened.transaction() as session:
            for file in files:
                name = projects.load_project_file(session, file, now=engine.SIMULATION_START, allow_outside=True).name
                project = queries.get_project(session, name)
                invitations.create_invitation(session, target=project, code=name, uses=12, now=engine.SIMULATION_START)
                transitions.start_project(session, project=project, now=engine.SIMULATION_START)
        settings = SimulationSettings(people=8, careless=0.1, reports=0.03, skill=0.9)
        simulation = engine.create_simulation(opened, settings=settings, names=["nine.low", "nine.word-length"])
        simulation.run(steps=260)
        now = datetime.now(UTC)
        scale = timedelta(hours=20) / (simulation.now - engine.SIMULATION_START)
        with opened.transaction() as session:
            session.execute(update(Project).values(started_at=now - timedelta(hours=20)))
            for model, column in ((Judgement, "answered_at"), (Participation, "last_at"), (Report, "at")):
                for row in session.exec(select(model)):
                    at = getattr(row, column)
                    setattr(row, column, at and now - (simulation.now - at) * scale)


def stories(browser: Browser, folder: Path) -> None:
    """The page of corrected stories: three answers to the stories beside this script, one marked."""
    (folder / "stories").mkdir()
    template_files.write_template(folder / "stories/campaign", template_name="story-correction")
    shutil.copy(HERE / "story-correction.jsonl", folder / "stories/campaign/items.jsonl")
    rows = [json.loads(line) for line in (HERE / "story-correction.jsonl").read_text("utf-8").splitlines() if line]
    file = folder / "stories/campaign/project.yaml"
    kept = [line for line in file.read_text("utf-8").splitlines() if not line.startswith(("overlap:", "lease:"))]
    file.write_text("\n".join(kept) + STORY_VOTES, "utf-8")
    fixed = [row["story"].replace("побачив у", "побачила у") for row in rows]
    with (folder / "stories/campaign/votes.csv").open("w", encoding="utf-8", newline="") as out:
        cells = csv.writer(out)
        cells.writerow(["item", "who", "result", "why", "fixed", "notable", "comment"])
        for row, text in zip(rows, fixed, strict=True):
            cells.writerow([row["id"], "olha", "придатне", "", text, "", ""])
        cells.writerow(
            [rows[0]["id"], "ivan", "придатне", "", fixed[0] + " Кінець.", '["варте уваги"]', "гарний кінець"]
        )
    for words in (("load", "campaign/project.yaml"), ("import", "campaign/project.yaml"), ("export", "--to", "out")):
        subprocess.run([HROMADA, *words], cwd=folder / "stories", check=True, stdout=subprocess.DEVNULL)
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto((folder / "stories/out/stories.html").as_uri())
    page.locator(".story").first.scroll_into_view_if_needed()
    page.locator("h2", has_text="the stories").evaluate("one => one.scrollIntoView()")
    page.screenshot(path=HERE / "stories-1280.png")
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


def tap_until(page: Page, label: str) -> None:
    """Tap the first button of the newest message until a button with this label is offered, at most 40 times."""
    for _ in range(40):
        if newest(page).locator(".key", has_text=label).count():
            return
        tap(page, newest(page).locator(".key").first.inner_text())
    raise SystemExit(f"The button {label!r} was never offered.")


def begin(page: Page, address: str, *, start: str = "Почати") -> None:
    """Open the chat and press its button, up to the first thing that is asked."""
    page.goto(address)
    page.get_by_role("button", name=start).click()
    newest(page).wait_for()


def go_on(page: Page) -> None:
    """Tap the first button of whatever is asked, until there is an item."""
    tap_until(page, "Пропустити")


def chat(browser: Browser, _: Path) -> None:
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


ODD = {"pike", "carrot", "apple", "cabbage", "bread", "Wednesday"}
ODD |= {"щука", "морква", "яблуко", "капуста", "хліб", "середа"}
"""The right answers of the template `baseline`."""


def tutorial(browser: Browser, folder: Path) -> None:
    """What the readers of both tutorials see: the first item, three people at work, the report."""
    teach(browser, folder / "en/words", "en", ("Start", "Skip", "Somebody new", "OK"), "")
    teach(browser, folder / "uk/words", "uk", ("Почати", "Пропустити", "Нова людина", "Гаразд"), ".uk")


def teach(browser: Browser, words: Path, language: str, labels: tuple[str, str, str, str], ending: str) -> None:
    """The pictures of one tutorial; `ending` is that of their names and of the report's."""
    start, skip, new, ok = labels
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    words.parent.mkdir()
    run([HROMADA, "new", str(words), "--template", "baseline", "--language", language])
    with trying(words / "project.yaml") as address:
        page = browser.new_page(viewport={"width": 360, "height": 740}, locale=language)
        begin(page, address, start=start)
        tap_until(page, skip)
        page.screenshot(path=HERE / f"tutorial-item-360{ending}.png")
        page.close()
    for command in (("load", "project.yaml"), ("start", "words")):
        run([HROMADA, *command], cwd=words)
    with subprocess.Popen([HROMADA, "bot", "--local"], cwd=words, stdout=subprocess.PIPE, text=True) as process:
        try:
            told = [process.stdout.readline().strip() for _ in range(2)] if process.stdout else [""]
            page = browser.new_page(viewport={"width": 1280, "height": 800}, locale=language)
            page.goto(told[-1])
            for person in range(3):
                if person:
                    page.get_by_role("button", name=new).click()
                    page.get_by_role("button", name=ok).click()
                page.get_by_role("button", name=start, exact=True).click()
                newest(page).wait_for()
                for answer in range(8):
                    if (person, answer) == (2, 4):
                        page.screenshot(path=HERE / f"tutorial-people-1280{ending}.png")
                    keys = newest(page).locator(".key").all_inner_texts()
                    tap(page, next((key for key in keys if key in ODD and answer != person + 4), keys[0]))
            page.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)
    run([HROMADA, "close", "words"], cwd=words)
    run([HROMADA, "export", "--to", "results"], cwd=words)
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto((words / f"results/report{ending}.html").as_uri())
    page.screenshot(path=HERE / f"tutorial-report-1280{ending}.png")
    page.close()


def bot(browser: Browser, folder: Path) -> None:
    """What an annotator meets, on a phone: nine screens of six templates."""
    with phone(browser, folder, "baseline") as page:
        page.screenshot(path=HERE / "bot-language.png")
        tap_until(page, "Почати")
        page.screenshot(path=HERE / "bot-task.png")
        go_on(page)
        page.screenshot(path=HERE / "bot-item.png")
        tap(page, "⋯")
        tap(page, "Є проблема")
        page.screenshot(path=HERE / "bot-problem.png")
    with phone(browser, folder, "acceptability") as page:
        go_on(page)
        tap(page, "не можна")
        newest(page).locator(".key", has_text=re.compile("Пропустити|Далі")).wait_for()  # right, or wrong
        page.get_by_text(re.compile("[✓✗] 1 ·")).evaluate("shown => shown.closest('li').scrollIntoView()")
        page.screenshot(path=HERE / "bot-training.png")
    with phone(browser, folder, "multiple-answers") as page:
        go_on(page)
        for index in (1, 2):
            tap(page, newest(page).locator(".key").nth(index).inner_text())
        page.screenshot(path=HERE / "bot-boxes.png")
    with phone(browser, folder, "preference") as page:
        go_on(page)
        newest(page).evaluate("shown => shown.scrollIntoView({block: 'end'})")
        page.screenshot(path=HERE / "bot-preference.png")
    with phone(browser, folder, "span-qa") as page:
        go_on(page)
        tap_until(page, "Зберегти")
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


def organisers(browser: Browser, folder: Path) -> None:
    """The end of a session, and a question as an organiser meets it in the chat."""
    here = folder / "asked"
    here.mkdir()
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL, cwd=here)
    words = [
        "кіт", "собака", "вікно", "підлога", "яблуко", "слива", "ріка", "озеро", "черепаха", "заєць", "дерево", "кущ",
        "хмара", "туман", "гора", "пагорб", "стіл", "лава", "човен", "пліт", "пісок", "глина", "зірка",
    ]  # fmt: skip
    rows = [f"{number},{one} — {other}" for number, (one, other) in enumerate(pairwise(words))]
    (here / "items.csv").write_text("\n".join(["id,text", *rows]) + "\n", "utf-8")
    (here / "words.yaml").write_text(ASKED, "utf-8")
    run([HROMADA, "load", "words.yaml"])
    run([HROMADA, "start", "words"])
    environment = {**os.environ, "HROMADA_ORGANISERS": "1002"}
    local = [HROMADA, "bot", "--local"]
    with subprocess.Popen(local, cwd=here, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            told = [process.stdout.readline().strip() for _ in range(2)] if process.stdout else [""]
            page = browser.new_page(viewport={"width": 360, "height": 740}, locale="uk")
            begin(page, told[-1])
            tap_until(page, "Лише 10")
            tap(page, "Лише 10")
            tap(page, "⋯")
            tap(page, "Запитати")
            send(page, "Чи рахувати апостроф?")
            tap_until(page, "Ще 10")
            page.screenshot(path=HERE / "session-end-360.png")
            page.get_by_role("button", name="Нова людина").click()
            page.get_by_role("button", name="Гаразд").click()
            page.get_by_role("button", name="Почати", exact=True).click()
            newest(page).wait_for()
            send(page, "/admin")
            newest(page).locator(".key", has_text="Без відповіді").wait_for()
            tap(page, "Без відповіді: 1")
            page.screenshot(path=HERE / "organiser-question-360.png")
            page.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(20)


def send(page: Page, text: str) -> None:
    """Type a message and wait until something follows it."""
    page.fill("#text", text)
    page.click("#send")
    page.get_by_text(text, exact=True).last.wait_for()
    page.wait_for_timeout(1500)


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
        page.wait_for_url(re.compile(r"/(projects)?/?$"))
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


PICTURES = (report, dashboard, stories, chat, tutorial, bot, organisers, label_studio)


def main() -> None:
    """Make all of them, or those that are named."""
    if PROGRAM is None:
        raise SystemExit("Chromium is missing (Debian: apt-get install chromium).")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        for make in PICTURES:
            if not sys.argv[1:] or make.__name__ in sys.argv[1:]:
                make(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
