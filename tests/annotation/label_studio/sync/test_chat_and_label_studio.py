"""The same answers given in the chat and in a real Label Studio publish the same rows, but for annotator and times."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from annotation.campaigns import project_file
from annotation.store import invariants, queries
from annotation.store.models import Item, Judgement
from annotation.workflow.lifecycle import projects, transitions
from bot import release
from exports import tables
from tests.annotation.label_studio.sync.test_export_of_every_template import build_region, clock
from tests.bot.conversation.conftest import Chat

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace

HOW_COLLECTED = {
    "annotator", "position", "page", "session", "seconds", "gap_hours", "first_response", "first_excluded_reason",
    "surface",
}  # fmt: skip
"""The columns of human_responses.csv that tell who answered, when, where and in how many tries."""
SPANS: Mapping[str, Any] = {
    "project": "spans", "title": "Частини", "language": "uk", "instructions": "Читайте.", "overlap": 2,
    "questions": [
        {"name": "bridge", "type": "span", "text": "Міст у першому?", "field": "first"},
        {"name": "answer", "type": "span", "text": "Відповідь у другому?", "field": "second", "most": 2},
        {"name": "noise", "type": "span", "text": "Шум?", "field": "second", "none": "немає"},
    ],
    "items": {"file": "items.jsonl", "id": "id", "show": [
        "question", {"field": "first", "title": "Текст 1"}, {"field": "second", "title": "Текст 2"},
    ]},
}  # fmt: skip
FIRST = "Лис 🦊 біг. Її автор — Іван Котляревський, п'ять лисів."
SECOND = "Він народився в Полтаві.\n\nВін писав живою українською мовою."
FILTERING: Mapping[str, Any] = {
    "project": "filtering", "title": "Вади", "language": "uk", "instructions": "Читайте.", "overlap": 2,
    "questions": [
        {"name": "answer", "type": "choice", "text": "Яке слово?", "shuffle": True},
        {"name": "logic", "type": "choices", "text": "Логіка?", "options": ["кілька", "жодної"], "required": False,
         "step": 2},
        {"name": "language", "type": "choices", "text": "Мова?", "options": ["форма", "підказка"], "required": False,
         "step": 2},
        {"name": "how", "type": "choice", "text": "Дуже?", "options": ["так", "ні"], "step": 2,
         "show_if": {"logic": ["кілька"]}},
    ],
    "items": {"file": "items.jsonl", "id": "id", "show": [
        {"field": "text", "gap": "______"}, {"field": "gold", "title": "Правильно", "step": 2},
    ], "options": "options", "gold": "gold", "gold_origin": "construction"},
    "filtering": {"problems": ["logic", "language"]},
}  # fmt: skip
GOLD = "пес-золотко"
PROBLEMS: Mapping[str, dict[str, list[str]]] = {
    "1": {"logic": ["кілька"], "how": ["ні"]},
    "2": {},
    "3": {"language": ["форма", "підказка"]},
}


@pytest.fixture
def backend() -> str:
    """What is stored does not depend on the database."""
    return "sqlite"


def start(workspace: Workspace, definition: Mapping[str, Any], rows: list[dict[str, Any]]) -> Chat:
    """The project running, one annotator with an account, and another one's chat at the first item."""
    (workspace.folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    file = workspace.folder / "project.yaml"
    file.write_text(json.dumps(definition, ensure_ascii=False), "utf-8")
    assert not project_file.read_project(file).definition.pages
    with workspace.db.transaction() as session:
        projects.load_project_file(session, file, now=clock())
        session.connection().execute(sa.update(Item).values(queue_position=col(Item.rank) + 10**9))
        transitions.start_project(session, project=queries.get_project(session, definition["project"]), now=clock())
    workspace.person("olha")
    chat = Chat(workspace.db, number=77, now=clock())
    chat.begin()
    return chat


def answer_tasks(workspace: Workspace, name: str, answer: Callable[[str], list[dict[str, Any]]], **more: Any) -> None:
    """Answer all tasks of a new batch in Label Studio, and pull them."""
    pushed = workspace.push("olha", 5, project=name, **more)
    with workspace.studio.api(workspace.accounts["olha"].token) as api:
        found = api.get("/api/tasks", params={"project": pushed.remote_id, "fields": "all", "page_size": 100}).json()[
            "tasks"
        ]
        for task in found:
            body = {"result": answer(task["data"]["item"]), "lead_time": 4.5}
            made = api.post(f"/api/tasks/{task['id']}/annotations/", json=body)
            assert made.status_code == 201, made.text
    workspace.pull()


def mark(name: str, text: str, *parts: str) -> list[dict[str, Any]]:
    """Regions as the browser writes them."""
    places = [(text.index(part), text.index(part) + len(part)) for part in parts]
    return [
        build_region(
            name, "hypertextlabels", start="/text()[1]", end="/text()[1]", startOffset=start, endOffset=end,
            globalOffsets={"start": start, "end": end}, text=text[start:end].replace("\n", "\\n"),
            hypertextlabels=[name],
        )
        for start, end in places
    ]  # fmt: skip


def list_rows(workspace: Workspace, name: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of human_responses.csv of each annotator, but for who answered and when."""
    with workspace.db.reading() as session:
        assert invariants.list_violations(session) == ()
        data_sets = release.build_data_sets(session, [name])
    rows: dict[str, list[dict[str, Any]]] = {}
    for data in data_sets:
        for row in tables.build_response_table(data).to_dict("records"):
            kept = {str(key): value for key, value in row.items() if key not in HOW_COLLECTED}
            rows.setdefault(row["annotator"], []).append(kept)
    for own in rows.values():
        own.sort(key=lambda row: json.dumps(row, ensure_ascii=False, sort_keys=True, default=str))
    return rows


def test_a_two_text_span_question(workspace: Workspace) -> None:
    """By numbers, typed, moved, two parts of one text, and none: the offsets, texts and fields are the same."""
    chat = start(workspace, SPANS, [{"id": "1", "question": "Хто?", "first": FIRST, "second": SECOND}])
    for label in "2", "3", "4", "Зберегти":
        chat.tap(label)
    chat.say("українською")
    chat.tap("+ слово →")
    chat.tap("Ще одна частина")
    chat.tap("1")
    chat.tap("4")
    chat.tap("Зберегти")
    chat.tap("немає")
    answer_tasks(
        workspace,
        "spans",
        lambda _: [
            *mark("bridge", FIRST, "Іван Котляревський"),
            *mark("answer", SECOND, "Полтаві", "українською мовою"),
            build_region("noise:none", "choices", choices=["none"]),
        ],
    )
    mine, theirs = list_rows(workspace, "spans").values()
    assert mine == theirs
    start_at = FIRST.index("Іван")
    assert json.loads(next(row["response"] for row in mine if "Іван" in row["response"])) == [
        {"start": start_at, "end": start_at + len("Іван Котляревський"), "text": "Іван Котляревський"}
    ]
    with workspace.db.reading() as session:
        raw = session.exec(select(Judgement.answers)).all()
    assert raw[0] == raw[1]


def test_a_second_pass(workspace: Workspace) -> None:
    """The blind answers, then the problems: a box with its question, none, two boxes; kept and removed items too."""
    rows = [
        {"id": number, "text": f"{number}. Загавкав ______.", "options": ["кіт", GOLD, "миша"], "gold": GOLD}
        for number in PROBLEMS
    ]
    chat = start(workspace, FILTERING, rows)
    for number in PROBLEMS:
        shown = [button for row in chat.last.buttons for button in row]
        word = "миша" if number == "2" else GOLD
        chat.tap(next(button.label for button in shown if button.label.endswith(word)))
        answer_in_chat(chat, PROBLEMS[number])
    blind = {"1": GOLD, "2": "миша", "3": GOLD}
    answer_tasks(workspace, "filtering", lambda item: [build_region("answer", "choices", choices=[blind[item]])])
    answer_tasks(
        workspace,
        "filtering",
        lambda item: [build_region(name, "choices", choices=boxes) for name, boxes in PROBLEMS[item].items()],
        second=True,
    )
    mine, theirs = list_rows(workspace, "filtering").values()
    assert [row | {"option_order": ""} for row in mine] == [row | {"option_order": ""} for row in theirs]
    assert {row["response"] for row in mine} - {None} == {GOLD, "миша", '["кілька"]', '["форма", "підказка"]', "ні"}


def answer_in_chat(chat: Chat, boxes: Mapping[str, list[str]]) -> None:
    """The second pass of the newest item."""
    if not boxes:
        chat.tap("Усе гаразд")
        return
    for name in "logic", "language":
        for box in boxes.get(name, ()):
            chat.tap(next(
                button.label for row in chat.last.buttons for button in row if button.label.endswith(box)
            ))  # fmt: skip
        chat.tap("Готово" if name in boxes else "Нічого з цього")
    if "how" in boxes:
        chat.tap(next(button.label for row in chat.last.buttons for button in row if button.label.endswith("ні")))
