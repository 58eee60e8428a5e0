"""The item queue: finds the next open item of a pool for an annotator and takes one of its places.

An item is open while it has a free place (`overlap_counts`). The items of a pool stand in a random order that is fixed
at load (`Item.queue_position`) and that is read as a circle: each annotator has a cursor (`QueueCursor`) that starts
at a random position, goes to the end, then from the beginning to its start. Different starts keep annotators apart, and
all of them together finish every item. A call offers, in this order:

1. items whose lease expired in the annotator's hands, the latest first, unless an organiser took that one item back;
2. started items (somebody has them or answered them), those with the fewest free places first, from a window at a
   random position and a window at the beginning, so that items get finished instead of many being half done;
   but if only a sample of the items gets several answers (`mixed`), started items are those of the sample: then an
   open item behind a random position is offered instead, so that the sample is spread over everybody's work;
3. the open items from the cursor on, in queue order;
4. once the cursor has gone round, the items that got a free place again since then (`RequeuedItem`), in order of time.

The cost of a call does not depend on the number of items, nor on how many are done. Partial indices hold only open
items (`ix_item_open`, `ix_item_started`), so that finished ones are never read; every statement reads a window of
bounded length, and a call reads a bounded number of windows. An annotator never gets an item twice and never forgets a
group they met, so a position that offered them nothing will not do so later: the cursor passes each position once, and
what changes behind it is announced in `RequeuedItem`. Where the windows of a call are used up, it returns
`search_again`, and the next call goes on from the saved cursor.

The caller holds the lock on the annotator's row (`annotator_locks.lock_annotator`), so that nobody else moves the same
cursor. Items are not locked while searching: a place is taken by an UPDATE that requires a free place, on PostgreSQL of
the first candidate that no other transaction has locked (SKIP LOCKED), so that annotators do not wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import takewhile
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import overlap_counts
from annotation.store.models import Assignment, ItemRow, Project, QueueCursor, RequeuedItem
from annotation.vocabulary import ExposureCause, Pool

NOT_MET = """
  AND (SELECT 1 FROM exposure e WHERE e.annotator_id = :annotator AND e.group_id = c.group_id{other} LIMIT 1) IS NULL"""

NOT_JUDGED = """
  AND (SELECT 1 FROM adjudication d
       WHERE d.item_id = c.id AND d.annotator_id + 0 = :annotator AND d.decision <> 'undone' LIMIT 1) IS NULL
  AND (SELECT 1 FROM assignment o JOIN submission_review r ON r.assignment_id = o.id
       WHERE o.item_id = c.id AND r.annotator_id + 0 = :annotator AND r.decision <> 'undone' LIMIT 1) IS NULL"""
"""The annotator never adjudicated the item, nor reviewed an answer to it, even if they took that back."""

NEW = (
    "(SELECT 1 FROM assignment a WHERE a.item_id = c.id AND a.annotator_id + 0 = :annotator LIMIT 1) IS NULL"
    "{not_judged}{not_met}{bins}{panel}"
)
"""The annotator was never assigned the item, and never judged it. With `+ 0` every planner reads the few assignments of
the item, never all assignments of the annotator."""

QUEUE_STATE = sa.text("""
SELECT queue.top, queue.expired, w.start, w.pos, w.wrapped, w.seq FROM (
  SELECT
    (SELECT queue_position FROM item WHERE project_id = :project AND pool = :pool AND free > 0
     ORDER BY queue_position DESC LIMIT 1) AS top,
    (SELECT 1 FROM assignment x WHERE x.annotator_id = :annotator AND x.project_id = :project AND x.status = 'expired'
     LIMIT 1) AS expired
) queue LEFT JOIN queue_cursor w ON w.annotator_id = :annotator AND w.project_id = :project AND w.pool = :pool""")

STATE_COLUMNS = (
    sa.literal_column(
        "(SELECT queue_position FROM item WHERE project_id = project.id AND pool = 'main' AND free > 0"
        " ORDER BY queue_position DESC LIMIT 1)",
        sa.Integer,
    ),
    sa.select(sa.literal_column("1", sa.Integer))
    .where(
        col(Assignment.annotator_id) == sa.bindparam("annotator"),
        col(Assignment.project_id) == col(Project.id),
        sa.text("assignment.status = 'expired'"),
    )
    .limit(1)
    .correlate(Project)
    .scalar_subquery(),
    col(QueueCursor.start),
    col(QueueCursor.pos),
    col(QueueCursor.wrapped),
    col(QueueCursor.seq),
)
"""What `QUEUE_STATE` reads of the main pool, as columns of a statement on `project` with the annotator's cursor."""

