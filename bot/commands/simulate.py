"""`hromada simulate`: a campaign with simulated annotators, before real ones come."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, Where
from bot.commands import terminal_output
from bot.commands.command_line import AllowOutside, AsJson, ProjectFile
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from annotation.simulation.answer_generator import SimulationSettings
    from bot.trials import Trial, TrialResult

People = Annotated[int, typer.Option(min=1, max=10_000, help="How many people are invited.")]
Skill = Annotated[str, typer.Option(help="The mean chance of a right answer.")]
Spread = Annotated[str, typer.Option(help="The standard deviation of skill among people.")]
Careless = Annotated[str, typer.Option(help="The share of people who answer at random, in haste.")]
Skips = Annotated[str, typer.Option(help="The share of items that are passed over.")]
Pace = Annotated[
    str | None,
    typer.Option(help="The median time of an item, like 20s; else what is expected, or by kind of question."),
]
Sitting = Annotated[str, typer.Option(help="The median length of a sitting.")]
Overlaps = Annotated[str, typer.Option(help="The overlaps to compare: numbers, `own` (that of the file), `dynamic`.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same people, truth and numbers.")]


def simulate(
    file: ProjectFile,
    people: People = 20,
    skill: Skill = "85%",
    spread: Spread = "5%",
    careless: Careless = "5%",
    skips: Skips = "1%",
    pace: Pace = None,
    sitting: Sitting = "30min",
    overlap: Overlaps = "own,3,5,dynamic",
    seed: Seed = 0,
    allow_outside: AllowOutside = False,
    json: AsJson = False,
) -> None:
    """Estimate cost, time and overlap with simulated people.

    Runs the whole campaign in a database of its own, once for each overlap, and shows its cost, its duration and the
    quality of the answers.
    """
    from annotation.simulation.answer_generator import SimulationSettings

    settings = SimulationSettings(
        people=people,
        skill=_parse_share(skill, "skill"),
        spread=_parse_share(spread, "spread"),
        careless=_parse_share(careless, "careless"),
        skips=_parse_share(skips, "skips"),
        pace=None if pace is None else _parse_seconds(pace, "pace"),
        sitting=_parse_seconds(sitting, "sitting"),
        seed=seed,
    )
    _run_trials(file, settings, overlap.replace(",", " ").split(), allow_outside=allow_outside, json=json)


def _run_trials(
    file: Path, settings: SimulationSettings, overlaps: Sequence[str], *, allow_outside: bool, json: bool
) -> None:
    """Simulate the campaign of a file with each overlap, and print the results."""
    from annotation.campaigns import project_file
    from bot import trials
    from bot.commands import campaign_check

    campaign = project_file.read_project(file, allow_outside=allow_outside)
    parsed = trials.parse_overlaps(overlaps, campaign=campaign)
    with terminal_output.show_progress("simulated answers", quiet=json) as progress:
        contents, results = trials.compare_overlaps(campaign, settings=settings, overlaps=parsed, progress=progress)
    checked = campaign_check.check_campaign(file, allow_outside=allow_outside)
    to_do = (f"To do before people come: {line}" for line in checked.to_do)
    notes = (*trials.list_limitations(campaign, contents, parsed), *to_do)
    if json:
        facts = {"project": campaign.name, "simulated": True, "crowd": asdict(settings)}
        terminal_output.print_json(facts | {"trials": [_build_json(trial) for trial in results], "notes": list(notes)})
    else:
        _print_trials(campaign.name, settings, results, notes)


WIDTHS = (
    "Half of a 95 % interval (±) is for new people and new items; of fewer than five people, for these people and new"
    " items."
)


def _print_trials(campaign: str, settings: SimulationSettings, results: Sequence[Trial], notes: Sequence[str]) -> None:
    """Print a column for each overlap; rows without values are left out."""
    columns = [_build_cells(trial) for trial in results]
    names = dict.fromkeys(name for cells in columns for name in cells)
    all_rows = [(name, *(cells.get(name) for cells in columns)) for name in names]
    rows = [row for row in all_rows if any(cell is not None for cell in row[1:])]
    shortages = [f"Overlap {trial.overlap}: {line}" for trial in results for line in trial.outcome.shortages]
    refused = dict.fromkeys(trial.scores.refused for trial in results if trial.scores.refused)
    terminal_output.print_table(
        f"SIMULATED · {campaign} · {settings.people} people, skill {settings.skill:.0%},"
        f" {settings.careless:.0%} careless, seed {settings.seed}",
        ("overlap", *(trial.overlap for trial in results)),
        rows,
        notes=[
            *shortages,
            *(f"No accuracy: {reason}" for reason in refused),
            *notes,
            *([WIDTHS] if any(trial.results or trial.scores.half_width is not None for trial in results) else ()),
            "SIMULATED: no person answered any of this.",
        ],
    )


def _build_cells(trial: Trial) -> dict[str, Cell]:
    """The cells of a trial by row."""
    outcome, scores = trial.outcome, trial.scores
    cells: dict[str, Cell] = {
        "items done": f"{outcome.done} of {outcome.items}",
        "judgements": str(outcome.judgements),
        "answers an item": f"{outcome.mean_answers:.2f}",
        "hours of work": f"{outcome.hours:.1f}",
        "money": None if outcome.money is None else str(outcome.money),
        "days": f"{outcome.days:.1f}",
        "people who answered": str(outcome.people),
        "excluded by rules": str(outcome.excluded),
        "careless, and excluded": f"{outcome.caught} of {outcome.careless}",
        "missed a pass mark": str(outcome.failed),
        "right answers": _format_number(scores.right),
        "half of their 95 % interval": _format_number(scores.half_width),
        "planned, of a baseline": _format_number(trial.planned),
        "right majorities": _format_number(scores.consensus),
    }
    return cells | {one.name: _format_result(one) for one in trial.results}


def _format_result(result: TrialResult) -> str:
    width = "" if result.half_width is None else f" ± {result.half_width:.3f}"
    return f"{result.value:.3f}{width}"


def _format_number(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def _build_json(trial: Trial) -> dict[str, object]:
    """A trial with the keys of `--json`."""
    outcome, scores = trial.outcome, trial.scores
    money = (
        None if outcome.money is None else {"hundredths": outcome.money.hundredths, "currency": outcome.money.currency}
    )
    return {
        "overlap": trial.overlap,
        **asdict(outcome),
        "money": money,
        "shortages": list(outcome.shortages),
        "mean_answers": outcome.mean_answers,
        "planned_half_width": trial.planned,
        **asdict(scores),
        "results": [asdict(one) for one in trial.results],
    }


def _parse_share(written: str, option: str) -> float:
    """`85%` and `0.85` are the same share; raises BadInput for what is none."""
    from pydantic import TypeAdapter, ValidationError

    from annotation.campaigns.sections.base import Share

    try:
        share: float = TypeAdapter(Share).validate_python(written)
    except ValidationError:
        remedy = "Write it like 85% or 0.85."
        raise BadInput(f"{written!r} is not a share.", where=Where(field=f"--{option}"), remedy=remedy) from None
    return share


def _parse_seconds(written: str, option: str) -> float:
    """`20s`, `5min`, `2h`; raises BadInput for what is not a duration."""
    from pydantic import TypeAdapter, ValidationError

    from annotation.campaigns.sections.base import Seconds

    try:
        seconds: float = TypeAdapter(Seconds).validate_python(written)
    except ValidationError:
        remedy = "Write it like 30s, 5min or 2h."
        raise BadInput(f"{written!r} is not a duration.", where=Where(field=f"--{option}"), remedy=remedy) from None
    return seconds
