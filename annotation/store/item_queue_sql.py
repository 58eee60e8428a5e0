"""The SQL statements of the item queue; each reads a bounded number of rows by an index.

Conditions are written `(SELECT 1 … LIMIT 1) IS NULL` because PostgreSQL turns NOT EXISTS into a join with everything
that the annotator has met.
"""

from __future__ import annotations

import sqlalchemy as sa

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
    "{not_judged}{not_met}{bins}"
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

OPEN_ITEMS = """
SELECT id, group_id, queue_position, free, bin FROM item WHERE project_id = :project AND pool = :pool AND free > 0"""

STARTED = """
SELECT c.id FROM (
  SELECT * FROM (
    {open_items} AND n_live > 0 AND queue_position >= :window_start ORDER BY queue_position LIMIT 32) there
  UNION
  SELECT * FROM ({open_items} AND n_live > 0 ORDER BY queue_position LIMIT 32) first
) c WHERE {new} ORDER BY c.free, c.queue_position LIMIT 4"""

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

EXPIRED = """
SELECT c.id FROM assignment x JOIN item c ON c.id = x.item_id
WHERE x.annotator_id = :annotator AND x.project_id = :project AND x.status = 'expired' AND x.occasion = 0
  AND c.pool = :pool AND c.free > 0{not_judged}{not_met} ORDER BY x.lease_until DESC, x.id LIMIT 4"""

MAY_BE_ASSIGNED = """SELECT c.id FROM item c WHERE c.id = :item{not_judged}{not_met}"""

ABOUT_OWN_ITEM = {EXPIRED, MAY_BE_ASSIGNED}
"""Statements about an item that the annotator had already: that they met its group by this item does not count."""
