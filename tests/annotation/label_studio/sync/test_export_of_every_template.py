"""The JSON that a real Label Studio exports of every template imports to exactly what a pull stores."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import col, select

from annotation.campaigns import project_file, template_files, yaml_document
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    PreferenceQuestion,
    Question,
    QuestionContent,
    ScaleQuestion,
    SpanQuestion,
)
from annotation.label_studio import passes
from annotation.label_studio_controls import elements
from annotation.loading import campaign
from annotation.loading.drafts import format_value
from annotation.store import database, invariants, pseudonyms, queries
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects, transitions
from bot import release
from exports import tables

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace

KEY = b"k" * 32
TEMPLATES = [
    pytest.param(one.name, marks=pytest.mark.slow) for one in template_files.list_templates() if not one.is_programme
]
TEXT = "Лис і лис, і ще раз лис 🦊.\n\nА в полі — кіт & <пес>, п'ять лисів."
YES, NO = "так, певно", "ні"
EVERY_TYPE: dict[str, Any] = {
    "project": "every-type",
    "title": "Усі питання",
    "language": "uk",
    "kind": "baseline",
    "instructions": "Читайте.",
    "questions": [
        {"name": "verdict", "type": "choice", "text": "Чи придатне?", "options": [YES, NO], "abstain": "хтозна"},
        {"name": "own", "type": "choices", "text": "Які?", "shuffle": True, "show_if": {"verdict": YES}},
        {"name": "rating", "type": "scale", "text": "Як?", "options": ["1", "2", "3"], "show_if": {"verdict": NO}},
        {"name": "where", "type": "span", "text": "Де лис?", "field": "text", "most": 3, "none": "ніде"},
        {"name": "fixed", "type": "edit", "text": "Виправте.", "field": "text", "show_if": {"verdict": YES}},
        {"name": "note", "type": "text", "text": "Примітка", "required": False, "normalise": "exact"},
    ],
    "items": {"file": "items.jsonl", "id": "id", "show": ["text"], "options": "options"},
    "overlap": 2,
}  # fmt: skip
GATES = {"stages", "quality", "controls", "content_warning", "consent", "profile", "benchmark"}
"""What stands before the items of a template or after their answers, and is no matter of these."""
HOW_COLLECTED = {
    "annotator", "option_order", "position", "page", "session", "gap_hours", "instruction_sha256", "stimulus_sha256",
    "surface",
}  # fmt: skip
"""The columns of human_responses.csv that tell how an answer was collected, which no export of Label Studio holds."""


@pytest.fixture
def backend() -> str:
    """What is stored does not depend on the database."""
    return "sqlite"


def clock() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def other(migrated: Path, tmp_path: Path) -> Iterator[database.Database]:
    """Another database, into which exports are imported."""
    shutil.copy(migrated, tmp_path / "other.db")
    with database.open_database(f"sqlite:///{tmp_path / 'other.db'}") as found:
        yield found


def write_project(folder: Path, template: str) -> Path:
    """The project of a template, without its GATES; EVERY_TYPE for the name `every-type`."""
    if template == "every-type":
        folder.mkdir()
        rows = [{"id": f"i{number}", "text": TEXT, "options": ["а", "б, в", "г"]} for number in range(6)]
        (folder / "items.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        written = EVERY_TYPE
    else:
        template_files.write_template(folder, template_name=template)
        written = dict(
            yaml_document.parse_yaml((folder / "project.yaml").read_text("utf-8"), file=folder / "project.yaml").data
        )
        written = {key: value for key, value in written.items() if key not in GATES}
        written["items"] = {key: value for key, value in written["items"].items() if key not in {"where", "sample"}}
    (folder / "project.yaml").write_text(json.dumps(written, ensure_ascii=False), "utf-8")
    (folder / "again.yaml").write_text(
        json.dumps(written | {"votes": {"format": "label-studio"}}, ensure_ascii=False), "utf-8"
    )
    return folder / "project.yaml"


def build_region(name: str, kind: str, **value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "item:shown", "type": kind, "value": value}


def answer_question(question: Question, item: Item, chance: random.Random) -> list[dict[str, Any]]:
    """Regions as the browser writes them; what is hidden in the end is written too, as it is left there."""
    name, own = question.name, None if item.options is None else tuple(item.options)
    match question:
        case ScaleQuestion() if question.is_typed:
            return [build_region(name, "number", number=int(chance.choice(question.options)))]
        case ChoiceQuestion() | ScaleQuestion() | PreferenceQuestion():
            return [build_region(name, "choices", choices=[chance.choice(question.get_labels(own))])]
        case ChoicesQuestion():
            labels = question.get_labels(own)
            chosen = chance.sample(labels, chance.randint(question.least, min(question.most or 9, len(labels))))
            return [build_region(name, "choices", choices=chosen)] if chosen else []
        case EditQuestion():
            text = str(item.data[question.field])
            return [build_region(name, "textarea", text=[chance.choice([text, f"{text}\n\n  Кінець. "])])]
        case SpanQuestion():
            return mark_parts(question, str(item.data[question.field]), chance)
    return (
        [build_region(name, "textarea", text=[f"Примітка: «−3,5» {chance.randint(1, 9)}"])]
        if chance.random() < 0.7 or question.required
        else []
    )


def mark_parts(question: SpanQuestion, text: str, chance: random.Random) -> list[dict[str, Any]]:
    """Up to `most` words, the last ones first, among them such as stand several times."""
    if question.none is not None and chance.random() < 0.3:
        return [build_region(elements.get_none_control(question.name), "choices", choices=["none"])]
    words = [match.span() for match in re.finditer(r"\w+(?:\s+—\s+\w+)?|\n\nА", text)]
    return [
        build_region(
            question.name, "hypertextlabels", start="/text()[1]", end="/text()[1]", startOffset=start, endOffset=end,
            globalOffsets={"start": start, "end": end}, text=text[start:end].replace("\n", "\\n"),
            hypertextlabels=[question.name],
        )
        for start, end in sorted(chance.sample(words, chance.randint(1, min(question.most, len(words)))), reverse=True)
    ]  # fmt: skip


def answer_batch(
    workspace: Workspace, name: str, remote: int, questions: Sequence[Question], items: Mapping[str, Item], seed: int
) -> None:
    """Answer all tasks of a batch, but for one skip."""
    chance = random.Random(seed)  # noqa: S311
    with workspace.studio.api(workspace.accounts[name].token) as api:
        found = api.get("/api/tasks", params={"project": remote, "fields": "all", "page_size": 100}).json()["tasks"]
        for number, task in enumerate(sorted(found, key=lambda one: int(one["id"]))):
            item = items[task["data"]["item"]]
            result = [region for question in questions for region in answer_question(question, item, chance)]
            chance.shuffle(result)
            body: dict[str, Any] = {"result": result, "lead_time": 1.5 + number}
            if number == len(found) - 1 and number > 1:
                body = {"result": [], "was_cancelled": True, "lead_time": 3.0}
            answer = api.post(f"/api/tasks/{task['id']}/annotations/", json=body)
            assert answer.status_code == 201, answer.text


def download_exports(workspace: Workspace, remotes: Sequence[int], kind: str = "JSON") -> list[Path]:
    """The exports of batches of one kind, in their order."""
    files = []
    for remote in remotes:
        with workspace.studio.api() as api:
            exported = api.get(
                f"/api/projects/{remote}/export", params={"exportType": kind, "download_all_tasks": "true"}
            )
        files.append(workspace.folder / f"{kind}-{remote}.{'csv' if kind == 'CSV' else 'json'}")
        files[-1].write_bytes(exported.content)
    return files


def read_first_answers(
    file: Path, definition: ProjectFile, items: Mapping[str, Item]
) -> list[tuple[str, str, str, dict[str, str] | None, str, float | None]]:
    """What people answered in the first pass: item, person, answers, and the seconds."""
    contents = {
        name: QuestionContent(
            options=None if item.options is None else tuple(item.options),
            fields={column: format_value(value) for column, value in item.data.items()},
        )
        for name, item in items.items()
    }
    most = max(len(content.options or ()) for content in contents.values())
    questions = [question.with_positions(most) for question in definition.all_questions]
    section = project_file.VotesSection.model_validate({"format": "label-studio"})
    votes = campaign.read_votes(file, section, questions=questions, item_contents=contents).votes
    return sorted(
        (vote.item, vote.annotator, vote.response, vote.answers, vote.raw, vote.seconds)
        for vote in votes
        if vote.second_pass is None and vote.skip_reason is None
    )


def import_exports(other: database.Database, file: Path, exports: Sequence[Path]) -> None:
    """Load a project into another database and import the exports."""
    with other.transaction() as session:
        projects.load_project_file(session, file, now=clock())
    name = project_file.read_project(file).name
    for exported in exports:
        with other.transaction() as session:
            project = queries.get_project(session, name)
            votes = vote_import.read_vote_file(session, project, path=exported)
            vote_import.store_votes(session, project, votes, key=KEY, now=clock())
    with other.reading() as session:
        assert invariants.list_violations(session) == ()


def list_stored(db: database.Database, people: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """All judgements: person, item, occasion, revision, and what was answered."""
    with db.reading() as session:
        rows = session.exec(
            select(Judgement, Assignment, Item, Annotator)
            .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
            .join(Item, col(Item.id) == col(Assignment.item_id))
            .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        ).all()
    return sorted(
        (
            people[who.pseudonym], item.external_id, assignment.occasion, one.revision, one.response, one.response_raw,
            json.dumps(one.answers, ensure_ascii=False), one.seconds, one.skip_reason or "", one.excluded_kind or "",
            assignment.is_control,
        )
        for one, assignment, item, who in rows
    )  # fmt: skip


def list_published(db: database.Database, name: str, people: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows of human_responses.csv of all questions, but for how they were collected."""
    with db.reading() as session:
        data_sets = release.build_data_sets(session, [name])
    rows = [row for data in data_sets for row in tables.build_response_table(data).to_dict("records")]
    for row in rows:
        row["who"] = people[row["annotator"]]
    kept = [{str(key): value for key, value in row.items() if key not in HOW_COLLECTED} for row in rows]
    return sorted(kept, key=lambda row: json.dumps(row, ensure_ascii=False, sort_keys=True, default=str))


