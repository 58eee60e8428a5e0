"""Both interfaces as people use them: a real Label Studio in a real Chromium, by mouse and by keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import _markdown
import pytest
from playwright.sync_api import Page, expect

from annotation.campaigns import template_files
from annotation.label_studio import payloads

if TYPE_CHECKING:
    from tests.annotation.label_studio.conftest import Board, Stored, Visitor

Put = Callable[..., "Board"]
Visit = Callable[..., "Visitor"]
WRONG = "Вона подивився в нього й засміявся."
RIGHT = "Вона подивилася в нього й засміялася."


@pytest.fixture
def backend() -> str:
    """What is on the screen does not depend on the database."""
    return "sqlite"


def test_a_story_is_corrected_beside_its_original(stored: Stored, put: Put, visit: Visit, tmp_path: Path) -> None:
    """The text is there to be corrected; with «непридатне» it goes and the reasons come in sight."""
    template_files.write_template(tmp_path / "stories", template_name="story-correction")
    long = [{"id": f"s{number}", "story": f"{WRONG} {number}" + "\n\nІшов дощ." * 60} for number in (1, 2)]
    lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in long)
    (tmp_path / "stories/items.jsonl").write_text(lines, "utf-8")
    definition, items = stored(tmp_path / "stories/project.yaml")
    board = put(definition, [payloads.build_task(definition, item, assignment_id=n) for n, item in enumerate(items, 1)])
    visitor = visit()
    visitor.come(board.studio)
    visitor.begin(board)
    page = visitor.page
    editor, reasons = page.locator(".hr-edit textarea"), page.get_by_text("Чому непридатне?")
    expect(editor).to_have_value(items[0].data["story"])
    left, right = (page.locator(".hr-column").nth(number).bounding_box() for number in (0, 1))
    assert left is not None
    assert right is not None
    assert (left["y"], left["width"]) == (right["y"], right["width"])
    expect(reasons).to_be_hidden()
    editor.fill(items[0].data["story"].replace(WRONG, RIGHT))
    page.locator(".hr-column").first.click()
    page.keyboard.press("1")
    page.keyboard.press("9")
    page.locator(".hr-text textarea").fill("Рід дієслів.")
    visitor.submit()
    expect(editor).to_have_value(items[1].data["story"])
    page.keyboard.press("2")
    expect(reasons).to_be_in_viewport()
    expect(editor).to_be_hidden()
    page.keyboard.press("6")
    page.keyboard.press("7")
    visitor.submit()
    first, second = (payloads.read_answers(definition, *one) for one in zip(items, board.results(), strict=True))
    assert first == {
        "result": "придатне",
        "fixed": items[0].data["story"].replace(WRONG, RIGHT),
        "notable": ["варте уваги"],
        "comment": "Рід дієслів.",
    }
    assert second == {"result": "непридатне", "why": ["закоротке", "менше трьох персонажів"]}
    assert visitor.asked == {"127.0.0.1"}


def test_an_item_is_filtered_by_keys_first_blind_and_then_with_the_right_answer(
    stored: Stored, put: Put, visit: Visit, tmp_path: Path
) -> None:
    """On a narrow screen, with a Ukrainian keyboard; the first pass does not hold the gold, the second shows both."""
    template_files.write_template(tmp_path / "cloze", template_name="instance-filtering")
    definition, (item, _) = stored(tmp_path / "cloze/project.yaml")
    orders = {"answer": [2, 3, 0, 1]}
    board = put(definition, [payloads.build_task(definition, item, assignment_id=7, option_order=orders)])
    visitor = visit(800)
    visitor.come(board.studio)
    visitor.begin(board)
    page = visitor.page
    expect(page.locator(".hr-gap")).to_have_text("______")
    expect(page.get_by_text("Правильна відповідь")).to_have_count(0)
    assert [one.inner_text().split("[")[0].strip() for one in page.locator(".lsf-choice").all()] == [
        "вовк", "півень", "пес", "кіт",
    ]  # fmt: skip
    page.keyboard.press("4")
    visitor.submit()
    first = payloads.read_answers(definition, item, board.results()[0])
    assert first == {"answer": "кіт"}
    blind = {"answer": "кіт"}
    task = payloads.build_task(definition, item, assignment_id=7, first=blind, gold={"answer": "пес"})
    again = put(definition, [task], second_pass=True)
    visitor.begin(again)
    row = page.locator(".hr-answers tr", has_text="Яке слово пропущено?")
    assert [cell.inner_text() for cell in row.locator("td").all()] == ["кіт", "пес"]
    for piece in (".hr-answers", ".hr-gap", ".hr-page summary"):
        expect(page.locator(piece)).to_be_in_viewport()
    visitor.submit_refused("Перегляньте відповіді вгорі, а тоді позначте «Бачу ці відповіді».")
    for letter, key in (("ь", "m"), ("й", "q"), ("н", "y")):
        press_on_a_ukrainian_keyboard(page, letter, key)
    expect(page.locator(".hr-page input:checked")).to_have_count(0)  # words typed outside of the field choose nothing
    for key in "015":
        page.keyboard.press(key)
    page.locator(".hr-text textarea").fill("Багато тварин.")
    visitor.submit()
    assert payloads.read_answers(definition, item, again.results()[0], first=blind) == {
        "answer": "кіт",
        "logic": ["відповідь невідома"],
        "grammar": ["неіснуюча форма слова"],
        "other": "Багато тварин.",
    }


def press_on_a_ukrainian_keyboard(page: Page, letter: str, key: str) -> None:
    """The key where a Latin keyboard has `key`."""
    chromium = page.context.new_cdp_session(page)
    pressed = {"key": letter, "code": f"Key{key.upper()}", "windowsVirtualKeyCode": ord(key.upper())}
    chromium.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": letter, **pressed})
    chromium.send("Input.dispatchKeyEvent", {"type": "keyUp", **pressed})


def test_markdown_is_drawn(stored: Stored, put: Put, visit: Visit, tmp_path: Path) -> None:
    """Its table, code and lists; formulas are their source, and raw HTML is text."""
    definition, (item,) = stored(_markdown.write_project(tmp_path / "sums"))
    board = put(definition, [payloads.build_task(definition, item, assignment_id=1)])
    visitor = visit()
    visitor.come(board.studio)
    visitor.begin(board)
    shown = visitor.page.locator(".hr-words")
    expect(shown.locator("tbody tr").first.locator("td")).to_have_text(
        ["one", "f(x)", "antidisestablishmentarianism", "1"]
    )
    expect(shown.locator("pre")).to_contain_text('return "<script>alert(1)</script>"')
    expect(shown.locator("code", has_text=r"$\frac{a}{b}$")).to_be_visible()
    expect(shown).to_contain_text('<b onclick="x">it</b>')
    expect(shown.locator("li[value='3']")).to_have_css("list-style-type", "decimal")
    expect(shown.locator("script, b, a, [onclick]")).to_have_count(0)
    assert shown.locator("pre").evaluate("(one) => getComputedStyle(one).fontFamily").startswith("ui-monospace")
    assert visitor.asked == {"127.0.0.1"}


MARKED = """\
project: marked
title: Позначення
language: uk
instructions: Позначте.
questions:
  - {name: fits, type: choice, text: "Чи так?", options: [так, ні]}
  - {name: place, type: span, text: "Де це сталося?", field: text, most: 2, none: ніде, show_if: {fits: так}}
  - {name: who, type: span, text: "Хто?", field: text, required: no}
