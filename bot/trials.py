"""Trials of a campaign: run all of it with simulated annotators, once per overlap, each in a temporary database."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from annotation.campaigns import consistency
from annotation.campaigns.project_file import CheckedProject
from annotation.campaigns.sections.panels import sum_panel_votes
from annotation.campaigns.sections.stages import DynamicOverlap, SampledOverlap
from annotation.errors import BadInput
from annotation.loading import campaign as loading
from annotation.loading import campaign_lint
from annotation.loading.campaign import CampaignContents
from annotation.simulation import engine, outcome
from annotation.simulation.answer_generator import SimulationSettings
from annotation.simulation.outcome import Outcome
from annotation.store import database, queries
from annotation.vocabulary import Pool
from annotation.workflow import definitions
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import precision, projects, transitions

if TYPE_CHECKING:
    from aggregation.preferences.win_rates import Estimate
    from aggregation.scores.performance import Score, UnitName
    from exports.inputs import DataSet

DEFAULT_DYNAMIC_OVERLAP = DynamicOverlap(min=3, max=5, confidence=0.9)
"""What `--overlap dynamic` means for a project whose own overlap is not dynamic."""

Overlap = int | DynamicOverlap | SampledOverlap
Progress = Callable[[float], None]


@dataclass(frozen=True, kw_only=True)
class TrialScores:
    """The simulated answers to the first question, scored against the simulated truth.

    `right` is the share of correct answers. `half_width` is half the width of its 95% interval: that for new annotators
    and new items, or, if there is none (fewer than five annotators), that for these annotators and new items.
    `consensus` is the share of items with a correct majority; a tie counts as a part. `refused` says why there are no
    scores, and is None if there are.
    """

    right: float | None = None
    half_width: float | None = None
    consensus: float | None = None
    refused: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrialResult:
    """A win rate of two systems or a mean opinion, as `hromada baseline` shows it; `half_width` as in `TrialScores`."""

    name: str
    value: float
    half_width: float | None


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The simulation of one overlap.

    `results` are what people prefer, and how they rate, where the project has no gold; there are no `scores` then.
    `planned` is half the width of the interval that the project's plan expects, as a fraction, or None without a plan.
    """

    overlap: str
    outcome: Outcome
    scores: TrialScores
    results: tuple[TrialResult, ...]
    planned: float | None


def parse_overlaps(written: Sequence[str], *, campaign: CheckedProject) -> tuple[Overlap, ...]:
    """Parse overlaps as they are written after `--overlap`, without duplicates.

    A number from 1 to 1000 is itself. `own` is the overlap of the project, and nothing if it has none. `dynamic` is the
    project's own dynamic overlap, or DEFAULT_DYNAMIC_OVERLAP. Raises BadInput for anything else.
    """
    own_overlap = campaign.definition.overlap
    overlaps: list[Overlap] = []
    for text in written:
        if text == "own":
            overlaps += [] if own_overlap is None else [own_overlap]
        elif text == "dynamic":
            overlaps.append(own_overlap if isinstance(own_overlap, DynamicOverlap) else DEFAULT_DYNAMIC_OVERLAP)
        elif text.isascii() and text.isdigit() and 1 <= int(text) <= 1000:
            overlaps.append(int(text))
        else:
            raise BadInput(f"{text!r} is not an overlap.", remedy="Write it like --overlap own,3,5,dynamic.")
    return tuple(dict.fromkeys(overlaps))


def describe_overlap(overlap: Overlap) -> str:
    """Return an overlap as English text."""
    if isinstance(overlap, int | SampledOverlap):
        return str(overlap)
    return f"{overlap.min} to {overlap.max} until {overlap.confidence:.0%} sure"


