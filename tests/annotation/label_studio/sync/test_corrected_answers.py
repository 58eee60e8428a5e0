"""A correction that a pull set aside is opened again, corrected and taken: a real server in a real Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from _label_studio import Account

    from tests.annotation.label_studio.conftest import Visitor
    from tests.annotation.label_studio.sync.conftest import Command

STORY = "Вона подивився в нього й засміявся. " * 8
REASON = "1 aside (s): fixed: «Виправте граматику й послідовність.» is not answered."


@pytest.fixture
def backend() -> str:
    """What is on the screen does not depend on the database."""
    return "sqlite"


@pytest.fixture
def stories(command: Callable[[Path], Command], tmp_path: Path) -> Command:
    """A folder with a started project of one story."""
    run = command(tmp_path)
    run("new", "stories", "--template", "story-correction")
    (tmp_path / "stories/items.jsonl").write_text(json.dumps({"id": "s", "story": STORY}), "utf-8")
    run("load", "stories/project.yaml")
    run("start", "stories")
    return run


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 800])
def test_an_emptied_correction_is_told_of_and_corrected_later(
    stories: Command, accounts: Mapping[str, Account], visit: Callable[..., Visitor], width: int
) -> None:
    """Submit refuses it, Ctrl+Enter does not; then Update takes what was typed at one click, as does the next pull."""
    account, visitor = accounts["olha"], visit(width)
    remote = stories.json("push", "stories", "--person", account.email)["remote_id"]
    visitor.come(stories.studio, email=account.email)
    page = visitor.page
    page.goto(stories.studio.stream(remote))
    page.locator(".lsf-modal-ls", has_text="Labeling Instructions").get_by_role("button").click()
    field, told = (
        page.locator(".hr-edit textarea"),
        page.get_by_text("Клацніть поза ним, а тоді поверніть його стрілкою внизу ліворуч"),
    )
    submit = page.get_by_role("button", name="Submit current annotation")
    page.keyboard.press("1")
    field.press("Control+End")
    expect(page.get_by_text("Клацніть поза текстом, який виправляєте")).to_be_in_viewport()
    expect(told).to_be_hidden()
    field.fill("")
    expect(told).to_be_in_viewport()
    page.locator(".hr-column").first.click(position={"x": 5, "y": 5})
    expect(told).to_be_in_viewport()
    assert submit.evaluate("button => getComputedStyle(button).pointerEvents") == "none"
    page.keyboard.press("2")
    expect(told).to_be_hidden()
    assert submit.evaluate("button => getComputedStyle(button).pointerEvents") == "auto"
    page.keyboard.press("1")
    with page.expect_response(lambda answer: "/annotations" in answer.url and answer.request.method == "POST"):
        page.keyboard.press("Control+Enter")
    assert REASON in stories("label-studio", "pull")
    reminder = stories("label-studio", "remind", "stories")
    assert "Серед них одна відповідь неповна. Будь ласка, відкрийте її за цією адресою" in reminder
    (address,) = [line for line in reminder.splitlines() if "task=" in line]
    page.goto(address.strip())
    expect(told).to_be_in_viewport()
    field.fill(STORY.replace("подивився", "подивилася"))
    update = page.get_by_role("button", name="submit", exact=True)
    expect(update).to_be_enabled()
    with page.expect_response(lambda answer: "/annotations" in answer.url and answer.request.method == "PATCH"):
        update.click()
    (pulled,) = stories.json("pull")
    assert (pulled["answered"], pulled["set_aside"], pulled["most_dropped"]) == (1, {}, [])


def test_a_pull_names_corrections_that_drop_most_of_a_text(stories: Command, accounts: Mapping[str, Account]) -> None:
    """In words and in JSON, once; a correction of one word is not named."""
    account = accounts["olha"]
    remote = stories.json("push", "stories", "--person", account.email)["remote_id"]

    def result(text: str) -> dict[str, object]:
        usable = {"from_name": "result", "to_name": "item:shown", "type": "choices", "value": {"choices": ["придатне"]}}
        fixed = {"from_name": "fixed", "to_name": "item:shown", "type": "textarea", "value": {"text": [text]}}
        return {"result": [usable, fixed], "lead_time": 60.0}

    line = "less than half of the text is left: s. Ask them, or see stories.html: hromada export stories"
    with stories.studio.api(account.token) as api:
        (task,) = api.get("/api/tasks", params={"project": remote}).json()["tasks"]
        kept = result(STORY.replace("подивився", "подивилася"))
        made = api.post(f"/api/tasks/{task['id']}/annotations/", json=kept).json()["id"]
        assert "less than half" not in stories("label-studio", "pull")
        assert api.patch(f"/api/annotations/{made}/", json=result("Коротко.")).status_code == 200
    assert line in stories("label-studio", "pull")
    assert stories.json("pull")[0]["most_dropped"] == []
