"""What people who work at desks only agreed to and said outside Telegram, as organisers write it down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from annotation.campaigns import stimulus
from annotation.errors import BadInput, Conflict, Where
from annotation.store.models import Annotator, Project
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import consents, content_warnings, invitations, profiles, terms
from annotation.workflow.annotators.terms import Agreement


@dataclass(frozen=True, kw_only=True)
class Noted:
    """What was written down now: the text that she agreed to, the fields that she answered, whether she was warned."""

    agreement: Agreement | None
    fields: tuple[str, ...]
    warned: bool


def note(
    session: Session,
    *,
    person: Annotator,
    project: Project,
    how: str,
    profile: Mapping[str, str],
    now: datetime,
    code: str | None = None,
) -> Noted:
    """Write down that the person agreed to all that the project asks of her now, with version and hash.

    `how` says where it can be looked up, `profile` what she said of herself (empty: she would rather not say), `code`
    is her invitation. Raises Conflict for whoever has Telegram, BadInput for no `how` and for fields that are missing,
    that nobody asks or that do not take her answer.
    """
    who, known = person.id or 0, terms.of(session, project=project, definition=definitions.of(project))
    if not how.strip():
        raise BadInput("How did she agree?", where=Where(field="how"), remedy="Say it: --how 'signed, folder 3'.")
    if person.telegram_id is not None:
        raise Conflict(f"{person.pseudonym} has Telegram.", remedy="She agrees to it there herself.")
    if code is not None:
        _let_in(session, person=person, code=code, now=now)
    given = profiles.answers(session, annotator_id=who)
    fields = {field.name: field for field in known.fields}
    strange = sorted(profile.keys() - fields.keys())
    lacking = [field.name for field in profiles.missing(known.fields, given) if field.name not in profile]
    if strange or lacking:
        raise BadInput(
            f"The project asks for no {', '.join(strange)}." if strange else f"Not said yet: {', '.join(lacking)}.",
            where=Where(field="profile"),
            remedy="Say what it asks: " + (" ".join(f"--profile {name}=…" for name in fields) or "nothing") + ".",
        )
    participations.enter(session, annotator_id=who, project=project, now=now)
    asked = consents.asked(session, annotator_id=who, terms=known)
    if asked is not None:
        sha256 = asked.agreement.sha256
        consents.agree(session, annotator_id=who, terms=known, sha256=sha256, now=now, how=how.strip())
    for name, value in profile.items():
        profiles.say(session, annotator_id=who, field=fields[name], value=value, now=now)
    return Noted(
        agreement=None if asked is None else asked.agreement,
        fields=tuple(sorted(profile)),
        warned=_warned(session, annotator_id=who, project=project, how=how.strip(), now=now),
    )


def _let_in(session: Session, *, person: Annotator, code: str, now: datetime) -> None:
    entered = invitations.redeem(session, annotator_id=person.id or 0, code=code, now=now)
    if isinstance(entered, invitations.Refusal):
        remedy = "`hromada invite PROJECT` makes a code."
        raise BadInput(f"The code lets nobody in: {entered.value}.", where=Where(field="code"), remedy=remedy)


def _warned(session: Session, *, annotator_id: int, project: Project, how: str, now: datetime) -> bool:
    definition = definitions.of(project)
    standing = participations.of(session, annotator_id=annotator_id, project_id=project.id or 0)
    if definition.content_warning is None or not content_warnings.missing(definition, standing):
        return False
    sha256 = stimulus.text_digest(definition.content_warning)
    content_warnings.accept(session, annotator_id=annotator_id, project=project, sha256=sha256, now=now, how=how)
    return True
