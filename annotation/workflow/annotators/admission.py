"""Admission: whom a project takes, decided before her first item from what is known of her by then.

`earlier_control` asks for a share of right answers to control items in the projects that it names, of one item or more.
`top` ranks everybody who answered control items in earlier projects: those that `earlier_control` names, or else all
that were loaded before this one. The order is by the share of right answers, then by their number, then by pseudonym,
so that ties fall the same way every time; of N people the first ⌈share · N⌉ are admitted. Simulated people are ranked
among themselves, forgotten ones not at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sqlmodel import Session, col, select

from annotation.campaigns.people import AdmissionSection
from annotation.store.models import Annotator, Cohort, Project
from annotation.workflow.annotators import profiles
from annotation.workflow.annotators.terms import Terms
from annotation.workflow.quality import control_accuracy
from annotation.workflow.quality.control_accuracy import Counted


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a person: profile, cohorts, earlier control items, her place among `ranked` people."""

    profile: Mapping[str, str] = field(default_factory=dict)
    cohorts: frozenset[str] = frozenset()
    control: Counted = field(default_factory=Counted)
    place: int | None = None
    ranked: int = 0


def refusal(section: AdmissionSection, facts: Facts) -> str | None:
    """Why the person is not admitted, for organisers; None where she is. Pure."""
    for name, values in section.profile.items():
        if facts.profile.get(name) not in values:
            return f"profile: {name} is not {' or '.join(values)}"
    if section.cohort and not facts.cohorts & set(section.cohort):
        return f"cohort: not in {' or '.join(section.cohort)}"
    earlier = section.earlier_control
    if earlier is not None and (facts.control.share is None or facts.control.share < earlier.least):
        found = f"{facts.control.right} of {facts.control.of} control items right"
        return f"earlier control items: {found}, {earlier.least:.0%} are asked for"
    if section.top is not None and (facts.place is None or facts.place > places(section.top, facts.ranked)):
        found = "not ranked" if facts.place is None else f"place {facts.place} of {facts.ranked}"
        return f"earlier control items: {found}, the first {section.top:.0%} are asked for"
    return None


def places(share: float, ranked: int) -> int:
    """How many of so many are the first `share`, rounded up; exact for shares as they are written. Pure."""
    return math.ceil(Fraction(str(share)) * ranked)


def ranking(counted: Mapping[str, Counted]) -> tuple[str, ...]:
    """People by how they did, best first; pure."""
    known = {name: found for name, found in counted.items() if found.of}
    return tuple(sorted(known, key=lambda name: (-Fraction(known[name].right, known[name].of), -known[name].of, name)))


def refused(session: Session, *, person: Annotator, terms: Terms, profile: Mapping[str, str]) -> str | None:
    """Why the terms do not admit the person; None where they do."""
    for section in terms.admissions:
        why = refusal(section, facts(session, person=person, project=terms.project, section=section, profile=profile))
        if why is not None:
            return why
    return None


def facts(
    session: Session, *, person: Annotator, project: Project, section: AdmissionSection, profile: Mapping[str, str]
) -> Facts:
    """What the section asks about; nothing else is looked up."""
    person_id = person.id or 0
    cohorts = _cohorts(session, person_id) if section.cohort else frozenset()
    earlier = _earlier(session, project=project, section=section)
    if section.top is None:
        one = control_accuracy.of_controls(session, project_ids=earlier, annotator_id=person_id) if earlier else {}
        return Facts(profile=profile, cohorts=cohorts, control=one.get(person_id, Counted()))
    everybody = control_accuracy.of_controls(session, project_ids=earlier)
    comparable = select(Annotator.id, Annotator.pseudonym).where(
        col(Annotator.id).in_(everybody),
        col(Annotator.simulated) == person.simulated,
        col(Annotator.forgotten_at).is_(None),
    )
    order = ranking({name: everybody[known or 0] for known, name in session.exec(comparable)})
    place = order.index(person.pseudonym) + 1 if person.pseudonym in order else None
    control = everybody.get(person_id, Counted())
    return Facts(profile=profile, cohorts=cohorts, control=control, place=place, ranked=len(order))


def explained(session: Session, *, person: Annotator, terms: Terms) -> str | None:
    """Why the person would not be admitted, looked up in full for organisers."""
    given = profiles.answers(session, annotator_id=person.id or 0)
    return refused(session, person=person, terms=terms, profile=given)


def _cohorts(session: Session, annotator_id: int) -> frozenset[str]:
    return frozenset(session.exec(select(Cohort.name).where(Cohort.annotator_id == annotator_id)))


def _earlier(session: Session, *, project: Project, section: AdmissionSection) -> Sequence[int]:
    if section.earlier_control is not None:
        chosen = select(Project.id).where(col(Project.name).in_(section.earlier_control.projects))
    elif section.top is not None:
        chosen = select(Project.id).where(col(Project.id) < project.id)
    else:
        return ()
    return [known or 0 for known in session.exec(chosen)]
