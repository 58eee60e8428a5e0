"""Commands that compute: aggregate, agreement, baseline, export."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aggregation.errors import HromadaError
from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from aggregation.consensus import Accuracy, Consensus
    from aggregation.performance import Performance, Unit
    from exports.inputs import DataSet


class Method(StrEnum):
    """How votes become one label."""

    MAJORITY = "majority"
    DAWID_SKENE = "dawid_skene"


class Ties(StrEnum):
    """What becomes of an item whose best answers tie."""

    FIRST = "first"
    ALPHABETICAL = "alphabetical"
    RANDOM = "random"
    SHARED = "shared"
    DROP = "drop"


class GoldTies(StrEnum):
    """The tie rules that leave one label or none, as a gold file needs."""

    FIRST = "first"
    ALPHABETICAL = "alphabetical"
    RANDOM = "random"
    DROP = "drop"


ProjectName = Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)]
MethodOption = Annotated[Method, typer.Option(help="How votes become one label.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random; the same seed gives the same numbers.")]


def _data_set(project: str) -> DataSet:
    from bot import release
    from bot.commands import session

    with session.opened() as database, database.reading() as view:
        data = release.data_sets(view, [session.project_name(project)])[0]
    if data.retained().empty:
        raise HromadaError("There are no votes that count.", remedy="Collect or import answers first.")
    return data


def aggregate(
    project: ProjectName,
    method: MethodOption = Method.MAJORITY,
    ties: Annotated[
        Ties, typer.Option(help="What becomes of a tie; `shared` counts its expected accuracy.")
    ] = Ties.DROP,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Consensus of the votes; its accuracy against gold."""
    from aggregation import consensus
    from bot.commands import console

    data = _data_set(project)
    votes = data.votes()
    found = consensus.consensus(votes, method=method.value, ties=ties.value, seed=seed)
    scored = consensus.accuracy(found, votes.items["gold"].dropna())
    if json:
        console.show_json(_consensus_facts(data, found, scored))
        return
    labels = found.labels
    rows: list[tuple[str, console.Cell]] = [
        ("items with votes", len(labels)),
        ("votes", len(votes.frame)),
        ("mean confidence", float(labels["confidence"].mean())),
        (f"ties (rule: {found.ties})", int(labels["tie"].sum())),
    ]
    if found.iterations is not None:
        rows += [("iterations", found.iterations), ("converged", "yes" if found.converged else "no")]
    rows += [(f"class {name}", share) for name, share in (found.marginals or {}).items()]
    if scored.total:
        rows += [("items with gold", scored.total), ("right", _plain(scored.right)), ("accuracy", scored.value)]
    notes = [f"Note: {one}" for one in found.warnings]
    console.table(_title(data, f"{found.method} ({found.version})"), ("what", "value"), rows, notes=notes)


def _plain(number: float) -> int | float:
    """A count as a whole number, an expected count with its decimals."""
    return int(number) if number == int(number) else number


def _title(data: DataSet, what: str) -> str:
    stamp = "SIMULATED · " if data.simulated else ""
    mark = " · classes are positions" if data.positions else ""
    return f"{stamp}{data.name} · {what}{mark}"


def _consensus_facts(data: DataSet, found: Consensus, scored: Accuracy) -> dict[str, Any]:
    """All of a consensus as JSON; items sorted."""
    posteriors = None if found.posteriors is None else found.posteriors.to_dict("index")
    return {
        "dataset": data.name,
        "simulated": data.simulated,
        "method": found.method,
        "version": found.version,
        "ties": found.ties,
        "seed": found.seed,
        "iterations": found.iterations,
        "converged": found.converged,
        "marginals": None if found.marginals is None else dict(found.marginals),
        "warnings": list(found.warnings),
        "accuracy": {"right": scored.right, "total": scored.total, "value": scored.value},
        "items": [
            row | {"tied": list(row["tied"]), "posterior": None if posteriors is None else posteriors[row["item_id"]]}
            for row in found.labels.rename_axis("item_id").reset_index().to_dict("records")
        ],
    }


