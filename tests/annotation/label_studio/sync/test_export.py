"""What Label Studio exports as JSON imports again as the votes that were pulled."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.store import queries
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace

YES, NO = "так", "ні"


@pytest.fixture
def backend() -> str:
    """One database is enough here."""
    return "sqlite"


def test_the_export_of_a_batch_imports_again_without_a_difference(workspace: Workspace) -> None:
    """Item, answer, seconds and skips of the exported file are those that were pulled, one by one."""
    workspace.campaign(items=6, overlap=1)
    workspace.person("olha")
    remote = workspace.push("olha", 6).remote_id
    one, two, three, four, *_ = workspace.tasks()
    workspace.say("olha", one, YES, seconds=1.25)
    workspace.change(workspace.say("olha", two, YES, seconds=2.5), NO)
    workspace.skip("olha", three)
    gone = workspace.say("olha", four, NO)
    workspace.pull()
    workspace.delete(gone)
    workspace.pull()
    with workspace.studio.api() as api:
        exported = api.get(f"/api/projects/{remote}/export", params={"exportType": "JSON"})
    (workspace.folder / "export.json").write_bytes(exported.content)
    whole = {
        "project": "again",
        "title": "again",
        "language": "uk",
        "question": {"type": "choice", "text": "Так?", "options": [YES, NO]},
        "items": "from votes",
        "votes": {"format": "label-studio", "file": "export.json", "item": "item", "show": "shown", "answer": "answer"},
    }
    (workspace.folder / "again.yaml").write_text(json.dumps(whole, ensure_ascii=False), "utf-8")
    with workspace.db.transaction() as session:
        projects.load_project_file(session, workspace.folder / "again.yaml", now=clock())
        again = queries.get_project(session, "again")
        votes = vote_import.read_vote_file(session, again)
        vote_import.store_votes(session, again, votes, key=b"k" * 32, now=clock())
    pulled, imported = _final(workspace, "p"), _final(workspace, "again")
    deleted = workspace.items()[four]
    assert pulled.pop(deleted)[2] == "deleted in Label Studio"
    assert imported == pulled
    assert set(imported.values()) == {(YES, 1.25, None), (NO, 2.5, None), ("", 1.0, "skipped")}


def clock() -> datetime:
    """The time."""
    return datetime.now(UTC)


def _final(workspace: Workspace, project: str) -> dict[str, tuple[str, float | None, str | None]]:
    """By item: response, seconds, why it does not count; as the answer finally stands."""
    chosen = (
        select(Item, Judgement)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .join(Project, col(Project.id) == col(Item.project_id))
        .where(Project.name == project)
        .order_by(col(Judgement.revision))
    )
    with workspace.db.reading() as session:
        return {
            item.external_id: (one.response, one.seconds, one.excluded_reason) for item, one in session.exec(chosen)
        }
