"""Words that are typed while the cursor is in no field change no answer: a real Label Studio in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from annotation.campaigns import template_files
from annotation.label_studio import payloads

if TYPE_CHECKING:
    from tests.annotation.label_studio.conftest import Board, Stored, Visitor

pytestmark = pytest.mark.slow
LATIN = "the quick brown fox jumps over a lazy dog"


@pytest.fixture
def backend() -> str:
    """What is on the screen does not depend on the database."""
    return "sqlite"


@pytest.mark.parametrize(("template", "second"), [("span-validation", False), ("instance-filtering", True)])
def test_words_typed_outside_of_a_field_choose_nothing(
    stored: Stored,
    put: Callable[..., Board],
    visit: Callable[..., Visitor],
    tmp_path: Path,
    template: str,
    second: bool,
) -> None:
    """Every letter, which were keys of options before; a digit chooses, and is shown beside its option."""
    template_files.write_template(tmp_path / "t", template_name=template)
    definition, items = stored(tmp_path / "t/project.yaml")
    more: dict[str, Any] = {"first": {"answer": "пес"}, "gold": {"answer": "пес"}} if second else {}
    board = put(definition, [payloads.build_task(definition, items[0], assignment_id=1, **more)], second_pass=second)
    visitor = visit()
    visitor.come(board.studio)
    visitor.begin(board)
    page = visitor.page
    chosen, selected = page.locator(".hr-page input:checked"), page.locator(".lsf-label_selected")
    page.keyboard.type(LATIN)
    page.wait_for_timeout(500)
    expect(chosen).to_have_count(0)
    expect(selected).to_have_count(0)
    assert not [key for key in page.locator(".lsf-hint:visible").all_inner_texts() if not key.strip("[]").isdigit()]
    page.keyboard.press("1")
    expect(chosen).to_have_count(1)
