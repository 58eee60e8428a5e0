"""Which open item a person takes next: few rows are looked at, however many items there are and however many are done.

First items that were hers before a lease ran out; then started ones, the fewest places left first, in a window at a
random place of the ring and in one at its beginning; then the ring of all open items from where she stopped; and once
she went round it, only items that got a place again since. What she met stays met, so a place of the ring that holds
nothing for her is never looked at twice: the proof that nothing is left is made once, in steps of bounded length.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import item_queue_sql, overlap_counts
from annotation.store.item_queue_sql import Seeker
from annotation.store.models import Item, Reopened, Walk
from annotation.vocabulary import Pool

WINDOWS = (16, 128, 1024)
"""How many open items are looked at together: few while most are new to her, more where she has met all of some."""

STEPS = 4
"""How many windows one call looks at, at most; then it says that it has to look on."""

MOST_COUNTED = 500
"""More open items than this are not counted: the price of a number that nobody waits for yet."""

END = 2**31 - 1
SETTLED = timedelta(minutes=1)
"""PostgreSQL gives out `seq` before the commit: rows this young may still have older ones to come."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The item whose place was taken, if any; `again` says that the search has not ended: the next call goes on.

    `item` is there where she never had it. `open_items` is how many had a free place then, this one among them, counted
    up to one more than `MOST_COUNTED`.
    """

    item_id: int | None = None
    item: Item | None = None
    open_items: int | None = None
    again: bool = False


@dataclass(frozen=True, kw_only=True)
class _Round:
    """Where a person is on the ring: from `start` to its end, then from its beginning to `start`."""

    start: int
    pos: int
    wrapped: bool
    seq: int

    @property
    def over(self) -> bool:
        return self.wrapped and self.pos >= self.start

    def past(self, last: int | None) -> _Round:
        """Beyond a window whose last open item is there; None where the window reached the end."""
        if last is not None:
            return replace(self, pos=last + 1)
        return replace(self, pos=self.start) if self.wrapped else replace(self, pos=0, wrapped=True)


def claim(session: Session, seeker: Seeker, *, now: datetime) -> Claim:
    """Take a place of the item that comes next for this person, whose row is locked (`locks.person`)."""
    top, lapsed, open_items, known = _looked(session, seeker)
    if top is None:
        return Claim()
    taken = _take(session, _rows(session, item_queue_sql.LAPSED, seeker, cause=seeker.cause.value)) if lapsed else None
    if taken is not None:
        return Claim(item_id=taken.id)
    walked = known or _begin(session, seeker, top=top, now=now)
    found = _near(session, seeker, walked, here=int(seeker.here * (top + 1)))
    made = _take(session, found)
    if made is not None:
        return Claim(item_id=made.id, item=made, open_items=open_items)
    claimed, after = _go_round(session, seeker, walked, looked=not found) if not walked.over else (None, walked)
    if claimed is None:
        looked = walked.over and not found
        claimed, after = _reopened(session, seeker, after, looked=looked, now=now)
    if after != walked:
        _keep(session, seeker, after)
    return claimed if claimed.item is None else replace(claimed, open_items=open_items)


def others_open(session: Session, *, project_id: int, pool: Pool, item_id: int) -> int:
    """How many items but this one have a free place, counted up to `MOST_COUNTED`."""
    given = {"project": project_id, "pool": pool.value, "item": item_id, "most": MOST_COUNTED + 1}
    return int(session.connection().execute(item_queue_sql.OTHERS, given).scalar_one())


def met_elsewhere(session: Session, seeker: Seeker, *, item_id: int) -> bool:
    """Whether she may not meet the item's group any more, though the item itself is not what she met of it."""
    if not seeker.blind:
        return False
    return not _rows(session, item_queue_sql.ELSEWHERE, seeker, item=item_id, cause=seeker.cause.value)


def _go_round(session: Session, seeker: Seeker, walked: _Round, *, looked: bool) -> tuple[Claim | None, _Round]:
    """A claim on the ring, and how far she is now; no claim where she has gone round.

    `looked` says that nothing is in the first window.
    """
    for step in range(STEPS):
        if walked.over:
            return None, walked
        size = WINDOWS[min(step, len(WINDOWS) - 1)]
        window = _window(walked, size)
        found = [] if looked and step == 0 else _rows(session, item_queue_sql.RING, seeker, **window)
        if found:
            return _claimed(session, found), walked
        last = _rows(session, item_queue_sql.LAST, seeker, **window, before=size - 1)
        walked = walked.past(last[0] if last else None)
    return (None, walked) if walked.over else (Claim(again=True), walked)


