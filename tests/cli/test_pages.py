"""Every page that commands write, opened in a real Chromium: the demo, PARus, and a campaign of stories and filtering.

Each is opened at three widths, in light and dark and in both languages: no error, no request, no sideways scroll;
axe-core finds nothing, the keyboard reaches everything, and paper cuts nothing.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _command import Hromada
from _page_checks import SCHEMES, WIDTHS, check_keyboard, check_paper, find_overflow, list_violations, watch_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DECLARED = """
declared:
  recruitment: crowd workers of a platform
  pay: by the platform's rules
  ethics: not sought
  population: adult speakers of the language
  ai_use: unknown
  stimulus_differences: none known
  licence: CC-BY-4.0
"""
PARUS = """
project: PARus
title: PARus
language: ru
instructions: Выберите ответ.
question: {type: choice, text: "Что верно?", labels: positions}
items: from votes
votes:
  format: toloka
  file: %(data)s/rsg-humanbenchmark/PARus/assign_PARus.tsv
  item: ["INPUT:premise", "INPUT:sent1", "INPUT:sent2", "INPUT:question"]
  options: ["INPUT:sent1", "INPUT:sent2"]
truth:
  file: %(data)s/rsg-humanbenchmark/PARus/gold_PARus.csv
  item: [premise, sent1, sent2, question]
  gold: gold
"""
STORY_VOTES = """
votes: {format: csv, file: votes.csv, item: item, annotator: who,
  answers: {result: result, why: why, fixed: fixed, notable: notable, comment: comment}}
"""
STORIES = """item,who,result,why,fixed,notable,comment
s1,olha,придатне,,Лисиця прийшла до лісу і знайшла старого вовка. Він спав під дубом.,,гарне
s1,ivan,придатне,,Лисиця прийшла до лісу й знайшла вовка.,"[""варте уваги""]",подивіться
s2,olha,непридатне,"[""закоротке"", ""непослідовне""]",,,
"""
FILTER_VOTES = """
votes: {format: csv, file: votes.csv, item: item, annotator: who,
  answers: {answer: answer, logic: logic, grammar: grammar, other: other}}
"""
PAGES = {
    "demo": ("report",), "released": ("report",), "stories": ("report", "stories"),
    "filtering": ("report", "items"), "sensitivity": ("sensitivity",),
}  # fmt: skip


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders with pages, by what they are of."""
    folder = tmp_path_factory.mktemp("pages")
    places = {name: folder / name for name in PAGES}
    command = Hromada(folder)
    run(command, "demo", "--to", "demo")
    demo = Hromada(folder / "demo")
    project = demo("status", "--json").json[0]["project"]
    run(demo, "release", project, folder / "released", "--no-replay", "--draft")
    run(demo, "sensitivity", project, "--to", folder / "sensitivity")
    for kind, template in (("stories", "story-correction"), ("filtering", "instance-filtering")):
        _export_template(Hromada(folder / f"{kind}-project"), template, to=places[kind])
    return places


