"""Answers given in a browser: the export of Label Studio, imported by the command, is what was pulled."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _label_studio import Account
    from playwright.sync_api import Page

    from tests.annotation.label_studio.conftest import Visitor
    from tests.annotation.label_studio.sync.conftest import Command

TEXT = "Лис і лис 🦊.\n\nУ полі <ще> лис, а кіт & пес — у хаті."
PROJECT = {
    "project": "screen",
    "title": "На екрані",
    "language": "uk",
    "instructions": "Читайте.",
    "questions": [
        {"name": "usable", "type": "choice", "text": "Чи придатне?", "options": ["так", "ні"]},
        {"name": "where", "type": "span", "text": "Де лис?", "field": "text", "most": 3, "none": "ніде"},
        {"name": "fixed", "type": "edit", "text": "Виправте.", "field": "text", "show_if": {"usable": "так"}},
        {"name": "faults", "type": "choices", "text": "Вади?", "options": ["мова", "зміст"]},
        {"name": "rating", "type": "scale", "text": "Наскільки?", "options": ["1", "2", "3"]},
    ],
    "items": {"file": "items.jsonl", "id": "id", "show": ["text"]},
    "overlap": 1,
}
COLLECTED_THERE = ("annotator", "option_order", "position", "page", "session", "gap_hours", "instruction_sha256")
"""What only the database that pulls knows."""


@pytest.fixture
def backend() -> str:
    """The command has a database of its own."""
    return "sqlite"


def mark(page: Page, part: str, *, skip: int = 0) -> None:
    """Drag over a part of the text, over its second occurrence with `skip=1`."""
    spots = page.locator(".hr-text .lsf-richtext__container").evaluate(
        """(box, [part, skip]) => {
            const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), nodes = []
            let whole = ""
            for (let node; node = walker.nextNode(); whole += node.data) nodes.push([node, whole.length])
            const spot = (at, last) => {
                const [node, from] = nodes.findLast(([one, from]) => from <= at)
                const range = document.createRange()
                range.setStart(node, at - from); range.setEnd(node, at - from + 1)
                const box = range.getClientRects()[0]
                return [last ? box.right - 1 : box.left + 1, box.top + box.height / 2]
            }
            let at = whole.indexOf(part)
            while (skip--) at = whole.indexOf(part, at + 1)
            return [spot(at, false), spot(at + part.length - 1, true)]
        }""",
        [part, skip],
    )
    page.mouse.move(*spots[0])
    page.mouse.down()
    page.mouse.move(*spots[1], steps=4)
    page.mouse.up()
    page.keyboard.press("Escape")


def read_responses(folder: Path) -> list[dict[str, str]]:
    """The rows of human_responses.csv, but for what only the database that pulls knows."""
    with (folder / "out/human_responses.csv").open(encoding="utf-8", newline="") as file:
        return [{key: cell for key, cell in row.items() if key not in COLLECTED_THERE} for row in csv.DictReader(file)]


def write_project(folder: Path, **more: Any) -> None:
    rows = [{"id": f"i{number}", "text": TEXT} for number in (1, 2, 3)]
    folder.mkdir(exist_ok=True)
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    (folder / "project.yaml").write_text(json.dumps(PROJECT | more, ensure_ascii=False), "utf-8")


def answer_items(page: Page, visitor: Visitor) -> None:
    """One item with marks, one called unusable after its text was corrected, one without any mark or box."""
    press = page.keyboard.press
    press("1")
    mark_key, none_key = "3", "4"
    for part, skip in (("лис", 1), ("Лис", 0), ("кіт & пес", 0)):
        press(mark_key)
        mark(page, part, skip=skip)
    press("5")
    press("9")
    visitor.submit()
    page.locator(".hr-edit textarea").wait_for()
    press("1")
    page.locator(".hr-edit textarea").fill("Лисиця.")
    page.locator(".hr-column").first.click()
    press("2")
    press(none_key)
    press("8")
    visitor.submit()
    press("1")
    press(mark_key)
    mark(page, "лис", skip=0)
    press("7")
    visitor.submit()


def test_what_was_done_at_the_screen_comes_back_from_the_file(
    command: Callable[[Path], Command],
    accounts: Mapping[str, Account],
    visit: Callable[..., Visitor],
    tmp_path: Path,
) -> None:
    """The command pulls in one folder and imports in another; human_responses.csv is the same row by row."""
    write_project(tmp_path / "pull")
    write_project(tmp_path / "import", votes={"format": "label-studio"})
    pull, again = command(tmp_path / "pull"), command(tmp_path / "import")
    pull("load", "project.yaml")
    pull("start", "screen")
    code = pull("label-studio", "link", accounts["olha"].email).split(" is ")[1].removesuffix("'s.\n")
    remote = pull.json("push", "screen", "--person", code)["remote_id"]
    visitor = visit()
    visitor.come(pull.studio, email=accounts["olha"].email)
    visitor.page.goto(pull.studio.stream(remote))
    visitor.page.locator(".lsf-modal-ls").get_by_role("button").click()
    answer_items(visitor.page, visitor)
    assert visitor.asked == {"127.0.0.1"}
    pull("label-studio", "pull")
    with pull.studio.api() as api:
        exported = api.get(f"/api/projects/{remote}/export", params={"exportType": "JSON"})
    (tmp_path / "import/export.json").write_bytes(exported.content)
    again("load", "project.yaml")
    again("import", "screen", "export.json")
    pull("export", "--to", "out")
    again("export", "--to", "out")
    rows = read_responses(tmp_path / "pull")
    assert read_responses(tmp_path / "import") == rows
    marks = {row["item_id"]: json.loads(row["response"]) for row in rows if row["dataset"] == "screen/where"}
    places = [TEXT.index("Лис"), TEXT.index("лис"), TEXT.index("лис", TEXT.index("лис") + 1), TEXT.index("кіт")]
    assert [part["start"] for part in marks["i1"]] == [places[0], places[2], places[3]]
    assert (marks["i2"], [part["start"] for part in marks["i3"]]) == ([], [places[1]])
    said = {(row["dataset"], row["item_id"]): row["response"] for row in rows}
    assert said["screen", "i2"] == "ні"
    assert said["screen/fixed", "i2"] == ""
    assert [said["screen/faults", item] for item in ("i1", "i2", "i3")] == ['["мова"]', "[]", "[]"]