def _reopened(session: Session, seeker: Seeker, walked: _Round, *, looked: bool, now: datetime) -> tuple[Claim, _Round]:
    """A claim among items that got a place again, and up to where she has seen those; `looked` as on the ring."""
    seen = walked.seq
    for step in range(STEPS):
        size = WINDOWS[min(step, len(WINDOWS) - 1)]
        found = [] if looked and step == 0 else _rows(session, item_queue_sql.RETURNED, seeker, seq=seen, size=size)
        if found:
            return _claimed(session, found), walked
        came = _came(seeker).where(col(Reopened.seq) > seen).order_by(col(Reopened.seq)).limit(size)
        rows = session.connection().execute(came).all()
        if seen == walked.seq:
            settled = list(takewhile(lambda row: row[1] < _settled(session, now), rows))
            walked = replace(walked, seq=settled[-1][0] if settled else seen)
        if len(rows) < size:
            return Claim(), walked
        seen = rows[-1][0]
    return Claim(again=True), walked


def _claimed(session: Session, candidates: list[int]) -> Claim:
    taken = _take(session, candidates)
    return Claim(again=True) if taken is None else Claim(item_id=taken.id, item=taken)


def _looked(session: Session, seeker: Seeker) -> tuple[int | None, bool, int, _Round | None]:
    """The end of the ring, whether a lease of hers ran out, how many items are open, and how far she is."""
    given = {"who": seeker.annotator_id, "project": seeker.project_id, "pool": seeker.pool.value}
    row = session.connection().execute(item_queue_sql.LOOK, given | {"most": MOST_COUNTED + 1}).one()
    top, lapsed, open_items, start, pos, wrapped, seq = row
    known = None if start is None else _Round(start=start, pos=pos, wrapped=bool(wrapped), seq=seq)
    return top, bool(lapsed), open_items, known


def _near(session: Session, seeker: Seeker, walked: _Round, *, here: int) -> list[int]:
    """Started items, and what comes first where she is on the ring; once she is round, what got a place again."""
    if walked.over:
        return _rows(session, item_queue_sql.ROUND_DONE, seeker, here=here, seq=walked.seq, size=WINDOWS[0])
    return _rows(session, item_queue_sql.ON_THE_WAY, seeker, here=here, **_window(walked, WINDOWS[0]))


def _window(walked: _Round, size: int) -> dict[str, int]:
    return {"low": walked.pos, "high": walked.start if walked.wrapped else END, "size": size}


def _take(session: Session, candidates: list[int]) -> Item | None:
    """Take a place of the first candidate that nobody else is taking at this moment."""
    return overlap_counts.take_first(session, candidates) if candidates else None


def _begin(session: Session, seeker: Seeker, *, top: int, now: datetime) -> _Round:
    at = int(seeker.start * (top + 1))
    made = _Round(start=at, pos=at, wrapped=False, seq=_latest(session, seeker, now=now))
    key = {"annotator_id": seeker.annotator_id, "project_id": seeker.project_id, "pool": seeker.pool}
    session.connection().execute(sa.insert(Walk).values(**key, **asdict(made)))
    return made


def _keep(session: Session, seeker: Seeker, walked: _Round) -> None:
    session.connection().execute(sa.update(Walk).where(*_hers(seeker)).values(**asdict(walked)))


def _hers(seeker: Seeker) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        col(Walk.annotator_id) == seeker.annotator_id,
        col(Walk.project_id) == seeker.project_id,
        col(Walk.pool) == seeker.pool,
    )


def _latest(session: Session, seeker: Seeker, *, now: datetime) -> int:
    """The last reopening before her walk begins that is sure to have no older one to come."""
    settled = _came(seeker).where(col(Reopened.at) < _settled(session, now))
    row = session.connection().execute(settled.order_by(col(Reopened.seq).desc()).limit(1)).first()
    return 0 if row is None else int(row[0])


def _came(seeker: Seeker) -> sa.Select[int, datetime]:
    mine = (col(Reopened.project_id) == seeker.project_id, col(Reopened.pool) == seeker.pool)
    return sa.select(sa.type_coerce(col(Reopened.seq), sa.Integer), col(Reopened.at)).where(*mine)


def _settled(session: Session, now: datetime) -> datetime:
    """SQLite writes one after another, so there everything is settled."""
    return now - SETTLED if session.get_bind().dialect.name == "postgresql" else datetime.max.replace(tzinfo=now.tzinfo)


def _rows(session: Session, text: str, seeker: Seeker, **more: object) -> list[int]:
    given = {
        "project": seeker.project_id,
        "pool": seeker.pool.value,
        "who": seeker.annotator_id,
        "exceptions": seeker.exceptions,
        "bins": seeker.bins,
    }
    return list(session.connection().execute(item_queue_sql.statement(text, seeker), given | more).scalars())
