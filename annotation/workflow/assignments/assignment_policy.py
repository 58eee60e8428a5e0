"""Assignment policy as pure functions: stages, page positions, control items, caps, work sessions, seeded order, and
the remarks after an answer that keep people going: a milestone, a break, the night; never how well they do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.quality import CapsSection
from annotation.campaigns.sections.stages import ControlsSection, PagesSection
from annotation.store.models import ItemRow, ParticipationRow
from annotation.vocabulary import Stage, UnassignedReason
from annotation.workflow.participations import NothingAssigned

SESSION_PAUSE = timedelta(minutes=30)
"""After a pause this long a new work session begins."""

REPEAT_PROBABILITY = 0.5
"""How often a due repeat is assigned instead of a new item, so that repeats do not come in a row."""

FIRST_MILESTONES = (10, 25)
MILESTONE_STEP = 50
"""Every so many items are a milestone, after the first ones."""
LEAST_HALVED = 10
"""Half is not said of fewer items in all."""
BREAK_AFTER = timedelta(minutes=25)
"""How long somebody works until a break is suggested, and how long after it until the next."""
NIGHT_BEGINS, NIGHT_ENDS = time(23), time(6)
NIGHT_AFTER = timedelta(minutes=10)
"""How long somebody who began at night works until it is said that it is late."""


def generate_seeded_number(*key: object) -> float:
    """A pseudo-random number in [0, 1) that depends on the key alone: the first 48 bits of its sha256 as a fraction."""
    digest = hashlib.sha256("\x1f".join(map(str, key)).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48


def shuffle_names(names: Sequence[str], *key: object) -> list[str]:
    """The names in a pseudo-random order that depends on the key alone."""
    return sorted(names, key=lambda name: (generate_seeded_number(*key, name), name))


def get_next_stage(definition: ProjectFile, stage: Stage) -> Stage:
    """The stage after this one; the main stage is the last."""
    stages = [*map(Stage, definition.stages.by_name), Stage.MAIN]
    later_stages = stages[stages.index(stage) + 1 :] if stage in stages else []
    return later_stages[0] if later_stages else Stage.MAIN


@dataclass(frozen=True, kw_only=True)
class PagePosition:
    """The number of an annotator's page, and the position of an item on this page, both counted from 1."""

    page: int
    position: int


@dataclass(frozen=True, kw_only=True)
class SelectedItem:
    """The item to assign next.

    `item` is the item's row where the queue has read it and the annotator never had the item, else None. `occasion`
    counts the assignments of the item to this annotator from 0, `attempt` is the attempt at training or qualification,
    None in other stages. `page_position` is None without pages.
    """

    item_id: int
    item: ItemRow | None = None
    occasion: int = 0
    attempt: int | None = None
    is_repeat: bool = False
    page_position: PagePosition | None = None


def get_next_page_position(pages: PagesSection | None, *, page: int, on_page: int) -> PagePosition | None:
    """The page position of the next item; None where the project has no pages.

    `page` is the annotator's current page, 0 before the first item; `on_page` is how many items of it were shown.
    """
    if pages is None:
        return None
    if page == 0 or on_page >= pages.items:
        return PagePosition(page=page + 1, position=1)
    return PagePosition(page=page, position=on_page + 1)


def needs_control(
    controls: ControlsSection | None,
    pages: PagesSection | None,
    page_position: PagePosition | None,
    *,
    item_number: int,
    key: str,
) -> bool:
    """Whether the annotator's next item is to be a control item.

    `item_number` counts the annotator's items in the project from 1, and `key` is the annotator's seed key. With
    `controls.rate` each item is a control item with this probability, decided by its seeded number. With
    `controls.per_page` this many positions of each page, in seeded order, are control items.
    """
    if controls is None:
        return False
    if controls.rate is not None:
        return generate_seeded_number(key, "control", item_number) < controls.rate
    if pages is None or page_position is None:
        return False
    positions = shuffle_names(
        [str(position) for position in range(1, pages.items + 1)], key, "page", page_position.page
    )
    return str(page_position.position) in positions[: controls.per_page]


def find_reached_cap(
    caps: CapsSection | None, participation: ParticipationRow, *, project: str, now: datetime, zone: str
) -> NothingAssigned | None:
    """The cap of a project because of which the annotator gets no item now; None if no cap is reached.

    Counted are answers in the main stage, in all and on the day of the participation, and the current work session.
    In the time zone `zone` the annotator's day begins.
    """
    if caps is None:
        return None
    reached = NothingAssigned(reason=UnassignedReason.CAP, project=project)
    if caps.items is not None and participation.answered >= caps.items:
        return reached
    is_today = participation.day == get_local_date(now, zone)
    if caps.items_per_day is not None and is_today and participation.answered_today >= caps.items_per_day:
        local_zone = get_time_zone(zone)
        tomorrow = now.astimezone(local_zone).date() + timedelta(days=1)
        return replace(reached, until=datetime.combine(tomorrow, time.min, tzinfo=local_zone).astimezone(UTC))
    session_start, last_at = participation.work_session_since, participation.last_at
    if caps.sitting is None or last_at is None or session_start is None or starts_session(last_at, now=now):
        return None
    if (now - session_start).total_seconds() < caps.sitting:
        return None
    return replace(reached, until=last_at + SESSION_PAUSE)


