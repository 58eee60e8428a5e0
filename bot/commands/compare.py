"""`hromada compare`: people beside models, two projects, or the surfaces of one, on the same items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aggregation.errors import HromadaError, Where
from bot.commands import compare_folders, compare_judges, compare_projects, terminal_output
from bot.commands.command_line import AsJson, refuse_options
from bot.commands.data_sets import (
    PANELS,
    QuestionName,
    ScoreTies,
    Seed,
    Ties,
    Unblind,
    describe_normalisation,
    describe_reasons,
    describe_ties,
    format_title,
    name_items,
    open_view,
    read_project,
    read_votes,
)
from bot.commands.terminal_output import Cell, format_ends, format_interval

if TYPE_CHECKING:
    from sqlmodel import Session

    from aggregation.comparison.model_differences import ModelDifference, PublishedScore
    from aggregation.comparison.people_and_models import ModelMcNemar
    from aggregation.comparison.scored_units import ScoredUnit
    from exports.inputs import DataSet
    from exports.model_answers import ReadModels
    from exports.model_comparison import ComparedModels

MOST_PARTS = 40  # rows of the table of parts; the files have all
UNITS: tuple[ScoredUnit, ...] = ("individual", "majority")
_SCORE = re.compile(r"(?P<name>[^=]+)=(?P<value>[0-9.]+)(?:/(?P<items>[0-9]+))?")


def compare(
    project: Annotated[
        str,
        typer.Argument(help="Project by name or file; or folder of a release or build.", show_default=False),
    ],
    against: Annotated[
        list[str] | None,
        typer.Argument(
            help="Another project, by name or file. Or answers of models: JSON Lines with item_id and answer, or"
            " results of the harness.",
            show_default=False,
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(help="A published score without answers: NAME=0.85, or NAME=0.85/500 for 500 items."),
    ] = None,
    question: QuestionName = None,
    key: Annotated[
        Path | None, typer.Option(help="A build's hidden gold; DIR-key by default.", show_default=False)
    ] = None,
    to: Annotated[Path | None, typer.Option(help="A folder for the tables as CSV.", show_default=False)] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="What a judge may be worse by: .1 by default.", min=0, max=1, show_default=False),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Margin of equivalence, marked post hoc.", min=0, show_default=False),
    ] = None,
    ties: ScoreTies = Ties.SHARED,
    seed: Seed = 0,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Compare people with models, or two projects.

    Models are scored on the same items by the same scorer: people's value less the model's, with intervals and tests.
    Models that label or choose are also measured as judges, with or without gold. A release or a build needs no
    database. Exit code 1: a model is not compared on all items of people.

    For two projects with the same items, shows agreement, confidence, time, skips and accuracy, and their differences.
    If you name only a project, does the same for its surfaces, such as the chat and the answer page.
    """
    from aggregation.consensus.consensus import TieChoice
    from exports import judges, model_comparison, writers

    folder = compare_folders.find_folder(project)
    refuse_options(
        (key is not None and folder is None, "--key is for the folder of a build.", "Leave it out."),
        (unblind and folder is not None, "--unblind is for a project of the database.", "Leave it out."),
    )
    if folder is not None:
        pairs = compare_folders.read_pairs(folder, against or (), key=key, question=question)
    else:
        has_model_options = ties is not Ties.SHARED or seed != 0 or not (epsilon is None and margin is None)
        found = _read_project(
            project,
            against or [],
            question,
            unblind=unblind,
            has_scores=bool(score),
            has_model_options=has_model_options,
        )
        if isinstance(found, list):
            caution = "" if against else compare_projects.CHOSEN_SURFACE
            compare_projects.compare_data_sets(found, to=to, json=json, caution=caution)
            return
        pairs = [found]
    refuse_options(
        (bool(score) and len(pairs) > 1, "--score is for one data set.", "Name the data set with --question.")
    )
    printed: list[dict[str, object]] = []
    has_equal_items = True
    for data, read in pairs:
        published = [parse_score(written, n_items=len(data.items)) for written in score or ()]
        choice = TieChoice(ties=ties.value, seed=seed)
        rules = judges.build_rules(data, epsilon=epsilon, margin=margin)
        compared = model_comparison.compare_data_set(data, read, published=published, tie_choice=choice, rules=rules)
        own = None if to is None else to / data.name if len(pairs) > 1 else to
        written = () if own is None else writers.write_files(own, model_comparison.build_comparison_files(compared))
        printed.append(_build_json(compared) | {"files": [str(path) for path in written]})
        has_equal_items = has_equal_items and compared.has_equal_items
        if not json:
            _print_tables(compared)
            for path in written:
                terminal_output.print_line(str(path))
    if json:
        terminal_output.print_json(printed[0] if len(printed) == 1 else {"comparisons": printed})
    if not has_equal_items:
        raise typer.Exit(1)


