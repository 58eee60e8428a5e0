"""Whoever declines what a project asks goes on with the others; which consent counts when its text comes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.campaigns import stimulus
from annotation.errors import Stale
from annotation.store import queries
from annotation.store.models import Consent, Journal, Participation
from annotation.vocabulary import Event, Hindrance, ParticipationStatus, ProjectStatus
from annotation.workflow import assignments
from annotation.workflow.annotators import consents, content_warnings, declining, profiles
from annotation.workflow.waiting import Waiting

if TYPE_CHECKING:
    from tests.annotation.people.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
ASKS = {
    Hindrance.CONSENT: "consent: {file: consent.md, version: 1}\n",
    Hindrance.PROFILE: "profile: [{name: native, text: Рідна?, options: [так, ні], required: yes}]\n",
    Hindrance.WARNING: "content_warning: Є сумне.\n",
}


def running(people: People, *names: str) -> None:
    """These projects hand items out."""
    with people.db.transaction() as session:
        for name in names:
            project = queries.project(session, name)
            project.status, project.served = ProjectStatus.RUNNING, True


def decline(people: People, number: int, name: str, what: Hindrance) -> None:
    """She does not agree."""
    with people.db.transaction() as session:
        terms = people.terms_of(session, name)
        who = people.joined(session, number).id or 0
        declining.decline(session, annotator_id=who, terms=terms, what=what, now=NOW)


def comes(people: People, number: int, name: str | None = None, *, now: datetime = NOW) -> assignments.Offer | Waiting:
    """What she gets, of that project or in her turn."""
    with people.db.transaction() as session:
        who = people.joined(session, number).id or 0
        wanted = None if name is None else queries.project(session, name).id
        return assignments.next_item(session, annotator_id=who, now=now, project_id=wanted)


def agree(people: People, number: int, name: str, what: Hindrance) -> None:
    """She thinks again."""
    with people.db.transaction() as session:
        who, terms = people.joined(session, number).id or 0, people.terms_of(session, name)
        if what is Hindrance.CONSENT:
            people.agreed(session, number, name)
        elif what is Hindrance.PROFILE:
            profiles.say(session, annotator_id=who, field=terms.fields[0], value="так", now=NOW)
        else:
            found = stimulus.text_digest(terms.definition.content_warning or "")
            content_warnings.accept(session, annotator_id=who, project=terms.project, sha256=found, now=NOW)


@pytest.mark.parametrize("what", list(ASKS))
def test_whoever_declines_goes_on_to_the_next_project(people: People, what: Hindrance) -> None:
    """Asked once; then the other project's items come; asked again when those are done, or where she chooses it."""
    people.load("first", ASKS[what])
    people.load("second")
    running(people, "first", "second")
    assert comes(people, 1) == Waiting(reason=what, project="first")
    decline(people, 1, "first", what)
    decline(people, 1, "first", what)
    offer = comes(people, 1)
    assert isinstance(offer, assignments.Offer)
    assert offer.item.startswith("second")
    assert comes(people, 1, "first") == offer
    with people.db.transaction() as session:
        who = people.joined(session, 1).id or 0
        for number in range(3):
            found = assignments.next_item(session, annotator_id=who, now=NOW)
            assert isinstance(found, assignments.Offer), number
            assignments.submit(
                session, annotator_id=who, assignment_id=found.assignment_id, revision=0,
                answers={"answer": "кіт"}, now=NOW,
            )  # fmt: skip
        assert len(session.exec(select(Journal).where(Journal.event == Event.DECLINED.value)).all()) == 1
    again = comes(people, 1)
    assert isinstance(again, Waiting)
    assert (again.reason, again.project, again.declined) == (what, "first", True)
    agree(people, 1, "first", what)
    found = comes(people, 1)
    assert isinstance(found, assignments.Offer)
    assert found.item.startswith("first")
    with people.db.reading() as view:
        assert set(view.exec(select(Participation.reason))) == {None}


def test_a_declined_text_that_changes_is_asked_for_again(people: People) -> None:
    """Before the others."""
    people.load("first", ASKS[Hindrance.CONSENT])
    people.load("second")
    running(people, "first", "second")
    decline(people, 1, "first", Hindrance.CONSENT)
    assert isinstance(comes(people, 1), assignments.Offer)
    (people.folder / "consent.md").write_text("Я згоден на менше.", "utf-8")
    people.load("first", ASKS[Hindrance.CONSENT])
    with people.db.transaction() as session:
        session.exec(select(Participation).where(col(Participation.shown) > 0)).one()
    assert people.waits(1, "first") is Hindrance.CONSENT
    with people.db.transaction() as session:
        terms = people.terms_of(session, "first")
        who = people.joined(session, 1).id or 0
        assert not declining.declined(session, annotator_id=who, terms=terms, what=Hindrance.CONSENT)


