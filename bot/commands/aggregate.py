"""`hromada aggregate`: the consensus of the votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from aggregation.errors import HromadaError
from bot.commands import data_sets, opinion_tables, panel_tables, preference_tables, terminal_output
from bot.commands.command_line import AsJson, ProjectName
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from aggregation.consensus.consensus import Accuracy, Consensus
    from exports.inputs import DataSet
    from exports.results import DataSetResult


def aggregate(
    project: ProjectName,
    question: data_sets.QuestionName = None,
    earlier: data_sets.Earlier = False,
    method: data_sets.MethodOption = data_sets.Method.MAJORITY,
    ties: Annotated[
        data_sets.Ties,
        typer.Option(help="The label of a tie; `shared` and `drop` leave it open, `drop` counts it wrong."),
    ] = data_sets.Ties.SHARED,
    seed: data_sets.Seed = 0,
    anchors: data_sets.Anchors = False,
    stop: Annotated[
        data_sets.Stop, typer.Option(help="For dawid_skene: as crowd-kit stops, or at convergence.")
    ] = data_sets.Stop.CROWDKIT,
    unblind: data_sets.Unblind = False,
    json: AsJson = False,
) -> None:
    """Combine the votes on each item into one label.

    With its accuracy against gold. Checkboxes are aggregated each by itself, texts by their plurality, `closest` or
    `rover`, spans by the majority. `bradley_terry` and `davidson` rank the systems that wrote compared texts.
    """
    from aggregation.answer_types import ANSWER_TYPES
    from aggregation.consensus.methods import RANKING_METHODS
    from exports.results import DataSetResult, ResultOptions

    with data_sets.open_view(None if earlier else [project], by="aggregate", unblind=unblind) as view:
        data = data_sets.read_votes(data_sets.read_project(view, project), question, earlier=earlier)
    if stop is data_sets.Stop.CONVERGED and method is not data_sets.Method.DAWID_SKENE:
        raise HromadaError(f"--stop is for dawid_skene; {method.value} has no such choice.", remedy="Leave it out.")
    options = ResultOptions(method=method.value, ties=ties.value, seed=seed, anchors=anchors, stop=stop.value)
    result = DataSetResult(data=data, options=options)
    if method.value in RANKING_METHODS and result.preference is not None:
        _print_ranking(result, json=json)
        return
    answers, consensus = result.answers, result.require_consensus()
    circular = consensus.n_anchors > 0 or method is data_sets.Method.SKILLS
    is_number = method in (data_sets.Method.MEAN, data_sets.Method.MEDIAN)
    units = result.point_units if is_number else ()
    compute_accuracy = ANSWER_TYPES[answers.kind].compute_accuracy
    accuracy = None if circular or is_number else compute_accuracy(answers, consensus)
    ties_wrong = None if circular or is_number else compute_accuracy(answers, consensus.open_ties())
    if json:
        of_panels = panel_tables.describe_panels(result, "consensus")
        of_points = {"points_against_gold": dict(opinion_tables.list_point_rows(units, method.value))} if units else {}
        terminal_output.print_json(_build_json(data, consensus, accuracy, ties_wrong) | of_points | of_panels)
        return
    notes = [*data_sets.describe_normalisation(data), *(f"Note: {warning}" for warning in consensus.warnings)]
    if circular:
        notes.append("No accuracy: the gold that it would be measured by was used to make these labels.")
    elif data.has_circular_gold:
        notes.append("Gold that was made of this project's own votes is left out: nothing can be measured by it.")
    if data.sample is not None:
        notes.append(_describe_one_vote(data, consensus))
    if not earlier:
        chosen = "" if method is data_sets.Method.MAJORITY else f" --method {method.value}"
        command = f"hromada export {data.name}{chosen}{' --anchors' if anchors else ''}"
        notes.append(f"As a file, a row for each item: {command} writes gold.csv.")
    terminal_output.print_table(
        data_sets.format_title(data, f"{consensus.method} ({consensus.version})"),
        ("what", "value"),
        [*_build_rows(consensus, accuracy, ties_wrong), *opinion_tables.list_point_rows(units, method.value)],
        notes=notes,
    )
    panel_tables.print_panels(result, "consensus")


def _describe_one_vote(data: DataSet, consensus: Consensus) -> str:
    """How many labels rest on one vote, and how sure the others are."""
    several = consensus.labels.loc[consensus.labels["n_votes"] > 1, "confidence"]
    mean = (
        f" Mean confidence of the {len(several)} items with several votes: {several.mean():.4f}."
        if len(several)
        else ""
    )
    return f"{data.count_one_vote_items()} labels rest on one vote, so that their confidence says little.{mean}"


def _print_ranking(result: DataSetResult, *, json: bool) -> None:
    """The strengths of the systems that wrote compared texts, by both models: the label of an item is not theirs."""
    found = result.preference
    if found is not None and json:
        known = {"dataset": result.data.name, "simulated": result.data.simulated}
        terminal_output.print_json(known | preference_tables.describe(result))
    elif found is not None:
        model = "davidson" if result.options.method == "davidson" else "bradley_terry"
        preference_tables.print_ranking(preference_tables.format_title(result.data), found, model=model)  # type: ignore[arg-type]


def _build_rows(consensus: Consensus, accuracy: Accuracy | None, ties_wrong: Accuracy | None) -> list[tuple[str, Cell]]:
    """The rows of the table."""
    labels = consensus.labels
    rows: list[tuple[str, Cell]] = [
        ("items with votes", len(labels)),
        ("votes", int(labels["n_votes"].sum())),
        *([] if labels["confidence"].isna().all() else [("mean confidence", float(labels["confidence"].mean()))]),
        (f"ties (rule: {consensus.ties})", int(labels["tie"].sum())),
    ]
    if consensus.n_anchors:
        rows.append(("items whose gold was taken for known", consensus.n_anchors))
    if consensus.iterations is not None:
        rows += [("iterations", consensus.iterations), ("converged", "yes" if consensus.converged else "no")]
    rows += [(f"class {name}", share) for name, share in (consensus.marginals or {}).items()]
    if accuracy is not None and accuracy.total:
        rows += [
            ("items with gold", accuracy.total),
            ("right", int(accuracy.right) if accuracy.right == int(accuracy.right) else accuracy.right),
            ("accuracy", accuracy.value),
        ]
    if ties_wrong is not None and ties_wrong.total and labels["tie"].any():
        rows.append(("accuracy, ties wrong", ties_wrong.value))
    return rows


def _build_json(
    data: DataSet, consensus: Consensus, accuracy: Accuracy | None, ties_wrong: Accuracy | None
) -> dict[str, Any]:
    """The consensus with the keys of `--json`; items sorted."""
    posteriors = None if consensus.posteriors is None else consensus.posteriors.to_dict("index")
    return {
        "dataset": data.name,
        "question": data.question,
        "kind": data.kind,
        "normalise": data.normalise,
        "simulated": data.simulated,
        "classes_are_positions": data.classes_are_positions,
        "method": consensus.method,
        "version": consensus.version,
        "ties": consensus.ties,
        "seed": consensus.seed,
        "iterations": consensus.iterations,
        "converged": consensus.converged,
        "marginals": None if consensus.marginals is None else dict(consensus.marginals),
        "warnings": list(consensus.warnings),
        "made": consensus.provenance,
        "n_anchors": consensus.n_anchors,
        "skills": None if consensus.skills is None else consensus.skills.to_dict(),
        "accuracy": accuracy and {"right": accuracy.right, "total": accuracy.total, "value": accuracy.value},
        "accuracy_ties_wrong": ties_wrong.value if ties_wrong and consensus.labels["tie"].any() else None,
        "items": [
            row | {"tied": list(row["tied"]), "posterior": None if posteriors is None else posteriors[row["item_id"]]}
            for row in consensus.labels.rename_axis("item_id").reset_index().to_dict("records")
        ],
    }
