"""Whoever works at desks only agrees on paper: an invitation, a programme's consent, the profile and the warning."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import Session, select

from annotation.errors import BadInput
from annotation.store import queries
from annotation.store.models import Annotator, Consent, ProfileAnswer
from annotation.workflow import participations
from annotation.workflow.annotators import access, invitations, offline_agreements, registration

if TYPE_CHECKING:
    from tests.annotation.people.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SAID = 'profile: [{name: age, type: number, text: "Вік?"}]\ncontent_warning: Тут лаються.'
SHARED = "consent: {file: consent.md, version: 2}"


def clerk(session: Session) -> Annotator:
    """Somebody without Telegram."""
    return registration.join_desk(session, account="there 3", known=None, key=b"k" * 32, now=NOW)


def hinders(people: People, session: Session, name: str) -> str | None:
    """What keeps her from the project."""
    project = queries.project(session, name)
    found = access.hindrance(
        session,
        person=clerk(session),
        project=project,
        definition=people.terms_of(session, name).definition,
        participation=participations.of(session, annotator_id=clerk(session).id or 0, project_id=project.id or 0),
        now=NOW,
    )
    return None if found is None else found.reason.value


def test_all_that_is_asked_is_noted_at_once(people: People) -> None:
    """The programme's text with its hash; "rather not say"; and she is in by her invitation."""
    people.load("a", SAID)
    people.enrol("both", SHARED, "a")
    with people.db.transaction() as session:
        code = invitations.new_code()
        invitations.invite(session, door=queries.project(session, "a"), code=code, now=NOW)
        assert hinders(people, session, "a") == "not admitted"
    note: dict[str, Any] = {"how": "лист від 3 листопада", "profile": {"age": ""}, "now": NOW, "code": code}
    with people.db.transaction() as session:
        noted = offline_agreements.note(session, person=clerk(session), project=queries.project(session, "a"), **note)
        assert noted.agreement is not None
        assert (noted.agreement.scope, noted.agreement.version) == ("programme both", "2")
        assert (noted.fields, noted.warned) == (("age",), True)
    with people.db.transaction() as session:
        assert hinders(people, session, "a") is None
        again = offline_agreements.note(session, person=clerk(session), project=queries.project(session, "a"), **note)
        assert (again.agreement, again.warned) == (None, False)
        assert len(session.exec(select(Consent)).all()) == 1


def test_what_is_refused_changes_nothing(people: People) -> None:
    """An invitation that was redeemed on the way is not, where an answer is no answer."""
    people.load("a", SAID)
    with people.db.transaction() as session:
        code = invitations.new_code()
        invitations.invite(session, door=queries.project(session, "a"), code=code, now=NOW)
        clerk(session)
    with pytest.raises(BadInput, match="no number"), people.db.transaction() as session:
        offline_agreements.note(
            session, person=clerk(session), project=queries.project(session, "a"), how="тут", now=NOW, code=code,
            profile={"age": "багато"},
        )  # fmt: skip
    with people.db.transaction() as session:
        assert hinders(people, session, "a") == "not admitted"
        assert session.exec(select(ProfileAnswer)).all() == []
    with pytest.raises(BadInput, match="How did she agree"), people.db.transaction() as session:
        offline_agreements.note(
            session, person=clerk(session), project=queries.project(session, "a"), how=" ", now=NOW, profile={}
        )
