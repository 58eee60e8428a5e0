"""An account of the answer page moves to Telegram; if the person takes part there too, both accounts become one.

Every row of the page's account goes to the account with Telegram, and its own row is deleted, so that its code is void.
A link between two accounts would be simpler to make, but everything that counts people, looks for what somebody has
met, pays or erases would have to follow it.

- **Row.** That of the account with Telegram stays: messages on their way, reviews and batches of Label Studio name it.
- **Pseudonym.** That of the account that took part first stays, for newcomers of Telegram therefore that of the page;
  that of an adjudicator stays, as decisions name it.
  Both cannot stay, as one person would count as two; what was given first has been exported most. The journal keeps the
  other one (`Event.ACCOUNTS_UNITED`): with it an organiser finds the person of an earlier export, and an erasure leaves
  a mark of both, so that no backup from before brings one of them back. Who was erased before and returned in Telegram
  keeps that pseudonym, by which the mark tells what still holds for them.
- **An item of both.** The assignment that was answered first stays. The other is taken out: it is closed for good, its
  place is free for somebody else, and its answer is excluded as a repeat (`SAME_PERSON`). Both were honest work, so
  both are paid, as other excluded answers are.
- **Groups that they met.** Exposures are united. In a baseline, what they had met with the other account is exposed
  from now on, and is taken out, unless the project excepts it.
- **Items in hand.** If both have one, that of the page returns to the queue, and comes first when they go on.
- **Standing.** The stricter one holds: withdrawn, excluded, failed, paused, in this order, and so does the withdrawal
  of a consent. The answers of both are excluded where a withdrawal or an exclusion excludes those of one. Of two active
  ones the one further on holds.

Nothing moves to or from somebody who is suspended: they would start over. The caller holds the locks on both accounts,
so that an answer is stored before all this, or finds no account any more. What another transaction adds meanwhile
without a lock, such as a payment, makes the deletion fail, and the update is handled again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.store import journal, judgements, models, overlap_counts, pseudonyms, table_base
from annotation.store.database import LockedAnnotator
from annotation.store.models import AssignmentRow, ParticipationRow
from annotation.vocabulary import (
    POOLS_WITH_OVERLAP,
    SAME_PERSON,
    AssignmentEnd,
    AssignmentStatus,
    Event,
    ExclusionKind,
    ParticipationStatus,
    Pool,
    Stage,
    Surface,
)
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import withdrawal
from annotation.workflow.quality import enforcement, exclusions

_STRICTNESS = (
    ParticipationStatus.ACTIVE,
    ParticipationStatus.PAUSED,
    ParticipationStatus.FAILED,
    ParticipationStatus.EXCLUDED,
    ParticipationStatus.WITHDRAWN,
)
_EVER, _NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_LAST_FIXED_OCCASION = 1
"""Repeats have the occasion 1; what is taken out gets a higher one, so that nothing finds it by its number."""


class Move(StrEnum):
    """What became of an account that was to move to Telegram."""

    MOVED = "moved"
    UNITED = "united"
    UNCONFIRMED = "takes part there too, and has yet to confirm"
    SUSPENDED = "suspended"
    IN_LABEL_STUDIO = "both have batches in Label Studio"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class _Accounts:
    """The ids of the account with Telegram, which stays, and of that of the page, which goes."""

    kept: int
    gone: int

    @property
    def both(self) -> tuple[int, int]:
        return self.kept, self.gone


def move_to_telegram(
    session: Session, *, account: LockedAnnotator, own: LockedAnnotator, is_confirmed: bool, now: datetime
) -> Move:
    """Let somebody who answered on the page as `account` go on in Telegram as `own`, with all that they did.

    If they take part with `own` already, nothing changes until that `is_confirmed`: both accounts become one, and
    nobody can undo it.
    """
    accounts = _Accounts(kept=own.annotator_id, gone=account.annotator_id)
    joined = {number: _list_participations(session, number) for number in accounts.both}
    adjudicates = _adjudicates(session, accounts.kept)
    takes_part = adjudicates or bool(joined[accounts.kept])
    if account.annotator.suspended_at is not None:
        return Move.UNKNOWN
    if own.annotator.suspended_at is not None:
        return Move.SUSPENDED
    if _have_batches(session, accounts):
        return Move.IN_LABEL_STUDIO
    if takes_part and not is_confirmed:
        return Move.UNCONFIRMED
    keeps_pseudonym = (
        adjudicates
        or _get_start(joined[accounts.kept]) <= _get_start(joined[accounts.gone])
        or pseudonyms.find_mark(session, own.annotator.pseudonym) is not None
    )
    _join_kept_standings(own, joined[accounts.gone], now=now)
    closed = _settle_assignments(session, accounts, now=now)
    stricter = _settle_participations(session, accounts)
    _settle_consents(session, accounts)
    _settle_other_rows(session, accounts)
    _move_rows(session, accounts)
    exposed = _take_out_met_items(session, accounts.kept, now=now)
    _apply_standings(own, stricter, now=now)
    former = _unite_rows(session, own, account, keeps_pseudonym=keeps_pseudonym, takes_part=takes_part)
    data = {"pseudonym": former, "closed": closed, "exposed": exposed}
    journal.record_event(session, Event.ACCOUNTS_UNITED, now=now, annotator_id=accounts.kept, data=data)
    session.expire_all()
    return Move.UNITED if takes_part else Move.MOVED


def _list_participations(session: Session, annotator_id: int) -> dict[int, ParticipationRow]:
    of_annotator = models.PARTICIPATIONS.select.where(col(models.Participation.annotator_id) == annotator_id)
    return {row.project_id: row for row in models.PARTICIPATIONS.list(session, of_annotator)}


def _adjudicates(session: Session, annotator_id: int) -> bool:
    """Whether somebody adjudicates in Telegram; their decisions name their pseudonym."""
    adjudicator = select(models.Adjudicator.project_id).where(models.Adjudicator.annotator_id == annotator_id)
    return session.exec(adjudicator.limit(1)).first() is not None


def find_items_in_hand(session: Session, annotator_id: int, *, assignment_ids: Collection[int]) -> dict[int, int]:
    """The live assignments of the items of these assignments that were taken out, by the id of the latter."""
    out, live = aliased(models.Assignment), aliased(models.Assignment)
    pairs = sa.select(col(out.id), col(live.id)).join_from(out, live, col(live.item_id) == col(out.item_id))
    pairs = pairs.where(
        col(out.id).in_(assignment_ids),
        col(out.annotator_id) == annotator_id,
        col(out.status) == AssignmentStatus.WITHDRAWN,
        col(live.annotator_id) == annotator_id,
        col(live.status) == AssignmentStatus.LIVE,
    )
    return {out_id or 0: live_id or 0 for out_id, live_id in session.connection().execute(pairs)}


def _get_start(joined: dict[int, ParticipationRow]) -> datetime:
    """When somebody took part first; never where they did not."""
    return min((row.joined_at for row in joined.values()), default=_NEVER)


def _have_batches(session: Session, accounts: _Accounts) -> bool:
    """Whether both have batches in Label Studio, whose projects there cannot be made one."""
    owners = select(models.LabelStudioBatch.annotator_id).where(
        col(models.LabelStudioBatch.annotator_id).in_(accounts.both)
    )
    return len(session.exec(owners.distinct()).all()) > 1


def _join_kept_standings(own: LockedAnnotator, joined: dict[int, ParticipationRow], *, now: datetime) -> None:
    """Let what still holds for somebody who was erased and returned hold in the projects of the page's account."""
    kept = pseudonyms.get_standing(own.session, own.annotator.pseudonym).projects
    for project_id in sorted(joined) if kept else ():
        project = own.session.get_one(models.Project, project_id)
        if project.name in kept:
            participations.get_or_create_participation(own, project=project, now=now)


