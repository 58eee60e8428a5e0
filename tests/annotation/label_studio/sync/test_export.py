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
    from tests.annotation.label_studio.sync.conftest import Office

YES, NO = "так", "ні"


@pytest.fixture
def backend() -> str:
    """One database is enough here."""
    return "sqlite"


def test_the_export_of_a_desk_imports_again_without_a_difference(office: Office) -> None:
    """Item, answer, seconds and skips of the exported file are those that were pulled, one by one."""
    office.campaign(items=6, overlap=1)
    office.person("olha")
    remote = office.push("olha", 6).remote_id
    one, two, three, four, *_ = office.tasks()
    office.say("olha", one, YES, seconds=1.25)
    office.change(office.say("olha", two, YES, seconds=2.5), NO)
    office.skip("olha", three)
    gone = office.say("olha", four, NO)
    office.pull()
    office.delete(gone)
    office.pull()
    with office.studio.api() as api:
        exported = api.get(f"/api/projects/{remote}/export", params={"exportType": "JSON"})
    (office.folder / "export.json").write_bytes(exported.content)
    whole = {
        "project": "again",
        "title": "again",
        "language": "uk",
        "question": {"type": "choice", "text": "Так?", "options": [YES, NO]},
        "items": "from votes",
        "votes": {"format": "label-studio", "file": "export.json", "item": "item", "show": "shown", "answer": "answer"},
    }
    (office.folder / "again.yaml").write_text(json.dumps(whole, ensure_ascii=False), "utf-8")
    with office.db.transaction() as session:
        projects.load_file(session, office.folder / "again.yaml", now=clock())
        again = queries.project(session, "again")
        votes = vote_import.read_votes(session, again)
        vote_import.store_votes(session, again, votes, key=b"k" * 32, now=clock())
    pulled, imported = _final(office, "p"), _final(office, "again")
    deleted = office.items()[four]
    assert pulled.pop(deleted)[2] == "deleted in Label Studio"
    assert imported == pulled
    assert set(imported.values()) == {(YES, 1.25, None), (NO, 2.5, None), ("", 1.0, "skipped")}


def clock() -> datetime:
    """The time."""
    return datetime.now(UTC)


def _final(office: Office, project: str) -> dict[str, tuple[str, float | None, str | None]]:
    """By item: response, seconds, why it does not count; as the answer finally stands."""
    chosen = (
        select(Item, Judgement)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .join(Project, col(Project.id) == col(Item.project_id))
        .where(Project.name == project)
        .order_by(col(Judgement.revision))
    )
    with office.db.reading() as session:
        return {
            item.external_id: (one.response, one.seconds, one.excluded_reason) for item, one in session.exec(chosen)
        }
