"""Items, answers and reviews as pandas frames, from which releases are made.

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
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Annotator,
    Assignment,
    Item,
    Judgement,
    Participation,
    Project,
    SubmissionReview,
)
from annotation.vocabulary import (
    ABSTAINED,
    AdjudicationDecision,
    Exclusion,
    ExclusionKind,
    ParticipationStatus,
    ReviewDecision,
    Surface,
)

ROWS_AT_ONCE = 10_000
"""How many rows of a query are held beside the frame that is made of them."""


def read_frame(session: Session, query: sa.Select[Any]) -> pd.DataFrame:
    """The rows of a query as a frame of Python objects, with None for NULL; equal texts are one object.

    The query is run on the session's connection, which takes half of the time: no row is searched for entities.
    """
    result = session.connection().execute(query)
    names = list(result.keys())
    columns: list[list[Any]] = [[] for _ in names]
    interned: dict[str, str] = {}
    for rows in result.partitions(ROWS_AT_ONCE):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.extend([interned.setdefault(value, value) if type(value) is str else value for value in values])
    return pd.DataFrame(dict(zip(names, columns, strict=True)), columns=names, dtype=object)


def read_adjudications(session: Session, project: Project, *, question: str) -> pd.DataFrame:
    """One row per decision on a main item, by item_id and number: what was decided, by whom, when, and why it waited.

    Columns: item_id, item_revision, number, decision, labels (the right answers, the gold first, as a JSON list),
    version, adjudicator, decided_on (the day), comment, holds (it was not taken back), reasons (a JSON list), stratum;
    adjudicator is None where a fix of the item took the decision back.
    """
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Adjudication.item_revision),
        col(Adjudication.number),
        col(Adjudication.decision),
        col(Adjudication.labels),
        col(Adjudication.gold_version).label("version"),
        col(Annotator.pseudonym).label("adjudicator"),
        col(Adjudication.at).label("decided_on"),
        col(Adjudication.comment),
        col(AdjudicationCase.reasons),
        col(AdjudicationCase.stratum),
    ]
    query = (
        sa.select(*columns)
        .select_from(Adjudication)
        .join(Item, col(Item.id) == col(Adjudication.item_id))
        .outerjoin(Annotator, col(Annotator.id) == col(Adjudication.annotator_id))
        .outerjoin(
            AdjudicationCase,
            (col(AdjudicationCase.item_id) == col(Adjudication.item_id))
            & (col(AdjudicationCase.question) == col(Adjudication.question)),
        )
        .where(col(Item.project_id) == project.id, col(Adjudication.question) == question)
        .order_by(col(Item.external_id), col(Adjudication.number))
    )
    frame = read_frame(session, query)
    last = frame.groupby("item_id")["number"].transform("max") if len(frame) else frame["number"]
    undone = frame["decision"] == AdjudicationDecision.UNDONE
    frame = frame.assign(holds=((frame["number"] == last) & ~undone).astype(object))
    return _write_values(frame, lists=("labels", "reasons"), time="decided_on")


def read_gold_strata(session: Session, project: Project, *, question: str) -> dict[str, str]:
    """The stratum of each item that was drawn for the gold review of a question, by item_id, in the offered order."""
    drawn = sa.select(col(Item.external_id), col(AdjudicationCase.stratum)).join(
        AdjudicationCase, col(AdjudicationCase.item_id) == col(Item.id)
    )
    of_question = drawn.where(col(Item.project_id) == project.id, col(AdjudicationCase.question) == question)
    rows = session.execute(
        of_question.where(col(AdjudicationCase.gold_review_id).is_not(None)).order_by(
            col(AdjudicationCase.position), col(AdjudicationCase.id)
        )
    )
    return {item: str(stratum) for item, stratum in rows}


def read_reviews(session: Session, project: Project) -> pd.DataFrame:
    """One row per decision on an answer, by item_id, annotator and number.

    Columns: item_id, annotator (whose answer it is), revision (of the answer), number, decision, reason, reviewer,
    reviewed_on (the day), gold_shown, holds (it was not taken back, and the answer was not corrected since).
    """
    reviewer = aliased(Annotator)
    revisions = (
        sa.select(sa.func.max(col(Judgement.revision)))
        .where(col(Judgement.assignment_id) == col(Assignment.id))
        .scalar_subquery()
    )
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Annotator.pseudonym).label("annotator"),
        col(SubmissionReview.assignment_id),
        col(SubmissionReview.revision),
        col(SubmissionReview.number),
        col(SubmissionReview.decision),
        col(SubmissionReview.reason),
        col(reviewer.pseudonym).label("reviewer"),
        col(SubmissionReview.at).label("reviewed_on"),
        col(SubmissionReview.gold_shown),
        revisions.label("last_revision"),
    ]
    query = (
        sa.select(*columns)
        .select_from(SubmissionReview)
        .join(Assignment, col(Assignment.id) == col(SubmissionReview.assignment_id))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(reviewer, col(reviewer.id) == col(SubmissionReview.annotator_id))
        .where(col(Assignment.project_id) == project.id)
        .order_by(col(Item.external_id), col(Annotator.pseudonym), col(Assignment.id), col(SubmissionReview.number))
    )
    frame = read_frame(session, query)
    last = frame.groupby("assignment_id")["number"].transform("max") if len(frame) else frame["number"]
    holds = (frame["number"] == last) & (frame["decision"] != ReviewDecision.UNDONE)
    frame = frame.assign(holds=(holds & (frame["revision"] == frame["last_revision"])).astype(object))
    return _write_values(frame.drop(columns=["assignment_id", "last_revision"]), lists=(), time="reviewed_on")


def _write_values(frame: pd.DataFrame, *, lists: tuple[str, ...], time: str) -> pd.DataFrame:
    """Lists as JSON, times as days, decisions as text, None for an unknown or empty cell."""

    def encode_list(value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False)

    columns: dict[str, list[Any]] = {name: [encode_list(value) for value in frame[name]] for name in lists}
    columns[time] = [value.date().isoformat() for value in frame[time]]
    columns["decision"] = [str(decision.value) for decision in frame["decision"]]
    written = frame.assign(
        **{name: pd.Series(values, index=frame.index, dtype=object) for name, values in columns.items()}
    )
    return written.astype(object).mask(written.isna() | (written == ""), None)


ANSWER_PAGE = "answer page"
"""The surface of answers that were given on the answer page."""
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
    reason), option_order (indices of the options in the order shown), position (1 for the annotator's first), page,
    session (1 for the annotator's first; a pause of 30 minutes begins another), seconds, gap_hours (of a repeat: since
    the answer that it repeats), instruction_sha256, stimulus_sha256, stage, is_control, is_repeat, exposed, revision,
    flags (a JSON list), excluded_kind and excluded_reason (why it does not count, as `store/judgements` says it; None
    where it counts), by_rule (a quality rule or an organiser excluded it), post_hoc, first_excluded_kind (the kind by
    which the first answer would not count), assignment_kind (the kind by which the answer would not count without the
    exclusion that is stored with it), surface (where it was answered: a `Surface`, or ANSWER_PAGE);
    unknown cells are None. No clock times.
    """
    frame = read_frame(session, _select_answers(project))
    frame["flags"] = [None if value is None else json.dumps(value, ensure_ascii=False) for value in frame["flags"]]
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
    frame = frame.drop(columns=["answered_at", "occasion", "answers", "first_answers", "option_orders"])
    return frame.astype(object).mask(frame.isna(), None)


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
        col(Assignment.option_orders),
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
        sa.case(
            (col(Judgement.on_page), ANSWER_PAGE), else_=sa.type_coerce(col(Assignment.surface), sa.String())
        ).label("surface"),
    ]


def _use_later_question(frame: pd.DataFrame, name: str) -> None:
    """Replace answers to the first question by those to a later one."""
    final, earlier, orders = (
        [cell.get(name) if isinstance(cell, dict) else None for cell in frame[column]]
        for column in ("answers", "first_answers", "option_orders")
    )
    first = [old if revision > 0 else new for old, new, revision in zip(earlier, final, frame["revision"], strict=True)]
    for column, cells in (("response", final), ("first_response", first), ("option_order", orders)):
        frame[column] = pd.Series(cells, index=frame.index, dtype=object)
    frame["response_raw"] = frame["response"].fillna("")


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
