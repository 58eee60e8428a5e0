"""Which open item a person takes next: few rows are looked at, however many items there are and however many are done.

First items that were hers before a lease ran out; then started ones, the fewest places left first, in a window at a
random place of the ring and in one at its beginning; then the ring of all open items from where she stopped; and once
she went round it, only items that got a place again since. What she met stays met, so a place of the ring that holds
nothing for her is never looked at twice: the proof that nothing is left is made once, in steps of bounded length.

Conditions are written `(SELECT 1 … LIMIT 1) IS NULL` because PostgreSQL turns NOT EXISTS into a join with all that a
person has met.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from itertools import takewhile

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import slots
from annotation.store.models import Reopened, Walk
from annotation.vocabulary import Cause, Pool

WINDOWS = (16, 128, 1024)
"""How many open items are looked at together: few while most are new to her, more where she has met all of some."""

STEPS = 5
"""How many windows one call looks at, at most; then it says that it has to look on."""

END = 2**31 - 1
SETTLED = timedelta(minutes=1)
"""PostgreSQL gives out `seq` before the commit: rows this young may still have older ones to come."""


@dataclass(frozen=True, kw_only=True)
class Seeker:
    """Who looks for an item where. `start` and `here` are her random places, from 0 to below 1: where her walk begins,
    and where she looks for started items this time.

    Where `blind`, she gets no item of a group that she met in any project but the `exceptions`. `bins` are the classes
    of groups that an allotment lets her meet.
    """

    annotator_id: int
    project_id: int
    pool: Pool
    cause: Cause
    start: float
    here: float
    blind: bool = False
    exceptions: tuple[int, ...] = ()
    bins: tuple[int, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The item whose place was taken, if any; `again` says that the search has not ended: the next call goes on."""

    item_id: int | None = None
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
    """Take a place of the item that comes next for this person."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection().execute(_BY_INDEX)
    top = _rows(session, _TOP, seeker)
    if not top:
        return Claim()
    taken = _own(session, seeker)
    if taken is None:
        taken = _first(session, _started(seeker), seeker, here=int(seeker.here * (top[0] + 1)))
    if taken is not None:
        return Claim(item_id=taken)
    known = _walk(session, seeker)
    found = known or _begun(session, seeker, top=top[0], now=now)
    made, walked = _go_round(session, seeker, found) if not found.over else (None, found)
    if made is None:
        made, walked = _reopened(session, seeker, walked, now=now)
    _keep(session, seeker, walked, known=known)
    return made


def met_elsewhere(session: Session, seeker: Seeker, *, item_id: int) -> bool:
    """Whether she may not meet the item's group any more, though the item itself is not what she met of it."""
    if not seeker.blind:
        return False
    statement = _statement(_ELSEWHERE, blind=True, excepted=bool(seeker.exceptions), sorted_=False)
    return not _rows(session, statement, seeker, item=item_id, cause=seeker.cause.value)


def _go_round(session: Session, seeker: Seeker, walked: _Round) -> tuple[Claim | None, _Round]:
    """A claim on the ring, and how far she is now; no claim where she has gone round."""
    for step in range(STEPS):
        if walked.over:
            return None, walked
        size = WINDOWS[min(step, len(WINDOWS) - 1)]
        window = {"low": walked.pos, "high": walked.start if walked.wrapped else END, "size": size}
        found = _rows(session, _ring(seeker), seeker, **window)
        if found:
            taken = _take(session, found)
            return Claim(item_id=taken, again=taken is None), walked
        last = _rows(session, _LAST, seeker, **window, before=size - 1)
        walked = walked.past(last[0] if last else None)
    return (None, walked) if walked.over else (Claim(again=True), walked)


def _reopened(session: Session, seeker: Seeker, walked: _Round, *, now: datetime) -> tuple[Claim, _Round]:
    """A claim among items that got a place again, and up to where she has seen those."""
    seen = walked.seq
    for step in range(STEPS):
        size = WINDOWS[min(step, len(WINDOWS) - 1)]
        found = _rows(session, _returned(seeker), seeker, seq=seen, size=size)
        if found:
            taken = _take(session, found)
            return Claim(item_id=taken, again=taken is None), walked
        came = _came(seeker).where(col(Reopened.seq) > seen).order_by(col(Reopened.seq)).limit(size)
        rows = session.connection().execute(came).all()
        if seen == walked.seq:
            settled = list(takewhile(lambda row: row[1] < _settled(session, now), rows))
            walked = replace(walked, seq=settled[-1][0] if settled else seen)
        if len(rows) < size:
            return Claim(), walked
        seen = rows[-1][0]
    return Claim(again=True), walked


def _own(session: Session, seeker: Seeker) -> int | None:
    """What was hers until its lease ran out; that she met its group by that very item does not count."""
    return _first(session, _lapsed(seeker), seeker, cause=seeker.cause.value)


def _first(session: Session, statement: sa.TextClause, seeker: Seeker, **more: object) -> int | None:
    found = _rows(session, statement, seeker, **more)
    return _take(session, found) if found else None


def _take(session: Session, candidates: list[int]) -> int | None:
    """Take a place of the first candidate that nobody else is taking at this moment."""
    if session.get_bind().dialect.name == "postgresql":
        candidates = list(session.connection().execute(_UNLOCKED, {"candidates": candidates}).scalars())
    return next((one for one in candidates if slots.take(session, item_id=one)), None)


def _walk(session: Session, seeker: Seeker) -> _Round | None:
    chosen = sa.select(col(Walk.start), col(Walk.pos), col(Walk.wrapped), col(Walk.seq)).where(*_hers(seeker))
    row = session.connection().execute(chosen).first()
    return None if row is None else _Round(start=row[0], pos=row[1], wrapped=row[2], seq=row[3])


