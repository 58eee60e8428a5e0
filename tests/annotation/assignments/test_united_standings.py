"""What holds of somebody, and what is theirs, once two accounts are one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from _united_accounts import NO, begin, check, list_responses, unite
from sqlmodel import Session, col, select

from annotation.errors import NotFound
from annotation.store import database, judgements, models, pseudonyms
from annotation.store.models import (
    Adjudicator,
    Annotator,
    Attestation,
    Cohort,
    Consent,
    ErasedAnnotator,
    Exposure,
    Invitation,
    Journal,
    LabelStudioBatch,
    Participation,
    Payment,
    ProfileAnswer,
    SupportMessage,
)
from annotation.vocabulary import Event, ExposureCause, ParticipationStatus, ProjectStatus, Stage, UnassignedReason
from annotation.workflow import definitions
from annotation.workflow.annotators import detachment, erasure, own_data, payments, roster, withdrawal
from annotation.workflow.annotators.united_accounts import Move
from annotation.workflow.quality import enforcement, exclusions

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario


def count_rows(session: Session, table: Any, who: int) -> int:
    """How many rows of a table are somebody's."""
    return len(session.exec(select(table).where(table.annotator_id == who)).all())


@pytest.mark.parametrize("on_page", [True, False])
def test_an_exclusion_holds_for_both(scenario: Scenario, on_page: bool) -> None:
    """The answers of both are excluded, and count again when the person is readmitted."""
    project, page, own = begin(scenario, items=4, overlap=1)
    strict = page if on_page else own
    scenario.answers(page, 1)
    scenario.answers(own, 1)
    with scenario.db.transaction() as session:
        locked = database.lock_annotator(session, strict)
        row = models.PARTICIPATIONS.get_one(session, locked.annotator_id, project)
        models.PARTICIPATIONS.update(session, row, status=ParticipationStatus.EXCLUDED, reason="скрипт")
        ids = judgements.list_stage_assignment_ids(session, annotator_id=strict, project_id=project, stage=Stage.MAIN)
        exclusion = enforcement.get_exclusion(row)
        assert exclusion is not None
        exclusions.exclude_answers(session, assignment_ids=ids, exclusion=exclusion, post_hoc=False, now=scenario.now)
    unite(scenario, page, own)
    assert [row[2] for row in list_responses(scenario)] == ["скрипт", "скрипт"]
    assert scenario.wait(own).reason is UnassignedReason.EXCLUDED
    with scenario.db.transaction() as session:
        assert enforcement.readmit_annotator(session, annotator_id=own, project_id=project, now=scenario.now) == 2
    check(scenario)


@pytest.mark.parametrize("on_page", [True, False])
def test_a_withdrawal_holds_for_both(scenario: Scenario, on_page: bool) -> None:
    """The answers of both count no more, and their places are free."""
    project, page, own = begin(scenario, items=4, overlap=1)
    scenario.answers(page, 1)
    scenario.answers(own, 1)
    with scenario.db.transaction() as session:
        found = session.get_one(models.Project, project)
        who = page if on_page else own
        withdrawal.withdraw_annotator(session, annotator_id=who, project=found, now=scenario.now)
    unite(scenario, page, own)
    assert {row[2] for row in list_responses(scenario)} == {"withdrawn by the annotator"}
    assert scenario.wait(own).reason is UnassignedReason.WITHDRAWN
    assert [scenario.item(f"p-m-{number}").free for number in (1, 2)] == [1, 1]


@pytest.mark.parametrize("on_page", [True, False])
def test_a_failed_training_holds_for_both(scenario: Scenario, on_page: bool) -> None:
    """What was answered after a training that was passed with the other account counts still; nothing more is asked."""
    stages = {"training": {"pool": {"file": scenario.items("t", 2)}, "pass_mark": "2 of 2"}}
    project, page, own = begin(scenario, stages=stages)
    failing, passing = (page, own) if on_page else (own, page)
    scenario.answers(passing, 3)
    scenario.answers(failing, 2, NO)
    assert scenario.wait(failing).reason is UnassignedReason.FAILED
    unite(scenario, page, own)
    assert scenario.wait(own).reason is UnassignedReason.FAILED
    assert scenario.participation(own, project).stage is Stage.TRAINING
    assert [row[0] for row in list_responses(scenario) if row[2] is None] == ["p-m-1"]


def test_two_halves_of_a_training_are_one(scenario: Scenario) -> None:
    """Each item is answered once, by whichever account, and the attempt is decided by all of them."""
    stages = {"training": {"pool": {"file": scenario.items("t", 4)}, "pass_mark": "4 of 4"}}
    project, page, own = begin(scenario, stages=stages)
    mine = scenario.answers(own, 2)
    scenario.later(seconds=1)
    theirs = scenario.answers(page, 2)
    unite(scenario, page, own)
    rest = {f"t-{number}" for number in range(1, 5)} - {*mine, *theirs}
    assert {scenario.answer(own) for _ in rest} == rest
    assert scenario.assign(own).stage is Stage.MAIN
    assert scenario.participation(own, project).stage is Stage.MAIN
    check(scenario)


