"""Adjudication cases: which items wait for an adjudicator, and the plan of a gold review.

Which items are doubtful is computed outside, from all answers (`bot/doubtful_items.py`); open reports are looked up
here. The cases are stored, so that every surface offers the same ones in the same random order.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import spelling
from aggregation.scoring import normalise_answer
from annotation.campaigns.questions import Question, QuestionContent
from annotation.errors import BadInput, Conflict, NotFound, Refused, Where
from annotation.loading.drafts import format_value
from annotation.store import journal, overlap_counts, queries
from annotation.store.models import (
    AdjudicationCase,
    GoldReview,
    Item,
    ItemRow,
    LabelStudioReviewTask,
    Project,
    ProjectTally,
    Report,
)
from annotation.vocabulary import CaseReason, Event, GoldStratum, ItemStatus, Pool
from annotation.workflow import definitions
from annotation.workflow.quality import gold_answers


@dataclass(frozen=True, kw_only=True)
class OpenReport:
    """A report that is not resolved.

    `project` is the project's name, `item` the item's external id; `paused` says whether the item is paused, so that
    it is not assigned any more. `reason` and `text` are what the annotator chose and wrote.
    """

    project: str
    item: str
    paused: bool
    reason: str
    text: str
    at: datetime


def list_open_reports(session: Session, *, project_id: int | None = None) -> Sequence[OpenReport]:
    """The open reports of all projects, or of one project, oldest first."""
    reports = select(Report, Item, Project).join(Item, col(Item.id) == col(Report.item_id)).join(Project)
    if project_id is not None:
        reports = reports.where(Item.project_id == project_id)
    rows = session.exec(reports.where(col(Report.resolved_at).is_(None)).order_by(col(Report.id)))
    return [
        OpenReport(
            project=project.name,
            item=item.external_id,
            paused=item.status is ItemStatus.PAUSED,
            reason=report.reason,
            text=report.text,
            at=report.at,
        )
        for report, item, project in rows
    ]


def dismiss_reports(session: Session, *, project: Project, item: str, now: datetime) -> int:
    """Resolve all open reports on an item that needs no fix, and resume the item where it was paused.

    `item` is the external id. Returns how many reports were resolved. Raises NotFound for an unknown item, and for an
    item that is not paused and has no open reports.
    """
    item = queries.resolve_item_id(session, project_id=project.id or 0, written=item)
    of_external_id = select(Item).where(Item.project_id == project.id, Item.external_id == item)
    stored_item = session.exec(of_external_id.with_for_update()).first()
    item_id = 0 if stored_item is None else stored_item.id or 0
    reports = sa.update(Report).where(col(Report.item_id) == item_id, col(Report.resolved_at).is_(None))
    count = session.connection().execute(reports.values(resolved_at=now)).rowcount
    if stored_item is None or (not count and stored_item.status is not ItemStatus.PAUSED):
        raise NotFound(
            f"Nothing is reported about {spelling.quote_word(item)}.",
            where=Where(field="item"),
            remedy="`hromada messages reports` lists what is.",
        )
    if stored_item.status is ItemStatus.PAUSED:
        overlap_counts.resume_item(session, item_id=item_id, now=now)
    session.expire_all()
    data = {"item": item, "reports": count}
    journal.record_event(session, Event.REPORTS_DISMISSED, now=now, project_id=project.id, data=data)
    return count


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """An answer to choose: as it is stored, and as it is shown.

    `votes` is how many answers that count say it; None where that is not told.
    """

    answer: str
    text: str
    votes: int | None


def build_content(item: ItemRow) -> QuestionContent:
    """The content of an item for its questions."""
    return QuestionContent(
        options=None if item.options is None else tuple(item.options),
        fields={name: format_value(value) for name, value in item.data.items()},
    )


def list_candidates(
    question: Question,
    item: Item,
    *,
    votes: Sequence[str],
    others: Iterable[str],
    order_key: str,
    with_votes: bool,
) -> tuple[Candidate, ...]:
    """The candidates of an item: all its options, or all different answers.

    `votes` are answers that count, `others` further candidates: gold, excluded answers, answers of models. Answers that
    are equal under the question's normalisation are one candidate, in its most frequent form. `order_key` names the
    adjudicator.
    """
    content = build_content(item)
    options = question.get_substantive_labels(item.options) if question.takes_one_option else ()
    counted: dict[str, Counter[str]] = {}
    for answer in votes:
        counted.setdefault(normalise_answer(question.normalisation, answer), Counter())[answer] += 1
    for answer in others:
        counted.setdefault(normalise_answer(question.normalisation, answer), Counter({answer: 0}))
    forms = {
        same: min(found, key=lambda answer: (-found[answer], answer))
        for same, found in counted.items()
        if same != question.abstention
    }
    answers = [*options, *(form for form in forms.values() if form not in options)]
    if not (question.takes_one_option and question.fixed_options):
        labels = question.get_labels(item.options)
        last = labels[len(labels) - question.last_options :]

        def get_place(answer: str) -> tuple[bool, bytes]:
            return answer in last, hashlib.sha256(f"{order_key}\x1f{item.external_id}\x1f{answer}".encode()).digest()

        answers.sort(key=get_place)
    return tuple(
        Candidate(
            answer=answer,
            text=question.describe_answer(answer, content),
            votes=counted.get(normalise_answer(question.normalisation, answer), Counter()).total()
            if with_votes
            else None,
        )
        for answer in answers
    )


def parse_label(question: Question, item: Item, raw: str) -> str:
    """An answer of the adjudicator's own as answers are stored; raises BadInput for one that does not fit."""
    content = build_content(item)
    if question.is_unanswered(raw):
        raise question.build_refusal("is not answered.", "It needs an answer.")
    label = question.encode_answer(question.parse_answer(raw, content))
    if question.is_abstention(label):
        raise question.build_refusal("has an abstention for gold.", "Choose an option, or say that the item is broken.")
    return label


