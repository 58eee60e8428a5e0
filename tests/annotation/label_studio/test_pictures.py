"""Pictures in Label Studio: in the task itself, shown by Label Studio's own tag."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pictures import PROJECT, write_items, write_project
from playwright.sync_api import expect
from sqlmodel import select

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.stimulus import list_images
from annotation.label_studio import client, configs, decision_payloads, payloads
from annotation.label_studio.sync import task_upload
from annotation.store import pictures
from annotation.store.database import Database
from annotation.store.models import Assignment
from annotation.vocabulary import AssignmentStatus, Stage, Surface
from annotation.workflow.review.adjudication_queue import OpenCase
from annotation.workflow.review.cases import Candidate

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox
    from tests.annotation.label_studio.conftest import Board, Stored, Visitor

ONLY = PROJECT.replace(', title: "The bird"}, text]', "}]")


@pytest.fixture
def backend() -> str:
    """What is in a task does not depend on the database."""
    return "sqlite"


def read_uris(db: Database) -> dict[str, str]:
    """All pictures as they are sent."""
    with db.reading() as view:
        names = view.connection().exec_driver_sql("SELECT sha256, media_type FROM picture").all()
        endings = {"image/png": "png", "image/jpeg": "jpg"}
        return pictures.build_data_uris(view, [f"{sha256}.{endings[kind]}" for sha256, kind in names])


def test_a_task_has_the_picture_itself(stored: Stored, db: Database, tmp_path: Path) -> None:
    """As a `data:` URI of the bytes that were stored, so that no server has to be set up; no file is named."""
    folder = tmp_path / "birds"
    definition, (owl, stork) = stored(write_project(folder))
    uris = read_uris(db)
    for item, file, kind in ((owl, "owl.png", "png"), (stork, "stork.jpg", "jpeg")):
        task = payloads.build_task(definition, item, assignment_id=1, pictures=uris)
        start, _, content = task["data"]["image_file"].partition(",")
        assert start == f"data:image/{kind};base64"
        assert base64.b64decode(content) == (folder / "pictures" / file).read_bytes()
        assert file not in str(task)
        assert "It s" in task["data"]["shown"]


def test_an_item_without_a_picture_has_an_empty_one(stored: Stored, db: Database, tmp_path: Path) -> None:
    """A task must have what its page shows."""
    file = write_project(tmp_path / "birds")
    write_items(file.parent, "a,,It sits.,owl")
    definition, (item,) = stored(file)
    task = payloads.build_task(definition, item, assignment_id=1, pictures=read_uris(db))
    assert task["data"]["image_file"] == payloads.EMPTY_PICTURE


def test_the_page_has_the_tag_of_each_picture(stored: Stored, tmp_path: Path) -> None:
    """Under its title; where nothing else is shown, the questions are about the picture. Later steps come later."""
    definition, _ = stored(write_project(tmp_path / "birds"))
    config = configs.render_label_config(definition)
    assert re.search('value="The bird".*<Image name="image:file" value="\\$image_file"', config, re.DOTALL)
    assert 'toName="item:shown"' in config
    for render in (configs.render_review_config, lambda one: configs.render_adjudication_config(one, one.question)):
        assert '<Image name="image:file"' in render(definition)
    only, _ = stored(write_project(tmp_path / "only", project=ONLY.replace("project: birds", "project: only")))
    config = configs.render_label_config(only)
    assert 'toName="image:file"' in config
    assert "item:shown" not in config
    later = ProjectFile.model_validate(only.model_dump(mode="json") | {"items": {
        "file": "x.csv", "id": "id", "show": ["text", {"field": "file", "as": "image", "step": 2}],
    }})  # fmt: skip
    assert "<Image" not in configs.render_label_config(later)
    assert "<Image" in configs.render_label_config(later, second_pass=True)


def test_a_case_shows_the_picture(stored: Stored, db: Database, tmp_path: Path) -> None:
    """To adjudicators too."""
    definition, (item, _) = stored(write_project(tmp_path / "birds"))
    (question,) = definition.all_questions
    candidates = tuple(Candidate(answer=label, text=label, votes=1) for label in ("owl", "stork"))
    opened = OpenCase(case_id=1, item=item, question=question, candidates=candidates, reasons=(), reports=())
    task = decision_payloads.build_case_task(definition, opened, number=1, pictures=read_uris(db))
    assert task["data"]["image_file"].startswith("data:image/png;base64,")


def test_tasks_are_built_with_the_stored_pictures(db: Database, sandbox: Sandbox, tmp_path: Path) -> None:
    """Each request carries few of them."""
    with db.transaction() as session:
        project = sandbox.started(session, write_project(tmp_path / "birds"))
        made = Assignment(
            project_id=project.id or 0,
            item_id=next(iter(sandbox.items(session, project).values())).id or 0,
            annotator_id=sandbox.person(session, 1),
            surface=Surface.LABEL_STUDIO,
            status=AssignmentStatus.LIVE,
            stage=Stage.MAIN,
        )
        session.add(made)
        session.flush()
        definition = ProjectFile.model_validate(project.definition)
        (task,) = task_upload.build_tasks(session, definition, [made.id or 0])
        assert session.exec(select(Assignment)).one().item_id
    assert task["data"]["image_file"].startswith("data:image/png;base64,")
    assert task_upload.count_tasks_per_request(definition) == 16
    shown = [{"field": f"f{number}", "as": "image"} for number in range(20)]
    many = definition.model_dump(mode="json") | {"items": {"file": "x.csv", "id": "id", "show": shown}}
    assert task_upload.count_tasks_per_request(ProjectFile.model_validate(many)) == 1
    many["items"]["show"] = ["text"]
    assert task_upload.count_tasks_per_request(ProjectFile.model_validate(many)) == 1000


@pytest.mark.parametrize(("size", "page"), [(0, 500), (400, 500), (400_000, 50), (13_000_000, 1), (50_000_000, 1)])
def test_large_tasks_come_in_small_pages(size: int, page: int) -> None:
    """So that no response has hundreds of megabytes."""
    data: list[Any] = [{"image": "x" * size, "hromada": 1}]
    assert client._fit_page(data, 500) == page


def test_a_picture_is_answered(
    stored: Stored, put: Callable[..., Board], visit: Callable[..., Visitor], db: Database, tmp_path: Path
) -> None:
    """A real Label Studio shows it at its size, and takes the answer."""
    definition, items = stored(write_project(tmp_path / "birds"))
    uris = read_uris(db)
    assert len(list_images(items[0].pieces or ())) == 1
    tasks = [payloads.build_task(definition, one, assignment_id=n, pictures=uris) for n, one in enumerate(items, 1)]
    board = put(definition, tasks)
    visitor = visit()
    visitor.come(board.studio)
    visitor.begin(board)
    picture = visitor.page.locator(".hr-picture img").first
    expect(picture).to_be_visible()
    assert picture.evaluate("(one) => [one.naturalWidth, one.naturalHeight]") == [400, 300]
    visitor.page.keyboard.press("1")
    visitor.submit()
    assert payloads.read_answers(definition, items[0], board.results()[0]) == {"answer": "owl"}
    assert visitor.asked == {"127.0.0.1", "None"}  # a `data:` URI has no host


def test_a_picture_alone_is_answered(
    stored: Stored, put: Callable[..., Board], visit: Callable[..., Visitor], db: Database, tmp_path: Path
) -> None:
    """Where an item shows nothing else, the question is about the picture."""
    definition, (item, _) = stored(write_project(tmp_path / "only", project=ONLY))
    board = put(definition, [payloads.build_task(definition, item, assignment_id=1, pictures=read_uris(db))])
    visitor = visit(800)
    visitor.come(board.studio)
    visitor.page.goto(board.studio.stream(board.number))
    expect(visitor.page.locator(".hr-picture img").first).to_be_visible()
    visitor.page.keyboard.press("2")
    visitor.submit()
    assert payloads.read_answers(definition, item, board.results()[0]) == {"answer": "stork"}
