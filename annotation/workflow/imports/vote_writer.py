"""Storage of imported votes as assignments and judgements, many rows in one statement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation.findings import write_plain
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.quality import ControlRule
from annotation.input_files import FileRow
from annotation.loading.drafts import VoteDraft
from annotation.store import journal, judgements, table_base
from annotation.store.judgements import FinalAnswer
from annotation.store.models import Assignment, Judgement, Project
from annotation.vocabulary import AssignmentStatus, Event, Exclusion, ExclusionKind, Pool, RepeatPolicy, Stage, Surface
from annotation.workflow.imports import repeated_votes
from annotation.workflow.imports.repeated_votes import NumberedVote
from annotation.workflow.lifecycle.item_writer import ROWS_PER_STATEMENT, Progress
from annotation.workflow.quality import exclusions, rules

ItemVote = tuple[int, int, VoteDraft]
"""Database ids of the item and of the annotator, and the vote."""

_GIVEN_LATER = {
    ExclusionKind.REPEAT,
    ExclusionKind.EARLIER,
    ExclusionKind.RULE,
    ExclusionKind.ORGANISER,
    ExclusionKind.WITHDRAWN,
}
"""Exclusions that a vote does not bring from its file: without them it would count."""


@dataclass(frozen=True, kw_only=True)
class SortedVotes:
    """The votes of a file: `new` ones in file order, and the number that was imported before.

    `differing` are the rows of new votes of an annotator on an item whose imported vote, which would count, is another.
    """

    new: tuple[ItemVote, ...]
    n_known: int
    differing: tuple[FileRow, ...]


@dataclass
class _StoredVotes:
    """The contents of the stored votes of an annotator on an item; `current` is the last that would count."""

    contents: Counter[Hashable] = field(default_factory=Counter)
    current: Hashable = None

    def take_current(self, vote: VoteDraft) -> bool:
        """Take the current vote; whether it is the same as this one."""
        return _get_content(vote) == self.current and self.take(vote)

    def take(self, vote: VoteDraft) -> bool:
        """Take a stored vote that is the same as this one; whether there is one that was not taken yet."""
        content = _get_content(vote)
        if not self.contents[content]:
            return False
        self.contents[content] -= 1
        return True


def sort_votes(session: Session, project: Project, votes: Sequence[ItemVote], *, policy: RepeatPolicy) -> SortedVotes:
    """Sort the votes of a file into new ones and those that were imported into the project before.

    A vote was imported before where one with the same content by the same annotator on the same item is stored. Where
    the last vote counts, the last one of the file is new unless it is the stored one that counts: somebody may have
    returned to an earlier answer. Where all count, each row is a vote of its own, and all are new.
    """
    stored = _list_stored_votes(session, project)
    voted = {pair for pair, found in stored.items() if found.current is not None}
    if policy is RepeatPolicy.ALL:
        same = set[int]()
    else:
        last = _find_last_votes(votes) if policy is RepeatPolicy.LAST else {}
        same = {index for pair, index in last.items() if pair in stored and stored[pair].take_current(votes[index][2])}
        same |= {
            index
            for index, (item, annotator, vote) in enumerate(votes)
            if (item, annotator) in stored
            and index != last.get((item, annotator))
            and stored[item, annotator].take(vote)
        }
    new = [row for index, row in enumerate(votes) if index not in same]
    return SortedVotes(
        new=tuple(new),
        n_known=len(same),
        differing=tuple(
            vote.origin for item, annotator, vote in new if vote.exclusion is None and (item, annotator) in voted
        ),
    )


def _find_last_votes(votes: Sequence[ItemVote]) -> dict[tuple[int, int], int]:
    """The index of the last vote that would count, by item and annotator."""
    return {(item, annotator): index for index, (item, annotator, vote) in enumerate(votes) if vote.exclusion is None}


def _list_stored_votes(session: Session, project: Project) -> Mapping[tuple[int, int], _StoredVotes]:
    """The imported votes of the project as they came, by item and annotator."""
    columns = (
        col(Assignment.item_id), col(Assignment.annotator_id), col(Judgement.response), col(Judgement.answers),
        col(Judgement.skip_reason), col(Judgement.seconds), col(Judgement.excluded_kind),
    )  # fmt: skip
    query = (
        sa.select(*columns)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(col(Assignment.project_id) == project.id, col(Assignment.surface) == Surface.IMPORT)
        .where(col(Judgement.revision) == 0, col(Assignment.occasion) >= 0)
        .order_by(col(Assignment.item_id), col(Assignment.annotator_id), col(Assignment.occasion))
    )
    stored: dict[tuple[int, int], _StoredVotes] = defaultdict(_StoredVotes)
    for item, annotator, response, answers, skip_reason, seconds, kind in session.connection().execute(query):
        own_kind = None if kind in _GIVEN_LATER else kind
        content = _build_content(response, answers, skip_reason, seconds, own_kind)
        stored_votes = stored[item, annotator]
        stored_votes.contents[content] += 1
        if own_kind is None and kind != ExclusionKind.REPEAT:
            stored_votes.current = content
    return dict(stored)


def _get_content(vote: VoteDraft) -> Hashable:
    kind = None if vote.exclusion is None else vote.exclusion.kind
    return _build_content(vote.response, vote.answers, vote.skip_reason, vote.seconds, kind)


def _build_content(
    response: str | None,
    answers: Mapping[str, str] | None,
    skip_reason: str | None,
    seconds: float | None,
    kind: ExclusionKind | None,
) -> Hashable:
    """What makes two votes the same: the answers, how long they took, and why the file says that they do not count."""
    return response or "", tuple(sorted((answers or {}).items())), skip_reason, seconds, kind


@dataclass(frozen=True, kw_only=True)
class ControlRuleResults:
    """The result of checking imported votes by the control-item rules of a project.

    `annotators` is how many annotators answered control items. `flagged` and `excluded` hold the database ids of the
    annotators who failed a rule, by the rule in words; the rule's consequence decides between the two.
    """

    annotators: int
    flagged: Mapping[str, frozenset[int]]
    excluded: Mapping[str, frozenset[int]]


def lift_exclusions(session: Session, *, project: Project, now: datetime) -> None:
    """Reinstate the imported answers that rules excluded, so that repeats are settled among all votes.

    Only control-item rules exclude imported answers; the rules may have been others then. Called before more votes are
    stored; afterwards `enforce_control_rules` applies the rules of today.
    """
    excluded = (
        select(Judgement.excluded_reason, Judgement.assignment_id)
        .join(Assignment)
        .where(Assignment.project_id == project.id, Assignment.surface == Surface.IMPORT)
        .where(judgements.build_stored_kind_condition(ExclusionKind.RULE))
    )
    assignment_ids = defaultdict(list)
    for reason, assignment_id in session.exec(excluded.order_by(col(Judgement.assignment_id))):
        assignment_ids[reason or ""].append(assignment_id)
    for reason, ids in assignment_ids.items():
        exclusion = Exclusion(ExclusionKind.RULE, reason)
        exclusions.reinstate_answers(session, assignment_ids=ids, exclusion=exclusion, now=now)


def enforce_control_rules(
    session: Session, *, project: Project, definition: ProjectFile, now: datetime
) -> ControlRuleResults:
    """Apply every control-item rule to every annotator of imported votes; exclude or flag those who fail it."""
    answers_by_annotator: dict[int, list[FinalAnswer]] = defaultdict(list)
    for answer in judgements.list_imported_control_answers(session, project_id=project.id or 0):
        answers_by_annotator[answer.annotator_id].append(answer)
    flagged: dict[str, frozenset[int]] = {}
    excluded: dict[str, frozenset[int]] = {}
    outcomes_by_annotator = {
        annotator_id: rules.mark_control_answers(definition, answers)
        for annotator_id, answers in answers_by_annotator.items()
    }
    for rule in definition.quality:
        if isinstance(rule, ControlRule):
            failed = frozenset(
                annotator_id
                for annotator_id, outcomes in outcomes_by_annotator.items()
                if rules.find_control_breach(rule, outcomes) is not None
            )
            (flagged if rule.consequence == "flag" else excluded)[rules.describe_rule(rule)] = failed
    post_hoc = rules.have_rules_changed(project, definition)
    for reason, annotator_ids in excluded.items():
        assignment_ids = _list_assignments(session, annotator_ids, project=project)
        exclusion = Exclusion(ExclusionKind.RULE, reason)
        exclusions.exclude_answers(
            session, assignment_ids=assignment_ids, exclusion=exclusion, post_hoc=post_hoc, now=now
        )
    for reason, annotator_ids in flagged.items():
        last_assignments = [
            answers_by_annotator[annotator_id][-1].assignment_id for annotator_id in sorted(annotator_ids)
        ]
        _flag_judgements(session, last_assignments, reason=reason, project=project, now=now)
    return ControlRuleResults(annotators=len(answers_by_annotator), flagged=flagged, excluded=excluded)


def _list_assignments(session: Session, annotator_ids: Collection[int], *, project: Project) -> list[int]:
    """The ids of all imported assignments of the annotators in the main stage of the project."""
    imported = select(Assignment.id, Assignment.annotator_id).where(
        Assignment.project_id == project.id,
        Assignment.surface == Surface.IMPORT,
        Assignment.stage == Stage.MAIN,
    )
    if not annotator_ids:
        return []
    rows = session.exec(imported)
    return [
        assignment_id
        for assignment_id, annotator_id in rows
        if assignment_id is not None and annotator_id in annotator_ids
    ]


def _flag_judgements(session: Session, ids: Collection[int], *, reason: str, project: Project, now: datetime) -> None:
    """Add `reason` as a flag to the final judgements of the assignments with these ids, where they lack it."""
    final_judgements = select(Judgement).where(
        col(Judgement.assignment_id).in_(ids), judgements.build_final_revision_condition()
    )
    unflagged = [judgement for judgement in session.exec(final_judgements) if reason not in (judgement.flags or [])]
    for judgement in unflagged:
        judgement.flags = [*(judgement.flags or []), reason]
    session.add_all(unflagged)
    if unflagged:
        data = {
            "rule": write_plain(reason),
            "people": len(unflagged),
            "assignments": [judgement.assignment_id for judgement in unflagged],
        }
        journal.record_event(session, Event.QUALITY_FLAGGED, now=now, project_id=project.id, data=data)


@dataclass(frozen=True, kw_only=True)
class VoteItem:
    """An item of the project that votes are imported into: its database id, revision and pool."""

    id: int
    revision: int
    pool: Pool


def insert_votes(
    session: Session,
    project: Project,
    votes: Sequence[NumberedVote],
    *,
    items: Mapping[int, VoteItem],
    progress: Progress | None,
) -> None:
    """Store votes as assignments and judgements, and add those that count to the counts of their items.

    `items` are all items of the project by database id.
    """
    report_progress = progress or (lambda _share: None)
    last_id = session.execute(sa.select(sa.func.max(col(Assignment.id)))).scalar_one() or 0
    for start in range(0, len(votes), ROWS_PER_STATEMENT):
        _insert_assignments(session, project, votes[start : start + ROWS_PER_STATEMENT], items)
        report_progress(0.5 * start / len(votes))
    assignment_ids = _read_assignment_ids(session, project, after=last_id)
    for start in range(0, len(votes), ROWS_PER_STATEMENT):
        _insert_judgements(session, votes[start : start + ROWS_PER_STATEMENT], assignment_ids)
        report_progress(0.5 + 0.5 * start / len(votes))
    repeated_votes.add_answer_counts(session, Counter(item for item, _, _, vote in votes if vote.exclusion is None))


def _insert_assignments(
    session: Session, project: Project, batch: Sequence[NumberedVote], items: Mapping[int, VoteItem]
) -> None:
    vote_items = [items[item] for item, _, _, _ in batch]
    has_orders = any(vote.option_order is not None for _, _, _, vote in batch)
    orders = {"option_order": [vote.option_order for _, _, _, vote in batch]} if has_orders else {}
    table_base.insert_rows(
        session,
        Assignment,
        {
            "item_id": [item.id for item in vote_items],
            "item_revision": [item.revision for item in vote_items],
            "annotator_id": [annotator for _, annotator, _, _ in batch],
            "occasion": [occasion for _, _, occasion, _ in batch],
            "stage": [item.pool.stage for item in vote_items],
            "is_control": [vote.is_control for _, _, _, vote in batch],
            "holds_place": [vote.exclusion is None for _, _, _, vote in batch],
            **orders,
        },
        constants={
            "project_id": project.id,
            "surface": Surface.IMPORT,
            "status": AssignmentStatus.DONE,
            "is_repeat": False,  # not a repeat that a project asked for; the repeat policy excludes repeated votes
        },
    )


def _read_assignment_ids(session: Session, project: Project, *, after: int) -> dict[tuple[int, int, int], int]:
    """The ids of the project's assignments beyond the id `after`, by (item id, annotator id, occasion).

    They are read in one query, which is faster than an INSERT that returns the id of each row.
    """
    columns = (col(Assignment.item_id), col(Assignment.annotator_id), col(Assignment.occasion), col(Assignment.id))
    query = sa.select(*columns).where(col(Assignment.project_id) == project.id, col(Assignment.id) > after)
    rows = session.connection().execute(query).all()
    return {(item, annotator, occasion): number for item, annotator, occasion, number in rows if number is not None}


def _insert_judgements(
    session: Session, batch: Sequence[NumberedVote], assignment_ids: Mapping[tuple[int, int, int], int]
) -> None:
    votes = [vote for _, _, _, vote in batch]
    exclusions = [table_base.list_exclusion_values(vote.exclusion) for vote in votes]
    table_base.insert_rows(
        session,
        Judgement,
        {
            "assignment_id": [assignment_ids[item, annotator, occasion] for item, annotator, occasion, _ in batch],
            "response": [vote.response for vote in votes],
            "response_raw": [vote.raw for vote in votes],
            "answers": [vote.answers for vote in votes],
            "seconds": [vote.seconds for vote in votes],
            "seconds_unknown": [vote.seconds_unknown for vote in votes],
            "skip_reason": [vote.skip_reason for vote in votes],
            **{name: [exclusion[name] for exclusion in exclusions] for name in exclusions[0]},
        },
        constants={"revision": 0},
    )
