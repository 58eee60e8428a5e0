"""Codes: whom they let in, how often, and what they refuse."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.errors import BadInput, NotFound
from annotation.store import database, models, queries
from annotation.store.models import (
    Cohort,
    Invitation,
    Participation,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import UnassignedReason
from annotation.workflow import participations
from annotation.workflow.annotators import invitations, roster
from annotation.workflow.annotators.invitations import InvitationRefusal, RedeemedInvitation

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_without_an_invitation_everybody_may_come_and_with_one_only_the_invited(people: People) -> None:
    """The first invitation closes the project to those who have not begun; others know no such code."""
    people.load("words")
    assert people.waits(1, "words") is None
    with people.db.transaction() as session:
        person = people.joined(session, 1).id or 0
        row = participations.get_or_create_participation(
            database.lock_annotator(session, person), project=queries.get_project(session, "words"), now=NOW
        )
        models.PARTICIPATIONS.update(session, row, shown=1)
    people.invited("words", cohort="students")
    assert people.waits(1, "words") is None
    assert people.waits(2, "words") == UnassignedReason.NOT_ADMITTED
    assert people.redeem(2, "another") == InvitationRefusal.UNKNOWN
    assert people.redeem(2, " code ") == RedeemedInvitation(target="words", projects=("words",), repeated=False)
    assert people.waits(2, "words") is None
    with people.db.transaction() as session:
        assert [(one.annotator_id, one.name) for one in session.exec(select(Cohort))] == [(2, "students")]


def test_an_invitation_to_a_programme_opens_all_its_projects_later_ones_too(people: People) -> None:
    """Rows in its projects name the invitation; a project that joins the programme later is open to them as well."""
    for name in ("first", "second", "third"):
        people.load(name)
    people.enrol("both", "order: sequence", "first", "second")
    people.invited("both")
    assert people.waits(1, "first") == UnassignedReason.NOT_ADMITTED
    assert people.waits(1, "third") is None
    assert people.redeem(1, "code") == RedeemedInvitation(target="both", projects=("first", "second"), repeated=False)
    with people.db.transaction() as session:
        third = queries.get_project(session, "third").id or 0
        session.add(ProgrammeProject(programme_id=1, project_id=third, position=2))
    assert [people.waits(1, name) for name in ("first", "second", "third")] == [None, None, None]
    assert people.waits(2, "third") == UnassignedReason.NOT_ADMITTED


def test_a_code_counts_each_annotator_once_and_refuses_clearly(people: People) -> None:
    """The same person twice takes one use; then it is used up, over, or leads nowhere; nothing is stored."""
    people.load("words")
    people.invited("words", uses=1, expires_at=NOW + timedelta(days=1))
    people.invited("words", "late", expires_at=NOW + timedelta(days=1))
    assert people.redeem(1, "code") == RedeemedInvitation(target="words", projects=("words",), repeated=False)
    for code in ("code", "late"):
        assert people.redeem(1, code) == RedeemedInvitation(target="words", projects=("words",), repeated=True)
    assert people.redeem(2, "code") == InvitationRefusal.USED_UP
    assert people.redeem(2, "late", now=NOW + timedelta(days=1)) == InvitationRefusal.EXPIRED
    with people.db.transaction() as session:
        roster.suspend_annotator(session, annotator=people.joined(session, 3), reason="причина", now=NOW)
    assert people.redeem(3, "late") == InvitationRefusal.SUSPENDED
    with people.db.transaction() as session:
        session.exec(select(Project)).one().status = "closed"  # type: ignore[assignment]
    assert people.redeem(2, "late") == InvitationRefusal.CLOSED
    with people.db.transaction() as session:
        assert [one.used for one in session.exec(select(Invitation).order_by(col(Invitation.id)))] == [1, 0]
        assert [one.annotator_id for one in session.exec(select(Participation))] == [1]
        with pytest.raises(NotFound):
            invitations.redeem_invitation(session, annotator_id=99, code="code", now=NOW)


@pytest.mark.parametrize("wrong", [{"uses": 0}, {"expires_at": NOW}, {"cohort": " "}, {"cohort": "я" * 65}])
def test_an_invitation_for_nobody_is_refused(people: People, wrong: dict[str, object]) -> None:
    """No uses, a time that is over, a cohort without a name."""
    people.load("words")
    with pytest.raises(BadInput):
        people.invited("words", **wrong)  # type: ignore[arg-type]
    with people.db.transaction() as session, pytest.raises(NotFound, match="Did you mean words"):
        invitations.get_target(session, "word")


def test_the_last_use_lets_exactly_one_in(people: People) -> None:
    """Eight people send the same code at the same moment, twice each; two uses are left."""
    people.load("words")
    people.invited("words", uses=2)
    with people.db.transaction() as session:
        for number in range(1, 9):
            people.joined(session, number)
    found: list[RedeemedInvitation | InvitationRefusal] = []
    start = threading.Barrier(16)

    def send(number: int) -> None:
        start.wait()
        found.append(people.redeem(number, "code"))

    threads = [threading.Thread(target=send, args=(1 + n % 8,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entered = [one for one in found if isinstance(one, RedeemedInvitation)]
    assert sorted(one.repeated for one in entered) == [False, False, True, True]
    assert found.count(InvitationRefusal.USED_UP) == 12
    with people.db.transaction() as session:
        assert session.exec(select(Invitation.used)).one() == 2
        assert len(session.exec(select(Participation)).all()) == 2


def test_the_use_is_settled_by_the_statement_that_takes_it(people: People) -> None:
    """Another takes the last use between the look and the take: the row as it was read does not count."""
    people.load("words")
    people.invited("words", uses=1)
    with people.db.transaction() as session:
        person = people.joined(session, 1).id or 0
        stale = session.exec(select(Invitation)).one()
        session.connection().exec_driver_sql("UPDATE invitation SET used = 1")
        assert stale.used == 0
        assert (
            invitations.redeem_invitation(session, annotator_id=person, code="code", now=NOW)
            == InvitationRefusal.USED_UP
        )
