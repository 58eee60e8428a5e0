"""Trials of a campaign: the whole of it on simulated people, in a database of its own, once for each overlap."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import Session

from annotation.campaigns.project import Campaign
from annotation.campaigns.questions import Choice
from annotation.campaigns.rules import ControlRule
from annotation.campaigns.stages import DynamicOverlap
from annotation.errors import BadInput
from annotation.loading import campaign as loading
from annotation.loading import inspection
from annotation.loading.campaign import Contents
from annotation.simulation import outcome, run
from annotation.simulation.crowd import Crowd
from annotation.simulation.outcome import Outcome
from annotation.store import database, queries
from annotation.store.models import Project
from annotation.vocabulary import Pool
from annotation.workflow import definitions
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions

if TYPE_CHECKING:
    from exports.inputs import DataSet

DYNAMIC = DynamicOverlap(min=3, max=5, confidence=0.9)
"""What `dynamic` is where the project has no range of its own."""
RESAMPLES = 500

Overlap = int | DynamicOverlap
Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """What the answers are worth against the truth: the share of right answers with half of its 95 % interval, and
    the share of items whose majority is right (a tie is not). `refused` says why there are none.
    """

    right: float | None = None
    half_width: float | None = None
    consensus: float | None = None
    refused: str | None = None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One overlap tried; `planned` is half of the interval that the plan promised at its start."""

    overlap: str
    outcome: Outcome
    numbers: Numbers
    planned: float | None


def overlaps(written: Sequence[str], *, campaign: Campaign) -> tuple[Overlap, ...]:
    """The overlaps that are asked for: numbers, and `dynamic`, the project's own range or from 3 to 5 people."""
    own = campaign.definition.overlap
    found: list[Overlap] = []
    for one in written:
        if one == "dynamic":
            found.append(own if isinstance(own, DynamicOverlap) else DYNAMIC)
        elif one.isascii() and one.isdigit() and 1 <= int(one) <= 1000:
            found.append(int(one))
        else:
            raise BadInput(f"{one!r} is no overlap.", remedy="Write it like --overlap 3,5,dynamic.")
    return tuple(dict.fromkeys(found))


def named(overlap: Overlap) -> str:
    """An overlap in words."""
    if isinstance(overlap, int):
        return str(overlap)
    return f"{overlap.min} to {overlap.max} until {overlap.confidence:.0%} sure"


def notes(campaign: Campaign, contents: Contents, tried: Sequence[Overlap]) -> tuple[str, ...]:
    """What a trial cannot know, and what the campaign's own files say against it."""
    definition = campaign.definition
    found = []
    if definition.admission and (definition.admission.earlier_control or definition.admission.top):
        found.append("Admission by earlier control items is left out: nobody has answered any here.")
    known = definition.controls or definition.stages.training
    if any(isinstance(one, DynamicOverlap) for one in tried) and not known and _of_two(contents):
        found.append(
            "Nobody's skill is known without control or training items: of two options a dynamic overlap is never sure"
            " then, and goes to its maximum."
        )
    controls = sum(item.pool is Pool.CONTROL for item in contents.items)
    rules = (one for one in definition.quality if isinstance(one, ControlRule) and not one.training_counts)
    found += [
        f"The control rule judges from {rule.min_controls} control items on; with {controls} it excludes nobody."
        for rule in rules
        if controls < rule.min_controls
    ]
    return tuple(found)


def _of_two(contents: Contents) -> bool:
    """Whether something is chosen from two options."""
    choices = [one for one in contents.questions if isinstance(one, Choice)]
    return any(len(one.substantive(item.options)) == 2 for one in choices for item in contents.items)


def compare(
    campaign: Campaign, *, crowd: Crowd, tried: Sequence[Overlap], progress: Progress | None = None
) -> tuple[Contents, tuple[Trial, ...]]:
    """Try every overlap with the same people and the same truth. Raises BadInput for a campaign that cannot be loaded,
    and for one that hands nothing out.
    """
    if campaign.definition.overlap is None:
        raise BadInput(
            f"{campaign.name!r} has imported votes only.", remedy="Only what is handed out can be simulated."
        )
    contents = loading.contents(campaign)
    inspection.refuse(inspection.findings(campaign, contents), campaign, contents)
    told = progress or (lambda _share: None)
    trials = []
    for number, overlap in enumerate(tried):

        def part(share: float, done: int = number) -> None:
            told((done + share) / len(tried))

        trials.append(_trial(campaign, contents, crowd=crowd, overlap=overlap, progress=part))
    return contents, tuple(trials)


def _trial(campaign: Campaign, contents: Contents, *, crowd: Crowd, overlap: Overlap, progress: Progress) -> Trial:
    with (
        tempfile.TemporaryDirectory(prefix="hromada-simulate-") as folder,
        database.opened(sa.URL.create("sqlite", database=str(Path(folder) / "simulated.db"))) as db,
    ):
        return _lived(db, _tried(campaign, overlap), contents, crowd=crowd, overlap=overlap, progress=progress)


def _tried(campaign: Campaign, overlap: Overlap) -> Campaign:
    """The campaign with that overlap, open to people of whom nothing is known from earlier projects."""
    definition = campaign.definition
    admission = definition.admission
    if admission is not None:
        admission = admission.model_copy(update={"earlier_control": None, "top": None})
    changed = definition.model_copy(update={"overlap": overlap, "admission": admission})
    return campaign.model_copy(update={"definition": changed})


def _lived(
    db: database.Database, campaign: Campaign, contents: Contents, *, crowd: Crowd, overlap: Overlap, progress: Progress
) -> Trial:
    """From loading to closing."""
    from bot import release

    with db.transaction() as session:
        projects.load(session, campaign, contents, now=run.BEGIN)
        project = queries.project(session, campaign.name)
        _invite(session, project, people=crowd.people)
        transitions.start(session, project=project, now=run.BEGIN, rehearsal=True)
    simulation = run.simulation(db, crowd=crowd, names=[campaign.name])
    simulation.play(progress=progress)
    with db.transaction() as session:
        project = queries.project(session, campaign.name)
        transitions.close(session, project=project, now=simulation.now)
        found = outcome.of(session, simulation=simulation, project=project)
        planned = (project.frozen or {}).get("plan", {}).get("half_width")
        data = release.data_set(session, project)
    first = campaign.definition.asked[0].name
    truth = {item: key.truth.get(first) for (_, item), key in simulation.keys.items()}
    numbers = _numbers(data, truth, seed=crowd.seed)
    return Trial(overlap=named(overlap), outcome=found, numbers=numbers, planned=planned)


def _invite(session: Session, project: Project, *, people: int) -> None:
    """One invitation for everybody, into the first cohort that is admitted."""
    admission = definitions.of(project).admission
    cohort = next(iter(admission.cohort), None) if admission else None
    invitations.invite(session, door=project, code="simulated", uses=people, cohort=cohort, now=run.BEGIN)


def _numbers(data: DataSet, truth: Mapping[str, str | None], *, seed: int) -> Numbers:
    """Single answers and majorities against the truth, by the code of `hromada baseline`."""
    from aggregation.kinds import performance_of

    known = replace(data, items=data.items.assign(gold=data.items["item_id"].map(truth).astype(object)))
    if known.retained().empty:
        return Numbers(refused="There are no answers that count.")
    made = performance_of(
        known.answers(), skips=known.skips(), resamples=RESAMPLES, seed=seed, units=("individual", "majority")
    )
    single, majority = made["individual"].primary, made["majority"].primary
    half = None if single.low is None or single.high is None else (single.high - single.low) / 2
    return Numbers(right=single.value, half_width=half, consensus=majority.value)