def _settle_assignments(session: Session, accounts: _Accounts, *, now: datetime) -> int:
    """Take out the second of two assignments of an item, and number the page's after the others; how many went."""
    live = select(models.Assignment.annotator_id).where(
        col(models.Assignment.annotator_id).in_(accounts.both),
        models.Assignment.status == AssignmentStatus.LIVE,
        models.Assignment.surface == Surface.TELEGRAM,
    )
    if len(session.exec(live).all()) > 1:
        withdrawal.release_live_assignments(
            session, annotator_id=accounts.gone, now=now, why=AssignmentEnd.PAUSED, surface=Surface.TELEGRAM
        )
    shown = sa.delete(models.ItemMessage).where(
        col(models.ItemMessage.assignment_id).in_(
            sa.select(col(models.Assignment.id)).where(col(models.Assignment.annotator_id) == accounts.gone)
        )
    )
    session.connection().execute(shown)  # the numbers of messages on the page are not those of the chat
    second = list(_number_second_assignments(session, accounts))
    _take_out(session, second, now=now)
    own_judgements = sa.update(models.Judgement).where(
        col(models.Judgement.assignment_id).in_([row.id for row in second]),
        judgements.build_final_revision_condition(),
        judgements.build_stored_kind_condition(None, ExclusionKind.ABSTAINED),
    )
    session.connection().execute(own_judgements.values(table_base.list_exclusion_values(SAME_PERSON)))
    _number_after(session, accounts)
    return len(second)


