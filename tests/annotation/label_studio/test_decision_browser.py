"""The screens of adjudication as people use them: a real Label Studio in a real Chromium, to the end by Submit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from annotation.label_studio import configs, decision_payloads
from annotation.label_studio.client import Client
from annotation.label_studio.decision_payloads import CaseVerdict
from annotation.workflow.review import cases
from annotation.workflow.review.adjudication_queue import OpenCase
from tests.annotation.label_studio.conftest import Board

if TYPE_CHECKING:
    from _label_studio import Studio

    from annotation.campaigns.project_file import ProjectFile
    from annotation.store.models import Item
    from tests.annotation.label_studio.conftest import Stored, Visitor

STORY = "Вона подивився в нього й засміялася."
FIRST, SECOND = "Вона подивилася на нього й засміялася.", "Він подивився в нього й засміявся."
PROJECT = """\
project: {name}
title: {name}
language: uk
instructions: Читайте.
question: {question}
items: {{file: {name}.csv, id: id, show: text}}
overlap: 1
"""


@pytest.fixture
def backend() -> str:
    """What is on the screen does not depend on the database."""
    return "sqlite"


def open_case(definition: ProjectFile, item: Item, answers: list[str]) -> OpenCase:
    """A case with these candidates, each given once."""
    [question] = definition.all_questions
    listed = cases.list_candidates(question, item, votes=answers, others=(), order_key="x", with_votes=True)
    return OpenCase(case_id=1, item=item, question=question, candidates=listed, reasons=(), reports=())


def put_cases(studio: Studio, definition: ProjectFile, opened: list[OpenCase]) -> Board:
    """A project of cases, as it is pushed."""
    config = configs.render_adjudication_config(definition, definition.all_questions[0])
    with Client(studio.url, studio.token) as client:
        made = client.create_project(title=definition.project, mark="x", config=config, instructions="…")
        with studio.api() as api:  # the instructions would stand before the page
            assert api.patch(f"/api/projects/{made.id}", json={"show_instruction": False}).status_code == 200
        tasks = [decision_payloads.build_case_task(definition, one, number=n) for n, one in enumerate(opened, 1)]
        return Board(studio=studio, number=made.id, tasks=client.import_tasks(made.id, tasks))


def read_verdicts(board: Board, opened: list[OpenCase]) -> list[CaseVerdict]:
    """What was decided in each task."""
    return [
        decision_payloads.read_case_verdict(
            one.question, one.item, result, candidates=[candidate.answer for candidate in one.candidates]
        )
        for one, result in zip(opened, board.results(), strict=True)
    ]


def write_project(folder: Path, name: str, question: str, texts: list[str]) -> Path:
    """A project file of these items."""
    rows = "".join(f'i{number},"{text}"\n' for number, text in enumerate(texts))
    (folder / f"{name}.csv").write_text(f"id,text\n{rows}", "utf-8")
    (folder / f"{name}.yaml").write_text(PROJECT.format(name=name, question=question), "utf-8")
    return folder / f"{name}.yaml"


def test_corrections_are_chosen_merged_or_said_to_be_broken(
    stored: Stored, label_studio: Studio, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    """Differences are shown; a merge begins with the chosen correction, beside all of them."""
    file = write_project(tmp_path, "stories", '{name: fixed, type: edit, text: "Виправте", field: text}', [STORY] * 3)
    definition, items = stored(file)
    opened = [open_case(definition, item, [FIRST, SECOND]) for item in items]
    board = put_cases(label_studio, definition, opened)
    visitor = visit()
    visitor.come(label_studio)
    visitor.begin(board)
    page = visitor.page
    expect(page.locator(".hr-removed").first).to_be_visible()
    assert set(page.locator(".hr-inserted").all_inner_texts()) >= {"подивилася на", "Він"}
    page.keyboard.press("1")
    page.locator(".hr-questions .hr-when .lsf-choice__checkbox").nth(1).click()
    visitor.submit()
    expect(page.locator(".lsf-choice input:checked")).to_have_count(0)
    page.locator(".hr-page .lsf-richtext__container").first.wait_for()
    page.locator(".hr-questions .lsf-choice__checkbox", has_text="Відповідь 2 з моїми змінами").click()
    area = page.locator(".hr-columns textarea:visible")
    expect(area).to_have_count(1)
    expect(area).to_have_value(opened[1].candidates[1].answer)
    area.fill(FIRST.replace("засміялася", "усміхнулася"))
    visitor.submit()
    expect(page.locator(".lsf-choice input:checked")).to_have_count(0)
    page.locator(".hr-page .lsf-richtext__container").first.wait_for()
    page.keyboard.press("6")
    page.locator(".hr-questions textarea:visible").fill("Немає початку.")
    visitor.submit()
    assert read_verdicts(board, opened) == [
        CaseVerdict(labels=tuple(candidate.answer for candidate in opened[0].candidates)),
        CaseVerdict(labels=(FIRST.replace("засміялася", "усміхнулася"),)),
        CaseVerdict(labels=(), comment="Немає початку."),
    ]


@pytest.mark.parametrize(
    ("question", "answers", "keys", "wanted"),
    [
        ('{name: answer, type: choice, text: "Так?", options: [так, ні]}', ["так", "ні"], "2", "ні"),
        ('{name: answer, type: text, text: "Хто?"}', ["Шевченко", "Франко"], "3", "Тарас Шевченко"),
    ],
)
def test_an_answer_is_chosen_or_written(
    stored: Stored, label_studio: Studio, visit: Callable[..., Visitor], tmp_path: Path, question: str,
    answers: list[str], keys: str, wanted: str,
) -> None:  # fmt: skip
    """By keys; an answer of one's own has a field of its own."""
    definition, items = stored(write_project(tmp_path, "closed", question, ["Автор «Кобзаря»?"]))
    opened = [open_case(definition, item, answers) for item in items]
    board = put_cases(label_studio, definition, opened)
    visitor: Any = visit(800)
    visitor.come(label_studio)
    visitor.begin(board)
    visitor.page.keyboard.press(keys)
    if wanted not in answers:
        visitor.page.locator(".hr-questions textarea:visible").fill(wanted)
    visitor.submit()
    assert read_verdicts(board, opened) == [CaseVerdict(labels=(wanted,))]