OPEN_ITEMS = """
SELECT id, group_id, queue_position, free, bin FROM item WHERE project_id = :project AND pool = :pool AND free > 0"""

STARTED = """
SELECT c.id FROM (
  SELECT * FROM (
    {open_items} AND n_live > 0 AND queue_position >= :window_start ORDER BY queue_position LIMIT 32) there
  UNION
  SELECT * FROM ({open_items} AND n_live > 0 ORDER BY queue_position LIMIT 32) first
) c WHERE {new} ORDER BY c.free, c.queue_position LIMIT 4"""

ANYWHERE = """
SELECT c.id FROM ({open_items} AND queue_position >= :window_start ORDER BY queue_position LIMIT 32) c
WHERE {new} ORDER BY ((c.queue_position % 1009 * 856 + :salt) % 1009 + 1) / (c.free * 1.0), c.queue_position LIMIT 4"""
"""The open items behind a random position, whether somebody has started them or not: one of them by lot, an item with
three free places three times as likely as one with one. So every answer is about a random one of the places that are
left, and items that get more answers come at the same rate from the first answer to the last.
"""

IN_ORDER = """
SELECT c.id FROM (
  {open_items} AND queue_position >= :low AND queue_position < :high ORDER BY queue_position LIMIT :size) c
WHERE {new} ORDER BY c.queue_position LIMIT 4"""

LAST_OF_WINDOW = """
SELECT queue_position FROM item
WHERE project_id = :project AND pool = :pool AND free > 0 AND queue_position >= :low AND queue_position < :high
ORDER BY queue_position LIMIT 1 OFFSET :before"""

REQUEUED = """
SELECT c.id FROM (
  SELECT r.seq, i.id, i.group_id, i.free, i.bin FROM requeued_item r JOIN item i ON i.id = r.item_id
  WHERE r.project_id = :project AND r.pool = :pool AND r.seq > :seq ORDER BY r.seq LIMIT :size
) c WHERE c.free > 0 AND {new} ORDER BY c.seq LIMIT 4"""

_FIRST_THEN = """
SELECT id FROM (SELECT * FROM ({first}) one UNION ALL SELECT * FROM ({then}) other) near LIMIT 4"""
STARTED_OR_IN_ORDER = _FIRST_THEN.format(first=STARTED, then=IN_ORDER)
STARTED_OR_REQUEUED = _FIRST_THEN.format(first=STARTED, then=REQUEUED)
"""Started items and, where these are fewer than four, the items that come next, in one statement."""
ANYWHERE_OR_IN_ORDER = _FIRST_THEN.format(first=ANYWHERE, then=IN_ORDER)
ANYWHERE_OR_REQUEUED = _FIRST_THEN.format(first=ANYWHERE, then=REQUEUED)

EXPIRED = """
SELECT c.id FROM assignment x JOIN item c ON c.id = x.item_id
WHERE x.annotator_id = :annotator AND x.project_id = :project AND x.status = 'expired' AND x.occasion = 0
  AND x.lease_until IS NOT NULL AND c.pool = :pool AND c.free > 0{not_judged}{not_met}{panel}
ORDER BY x.lease_until DESC, x.id LIMIT 4"""
"""Items whose lease expired; an organiser took those without a lease back, for others (`release_live_assignments`)."""

