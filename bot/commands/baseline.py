"""`hromada baseline`: human performance against gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson
from bot.commands.datasets import ProjectName, QuestionName, Seed, data_set, title

if TYPE_CHECKING:
    from aggregation.performance import Performance, Unit
    from exports.inputs import DataSet


def baseline(
    project: ProjectName,
    question: QuestionName = None,
    resamples: Annotated[int, typer.Option(min=100, help="Draws of the bootstrap over people and items.")] = 2000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Human performance against gold.

    Scored are single answers, the majority (a tie scores nothing) and, for closed labels, Dawid-Skene.
    """
    from dataclasses import asdict

    from aggregation.kinds import performance_of
    from bot.commands import console

    data = data_set(project, question)
    with console.progress("resamples", quiet=json) as told:
        found = performance_of(data.answers(), skips=data.skips(), resamples=resamples, seed=seed, progress=told)
    if json:
        people = found.annotators.rename_axis("annotator").reset_index().to_dict("records")
        facts = {"dataset": data.name, "simulated": data.simulated, "question": data.question, "kind": data.kind}
        facts |= {"classes_are_positions": data.positions}
        facts |= {
            "random": found.random,
            "random_exact": found.random_exact,
            "units": [asdict(unit) for unit in found.units],
            "refused": dict(found.refused),
        }
        console.show_json(facts | {"annotators": people})
        return
    units = [
        (unit.unit, unit.total, unit.wrong, unit.primary.value, *_intervals(unit), unit.n_ties) for unit in found.units
    ]
    columns = ("unit", "total", "wrong", "share right", "95 % interval", "Wilson (ignores people)", "ties")
    console.table(
        title(data, "human performance"),
        columns,
        units,
        notes=[*_skips(data), *_performance_notes(found), *_circular(data)],
    )
    scores = [
        (unit.unit, score.metric, score.value, console.interval(score.low, score.high))
        for unit in found.units
        for score in unit.scores
        if score is not unit.primary
    ]
    if scores:
        named = ("unit", "metric", "value", "95 % interval")
        console.table(title(data, "other metrics, the same intervals"), named, scores)


def _intervals(unit: Unit) -> tuple[str, str]:
    from bot.commands.console import interval

    accuracy = unit.primary
    return interval(accuracy.low, accuracy.high), interval(unit.wilson_low, unit.wilson_high)


def _skips(data: DataSet) -> list[str]:
    """How skips are scored, where there are any."""
    n = len(data.skipped())
    return [f"Skips: {n}, each wrong; without them in human_baseline.csv of `hromada export`."] if n else []


def _circular(data: DataSet) -> list[str]:
    """A warning where the gold was itself made of votes."""
    if not (data.items["gold_origin"] == "votes").any():
        return []
    return ["Some gold has the origin `votes`: people agree with what they made, so this is no score of theirs."]


def _performance_notes(found: Performance) -> Sequence[str]:
    notes = [f"{unit.unit}: interval by {unit.ci_method}." for unit in found.units if unit.primary.low is not None]
    noted: dict[str, list[str]] = {}
    for unit in found.units:
        if unit.note:
            noted.setdefault(unit.note, []).append(unit.unit)
    notes += [f"{', '.join(units)}: {note}" for note, units in noted.items()]
    notes += [f"{unit}: not computed. {reason}" for unit, reason in found.refused.items()]
    single = found["individual"]
    if single.ann_mean is not None:
        spread = f"mean {single.ann_mean:.4f}, from {single.ann_min:.4f} to {single.ann_max:.4f}"
        notes.append(f"Annotators ({single.n_annotators}): {spread}.")
    if found.random is not None and found.random_exact is not None:
        notes.append(
            f"Random: {found.random:.4f} as 1 / mean number of options, {found.random_exact:.4f} on the items seen."
        )
    if single.primary.metric == "exact_match":
        notes.append("Right is what equals a right answer: the whole set of boxes or parts, the text as compared.")
    return notes