def get_people(workspace: Workspace, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Names by pseudonyms, in the database that pulls and in the one that imports."""
    pulled = {code: person for person, code in workspace.people.items()}
    imported = {
        pseudonyms.make_pseudonym(KEY, namespace=f"project {name}", name=str(account.id)): person
        for person, account in workspace.accounts.items()
    }
    return pulled, imported


def read_items(workspace: Workspace, name: str) -> dict[str, Item]:
    with workspace.db.reading() as session:
        found = session.exec(select(Item).join(Project).where(Project.name == name)).all()
        session.expunge_all()
    return {item.external_id: item for item in found}


def start_project(workspace: Workspace, file: Path) -> ProjectFile:
    with workspace.db.transaction() as session:
        projects.load_project_file(session, file, now=clock())
        name = project_file.read_project(file).name
        transitions.start_project(session, project=queries.get_project(session, name), now=clock())
    return project_file.read_project(file).definition


@pytest.mark.parametrize("template", [*TEMPLATES, "every-type"])
def test_an_export_imports_to_what_a_pull_stores(
    workspace: Workspace, other: database.Database, tmp_path: Path, template: str
) -> None:
    """Both passes where there are two; the stored answers and the published rows are the same, one by one."""
    file = write_project(tmp_path / template, template)
    definition = start_project(workspace, file)
    items = read_items(workspace, definition.project)
    second = any(question.step > 1 for question in definition.all_questions)
    remotes: list[int] = []
    for seed, name in enumerate(("olha", "taras")):
        workspace.person(name)
        for second_pass in (False, True)[: 1 + second]:
            pushed = workspace.push(name, 3, project=definition.project, second=second_pass)
            if pushed.remote_id is None or not pushed.sent:
                continue
            remotes.append(pushed.remote_id)
            questions = passes.list_questions(definition, second_pass=second_pass)
            answer_batch(workspace, name, pushed.remote_id, questions, items, seed)
            workspace.pull()
    assert remotes
    exports = download_exports(workspace, remotes)
    for kind in ("JSON_MIN", "CSV"):
        for whole, flat in zip(exports, download_exports(workspace, remotes, kind), strict=True):
            assert read_first_answers(flat, definition, items) == read_first_answers(whole, definition, items)
    import_exports(other, file.with_name("again.yaml"), exports)
    pulled, imported = get_people(workspace, definition.project)
    stored = list_stored(workspace.db, pulled)
    assert len(stored) > 1
    assert list_stored(other, imported) == stored
    name = definition.project
    assert list_published(other, name, imported) == list_published(workspace.db, name, pulled)
