"""Both interfaces as people use them: a real Label Studio in a real Chromium, by mouse and by keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from annotation.campaigns import starting
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
    """The text is there to be corrected; the reasons come and the text goes with «непридатне»; both answers return."""
    starting.start(tmp_path / "stories", template_name="story-correction")
    definition, items = stored(tmp_path / "stories/project.yaml")
    board = put(definition, [payloads.task(definition, item, assignment_id=n) for n, item in enumerate(items, 1)])
    visitor = visit()
    visitor.come(board.studio)
    visitor.begin(board)
    page = visitor.page
    editor, reasons = page.locator(".hr-edit textarea"), page.get_by_text("Чому непридатне?")
    expect(editor).to_have_value(items[0].data["story"])
    assert (
        page.locator(".hr-column").nth(0).bounding_box()["y"] == page.locator(".hr-column").nth(1).bounding_box()["y"]
    )  # type: ignore[index]
    expect(reasons).to_be_hidden()
    editor.fill(items[0].data["story"].replace(WRONG, RIGHT))
    page.locator(".hr-column").first.click()
    page.keyboard.press("1")
    page.keyboard.press("9")
    page.locator(".hr-text textarea").fill("Рід дієслів.")
    visitor.submit()
    expect(editor).to_have_value(items[1].data["story"])
    page.keyboard.press("2")
    expect(reasons).to_be_visible()
    expect(editor).to_be_hidden()
    page.keyboard.press("6")
    page.keyboard.press("7")
    visitor.submit()
    first, second = (payloads.answers(definition, *one) for one in zip(items, board.results(), strict=True))
    assert first == {
        "result": "придатне",
        "fixed": items[0].data["story"].replace(WRONG, RIGHT),
        "notable": ["варте уваги"],
        "comment": "Рід дієслів.",
    }
    assert second == {"result": "непридатне", "why": ["закоротке", "менше трьох персонажів"]}
    assert visitor.asked == {"127.0.0.1"}
