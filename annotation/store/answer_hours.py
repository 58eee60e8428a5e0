"""The hour of the day at which people answered, by their own clocks: for tables of several people, never for a file.

Clock times are personal, so that no published frame has them; only this module hands out hours.
"""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from annotation.store import judgements
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.vocabulary import UNSAID_TIME_ZONE, Pool

Hours = dict[tuple[str, str], int]


def read_answer_hours(session: Session, project: Project) -> Hours:
    """The hour, 0 to 23, of each final answer to a main item, by item_id and pseudonym.

    It is that of the annotator's own time zone. Who did not tell theirs is left out, and so are answers of unknown time
    and repeats, as the first answer counts.
    """
    query = (
        select(Item.external_id, Annotator.pseudonym, Annotator.time_zone, Judgement.answered_at)
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.project_id) == project.id,
            col(Assignment.is_repeat).is_(False),
            col(Item.pool) == Pool.MAIN,
            judgements.build_final_revision_condition(),
        )
    )
    zones: dict[str, ZoneInfo] = {}
    hours: Hours = {}
    for item, pseudonym, zone, answered_at in session.exec(query):
        if zone not in (None, UNSAID_TIME_ZONE) and answered_at is not None:
            local = zones.setdefault(zone, ZoneInfo(zone))
            hours[item, pseudonym] = answered_at.replace(tzinfo=answered_at.tzinfo or UTC).astimezone(local).hour
    return hours