def agreement(
    project: ProjectName,
    resamples: Annotated[int, typer.Option(min=100, help="Draws of the bootstrap over items.")] = 1000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Agreement between annotators.

    Every coefficient comes with its interval, or with the reason why it has none.
    """
    from dataclasses import asdict

    from aggregation import agreement as coefficients
    from bot.commands import console

    data = _data_set(project)
    with console.progress("resamples", quiet=json) as told:
        found = coefficients.agreement(data.votes(), resamples=resamples, seed=seed, progress=told)
    if json:
        rows = [asdict(row) for row in found.rows]
        console.show_json({"dataset": data.name, "simulated": data.simulated, "coefficients": rows})
        return
    shown = [(row.name, row.value, console.interval(row.low, row.high), row.n_items, row.n_votes) for row in found.rows]
    notes = dict.fromkeys([f"{row.name}: {row.reason}" for row in found.rows if row.reason])
    if any(row.low is not None for row in found.rows):
        notes |= {f"Intervals: 95 % percentiles of {resamples} resamples of items, seed {seed}.": None}
    console.table(
        _title(data, "agreement"), ("coefficient", "value", "95 % interval", "items", "votes"), shown, notes=list(notes)
    )


def baseline(
    project: ProjectName,
    resamples: Annotated[int, typer.Option(min=100, help="Draws of the bootstrap over people and items.")] = 2000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Human performance against gold.

    Scored are single answers, the majority (a tie scores nothing) and, for closed labels, Dawid-Skene.
    """
    from dataclasses import asdict

    from aggregation import performance
    from bot.commands import console

    data = _data_set(project)
    with console.progress("resamples", quiet=json) as told:
        found = performance.performance(data.votes(), resamples=resamples, seed=seed, progress=told)
    if json:
        people = found.annotators.rename_axis("annotator").reset_index().to_dict("records")
        units = [asdict(unit) for unit in found.units]
        facts = {"dataset": data.name, "simulated": data.simulated, "random": found.random}
        facts |= {"random_exact": found.random_exact, "units": units, "refused": dict(found.refused)}
        console.show_json(facts | {"annotators": people})
        return
    rows = [(unit.unit, unit.total, unit.wrong, unit.value, *_intervals(unit), unit.n_ties) for unit in found.units]
    columns = ("unit", "total", "wrong", "share right", "95 % interval", "Wilson (ignores people)", "ties")
    console.table(_title(data, "human performance"), columns, rows, notes=_performance_notes(found))


def _intervals(unit: Unit) -> tuple[str, str]:
    from bot.commands.console import interval

    return interval(unit.low, unit.high), interval(unit.wilson_low, unit.wilson_high)


def _performance_notes(found: Performance) -> Sequence[str]:
    notes = [f"{unit.unit}: interval by {unit.ci_method}." for unit in found.units if unit.low is not None]
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
    notes.append(
        f"Random: {found.random:.4f} as 1 / mean number of options, {found.random_exact:.4f} on the items seen."
    )
    return notes


def export(
    projects: Annotated[list[str] | None, typer.Argument(help="Projects by name or file; all by default.")] = None,
    to: Annotated[Path, typer.Option(help="The folder for the files; made if it is not there.")] = Path("export"),
    method: MethodOption = Method.MAJORITY,
    ties: Annotated[GoldTies, typer.Option(help="What becomes of a tie in gold.csv.")] = GoldTies.DROP,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Write the CSV and JSON files and the report page."""
    from bot import release
    from bot.commands import console, session
    from exports import report, tables

    with session.opened() as database, database.reading() as view:
        data = release.data_sets(view, [session.project_name(one) for one in projects or ()])
    with console.progress("numbers", quiet=json) as told:
        made = tables.release(data, method=method.value, ties=ties.value, seed=seed, progress=told)
        written = tables.write(made, to, also={"report.html": report.page(made)})
    if json:
        console.show_json([str(path) for path in written])
        return
    for path in written:
        console.console().print(str(path), markup=False, soft_wrap=True)