def test_a_programme_is_declined_once_for_all_its_projects(people: People) -> None:
    """Its consent is asked for in none of them then; the single project comes."""
    for name in ("first", "second", "third"):
        people.load(name)
    people.enrol("both", "consent: {file: consent.md, version: 1}\n", "first", "second")
    running(people, "first", "second", "third")
    decline(people, 1, "first", Hindrance.CONSENT)
    offer = comes(people, 1)
    assert isinstance(offer, assignments.Offer)
    assert offer.item.startswith("third")


def test_what_she_holds_goes_back_when_she_declines(people: People) -> None:
    """The consent changed under her hands: she declines the new one, and her late answer is refused till she agrees."""
    people.load("first", ASKS[Hindrance.CONSENT])
    people.load("second")
    running(people, "first", "second")
    agree(people, 1, "first", Hindrance.CONSENT)
    offer = comes(people, 1)
    assert isinstance(offer, assignments.Offer)
    (people.folder / "consent.md").write_text("Я згоден на все.", "utf-8")
    people.load("first", ASKS[Hindrance.CONSENT])
    assert comes(people, 1) == Waiting(reason=Hindrance.CONSENT, project="first")
    decline(people, 1, "first", Hindrance.CONSENT)
    other = comes(people, 1)
    assert isinstance(other, assignments.Offer)
    assert other.item.startswith("second")
    given = {"assignment_id": offer.assignment_id, "revision": 0, "answers": {"answer": "кіт"}, "now": NOW}
    with people.db.transaction() as session, pytest.raises(Stale, match="agree"):
        assignments.submit(session, annotator_id=people.joined(session, 1).id or 0, **given)  # type: ignore[arg-type]
    agree(people, 1, "first", Hindrance.CONSENT)
    with people.db.transaction() as session:
        assert not assignments.submit(session, annotator_id=people.joined(session, 1).id or 0, **given).extra  # type: ignore[arg-type]


def test_nothing_that_is_not_asked_can_be_declined(people: People) -> None:
    """A stale tap; and who is out for another reason keeps it, and is asked nothing before other projects."""
    people.load("first", ASKS[Hindrance.CONSENT])
    people.load("second")
    running(people, "first", "second")
    with pytest.raises(Stale):
        decline(people, 1, "first", Hindrance.PROFILE)
    agree(people, 1, "first", Hindrance.CONSENT)
    with pytest.raises(Stale):
        decline(people, 1, "first", Hindrance.CONSENT)
    assert isinstance(comes(people, 2, "first"), Waiting)
    with people.db.transaction() as session:
        stands = session.exec(select(Participation)).first()
        assert stands is not None
        who = stands.annotator_id
        stands.status, stands.reason = ParticipationStatus.EXCLUDED, "too fast"
    decline(people, 2, "first", Hindrance.CONSENT)
    with people.db.reading() as view:
        assert view.exec(select(Participation.reason).where(Participation.annotator_id == who)).one() == "too fast"
    assert isinstance(comes(people, 2), assignments.Offer)


def test_a_text_that_comes_back_counts_as_it_was_agreed_to(people: People) -> None:
    """Version 1, then 2, then 1 again: nobody is asked for what she agreed to; who joined under 2 is, and so is who
    took it back. A version that only has another name asks nobody. The journal says which text held when."""
    texts = {"1": "Я згоден.", "2": "Я згоден на все."}

    def hold(version: str, text: str) -> None:
        (people.folder / "consent.md").write_text(texts[text], "utf-8")
        people.load("words", f"consent: {{file: consent.md, version: {version}}}\n")

    hold("1", "1")
    for number in (1, 2):
        agree(people, number, "words", Hindrance.CONSENT)
    hold("2", "2")
    assert people.waits(1, "words") is Hindrance.CONSENT
    for number in (1, 3):
        agree(people, number, "words", Hindrance.CONSENT)
    hold("1", "1")
    assert [people.waits(number, "words") for number in (1, 2, 3)] == [None, None, Hindrance.CONSENT]
    hold("3", "1")
    assert [people.waits(number, "words") for number in (1, 2, 3)] == [None, None, Hindrance.CONSENT]
    with people.db.transaction() as session:
        assert consents.withdraw(
            session, annotator_id=people.joined(session, 1).id or 0, scope="project words", now=LATER
        )
    assert [people.waits(number, "words") for number in (1, 2)] == [Hindrance.CONSENT, None]
    hold("2", "2")
    assert [people.waits(number, "words") for number in (1, 3)] == [Hindrance.CONSENT, None]
    loads = (Event.PROJECT_LOADED.value, Event.PROJECT_CHANGED.value)
    with people.db.reading() as view:
        held = view.exec(select(Journal.data).where(col(Journal.event).in_(loads)).order_by(col(Journal.id))).all()
        digests = {text: one for one, text in zip([row["texts"]["consent"] for row in held], "12112", strict=True)}
        assert [row["texts"]["consent"] for row in held] == [digests[one] for one in "12112"]
        assert len(view.exec(select(Consent)).all()) == 4