COUNTED = """
SELECT DISTINCT {unit} FROM ({open_items} ORDER BY queue_position LIMIT :size) c WHERE {new}"""
COUNTED_ITEMS = COUNTED.replace("{unit}", "c.id")
COUNTED_GROUPS = COUNTED.replace("{unit}", "c.group_id")
"""The open items that the annotator can still get; with `blind` their groups, of which they get one item each."""
COUNTED_EXPIRED = EXPIRED.removesuffix("ORDER BY x.lease_until DESC, x.id LIMIT 4")
"""The items whose lease expired that the annotator can get again."""

MAY_BE_ASSIGNED = """SELECT c.id FROM item c WHERE c.id = :item{not_judged}{not_met}{panel}"""

PANEL_HAS_PLACE = """
  AND (SELECT COUNT(*) FROM assignment q
       JOIN participation m ON m.annotator_id = q.annotator_id AND m.project_id = q.project_id AND m.panel = :panel
       WHERE q.item_id = c.id AND q.holds_place) < :panel_votes"""
"""The item has fewer answers of the annotator's panel, given or on the way, than it is to get."""
_ITEM_WITH_PLACE = "SELECT c.id FROM item c WHERE c.id = :item{panel}"
PLACE_OF_PANEL = sa.text(_ITEM_WITH_PLACE.format(panel=PANEL_HAS_PLACE))

ABOUT_OWN_ITEM = {EXPIRED, COUNTED_EXPIRED, MAY_BE_ASSIGNED}
"""Statements about an item that the annotator had already: that they met its group by this item does not count."""


WINDOWS = (16, 128, 1024)
"""Numbers of open items in successive windows: small at first, larger for annotators who have met most items."""

MOST_WINDOWS = 4
"""Number of windows that one call reads at most, in queue order and of requeued items each."""

MOST_COUNTED = 500
"""Items are counted up to this number for annotators, to bound the cost of counting."""

END_POSITION = 2**31 - 1  # above the queue position of every item
SETTLE_TIME = timedelta(minutes=1)
"""PostgreSQL assigns `seq` before the commit: after this time no row with a lower `seq` is still to come."""


class PanelQuota(NamedTuple):
    """The annotator's panel, and how many answers of it each item is to get."""

    panel: str
    votes: int


@dataclass(frozen=True, kw_only=True)
class QueueQuery:
    """Which annotator asks for an item of which pool, and which items they may get.

    `cursor_start` and `window_start` are random numbers from 0 to below 1, as shares of the queue: where a new cursor
    starts, and where this call looks for started items. With `blind` the annotator gets no item of a group that they
    have met in any project but `exceptions`. `cause` is the exposure that this assignment will be recorded with. `bins`
    are the group bins that a group allocation allows them, None for all. `quota` is that of their panel, None where
    panels have none. With `mixed` started items are not preferred, but an item behind a random position comes next.
    """

    annotator_id: int
    project_id: int
    pool: Pool
    cause: ExposureCause
    cursor_start: float
    window_start: float
    blind: bool = False
    exceptions: tuple[int, ...] = ()
    bins: tuple[int, ...] | None = None
    quota: PanelQuota | None = None
    mixed: bool = False


@dataclass(frozen=True, kw_only=True)
class QueuedItem:
    """The item whose place was taken, or neither id nor item where there is none for the annotator now.

    `item` is None for an item that they had before its lease expired. `search_again` says that the search has not ended
    and that the next call goes on.
    """

    item_id: int | None = None
    item: ItemRow | None = None
    search_again: bool = False


@dataclass(frozen=True, kw_only=True)
class _Cursor:
    """An annotator's cursor: it goes from `start` to the end, then from the beginning to `start`."""

    start: int
    pos: int
    wrapped: bool
    seq: int

    @property
    def finished(self) -> bool:
        """Whether it has passed all positions."""
        return self.wrapped and self.pos >= self.start

    def pass_window(self, last: int | None) -> _Cursor:
        """The cursor behind a window; `last` is its last position, None where the window had fewer items than asked."""
        if last is not None:
            return replace(self, pos=last + 1)
        return replace(self, pos=self.start) if self.wrapped else replace(self, pos=0, wrapped=True)


