"""Declining a project's terms leaves the other projects open; which consent counts when its text comes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session, col, select

from annotation.campaigns import stimulus
from annotation.errors import Stale
from annotation.store import queries
from annotation.store.models import Consent, Journal, Participation
from annotation.vocabulary import Event, ParticipationStatus, ProjectStatus, UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.annotators import access, consents, registration
from annotation.workflow.participations import NothingAssigned

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
ASKS = {
    UnassignedReason.CONSENT: "consent: {file: consent.md, version: 1}\n",
    UnassignedReason.PROFILE: "profile: [{name: native, text: Рідна?, options: [так, ні], required: yes}]\n",
    UnassignedReason.WARNING: "content_warning: Є сумне.\n",
}


def running(people: People, *names: str) -> None:
    """These projects hand items out."""
    with people.db.transaction() as session:
        for name in names:
            project = queries.get_project(session, name)
            project.status = ProjectStatus.RUNNING


def decline(people: People, number: int, name: str, what: UnassignedReason) -> None:
    """The annotator does not agree."""
    with people.db.transaction() as session:
        terms = people.terms_of(session, name)
        who = people.joined(session, number).id or 0
        access.decline_terms(session, annotator_id=who, terms=terms, reason=what, now=NOW)


def comes(
    people: People, number: int, name: str | None = None, *, now: datetime = NOW
) -> assignments.AssignedItem | NothingAssigned:
    """What the annotator gets, of that project or of the next in order."""
    with people.db.transaction() as session:
        who = people.joined(session, number).id or 0
        wanted = None if name is None else queries.get_project(session, name).id
        return assignments.assign_next_item(assignments.lock_annotator(session, who), now=now, project_id=wanted)


def agree(people: People, number: int, name: str, what: UnassignedReason) -> None:
    """The annotator agrees after all."""
    with people.db.transaction() as session:
        who, terms = people.joined(session, number).id or 0, people.terms_of(session, name)
        if what is UnassignedReason.CONSENT:
            people.agreed(session, number, name)
        elif what is UnassignedReason.PROFILE:
            registration.save_profile_answer(session, annotator_id=who, field=terms.fields[0], value="так", now=NOW)
        else:
            found = stimulus.compute_text_digest(terms.definition.content_warning or "")
            consents.accept_warning(session, annotator_id=who, project=terms.project, sha256=found, now=NOW)


@pytest.mark.parametrize("what", list(ASKS))
def test_who_declines_goes_on_to_the_next_project(people: People, what: UnassignedReason) -> None:
    """Asked once; then the other project's items come; asked again when those are done, or where it is chosen."""
    people.load("first", ASKS[what])
    people.load("second")
    running(people, "first", "second")
    assert comes(people, 1) == NothingAssigned(reason=what, project="first")
    decline(people, 1, "first", what)
    decline(people, 1, "first", what)
    offer = comes(people, 1)
    assert isinstance(offer, assignments.AssignedItem)
    assert offer.item.startswith("second")
    assert comes(people, 1, "first") == offer
    with people.db.transaction() as session:
        who = people.joined(session, 1).id or 0
        transaction = assignments.lock_annotator(session, who)
        for number in range(3):
            found = assignments.assign_next_item(transaction, now=NOW)
            assert isinstance(found, assignments.AssignedItem), number
            opened = assignments.open_assignment(transaction, assignment_id=found.assignment_id, now=NOW)
            assignments.submit_judgement(opened, revision=0, answers={"answer": "кіт"}, now=NOW)
        assert len(session.exec(select(Journal).where(Journal.event == Event.DECLINED.value)).all()) == 1
    again = comes(people, 1)
    assert isinstance(again, NothingAssigned)
    assert (again.reason, again.project, again.declined) == (what, "first", True)
    agree(people, 1, "first", what)
    found = comes(people, 1)
    assert isinstance(found, assignments.AssignedItem)
    assert found.item.startswith("first")
    with people.db.reading() as view:
        assert set(view.exec(select(Participation.reason))) == {None}


def test_a_declined_text_that_changes_is_asked_for_again(people: People) -> None:
    """Before the others."""
    people.load("first", ASKS[UnassignedReason.CONSENT])
    people.load("second")
    running(people, "first", "second")
    decline(people, 1, "first", UnassignedReason.CONSENT)
    assert isinstance(comes(people, 1), assignments.AssignedItem)
    (people.folder / "consent.md").write_text("Я згоден на менше.", "utf-8")
    people.load("first", ASKS[UnassignedReason.CONSENT])
    with people.db.transaction() as session:
        session.exec(select(Participation).where(col(Participation.shown) > 0)).one()
    assert people.waits(1, "first") is UnassignedReason.CONSENT
    with people.db.transaction() as session:
        terms = people.terms_of(session, "first")
        who = people.joined(session, 1).id or 0
        assert not access.has_declined(session, annotator_id=who, terms=terms, reason=UnassignedReason.CONSENT)


