"""`hromada aggregate`: consensus of the votes."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aggregation.errors import HromadaError
from bot.commands.campaigns import AsJson
from bot.commands.datasets import Method, MethodOption, ProjectName, QuestionName, Seed, data_set, title

if TYPE_CHECKING:
    from aggregation.consensus import Accuracy, Consensus
    from bot.commands.console import Cell
    from exports.inputs import DataSet


class Ties(StrEnum):
    """What becomes of an item whose best answers tie."""

    FIRST = "first"
    ALPHABETICAL = "alphabetical"
    RANDOM = "random"
    SHARED = "shared"
    DROP = "drop"


class Stop(StrEnum):
    """When Dawid-Skene's estimation ends."""

    CROWDKIT = "crowdkit"
    CONVERGED = "converged"


def aggregate(
    project: ProjectName,
    question: QuestionName = None,
    method: MethodOption = Method.MAJORITY,
    ties: Annotated[
        Ties, typer.Option(help="What becomes of a tie; `shared` counts its expected accuracy.")
    ] = Ties.DROP,
    seed: Seed = 0,
    anchors: Annotated[
        bool, typer.Option("--anchors", help="Take declared gold for known (dawid_skene, gold_majority).")
    ] = False,
    stop: Annotated[
        Stop, typer.Option(help="For dawid_skene: as crowd-kit stops, or when nothing moves any more.")
    ] = Stop.CROWDKIT,
    json: AsJson = False,
) -> None:
    """Consensus of the votes; its accuracy against gold.

    Boxes are weighed each by itself, texts by their plurality, `closest` or `rover`, parts of a text by the majority of
    each.
    """
    from aggregation import kinds
    from bot.commands import console

    data = data_set(project, question)
    answers = data.answers()
    if stop is Stop.CONVERGED and method is not Method.DAWID_SKENE:
        raise HromadaError(f"--stop is for dawid_skene; {method.value} has no such choice.", remedy="Leave it out.")
    found = kinds.consensus_of(
        answers, method=method.value, ties=ties.value, seed=seed, anchors=anchors, stop=stop.value
    )
    circular = found.n_anchors > 0 or method is Method.SKILLS
    scored = None if circular else kinds.accuracy_of(answers, found)
    if json:
        console.show_json(_consensus_facts(data, found, scored))
        return
    notes = [f"Note: {one}" for one in found.warnings]
    if circular:
        notes.append("No accuracy: the gold that it would be measured by was used to make these labels.")
    console.table(
        title(data, f"{found.method} ({found.version})"), ("what", "value"), _shown(found, scored), notes=notes
    )


def _shown(found: Consensus, scored: Accuracy | None) -> list[tuple[str, Cell]]:
    """A consensus in a few rows."""
    labels = found.labels
    rows: list[tuple[str, Cell]] = [
        ("items with votes", len(labels)),
        ("votes", int(labels["n_votes"].sum())),
        ("mean confidence", float(labels["confidence"].mean())),
        (f"ties (rule: {found.ties})", int(labels["tie"].sum())),
    ]
    if found.n_anchors:
        rows.append(("items whose gold was taken for known", found.n_anchors))
    if found.iterations is not None:
        rows += [("iterations", found.iterations), ("converged", "yes" if found.converged else "no")]
    rows += [(f"class {name}", share) for name, share in (found.marginals or {}).items()]
    if scored is not None and scored.total:
        rows += [("items with gold", scored.total), ("right", _plain(scored.right)), ("accuracy", scored.value)]
    return rows


def _plain(number: float) -> int | float:
    """A count as a whole number, an expected count with its decimals."""
    return int(number) if number == int(number) else number


def _consensus_facts(data: DataSet, found: Consensus, scored: Accuracy | None) -> dict[str, Any]:
    """All of a consensus as JSON; items sorted."""
    posteriors = None if found.posteriors is None else found.posteriors.to_dict("index")
    return {
        "dataset": data.name,
        "question": data.question,
        "kind": data.kind,
        "simulated": data.simulated,
        "classes_are_positions": data.positions,
        "method": found.method,
        "version": found.version,
        "ties": found.ties,
        "seed": found.seed,
        "iterations": found.iterations,
        "converged": found.converged,
        "marginals": None if found.marginals is None else dict(found.marginals),
        "warnings": list(found.warnings),
        "made": found.made,
        "n_anchors": found.n_anchors,
        "skills": None if found.skills is None else found.skills.to_dict(),
        "accuracy": scored and {"right": scored.right, "total": scored.total, "value": scored.value},
        "items": [
            row | {"tied": list(row["tied"]), "posterior": None if posteriors is None else posteriors[row["item_id"]]}
            for row in found.labels.rename_axis("item_id").reset_index().to_dict("records")
        ],
    }
