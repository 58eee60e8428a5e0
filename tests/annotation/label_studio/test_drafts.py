"""What is typed in Label Studio survives a reload of the page: a real server in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from annotation.campaigns import template_files
from annotation.label_studio import payloads

if TYPE_CHECKING:
    from tests.annotation.label_studio.conftest import Board, Stored, Visitor

pytestmark = pytest.mark.slow
FIELD = ".hr-edit textarea"


@pytest.fixture
def backend() -> str:
    """What is on the screen does not depend on the database."""
    return "sqlite"


def wait_for_draft(page: Page, leave: Callable[[], None]) -> None:
    """Leave the field, and wait until Label Studio has saved a draft, which takes it 5 seconds."""
    with page.expect_response(lambda answer: "/drafts" in answer.url and answer.request.method in {"POST", "PATCH"}):
        leave()


@pytest.mark.parametrize("width", [1280, 800])
def test_a_half_done_correction_is_found_again(
    stored: Stored, put: Callable[..., Board], visit: Callable[..., Visitor], tmp_path: Path, width: int
) -> None:
    """By a click outside the text and by Shift+Enter; the page does not begin in the field, so that keys are keys."""
    template_files.write_template(tmp_path / "stories", template_name="story-correction")
    story = "Вона подивився в нього.\n\n" + "Ішов дощ.\n" * 60
    (tmp_path / "stories/items.jsonl").write_text(json.dumps({"id": "s", "story": story}) + "\n", "utf-8")
    definition, (item,) = stored(tmp_path / "stories/project.yaml")
    board = put(definition, [payloads.build_task(definition, item, assignment_id=1)])
    visitor = visit(width)
    visitor.come(board.studio)
    visitor.begin(board)
    page, field = visitor.page, visitor.page.locator(FIELD)
    expect(field).to_have_value(story)
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    assert field.evaluate("field => field.scrollHeight - field.clientHeight") <= 1, "the field has a scroll bar"
    field.press("Control+Home")
    page.keyboard.type("Раз. ")
    wait_for_draft(page, lambda: page.locator(".hr-column").first.click(position={"x": 5, "y": 5}))
    page.reload(wait_until="networkidle")
    expect(field).to_have_value(f"Раз. {story}")
    field.press("Control+Home")
    page.keyboard.type("Два. ")
    wait_for_draft(page, lambda: page.keyboard.press("Shift+Enter"))
    page.reload(wait_until="networkidle")
    expect(field).to_have_value(f"Два. Раз. {story}")
    page.locator(".lsf-choice__checkbox", has_text="придатне").first.click()
    visitor.submit()
    assert payloads.read_answers(definition, item, board.results()[0])["fixed"] == f"Два. Раз. {story}"