def take_next_item(
    session: Session, query: QueueQuery, *, now: datetime, state: Sequence[Any] | None = None
) -> QueuedItem:
    """Take a place of the annotator's next item; their row has to be locked (`annotator_locks.lock_annotator`).

    `state` are the columns of `STATE_COLUMNS`, where the caller has read them in this transaction already.
    """
    top, has_expired, stored = _read_queue_state(session, query, state)
    if top is None:
        return QueuedItem()
    expired = _select_ids(session, EXPIRED, query, cause=query.cause.value) if has_expired else []
    if (item := _take_place(session, query, expired)) is not None:
        return QueuedItem(item_id=item.id)
    before = stored or _start_cursor(session, query, top=top, now=now)
    candidates = _find_candidates(session, query, before, window_start=int(query.window_start * (top + 1)))
    if (item := _take_place(session, query, candidates)) is not None:
        return QueuedItem(item_id=item.id, item=item)
    queued, cursor = None, before
    if not before.finished:
        queued, cursor = _take_in_order(session, query, before, first_is_empty=not candidates)
    if queued is None:
        empty = before.finished and not candidates
        queued, cursor = _take_requeued(session, query, cursor, first_is_empty=empty, now=now)
    if cursor != before:
        moved = sa.update(QueueCursor).where(*_build_cursor_condition(query))
        session.connection().execute(moved.values(**asdict(cursor)))
    return queued


def count_items(session: Session, query: QueueQuery) -> int:
    """How many items of the pool the annotator could get one after the other, up to MOST_COUNTED + 1; none is taken.

    Where the pool has more open items than that, they are not looked at one by one, and the count is MOST_COUNTED + 1.
    """
    open_items = "SELECT COUNT(*) FROM ({open_items} LIMIT :size) c"
    (number,) = _select_ids(session, open_items, query, size=MOST_COUNTED + 1)
    if number > MOST_COUNTED:
        return number
    statement = COUNTED_GROUPS if query.blind else COUNTED_ITEMS
    again = _select_ids(session, COUNTED_EXPIRED, query, cause=query.cause.value)
    return len(_select_ids(session, statement, query, size=number)) + len(again)


def is_barred_item(session: Session, query: QueueQuery, *, item_id: int) -> bool:
    """Whether the annotator may no longer get an item: they judged it, or met its group by another item or project."""
    statement = MAY_BE_ASSIGNED
    return not _select_ids(session, statement, query, item=item_id, cause=query.cause.value)


def _take_in_order(
    session: Session, query: QueueQuery, cursor: _Cursor, *, first_is_empty: bool
) -> tuple[QueuedItem | None, _Cursor]:
    """Take an item in queue order; returns it with the moved cursor, None once the cursor has gone round.

    `first_is_empty` says that the first window was read already and has nothing for the annotator.
    """
    for step in range(MOST_WINDOWS):
        if cursor.finished:
            return None, cursor
        size = WINDOWS[min(step, len(WINDOWS) - 1)]
        window = _get_window_bounds(cursor, size)
        skip = first_is_empty and step == 0
        candidates = [] if skip else _select_ids(session, IN_ORDER, query, **window)
        if candidates:
            return _take_candidate(session, query, candidates), cursor
        last = _select_ids(session, LAST_OF_WINDOW, query, **window, before=size - 1)
        cursor = cursor.pass_window(last[0] if last else None)
    return (None, cursor) if cursor.finished else (QueuedItem(search_again=True), cursor)