LEAST_SAMPLE = 50
"""The least number of items of the stratum `rest` in a gold review, where there are so many."""
OPEN_REPORT = CaseReason.REPORT
MOST_NAMES = 1000
"""How many items a statement looks for at once."""
SAMPLE_SALT, ORDER_SALT = "sample", "order"
"""What the random numbers of an item are for: were they the same, drawn items would come before the conflicts."""


def get_question(project: Project, name: str | None) -> Question:
    """The question of this name, or the first one; raises BadInput for a name that the project does not have."""
    questions = definitions.get_project_definition(project).all_questions
    chosen = questions[0] if name is None else next((question for question in questions if question.name == name), None)
    if chosen is None:
        names = ", ".join(question.name for question in questions)
        raise BadInput(f"{project.name!r} asks no question {name!r}.", remedy=f"It asks: {names}.")
    return chosen


def refresh_cases(
    session: Session, *, project: Project, question: str, doubts: Mapping[str, Collection[CaseReason]], now: datetime
) -> int:
    """Store the doubtful items as cases: `doubts` by external id, and those with open reports; how many wait.

    Cases that are doubtful no more are deleted unless they were drawn for a gold review or are in Label Studio. Decided
    ones stay as they are.
    """
    _lock_project(session, project)
    reasons: dict[int, list[str]] = defaultdict(list)
    items = {item.external_id: item for item in _list_main_items(session, project)}
    for external_id, doubt in doubts.items():
        if external_id in items:
            reasons[items[external_id].id or 0] += [reason.value for reason in CaseReason if reason in doubt]
    for item_id in _list_reported_items(session, project):
        reasons[item_id].append(OPEN_REPORT.value)
    waiting = {case.item_id: case for case in _list_undecided_cases(session, project, question)}
    pushed = set(session.exec(select(LabelStudioReviewTask.case_id)))
    for item_id, case in waiting.items():
        case.reasons = reasons.get(item_id, [])
        session.add(case)
        if not case.reasons and case.gold_review_id is None and case.id not in pushed:
            session.delete(case)
    tally = session.get(ProjectTally, project.id)
    if tally is not None:  # what was in doubt then is a case now, or in doubt no more
        tally.doubts = [doubt for doubt in tally.doubts if doubt[1] != question]
        session.add(tally)
    decided = {item.id for item, _ in queries.list_holding(session, project_id=project.id or 0, question=question)}
    for item in items.values():
        if (item.id or 0) in reasons and item.id not in waiting and item.id not in decided:
            session.add(_build_case(item, question=question, seed=0, reasons=reasons[item.id or 0], now=now))
    session.flush()
    return sum(1 for item_id in reasons if item_id not in decided)


