"""What annotators said about themselves and about their tools, counted over those who contributed to a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from sqlmodel import Session, col, select

from annotation.campaigns.sections.annotators import ProfileField
from annotation.store.models import Attestation, ProfileAnswer, Project

BAND = 10
"""How many years or units a band of a number has."""
TOLD = "answered"
"""Stands for every typed text, which could tell who wrote it."""


def count_profile(
    session: Session, fields: Sequence[ProfileField], *, annotators: Collection[int]
) -> dict[str, Counter[str | None]]:
    """How many of the annotators gave each answer, by field; None for those who did not say.

    Numbers are counted in bands of ten, typed texts as `answered`.
    """
    rows = session.exec(select(ProfileAnswer).where(col(ProfileAnswer.annotator_id).in_(annotators))).all()
    by_field: dict[str, dict[int, str]] = {}
    for row in rows:
        by_field.setdefault(row.field, {})[row.annotator_id] = row.value
    return {
        field.name: Counter(_name_cell(field, by_field.get(field.name, {}).get(annotator)) for annotator in annotators)
        for field in fields
    }


def _name_cell(field: ProfileField, value: str | None) -> str | None:
    if not value:
        return None
    if field.type == "choice":
        return value
    if field.type == "text":
        return TOLD
    try:
        low = int(float(value.replace(",", ".")) // BAND * BAND)
    except ValueError:
        return None
    return f"{low}–{low + BAND - 1}"


def count_attestations(session: Session, project: Project, *, annotators: Collection[int]) -> Counter[str]:
    """How many of the annotators attested each option after any of their sessions; one may count for several."""
    rows = session.exec(
        select(Attestation.annotator_id, Attestation.used).where(
            Attestation.project_id == project.id, col(Attestation.annotator_id).in_(annotators)
        )
    )
    return Counter(used for _, used in sorted(set(rows)))