def _number_second_assignments(session: Session, accounts: _Accounts) -> Iterator[AssignmentRow]:
    """The assignments of items of both accounts that are to be taken out, each with a number of its own as occasion."""
    assignment, judgement = models.Assignment, models.Judgement
    of_both = (
        sa.select(col(assignment.item_id))
        .where(col(assignment.annotator_id).in_(accounts.both))
        .group_by(col(assignment.item_id))
        .having(func.count(sa.distinct(col(assignment.annotator_id))) > 1)
    )
    theirs = (col(assignment.annotator_id).in_(accounts.both), col(assignment.item_id).in_(of_both))
    times = (
        sa.select(col(assignment.id), func.min(col(judgement.answered_at)))
        .join(judgement, col(judgement.assignment_id) == col(assignment.id))
        .where(*theirs, col(judgement.skip_reason).is_(None))
        .group_by(col(assignment.id))
    )
    answered = {number: at or _NEVER for number, at in session.connection().execute(times)}
    rows = models.ASSIGNMENTS.list(
        session, models.ASSIGNMENTS.select.where(*theirs).order_by(col(assignment.item_id), col(assignment.id))
    )
    for _, group in groupby(rows, key=lambda row: row.item_id):
        of_item = list(group)
        first = min(
            of_item,
            key=lambda row: (
                row.id not in answered,
                answered.get(row.id, _NEVER),
                row.status is not AssignmentStatus.LIVE,
                row.id,
            ),
        )
        number = max(_LAST_FIXED_OCCASION, *(row.occasion for row in of_item))
        for row in of_item:
            if row.annotator_id != first.annotator_id:
                number += 1
                models.ASSIGNMENTS.update(session, row, occasion=number)
                yield row


def _take_out(session: Session, rows: Collection[AssignmentRow], *, now: datetime, **changes: Any) -> None:
    """Close these assignments for good, and free their places, in the order in which items are locked everywhere."""
    live = [row for row in rows if row.status is AssignmentStatus.LIVE]
    journal.record_assignment_ends(session, live, why=AssignmentEnd.BARRED, now=now)
    for row in sorted(rows, key=lambda row: (row.item_id, row.id)):
        if row.holds_place and row.surface is Surface.IMPORT:
            overlap_counts.remove_imported_answer(session, item_id=row.item_id)
        elif row.holds_place:
            is_done = row.status is AssignmentStatus.DONE
            overlap_counts.release_place(session, item_id=row.item_id, done=is_done, now=now)
        closed = {"status": AssignmentStatus.WITHDRAWN, "holds_place": False, "open_revision": None, "repeat_at": None}
        models.ASSIGNMENTS.update(session, row, **closed | changes)


def _number_after(session: Session, accounts: _Accounts) -> None:
    """Number the items, pages and work sessions of the page's account after those of the other, in each project."""
    assignment, attestation = models.Assignment, models.Attestation
    for project_id, own in _list_participations(session, accounts.kept).items():
        theirs = sa.update(assignment).where(
            col(assignment.annotator_id) == accounts.gone, col(assignment.project_id) == project_id
        )
        session.connection().execute(
            theirs.values(position=col(assignment.position) + own.shown, page=col(assignment.page) + own.page)
        )
        said = select(attestation).where(
            attestation.annotator_id == accounts.gone, attestation.project_id == project_id
        )
        for row in session.exec(said.order_by(col(attestation.work_session).desc())).all():
            row.work_session += own.work_session
            session.add(row)
            session.flush()


def _settle_participations(session: Session, accounts: _Accounts) -> list[int]:
    """Make one participation of two in a project; the projects in which the standing of one holds for the other.

    Who joined twice by invitation gives one of the two uses back, unless they take part elsewhere by it.
    """
    stricter, returned = [], set[int]()
    others = _list_participations(session, accounts.gone)
    for project_id, own in _list_participations(session, accounts.kept).items():
        other = others.pop(project_id, None)
        if other is None:
            continue
        if own.status is not other.status:
            stricter.append(project_id)
        if own.invitation_id is not None and other.invitation_id is not None:
            returned.add(other.invitation_id)
        models.PARTICIPATIONS.update(session, own, **_unite_participations(own, other))
        gone = sa.delete(models.Participation).where(
            col(models.Participation.annotator_id) == accounts.gone,
            col(models.Participation.project_id) == project_id,
        )
        session.connection().execute(gone)
    returned -= {other.invitation_id for other in others.values()}
    used = sa.update(models.Invitation).where(col(models.Invitation.id).in_(returned), col(models.Invitation.used) > 0)
    session.connection().execute(used.values(used=models.Invitation.used - 1))
    return stricter


