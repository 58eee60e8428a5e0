"""Rules that must always hold for the rows, as queries that find the rows that break them; nothing is written.

`check_invariants` is shown by `hromada database check`; tests of concurrency and crashes use it as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import BadInput, Where
from annotation.store import judgements, migrations, models, pictures, pseudonyms
from annotation.store.database import make_read_engine
from annotation.store.models import (
    Annotator,
    AnswerMessage,
    Assignment,
    Cohort,
    Conversation,
    Exposure,
    Item,
    Judgement,
    ProfileAnswer,
    Project,
)
from annotation.vocabulary import AssignmentStatus, Pool, Surface

EXAMPLES = 5
"""How many ids a finding lists."""
IS_DONE = col(Assignment.status) == AssignmentStatus.DONE
IS_LIVE = col(Assignment.status) == AssignmentStatus.LIVE
IS_NOT_IMPORTED = col(Assignment.surface) != Surface.IMPORT
ViolationQuery = sa.Select[tuple[str]]


@dataclass(frozen=True, kw_only=True)
class IntegrityFinding:
    """The result of one rule: how many rows break it, and the first of them."""

    rule: str
    wrong: int
    examples: tuple[str, ...] = ()


def check_invariants(session: Session) -> tuple[IntegrityFinding, ...]:
    """The result of every rule, in a fixed order."""
    findings = [_check_invariant(session, rule, query()) for rule, query in RULES.items()]
    return (*findings, _build_finding("every shown picture is stored", pictures.list_items_without_picture(session)))


def list_violations(session: Session) -> tuple[IntegrityFinding, ...]:
    """The results of the rules that do not hold."""
    return tuple(finding for finding in check_invariants(session) if finding.wrong)


def _check_invariant(session: Session, rule: str, query: ViolationQuery) -> IntegrityFinding:
    rows = query.subquery()
    wrong = session.execute(sa.select(func.count()).select_from(rows)).scalar_one()
    examples = session.execute(sa.select(rows.c[0]).order_by(rows.c[0]).limit(EXAMPLES)).scalars() if wrong else ()
    return IntegrityFinding(rule=rule, wrong=wrong, examples=tuple(str(example) for example in examples))


def _build_row_label(kind: str, identity: Any) -> Any:
    return (sa.literal(f"{kind} ") + sa.cast(identity, sa.String)).label("name")


def _count_holders(*conditions: Any) -> Any:
    """The number of assignments that hold a place of the item and fulfil the conditions."""
    counted = sa.select(func.count()).select_from(Assignment)
    return counted.where(
        col(Assignment.item_id) == col(Item.id), col(Assignment.holds_place), *conditions
    ).scalar_subquery()


def _select_miscounted_items() -> ViolationQuery:
    wrong = sa.or_(col(Item.n_live) != _count_holders(), col(Item.n_done) != _count_holders(IS_DONE))
    return sa.select(_build_row_label("item", col(Item.id))).where(wrong)


def _select_items_above_overlap() -> ViolationQuery:
    """Imported votes come from outside and may be more than the overlap."""
    places = col(Item.free) + col(Item.held) + col(Item.n_live) - _count_holders(~IS_NOT_IMPORTED)
    joined = sa.select(_build_row_label("item", col(Item.id))).join(Project, col(Project.id) == col(Item.project_id))
    return joined.where(places > func.coalesce(col(Project.overlap_max), col(Project.overlap)))


def _select_negative_counts() -> ViolationQuery:
    counts = (Item.free, Item.held, Item.n_live, Item.n_done)
    return sa.select(_build_row_label("item", col(Item.id))).where(sa.or_(*(col(count) < 0 for count in counts)))


def _select_ended_place_holders() -> ViolationQuery:
    return sa.select(_build_row_label("assignment", col(Assignment.id))).where(
        col(Assignment.holds_place), ~IS_LIVE, ~IS_DONE
    )


def _select_wrong_projects() -> ViolationQuery:
    joined = sa.select(_build_row_label("assignment", col(Assignment.id))).join(
        Item, col(Item.id) == col(Assignment.item_id)
    )
    return joined.where(col(Assignment.project_id) != col(Item.project_id))


def _select_annotators_with_two_live() -> ViolationQuery:
    held = sa.select(_build_row_label("annotator", col(Assignment.annotator_id)))
    held = held.where(IS_LIVE, col(Assignment.surface) == Surface.TELEGRAM)
    return held.group_by(col(Assignment.annotator_id)).having(func.count() > 1)


def _select_repeated_positions() -> ViolationQuery:
    key = (col(Assignment.annotator_id), col(Assignment.project_id), col(Assignment.position))
    given = sa.select(_build_row_label("assignment", func.min(col(Assignment.id)))).where(
        IS_NOT_IMPORTED, key[2].is_not(None)
    )
    return given.group_by(*key).having(func.count() > 1)


def _select_revision_gaps() -> ViolationQuery:
    revisions = sa.select(_build_row_label("assignment", col(Judgement.assignment_id))).group_by(
        col(Judgement.assignment_id)
    )
    ends = sa.or_(func.min(col(Judgement.revision)) != 0, func.max(col(Judgement.revision)) != func.count() - 1)
    return revisions.having(ends)


def _select_contradicted_statuses() -> ViolationQuery:
    """Done without an answer, or answered and still live."""
    answered = select(Judgement.id).where(Judgement.assignment_id == Assignment.id).exists()
    return sa.select(_build_row_label("assignment", col(Assignment.id))).where(
        sa.or_(IS_DONE & ~answered, IS_LIVE & answered)
    )


def _select_wrong_open_revisions() -> ViolationQuery:
    newest = judgements.build_last_revision(col(Assignment.id))
    opened = col(Assignment.open_revision)
    is_wrong = sa.or_(IS_LIVE, IS_DONE & (opened != func.coalesce(newest, -1) + 1))
    return sa.select(_build_row_label("assignment", col(Assignment.id))).where(opened.is_not(None), is_wrong)


def _has_exposure(*conditions: Any) -> Any:
    met = select(Exposure.annotator_id).where(
        Exposure.annotator_id == Assignment.annotator_id, Exposure.group_id == Item.group_id, *conditions
    )
    return met.exists()


def _select_unrecorded_exposures() -> ViolationQuery:
    """Shown, without an exposure of the annotator to the group; erased annotators have no exposures."""
    joined = (
        sa.select(_build_row_label("assignment", col(Assignment.id)))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
    )
    recorded = _has_exposure(Exposure.project_id == Item.project_id)
    shown = (IS_NOT_IMPORTED, col(Assignment.shown_at).is_not(None), col(Annotator.forgotten_at).is_(None))
    return joined.where(*shown, ~recorded)


def _select_exposed_in_baselines() -> ViolationQuery:
    """In a baseline, of a group that the annotator had met: by another of its items, or in a project that is no
    exception.

    Training and qualification items may come from a known group; they are in no score. Control items are in none
    either, so that for them only the same project is looked at. What was taken out since, as two accounts were united,
    counts nowhere.
    """
    first = sa.and_(
        col(Project.definition)["kind"].as_string() == "baseline", IS_NOT_IMPORTED, col(Assignment.occasion) == 0
    )
    kept = col(Item.pool).in_((Pool.MAIN, Pool.PILOT))
    elsewhere = _has_exposure(Exposure.project_id != Item.project_id, col(Exposure.at) < col(Assignment.assigned_at))
    return (
        sa.select(_build_row_label("assignment", col(Assignment.id)))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Project, col(Project.id) == col(Item.project_id))
        .where(
            first,
            sa.or_(
                kept & ~col(Assignment.exposed) & elsewhere,
                (kept | _IS_CONTROL_ITEM) & ~_IS_TAKEN_OUT & _follows_item_of_same_group(),
            ),
        )
    )


_IS_CONTROL_ITEM = col(Item.pool) == Pool.CONTROL
_IS_TAKEN_OUT = col(Assignment.exposed) & (col(Assignment.status) == AssignmentStatus.WITHDRAWN)


def _follows_item_of_same_group() -> Any:
    """The annotator was assigned another item of the group in the project before; one pass over all assignments."""
    key = (col(Assignment.annotator_id), col(Item.project_id), col(Item.group_id))
    first = func.first_value(col(Assignment.item_id)).over(partition_by=key, order_by=col(Assignment.id))
    assigned = sa.select(col(Assignment.id), col(Assignment.item_id), first.label("first"))
    ordered = assigned.join(Item, col(Item.id) == col(Assignment.item_id)).where(IS_NOT_IMPORTED).subquery()
    return col(Assignment.id).in_(sa.select(ordered.c.id).where(ordered.c.item_id != ordered.c.first))


def _select_unerased_annotators() -> ViolationQuery:
    """What should have been erased when an annotator asked for it."""
    answered = (
        select(Judgement.id)
        .join(Assignment)
        .where(
            Assignment.annotator_id == Annotator.id,
            sa.or_(col(Judgement.response) != "", col(Judgement.response_raw) != ""),
        )
        .exists()
    )
    not_erased = sa.or_(col(Annotator.telegram_id).is_not(None), answered)
    return sa.select(_build_row_label("annotator", col(Annotator.id))).where(
        col(Annotator.forgotten_at).is_not(None), not_erased
    )


def _select_undetached_annotators() -> ViolationQuery:
    """What should have gone when an annotator was detached."""
    known = (
        col(table.annotator_id) == col(Annotator.id) for table in (ProfileAnswer, Cohort, Conversation, AnswerMessage)
    )
    told = (sa.select(sa.literal(1)).where(condition).exists() for condition in known)
    return sa.select(_build_row_label("annotator", col(Annotator.id))).where(
        col(Annotator.detached), sa.or_(col(Annotator.telegram_id).is_not(None), *told)
    )


def _select_impossible_durations() -> ViolationQuery:
    """Below zero, or known and not known at once: stored before durations were checked, or by hand."""
    is_both = col(Judgement.seconds).is_not(None) & col(Judgement.seconds_unknown).is_not(None)
    return sa.select(_build_row_label("judgement", col(Judgement.id))).where(
        sa.or_(col(Judgement.seconds) < 0, is_both)
    )


RULES: dict[str, Callable[[], ViolationQuery]] = {
    "an item's counts are those of its assignments": _select_miscounted_items,
    "an item has no more places than its overlap": _select_items_above_overlap,
    "no count is below zero": _select_negative_counts,
    "only what is live or done takes a place": _select_ended_place_holders,
    "an assignment is in its item's project": _select_wrong_projects,
    "nobody has two live items in Telegram": _select_annotators_with_two_live,
    "an annotator's items in a project are numbered once": _select_repeated_positions,
    "revisions of an answer run from 0 without a gap": _select_revision_gaps,
    "what is done is answered, what is live is not": _select_contradicted_statuses,
    "an opened revision is the next one": _select_wrong_open_revisions,
    "what was shown is recorded as met": _select_unrecorded_exposures,
    "nobody judges in a baseline what they had met": _select_exposed_in_baselines,
    "the time of an answer is possible or unknown": _select_impossible_durations,
    "of annotators who were forgotten nothing is left": _select_unerased_annotators,
    "nothing tells who detached annotators are": _select_undetached_annotators,
}


def check_database(engine: sa.Engine) -> tuple[IntegrityFinding, ...]:
    """Check the file, the schema and the rows, in this order; rows are not checked while file or revision is wrong.

    SQLite is asked about its file and its foreign keys; PostgreSQL checks both by itself.
    """
    with make_read_engine(engine).connect() as connection:
        revision = migrations.get_revision(connection)
        remedy = "hromada database upgrade" if revision in {None, *migrations.REVISIONS} else "upgrade hromada"
        wrong = [] if revision == migrations.HEAD else [f"it is {revision or 'empty'}: {remedy}"]
        findings = [*_check_file(connection), _build_finding(f"the schema's revision is {migrations.HEAD}", wrong)]
        if any(finding.wrong for finding in findings):
            return tuple(findings)
        with Session(connection) as session:
            return (
                *findings, _check_schema(connection), *check_invariants(session), _check_erased(session)
            )  # fmt: skip


def refuse_damage(connection: sa.Connection, *, where: Where) -> None:
    """Raise BadInput for a database that must not become a backup: a damaged file, or rows that break a rule.

    Rows of an older schema cannot be judged, and are taken as they are.
    """
    findings = [finding for finding in _check_file(connection) if finding.wrong]
    if not findings and migrations.get_revision(connection) == migrations.HEAD:
        with Session(connection) as session:
            findings = list(list_violations(session))
    if findings:
        first = findings[0]
        raise BadInput(
            "The database is damaged, so no backup was made."
            f" Broken rule: {first.rule} ({' '.join(first.examples[0].split())}).",
            where=where,
            remedy="Earlier backups are kept. See all of it: hromada database check.",
        )


def _check_file(connection: sa.Connection) -> tuple[IntegrityFinding, ...]:
    if connection.dialect.name != "sqlite":
        return ()
    damaged = [text for (text,) in connection.exec_driver_sql("PRAGMA integrity_check(100)") if text != "ok"]
    dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return (
        _build_finding("the file is whole", damaged),
        _build_finding(
            "what rows refer to is there", [f"{table} {row} to {parent}" for table, row, parent, _ in dangling]
        ),
    )


def _check_schema(connection: sa.Connection) -> IntegrityFinding:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    context = MigrationContext.configure(connection, opts={"compare_type": True})
    changes = [text for change in compare_metadata(context, models.metadata) for text in _describe_changes(change)]
    return _build_finding("tables, columns and indexes are those of the models", changes)


def _describe_changes(change: Any) -> list[str]:
    """The changes that would be needed, as text; Alembic lists changes of one column together."""
    if isinstance(change, list):
        return [text for part in change for text in _describe_changes(part)]
    names = [part if isinstance(part, str) else getattr(part, "name", None) for part in change[1:]]
    return [" ".join([change[0].replace("_", " "), *(name for name in names if name)])]


def _check_erased(session: Session) -> IntegrityFinding:
    revived = pseudonyms.list_revived_annotators(session)
    remedy = "hromada database upgrade erases them again"
    return _build_finding(
        "who was erased or detached is not back", [f"annotator {found.annotator.id}: {remedy}" for found in revived]
    )


def _build_finding(rule: str, wrong: list[str]) -> IntegrityFinding:
    return IntegrityFinding(rule=rule, wrong=len(wrong), examples=tuple(wrong[:EXAMPLES]))
