"""A campaign lived through by simulated people, under a virtual clock: whoever is free next does her next step."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlmodel import col, func, select

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.questions import Choice, Choices, Edit, FreeText, Scale, SpanOf
from annotation.simulation import crowd as crowds
from annotation.simulation import door, keys
from annotation.simulation.crowd import Crowd
from annotation.simulation.replies import Key
from annotation.simulation.visitor import Visitor
from annotation.store import database, queries
from annotation.store.models import Assignment, Item, Project
from annotation.vocabulary import Hindrance, ItemStatus, ProjectStatus
from annotation.workflow import definitions

BEGIN = datetime(2026, 1, 5, 6, 0, tzinfo=UTC)
"""When every simulation begins: a Monday morning."""
LONGEST = timedelta(days=365)
"""A campaign that is not over by then is not over."""
SECONDS = {Choice: 8.0, Scale: 8.0, Choices: 12.0, FreeText: 25.0, SpanOf: 30.0, Edit: 180.0}
"""How long a question takes, where the project has no `expected.seconds` and no pace is given."""
STEPS_AN_ANSWER, STEPS_A_PERSON = 8, 2000
LOOKS = 50
"""After so many steps progress is told."""

Progress = Callable[[float], None]


@dataclass
class Simulation:
    """People on the running projects of a database. `play` goes on until nobody comes any more."""

    db: database.Database
    crowd: Crowd
    visitors: tuple[Visitor, ...]
    keys: dict[tuple[int, str], Key]
    bound: int
    now: datetime = BEGIN
    steps: int = 0
    heap: list[tuple[datetime, int]] = field(default_factory=list)

    @property
    def gone(self) -> Counter[Hindrance]:
        """How many people come no more, by what they were told."""
        return Counter(one.gone for one in self.visitors if one.gone is not None)

    def play(self, *, steps: int | None = None, progress: Progress | None = None) -> int:
        """Let so many steps happen, or all; how many did. Each is one transaction."""
        done = 0
        while self.heap and (steps is None or done < steps) and self.steps < self.bound:
            at, number = heapq.heappop(self.heap)
            if at > BEGIN + LONGEST:
                break
            self.now, visitor = at, self.visitors[number]
            with self.db.transaction() as session:
                then = visitor.step(session, now=at)
            done, self.steps = done + 1, self.steps + 1
            if then is not None:
                heapq.heappush(self.heap, (then, number))
            if visitor.idle and not self._anything_open():
                break
            if progress is not None and self.steps % LOOKS == 0:
                progress(self._share())
        return done

    def _anything_open(self) -> bool:
        """Whether an open item has a place, an answer is still to come, or something is to come again."""
        with self.db.reading() as session:
            if session.exec(select(Project.id).where(Project.status == ProjectStatus.PAUSED).limit(1)).first():
                return True
            waiting = (col(Item.free) > 0) | (col(Item.n_live) > col(Item.n_done))
            running = select(Project.id).where(Project.status == ProjectStatus.RUNNING)
            open_ = select(Item.id).where(col(Item.project_id).in_(running), Item.status == ItemStatus.OPEN, waiting)
            again = select(Assignment.id).where(
                col(Assignment.project_id).in_(running), col(Assignment.repeat_at).is_not(None)
            )
            return any(session.exec(one.limit(1)).first() is not None for one in (open_, again))

    def _share(self) -> float:
        with self.db.reading() as session:
            done, places = session.exec(
                select(func.sum(Item.n_done), func.sum(col(Item.n_live) + col(Item.free) + col(Item.held)))
            ).one()
        return min(1.0, (done or 0) / (places or 1))


def simulation(db: database.Database, *, crowd: Crowd, names: Sequence[str]) -> Simulation:
    """Everybody of the crowd before the named projects, which are loaded; nobody has come yet.

    Simulated people can do all that a project may ask, whatever the bot knows of it: the projects are marked as served.
    """
    with db.transaction() as session:
        projects = [queries.project(session, name) for name in names]
        for project in projects:
            project.served = True
            session.add(project)
        known = keys.of(session, projects=projects, seed=crowd.seed)
        paces = {one.id or 0: crowd.pace or pace(definitions.of(one)) for one in projects}
        visitors = tuple(
            Visitor(
                person=person,
                annotator_id=door.enter(session, person=person, language=projects[0].language, now=BEGIN),
                keys=known,
                paces=paces,
            )
            for person in crowds.cast(crowd)
        )
        answers = sum(one.overlap_max or 0 for one in projects) * len(known)
    made = Simulation(
        db=db,
        crowd=crowd,
        visitors=visitors,
        keys=known,
        bound=STEPS_AN_ANSWER * answers + (STEPS_A_PERSON + 4 * len(known)) * len(visitors),
    )
    for number, one in enumerate(visitors):
        heapq.heappush(made.heap, (one.arrive(one.person.first_sitting(BEGIN)), number))
    return made


def pace(definition: ProjectFile) -> float:
    """The median seconds of an item: as the project expects it, else by the kinds of its questions."""
    if definition.expected is not None:
        return definition.expected.seconds
    return sum(SECONDS[type(one)] for one in definition.asked if one.required)