def _take_requeued(
    session: Session, query: QueueQuery, cursor: _Cursor, *, first_is_empty: bool, now: datetime
) -> tuple[QueuedItem, _Cursor]:
    """Take an item that got a free place again; returns it with the moved cursor.

    `first_is_empty` as in `_take_in_order`.
    """
    read_to = cursor.seq
    for step in range(MOST_WINDOWS):
        size = WINDOWS[min(step, len(WINDOWS) - 1)]
        skip = first_is_empty and step == 0
        candidates = [] if skip else _select_ids(session, REQUEUED, query, seq=read_to, size=size)
        if candidates:
            return _take_candidate(session, query, candidates), cursor
        window = _select_requeued(query).where(col(RequeuedItem.seq) > read_to).order_by(col(RequeuedItem.seq))
        rows = session.connection().execute(window.limit(size)).all()
        if read_to == cursor.seq:
            settled = list(takewhile(lambda row: row[1] < _get_settled_limit(session, now), rows))
            cursor = replace(cursor, seq=settled[-1][0] if settled else read_to)
        if len(rows) < size:
            return QueuedItem(), cursor
        read_to = rows[-1][0]
    return QueuedItem(search_again=True), cursor


def _take_candidate(session: Session, query: QueueQuery, candidates: list[int]) -> QueuedItem:
    """Take one of the candidates; where others took all of them meanwhile, the next call has to search again."""
    item = _take_place(session, query, candidates)
    return QueuedItem(search_again=True) if item is None else QueuedItem(item_id=item.id, item=item)


def _read_queue_state(
    session: Session, query: QueueQuery, state: Sequence[Any] | None
) -> tuple[int | None, bool, _Cursor | None]:
    """The last open position, whether the annotator has an expired lease, and the cursor."""
    if state is None:
        values = {"annotator": query.annotator_id, "project": query.project_id, "pool": query.pool.value}
        state = session.connection().execute(QUEUE_STATE, values).one()
    top, expired, start, pos, wrapped, seq = state
    cursor = None if start is None else _Cursor(start=start, pos=pos, wrapped=bool(wrapped), seq=seq)
    return top, bool(expired), cursor


def _find_candidates(session: Session, query: QueueQuery, cursor: _Cursor, *, window_start: int) -> list[int]:
    """Started items and then the next ones in queue order, or requeued ones once the cursor has gone round."""
    if cursor.finished:
        requeued = {"seq": cursor.seq, "size": WINDOWS[0]}
        statement = ANYWHERE_OR_REQUEUED if query.mixed else STARTED_OR_REQUEUED
        return _select_ids(session, statement, query, window_start=window_start, **requeued)
    window = _get_window_bounds(cursor, WINDOWS[0])
    statement = ANYWHERE_OR_IN_ORDER if query.mixed else STARTED_OR_IN_ORDER
    return _select_ids(session, statement, query, window_start=window_start, **window)


def _get_window_bounds(cursor: _Cursor, size: int) -> dict[str, int]:
    return {"low": cursor.pos, "high": cursor.start if cursor.wrapped else END_POSITION, "size": size}


def _take_place(session: Session, query: QueueQuery, candidates: list[int]) -> ItemRow | None:
    """Take a place of the first candidate that nobody else is taking at this moment."""
    item = overlap_counts.take_first_place(session, candidates) if candidates else None
    if item is None or has_place_of_panel(session, query.quota, item_id=item.id or 0):
        return item
    overlap_counts.return_place(session, item_id=item.id or 0)
    return None


def take_named_place(session: Session, query: QueueQuery, *, item_id: int, held: bool = False) -> bool:
    """Take a free place of this item, or with `held` one that it holds; False where there is none for the annotator."""
    take = overlap_counts.take_held_place if held else overlap_counts.take_place
    if not take(session, item_id=item_id):
        return False
    if has_place_of_panel(session, query.quota, item_id=item_id):
        return True
    overlap_counts.return_place(session, item_id=item_id)
    return False