def _begun(session: Session, seeker: Seeker, *, top: int, now: datetime) -> _Round:
    at = int(seeker.start * (top + 1))
    return _Round(start=at, pos=at, wrapped=False, seq=_latest(session, seeker, now=now))


def _keep(session: Session, seeker: Seeker, walked: _Round, *, known: _Round | None) -> None:
    values = {"start": walked.start, "pos": walked.pos, "wrapped": walked.wrapped, "seq": walked.seq}
    if known is None:
        key = {"annotator_id": seeker.annotator_id, "project_id": seeker.project_id, "pool": seeker.pool}
        session.connection().execute(sa.insert(Walk).values(**key, **values))
    elif known != walked:
        session.connection().execute(sa.update(Walk).where(*_hers(seeker)).values(**values))


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


def _rows(session: Session, statement: sa.TextClause, seeker: Seeker, **more: object) -> list[int]:
    given = {
        "project": seeker.project_id,
        "pool": seeker.pool.value,
        "who": seeker.annotator_id,
        "exceptions": seeker.exceptions,
        "bins": seeker.bins,
    }
    return list(session.connection().execute(statement, given | more).scalars())


def _started(seeker: Seeker) -> sa.TextClause:
    return _statement(_STARTED, blind=seeker.blind, excepted=bool(seeker.exceptions), sorted_=seeker.bins is not None)


def _ring(seeker: Seeker) -> sa.TextClause:
    return _statement(_RING, blind=seeker.blind, excepted=bool(seeker.exceptions), sorted_=seeker.bins is not None)


def _returned(seeker: Seeker) -> sa.TextClause:
    return _statement(_RETURNED, blind=seeker.blind, excepted=bool(seeker.exceptions), sorted_=seeker.bins is not None)


def _lapsed(seeker: Seeker) -> sa.TextClause:
    return _statement(_LAPSED, blind=seeker.blind, excepted=bool(seeker.exceptions), sorted_=False)


@cache
def _statement(text: str, *, blind: bool, excepted: bool, sorted_: bool) -> sa.TextClause:
    """The statement with the conditions that this project asks for."""
    other = " AND e.project_id NOT IN :exceptions" if excepted else ""
    mine = " AND (e.project_id <> :project OR e.cause <> :cause)" if text in {_LAPSED, _ELSEWHERE} else ""
    met = _MET.format(other=other + mine) if blind else ""
    new = _NEW.format(met=met, bins=" AND c.bin IN :bins" if sorted_ else "")
    made = sa.text(text.format(window=_WINDOW, new=new, met=met))
    expanding = [name for name, used in (("exceptions", blind and excepted), ("bins", sorted_)) if used]
    return made.bindparams(*(sa.bindparam(name, expanding=True) for name in expanding))


_MET = """
  AND (SELECT 1 FROM exposure e WHERE e.annotator_id = :who AND e.group_id = c.group_id{other} LIMIT 1) IS NULL"""

_NEW = (
    """(SELECT 1 FROM assignment a WHERE a.item_id = c.id AND a.annotator_id + 0 = :who LIMIT 1) IS NULL{met}{bins}"""
)
"""With `+ 0` the few assignments of the item are looked through, never all of hers, whatever a planner believes."""

_BY_INDEX = sa.text("SET LOCAL enable_seqscan = off")
"""A plan made while a table is nearly empty reads all of it, and is kept while it grows: 1.6 s in place of 10 ms."""

_TOP = sa.text("""
SELECT ring FROM item WHERE project_id = :project AND pool = :pool AND free > 0 ORDER BY ring DESC LIMIT 1""")

_WINDOW = """
SELECT id, group_id, ring, free, bin FROM item WHERE project_id = :project AND pool = :pool AND free > 0"""

_STARTED = """
SELECT c.id FROM (
  SELECT * FROM ({window} AND n_live > 0 AND ring >= :here ORDER BY ring LIMIT 32) there
  UNION
  SELECT * FROM ({window} AND n_live > 0 ORDER BY ring LIMIT 32) first
) c WHERE {new} ORDER BY c.free, c.ring LIMIT 4"""

_RING = """
SELECT c.id FROM ({window} AND ring >= :low AND ring < :high ORDER BY ring LIMIT :size) c
WHERE {new} ORDER BY c.ring LIMIT 4"""

_LAST = sa.text("""
SELECT ring FROM item WHERE project_id = :project AND pool = :pool AND free > 0 AND ring >= :low AND ring < :high
ORDER BY ring LIMIT 1 OFFSET :before""")

_RETURNED = """
SELECT c.id FROM (
  SELECT r.seq, i.id, i.group_id, i.free, i.bin FROM reopened r JOIN item i ON i.id = r.item_id
  WHERE r.project_id = :project AND r.pool = :pool AND r.seq > :seq ORDER BY r.seq LIMIT :size
) c WHERE c.free > 0 AND {new} ORDER BY c.seq LIMIT 4"""

_LAPSED = """
SELECT c.id FROM assignment x JOIN item c ON c.id = x.item_id
WHERE x.annotator_id = :who AND x.project_id = :project AND x.status = 'expired' AND x.occasion = 0
  AND c.pool = :pool AND c.free > 0{met} ORDER BY x.lease_until DESC, x.id LIMIT 4"""

_ELSEWHERE = """SELECT c.id FROM item c WHERE c.id = :item{met}"""

_UNLOCKED = sa.text("""
SELECT id FROM item WHERE id = ANY(CAST(:candidates AS integer[])) AND free > 0
ORDER BY array_position(CAST(:candidates AS integer[]), id) LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED""")
