"""What a simulated campaign came to: answers, hours, money, days, items, people, and what it was short of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from annotation.simulation.run import BEGIN, Simulation
from annotation.store import judgements
from annotation.store.models import Assignment, Item, Judgement, Participation, Project
from annotation.vocabulary import AssignmentStatus, Hindrance, ParticipationStatus, Pool
from annotation.workflow import definitions
from annotation.workflow.annotators import activity, payments
from annotation.workflow.annotators.payments import Money
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.monitoring.campaign_status import Overview

SHORT: Mapping[Hindrance, str] = {
    Hindrance.NOTHING_LEFT: "had met all that is left",
    Hindrance.EXCLUDED: "were excluded by a quality rule",
    Hindrance.PAUSED: "were paused by a quality rule",
    Hindrance.FAILED: "missed the pass mark",
    Hindrance.CAP: "had as many items as `caps.items` allows",
    Hindrance.QUOTA: "had as many items as the programme allows",
    Hindrance.NOT_ADMITTED: "were not admitted",
    Hindrance.NOT_RUNNING: "came while nothing was handed out",
}
"""How people ended, in words."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One project after the simulation.

    `judgements` are all answers given, revisions and those of every stage and control item among them; `counting` the
    ones that consensus is made of. `days` run from the start to the last answer. `excluded` are people, `caught` the
    careless ones among them, `careless` all careless people who began. `failed` missed a pass mark.
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
        """Counting answers for each item."""
        return self.counting / self.items if self.items else 0.0


def of(session: Session, *, simulation: Simulation, project: Project) -> Outcome:
    """What the project came to."""
    definition = definitions.of(project)
    stands = campaign_status.of(session, project)
    work = activity.of_project(session, project=project, definition=definition)
    pay = definition.reward.pay if definition.reward else None
    owed = [payments.owed(pay, one) for one in work.values()] if pay else []
    standing = dict(
        session.exec(
            select(Participation.annotator_id, Participation.status).where(Participation.project_id == project.id)
        ).all()
    )
    excluded = {who for who, status in standing.items() if status is ParticipationStatus.EXCLUDED}
    careless = {one.annotator_id for one in simulation.visitors if one.person.careless} & set(work)
    judgements, last = _given(session, project)
    return Outcome(
        items=stands.items.number,
        done=stands.items.done,
        judgements=judgements,
        counting=_counting(session, project),
        hours=round(sum(one.hours for one in work.values()), 4),
        money=Money(hundredths=sum(one.hundredths for one in owed), currency=pay.currency) if pay else None,
        days=0.0 if last is None else round((last - BEGIN).total_seconds() / 86400, 2),
        people=len(work),
        excluded=len(excluded),
        careless=len(careless),
        caught=len(excluded & careless),
        failed=sum(status is ParticipationStatus.FAILED for status in standing.values()),
        shortages=tuple(_shortages(simulation, project, stands)),
    )


def _given(session: Session, project: Project) -> tuple[int, datetime | None]:
    """How many answers there are, and when the last was given."""
    joined = select(Judgement.answered_at).join(Assignment).where(Assignment.project_id == project.id)
    times = session.exec(joined).all()
    return len(times), max((one for one in times if one is not None), default=None)


def _counting(session: Session, project: Project) -> int:
    """Answers to main items that take a place: a skip that fills one, too, an abstention not."""
    chosen = (
        select(func.count())
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            Assignment.project_id == project.id,
            Assignment.status == AssignmentStatus.DONE,
            col(Assignment.holds),
            Item.pool == Pool.MAIN,
            col(Judgement.excluded_reason).is_(None),
            judgements.final_revision(),
        )
    )
    return session.exec(chosen).one()


def _shortages(simulation: Simulation, project: Project, stands: Overview) -> list[str]:
    """Why items are not done, and what would help."""
    items = stands.items
    left = items.number - items.done
    if not left:
        return []
    found = []
    if items.paused:
        found.append(f"{items.paused} items are paused, because people reported them: mend them with `load --fix`.")
    if left > items.paused:
        ended = ", ".join(f"{count} {SHORT.get(why, why.value)}" for why, count in sorted(simulation.gone.items()))
        people = f"of {len(simulation.visitors)} people {ended or 'all still come'}"
        found.append(
            f"{left - items.paused} of {items.number} items lack answers: {people}. {_remedy(simulation, project)}"
        )
    return found


def _remedy(simulation: Simulation, project: Project) -> str:
    """What to do about the commonest reason."""
    number, gone = len(simulation.visitors), simulation.gone
    if simulation.steps >= simulation.bound or not gone:
        return "The simulation ended before they did: ask more people, or let them come more often."
    most = project.overlap_max or 0
    if number < most:
        return f"{most} people are asked about an item: invite at least so many."
    return {
        Hindrance.CAP: "Invite more people, or raise `caps.items`.",
        Hindrance.FAILED: "Invite more people, lower the pass mark, or allow more attempts.",
        Hindrance.EXCLUDED: "Invite more people; see whether the quality rules are too strict.",
        Hindrance.NOT_ADMITTED: "Invite people whom `admission` takes.",
    }.get(gone.most_common(1)[0][0], _exposure(project))


def _exposure(project: Project) -> str:
    if definitions.of(project).kind == "baseline":
        return "In a baseline one person meets a group once: invite more people, or fewer items of a group."
    return "Invite more people: nobody answers an item twice."