def list_limitations(
    campaign: CheckedProject, contents: CampaignContents, overlaps: Sequence[Overlap]
) -> tuple[str, ...]:
    """Return sentences on what a simulation of this campaign leaves out, and which of its rules can have no effect."""
    definition = campaign.definition
    limitations = []
    if definition.admission and (definition.admission.earlier_control or definition.admission.top):
        limitations.append("Admission by earlier control items is left out: nobody has answered any here.")
    if definition.panels:
        limitations.append("People of all panels are equally good here: their differences are chance.")
        if sum_panel_votes(definition.panels) and any(overlap != definition.overlap for overlap in overlaps):
            limitations.append("With another overlap than the file's the panels share the places as people come.")
    tests_skill = definition.controls or definition.stages.training
    if (
        any(isinstance(overlap, DynamicOverlap) for overlap in overlaps)
        and not tests_skill
        and _has_two_options(contents)
    ):
        limitations.append(
            "Without control or training items nobody's skill is known. Between two options a dynamic overlap is then"
            " never sure and always goes to its maximum."
        )
    if any(isinstance(overlap, SampledOverlap) for overlap in overlaps):
        limitations.append(
            "With a sample, right answers are the first ones to each item, right majorities those of the sample."
        )
    counts = {pool: sum(item.pool is pool for item in contents.items) for pool in Pool}
    return (*limitations, *consistency.list_idle_rules(definition, counts))


def _has_two_options(contents: CampaignContents) -> bool:
    """Whether any question of any item is a choice between two options."""
    from exports.benchmark_items.answer_spaces import ANSWER_SPACES  # slow to import

    # not `scale`, whose points are also listed as options
    choices = [question for question in contents.questions if ANSWER_SPACES[question.kind].names_reasons]
    listed = (
        ANSWER_SPACES[question.kind].list_options(question, item.options)
        for question in choices
        for item in contents.items
    )
    return any(options is not None and len(options) == 2 for options in listed)


def compare_overlaps(
    campaign: CheckedProject,
    *,
    settings: SimulationSettings,
    overlaps: Sequence[Overlap],
    progress: Progress | None = None,
) -> tuple[CampaignContents, tuple[Trial, ...]]:
    """Simulate every overlap with the same annotators and the same truth.

    Returns the contents of the campaign, and one trial per overlap, in the order of `overlaps`.

    `progress` is called with the share that is done, from 0 to 1. Raises BadInput for a campaign that cannot be loaded,
    and for one that only has imported votes, as its items are not assigned to anybody.
    """
    if campaign.definition.overlap is None:
        raise BadInput(f"{campaign.name!r} only has imported votes.", remedy="Simulate a project with `overlap`.")
    contents = loading.read_contents(campaign)
    campaign_lint.refuse_errors(campaign_lint.lint_campaign(campaign, contents), campaign, contents)
    report = progress or (lambda _share: None)
    trials = []
    for number, overlap in enumerate(overlaps):

        def report_part(share: float, done: int = number) -> None:
            report((done + share) / len(overlaps))

        trials.append(_run_trial(campaign, contents, settings=settings, overlap=overlap, progress=report_part))
    return contents, tuple(trials)


def _run_trial(
    campaign: CheckedProject,
    contents: CampaignContents,
    *,
    settings: SimulationSettings,
    overlap: Overlap,
    progress: Progress,
) -> Trial:
    """Simulate one overlap in a temporary database."""
    with (
        tempfile.TemporaryDirectory(prefix="hromada-simulate-") as folder,
        database.open_database(sa.URL.create("sqlite", database=str(Path(folder) / "simulated.db"))) as db,
    ):
        return _simulate_campaign(
            db, _adapt_campaign(campaign, overlap), contents, settings=settings, overlap=overlap, progress=progress
        )


def _adapt_campaign(campaign: CheckedProject, overlap: Overlap) -> CheckedProject:
    """Return the campaign with this overlap, without the admission rules that need answers from earlier projects.

    With another overlap than its own its panels share the places of an item as people come.
    """
    definition = campaign.definition
    admission = definition.admission
    if admission is not None:
        admission = admission.model_copy(update={"earlier_control": None, "top": None})
    panels = definition.panels
    if overlap != definition.overlap:
        panels = {name: panel.model_copy(update={"votes": None}) for name, panel in panels.items()}
    changed = definition.model_copy(update={"overlap": overlap, "admission": admission, "panels": panels})
    return campaign.model_copy(update={"definition": changed})


