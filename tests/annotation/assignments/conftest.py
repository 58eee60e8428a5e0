"""Running projects of any shape, annotators, and a clock that tests move."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.store.database import Database
from annotation.store.models import Annotator, Assignment, Item, Judgement, Participation, Project
from annotation.vocabulary import ProjectStatus, UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from annotation.workflow.lifecycle import projects
from annotation.workflow.participations import NothingAssigned

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
YES, NO = "так", "ні"


@dataclass
class Scenario:
    """A database with running projects, annotators at work, and a clock."""

    db: Database
    folder: Path
    now: datetime = NOW

    def project(
        self,
        name: str = "p",
        *,
        items: int | Sequence[str] = 3,
        section: Any = None,
        **keys: Any,
    ) -> int:
        """Load and run a project whose items have the given groups, or each its own; `keys` go into its file.

        It asks one question, unless `keys` has `questions`. `section` is its `items` section, if the items are others.
        """
        groups = [f"{name}-{number}" for number in range(1, items + 1)] if isinstance(items, int) else items
        columns: dict[str, Any] = {"id": "id", "show": ["text"], "gold": "gold", "group": "group", "explanation": "why"}
        whole: dict[str, Any] = {
            "project": name,
            "title": name,
            "language": "uk",
            "items": section or columns | {"file": self.items(f"{name}-m", groups)},
            "overlap": 2,
        }
        if "questions" not in keys:
            whole["question"] = {"type": "choice", "text": "Так?", "options": [YES, NO]}
        file = self.folder / f"{name}.yaml"
        file.write_text(json.dumps(whole | keys, ensure_ascii=False), "utf-8")
        with self.db.transaction() as session:
            projects.load_project_file(session, file, now=self.now)
            made = session.exec(select(Project).where(Project.name == name)).one()
            made.status = ProjectStatus.RUNNING
            session.add(made)
            return made.id or 0

    def items(self, name: str, groups: int | Iterable[str]) -> str:
        """A file of items `name-1`, `name-2`, … with gold «так», of these groups or each its own."""
        if isinstance(groups, int):
            groups = [f"{name}-{number}" for number in range(1, groups + 1)]
        rows = [
            {"id": f"{name}-{number}", "text": f"{name} {number}", "group": group, "gold": YES, "why": f"why {number}"}
            for number, group in enumerate(groups, 1)
        ]
        (self.folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return f"{name}.jsonl"

    def person(self, number: int = 1, **columns: Any) -> int:
        """Register an annotator; `columns` are set on their row. Returns their id."""
        with self.db.transaction() as session:
            made = registration.register_telegram_annotator(
                session, telegram_id=number, language="uk", key=b"k" * 32, now=self.now
            )
            for name, value in columns.items():
                setattr(made, name, value)
            session.add(made)
            return made.id or 0

    def request_item(self, who: int, project: int | None) -> assignments.AssignedItem | NothingAssigned:
        """Ask for the next item, and again while the search goes on."""
        while True:
            with self.db.transaction() as session:
                found = assignments.assign_next_item(
                    assignments.lock_annotator(session, who), now=self.now, project_id=project
                )
            if isinstance(found, assignments.AssignedItem) or found.reason is not UnassignedReason.SEARCHING:
                return found

    def assign(self, who: int, project: int | None = None) -> assignments.AssignedItem:
        """The next item, which has to be there."""
        found = self.request_item(who, project)
        assert isinstance(found, assignments.AssignedItem), found
        return found

    def wait(self, who: int, project: int | None = None) -> NothingAssigned:
        """Why there is no next item, which must not be there."""
        found = self.request_item(who, project)
        assert isinstance(found, NothingAssigned), found
        return found

    def open(self, session: Session, who: int, assignment: int) -> assignments.OpenedAssignment:
        """Open an assignment of an annotator."""
        transaction = assignments.lock_annotator(session, who)
        return assignments.open_assignment(transaction, assignment_id=assignment, now=self.now)

    def submit(
        self, who: int, assigned: assignments.AssignedItem, label: str = YES, *, revision: int | None = None
    ) -> assignments.SavedJudgement:
        """Answer an item."""
        with self.db.transaction() as session:
            return assignments.submit_judgement(
                self.open(session, who, assigned.assignment_id),
                revision=assigned.revision if revision is None else revision,
                answers={"answer": label},
                now=self.now,
            )

    def answer(self, who: int, label: str = YES, *, project: int | None = None) -> str:
        """Answer the next item; returns its name."""
        assigned = self.assign(who, project)
        self.submit(who, assigned, label)
        return assigned.item

    def answers(self, who: int, number: int, label: str = YES, *, project: int | None = None) -> list[str]:
        """Answer so many items; returns their names."""
        return [self.answer(who, label, project=project) for _ in range(number)]

    def all(self, who: int, label: str = YES, *, project: int | None = None) -> list[str]:
        """Answer until there is nothing more; returns the names of the items."""
        found = []
        while isinstance(assigned := self.request_item(who, project), assignments.AssignedItem):
            self.submit(who, assigned, label)
            found.append(assigned.item)
        return found

    def undo(self, who: int, assigned: assignments.AssignedItem) -> assignments.AssignedItem:
        """Open an answer again."""
        with self.db.transaction() as session:
            return assignments.undo_judgement(self.open(session, who, assigned.assignment_id))

    def skip(
        self, who: int, assigned: assignments.AssignedItem, reason: str = "не розумію"
    ) -> assignments.SavedJudgement:
        """Skip an item."""
        with self.db.transaction() as session:
            return assignments.skip_item(
                self.open(session, who, assigned.assignment_id),
                reason=reason,
                now=self.now,
            )

    def report(self, who: int, assigned: assignments.AssignedItem) -> assignments.SavedReport:
        """Say that something is wrong with an item."""
        with self.db.transaction() as session:
            return assignments.report_item(
                self.open(session, who, assigned.assignment_id),
                reason="помилка",
                now=self.now,
            )

    def expire(self) -> int:
        """End the leases that are over."""
        with self.db.transaction() as session:
            return assignments.expire_leases(session, now=self.now)

    def later(self, **time: float) -> None:
        """Move the clock forward."""
        self.now += timedelta(**time)

    def status(self, project: int, status: ProjectStatus) -> None:
        """Set the status of a project."""
        with self.db.transaction() as session:
            found = session.get_one(Project, project)
            found.status = status
            session.add(found)

    def item(self, name: str) -> Item:
        """An item as it is stored."""
        with self.db.transaction() as session:
            return session.exec(select(Item).where(Item.external_id == name)).one()

    def assignment(self, assigned: assignments.AssignedItem) -> Assignment:
        """An assignment as it is stored."""
        with self.db.transaction() as session:
            return session.get_one(Assignment, assigned.assignment_id)

    def judgements(self, assigned: assignments.AssignedItem) -> list[tuple[int, str, str | None, str | None]]:
        """Revision, response, reason of a skip and of an exclusion of each answer to an assignment."""
        with self.db.transaction() as session:
            chosen = select(Judgement).where(Judgement.assignment_id == assigned.assignment_id)
            rows = session.exec(chosen.order_by(sa.text("revision"))).all()
            return [(row.revision, row.response, row.skip_reason, row.excluded_reason) for row in rows]

    def participation(self, who: int, project: int) -> Participation:
        """An annotator's participation in a project."""
        with self.db.transaction() as session:
            return session.get_one(Participation, (who, project))

    def check_counts(self) -> None:
        """The counts of every item are those of its assignments, and no place is lost."""
        with self.db.transaction() as session:
            rows = session.connection().execute(_COUNTS).all()
            assert rows
            for name, free, held, live, done, holding, answered, overlap, pool in rows:
                assert (live, done) == (holding, answered), name
                assert free + held + live == (overlap if pool in {"main", "pilot"} else 0), name
            assert session.exec(select(Annotator.id)).all()


_COUNTS = sa.text("""
SELECT i.external_id, i.free, i.held, i.n_live, i.n_done, count(a.id),
  count(CASE WHEN a.status = 'done' THEN 1 END), p.overlap, i.pool
FROM item i JOIN project p ON p.id = i.project_id LEFT JOIN assignment a ON a.item_id = i.id AND a.holds_place
GROUP BY i.id, i.external_id, i.free, i.held, i.n_live, i.n_done, p.overlap, i.pool""")


@pytest.fixture
def scenario(db: Database, tmp_path: Path) -> Scenario:
    """A scenario without projects and annotators."""
    return Scenario(db, tmp_path)
