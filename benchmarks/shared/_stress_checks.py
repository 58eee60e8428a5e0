"""Checks of a database after a stress test against the log of its threads, by other means than the workflow's own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import sqlalchemy as sa
from _stress_log import ShownItem, StressLog
from sqlmodel import Session

from annotation.store import invariants

ANSWERS = sa.text("""
SELECT j.assignment_id, j.revision, a.annotator_id, j.response, j.skip_reason
FROM judgement j JOIN assignment a ON a.id = j.assignment_id""")
GROUPS = sa.text("SELECT external_id, group_id FROM item")
COUNTING = sa.text("""
SELECT i.external_id, count(DISTINCT a.id), count(DISTINCT a.annotator_id) FROM item i
JOIN assignment a ON a.item_id = i.id
JOIN judgement j ON j.assignment_id = a.id
  AND j.revision = (SELECT max(revision) FROM judgement WHERE assignment_id = a.id)
WHERE i.pool = 'main' AND (j.excluded_kind IS NULL OR j.excluded_kind = 'abstained') GROUP BY i.external_id""")
MISSED = sa.text("""
SELECT i.external_id, p.annotator_id FROM item i JOIN project c ON c.id = i.project_id
JOIN participation p ON p.project_id = i.project_id
WHERE i.pool = 'main' AND i.free > 0 AND p.status = 'active'
  AND NOT EXISTS (SELECT 1 FROM assignment a WHERE a.item_id = i.id AND a.annotator_id = p.annotator_id
                  AND a.status <> 'expired')
  AND (c.name <> 'baseline' OR NOT EXISTS (SELECT 1 FROM exposure e
                                           WHERE e.annotator_id = p.annotator_id AND e.group_id = i.group_id))""")
MOST = 3
"""The highest overlap of both campaigns."""


def list_violations(session: Session, log: StressLog) -> list[str]:
    """Everything that is wrong, in words."""
    violations = [
        f"{rule.rule}: {rule.wrong} ({', '.join(rule.examples)})" for rule in invariants.list_violations(session)
    ]
    violations += _compare_answers(session, log)
    groups = {str(row[0]): str(row[1]) for row in session.connection().execute(GROUPS)}
    violations += _check_exposures(log, groups)
    for item, answers, annotators in session.connection().execute(COUNTING):
        if answers > MOST or annotators != answers:
            violations.append(f"{item} has {answers} answers of {annotators} annotators that count")
    return violations


def list_missed_items(session: Session) -> list[str]:
    """Free places that an annotator could still have taken although nobody gets an item any more."""
    return [f"{item} is still there for {annotator}" for item, annotator in session.connection().execute(MISSED)]


def _compare_answers(session: Session, log: StressLog) -> Iterator[str]:
    """Every acknowledged answer is stored once, as it was given, and no other answer is."""
    counts = Counter((answer.assignment, answer.revision) for answer in log.answers)
    yield from (f"answer {key} was stored {times} times" for key, times in counts.items() if times > 1)
    acknowledged = {
        (answer.assignment, answer.revision): (answer.annotator, answer.label or "") for answer in log.answers
    }
    stored = {
        (assignment, revision): (annotator, "" if skipped else response)
        for assignment, revision, annotator, response, skipped in session.connection().execute(ANSWERS)
    }
    yield from (f"answer {key} is lost" for key in sorted(acknowledged.keys() - stored.keys()))
    yield from (f"answer {key} was never given" for key in sorted(stored.keys() - acknowledged.keys()))
    yield from (
        f"answer {key} is {stored[key]}, and was {acknowledged[key]}"
        for key in sorted(acknowledged.keys() & stored.keys())
        if acknowledged[key] != stored[key]
    )


def _check_exposures(log: StressLog, groups: Mapping[str, str]) -> Iterator[str]:
    """In a baseline nobody was shown an item of a group that they had met by another item."""
    met: dict[tuple[int, str], set[str]] = defaultdict(set)
    for shown in _sort_by_assignment(log):
        before = met[shown.annotator, groups[shown.item]]
        if shown.project == "baseline" and before - {shown.item}:
            yield f"{shown.annotator} was shown {shown.item} after {sorted(before)}"
        before.add(shown.item)


def _sort_by_assignment(log: StressLog) -> list[ShownItem]:
    """In the order of assignment: an annotator's assignments have rising ids."""
    return sorted(log.shown, key=lambda shown: shown.assignment)