def _read_project(
    project: str,
    against: list[str],
    question: str | None,
    *,
    unblind: bool,
    has_scores: bool,
    has_model_options: bool,
) -> tuple[DataSet, ReadModels] | list[DataSet]:
    """The data set of a project and what models answered, or those of the two projects or the surfaces to compare."""
    from exports import model_answers, project_comparison

    def list_names(view: Session) -> list[str]:
        """The project and those among the others that are projects; raises BadInput for options that do not fit."""
        others = compare_projects.list_projects(view, against)
        refuse_options(
            (
                bool(others) and (others != against or len(others) > 1 or has_scores),
                f"{project} is compared with one project, or with models.",
                "Compare them in two commands.",
            ),
            (
                bool(others) and has_model_options,
                "--ties, --seed, --epsilon and --margin are for a comparison with models.",
                "Leave them out.",
            ),
        )
        return [project, *others]

    with open_view(list_names, by="compare", unblind=unblind) as view:
        projects = [read_project(view, name) for name in list_names(view)]
        data_sets = [read_votes(one, question) for one in projects]
        if len(projects) > 1:
            return [one.add_text_hashes(data) for one, data in zip(projects, data_sets, strict=True)]
        if not (against or has_scores or has_model_options):
            surfaces = project_comparison.split_by_surface(projects[0].add_text_hashes(data_sets[0]))
            if surfaces:
                return surfaces
        data = projects[0].add_parts(data_sets[0])
    return data, model_answers.read_models([Path(written) for written in against], data)


def parse_score(written: str, *, n_items: int) -> PublishedScore:
    """A score of the command line; it is of all items of the project where their number is not said."""
    from aggregation.comparison.model_differences import PublishedScore

    match = _SCORE.fullmatch(written)
    try:
        value = float(match["value"]) if match else -1.0
    except ValueError:
        value = -1.0
    if match is None or not 0 <= value <= 1 or match["items"] == "0":
        raise HromadaError(
            f"{written!r} is not a score.",
            remedy="Write a name and a share from 0 to 1: --score NAME=0.85 or NAME=0.85/500.",
            where=Where(field="--score"),
        )
    return PublishedScore(name=match["name"].strip(), value=value, n_items=int(match["items"] or n_items))


def _build_json(compared: ComparedModels) -> dict[str, object]:
    from exports import judges, model_comparison

    data = compared.data
    return {
        "dataset": data.name,
        "simulated": data.simulated,
        "question": data.question,
        "kind": data.kind,
        "classes_are_positions": data.classes_are_positions,
        "normalise": data.normalise,
        "confidence_level": compared.comparison.confidence_level,
        "primary": compared.comparison.primary,
        "ties": compared.ties,
        "n_items": compared.n_items,
        "n_items_of_people": compared.n_scored,
        "has_equal_items": compared.has_equal_items,
        "items": {
            model: {status: compared.list_items(model, status) for status in model_comparison.STATUSES[1:]}
            | {"n_compared": len(compared.list_items(model, model_comparison.COMPARED))}
            for model in compared.statuses
        },
        "differences": model_comparison.list_difference_rows(compared),
        "mcnemar": model_comparison.list_mcnemar_rows(compared),
        "soft_scores": model_comparison.list_soft_rows(compared),
        "verdicts": {judge.judge: judge.verdict for judge in compared.judges},
        "judges": judges.list_judge_rows(data, compared.judges),
        "judge_people": judges.list_people_rows(compared.judges),
        "judge_notes": {judge.judge: judge.notes for judge in compared.judges},
        "notes": [*compared.notes, *([compared.mcnemar_note] if compared.mcnemar_note else [])],
    }