def test_a_withdrawn_consent_is_asked_for_again(scenario: Scenario) -> None:
    """Whichever account withdrew it; of two consents to one text one is left."""
    _, page, own = begin(scenario)
    given: dict[str, Any] = {"scope": "project p", "version": "1", "sha256": "1" * 64}
    with scenario.db.transaction() as session:
        session.add_all([
            Consent(annotator_id=page, at=scenario.now, withdrawn_at=scenario.now, **given),
            Consent(annotator_id=own, at=scenario.now, **given),
            Consent(annotator_id=page, at=scenario.now, **given | {"version": "2", "sha256": "2" * 64}),
        ])  # fmt: skip
    unite(scenario, page, own)
    with scenario.db.transaction() as session:
        rows = session.exec(select(Consent).order_by(Consent.version)).all()
        assert [(row.annotator_id, row.version, row.withdrawn_at) for row in rows] == [
            (own, "1", scenario.now), (own, "2", None),
        ]  # fmt: skip


def test_everything_else_goes_along(scenario: Scenario) -> None:
    """Pay is added up, messages and cohorts are the person's, of two profile answers the newer one stays."""
    project, page, own = begin(scenario, reward={"pay": {"per_item": 1, "currency": "UAH"}})
    scenario.answers(page, 2)
    scenario.later(seconds=1)
    scenario.answers(own, 2)
    before = scenario.now
    scenario.later(days=1)
    with scenario.db.transaction() as session:
        for who, at, town in ((page, scenario.now, "Львів"), (own, before, "Одеса")):
            session.add_all([
                ProfileAnswer(annotator_id=who, field="town", value=town, at=at),
                Payment(annotator_id=who, project_id=project, hundredths=100, currency="UAH", at=at),
                Cohort(annotator_id=who, name="students"),
                SupportMessage(annotator_id=who, text="Чому?", at=at),
                Attestation(annotator_id=who, project_id=project, work_session=1, used="ні", at=at),
                Exposure(annotator_id=who, group_id="x", project_id=project, cause=ExposureCause.ANSWERED, at=at),
            ])  # fmt: skip
        session.add(ProfileAnswer(annotator_id=page, field="age", value="34", at=before))
    unite(scenario, page, own)
    with scenario.db.transaction() as session:
        profile = session.exec(select(ProfileAnswer.field, ProfileAnswer.value).order_by(ProfileAnswer.field)).all()
        assert profile == [("age", "34"), ("town", "Львів")]
        assert [count_rows(session, table, own) for table in (Payment, Cohort, SupportMessage)] == [2, 1, 2]
        sessions = session.exec(select(Attestation.work_session).order_by(col(Attestation.work_session))).all()
        assert sessions == [1, 2]
        assert session.exec(select(Exposure.at).where(Exposure.group_id == "x")).all() == [before]
        found = session.get_one(models.Project, project)
        definition = definitions.get_project_definition(found)
        times = payments.list_active_times(session, project=found, definition=definition)
        assert {who: time.items for who, time in times.items()} == {own: 4}  # all were honest work
        exported = own_data.export_annotator(session, annotator_id=own)
        assert len(exported["assignments"]) == 4


def test_the_pseudonym_of_the_account_that_took_part_first_stays(scenario: Scenario) -> None:
    """The other one still leads to the person, and both leave marks when they are erased."""
    _, page, own = begin(scenario, items=4)
    scenario.answer(page)
    scenario.later(days=1)
    scenario.answer(own)
    with scenario.db.transaction() as session:
        before, after = (session.get_one(Annotator, who).pseudonym for who in (page, own))
    unite(scenario, page, own)
    with scenario.db.transaction() as session:
        person = session.get_one(Annotator, own)
        assert (person.pseudonym, person.telegram_id) == (before, 1)
        assert roster.get_annotator(session, before).id == own
        with pytest.raises(NotFound) as refused:
            roster.get_annotator(session, after)
        assert f"Since two accounts were united, they are {before}." in str(refused.value.remedy)
        erasure.erase_annotator(session, annotator_id=own, now=scenario.now)
        marks = set(session.exec(select(ErasedAnnotator.mark)))
        assert marks == {pseudonyms.compute_mark(before), pseudonyms.compute_mark(after)}
        events = session.exec(select(Journal.data).where(Journal.event == Event.ACCOUNTS_UNITED)).all()
        assert events == [{"closed": 1, "exposed": 0}]
    check(scenario)


