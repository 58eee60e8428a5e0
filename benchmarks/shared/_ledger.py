"""What a database must be after a storm, by what people were told: found by other ways than the workflow's own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import sqlalchemy as sa
from _storm import Ledger, Shown
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
WHERE i.pool = 'main' AND (j.excluded_reason IS NULL OR j.excluded_reason = 'abstained') GROUP BY i.external_id""")
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


def breaches(session: Session, told: Ledger) -> list[str]:
    """All that is not as it must be, in words."""
    found = [f"{one.rule}: {one.wrong} ({', '.join(one.examples)})" for one in invariants.broken(session)]
    found += _answers(session, told)
    groups = {str(row[0]): str(row[1]) for row in session.connection().execute(GROUPS)}
    found += _exposures(told, groups)
    for item, answers, people in session.connection().execute(COUNTING):
        if answers > MOST or people != answers:
            found.append(f"{item} has {answers} answers of {people} people that count")
    return found


def missed(session: Session) -> list[str]:
    """Places that are free though somebody could have taken them, when nobody gets anything any more."""
    return [f"{item} is still there for {who}" for item, who in session.connection().execute(MISSED)]


def _answers(session: Session, told: Ledger) -> Iterator[str]:
    """Every acknowledged answer is there once, as it was given, and no other."""
    given = Counter((one.assignment, one.revision) for one in told.answers)
    yield from (f"answer {key} was stored {times} times" for key, times in given.items() if times > 1)
    said = {(one.assignment, one.revision): (one.who, one.label or "") for one in told.answers}
    stored = {
        (assignment, revision): (who, "" if skipped else response)
        for assignment, revision, who, response, skipped in session.connection().execute(ANSWERS)
    }
    yield from (f"answer {key} is lost" for key in sorted(said.keys() - stored.keys()))
    yield from (f"answer {key} was never given" for key in sorted(stored.keys() - said.keys()))
    yield from (
        f"answer {key} is {stored[key]}, and was {said[key]}"
        for key in sorted(said.keys() & stored.keys())
        if said[key] != stored[key]
    )


def _exposures(told: Ledger, groups: Mapping[str, str]) -> Iterator[str]:
    """Nobody was shown an item of a group in a baseline that she had met by another; an item twice is one meeting."""
    met: dict[tuple[int, str], set[str]] = defaultdict(set)
    for one in _in_order(told):
        before = met[one.who, groups[one.item]]
        if one.project == "baseline" and before - {one.item}:
            yield f"{one.who} was shown {one.item} after {sorted(before)}"
        before.add(one.item)


def _in_order(told: Ledger) -> list[Shown]:
    """A person's assignments have rising numbers."""
    return sorted(told.shown, key=lambda one: one.assignment)