def _unite_participations(own: ParticipationRow, other: ParticipationRow) -> dict[str, Any]:
    """The columns of one participation made of two; what one declined is asked again. Pure."""
    both = (own, other)
    stages = tuple(Stage)
    leading = max(both, key=lambda row: (_STRICTNESS.index(row.status), stages.index(row.stage), row.attempt))
    latest = max(both, key=lambda row: row.last_at or row.joined_at)
    warned = max(both, key=lambda row: row.warned_at or _EVER)
    day = max((row.day for row in both if row.day is not None), default=None)
    standing = ("stage", "status", "since", "attempt", "retry_at", "qualified_at")
    is_active = leading.status is ParticipationStatus.ACTIVE
    return {
        **{name: getattr(leading, name) for name in standing},
        "reason": None if is_active else leading.reason,
        **dict.fromkeys(("declined", "declined_scope", "declined_version", "journey")),
        **{name: getattr(own, name) or getattr(other, name) for name in ("programme_id", "invitation_id", "panel")},
        **{name: getattr(warned, name) for name in ("warned_at", "warning_sha256")},
        **{
            name: getattr(own, name) + getattr(other, name)
            for name in ("shown", "answered", "page", "missed_controls", "work_session")
        },
        "joined_at": min(row.joined_at for row in both),
        "on_page": other.on_page if other.page else own.on_page,
        "day": day,
        "answered_today": sum(row.answered_today for row in both if row.day == day),
        "work_session_since": latest.work_session_since,
        "last_at": latest.last_at,
        "halfway_told": own.halfway_told or other.halfway_told,
    }


def _settle_consents(session: Session, accounts: _Accounts) -> None:
    """Withdraw consents to a text that one account has withdrawn, and make one of two that are the same."""
    given: dict[tuple[str, str], list[models.Consent]] = defaultdict(list)
    rows = select(models.Consent).where(col(models.Consent.annotator_id).in_(accounts.both))
    for row in session.exec(rows.order_by(col(models.Consent.id))):
        given[row.scope, row.sha256].append(row)
    for of_text in given.values():
        withdrawn = max((row.withdrawn_at for row in of_text if row.withdrawn_at is not None), default=None)
        own = {row.version: row for row in of_text if row.annotator_id == accounts.kept}
        for row in of_text:
            row.withdrawn_at = withdrawn
            if row.annotator_id == accounts.gone and row.version in own:
                own[row.version].at = min(row.at, own[row.version].at)
                session.delete(row)
    session.flush()


def _settle_other_rows(session: Session, accounts: _Accounts) -> None:
    """Keep the newer of two profile answers and the earlier of two exposures; the page's conversation goes."""
    execute, profile, exposure = session.connection().execute, models.ProfileAnswer, models.Exposure
    session.flush()
    newer = aliased(profile)
    is_replaced = select(newer.value).where(
        newer.annotator_id == accounts.gone, newer.field == profile.field, newer.at > profile.at
    )
    execute(sa.delete(profile).where(col(profile.annotator_id) == accounts.kept, is_replaced.exists()))
    earlier = aliased(exposure)
    before = select(earlier.at).where(
        earlier.annotator_id == accounts.gone,
        earlier.group_id == exposure.group_id,
        earlier.project_id == exposure.project_id,
        earlier.cause == exposure.cause,
        earlier.at < exposure.at,
    )
    of_own = sa.update(exposure).where(col(exposure.annotator_id) == accounts.kept, before.exists())
    execute(of_own.values(at=before.scalar_subquery()))
    for table in (models.Conversation, models.AnswerMessage):
        execute(sa.delete(table).where(col(table.annotator_id) == accounts.gone))


def _move_rows(session: Session, accounts: _Accounts) -> None:
    """Let every column that names the page's account name the other; of two rows with the same key that one's stays."""
    session.flush()
    for table in models.metadata.sorted_tables:
        for column in table.columns:
            if not any(key.column.table.name == models.Annotator.__tablename__ for key in column.foreign_keys):
                continue
            theirs = column == accounts.gone
            if column.primary_key:
                own = table.alias()
                others = [key for key in table.primary_key if key is not column]
                has_same = sa.and_(own.c[column.name] == accounts.kept, *(own.c[key.name] == key for key in others))
                session.connection().execute(sa.delete(table).where(theirs, sa.exists().where(has_same)))
            session.connection().execute(sa.update(table).where(theirs).values({column.name: accounts.kept}))
    journeys = sa.update(models.Participation).where(col(models.Participation.annotator_id) == accounts.kept)
    session.connection().execute(journeys.values(journey=None))  # it is counted again
    session.expire_all()