def _print_tables(compared: ComparedModels) -> None:
    """A table for each unit of people, McNemar's test, other metrics, and the parts."""
    comparison = compared.comparison
    if not comparison.differences:
        compare_judges.print_judges(compared)
    _print_soft_scores(compared)
    for unit in UNITS if comparison.differences else ():
        rows = [row for row in comparison.differences if row.unit == unit and row.metric == comparison.primary]
        title = format_title(compared.data, f"people ({_name_unit(rows)}) less models, {comparison.primary}")
        reasons = describe_reasons((row.model, row.reason) for row in rows)
        notes = [*_list_notes(compared, rows), *reasons] if unit == "individual" else reasons
        columns = ("model", "people", "model's", "diff.", "new people", "these people", "p, Holm", "can show", "above")
        terminal_output.print_table(title, columns, [_build_row(row) for row in rows], notes=notes)
        _print_ties(compared, rows)
    if comparison.mcnemar:
        terminal_output.print_table(
            format_title(compared.data, "majority and model, McNemar"),
            ("model", "both right", "people only", "model only", "neither", "ties", "exact p", "mid-p", "mid-p, Holm"),
            [_build_mcnemar_row(row) for row in comparison.mcnemar],
            notes=[
                "For these people; a tie counts its share, and items are independent. The headline is the p above.",
                *([compared.mcnemar_note] if compared.mcnemar_note else []),
            ],
        )
    others = [row for row in comparison.differences if row.metric != comparison.primary]
    if others:
        terminal_output.print_table(
            format_title(compared.data, "other metrics"),
            ("model", "unit", "metric", "people", "model's", "diff.", "new people", "p, Holm"),
            [
                (row.model, row.unit_title, row.metric.replace("_", " "), row.people, row.value, row.difference,
                 format_ends(row.ci_low, row.ci_high), _format_p(row.p_holm))
                for row in others
            ],
        )  # fmt: skip
    _print_parts(compared)
    if comparison.differences:
        compare_judges.print_judges(compared)
    elif not compared.soft_scores:
        for note in compared.notes:
            terminal_output.print_line(note)


def _print_soft_scores(compared: ComparedModels) -> None:
    """Cross-entropy and other distances of models that predict distributions, the latter beside people's ceiling."""
    from aggregation.comparison.soft_labels import SOFT_METRICS

    scores = compared.soft_scores
    if not scores:
        return
    columns = ("model", "measure", "value", "people's ceiling", "new people", "these people", "items", "votes")
    rows = [
        (score.model, score.metric.replace("_", " "), score.value, score.people_ceiling,
         format_interval(score.ci_low, score.ci_high), format_interval(score.item_only_low, score.item_only_high),
         score.n_items, score.n_answers)
        for score in sorted(scores, key=lambda score: SOFT_METRICS.index(score.metric))
    ]  # fmt: skip
    notes = [
        "Cross-entropy: the mean over votes of −log2 of the model's probability of the vote. Less is nearer.",
        "Cross-entropy and Jensen–Shannon are in bits, Wasserstein in points, the others of shares.",
        "People's ceiling: other people, as many as the model is compared with. Few votes make both values large.",
        "Intervals, 95 %: for new people and new items, and for these people and new items.",
        *describe_reasons((f"{score.model} {score.metric.replace('_', ' ')}", score.reason) for score in scores),
        *(
            f"{score.model} gives a probability below 1e-6 to {score.n_floored} of {score.n_answers} votes; it counts"
            " as 1e-6."
            for score in scores
            if score.n_floored
        ),
    ]
    if not compared.comparison.differences:
        notes += compared.notes
    terminal_output.print_table(format_title(compared.data, "votes and distributions"), columns, rows, notes=notes)