def test_a_programme_is_declined_once_for_all_its_projects(people: People) -> None:
    """Its consent is asked for in none of them then; the single project comes."""
    for name in ("first", "second", "third"):
        people.load(name)
    people.enrol("both", "consent: {file: consent.md, version: 1}\n", "first", "second")
    running(people, "first", "second", "third")
    decline(people, 1, "first", UnassignedReason.CONSENT)
    offer = comes(people, 1)
    assert isinstance(offer, assignments.AssignedItem)
    assert offer.item.startswith("third")


def test_declining_releases_the_live_item(people: People) -> None:
    """The consent changed meanwhile: the annotator declines the new one; late answers are refused until they agree."""
    people.load("first", ASKS[UnassignedReason.CONSENT])
    people.load("second")
    running(people, "first", "second")
    agree(people, 1, "first", UnassignedReason.CONSENT)
    offer = comes(people, 1)
    assert isinstance(offer, assignments.AssignedItem)
    (people.folder / "consent.md").write_text("Я згоден на все.", "utf-8")
    people.load("first", ASKS[UnassignedReason.CONSENT])
    assert comes(people, 1) == NothingAssigned(reason=UnassignedReason.CONSENT, project="first")
    decline(people, 1, "first", UnassignedReason.CONSENT)
    other = comes(people, 1)
    assert isinstance(other, assignments.AssignedItem)
    assert other.item.startswith("second")

    def answer(session: Session) -> assignments.SavedJudgement:
        transaction = assignments.lock_annotator(session, people.joined(session, 1).id or 0)
        opened = assignments.open_assignment(transaction, assignment_id=offer.assignment_id, now=NOW)
        return assignments.submit_judgement(opened, revision=0, answers={"answer": "кіт"}, now=NOW)

    with people.db.transaction() as session, pytest.raises(Stale, match="agree"):
        answer(session)
    agree(people, 1, "first", UnassignedReason.CONSENT)
    with people.db.transaction() as session:
        assert not answer(session).extra


def test_nothing_that_is_not_asked_can_be_declined(people: People) -> None:
    """A stale tap; and who is out for another reason keeps it, and is asked nothing before other projects."""
    people.load("first", ASKS[UnassignedReason.CONSENT])
    people.load("second")
    running(people, "first", "second")
    with pytest.raises(Stale):
        decline(people, 1, "first", UnassignedReason.PROFILE)
    agree(people, 1, "first", UnassignedReason.CONSENT)
    with pytest.raises(Stale):
        decline(people, 1, "first", UnassignedReason.CONSENT)
    assert isinstance(comes(people, 2, "first"), NothingAssigned)
    with people.db.transaction() as session:
        participation = session.exec(select(Participation)).first()
        assert participation is not None
        who = participation.annotator_id
        participation.status, participation.reason = ParticipationStatus.EXCLUDED, "too fast"
    decline(people, 2, "first", UnassignedReason.CONSENT)
    with people.db.reading() as view:
        assert view.exec(select(Participation.reason).where(Participation.annotator_id == who)).one() == "too fast"
    assert isinstance(comes(people, 2), assignments.AssignedItem)


def test_a_text_that_comes_back_counts_as_it_was_agreed_to(people: People) -> None:
    """Version 1, then 2, then 1 again: nobody is asked for what they agreed to; who joined under 2 is, and so is who
    took it back. A version that only has another name asks nobody. The journal says which text held when."""
    texts = {"1": "Я згоден.", "2": "Я згоден на все."}

    def hold(version: str, text: str) -> None:
        (people.folder / "consent.md").write_text(texts[text], "utf-8")
        people.load("words", f"consent: {{file: consent.md, version: {version}}}\n")

    hold("1", "1")
    for number in (1, 2):
        agree(people, number, "words", UnassignedReason.CONSENT)
    hold("2", "2")
    assert people.waits(1, "words") is UnassignedReason.CONSENT
    for number in (1, 3):
        agree(people, number, "words", UnassignedReason.CONSENT)
    hold("1", "1")
    assert [people.waits(number, "words") for number in (1, 2, 3)] == [None, None, UnassignedReason.CONSENT]
    hold("3", "1")
    assert [people.waits(number, "words") for number in (1, 2, 3)] == [None, None, UnassignedReason.CONSENT]
    with people.db.transaction() as session:
        assert consents.withdraw_consent(
            session, annotator_id=people.joined(session, 1).id or 0, scope="project words", now=LATER
        )
    assert [people.waits(number, "words") for number in (1, 2)] == [UnassignedReason.CONSENT, None]
    hold("2", "2")
    assert [people.waits(number, "words") for number in (1, 3)] == [UnassignedReason.CONSENT, None]
    loads = (Event.PROJECT_LOADED.value, Event.PROJECT_CHANGED.value)
    with people.db.reading() as view:
        held = view.exec(select(Journal.data).where(col(Journal.event).in_(loads)).order_by(col(Journal.id))).all()
        digests = {text: one for one, text in zip([row["texts"]["consent"] for row in held], "12112", strict=True)}
        assert [row["texts"]["consent"] for row in held] == [digests[one] for one in "12112"]
        assert len(view.exec(select(Consent)).all()) == 4
