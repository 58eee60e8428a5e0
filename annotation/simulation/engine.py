"""Simulates a campaign with simulated annotators under a virtual clock: always the earliest next step is done."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlmodel import Session, col, func, select

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question, question_base
from annotation.errors import Stale
from annotation.simulation import answer_generator, prerequisites
from annotation.simulation.answer_generator import ItemTruth, SimulatedAnnotator, SimulationSettings
from annotation.store import database, queries
from annotation.store.models import Assignment, Item, Project
from annotation.vocabulary import ItemStatus, ProjectStatus, UnassignedReason
from annotation.workflow import assignments, definitions
from annotation.workflow.assignments import AnnotatorTransaction, AssignedItem
from annotation.workflow.participations import NothingAssigned

ABSTENTION_RATE = 0.02
"""The chance that a careful annotator abstains where that is offered."""


def draw_answers(
    questions: Sequence[Question], item: ItemTruth, *, annotator: SimulatedAnnotator, rng: random.Random
) -> dict[str, object]:
    """Draw the answers by question name, only to questions that are asked after the earlier answers."""
    drawn: dict[str, str] = {}
    for number, question in enumerate(questions):
        if question_base.is_asked(question, drawn):
            answer = _draw_answer(question, item, first=number == 0, annotator=annotator, rng=rng)
            if answer is not None:
                drawn[question.name] = answer
    return dict(drawn)


def _draw_answer(
    question: Question, item: ItemTruth, *, first: bool, annotator: SimulatedAnnotator, rng: random.Random
) -> str | None:
    if annotator.careless:
        return question.draw_careless(item.content, rng)
    if question.abstention is not None and rng.random() < ABSTENTION_RATE:
        return question.abstention
    truth = item.answers.get(question.name)
    if truth is None:
        return question.draw_careless(item.content, rng) if question.required else None
    return question.draw_answer(
        item.content, truth, accepted=item.accepted if first else None, skill=annotator.skill, rng=rng
    )


MAX_IDLE_REQUESTS = 8
"""The annotator stops after this many requests in a row that gave no item."""
READING_TIME = timedelta(seconds=20)
"""The time to read a consent or a warning, or to fill in the profile."""
REQUIREMENTS = {UnassignedReason.CONSENT, UnassignedReason.PROFILE, UnassignedReason.WARNING}
LASTING_REASONS = {
    UnassignedReason.EXCLUDED, UnassignedReason.FAILED, UnassignedReason.NOT_ADMITTED, UnassignedReason.PAUSED,
    UnassignedReason.QUOTA, UnassignedReason.SUSPENDED, UnassignedReason.WITHDRAWN,
}  # fmt: skip
"""Reasons that last until an organiser acts."""


@dataclass
class AnnotatorAgent:
    """The state of a simulated annotator: the current item, the end of the work session, and why they stopped.

    `truths` (by project id and external id) and `paces` (seconds per item, by project id) are shared by all agents.
    `times_seen` counts how often the annotator finished each item.
    """

    annotator: SimulatedAnnotator
    annotator_id: int
    truths: Mapping[tuple[int, str], ItemTruth]
    paces: Mapping[int, float]
    current_item: AssignedItem | None = None
    session_end: datetime | None = None
    idle_requests: int = 0
    stop_reason: UnassignedReason | None = None
    times_seen: Counter[tuple[int, str]] = field(default_factory=Counter)

    def start_session(self, start: datetime) -> datetime:
        """Start a work session; returns its start."""
        self.session_end = start + self.annotator.session_length(start)
        return start

    def step(self, session: Session, *, now: datetime) -> datetime | None:
        """Do the next step; returns the time of the one after it, None where there is none."""
        transaction = assignments.lock_annotator(session, self.annotator_id)
        had_item = self.current_item is not None
        if self.current_item is not None:
            self._answer(transaction, self.current_item, now=now)
            if self.current_item is not None:
                return now + self._draw_duration(self.current_item)
        if had_item and self.session_end is not None and now >= self.session_end:
            return self._end_session(now)
        prerequisites.attest_sessions(session, annotator_id=self.annotator_id, annotator=self.annotator, now=now)
        next_item = assignments.assign_next_item(transaction, now=now)
        return (
            self._handle_no_item(session, next_item, now=now)
            if isinstance(next_item, NothingAssigned)
            else self._start_item(next_item, now=now)
        )

    def _start_item(self, item: AssignedItem, *, now: datetime) -> datetime:
        """Start with an item; now and then the annotator leaves before answering it."""
        self.current_item, self.idle_requests = item, 0
        times_seen = self.times_seen[item.project_id, item.item]
        leaves_early = (
            not self.annotator.careless and self._draw("leaves", item.item, times_seen) < self.annotator.settings.leaves
        )
        return self._end_session(now) if leaves_early else now + self._draw_duration(item)

    def _handle_no_item(self, session: Session, unassigned: NothingAssigned, *, now: datetime) -> datetime | None:
        if unassigned.reason in REQUIREMENTS and unassigned.project is not None:
            prerequisites.meet_requirement(
                session, unassigned, annotator_id=self.annotator_id, annotator=self.annotator, now=now
            )
            return now + READING_TIME
        if unassigned.reason is UnassignedReason.SEARCHING:
            return now + timedelta(seconds=1)
        if unassigned.until is not None:
            return self._end_session(unassigned.until)
        self.idle_requests += 1
        is_lasting = unassigned.reason in LASTING_REASONS or unassigned.reason is UnassignedReason.CAP
        if is_lasting or self.idle_requests >= MAX_IDLE_REQUESTS:
            self.stop_reason = unassigned.reason
            return None
        return self._end_session(now)

    def _end_session(self, now: datetime) -> datetime:
        return self.start_session(self.annotator.next_session(now))

    def _draw_duration(self, item: AssignedItem) -> timedelta:
        about = (item.project_id, item.item, self.times_seen[item.project_id, item.item], item.revision)
        pace = self.paces[item.project_id] / (3 if item.revision else 1)
        return timedelta(seconds=round(self.annotator.draw_seconds(pace, *about), 1))

    def _answer(self, transaction: AnnotatorTransaction, item: AssignedItem, *, now: datetime) -> None:
        """Answer, skip or report the current item; a late answer is refused and dropped."""
        self.current_item = None
        about = (item.item, self.times_seen[item.project_id, item.item])
        settings, is_careful = self.annotator.settings, not self.annotator.careless and item.revision == 0
        try:
            opened = assignments.open_assignment(transaction, assignment_id=item.assignment_id, now=now)
            if is_careful and self._draw("reports", *about) < settings.reports:
                assignments.report_item(opened, reason="simulated", now=now)
            if is_careful and self._draw("skips", *about) < settings.skips:
                assignments.skip_item(opened, reason="simulated", now=now)
            else:
                answers = self._draw_answers(item)
                assignments.submit_judgement(opened, revision=item.revision, answers=answers, now=now)
                if is_careful and self._draw("undos", *about) < settings.undos:
                    self.current_item = assignments.undo_judgement(opened)
        except Stale:
            pass
        if self.current_item is None:
            self.times_seen[item.project_id, item.item] += 1

    def _draw_answers(self, item: AssignedItem) -> dict[str, object]:
        truth = self.truths[item.project_id, item.item]
        questions = [asked.question for asked in item.questions]
        times_seen = self.times_seen[item.project_id, item.item]
        rng = self.annotator.rng("answers", item.project_id, item.item, times_seen, item.revision)
        return draw_answers(questions, truth, annotator=self.annotator, rng=rng)

    def _draw(self, *key: object) -> float:
        return self.annotator.rng(*key).random()


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
            return any(session.exec(query.limit(1)).first() is not None for query in (open_, again))

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
