"""The real server: it takes every configuration, and knows its people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from _label_studio import Studio
from playwright.sync_api import expect

from annotation.campaigns import project_file as project_files
from annotation.campaigns import template_files
from annotation.label_studio import configs, passes, payloads

if TYPE_CHECKING:
    from tests.annotation.label_studio.conftest import Board, Stored, Visitor

EXAMPLES = Path(__file__).parents[3] / "examples"
INSIDE = """[...document.querySelectorAll(".hr-page, .hr-page *")]
    .every(one => one.getBoundingClientRect().right <= innerWidth + 1)"""
HEADER_INSIDE = """[...document.querySelectorAll(".lsf-menu-header :is(button, a, .userpic, [data-testid=userpic])")]
    .every(one => one.getBoundingClientRect().right <= innerWidth + 1)"""
IN_BOTH_PASSES = "instance-filtering"
TEMPLATES = [
    pytest.param(one.name, marks=() if one.name == IN_BOTH_PASSES else pytest.mark.slow)
    for one in template_files.list_templates()
    if not one.is_programme
]


@pytest.fixture
def backend() -> str:
    """What the server takes does not depend on our database."""
    return "sqlite"


def test_people_sign_up_by_an_invitation_and_are_known_by_their_tokens(label_studio: Studio) -> None:
    """Everybody has an account of their own; a wrong token gets nothing."""
    people = [label_studio.sign_up(name) for name in ("olena", "petro")]
    assert len({one.id for one in people}) == 2
    for one in people:
        with label_studio.api(one.token) as api:
            assert api.get("/api/current-user/whoami").json()["email"] == one.email
    with label_studio.api("0" * 40) as api:
        assert api.get("/api/projects").status_code == 401
    with httpx.Client(base_url=label_studio.url) as stranger:
        stranger.get("/user/signup/")
        form = {
            "email": "x@example.org",
            "password": "Secret-123",
            "csrfmiddlewaretoken": stranger.cookies["csrftoken"],
        }
        answer = stranger.post("/user/signup/", data=form, headers={"Referer": label_studio.url})
    assert answer.status_code == 403


def test_it_takes_the_configurations_of_all_examples(label_studio: Studio) -> None:
    """In both passes."""
    refused = {}
    with label_studio.api() as api:
        for file in sorted(EXAMPLES.glob("*/*.yaml")):
            about = project_files.read_project(file).definition
            for second_pass in (False, True):
                config = configs.render_label_config(about, second_pass=second_pass)
                answer = api.post("/api/projects", json={"title": about.title[:50], "label_config": config})
                if answer.status_code != 201:
                    refused[file.stem, second_pass] = answer.text
    assert refused == {}


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_is_on_the_screen(
    stored: Stored,
    put: Callable[..., Board],
    visit: Callable[..., Visitor],
    tmp_path: Path,
    template: str,
) -> None:
    """In the browser, with all questions, without a complaint, and nothing of ours beyond the screen's edge."""
    template_files.write_template(tmp_path / template, template_name=template)
    definition, items = stored(tmp_path / template / "project.yaml")
    visitor, complaints = visit(800), []
    visitor.page.on("pageerror", lambda error: complaints.append(str(error)))
    again = [{definition.all_questions[0].name: "…"}] if definition.all_questions[-1].step > 1 else []
    for first in (None, *again):
        tasks = [payloads.build_task(definition, items[0], assignment_id=1, first=first)]
        board = put(definition, tasks, second_pass=first is not None)
        if first is None:
            visitor.come(board.studio)
        visitor.begin(board)
        asks = visitor.page.locator(".hr-asks")
        assert asks.count() == len(passes.list_questions(definition, second_pass=first is not None))
        expect(visitor.page.locator(".lsf-errors, .lsf-error")).to_have_count(0)
        assert visitor.page.evaluate(INSIDE)
        assert visitor.page.evaluate(HEADER_INSIDE)
    assert complaints == []
