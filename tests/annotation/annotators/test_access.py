"""Obstacles before the first item, in their order; consents; what organisers decide about an annotator."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.campaigns import stimulus
from annotation.errors import BadInput, Conflict, NotFound, Stale
from annotation.store import database, models, queries
from annotation.store.models import Consent, Journal, Participation, TextVersion
from annotation.vocabulary import ParticipationStatus, TextKind, UnassignedReason
from annotation.workflow import participations
from annotation.workflow.annotators import consents, roster, withdrawal

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FULL = """\
consent: {file: consent.md, version: 1}
profile:
  - {name: native, text: "Рідна мова?", options: [українська, інша], required: yes}
  - {name: age, text: "Скільки вам років?", type: number}
admission: {profile: {native: українська}}
content_warning: Є сумні слова.
"""


def test_what_stands_in_the_way_comes_in_its_order(people: People) -> None:
    """Consent, profile, admission, warning, one after another, then nothing; suspension before all of them."""
    people.load("words", FULL)
    assert people.waits(1, "words") == UnassignedReason.CONSENT
    with people.db.transaction() as session:
        people.agreed(session, 1, "words")
    assert people.waits(1, "words") == UnassignedReason.PROFILE
    with people.db.transaction() as session:
        people.told(session, 1, "words", native="інша", age=None)
    assert people.waits(1, "words") == UnassignedReason.NOT_ADMITTED
    with people.db.transaction() as session:
        people.told(session, 1, "words", native="українська")
    assert people.waits(1, "words") == UnassignedReason.WARNING
    with people.db.transaction() as session:
        consents.accept_warning(
            session,
            annotator_id=people.joined(session, 1).id or 0,
            project=queries.get_project(session, "words"),
            sha256=stimulus.compute_text_digest("Є сумні слова."),
            now=NOW,
        )
    assert people.waits(1, "words") is None
    with people.db.transaction() as session:
        roster.suspend_annotator(session, annotator=people.joined(session, 1), reason="копіює", now=NOW)
    assert people.waits(1, "words") == UnassignedReason.SUSPENDED
    with people.db.transaction() as session:
        assert roster.unsuspend_annotator(session, annotator=people.joined(session, 1), now=NOW)
        assert not roster.unsuspend_annotator(session, annotator=people.joined(session, 1), now=NOW)
    assert people.waits(1, "words") is None


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (ParticipationStatus.PAUSED, UnassignedReason.PAUSED),
        (ParticipationStatus.EXCLUDED, UnassignedReason.EXCLUDED),
        (ParticipationStatus.FAILED, UnassignedReason.FAILED),
        (ParticipationStatus.WITHDRAWN, UnassignedReason.WITHDRAWN),
    ],
)
def test_the_status_in_the_project_is_an_obstacle(
    people: People, status: ParticipationStatus, reason: UnassignedReason
) -> None:
    """Each status but the active one has its obstacle; a wait for the next attempt says until when, and ends."""
    people.load("words")
    with people.db.transaction() as session:
        person = people.joined(session, 1).id or 0
        row = participations.get_or_create_participation(
            database.lock_annotator(session, person), project=queries.get_project(session, "words"), now=NOW
        )
        models.PARTICIPATIONS.update(session, row, retry_at=NOW + timedelta(hours=2))
    assert people.waits(1, "words", now=NOW + timedelta(hours=1)) == UnassignedReason.COOL_DOWN
    assert people.waits(1, "words", now=NOW + timedelta(hours=2)) is None
    with people.db.transaction() as session:
        session.exec(select(Participation)).one().status = status
    assert people.waits(1, "words", now=NOW + timedelta(hours=2)) == reason


def test_a_new_text_of_the_consent_asks_again_and_withdrawal_too(people: People) -> None:
    """Version, hash and time of each agreement stay; the same tap twice is one; an old text cannot be agreed to."""
    people.load("words", "consent: {file: consent.md, version: 1}\n")
    with people.db.transaction() as session:
        first = people.agreed(session, 1, "words").sha256
        person = people.joined(session, 1).id or 0
        consents.give_consent(
            session, annotator_id=person, terms=people.terms_of(session, "words"), sha256=first, now=NOW
        )
    assert people.waits(1, "words") is None
    (people.folder / "consent.md").write_text("Я згоден на все.", "utf-8")
    people.load("words", "consent: {file: consent.md, version: 2}\n")
    assert people.waits(1, "words") == UnassignedReason.CONSENT
    with people.db.transaction() as session, pytest.raises(Stale):
        consents.give_consent(
            session, annotator_id=person, terms=people.terms_of(session, "words"), sha256=first, now=NOW
        )
    with people.db.transaction() as session:
        people.agreed(session, 1, "words")
        kept = session.exec(select(Consent).order_by(col(Consent.id))).all()
        assert [(one.scope, one.version, one.at) for one in kept] == [
            ("project words", "1", NOW),
            ("project words", "2", NOW),
        ]
        assert {one.sha256 for one in kept} == {
            one.sha256 for one in session.exec(select(TextVersion).where(TextVersion.kind == TextKind.CONSENT))
        }
        assert consents.withdraw_consent(session, annotator_id=person, scope="project words", now=NOW)
        assert not consents.withdraw_consent(session, annotator_id=person, scope="project words", now=NOW)
    assert people.waits(1, "words") == UnassignedReason.CONSENT
    with people.db.transaction() as session:
        people.agreed(session, 1, "words")
    assert people.waits(1, "words") is None
    with people.db.transaction() as session:
        project = queries.get_project(session, "words")
        locked = database.lock_annotator(session, person)
        participations.get_or_create_participation(locked, project=project, now=NOW)
        left = consents.withdraw_from_project(session, annotator_id=person, project=project, now=NOW)
        assert left == withdrawal.WithdrawalCounts()
        assert None not in session.exec(select(Consent.withdrawn_at)).all()
        assert session.get_one(Participation, (person, project.id)).status is ParticipationStatus.WITHDRAWN


def test_another_text_under_the_same_version_asks_again(people: People) -> None:
    """The hash decides, whatever the version says; a text that is not stored cannot be asked for."""
    people.load("words", "consent: {file: consent.md, version: 1}\n")
    with people.db.transaction() as session:
        people.agreed(session, 1, "words")
    assert people.waits(1, "words") is None
    (people.folder / "consent.md").write_text("Я згоден на все.", "utf-8")
    people.load("words", "consent: {file: consent.md, version: 1}\n")
    assert people.waits(1, "words") == UnassignedReason.CONSENT
    with people.db.transaction() as session:
        queries.get_project(session, "words").texts = None
    with pytest.raises(Conflict, match="Load its file again"):
        people.waits(1, "words")


def test_a_programme_asks_once_for_all_its_projects(people: People) -> None:
    """Its consent and profile hold in every project, and a project's own fields come on top."""
    people.load("first", "profile: [{name: city, text: Місто?, type: text}]\n")
    people.load("second")
    profile = "profile: [{name: age, text: Вік?, type: number}]"
    people.enrol("both", f"consent: {{file: consent.md, version: 1}}\n{profile}\n", "first", "second")
    assert people.waits(1, "second") == UnassignedReason.CONSENT
    with people.db.transaction() as session:
        assert people.agreed(session, 1, "first").scope == "programme both"
        people.told(session, 1, "second", age="34")
    assert people.waits(1, "second") is None
    assert people.waits(1, "first") == UnassignedReason.PROFILE


