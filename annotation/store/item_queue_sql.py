"""The statements that look for an item, with the conditions that a project asks for: each reads a few rows by an index.

Conditions are written `(SELECT 1 … LIMIT 1) IS NULL` because PostgreSQL turns NOT EXISTS into a join with all that a
person has met.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sqlalchemy as sa

from annotation.vocabulary import Cause, Pool


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


def statement(text: str, seeker: Seeker) -> sa.TextClause:
    """One of these texts, with the conditions that this person's search asks for."""
    sorted_ = seeker.bins is not None and text not in HERS
    return _statement(text, blind=seeker.blind, excepted=bool(seeker.exceptions), sorted_=sorted_)


@cache
def _statement(text: str, *, blind: bool, excepted: bool, sorted_: bool) -> sa.TextClause:
    other = " AND e.project_id NOT IN :exceptions" if excepted else ""
    mine = " AND (e.project_id <> :project OR e.cause <> :cause)" if text in HERS else ""
    met = _MET.format(other=other + mine) if blind else ""
    new = _NEW.format(met=met, bins=" AND c.bin IN :bins" if sorted_ else "")
    made = sa.text(text.format(window=_WINDOW, new=new, met=met))
    lists: list[sa.BindParameter[object]] = [
        sa.bindparam(name, expanding=True) for name in ("exceptions", "bins") if f":{name}" in made.text
    ]
    return made.bindparams(*lists)


_MET = """
  AND (SELECT 1 FROM exposure e WHERE e.annotator_id = :who AND e.group_id = c.group_id{other} LIMIT 1) IS NULL"""

_NEW = (
    """(SELECT 1 FROM assignment a WHERE a.item_id = c.id AND a.annotator_id + 0 = :who LIMIT 1) IS NULL{met}{bins}"""
)
"""With `+ 0` the few assignments of the item are looked through, never all of hers, whatever a planner believes."""

LOOK = sa.text("""
SELECT here.top, here.lapsed, here.waiting, w.start, w.pos, w.wrapped, w.seq FROM (
  SELECT
    (SELECT ring FROM item WHERE project_id = :project AND pool = :pool AND free > 0 ORDER BY ring DESC LIMIT 1) AS top,
    (SELECT 1 FROM assignment x WHERE x.annotator_id = :who AND x.project_id = :project AND x.status = 'expired'
     LIMIT 1) AS lapsed,
    (SELECT count(*) FROM (
       SELECT 1 FROM item WHERE project_id = :project AND pool = :pool AND free > 0 LIMIT :most) counted) AS waiting
) here LEFT JOIN walk w ON w.annotator_id = :who AND w.project_id = :project AND w.pool = :pool""")

OTHERS = sa.text("""
SELECT count(*) FROM (
  SELECT id FROM item WHERE project_id = :project AND pool = :pool AND free > 0 LIMIT :most
) open WHERE id <> :item""")

_WINDOW = """
SELECT id, group_id, ring, free, bin FROM item WHERE project_id = :project AND pool = :pool AND free > 0"""

STARTED = """
SELECT c.id FROM (
  SELECT * FROM ({window} AND n_live > 0 AND ring >= :here ORDER BY ring LIMIT 32) there
  UNION
  SELECT * FROM ({window} AND n_live > 0 ORDER BY ring LIMIT 32) first
) c WHERE {new} ORDER BY c.free, c.ring LIMIT 4"""

RING = """
SELECT c.id FROM ({window} AND ring >= :low AND ring < :high ORDER BY ring LIMIT :size) c
WHERE {new} ORDER BY c.ring LIMIT 4"""

LAST = """
SELECT ring FROM item WHERE project_id = :project AND pool = :pool AND free > 0 AND ring >= :low AND ring < :high
ORDER BY ring LIMIT 1 OFFSET :before"""

RETURNED = """
SELECT c.id FROM (
  SELECT r.seq, i.id, i.group_id, i.free, i.bin FROM reopened r JOIN item i ON i.id = r.item_id
  WHERE r.project_id = :project AND r.pool = :pool AND r.seq > :seq ORDER BY r.seq LIMIT :size
) c WHERE c.free > 0 AND {new} ORDER BY c.seq LIMIT 4"""

_NEAR = """
SELECT id FROM (SELECT * FROM ({first}) one UNION ALL SELECT * FROM ({then}) other) near LIMIT 4"""
ON_THE_WAY = _NEAR.format(first=STARTED, then=RING)
ROUND_DONE = _NEAR.format(first=STARTED, then=RETURNED)
"""Started items, and where they are few, what else comes first for her."""

LAPSED = """
SELECT c.id FROM assignment x JOIN item c ON c.id = x.item_id
WHERE x.annotator_id = :who AND x.project_id = :project AND x.status = 'expired' AND x.occasion = 0
  AND c.pool = :pool AND c.free > 0{met} ORDER BY x.lease_until DESC, x.id LIMIT 4"""

ELSEWHERE = """SELECT c.id FROM item c WHERE c.id = :item{met}"""

HERS = {LAPSED, ELSEWHERE}
"""About an item that was hers: that she met its group by that very item does not count."""
