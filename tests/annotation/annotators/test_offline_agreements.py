"""Annotators without Telegram agree on paper: an invitation, a programme's consent, the profile and the warning."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import Session, select

from annotation.errors import BadInput
from annotation.store import database, queries
from annotation.store.models import Annotator, Consent, ProfileAnswer
from annotation.workflow import participations
from annotation.workflow.annotators import access, consents, invitations, registration

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SAID = 'profile: [{name: age, type: number, text: "Вік?"}]\ncontent_warning: Тут лаються.'
SHARED = "consent: {file: consent.md, version: 2}"


def clerk(session: Session) -> Annotator:
    """Somebody without Telegram."""
    return registration.register_label_studio_annotator(
        session, account="there 3", annotator_id=None, key=b"k" * 32, now=NOW
    )


def hinders(people: People, session: Session, name: str) -> str | None:
    """What keeps the annotator from the project."""
    project = queries.get_project(session, name)
    found = access.find_obstacle(
        session,
        annotator=clerk(session),
        terms=people.terms_of(session, name),
        participation=participations.get_participation(
            database.lock_annotator(session, clerk(session).id or 0), project_id=project.id or 0
        ),
        now=NOW,
    )
    return None if found is None else found.reason.value


def test_all_that_is_asked_is_noted_at_once(people: People) -> None:
    """The programme's text with its hash; "rather not say"; and the invitation is redeemed."""
    people.load("a", SAID)
    people.enrol("both", SHARED, "a")
    with people.db.transaction() as session:
        code = invitations.generate_code()
        invitations.create_invitation(session, target=queries.get_project(session, "a"), code=code, now=NOW)
        assert hinders(people, session, "a") == "not admitted"
    note: dict[str, Any] = {"how": "лист від 3 листопада", "profile": {"age": ""}, "now": NOW, "code": code}
    with people.db.transaction() as session:
        noted = consents.record_agreement(
            session, annotator=clerk(session), project=queries.get_project(session, "a"), **note
        )
        assert noted.consent is not None
        assert (noted.consent.scope, noted.consent.version) == ("programme both", "2")
        assert (noted.fields, noted.warned) == (("age",), True)
    with people.db.transaction() as session:
        assert hinders(people, session, "a") is None
        again = consents.record_agreement(
            session, annotator=clerk(session), project=queries.get_project(session, "a"), **note
        )
        assert (again.consent, again.warned) == (None, False)
        assert len(session.exec(select(Consent)).all()) == 1


def test_what_is_refused_changes_nothing(people: People) -> None:
    """An invitation that was redeemed on the way is not, where an answer is no answer."""
    people.load("a", SAID)
    with people.db.transaction() as session:
        code = invitations.generate_code()
        invitations.create_invitation(session, target=queries.get_project(session, "a"), code=code, now=NOW)
        clerk(session)
    with pytest.raises(BadInput, match="not a number"), people.db.transaction() as session:
        consents.record_agreement(
            session, annotator=clerk(session), project=queries.get_project(session, "a"), how="тут", now=NOW, code=code,
            profile={"age": "багато"},
        )  # fmt: skip
    with people.db.transaction() as session:
        assert hinders(people, session, "a") == "not admitted"
        assert session.exec(select(ProfileAnswer)).all() == []
    with pytest.raises(BadInput, match="unclear how they agreed"), people.db.transaction() as session:
        consents.record_agreement(
            session, annotator=clerk(session), project=queries.get_project(session, "a"), how=" ", now=NOW, profile={}
        )
