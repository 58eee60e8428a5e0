"""Registration of annotators at first contact, and whether Telegram can reach them."""

from __future__ import annotations

import math
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction

from sqlmodel import Session, col, select

from annotation.campaigns.sections.annotators import AdmissionSection, ProfileField
from annotation.errors import BadInput, Where
from annotation.store import database, journal, models, notices, processes, pseudonyms, queries
from annotation.store.models import Annotator, AnnotatorRow, Cohort, ProfileAnswer, Project, ProjectRow
from annotation.vocabulary import FIRST_PAGE_ID, AssignmentEnd, Event, Surface
from annotation.workflow.annotators import support_messages, withdrawal
from annotation.workflow.definitions import Terms, get_profile_answers, parse_profile_answer
from annotation.workflow.quality import control_accuracy
from annotation.workflow.quality.control_accuracy import ControlAccuracy


class UnknownAnnotator(Exception):
    """Somebody who would have to be registered first, or who is suspended."""


def save_profile_answer(
    session: Session, *, annotator_id: int, field: ProfileField, value: str | None, now: datetime
) -> str:
    """Store an answer in place of an earlier one, and return it as stored; None is "I would rather not say".

    Raises BadInput for a value that the field does not allow.
    """
    stored = parse_profile_answer(field, value)
    database.lock_annotator(session, annotator_id)  # two taps at once come one after the other
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
    models.ANNOTATORS.update(session, annotator, language=language)


