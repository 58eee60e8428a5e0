"""The outcome of a simulated campaign: answers, hours, money, days, items, annotators, and shortages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from annotation.simulation.engine import SIMULATION_START, Simulation
from annotation.store import judgements
from annotation.store.models import Assignment, Judgement, Participation, Project
from annotation.vocabulary import ParticipationStatus, UnassignedReason
from annotation.workflow import definitions
from annotation.workflow.annotators import payments
from annotation.workflow.annotators.payments import Money
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.monitoring.campaign_status import CampaignStatus

STOP_DESCRIPTIONS: Mapping[UnassignedReason, str] = {
    UnassignedReason.NOTHING_LEFT: "had met all that is left",
    UnassignedReason.EXCLUDED: "were excluded by a quality rule",
    UnassignedReason.PAUSED: "were paused by a quality rule",
    UnassignedReason.FAILED: "missed the pass mark",
    UnassignedReason.CAP: "had as many items as `caps.items` allows",
    UnassignedReason.QUOTA: "had as many items as the programme allows",
    UnassignedReason.NOT_ADMITTED: "were not admitted",
    UnassignedReason.NOT_RUNNING: "came while nothing was handed out",
}
"""How annotators ended, by the reason why they stopped."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One project after the simulation.

    `judgements` counts all answers, with revisions and those of every stage and control item; `counting` those used for
    consensus. `days` are from the start to the last answer. `excluded` and `failed` count annotators, `careless` the
    careless ones who answered, `caught` the excluded among these.
    """

    items: int
    done: int
    judgements: int
    counting: int
    hours: float
    money: Money | None
    days: float
    people: int
    excluded: int
    careless: int
    caught: int
    failed: int
    shortages: tuple[str, ...]

    @property
    def mean_answers(self) -> float:
        """The mean number of counting answers per item."""
        return self.counting / self.items if self.items else 0.0


def measure_outcome(session: Session, *, simulation: Simulation, project: Project) -> Outcome:
    """Measure the outcome of a project after its simulation."""
    definition = definitions.get_project_definition(project)
    status = campaign_status.get_campaign_status(session, project)
    times = payments.list_active_times(session, project=project, definition=definition)
    pay = definition.reward.pay if definition.reward else None
    owed = [payments.compute_owed(pay, time) for time in times.values()] if pay else []
    statuses = dict(
        session.exec(
            select(Participation.annotator_id, Participation.status).where(Participation.project_id == project.id)
        ).all()
    )
    excluded = {annotator_id for annotator_id, current in statuses.items() if current is ParticipationStatus.EXCLUDED}
    careless = {agent.annotator_id for agent in simulation.agents if agent.annotator.careless} & set(times)
    answer_count, last_at = _count_answers(session, project)
    return Outcome(
        items=status.items.number,
        done=status.items.done,
        judgements=answer_count,
        counting=_count_counting_answers(session, project),
        hours=round(sum(time.hours for time in times.values()), 4),
        money=Money(hundredths=sum(amount.hundredths for amount in owed), currency=pay.currency) if pay else None,
        days=0.0 if last_at is None else round((last_at - SIMULATION_START).total_seconds() / 86400, 2),
        people=len(times),
        excluded=len(excluded),
        careless=len(careless),
        caught=len(excluded & careless),
        failed=sum(current is ParticipationStatus.FAILED for current in statuses.values()),
        shortages=tuple(_explain_shortages(simulation, project, status)),
    )


def _count_answers(session: Session, project: Project) -> tuple[int, datetime | None]:
    """Return the number of answers and the time of the last."""
    joined = select(Judgement.answered_at).join(Assignment).where(Assignment.project_id == project.id)
    times = session.exec(joined).all()
    return len(times), max((moment for moment in times if moment is not None), default=None)


def _count_counting_answers(session: Session, project: Project) -> int:
    """Count the answers to main items that are used for consensus, with skips that fill the overlap."""
    chosen = (
        select(func.count())
        .select_from(Assignment)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            Assignment.project_id == project.id,
            judgements.build_final_revision_condition(),
            judgements.build_counting_condition(),
        )
    )
    return session.exec(chosen).one()


def _explain_shortages(simulation: Simulation, project: Project, status: CampaignStatus) -> list[str]:
    """Explain why items are not done, and what would help."""
    items = status.items
    left = items.number - items.done
    if not left:
        return []
    shortages = []
    if items.paused:
        shortages.append(f"{items.paused} items are paused, because people reported them: fix them with `load --fix`.")
    if left > items.paused:
        ended = ", ".join(
            f"{count} {STOP_DESCRIPTIONS.get(reason, reason.value)}"
            for reason, count in sorted(simulation.stop_reasons.items())
        )
        people = f"of {len(simulation.agents)} people {ended or 'all still come'}"
        shortages.append(
            f"{left - items.paused} of {items.number} items lack answers: {people}. {_find_remedy(simulation, project)}"
        )
    return shortages


def _find_remedy(simulation: Simulation, project: Project) -> str:
    """The remedy for the most frequent reason to stop."""
    number, gone = len(simulation.agents), simulation.stop_reasons
    if simulation.steps >= simulation.max_steps or not gone:
        return "The simulation ended before they did: ask more people, or let them come more often."
    most = project.overlap_max or 0
    if number < most:
        return f"{most} people are asked about an item: invite at least that many."
    return {
        UnassignedReason.CAP: "Invite more people, or raise `caps.items`.",
        UnassignedReason.FAILED: "Invite more people, lower the pass mark, or allow more attempts.",
        UnassignedReason.EXCLUDED: "Invite more people; see whether the quality rules are too strict.",
        UnassignedReason.NOT_ADMITTED: "Invite people whom `admission` takes.",
    }.get(gone.most_common(1)[0][0], _find_exposure_remedy(project))


def _find_exposure_remedy(project: Project) -> str:
    if definitions.get_project_definition(project).kind == "baseline":
        return "In a baseline one person meets a group once: invite more people, or fewer items of a group."
    return "Invite more people: nobody answers an item twice."