def add_cases(
    session: Session, *, project: Project, question: str, reasons: Mapping[str, Collection[str]], now: datetime
) -> None:
    """Store doubtful items as cases, with why (values of `CaseReason`) by external id; those that are cases are left.

    `refresh_cases` also deletes those that are doubtful no more.
    """
    _lock_project(session, project)
    present = {case.item_id for case in _list_cases(session, project, question)}
    names = sorted(reasons)
    for start in range(0, len(names), MOST_NAMES):
        named = col(Item.external_id).in_(names[start : start + MOST_NAMES])
        for item in session.exec(select(Item).where(Item.project_id == project.id, Item.pool == Pool.MAIN, named)):
            if item.id not in present:
                why = [*reasons[item.external_id]]
                session.add(_build_case(item, question=question, seed=0, reasons=why, now=now))
    session.flush()


def plan_gold_review(
    session: Session,
    *,
    project: Project,
    question: str,
    strata: Mapping[str, GoldStratum],
    candidates: Mapping[str, Sequence[str]],
    sample: int,
    seed: int,
    now: datetime,
) -> GoldReview:
    """Draw the items of a gold review: all of the strata `people` and `models`, and `sample` of the rest.

    `strata` has the stratum of every main item with declared gold, by external id; `candidates` are answers of models,
    as answers are stored, offered beside those of people. A review of which nothing is decided yet is drawn again.
    Raises BadInput for a sample below LEAST_SAMPLE, Refused without declared gold, and Conflict where items of the
    review are decided.
    """
    if sample < LEAST_SAMPLE:
        raise BadInput(
            f"A sample of {sample} is too small.",
            where=Where(field="sample"),
            remedy=f"Use {LEAST_SAMPLE} or more.",
        )
    _lock_project(session, project)
    _drop_gold_review(session, project=project, question=question)
    items = [item for item in _list_main_items(session, project) if item.external_id in strata]
    if not items:
        raise Refused(f"{project.name} has no declared gold to review.", remedy="Name it in `items.gold`.")
    by_stratum: dict[GoldStratum, list[Item]] = {stratum: [] for stratum in GoldStratum}
    for item in sorted(items, key=lambda item: (_draw_number(SAMPLE_SALT, seed, item.external_id), item.external_id)):
        by_stratum[strata[item.external_id]].append(item)
    drawn = by_stratum | {GoldStratum.REST: by_stratum[GoldStratum.REST][:sample]}
    review = GoldReview(
        project_id=project.id or 0,
        question=question,
        seed=seed,
        strata={
            stratum.value: {"items": len(every), "drawn": len(drawn[stratum])} for stratum, every in by_stratum.items()
        },
        created_at=now,
    )
    session.add(review)
    session.flush()
    present = {case.item_id: case for case in _list_cases(session, project, question)}
    for stratum, drawn_items in drawn.items():
        for item in drawn_items:
            case = present.get(item.id or 0) or _build_case(item, question=question, seed=seed, reasons=[], now=now)
            case.gold_review_id, case.stratum = review.id, stratum.value
            case.candidates = list(dict.fromkeys(candidates.get(item.external_id, ())))
            case.position = _draw_number(ORDER_SALT, seed, item.external_id)
            session.add(case)
    session.flush()
    return review