items: {file: marked.jsonl, id: id, show: [hint, {field: text, title: Текст, mark: proposed}]}
overlap: 1
"""
WHO = "Хто це зробив, навіть якщо його згадано побіжно, один раз, наприкінці тексту або в самій назві, без імені?"
TEXT = "Перший рядок 🦊 про лиса.\n\n  Другий <рядок> & ще: у Полтаві 🦔 було тепло."


def test_parts_are_marked_where_they_stand(stored: Stored, put: Put, visit: Visit, tmp_path: Path) -> None:
    """Behind emoji, empty lines, highlights and angle brackets, offsets are those of the item's own text."""
    (tmp_path / "marked.yaml").write_text(MARKED.replace("Хто?", WHO), "utf-8")
    row = {"id": "m1", "hint": "підказка", "text": TEXT, "proposed": "рядок 🦊"}
    (tmp_path / "marked.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", "utf-8")
    definition, (item,) = stored(tmp_path / "marked.yaml")
    board = put(definition, [payloads.build_task(definition, item, assignment_id=1)])
    visitor = visit()
    visitor.come(board.studio)
    visitor.begin(board)
    page = visitor.page
    page.keyboard.press("1")
    done, nothing = page.locator(".lsf-choice__checkbox", has_text="Позначено"), page.get_by_text("нічого не позначено")
    fits = "key => key.getBoundingClientRect().right <= key.closest('.hr-question').getBoundingClientRect().right"
    expect(page.locator(".lsf-label__hotkey:visible")).to_have_count(2)
    keys = page.locator(".lsf-label__hotkey").all()
    assert [one.inner_text() for one in keys if one.evaluate(fits)] == ["3", "5"]  # of a long question as well
    page.keyboard.press("5")
    visitor.mark("лиса")
    expect(done).to_be_hidden()  # there is no mark of this question yet
    page.locator(".htx-highlight").click()
    page.keyboard.press("Backspace")
    for key, part in (("3", "Полтаві 🦔"), ("3", "ще"), ("5", "лиса.\n\n  Другий")):
        page.keyboard.press(key)
        visitor.mark(part)
        page.keyboard.press("Escape")
    visitor.submit_refused("Позначте частину тексту й виберіть «Позначено» або виберіть «ніде».")
    done.click()
    expect(nothing).to_be_hidden()
    page.locator(".htx-highlight", has_text="ще").click()
    page.keyboard.press("Backspace")
    visitor.submit()
    answers = payloads.read_answers(definition, item, board.results()[0])
    assert answers == {
        "fits": "так",
        "place": [{"start": TEXT.index("Полтаві"), "end": TEXT.index(" було"), "text": "Полтаві 🦔"}],
        "who": [{"start": TEXT.index("лиса"), "end": TEXT.index("Другий") + 6, "text": "лиса.\n\n  Другий"}],
    }
