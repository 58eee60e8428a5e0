"""The texts that loading a changed file would change: which, in which language, and how many people meet them anew.

Nobody is asked again for a text that they have accepted before in exactly this form (`annotators/terms`). People who
joined and did not withdraw are counted, also while they are paused; what they were to be asked anyway is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns import project_file, stimulus
from annotation.campaigns.programme_file import CheckedProgramme
from annotation.campaigns.sections.annotators import ProfileField
from annotation.errors import BadInput, Where
from annotation.store import journal
from annotation.store.models import Consent, Participation, ProfileAnswer, Programme, ProgrammeProject, Project
from annotation.vocabulary import Event, ParticipationStatus, TextKind
from annotation.workflow import definitions, text_versions
from annotation.workflow.lifecycle import readiness
from annotation.workflow.lifecycle.change_plan import TextChange

Change = tuple[str, Collection[int] | None, str]
"""A changed text, the annotators who have to read or answer again (None where nobody is asked), and what follows."""

Digests = Mapping[str, str]
"""The sha256 of texts, by the value of their kind."""

READ_AGAIN = "they read it again before their next item"
AGREE_AGAIN = "they agree to it before their next item"
ACCEPT_AGAIN = "they accept it before their next item"
TELL_AGAIN = "they are asked what is missing before their next item"
SEEN_FROM_NOW = "seen from now on; nobody is asked again"
ASKED_NO_MORE = "asked for no more"
BY_PROGRAMME = "the programme's consent is asked for instead; nobody is asked again"
COMPARED_FROM_NOW = "texts are compared with it from now on; people do not see it"


@dataclass(frozen=True)
class _People:
    """The annotators whom a change of texts may concern, and those of them who have met an item."""

    joined: frozenset[int]
    begun: frozenset[int]


def list_project_changes(
    session: Session, project: Project, campaign: project_file.CheckedProject
) -> tuple[TextChange, ...]:
    """The texts of a stored project that the file would change."""
    people = _list_people(session, [project.id or 0])
    changes = _list_project_changes(session, project, campaign, people)
    return _build_changes(changes, language=campaign.definition.language)


def list_programme_changes(session: Session, programme: Programme, checked: CheckedProgramme) -> tuple[TextChange, ...]:
    """The texts of a stored programme that the file would change; the people are those of all its projects."""
    members = select(ProgrammeProject.project_id).where(ProgrammeProject.programme_id == programme.id)
    people = _list_people(session, session.exec(members).all())
    old, new = definitions.get_programme_definition(programme), checked.definition
    text = text_versions.read_consent_text(new.consent, file=checked.path)
    scope = definitions.get_programme_scope(programme)
    changes: list[Change] = [("title", None, SEEN_FROM_NOW)] if old.title != new.title else []
    changes += _list_consent_changes(session, scope, programme.texts or {}, text, people)
    changes += _list_profile_changes(session, old.profile, new.profile, people)
    return _build_changes(changes, language=new.language)


def _build_changes(changes: Iterable[Change], *, language: str) -> tuple[TextChange, ...]:
    return tuple(
        TextChange(text=text, language=language, people=None if concerned is None else len(concerned), effect=effect)
        for text, concerned, effect in changes
    )


def _list_project_changes(
    session: Session, project: Project, campaign: project_file.CheckedProject, people: _People
) -> Iterator[Change]:
    old, new = definitions.get_project_definition(project), campaign.definition
    texts, stored = text_versions.read_project_texts(campaign), project.texts or {}
    if old.title != new.title:
        yield "title", None, SEEN_FROM_NOW
    if stimulus.compute_text_digest(campaign.read_instructions()) != project.instructions_sha256:
        yield "instructions", people.begun, READ_AGAIN
    if old.examples != new.examples:
        yield "examples", people.begun, READ_AGAIN
    is_shared = definitions.get_terms(session, project=project, definition=old).is_consent_shared
    for change in _list_consent_changes(
        session, definitions.get_project_scope(project), stored, texts.get(TextKind.CONSENT, ""), people
    ):
        yield ("consent", None, BY_PROGRAMME) if is_shared else change
    yield from _list_warning_changes(session, project, old.content_warning, new.content_warning, people)
    yield from _list_profile_changes(session, old.profile, new.profile, people)
    if old.attestation != new.attestation:
        yield "attestation", None, SEEN_FROM_NOW
    for name, words in campaign.read_word_lists().items():
        if name in (project.word_lists or {}) and words != (project.word_lists or {})[name]:
            yield f"word list {name}", None, COMPARED_FROM_NOW


def _list_people(session: Session, project_ids: Collection[int]) -> _People:
    """The annotators of the projects who can still get items there."""
    present = (ParticipationStatus.ACTIVE, ParticipationStatus.PAUSED)
    query = select(Participation.annotator_id, Participation.shown)
    query = query.where(col(Participation.project_id).in_(project_ids), col(Participation.status).in_(present))
    rows = session.exec(query).all()
    return _People(frozenset(who for who, _ in rows), frozenset(who for who, shown in rows if shown))


def _list_consent_changes(
    session: Session, scope: str, stored: Digests, text: str, people: _People
) -> Iterator[Change]:
    """A changed consent text concerns those who had agreed to the old one and never agreed to the new one."""
    before, after = stored.get(TextKind.CONSENT.value), stimulus.compute_text_digest(text) if text else None
    if before == after:
        return
    if after is None:
        yield "consent", None, ASKED_NO_MORE
        return
    query = select(Consent.annotator_id, Consent.sha256).where(
        Consent.scope == scope, col(Consent.withdrawn_at).is_(None)
    )
    given = session.exec(query).all()
    agreed = people.joined if before is None else {who for who, _ in given} & people.joined
    yield "consent", agreed - {who for who, sha256 in given if sha256 == after}, AGREE_AGAIN


def _list_warning_changes(
    session: Session, project: Project, before: str | None, after: str | None, people: _People
) -> Iterator[Change]:
    """A changed content warning concerns those who had accepted the old one, a new one everybody who joined."""
    if before == after:
        return
    if after is None:
        yield "content warning", None, ASKED_NO_MORE
        return
    query = select(Participation.annotator_id, Participation.warning_sha256)
    accepted = dict(session.exec(query.where(Participation.project_id == project.id)).all())
    was_asked = people.joined if before is None else {who for who in people.joined if accepted.get(who) is not None}
    new = stimulus.compute_text_digest(after)
    yield "content warning", {who for who in was_asked if accepted.get(who) != new}, ACCEPT_AGAIN


def _list_profile_changes(
    session: Session, before: tuple[ProfileField, ...], after: tuple[ProfileField, ...], people: _People
) -> Iterator[Change]:
    """Changed profile questions concern those who had answered the old ones and have not answered all the new ones."""
    if before == after:
        return
    answers: dict[int, dict[str, str]] = {who: {} for who in people.joined}
    for row in session.exec(select(ProfileAnswer).where(col(ProfileAnswer.annotator_id).in_(people.joined))):
        answers[row.annotator_id][row.field] = row.value
    concerned = {
        who
        for who, given in answers.items()
        if definitions.list_missing_fields(after, given) and not definitions.list_missing_fields(before, given)
    }
    yield ("profile questions", concerned, TELL_AGAIN) if after else ("profile questions", None, ASKED_NO_MORE)


def add_to_instructions(session: Session, *, project: Project, text: str, now: datetime) -> str:
    """Add a paragraph to the instructions and return the sha256 of the new version; after the start it is post hoc.

    Raises BadInput for an empty paragraph.
    """
    addition = text.strip()
    if not addition:
        raise BadInput("The text is empty.", where=Where(field="text"), remedy="Write at least one word.")
    session.refresh(project, with_for_update=True)
    instructions = f"{project.instructions}\n\n{addition}" if project.instructions else addition
    digests = text_versions.save_text_versions(session, {TextKind.INSTRUCTIONS: instructions}, now=now)
    digest = digests[TextKind.INSTRUCTIONS.value]
    project.instructions, project.instructions_sha256 = instructions, digest
    project.texts = (project.texts or {}) | digests
    readiness.add_post_hoc_change(project, what="an answer to all was added to the instructions", now=now)
    session.add(project)
    session.flush()
    data = {"texts": project.texts, "changed_texts": ["instructions"], "post_hoc": project.started_at is not None}
    journal.record_event(session, Event.PROJECT_CHANGED, now=now, project_id=project.id, data=data)
    return digest