def count_activity(participation: ParticipationRow, *, now: datetime) -> dict[str, Any]:
    """The changes that count the annotator's action into their work session, or begin a new one after a long pause."""
    if starts_session(participation.last_at, now=now):
        return {"work_session": participation.work_session + 1, "work_session_since": now, "last_at": now}
    return {"last_at": now}


def starts_session(last_at: datetime | None, *, now: datetime) -> bool:
    """Whether the next action begins a new work session."""
    return last_at is None or now - last_at >= SESSION_PAUSE


def get_local_date(now: datetime, zone: str) -> str:
    """The ISO date of `now` in a time zone, in UTC where it is unknown."""
    return now.astimezone(get_time_zone(zone)).date().isoformat()


def get_time_zone(name: str) -> ZoneInfo:
    """The time zone of this name; UTC where it is unknown."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


@dataclass(frozen=True, kw_only=True)
class PoolCounts:
    """Counts of a pool: its items that the annotator may get, those of them that lack an answer, and all answers.

    A pool that is not `whole` has more than `item_queue.MOST_COUNTED` items, of which the first are counted.
    """

    whole: bool
    items: int
    unfinished: int
    answered: int
    wanted: int


@dataclass(frozen=True, kw_only=True)
class Journey:
    """How far an annotator is in a programme.

    `title` is the programme's. `number` counts the items that they were shown, with this one; `total` is what it comes
    to, None where it is not known. `seconds` is how long all of it takes, by `expected.seconds`, None where one of the
    data sets does not say so. `answered` of `wanted` answers of all annotators are given, in the data sets that show
    them; both are None where one of these is too large to be counted. `is_halfway_told` says that half was announced,
    `counts_down` that the total is shown with each item.
    """

    title: str
    number: int
    total: int | None = None
    seconds: float | None = None
    answered: int | None = None
    wanted: int | None = None
    is_halfway_told: bool = False
    counts_down: bool = False


class RemarkKind(StrEnum):
    """What is remarked."""

    MILESTONE = "milestone"
    HALFWAY = "halfway"
    BREAK = "break"
    NIGHT = "night"


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A remark; `number` is the number of items of a milestone or of half, and the minutes of a break."""

    kind: RemarkKind
    number: int


def may_be_halfway(participation: ParticipationRow, *, number: int) -> bool:
    """Whether so many items can be half of enough to say so, which was not said yet."""
    return number * 2 >= LEAST_HALVED and not participation.halfway_told


def is_halfway(number: int, total: int) -> bool:
    """Whether so many of `total` items, which are half or more, are few enough more for half to be the word."""
    return total >= LEAST_HALVED and number * 5 <= total * 3


def list_remarks(
    *,
    number: int,
    began: datetime | None,
    previous: datetime,
    now: datetime,
    zone: ZoneInfo | None,
    is_half: bool = False,
) -> tuple[Remark, ...]:
    """The remarks after the answer to the item with this number in the main stage, which was assigned at `previous`.

    The work session began at `began`. All follows from stored times: a remark is made after the first answer past its
    moment, and therefore once. Nothing is said of the night where the annotator's time zone is not known. Where the
    item makes half of all (`is_half`), that is said instead of a milestone.
    """
    remarks = []
    if is_half:
        remarks.append(Remark(kind=RemarkKind.HALFWAY, number=number))
    elif number in FIRST_MILESTONES or (number > 0 and number % MILESTONE_STEP == 0):
        remarks.append(Remark(kind=RemarkKind.MILESTONE, number=number))
    if began is None:
        return tuple(remarks)
    before = max(previous, began)
    needs_break = (now - began) // BREAK_AFTER > (before - began) // BREAK_AFTER
    night = None if zone is None else _find_night(now.astimezone(zone))
    minutes = int((now - began).total_seconds() // 60)
    if night is not None and (needs_break or before < (night if began < night else began + NIGHT_AFTER) <= now):
        remarks.append(Remark(kind=RemarkKind.NIGHT, number=minutes))
    elif needs_break:
        remarks.append(Remark(kind=RemarkKind.BREAK, number=minutes))
    return tuple(remarks)


def _find_night(local: datetime) -> datetime | None:
    """When the night began in which this local time is, None by day."""
    if local.time() >= NIGHT_BEGINS:
        return local.replace(hour=NIGHT_BEGINS.hour, minute=0, second=0, microsecond=0)
    if local.time() < NIGHT_ENDS:
        evening = local - timedelta(days=1)
        return evening.replace(hour=NIGHT_BEGINS.hour, minute=0, second=0, microsecond=0)
    return None
