"""What must always be true of the database, and that each violation is found."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import invariants, migrations, models
from annotation.store.database import Database
from annotation.vocabulary import AssignmentStatus, ExposureCause, Surface

if TYPE_CHECKING:
    from tests.conftest import LaterRelease

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ELSEWHERE = (
    "INSERT INTO exposure (annotator_id, group_id, project_id, cause, at)"
    " VALUES (1, 'g2', 2, 'answered', '2026-11-20 12:00:00.000000+00:00')"
)
SAME_GROUP = "UPDATE item SET group_id = 'g1' WHERE id = 2"
DONE, LIVE = AssignmentStatus.DONE, AssignmentStatus.LIVE


def project(session: Session, number: int, *, kind: str) -> None:
    """A project of overlap 2."""
    definition = {"project": f"p{number}", "kind": kind}
    session.add(
        models.Project(
            id=number, name=f"p{number}", title="p", language="uk", instructions="", instructions_sha256="",
            definition=definition, definition_sha256="", source="", overlap=2, created_at=NOW,
        )
    )  # fmt: skip
    session.flush()


def item(session: Session, number: int, *, project_id: int, group: str, live: int, done: int) -> None:
    """An item of overlap 2 with its counts."""
    session.add(
        models.Item(
            id=number, project_id=project_id, external_id=str(number), group_id=group, rank=number, data={},
            stimulus="", stimulus_sha256="", free=2 - live, n_live=live, n_done=done,
        )
    )  # fmt: skip


def add_assignment(
    session: Session, number: int, *, item: int, annotator: int, status: AssignmentStatus, position: int = 1
) -> None:
    """An item of the baseline that was shown, and answered where it is done."""
    at = NOW + timedelta(minutes=number)
    session.add(
        models.Assignment(
            id=number, project_id=1, item_id=item, annotator_id=annotator, surface=Surface.TELEGRAM, status=status,
            holds_place=True, position=position, assigned_at=at, shown_at=at,
        )
    )  # fmt: skip
    session.flush()
    if status is DONE:
        session.add(models.Judgement(assignment_id=number, response="yes", response_raw="yes", answered_at=at))
    session.add(
        models.Exposure(annotator_id=annotator, group_id=f"g{item}", project_id=1, cause=ExposureCause.ANSWERED, at=at),
    )
    session.flush()


@pytest.fixture
def sound(db: Database) -> Database:
    """A baseline with three items and an annotator who answered two and has one, another who answered one."""
    with db.transaction() as session:
        project(session, 1, kind="baseline")
        project(session, 2, kind="annotation")
        for number, live, done in ((1, 2, 2), (2, 1, 1), (3, 1, 0)):
            item(session, number, project_id=1, group=f"g{number}", live=live, done=done)
        item(session, 4, project_id=2, group="g4", live=0, done=0)
        session.add_all(
            models.Annotator(id=annotator, pseudonym=f"a{annotator}", telegram_id=annotator, created_at=NOW)
            for annotator in (1, 2)
        )
        session.flush()
        add_assignment(session, 1, item=1, annotator=1, status=DONE)
        add_assignment(session, 2, item=1, annotator=2, status=DONE)
        add_assignment(session, 3, item=2, annotator=1, status=DONE, position=2)
        add_assignment(session, 4, item=3, annotator=1, status=LIVE, position=3)
    return db


def test_a_sound_database_has_no_findings(sound: Database) -> None:
    """Every rule is looked at, and holds; file and schema as well."""
    with sound.reading() as view:
        assert invariants.list_violations(view) == ()
        rules = [*invariants.RULES, "every shown picture is stored"]
        assert [one.rule for one in invariants.check_invariants(view)] == rules
    assert [one for one in invariants.check_database(sound.engine) if one.wrong] == []


@pytest.mark.parametrize(
    ("statement", "rule", "examples"),
    [
        ("UPDATE item SET n_live = 2 WHERE id = 3", "an item's counts are those of its assignments", ("item 3",)),
        ("UPDATE item SET n_done = 0 WHERE id = 2", "an item's counts are those of its assignments", ("item 2",)),
        ("UPDATE item SET free = 1 WHERE id = 1", "an item has no more places than its overlap", ("item 1",)),
        ("UPDATE item SET held = 2 WHERE id = 2", "an item has no more places than its overlap", ("item 2",)),
        ("UPDATE assignment SET status = 'expired' WHERE id = 4", "only what is live or done takes a place",
         ("assignment 4",)),
        ("UPDATE assignment SET project_id = 2 WHERE id = 1", "an assignment is in its item's project",
         ("assignment 1",)),
        ("UPDATE assignment SET position = 1 WHERE id = 3", "an annotator's items in a project are numbered once",
         ("assignment 1",)),
        ("UPDATE judgement SET revision = 1 WHERE assignment_id = 1", "revisions of an answer run from 0 without a gap",
         ("assignment 1",)),
        ("DELETE FROM judgement WHERE assignment_id = 2", "what is done is answered, what is live is not",
         ("assignment 2",)),
        ("UPDATE judgement SET assignment_id = 4 WHERE assignment_id = 3",
         "what is done is answered, what is live is not", ("assignment 3", "assignment 4")),
        ("UPDATE assignment SET open_revision = 2 WHERE id = 1", "an opened revision is the next one",
         ("assignment 1",)),
        ("UPDATE assignment SET open_revision = 0 WHERE id = 4", "an opened revision is the next one",
         ("assignment 4",)),
        ("DELETE FROM exposure WHERE group_id = 'g2'", "what was shown is recorded as met", ("assignment 3",)),
        ("UPDATE exposure SET project_id = 2 WHERE group_id = 'g3'", "what was shown is recorded as met",
         ("assignment 4",)),
        (ELSEWHERE,
         "nobody judges in a baseline what they had met", ("assignment 3",)),
        (SAME_GROUP, "nobody judges in a baseline what they had met",
         ("assignment 3",)),
        ("UPDATE judgement SET seconds = -579 WHERE assignment_id = 3",
         "the time of an answer is possible or unknown", ("judgement 3",)),
        ("UPDATE judgement SET seconds = 5, seconds_unknown = 'no possible duration' WHERE assignment_id = 2",
         "the time of an answer is possible or unknown", ("judgement 2",)),
        ("UPDATE annotator SET forgotten_at = '2026-11-22 12:00:00.000000+00:00', telegram_id = NULL WHERE id = 2",
         "of annotators who were forgotten nothing is left", ("annotator 2",)),
        ("""UPDATE item SET pieces = '[{"image": null}, {"image": "ab.png"}]' WHERE id = 3""",
         "every shown picture is stored", ("item 3",)),
    ],
)  # fmt: skip
def test_each_violation_is_found(sound: Database, statement: str, rule: str, examples: tuple[str, ...]) -> None:
    """One statement that no use-case would make, and the rule that it breaks, with the ids."""
    with sound.engine.begin() as connection:
        connection.exec_driver_sql(statement)
    with sound.reading() as view:
        found = {one.rule: one for one in invariants.list_violations(view)}
    assert found[rule] == invariants.IntegrityFinding(rule=rule, wrong=len(examples), examples=examples)


@pytest.mark.parametrize(
    ("before", "allowed"),
    [
        (ELSEWHERE, "UPDATE assignment SET exposed = true WHERE id = 3"),
        (ELSEWHERE, "UPDATE item SET pool = 'training' WHERE id = 2"),
        (SAME_GROUP, "UPDATE item SET pool = 'qualification' WHERE id = 2"),
        (SAME_GROUP, "UPDATE assignment SET occasion = 1 WHERE id = 3"),
        (SAME_GROUP, 'UPDATE project SET definition = \'{"kind": "annotation"}\' WHERE id = 1'),
    ],
)
def test_what_the_project_allows_is_no_exposure(sound: Database, before: str, allowed: str) -> None:
    """An exception that is marked, training and qualification, a repeat, and a campaign that is no baseline."""
    with sound.engine.begin() as connection:
        connection.exec_driver_sql(before)
    with sound.reading() as view:
        assert [one.rule for one in invariants.list_violations(view)] == [
            "nobody judges in a baseline what they had met"
        ]
    with sound.engine.begin() as connection:
        connection.exec_driver_sql(allowed)
    with sound.reading() as view:
        assert invariants.list_violations(view) == ()


def test_an_exception_does_not_let_a_group_come_twice(sound: Database) -> None:
    """An exception is about another project; within one, another item of the group is still too much."""
    with sound.engine.begin() as connection:
        connection.exec_driver_sql(SAME_GROUP)
        connection.exec_driver_sql("UPDATE assignment SET exposed = true WHERE id = 3")
        connection.exec_driver_sql("UPDATE item SET pool = 'control' WHERE id = 2")
    with sound.reading() as view:
        assert [one.examples for one in invariants.list_violations(view)] == [("assignment 3",)]


def test_two_live_items_are_found_where_the_index_is_gone(sound: Database) -> None:
    """The rule does not lean on the index; and the missing index is a finding of its own."""
    with sound.engine.begin() as connection:
        connection.exec_driver_sql("DROP INDEX uq_assignment_one_live_in_telegram")
        connection.exec_driver_sql("UPDATE assignment SET status = 'live' WHERE id = 1")
    violations = {one.rule: one.examples for one in invariants.check_database(sound.engine) if one.wrong}
    assert violations["nobody has two live items in Telegram"] == ("annotator 1",)
    assert violations["tables, columns and indexes are those of the models"] == (
        "add index uq_assignment_one_live_in_telegram",
    )


def test_imported_votes_may_be_more_than_the_overlap(sound: Database) -> None:
    """They come from outside; what is served here is held to the places that were asked for."""
    with sound.transaction() as session:
        session.add(models.Annotator(id=3, pseudonym="a3", created_at=NOW))
        session.flush()
        session.add(
            models.Assignment(
                id=9, project_id=1, item_id=1, annotator_id=3, surface=Surface.IMPORT, status=DONE, holds_place=True
            )
        )
        session.flush()
        session.add(models.Judgement(assignment_id=9, response="no", response_raw="no"))
        session.connection().execute(sa.text("UPDATE item SET n_live = 3, n_done = 3 WHERE id = 1"))
    with sound.reading() as view:
        assert invariants.list_violations(view) == ()


def test_an_older_schema_is_a_finding_and_stops_there(sound: Database, later_release: LaterRelease) -> None:
    """Rows are not looked at through columns that are not there yet; once upgraded, all is well."""
    with later_release.installed():
        found = invariants.check_database(sound.engine)
        assert found[-1] == invariants.IntegrityFinding(
            rule="the schema's revision is 0003", wrong=1, examples=("it is 0002: hromada database upgrade",)
        )
        migrations.upgrade_schema(sound.engine)
        assert not any(finding.wrong for finding in invariants.check_database(sound.engine))


def test_a_newer_schema_is_a_finding_too(sound: Database, later_release: LaterRelease) -> None:
    """It is the program that has to be upgraded then."""
    with later_release.installed():
        migrations.upgrade_schema(sound.engine)
    assert invariants.check_database(sound.engine)[-1] == invariants.IntegrityFinding(
        rule=f"the schema's revision is {migrations.HEAD}", wrong=1, examples=("it is 0003: upgrade hromada",)
    )
