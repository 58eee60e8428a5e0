"""What `status` counts, on a project where everything happened."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlmodel import Session

from annotation.store import database, overlap_counts, table_base
from annotation.store.models import Assignment, Consent, Invitation, Judgement, Participation, QueueCursor
from annotation.vocabulary import (
    AssignmentStatus,
    Exclusion,
    ExclusionKind,
    ParticipationStatus,
    Pool,
    Stage,
    Surface,
)
from annotation.workflow.monitoring import campaign_status

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ROWS = "a,ta,g1,x\nb,tb,g2,y\nc,tc,g3,y\nk,tk,h1,x\nl,tl,h2,x\nq,tq,h3,y\n"
MORE = """\
kind: baseline
pages: {items: 2}
controls: {pool: {where: {id: [k, l]}}, per_page: 1}
stages: {qualification: {pool: {where: {id: [q]}}, pass_mark: 60 %}}
consent: {file: consent.md, version: 1}
caps: {items: 2}
"""


def placed(session: Session, one: Assignment, **columns: object) -> None:
    """Where in the annotator's pages an assignment stood."""
    for name, value in columns.items():
        setattr(one, name, value)
    session.add(one)
    session.flush()


def test_everything_is_counted_once(db: database.Database, sandbox: Sandbox) -> None:
    """Revisions count as one answer; reasons, standings, controls, pages, the qualification, the way of people."""
    (sandbox.folder / "consent.md").write_text("I agree.", "utf-8")
    with db.transaction() as session:
        project = sandbox.started(session, sandbox.write("one", rows=ROWS, more=MORE))
        identity = project.id or 0
        for person, (response, item) in enumerate((("x", "a"), ("y", "a"), ("y", "b")), start=1):
            given = sandbox.given(session, project, item=item, telegram_id=person)
            sandbox.answer(session, given, response)
            placed(session, given, page=1)
        session.add(Judgement(assignment_id=1, revision=1, response="x", response_raw="x", answered_at=NOW))
        too_fast = table_base.list_exclusion_values(Exclusion(ExclusionKind.RULE, "too fast"))
        excluded = Judgement(assignment_id=3, revision=1, response="y", response_raw="y", **too_fast)
        session.add(excluded)
        sandbox.given(session, project, item="b", telegram_id=1)
        overlap_counts.pause_item(session, item_id=sandbox.items(session, project)["c"].id or 0)
        people = [sandbox.person(session, number) for number in (1, 2, 3)]
        for name, page in (("k", 1), ("l", 2)):
            made = Assignment(
                project_id=identity,
                item_id=sandbox.items(session, project)[name].id or 0,
                annotator_id=people[0],
                surface=Surface.TELEGRAM,
                status=AssignmentStatus.DONE,
                stage=Stage.MAIN,
                is_control=True,
                page=page,
            )
            session.add(made)
        tried = sandbox.items(session, project)["q"].id or 0
        for who, status in zip(people, ("active", "active", "failed"), strict=True):
            session.add(
                Assignment(
                    project_id=identity,
                    item_id=tried,
                    annotator_id=who,
                    surface=Surface.TELEGRAM,
                    status=AssignmentStatus.DONE,
                    stage=Stage.QUALIFICATION,
                )
            )
            session.add(
                Participation(
                    annotator_id=who,
                    project_id=identity,
                    stage=Stage.MAIN if status == "active" else Stage.QUALIFICATION,
                    status=ParticipationStatus(status),
                    since=NOW,
                    joined_at=NOW,
                    shown=2,
                    answered=1 + (who == people[0]),
                    qualified_at=NOW if status == "active" else None,
                )
            )
            session.add(Consent(annotator_id=who, scope="project one", version="1", sha256="0", at=NOW))
        session.add(
            QueueCursor(annotator_id=people[1], project_id=identity, pool=Pool.MAIN, start=1, pos=1, wrapped=True)
        )
        session.add(Invitation(code="k", project_id=identity, max_uses=9, used=4, created_at=NOW))
        session.flush()
        found = campaign_status.get_campaign_status(session, project)
    assert vars(found.items) == {"number": 3, "done": 1, "paused": 1, "in_hand": 1, "free": 0}
    assert (found.answers, found.excluded, found.annotators) == (3, {"too fast": 1}, 3)
    assert found.by_status == {"active": 2, "failed": 1}
    assert found.controls is not None
    assert vars(found.controls) == {"number": 2, "remaining": 0, "annotators_without": 1, "pages_without": 2}
    assert found.qualification is not None
    assert vars(found.qualification) == {"tried": 3, "passed": 2, "failed": 1}
    assert vars(found.funnel) == {"invited": 4, "by_friends": None, "consented": 3, "started": 3, "finished": 2}
    assert found.planned is not None
