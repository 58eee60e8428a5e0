"""Simulates a campaign with simulated annotators under a virtual clock: always the earliest next step is done."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlmodel import col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.simulation import answer_generator, prerequisites
from annotation.simulation.annotator_agent import AnnotatorAgent
from annotation.simulation.answer_generator import ItemTruth, SimulationSettings
from annotation.store import database, queries
from annotation.store.models import Assignment, Item, Project
from annotation.vocabulary import ItemStatus, ProjectStatus, UnassignedReason
from annotation.workflow import definitions

SIMULATION_START = datetime(2026, 1, 5, 6, 0, tzinfo=UTC)
"""The start of every simulation: a Monday morning."""
MAX_DURATION = timedelta(days=365)
"""The maximum duration of a simulation."""
STEPS_PER_ANSWER, STEPS_PER_ANNOTATOR = 8, 2000
STEPS_PER_PROGRESS_REPORT = 50
"""Progress is reported after each of this many steps."""

ReportProgress = Callable[[float], None]


@dataclass
class Simulation:
    """A simulation of the running projects of a database; `run` continues until all annotators have stopped."""

    db: database.Database
    settings: SimulationSettings
    agents: tuple[AnnotatorAgent, ...]
    truths: dict[tuple[int, str], ItemTruth]
    max_steps: int
    now: datetime = SIMULATION_START
    steps: int = 0
    schedule: list[tuple[datetime, int]] = field(default_factory=list)

    @property
    def stop_reasons(self) -> Counter[UnassignedReason]:
        """The number of annotators who stopped, by reason."""
        return Counter(agent.stop_reason for agent in self.agents if agent.stop_reason is not None)

    def run(self, *, steps: int | None = None, progress: ReportProgress | None = None) -> int:
        """Run all steps, or at most `steps` of them, each in a transaction; returns how many were run."""
        done = 0
        while self.schedule and (steps is None or done < steps) and self.steps < self.max_steps:
            moment, number = heapq.heappop(self.schedule)
            if moment > SIMULATION_START + MAX_DURATION:
                break
            self.now, agent = moment, self.agents[number]
            with self.db.transaction() as session:
                next_step = agent.step(session, now=moment)
            done, self.steps = done + 1, self.steps + 1
            if next_step is not None:
                heapq.heappush(self.schedule, (next_step, number))
            if agent.idle_requests and not self._has_open_work():
                break
            if progress is not None and self.steps % STEPS_PER_PROGRESS_REPORT == 0:
                progress(self._compute_progress())
        return done

    def _has_open_work(self) -> bool:
        """Whether an open item has a free place or a live assignment, or a repeated item is due."""
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

    def _compute_progress(self) -> float:
        with self.db.reading() as session:
            done, places = session.exec(
                select(func.sum(Item.n_done), func.sum(col(Item.n_live) + col(Item.free) + col(Item.held)))
            ).one()
        return min(1.0, (done or 0) / (places or 1))


def create_simulation(db: database.Database, *, settings: SimulationSettings, names: Sequence[str]) -> Simulation:
    """Create a simulation of loaded projects, before its first step."""
    with db.transaction() as session:
        projects = [queries.get_project(session, name) for name in names]
        truths = answer_generator.read_truths(session, projects=projects, seed=settings.seed)
        paces = {
            project.id or 0: settings.pace or estimate_pace(definitions.get_project_definition(project))
            for project in projects
        }
        agents = tuple(
            AnnotatorAgent(
                annotator=annotator,
                annotator_id=prerequisites.join_projects(
                    session, annotator=annotator, language=projects[0].language, now=SIMULATION_START
                ),
                truths=truths,
                paces=paces,
            )
            for annotator in answer_generator.draw_annotators(settings)
        )
        answers = sum(project.overlap_max or 0 for project in projects) * len(truths)
    simulation = Simulation(
        db=db,
        settings=settings,
        agents=agents,
        truths=truths,
        max_steps=STEPS_PER_ANSWER * answers + (STEPS_PER_ANNOTATOR + 4 * len(truths)) * len(agents),
    )
    for number, agent in enumerate(agents):
        heapq.heappush(
            simulation.schedule, (agent.start_session(agent.annotator.first_session(SIMULATION_START)), number)
        )
    return simulation


def estimate_pace(definition: ProjectFile) -> float:
    """The median of seconds per item: as the project expects, else by its question types."""
    if definition.expected is not None:
        return definition.expected.seconds
    return sum(question.usual_seconds for question in definition.all_questions if question.required)