RIVERS = "Харків лежить на трьох річках: Лопань, Харків і Уди."


def test_parts_are_marked_and_boxes_ticked_by_hand(
    stored: Stored, label_studio: Studio, visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    """An answer of one's own that is a part of the text, or a set of boxes that nobody chose."""
    visitor = visit()
    visitor.come(label_studio)
    question = '{name: where, type: span, text: "Де річка?", field: text, most: 2}'
    definition, items = stored(write_project(tmp_path, "places", question, [RIVERS]))
    at = RIVERS.index("Уди")
    given = json.dumps([{"start": at, "end": at + 3, "text": "Уди"}], ensure_ascii=False)
    opened = [open_case(definition, item, [given]) for item in items]
    board = put_cases(label_studio, definition, opened)
    visitor.begin(board)
    visitor.page.keyboard.press("2")
    visitor.page.locator(".hr-questions .hr-when .lsf-label:visible").first.click()
    visitor.mark("Лопань")
    visitor.submit()
    [verdict] = read_verdicts(board, opened)
    at = RIVERS.index("Лопань")
    assert [json.loads(label) for label in verdict.labels] == [[{"start": at, "end": at + 6, "text": "Лопань"}]]

    boxes = '{name: answer, type: choices, text: "Що?", options: [чесність, турбота, закон]}'
    definition, items = stored(write_project(tmp_path, "boxes", boxes, ["Він узяв чуже."]))
    opened = [open_case(definition, item, ['["закон"]', '["чесність"]']) for item in items]
    board = put_cases(label_studio, definition, opened)
    visitor.begin(board)
    visitor.page.keyboard.press("3")
    own = visitor.page.locator(".hr-when", has_text="турбота").last
    for name in ("турбота", "закон"):
        own.locator(".lsf-choice__checkbox:visible", has_text=name).click()
    visitor.submit()
    assert [json.loads(label) for label in read_verdicts(board, opened)[0].labels] == [["турбота", "закон"]]