def has_place_of_panel(session: Session, quota: PanelQuota | None, *, item_id: int) -> bool:
    """Whether the panel may answer the item once more; to be called once a place of the item was taken.

    Taking a place locks the item's row, so that nobody else takes one between this count and the assignment.
    """
    if quota is None:
        return True
    values = {"item": item_id, "panel": quota.panel, "panel_votes": quota.votes}
    return session.connection().execute(PLACE_OF_PANEL, values).first() is not None


def _start_cursor(session: Session, query: QueueQuery, *, top: int, now: datetime) -> _Cursor:
    """Store a new cursor at its random start."""
    start = int(query.cursor_start * (top + 1))
    # Only settled rows: a transaction still open may commit a row with a lower `seq` later.
    settled = _select_requeued(query).where(col(RequeuedItem.at) < _get_settled_limit(session, now))
    row = session.connection().execute(settled.order_by(col(RequeuedItem.seq).desc()).limit(1)).first()
    cursor = _Cursor(start=start, pos=start, wrapped=False, seq=(0 if row is None else int(row[0])))
    key = {"annotator_id": query.annotator_id, "project_id": query.project_id, "pool": query.pool}
    session.connection().execute(sa.insert(QueueCursor).values(**key, **asdict(cursor)))
    return cursor


def _build_cursor_condition(query: QueueQuery) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        col(QueueCursor.annotator_id) == query.annotator_id,
        col(QueueCursor.project_id) == query.project_id,
        col(QueueCursor.pool) == query.pool,
    )


def _select_requeued(query: QueueQuery) -> sa.Select[int, datetime]:
    of_pool = (col(RequeuedItem.project_id) == query.project_id, col(RequeuedItem.pool) == query.pool)
    return sa.select(sa.type_coerce(col(RequeuedItem.seq), sa.Integer), col(RequeuedItem.at)).where(*of_pool)


def _get_settled_limit(session: Session, now: datetime) -> datetime:
    """Rows older than this are in order of `seq`; on SQLite all are, because its writers wait for each other."""
    return (
        now - SETTLE_TIME
        if session.get_bind().dialect.name == "postgresql"
        else datetime.max.replace(tzinfo=now.tzinfo)
    )


def _select_ids(session: Session, text: str, query: QueueQuery, **more: object) -> list[int]:
    values = {
        "project": query.project_id,
        "pool": query.pool.value,
        "annotator": query.annotator_id,
        "exceptions": query.exceptions,
        "bins": query.bins,
        "salt": int(query.window_start * 1_000_003) % 1009,
    }
    if query.quota is not None:
        values |= {"panel": query.quota.panel, "panel_votes": query.quota.votes}
    return list(session.connection().execute(build_statement(text, query), values | more).scalars())


def build_statement(text: str, query: QueueQuery) -> sa.TextClause:
    """A statement of `item_queue_sql` with the conditions that the query needs."""
    by_bin = query.bins is not None and text not in ABOUT_OWN_ITEM
    by_panel = query.quota is not None
    return _build_statement(
        text, blind=query.blind, exceptions=bool(query.exceptions), by_bin=by_bin, by_panel=by_panel
    )


@cache
def _build_statement(
    text: str, *, blind: bool, exceptions: bool, by_bin: bool, by_panel: bool = False
) -> sa.TextClause:
    other_projects = " AND e.project_id NOT IN :exceptions" if exceptions else ""
    other_exposures = " AND (e.project_id <> :project OR e.cause <> :cause)" if text in ABOUT_OWN_ITEM else ""
    not_met = NOT_MET.format(other=other_projects + other_exposures) if blind else ""
    parts = {"not_met": not_met, "not_judged": NOT_JUDGED, "panel": PANEL_HAS_PLACE if by_panel else ""}
    new = NEW.format(**parts, bins=" AND c.bin IN :bins" if by_bin else "")
    statement = sa.text(text.format(open_items=OPEN_ITEMS, new=new, **parts))
    lists: list[sa.BindParameter[object]] = [
        sa.bindparam(name, expanding=True) for name in ("exceptions", "bins") if f":{name}" in statement.text
    ]
    return statement.bindparams(*lists)
