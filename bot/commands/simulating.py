"""The command that tries a campaign on simulated people: simulate."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson, File

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from annotation.simulation.crowd import Crowd
    from bot.commands.console import Cell
    from bot.trials import Trial

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
Tried = Annotated[str, typer.Option(help="What is tried side by side: numbers, and `dynamic`.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same people, truth and numbers.")]


def simulate(
    file: File,
    people: People = 20,
    skill: Skill = "85%",
    spread: Spread = "5%",
    careless: Careless = "5%",
    skips: Skips = "1%",
    pace: Pace = None,
    sitting: Sitting = "30min",
    overlap: Tried = "3,5,dynamic",
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Try a campaign on simulated people, before real ones come.

    Lives the whole of it in a database of its own, once for each overlap, and tells what it costs, how long it takes
    and what the answers are worth. Nothing is stored.
    """
    from annotation.simulation.crowd import Crowd

    crowd = Crowd(
        people=people,
        skill=_share(skill, "skill"),
        spread=_share(spread, "spread"),
        careless=_share(careless, "careless"),
        skips=_share(skips, "skips"),
        pace=None if pace is None else _seconds(pace, "pace"),
        sitting=_seconds(sitting, "sitting"),
        seed=seed,
    )
    _try(file, crowd, overlap.replace(",", " ").split(), json=json)


def _try(file: Path, crowd: Crowd, overlaps: Sequence[str], *, json: bool) -> None:
    from annotation.campaigns import project
    from bot import trials
    from bot.commands import checking, console

    campaign = project.read(file)
    tried = trials.overlaps(overlaps, campaign=campaign)
    with console.progress("simulated answers", quiet=json) as told:
        contents, found = trials.compare(campaign, crowd=crowd, tried=tried, progress=told)
    to_do = (f"To do before people come: {line}" for line in checking.checked(file).to_do)
    notes = (*trials.notes(campaign, contents, tried), *to_do)
    if json:
        facts = {"project": campaign.name, "simulated": True, "crowd": asdict(crowd)}
        console.show_json(facts | {"trials": [_facts(one) for one in found], "notes": list(notes)})
    else:
        _show(campaign.name, crowd, found, notes)


def _show(name: str, crowd: Crowd, found: Sequence[Trial], notes: Sequence[str]) -> None:
    """A column for each overlap; what none of them has is left out."""
    from bot.commands import console

    columns = [_cells(one) for one in found]
    every = [(what, *(cells[what] for cells in columns)) for what in columns[0]]
    rows = [row for row in every if any(cell is not None for cell in row[1:])]
    said = [f"Overlap {one.overlap}: {line}" for one in found for line in one.outcome.shortages]
    refused = dict.fromkeys(one.numbers.refused for one in found if one.numbers.refused)
    console.table(
        f"SIMULATED · {name} · {crowd.people} people, skill {crowd.skill:.0%}, {crowd.careless:.0%} careless,"
        f" seed {crowd.seed}",
        ("overlap", *(one.overlap for one in found)),
        rows,
        notes=[
            *said,
            *(f"No accuracy: {one}" for one in refused),
            *notes,
            "SIMULATED: no person answered any of this.",
        ],
    )


def _cells(trial: Trial) -> dict[str, Cell]:
    """A trial from top to bottom."""
    came, worth = trial.outcome, trial.numbers
    return {
        "items done": f"{came.done} of {came.items}",
        "judgements": str(came.judgements),
        "answers an item": f"{came.mean_answers:.2f}",
        "hours of work": f"{came.hours:.1f}",
        "money": None if came.money is None else str(came.money),
        "days": f"{came.days:.1f}",
        "people who answered": str(came.people),
        "excluded by rules": str(came.excluded),
        "careless, and excluded": f"{came.caught} of {came.careless}",
        "missed a pass mark": str(came.failed),
        "right answers": _plain(worth.right),
        "half of their 95 % interval": _plain(worth.half_width),
        "planned, of a baseline": _plain(trial.planned),
        "right majorities": _plain(worth.consensus),
    }


def _plain(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def _facts(trial: Trial) -> dict[str, object]:
    """A trial as JSON."""
    came, worth = trial.outcome, trial.numbers
    money = None if came.money is None else {"hundredths": came.money.hundredths, "currency": came.money.currency}
    return {
        "overlap": trial.overlap,
        **asdict(came),
        "money": money,
        "shortages": list(came.shortages),
        "mean_answers": came.mean_answers,
        "planned_half_width": trial.planned,
        **asdict(worth),
    }


def _share(written: str, option: str) -> float:
    """`85%` and `0.85` are the same share; raises BadInput for what is none."""
    from pydantic import TypeAdapter, ValidationError

    from annotation.campaigns.sections import Share
    from annotation.errors import BadInput, Where

    try:
        found: float = TypeAdapter(Share).validate_python(written)
    except ValidationError:
        remedy = "Write it like 85% or 0.85."
        raise BadInput(f"{written!r} is no share.", where=Where(field=f"--{option}"), remedy=remedy) from None
    return found


def _seconds(written: str, option: str) -> float:
    """`20s`, `5min`, `2h`; raises BadInput for what is no length of time."""
    from pydantic import TypeAdapter, ValidationError

    from annotation.campaigns.sections import Seconds
    from annotation.errors import BadInput, Where

    try:
        found: float = TypeAdapter(Seconds).validate_python(written)
    except ValidationError:
        remedy = "Write it like 30s, 5min or 2h."
        raise BadInput(f"{written!r} is no length of time.", where=Where(field=f"--{option}"), remedy=remedy) from None
    return found
