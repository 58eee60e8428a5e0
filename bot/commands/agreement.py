"""`hromada agreement`: how far annotators agree."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson
from bot.commands.datasets import ProjectName, Seed, data_set, title

if TYPE_CHECKING:
    from aggregation.agreement import Coefficient
    from aggregation.bootstrap import Progress
    from exports.inputs import DataSet


class By(StrEnum):
    """What agreement can be broken down by."""

    LABEL = "label"
    ANNOTATOR = "annotator"
    PAIR = "pair"
    TIME = "time"
    CLASS = "class"


def agreement(
    project: ProjectName,
    by: Annotated[By | None, typer.Option(help="Break it down: by label, annotator, pair, time or class.")] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Draws of the bootstrap over items.")] = 1000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Agreement between annotators.

    Every coefficient comes with its interval, or with the reason why it has none. Where a least overlap was planned
    the first rows rest on each item's first so many votes; all votes pooled follow.
    """
    from dataclasses import asdict

    from bot.commands import console

    data = data_set(project)
    if by is By.PAIR:
        _pairs(data, json=json)
        return
    with console.progress("resamples", quiet=json) as told:
        rows = _coefficients(data, by, resamples=resamples, seed=seed, progress=told)
    if json:
        found = [asdict(row) for row in rows]
        console.show_json({"dataset": data.name, "simulated": data.simulated, "coefficients": found})
        return
    several = len({row.basis for row in rows}) > 1
    columns = ("of", "coefficient", "value", "95 % interval", "items", "votes")[0 if by else 1 :]
    shown = [
        (
            *((row.of,) if by else ()),
            f"{row.name} ({row.basis})" if several else row.name,
            row.value,
            console.interval(row.low, row.high),
            row.n_items,
            row.n_votes,
        )
        for row in rows
    ]
    what = f"agreement by {by.value}" if by else "agreement"
    console.table(title(data, what), columns, shown, notes=_agreement_notes(rows, resamples=resamples, seed=seed))


def _coefficients(
    data: DataSet, by: By | None, *, resamples: int, seed: int, progress: Progress
) -> tuple[Coefficient, ...]:
    """The coefficients asked for; without a breakdown also the mean posterior that publications call an IAA."""
    from aggregation import agreement as coefficients
    from aggregation import consensus

    votes = data.votes()
    if by is By.LABEL:
        return coefficients.by_label(votes, resamples=resamples, seed=seed)
    if by is By.ANNOTATOR:
        return coefficients.by_annotator(votes, resamples=resamples, seed=seed)
    if by is By.TIME:
        return coefficients.over_time(votes, resamples=resamples, seed=seed)
    if by is By.CLASS:
        majority = consensus.consensus(votes, method="majority", ties="drop").labels["label"]
        target = votes.items["gold"].combine_first(majority)
        return coefficients.class_confidence(votes, target, resamples=resamples, seed=seed)
    found = coefficients.agreement(votes, overlap=data.overlap, resamples=resamples, seed=seed, progress=progress).rows
    if votes.classes is None:
        return found
    labels = consensus.consensus(votes, method="dawid_skene", ties="first")
    return (*found, coefficients.mean_posterior(labels, votes, resamples=resamples, seed=seed))


def _agreement_notes(rows: Sequence[Coefficient], *, resamples: int, seed: int) -> list[str]:
    """Reasons first, equal ones together; then how the intervals were made."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.reason:
            reasons.setdefault(row.reason, []).append(row.of or row.name)
    notes = [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]
    if any(row.low is not None for row in rows):
        notes.append(f"Intervals: 95 % percentiles of {resamples} resamples of items, seed {seed}.")
    notes += [row.how for row in rows if row.name == "dawid_skene_iaa"]
    return notes


def _pairs(data: DataSet, *, json: bool) -> None:
    """Cohen's kappa of every two annotators who met on an item."""
    from aggregation import agreement as coefficients
    from bot.commands import console

    pairs = coefficients.cohen_pairs(data.votes()).astype(object)
    rows = pairs.mask(pairs.isna(), None).to_dict("records")
    if json:
        console.show_json({"dataset": data.name, "simulated": data.simulated, "pairs": rows})
        return
    console.table(title(data, "Cohen's κ of each pair"), tuple(pairs.columns), [tuple(row.values()) for row in rows])