def test_an_invitation_to_several_projects_is_used_while_one_names_it(scenario: Scenario) -> None:
    """The page joined two projects by it, the chat one of them by another."""
    project, page, own = begin(scenario)
    other = scenario.project("q")
    scenario.answer(page)
    scenario.answer(page, project=other)
    scenario.answer(own)
    with scenario.db.transaction() as session:
        both, one = (
            Invitation(code=code, project_id=project, used=1, max_uses=1, created_at=scenario.now)
            for code in ("both", "one")
        )
        session.add_all([both, one])
        session.flush()
        for row in session.exec(select(Participation)):
            row.invitation_id = both.id if row.annotator_id == page else one.id
    assert unite(scenario, page, own) is Move.UNITED
    with scenario.db.transaction() as session:
        assert {row.code: row.used for row in session.exec(select(Invitation))} == {"both": 1, "one": 1}


def test_an_adjudicator_is_asked_and_keeps_the_pseudonym(scenario: Scenario) -> None:
    """Decisions name it, although only the page's account answered."""
    project, page, own = begin(scenario)
    scenario.answer(page)
    with scenario.db.transaction() as session:
        invitation = Invitation(code="x", project_id=project, adjudicates=True, created_at=scenario.now)
        session.add(invitation)
        session.flush()
        session.add(
            Adjudicator(annotator_id=own, project_id=project, invitation_id=invitation.id or 0, since=scenario.now)
        )
        name = session.get_one(Annotator, own).pseudonym
    assert unite(scenario, page, own, is_confirmed=False) is Move.UNCONFIRMED
    assert unite(scenario, page, own) is Move.UNITED
    with scenario.db.transaction() as session:
        assert session.get_one(Annotator, own).pseudonym == name


def test_detached_people_are_known_by_neither_pseudonym(scenario: Scenario) -> None:
    """Marks of both are left, and the journal names none."""
    project, page, own = begin(scenario)
    scenario.answer(page)
    scenario.answer(own)
    with scenario.db.transaction() as session:
        names = [session.get_one(Annotator, who).pseudonym for who in (page, own)]
    unite(scenario, page, own)
    scenario.status(project, ProjectStatus.CLOSED)
    with scenario.db.transaction() as session:
        detachment.detach_people(session, session.get_one(models.Project, project), now=scenario.now)
        marks = set(session.exec(select(ErasedAnnotator.mark)))
        assert marks == {pseudonyms.compute_mark(name) for name in names}
        assert not [data for data in session.exec(select(Journal.data)) if "pseudonym" in data]


def test_a_newcomer_of_telegram_goes_on_as_on_the_page(scenario: Scenario) -> None:
    """Nothing is asked first, and the pseudonym of the page stays, whichever account is older."""
    scenario.person(1)
    scenario.later(days=1)
    project, page, own = begin(scenario)
    scenario.answer(page)
    with scenario.db.transaction() as session:
        pseudonym = session.get_one(Annotator, page).pseudonym
    assert unite(scenario, page, own, is_confirmed=False) is Move.MOVED
    with scenario.db.transaction() as session:
        person = session.get_one(Annotator, own)
        assert (person.pseudonym, person.telegram_id, person.unreachable_at) == (pseudonym, 1, None)
    assert scenario.participation(own, project).answered == 1
    assert scenario.all(own) == ["p-m-2", "p-m-3"]


def test_nothing_is_united_unasked_or_for_the_suspended(scenario: Scenario) -> None:
    """Nor where both have batches in Label Studio; then both go on as they were."""
    project, page, own = begin(scenario)
    scenario.answer(page)
    scenario.answer(own)
    assert unite(scenario, page, own, is_confirmed=False) is Move.UNCONFIRMED
    with scenario.db.transaction() as session:
        session.add_all(
            LabelStudioBatch(project_id=project, annotator_id=who, server="s", mark=str(who), created_at=scenario.now)
            for who in (page, own)
        )
    assert unite(scenario, page, own) is Move.IN_LABEL_STUDIO
    for who, told in ((own, Move.SUSPENDED), (page, Move.UNKNOWN)):
        with scenario.db.transaction() as session:
            roster.suspend_annotator(
                session, annotator=session.get_one(Annotator, who), reason="скарга", now=scenario.now
            )
        assert unite(scenario, page, own) is told
    with scenario.db.transaction() as session:
        assert len(session.exec(select(Participation)).all()) == 2


def test_what_holds_after_an_erasure_holds_on_the_page_account(scenario: Scenario) -> None:
    """Who failed, was erased and comes back by the page is known again once they move to Telegram."""
    project, page, own = begin(scenario)
    scenario.answer(own)
    with scenario.db.transaction() as session:
        row = models.PARTICIPATIONS.get_one(session, own, project)
        models.PARTICIPATIONS.update(session, row, status=ParticipationStatus.FAILED)
        erasure.erase_annotator(session, annotator_id=own, now=scenario.now)
    scenario.later(days=1)
    scenario.answer(page)
    own = scenario.person(1)
    assert unite(scenario, page, own, is_confirmed=False) is Move.MOVED
    assert scenario.wait(own).reason is UnassignedReason.FAILED
    with scenario.db.transaction() as session:
        assert pseudonyms.find_mark(session, session.get_one(Annotator, own).pseudonym) is not None
        assert pseudonyms.list_revived_annotators(session) == []