def test_a_changed_warning_is_shown_again(people: People) -> None:
    """The hash that was accepted is kept; another text does not pass for it."""
    people.load("words", "content_warning: Є сумні слова.\n")
    with people.db.transaction() as session:
        project, person = queries.get_project(session, "words"), people.joined(session, 1).id or 0
        with pytest.raises(Stale):
            consents.accept_warning(session, annotator_id=person, project=project, sha256="0" * 64, now=NOW)
        sha256 = stimulus.compute_text_digest("Є сумні слова.")
        for _ in range(2):
            row = consents.accept_warning(session, annotator_id=person, project=project, sha256=sha256, now=NOW)
        assert (row.warned_at, row.warning_sha256) == (NOW, sha256)
        assert len(session.exec(select(Journal).where(Journal.event == "warning accepted")).all()) == 1
    people.load("words", "content_warning: Є дуже сумні слова.\n")
    assert people.waits(1, "words") == UnassignedReason.WARNING


def test_what_organisers_decide_is_journalled_once(people: People) -> None:
    """Team member and suspension; a suspension needs a reason, and releases live items."""
    with people.db.transaction() as session:
        person = people.joined(session, 1)
        assert roster.set_team_member(session, annotator=person, team_member=True, now=NOW)
        assert not roster.set_team_member(session, annotator=person, team_member=True, now=NOW)
        with pytest.raises(BadInput):
            roster.suspend_annotator(session, annotator=person, reason=" ", now=NOW)
        assert roster.suspend_annotator(session, annotator=person, reason="копіює", now=NOW)
        assert not roster.suspend_annotator(session, annotator=person, reason="копіює досі", now=NOW)
        assert person.suspended_reason == "копіює досі"
        events = [(one.event, one.data) for one in session.exec(select(Journal).order_by(col(Journal.id)))]
        assert events[1:] == [
            ("insider changed", {"insider": True}),
            ("suspended", {"reason": {"words": "копіює"}}),
            ("suspended", {"reason": {"words": "копіює досі"}}),
        ]
        with pytest.raises(NotFound, match="Did you mean"):
            roster.get_annotator(session, person.pseudonym[:-1])
