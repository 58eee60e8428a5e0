"""Answers as pandas frames, from which releases are made, with their pauses and session numbers (items: `item_frames`).

Imports pandas; the bot's process never loads this.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from annotation.store import judgements
from annotation.store.item_frames import read_frame
from annotation.store.models import Annotator, Assignment, Item, Judgement, Participation, Project
from annotation.vocabulary import (
    ABSTAINED,
    Exclusion,
    ExclusionKind,
    ParticipationStatus,
    Surface,
)

SESSION_GAP = pd.Timedelta(minutes=30)
"""A longer pause begins a new session."""
REMOVED_STATUSES = (ParticipationStatus.EXCLUDED, ParticipationStatus.FAILED, ParticipationStatus.WITHDRAWN)
HOUR = pd.Timedelta(hours=1)


def read_responses(
    session: Session, project: Project, *, later: str | None = None, abstention: str | None = None
) -> pd.DataFrame:
    """One row per final answer, in the order of assignment, of every stage, with control items and repeats.

    Answers are those to the first question, or to the question named by `later`, whose abstention is `abstention`.

    Columns: item_id, item_revision, group, annotator, insider, response, response_raw (text), skip_reason,
    first_response and first_excluded_reason (of revision 0; where it abstained or a rule excluded the final answer, the
    reason), option_order (indices of the options in the order shown, as a JSON list), position (1 for the annotator's
    first), page, session (1 for the annotator's first; a pause of 30 minutes begins another), seconds, gap_hours (of a
    repeat: since the answer that it repeats), instruction_sha256, stimulus_sha256, stage, is_control, is_repeat,
    exposed, revision, flags (a JSON list), excluded_kind and excluded_reason (why it does not count, as
    `store/judgements` says it; None where it counts), by_rule (a quality rule or an organiser excluded it), post_hoc,
    first_excluded_kind (the kind by which the first answer would not count), assignment_kind (the kind by which the
    answer would not count without the exclusion that is stored with it); unknown cells are None. No clock times.
    """
    frame = read_frame(session, _select_answers(project))
    for name in ("option_order", "flags"):
        frame[name] = [None if value is None else json.dumps(value, ensure_ascii=False) for value in frame[name]]
    final, first = _list_exclusions(frame, ""), _list_exclusions(frame, "first_")
    first = [before if _may_count(after) else after for before, after in zip(first, final, strict=True)]
    if later is not None:
        _use_later_question(frame, later)
        final = _replace_abstentions(final, frame["response"], abstention)
        first = _replace_abstentions(first, frame["first_response"], abstention)
    _write_exclusions(frame, final, first)
    frame["stage"] = [stage.value for stage in frame["stage"]]
    frame["session"] = _number_sessions(frame)
    frame["gap_hours"] = _compute_gap_hours(frame)
    published = frame.drop(columns=["answered_at", "occasion", "answers", "first_answers"]).astype(object)
    return published.mask(published.isna(), None)


def _select_answers(project: Project) -> sa.Select[Any]:
    """The final revision of every answer of the project, with its first revision."""
    first = aliased(Judgement)
    query = (
        sa.select(*_list_columns(first))
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .outerjoin(
            first,
            (col(Judgement.revision) > 0)
            & (col(first.assignment_id) == col(Assignment.id))
            & (col(first.revision) == 0),
        )
    )
    is_of_project = col(Assignment.project_id) == project.id
    return query.where(is_of_project, judgements.build_final_revision_condition()).order_by(col(Assignment.id))


def read_answers(session: Session, project: Project) -> list[tuple[dict[str, str] | None, Surface]]:
    """For each row of `read_responses` the answers by question (None: one question, or a skip), and where they came."""
    rows = session.execute(_select_answers(project).with_only_columns(col(Judgement.answers), col(Assignment.surface)))
    return [(None if answers is None else dict(answers), Surface(surface)) for answers, surface in rows]


def _list_columns(first: type[Judgement]) -> list[Any]:
    undone = col(Judgement.revision) > 0
    return [
        col(Item.external_id).label("item_id"),
        col(Assignment.item_revision),
        col(Item.group_id).label("group"),
        col(Annotator.pseudonym).label("annotator"),
        col(Annotator.insider),
        sa.func.nullif(col(Judgement.response), "").label("response"),
        col(Judgement.response_raw),
        col(Judgement.answers),
        col(first.answers).label("first_answers"),
        col(Judgement.skip_reason),
        sa.func.nullif(sa.case((undone, col(first.response)), else_=col(Judgement.response)), "").label(
            "first_response"
        ),
        sa.case((undone, col(first.excluded_kind)), else_=col(Judgement.excluded_kind)).label("first_excluded_kind"),
        sa.case((undone, col(first.excluded_reason)), else_=col(Judgement.excluded_reason)).label(
            "first_excluded_reason"
        ),
        col(Assignment.option_order),
        col(Assignment.position),
        col(Assignment.page),
        col(Assignment.occasion),
        col(Judgement.answered_at),
        judgements.build_known_seconds().label("seconds"),
        col(Assignment.instructions_sha256).label("instruction_sha256"),
        col(Assignment.stimulus_sha256),
        col(Assignment.stage),
        col(Assignment.is_control),
        col(Assignment.is_repeat),
        col(Assignment.exposed),
        col(Judgement.revision),
        col(Judgement.flags),
        col(Judgement.excluded_kind),
        col(Judgement.excluded_reason),
        col(Judgement.post_hoc),
    ]


def _use_later_question(frame: pd.DataFrame, name: str) -> None:
    """Replace answers to the first question by those to a later one."""
    final = [answers.get(name) if isinstance(answers, dict) else None for answers in frame["answers"]]
    undone = [revision > 0 for revision in frame["revision"]]
    earlier = [answers.get(name) if isinstance(answers, dict) else None for answers in frame["first_answers"]]
    first = [before if revised else after for before, after, revised in zip(earlier, final, undone, strict=True)]
    frame["response"] = frame["response_raw"] = pd.Series(final, index=frame.index, dtype=object)
    frame["response_raw"] = frame["response_raw"].fillna("")
    frame["first_response"] = pd.Series(first, index=frame.index, dtype=object)


def _list_exclusions(frame: pd.DataFrame, prefix: str) -> list[Exclusion | None]:
    """The stored exclusions of final answers, or of first answers with the prefix `first_`."""
    pairs = zip(frame[f"{prefix}excluded_kind"], frame[f"{prefix}excluded_reason"], strict=True)
    return [None if kind is None else Exclusion(kind, reason) for kind, reason in pairs]


def _replace_abstentions(
    exclusions: Iterable[Exclusion | None], answers: Iterable[str | None], abstention: str | None
) -> list[Exclusion | None]:
    """The exclusions of answers to a later question: who abstains at the first one may answer this one."""
    return [
        (None if answer is None or answer != abstention else ABSTAINED) if _may_count(exclusion) else exclusion
        for exclusion, answer in zip(exclusions, answers, strict=True)
    ]


def _may_count(exclusion: Exclusion | None) -> bool:
    """Whether nothing is stored against the whole answer: what abstains at one question may answer another."""
    return exclusion is None or exclusion.kind is ExclusionKind.ABSTAINED


def _write_exclusions(
    frame: pd.DataFrame, final: Sequence[Exclusion | None], first: Sequence[Exclusion | None]
) -> None:
    """Write why the final and first answers do not count into the frame; `final` and `first` are what is stored.

    A final answer that only abstains excludes no first answer.
    """
    is_empty = frame["response"].isna() & frame["skip_reason"].isna()
    assigned = (frame["stage"], frame["is_control"], frame["is_repeat"], frame["exposed"])
    facts = list(map(judgements.AnswerFacts, *assigned, is_empty))
    reasons = list(map(judgements.find_exclusion, final, facts))
    apart_by_facts = {known: judgements.find_exclusion(None, known._replace(is_empty=False)) for known in set(facts)}
    apart = [apart_by_facts[known] for known in facts]
    frame["excluded_kind"] = _list_kinds(reasons)
    frame["excluded_reason"] = [None if reason is None else reason.reason for reason in reasons]
    frame["by_rule"] = [reason is not None and reason.kind.is_by_rule for reason in reasons]
    frame["assignment_kind"] = _list_kinds(apart)
    frame["first_excluded_kind"] = _list_kinds(
        [known if stored is None else stored for stored, known in zip(first, apart, strict=True)]
    )
    frame["first_excluded_reason"] = [None if stored is None else stored.reason for stored in first]


def _list_kinds(exclusions: Iterable[Exclusion | None]) -> list[str | None]:
    return [None if exclusion is None else exclusion.kind.value for exclusion in exclusions]


def _compute_gap_hours(frame: pd.DataFrame) -> list[float | None]:
    """Hours between a repeat and the answer that it repeats."""
    if not frame["is_repeat"].any():
        return [None] * len(frame)
    times = pd.to_datetime(frame["answered_at"], utc=True)
    pairs = list(zip(frame["item_id"], frame["annotator"], strict=True))
    begun = {pair: time for pair, time, number in zip(pairs, times, frame["occasion"], strict=True) if number == 0}
    gaps = [
        (time - begun[pair]) / HOUR if repeat and pair in begun else float("nan")
        for pair, time, repeat in zip(pairs, times, frame["is_repeat"], strict=True)
    ]
    return [None if pd.isna(gap) else round(float(gap), 2) for gap in gaps]


def _number_sessions(frame: pd.DataFrame) -> Sequence[int | None]:
    """The number of the session of each answer, None where its time is unknown."""
    times = pd.to_datetime(frame["answered_at"], utc=True)
    if times.isna().all():
        return [None] * len(frame)
    ordered = pd.DataFrame({"annotator": frame["annotator"], "time": times}).sort_values("time", kind="stable")
    pause = ordered.groupby("annotator", sort=False)["time"].diff()
    numbers = (pause.isna() | (pause > SESSION_GAP)).groupby(ordered["annotator"], sort=False).cumsum()
    return [
        None if pd.isna(time) else int(number) for time, number in zip(times, numbers.reindex(frame.index), strict=True)
    ]


def read_removed_annotators(session: Session, project: Project) -> dict[str, str]:
    """Why annotators were excluded, failed or withdrew, by pseudonym, sorted."""
    query = select(Annotator.pseudonym, Participation.status, Participation.reason).join(Participation)
    query = query.where(Participation.project_id == project.id, col(Participation.status).in_(REMOVED_STATUSES))
    rows = session.exec(query.order_by(col(Annotator.pseudonym)))
    return {name: ": ".join(filter(None, [ParticipationStatus(status), reason])) for name, status, reason in rows}


def has_simulated_answers(session: Session, project: Project) -> bool:
    """Whether any answer of the project was given by a simulated annotator."""
    simulated = select(Annotator.id).join(Assignment).join(Item)
    return (
        session.exec(simulated.where(Item.project_id == project.id, col(Annotator.simulated)).limit(1)).first()
        is not None
    )