def set_time_zone(session: Session, *, annotator: AnnotatorRow, name: str) -> None:
    """Set the time zone in which the annotator's day begins; raises BadInput for a name that IANA does not know."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput(
            f"{name!r} is not a time zone.", where=Where(field="time_zone"), remedy="Write it like Europe/Kyiv."
        ) from None
    models.ANNOTATORS.update(session, annotator, time_zone=name)


@dataclass(frozen=True, kw_only=True)
class AdmissionFacts:
    """What is known of an annotator: profile, cohorts, accuracy on earlier control items, `rank` of `ranked_count`."""

    profile: Mapping[str, str] = field(default_factory=dict)
    cohorts: frozenset[str] = frozenset()
    control_accuracy: ControlAccuracy = field(default_factory=ControlAccuracy)
    rank: int | None = None
    ranked_count: int = 0


def explain_section_refusal(section: AdmissionSection, facts: AdmissionFacts) -> str | None:
    """Why the annotator is not admitted, in words for organisers; None where they are. Pure."""
    for name, values in section.profile.items():
        if facts.profile.get(name) not in values:
            return f"profile: {name} is not {' or '.join(values)}"
    if section.cohort and not facts.cohorts & set(section.cohort):
        return f"cohort: not in {' or '.join(section.cohort)}"
    required = section.earlier_control
    if required is not None and (facts.control_accuracy.share is None or facts.control_accuracy.share < required.least):
        reached = f"{facts.control_accuracy.right} of {facts.control_accuracy.of} control items right"
        return f"earlier control items: {reached}, {required.least:.0%} are asked for"
    if section.top is not None and (facts.rank is None or facts.rank > count_admitted(section.top, facts.ranked_count)):
        reached = "not ranked" if facts.rank is None else f"place {facts.rank} of {facts.ranked_count}"
        return f"earlier control items: {reached}, the first {section.top:.0%} are asked for"
    return None


def count_admitted(share: float, ranked: int) -> int:
    """How many of the `ranked` are the first `share`, rounded up; exact for decimal shares. Pure."""
    return math.ceil(Fraction(str(share)) * ranked)


def rank_annotators(counted: Mapping[str, ControlAccuracy]) -> tuple[str, ...]:
    """Annotators by accuracy, best first, without those who answered no control item. Pure."""
    ranked = {name: accuracy for name, accuracy in counted.items() if accuracy.of}
    return tuple(
        sorted(ranked, key=lambda name: (-Fraction(ranked[name].right, ranked[name].of), -ranked[name].of, name))
    )


def explain_refusal_for_profile(
    session: Session, *, annotator: AnnotatorRow, terms: Terms, profile: Mapping[str, str]
) -> str | None:
    """Why the terms do not admit the annotator; None where they do."""
    for section in terms.admissions:
        refusal = explain_section_refusal(
            section,
            collect_facts(session, annotator=annotator, project=terms.project, section=section, profile=profile),
        )
        if refusal is not None:
            return refusal
    return None


def collect_facts(
    session: Session,
    *,
    annotator: AnnotatorRow,
    project: ProjectRow,
    section: AdmissionSection,
    profile: Mapping[str, str],
) -> AdmissionFacts:
    """The facts that the section asks about; nothing else is read from the database."""
    annotator_id = annotator.id or 0
    own = select(Cohort.name).where(Cohort.annotator_id == annotator_id)
    cohorts = frozenset(session.exec(own)) if section.cohort else frozenset()
    earlier = _list_earlier_projects(session, project=project, section=section)
    if section.top is None:
        accuracies = (
            control_accuracy.compute_control_accuracy(session, project_ids=earlier, annotator_id=annotator_id)
            if earlier
            else {}
        )
        return AdmissionFacts(
            profile=profile, cohorts=cohorts, control_accuracy=accuracies.get(annotator_id, ControlAccuracy())
        )
    all_accuracies = control_accuracy.compute_control_accuracy(session, project_ids=earlier)
    comparable = select(Annotator.id, Annotator.pseudonym).where(
        col(Annotator.id).in_(all_accuracies),
        col(Annotator.simulated) == annotator.simulated,
        col(Annotator.forgotten_at).is_(None),
    )
    order = rank_annotators({name: all_accuracies[other_id or 0] for other_id, name in session.exec(comparable)})
    place = order.index(annotator.pseudonym) + 1 if annotator.pseudonym in order else None
    control = all_accuracies.get(annotator_id, ControlAccuracy())
    return AdmissionFacts(
        profile=profile, cohorts=cohorts, control_accuracy=control, rank=place, ranked_count=len(order)
    )


def explain_refusal(session: Session, *, annotator: AnnotatorRow, terms: Terms) -> str | None:
    """Why the annotator is not admitted, with the profile read from the database; None where they are."""
    answers = get_profile_answers(session, annotator_id=annotator.id or 0)
    return explain_refusal_for_profile(session, annotator=annotator, terms=terms, profile=answers)


def _list_earlier_projects(session: Session, *, project: ProjectRow, section: AdmissionSection) -> Sequence[int]:
    if section.earlier_control is not None:
        earlier = select(Project.id).where(col(Project.name).in_(section.earlier_control.projects))
    elif section.top is not None:
        earlier = select(Project.id).where(col(Project.id) < project.id)
    else:
        return ()
    return [project_id or 0 for project_id in session.exec(earlier)]


TELEGRAM_NAMESPACE, PAGE_NAMESPACE = "telegram", "answer page"
LABEL_STUDIO_NAMESPACE = "label studio"


def register_telegram_annotator(
    session: Session, *, telegram_id: int, language: str, key: bytes, now: datetime, simulated: bool = False
) -> Annotator:
    """The annotator with this Telegram id, created at first contact.

    Somebody who was suspended when they were erased is suspended again. Somebody without Telegram (an id from
    FIRST_PAGE_ID on) counts as unreachable: the bot never writes to them first.
    """
    existing = queries.find_annotator(session, telegram_id)
    if existing is not None:
        return existing
    has_telegram = telegram_id < FIRST_PAGE_ID
    namespace = TELEGRAM_NAMESPACE if has_telegram else PAGE_NAMESPACE
    annotator = Annotator(
        pseudonym=pseudonyms.make_pseudonym(key, namespace=namespace, name=str(telegram_id), simulated=simulated),
        telegram_id=telegram_id,
        language=language,
        simulated=simulated,
        created_at=now,
        unreachable_at=None if has_telegram else now,
    )
    return _store_new_annotator(session, annotator, now=now)


def register_label_studio_annotator(
    session: Session, *, account: str, annotator_id: int | None, key: bytes, now: datetime
) -> Annotator:
    """The annotator of a Label Studio account: the one with `annotator_id`, else created as one without Telegram.

    `account` is the server with the account's number; only a pseudonym made from it is stored.
    """
    if annotator_id is not None:
        return session.get_one(Annotator, annotator_id)
    pseudonym = pseudonyms.make_pseudonym(key, namespace=LABEL_STUDIO_NAMESPACE, name=account)
    existing = session.exec(select(Annotator).where(Annotator.pseudonym == pseudonym)).first()
    if existing is not None:
        return existing
    return _store_new_annotator(session, Annotator(pseudonym=pseudonym, created_at=now), now=now)


def _store_new_annotator(session: Session, annotator: Annotator, *, now: datetime) -> Annotator:
    """Store a new annotator, suspended if they were suspended when they were erased."""
    if pseudonyms.get_standing(session, annotator.pseudonym).suspended:
        annotator.suspended_at, annotator.suspended_reason = now, pseudonyms.KEPT_REASON
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_JOINED, now=now, annotator_id=annotator.id)
    return annotator


def mark_unreachable(session: Session, *, telegram_id: int, now: datetime) -> None:
    """Record that the annotator blocked the bot or deleted the account: release live items, delete unsent messages.

    Answers of the organisers that were not sent stay undelivered until the annotator is reachable again. Reminders and
    news are not wished for any more.
    """
    annotator = queries.find_annotator(session, telegram_id)
    if annotator is not None:
        database.lock_annotator(session, annotator.id or 0)  # no announcement is being stored for them
    notices.take_back_notices(session, telegram_id=telegram_id, now=now)
    notices.forget_alerts(session, telegram_id=telegram_id)
    notices.end_wishes(session, telegram_id=telegram_id)
    support_messages.mark_undelivered(session, processes.delete_chat_messages(session, chat_id=telegram_id))
    if annotator is None or annotator.unreachable_at is not None:
        return
    annotator.unreachable_at = now
    session.add(annotator)
    session.flush()
    journal.record_event(session, Event.ANNOTATOR_UNREACHABLE, now=now, annotator_id=annotator.id)
    withdrawal.release_live_assignments(
        session, annotator_id=annotator.id or 0, now=now, why=AssignmentEnd.BARRED, surface=Surface.TELEGRAM
    )


def mark_reachable(session: Session, *, annotator: AnnotatorRow) -> None:
    """Record that the annotator is reachable again."""
    models.ANNOTATORS.update(session, annotator, unreachable_at=None)