def _take_out_met_items(session: Session, annotator_id: int, *, now: datetime) -> int:
    """Take out what the annotator had met before it was assigned in a baseline; how many assignments these were."""
    out: list[AssignmentRow] = []
    for project_id in sorted(_list_participations(session, annotator_id)):
        project = session.get_one(models.Project, project_id)
        if definitions.get_project_definition(project).kind == "baseline":
            out += _find_met_items(session, annotator_id, project)
    _take_out(session, out, now=now, exposed=True)
    return len(out)


def _find_met_items(session: Session, annotator_id: int, project: models.Project) -> list[AssignmentRow]:
    """The assignments of a baseline whose group the annotator had met; one that is excepted is marked, and stays."""
    definition, exposure = definitions.get_project_definition(project), models.Exposure
    excepted = set() if definition.exposure is None else set(definition.exposure.exceptions)
    elsewhere = select(exposure.group_id, exposure.at, models.Project.name).join(models.Project)
    elsewhere = elsewhere.where(exposure.annotator_id == annotator_id, exposure.project_id != project.id)
    met: dict[str, list[tuple[datetime, str]]] = defaultdict(list)
    for group_id, at, name in session.exec(elsewhere):
        met[group_id].append((at, name))
    rows = sa.select(*models.ASSIGNMENTS.columns, col(models.Item.group_id), col(models.Item.pool))
    rows = rows.join(models.Item, col(models.Item.id) == col(models.Assignment.item_id)).where(
        col(models.Assignment.annotator_id) == annotator_id,
        col(models.Assignment.project_id) == project.id,
        col(models.Assignment.surface) != Surface.IMPORT,
    )
    first_items: dict[str, int] = {}
    found = []
    for *values, group_id, pool in session.connection().execute(rows.order_by(col(models.Assignment.id))):
        row = models.ASSIGNMENTS.build(values)
        if row is None:
            continue
        follows = first_items.setdefault(group_id, row.item_id) != row.item_id
        if row.occasion or pool not in {*POOLS_WITH_OVERLAP, Pool.CONTROL}:
            continue
        is_looked_at, begun = pool in POOLS_WITH_OVERLAP and not row.exposed, row.assigned_at or _EVER
        names = {name for at, name in met[group_id] if at < begun} if is_looked_at else set()
        if follows or names - excepted:
            found.append(row)
        elif names:
            models.ASSIGNMENTS.update(session, row, exposed=True)
    return found


def _apply_standings(own: LockedAnnotator, project_ids: Collection[int], *, now: datetime) -> None:
    """Exclude the answers of both accounts in these projects, where a withdrawal or an exclusion holds now."""
    session = own.session
    for project_id in project_ids:
        participation = models.PARTICIPATIONS.get_one(session, own.annotator_id, project_id)
        exclusion = enforcement.get_exclusion(participation)
        if participation.status is ParticipationStatus.WITHDRAWN:
            withdrawal.end_participation(session, annotator_id=own.annotator_id, project_id=project_id, now=now)
        elif exclusion is not None:
            ids = judgements.list_stage_assignment_ids(
                session, annotator_id=own.annotator_id, project_id=project_id, stage=Stage.MAIN
            )
            exclusions.exclude_answers(session, assignment_ids=ids, exclusion=exclusion, post_hoc=False, now=now)


def _unite_rows(
    session: Session, own: LockedAnnotator, account: LockedAnnotator, *, keeps_pseudonym: bool, takes_part: bool
) -> str:
    """Delete the row of the page's account, and give the other what stays of it; the pseudonym that goes."""
    kept, gone = own.annotator, account.annotator
    named, other = (kept, gone) if keeps_pseudonym else (gone, kept)
    goes = other.pseudonym
    session.connection().execute(sa.delete(models.Annotator).where(col(models.Annotator.id) == gone.id))
    session.expire_all()
    models.ANNOTATORS.update(
        session,
        kept,
        pseudonym=named.pseudonym,
        language=kept.language if takes_part else gone.language,
        time_zone=kept.time_zone or gone.time_zone,
        insider=kept.insider or gone.insider,
        created_at=named.created_at,  # a mark with the pseudonym is of somebody who was erased after it
    )
    return goes