def _name_unit(rows: Sequence[ModelDifference]) -> str:
    """The name of a unit over all models; they can be compared on other items, with other numbers of votes."""
    from aggregation.consensus.consensus import name_majority

    fewest = [row.fewest_votes for row in rows if row.fewest_votes is not None]
    most = [row.most_votes for row in rows if row.most_votes is not None]
    if not fewest or not most:
        return rows[0].unit_title if rows else ""
    return name_majority(min(fewest), max(most))


def _print_ties(compared: ComparedModels, rows: Sequence[ModelDifference]) -> None:
    """The differences with ties wrong, where anything ties."""
    tied = [row for row in rows if row.n_ties]
    if not tied:
        return
    shown = [
        (row.model, row.n_ties, row.people_ties_wrong, row.value, row.difference_ties_wrong,
         _format_p(row.p_ties_wrong))
        for row in tied
    ]  # fmt: skip
    terminal_output.print_table(
        format_title(compared.data, f"people ({_name_unit(tied)}) less models, ties wrong"),
        ("model", "ties", "people", "model's", "diff.", "p"),
        shown,
        notes=[
            *describe_ties(compared.ties),
            "Above: who is, if both differences show it, the one above and this one with every tie wrong.",
        ],
    )


def _print_parts(compared: ComparedModels) -> None:
    rows = [row for row in compared.comparison.parts if row.unit == "individual"]
    if not rows:
        return
    shown = [
        (row.model, f"{row.kind} {row.part}", row.n_items, row.people, row.value, row.difference,
         format_ends(row.ci_low, row.ci_high), row.above)
        for row in rows[:MOST_PARTS]
    ]  # fmt: skip
    notes = ["Above: who is, with p below .05, corrected over the parts of a model.", PANELS]
    notes += [f"{len(rows) - MOST_PARTS} more parts are in the files of --to."] if len(rows) > MOST_PARTS else []
    columns = ("model", "part", "items", "people", "model's", "diff.", "new people", "above")
    terminal_output.print_table(format_title(compared.data, "people less models, by part"), columns, shown, notes=notes)


def _build_mcnemar_row(row: ModelMcNemar) -> tuple[Cell, ...]:
    test = row.test
    counts = (f"{count:g}" for count in (test.both, test.only_first, test.only_second, test.neither))
    return (row.model, *counts, test.n_ties, *map(_format_p, (test.p_exact, test.p_mid, row.p_holm)))


def _build_row(row: ModelDifference) -> tuple[Cell, ...]:
    return (
        row.model if row.is_paired else f"{row.model} *",
        row.people,
        row.value,
        row.difference,
        format_ends(row.ci_low, row.ci_high),
        format_ends(row.item_only_low, row.item_only_high),
        _format_p(row.p_holm),
        row.detectable if row.detectable is not None else row.item_only_detectable,
        row.above,
    )


def _format_p(p: float | None) -> str:
    return "" if p is None else "<.0001" if p < 0.0001 else f"{p:.4f}"


def _list_notes(compared: ComparedModels, rows: Sequence[ModelDifference]) -> list[str]:
    from exports.model_comparison import COMPARED, STATUSES

    notes = [
        PANELS,
        "Can show: the least true difference that this design would have found with a power of 80 %.",
        f"{compared.n_items} items, {compared.n_scored} of them with gold and people.",
    ]
    if any(not row.is_paired for row in rows):
        notes.append("*: unpaired, as only the score is known.")
    for model in compared.statuses:
        for status in STATUSES:
            items = compared.list_items(model, status)
            if items and status != COMPARED:
                notes.append(f"{model}: left out, {status}: {name_items(items)}.")
    return [*notes, *compared.notes, *describe_normalisation(compared.data)]
