"""An annotator's own data that they can change: profile answers, kept once for all projects, language, time zone."""

from __future__ import annotations

import zoneinfo
from datetime import datetime

from sqlmodel import Session

from annotation.campaigns.sections.annotators import ProfileField
from annotation.errors import BadInput, Where
from annotation.store import annotator_locks, row_tables
from annotation.store.models import AnnotatorRow, ProfileAnswer
from annotation.workflow.annotators.terms import parse_profile_answer


def save_profile_answer(
    session: Session, *, annotator_id: int, field: ProfileField, value: str | None, now: datetime
) -> str:
    """Store an answer in place of an earlier one, and return it as stored; None is "I would rather not say".

    Raises BadInput for a value that the field does not allow.
    """
    stored = parse_profile_answer(field, value)
    annotator_locks.lock_annotator(session, annotator_id)  # two taps at once come one after the other
    answer = session.get(ProfileAnswer, (annotator_id, field.name))
    if answer is None:
        answer = ProfileAnswer(annotator_id=annotator_id, field=field.name, value=stored, at=now)
    elif answer.value != stored:
        answer.value, answer.at = stored, now
    session.add(answer)
    session.flush()
    return stored


def set_language(session: Session, *, annotator: AnnotatorRow, language: str) -> None:
    """Set the language in which the bot writes to the annotator."""
    row_tables.ANNOTATORS.update(session, annotator, language=language)


def set_time_zone(session: Session, *, annotator: AnnotatorRow, name: str) -> None:
    """Set the time zone in which the annotator's day begins; raises BadInput for a name that IANA does not know."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(
            f"{name!r} is no time zone.", where=Where(field="time_zone"), remedy="Write it like Europe/Kyiv."
        ) from None
    row_tables.ANNOTATORS.update(session, annotator, time_zone=name)
