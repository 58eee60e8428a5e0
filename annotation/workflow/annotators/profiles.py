"""Profiles: what people say of themselves, once for all projects; left open by whoever would rather not say."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session, select

from annotation.campaigns.people import ProfileField
from annotation.errors import BadInput, Where
from annotation.store.models import Annotator, ProfileAnswer

LONGEST = 500
NOT_SAID = ""
"""How "I would rather not say" is stored."""

_NUMBER = re.compile(r"-?\d{1,12}(?:[.,]\d{1,6})?")


def answers(session: Session, *, annotator_id: int) -> dict[str, str]:
    """What the person has said so far, by field; `NOT_SAID` where she would rather not."""
    found = session.exec(select(ProfileAnswer).where(ProfileAnswer.annotator_id == annotator_id))
    return {one.field: one.value for one in found}


def missing(fields: tuple[ProfileField, ...], given: Mapping[str, str]) -> tuple[ProfileField, ...]:
    """The fields that are still to be answered, an answer that the field does not take included; pure."""
    return tuple(field for field in fields if field.name not in given or not _stands(field, given[field.name]))


def checked(field: ProfileField, value: str | None) -> str:
    """An answer as it is stored; None is "I would rather not say". Raises BadInput for what the field does not take."""
    text = (value or "").strip()
    where = Where(field=field.name)
    if not text:
        if field.required:
            raise BadInput("This has to be answered.", where=where, remedy="Give an answer, or stay out.")
        return NOT_SAID
    if field.type == "choice" and text not in field.options:
        raise BadInput(f"{text!r} is not among the options.", where=where, remedy=f"There are: {_listed(field)}.")
    if field.type == "number":
        if not _NUMBER.fullmatch(text):
            raise BadInput(f"{text!r} is no number.", where=where, remedy="Write it in digits, like 34.")
        return text.replace(",", ".")
    if len(text) > LONGEST:
        raise BadInput("This is too long.", where=where, remedy=f"Use {LONGEST} characters at the most.")
    return text


def say(session: Session, *, annotator_id: int, field: ProfileField, value: str | None, now: datetime) -> str:
    """Store an answer, in place of an earlier one; gives it as stored. Raises BadInput as `checked` does."""
    stored = checked(field, value)
    session.get(Annotator, annotator_id, with_for_update=True)  # two taps at once come one after the other
    found = session.get(ProfileAnswer, (annotator_id, field.name))
    if found is None:
        found = ProfileAnswer(annotator_id=annotator_id, field=field.name, value=stored, at=now)
    elif found.value != stored:
        found.value, found.at = stored, now
    session.add(found)
    session.flush()
    return stored


def set_time_zone(session: Session, *, person: Annotator, name: str) -> None:
    """Where the person's day begins; raises BadInput for what is no name of the IANA time zone database."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(
            f"{name!r} is no time zone.", where=Where(field="time_zone"), remedy="Write it like Europe/Kyiv."
        ) from None
    person.time_zone = name
    session.add(person)
    session.flush()


def _stands(field: ProfileField, value: str) -> bool:
    try:
        return checked(field, value) == value
    except BadInput:
        return False


def _listed(field: ProfileField) -> str:
    return ", ".join(repr(one) for one in field.options)
