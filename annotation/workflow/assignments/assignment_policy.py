"""Who gets what, decided: stages in order, places of control items on pages, caps, sittings. Pure, seeded by names."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.rules import CapsSection
from annotation.campaigns.stages import ControlsSection, PagesSection
from annotation.vocabulary import Stage

PAUSE = timedelta(minutes=30)
"""So long a pause begins a new sitting."""

LEASE_SECONDS = 30 * 60
"""How long an item waits in Telegram for its answer, where the project does not say."""

REPEATS_DRAWN = 0.5
"""How often a repeat that is due comes in place of a new item, so that repeats do not come in a row."""

_Z = 1.959963984540054


def draw(*names: object) -> float:
    """A number from 0 to below 1 that the names decide: the same names, the same number."""
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48


def shuffled(names: Sequence[str], *key: object) -> list[str]:
    """The names in an order that the key decides."""
    return sorted(names, key=lambda name: (draw(*key, name), name))


def following(definition: ProjectFile, stage: Stage) -> Stage:
    """The stage after this one; the main one is the last."""
    stages = [*map(Stage, definition.stages.named), Stage.MAIN]
    later = stages[stages.index(stage) + 1 :] if stage in stages else []
    return later[0] if later else Stage.MAIN


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a person's next item stands: on which page, from 1, and at which place of it, from 1."""

    page: int
    place: int


def next_place(pages: PagesSection | None, *, page: int, on_page: int) -> Place | None:
    """The place after the one where she is; None where the project has no pages."""
    if pages is None:
        return None
    if page == 0 or on_page >= pages.items:
        return Place(page=page + 1, place=1)
    return Place(page=page, place=on_page + 1)


def asks_control(
    controls: ControlsSection | None, pages: PagesSection | None, place: Place | None, *, position: int, key: str
) -> bool:
    """Whether a control item stands there: `per_page` seeded places of each page, or a seeded draw at each position."""
    if controls is None:
        return False
    if controls.rate is not None:
        return draw(key, "control", position) < controls.rate
    if pages is None or place is None:
        return False
    places = shuffled([str(number) for number in range(1, pages.items + 1)], key, "page", place.page)
    return str(place.place) in places[: controls.per_page]


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a person did in a project: answers in all, on which day of hers how many, and her sitting."""

    answered: int
    day: str | None
    answered_today: int
    sitting_since: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Cap:
    """A cap that is reached; `until` is when time lifts it."""

    until: datetime | None = None


def capped(caps: CapsSection | None, work: Work, *, now: datetime, zone: str | None) -> Cap | None:
    """The cap that keeps a person from another item now."""
    if caps is None:
        return None
    if caps.items is not None and work.answered >= caps.items:
        return Cap()
    if caps.items_per_day is not None and work.day == day(now, zone) and work.answered_today >= caps.items_per_day:
        return Cap(until=_tomorrow(now, zone))
    if caps.sitting is None or work.last_at is None or work.sitting_since is None or rested(work.last_at, now=now):
        return None
    if (now - work.sitting_since).total_seconds() < caps.sitting:
        return None
    return Cap(until=work.last_at + PAUSE)


def rested(last_at: datetime | None, *, now: datetime) -> bool:
    """Whether a new sitting begins."""
    return last_at is None or now - last_at >= PAUSE


def day(now: datetime, zone: str | None) -> str:
    """The date where the person is."""
    return now.astimezone(_zone(zone)).date().isoformat()


def _tomorrow(now: datetime, zone: str | None) -> datetime:
    there = _zone(zone)
    tomorrow = now.astimezone(there).date() + timedelta(days=1)
    return datetime.combine(tomorrow, time.min, tzinfo=there).astimezone(UTC)


def _zone(name: str | None) -> ZoneInfo:
    """Her time zone; UTC where it is not known."""
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson, 1927)."""
    share, weight = right / of, _Z**2 / of
    middle = (share + weight / 2) / (1 + weight)
    half = math.sqrt(share * (1 - share) * weight + weight**2 / 4) / (1 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)