def _drop_gold_review(session: Session, *, project: Project, question: str) -> None:
    """Delete the plan of a gold review, if there is one; raises Conflict where items of it were decided since."""
    review = find_gold_review(session, project=project, question=question)
    if review is None:
        return
    drawn = [case for case in _list_cases(session, project, question) if case.gold_review_id == review.id]
    holding = queries.list_holding(session, project_id=project.id or 0, question=question)
    decided_at = {item.id: decision.at for item, decision in holding}
    number = sum(decided_at.get(case.item_id, review.created_at) > review.created_at for case in drawn)
    if number:
        raise Conflict(
            f"The gold review has begun: {number} of its {len(drawn)} items are decided.",
            remedy="Go on with it: leave --sample and --models out.",
        )
    pushed = set(session.exec(select(LabelStudioReviewTask.case_id)))
    for case in drawn:
        case.gold_review_id, case.stratum, case.candidates = None, None, []
        session.add(case)
        if not case.reasons and case.id not in pushed and case.item_id not in decided_at:
            session.delete(case)
    session.flush()
    session.delete(review)
    session.flush()


def find_gold_review(session: Session, *, project: Project, question: str) -> GoldReview | None:
    """The plan of the gold review of a question; None where there is none."""
    return session.exec(
        select(GoldReview).where(GoldReview.project_id == project.id, GoldReview.question == question)
    ).first()


def list_gold_items(session: Session, *, project: Project, question: str) -> dict[str, str]:
    """The declared gold of a question by external id, of main items that are in use."""
    return {item.external_id: gold for item, gold in _list_items_with_gold(session, project, question)}


def list_gold_contents(session: Session, *, project: Project, question: str) -> dict[str, QuestionContent]:
    """The contents of the items of `list_gold_items`, by external id."""
    return {item.external_id: build_content(item) for item, _ in _list_items_with_gold(session, project, question)}


def _list_items_with_gold(session: Session, project: Project, question: str) -> list[tuple[Item, str]]:
    questions = definitions.get_project_definition(project).all_questions
    golds = [
        (item, gold_answers.get_gold_answers(item, questions).get(question))
        for item in _list_main_items(session, project)
    ]
    return [(item, gold) for item, gold in golds if gold is not None]


def _lock_project(session: Session, project: Project) -> None:
    """Let nobody else store cases or a plan of the project until the transaction ends."""
    session.refresh(project, with_for_update={"key_share": True})


def _build_case(item: Item, *, question: str, seed: int, reasons: list[str], now: datetime) -> AdjudicationCase:
    return AdjudicationCase(
        item_id=item.id or 0,
        question=question,
        reasons=reasons,
        candidates=[],
        position=_draw_number(ORDER_SALT, seed, item.external_id),
        created_at=now,
    )


def _draw_number(salt: str, seed: int, external_id: str) -> int:
    """A number below 2³¹ that depends on what it is for, the seed and the item alone."""
    return int.from_bytes(hashlib.sha256(f"{salt}\x1f{seed}\x1f{external_id}".encode()).digest()[:4]) >> 1


def _list_main_items(session: Session, project: Project) -> Sequence[Item]:
    items = select(Item).where(Item.project_id == project.id, Item.pool == Pool.MAIN, Item.status != ItemStatus.RETIRED)
    return session.exec(items.order_by(col(Item.external_id))).all()


def _list_reported_items(session: Session, project: Project) -> Sequence[int]:
    reported = select(Report.item_id).join(Item).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    return session.exec(reported.where(col(Report.resolved_at).is_(None)).distinct()).all()


def _list_cases(session: Session, project: Project, question: str) -> Sequence[AdjudicationCase]:
    cases = select(AdjudicationCase).join(Item).where(Item.project_id == project.id)
    return session.exec(cases.where(AdjudicationCase.question == question)).all()


def _list_undecided_cases(session: Session, project: Project, question: str) -> Sequence[AdjudicationCase]:
    decided = queries.build_decided_condition(col(AdjudicationCase.item_id), col(AdjudicationCase.question))
    cases = select(AdjudicationCase).join(Item).where(Item.project_id == project.id, sa.not_(decided))
    return session.exec(cases.where(AdjudicationCase.question == question)).all()