def _simulate_campaign(
    db: database.Database,
    campaign: CheckedProject,
    contents: CampaignContents,
    *,
    settings: SimulationSettings,
    overlap: Overlap,
    progress: Progress,
) -> Trial:
    """Load, start, simulate and close the campaign, then measure and score its outcome."""
    from bot import release

    with db.transaction() as session:
        projects.load_project(session, campaign, contents, now=engine.SIMULATION_START)
        project = queries.get_project(session, campaign.name)
        admission = definitions.get_project_definition(project).admission
        cohort = next(iter(admission.cohort), None) if admission else None
        invitations.create_invitation(
            session, target=project, code="simulated", uses=settings.people, cohort=cohort, now=engine.SIMULATION_START
        )
        transitions.start_project(session, project=project, now=engine.SIMULATION_START, rehearsal=True)
    simulation = engine.create_simulation(db, settings=settings, names=[campaign.name])
    simulation.run(progress=progress)
    with db.transaction() as session:
        project = queries.get_project(session, campaign.name)
        transitions.close_project(session, project=project, now=simulation.now)
        measured = outcome.measure_outcome(session, simulation=simulation, project=project)
        planned = precision.get_share_half_width((project.frozen or {}).get("plan", {}))
        data = release.ProjectInputs(view=session, project=project).read_data_set()
    first = campaign.definition.all_questions[0].name
    truth = {item: key.answers.get(first) for (_, item), key in simulation.truths.items()}
    results = _list_results(data)
    scores = TrialScores() if results else _compute_scores(data, truth)
    return Trial(overlap=describe_overlap(overlap), outcome=measured, scores=scores, results=results, planned=planned)


def _list_results(data: DataSet) -> tuple[TrialResult, ...]:
    """The win rates of pairs, or the mean opinions by system; none where there is gold, or nothing of either."""
    from exports.results import DataSetResult

    if not data.list_scoring_gold().isna().all():
        return ()
    found = DataSetResult(data=data)
    if found.preference is not None:
        named = [(f"win rate of {pair.one} over {pair.two}", pair.estimate) for pair in found.preference.pairs]
        return tuple(_build_result(name, one.value, one) for name, one in named if one.value is not None)
    means = [] if found.scale is None else [(one.system, one.mean) for one in found.scale.opinions]
    return tuple(
        _build_result(f"mean opinion of {system or 'all texts'}", mean.value, mean)
        for system, mean in means
        if mean is not None and mean.value is not None
    )


def _build_result(name: str, value: float, estimate: Estimate | Score) -> TrialResult:
    return TrialResult(name=name, value=value, half_width=_halve_width(estimate))


def _compute_scores(data: DataSet, truth: Mapping[str, str | None]) -> TrialScores:
    """Score single answers and majorities against the truth, by item_id, as `hromada baseline` scores them."""
    from aggregation.answer_types import score_answers

    with_truth = replace(data, items=data.items.assign(gold=data.items["item_id"].map(truth).astype(object)))
    if with_truth.list_counted_answers().empty:
        return TrialScores(refused="There are no answers that count.")
    single_votes = with_truth if data.sample is None else with_truth.keep_first_places()
    parts: tuple[tuple[UnitName, DataSet], ...] = (
        ("individual", single_votes),
        ("majority", with_truth.keep_sample()),
    )
    single, majority = (
        score_answers(part.build_answers(), skips=part.build_skips(), units=[unit])[unit].primary
        for unit, part in parts
    )
    return TrialScores(right=single.value, half_width=_halve_width(single), consensus=majority.value)


def _halve_width(estimate: Estimate | Score) -> float | None:
    low, high = estimate.ci_low, estimate.ci_high
    if low is None or high is None:
        low, high = estimate.item_only_low, estimate.item_only_high
    return None if low is None or high is None else (high - low) / 2