@pytest.fixture(scope="module")
def parus(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """The folder of a release of real votes, beside an invented model."""
    parus = Hromada(tmp_path_factory.mktemp("parus"))
    name = parus.loaded(PARUS % {"data": shared / "data"} + DECLARED, outside=True)
    models = parus.write("always.jsonl", "".join(_answer_all(parus)))
    run(parus, "release", name, parus.folder / "out", "--no-replay", "--models", models)
    return parus.folder / "out"


def run(command: Hromada, *words: str | Path) -> None:
    """A command that succeeds."""
    ran = command(*words)
    assert ran.code == 0, ran.out + ran.err


def _answer_all(command: Hromada) -> Iterator[str]:
    """The answers of a model that always takes the first option, for the comparison with people."""
    with sqlite3.connect(command.folder / "hromada.db") as database:
        for (item,) in database.execute("SELECT external_id FROM item ORDER BY id"):
            yield json.dumps({"item_id": item, "answer": "1"}, ensure_ascii=False) + "\n"


def _export_template(command: Hromada, template: str, *, to: Path) -> None:
    """A template with imported answers, exported."""
    command.folder.mkdir()
    run(command, "new", "campaign", "--template", template)
    campaign = command.folder / "campaign"
    lines = (campaign / "project.yaml").read_text("utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("overlap:", "lease:", "reports:"))]
    is_story = template == "story-correction"
    (campaign / "project.yaml").write_text("\n".join(kept) + (STORY_VOTES if is_story else FILTER_VOTES), "utf-8")
    rows = [json.loads(line) for line in (campaign / "items.jsonl").read_text("utf-8").splitlines() if line]
    (campaign / "votes.csv").write_text(STORIES if is_story else _judge_items(rows), "utf-8")
    run(command, "load", "campaign/project.yaml")
    run(command, "import", "campaign/project.yaml")
    run(command, "export", "--to", to)


def _judge_items(rows: list[dict[str, str]]) -> str:
    """Votes of two people: both find the logic of the first item wanting, one of them its language."""
    votes = ["item,who,answer,logic,grammar,other"]
    for number, row in enumerate(rows):
        logic = '"[""можливі кілька відповідей""]"' if number == 0 else "[]"
        votes += [f"{row['id']},olha,{row['answer']},{logic},[],", f"{row['id']},ivan,{row['answer']},{logic},[],дивне"]
    return "\n".join(votes) + "\n"


CASES = [*((folder, name) for folder, names in PAGES.items() for name in names)]
EVERY_LOOK = [(scheme, width) for scheme in SCHEMES for width in WIDTHS]


@pytest.mark.parametrize(("folder", "name"), CASES)
def test_a_page_stands_on_a_phone(places: dict[str, Path], browser: Browser, folder: str, name: str) -> None:
    look_at_page(browser, places[folder], name, looks=[("light", 360)])


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "name"), [*CASES, ("parus", "report")])
def test_a_page_stands_every_width_scheme_and_language(
    places: dict[str, Path], browser: Browser, request: pytest.FixtureRequest, folder: str, name: str
) -> None:
    place = request.getfixturevalue("parus") if folder == "parus" else places[folder]
    look_at_page(browser, place, name, looks=EVERY_LOOK)


def look_at_page(browser: Browser, place: Path, name: str, *, looks: list[tuple[str, int]]) -> None:
    """Open a page in these colour schemes and widths; everything that a reader needs holds in each."""
    pictures = os.environ.get("PAGE_PICTURES")
    for scheme, width in looks:
        context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
        language = ".uk" if (width == 768) == (scheme == "light") else ""
        address = (place / f"{name}{language}.html").as_uri()
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 800})
        troubles = watch_page(page, address)
        page.goto(address)
        where = f"{place.name}/{name}{language} {width} {scheme}"
        assert find_overflow(page) == 0, where
        if pictures:
            page.screenshot(path=Path(pictures) / f"{place.name}-{name}{language}-{width}-{scheme}.png", full_page=True)
        assert list_violations(page) == [], where
        if width == 360:
            assert check_keyboard(page) == [], where
        assert troubles.found == [], where
        if width == 1280:
            assert check_paper(page) == [], where
            assert page.pdf(format="A4")[:5] == b"%PDF-"
        context.close()


def test_a_summary_opens_by_keyboard(places: dict[str, Path], browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 800})
    page.goto((places["demo"] / "report.html").as_uri())
    folded = page.locator("details").first
    assert folded.evaluate("one => one.open") is False
    folded.locator("summary").focus()
    page.keyboard.press("Enter")
    assert folded.evaluate("one => one.open") is True
    page.close()


def test_each_page_leads_to_its_twin(places: dict[str, Path], browser: Browser) -> None:
    page = browser.new_page()
    page.goto((places["stories"] / "stories.html").as_uri())
    page.get_by_role("link", name="Українською").click()
    assert page.url.endswith("stories.uk.html")
    assert page.locator("html").get_attribute("lang") == "uk"
    page.get_by_role("link", name="English").click()
    assert page.url.endswith("stories.html")
    page.close()
