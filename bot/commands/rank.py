"""`hromada rank`: systems over many tasks, people among them, ranked by voting rules and means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from aggregation.ranking import Ranking, Variant
    from bot.commands.score_files import ScoreTable

TITLES: Mapping[Variant, str] = {
    "plain": "every task counts 1",
    "weighted": "the tasks of a group share its weight",
    "two_step": "first within groups, then the groups",
}
NUMBERS = "A column a rule, by the numbers of the first table."
NOBODY = "–"


def rank(
    file: Annotated[
        Path, typer.Argument(help="CSV: model, task, value, and metric and group if any.", show_default=False)
    ],
    human: Annotated[str, typer.Option(help="The system that is people.")] = "HUMAN",
    group_weight: Annotated[
        list[str] | None, typer.Option(help="GROUP=NUMBER: a group of tasks counts so much, not 1.", show_default=False)
    ] = None,
    gamma: Annotated[float, typer.Option(help="The γ of the optimality gap, on the scale of the scores.")] = 0.95,
    json: AsJson = False,
) -> None:
    """Rank systems over many tasks, people among them.

    By voting rules and means; higher scores are better. Vote'n'Rank's rules, the arithmetic and the geometric mean and
    the optimality gap; where the file has groups of tasks, weighted by them and in two steps as well.
    """
    from bot.commands import score_files

    table = score_files.read_scores(file)
    weights = score_files.parse_group_weights(group_weight or (), tuple(dict.fromkeys(table.groups.values())))
    rankings = _rank_variants(table, weights, gamma=gamma)
    if json:
        terminal_output.print_json(
            {
                "systems": list(table.scores.index),
                "tasks": list(table.scores.columns),
                "human": human if human in table.scores.index else None,
                "gamma": gamma,
                "groups": table.groups,
                "group_weights": dict(weights),
                "metrics_averaged": table.averaged,
                "scores": {
                    system: {task: None if math.isnan(score) else score for task, score in row.items()}
                    for system, row in table.scores.to_dict("index").items()
                },
                "rankings": {
                    variant: [
                        {
                            "rule": ranking.rule,
                            "winners": list(ranking.winners),
                            "places": {name: _get_place(ranking, name) for name in ranking.places.index},
                            "scores": None if ranking.scores.isna().any() else ranking.scores.to_dict(),
                            "reason": ranking.reason,
                        }
                        for ranking in ranked
                    ]
                    for variant, ranked in rankings.items()
                },
            }
        )
        return
    _print_winners(file, table, rankings, human=human, gamma=gamma)
    for variant, ranked in rankings.items():
        _print_places(variant, ranked, human=human)


def _rank_variants(
    table: ScoreTable, group_weights: Mapping[str, float], *, gamma: float
) -> dict[Variant, tuple[Ranking, ...]]:
    from aggregation.ranking import rank_in_two_steps, rank_systems, weigh_groups

    rankings: dict[Variant, tuple[Ranking, ...]] = {"plain": rank_systems(table.scores, gamma=gamma)}
    if table.groups:
        weights = weigh_groups(table.scores, table.groups, group_weights)
        rankings["weighted"] = rank_systems(table.scores, weights=weights, gamma=gamma)
        rankings["two_step"] = rank_in_two_steps(table.scores, table.groups, group_weights=group_weights, gamma=gamma)
    return rankings


def _print_winners(
    file: Path, table: ScoreTable, rankings: Mapping[Variant, Sequence[Ranking]], *, human: str, gamma: float
) -> None:
    """The winner under each rule, by variant, and the place of people."""
    has_people = human in table.scores.index
    columns = ["rule"]
    for variant in rankings:
        name = variant.replace("_", "-")
        columns += [f"winner, {name}", "place"] if has_people else [f"winner, {name}"]
    rows = []
    for number, same_rule in enumerate(zip(*rankings.values(), strict=True), start=1):
        row: list[Cell] = [f"{number} {same_rule[0].rule.replace('_', ' ')}"]
        for ranking in same_rule:
            row.append(", ".join(ranking.winners) or NOBODY)
            row += [_get_place(ranking, human)] if has_people else []
        rows.append(row)
    n_systems, n_tasks = table.scores.shape
    notes = [f"The optimality gap is that below γ = {gamma:g}; less is better. Only condorcet's winner has a place."]
    notes.append(
        f"Place: that of {human}."
        if has_people
        else f"No system is called {human}; --human names the one that is people."
    )
    notes += [f"{task}: the mean of {' and '.join(names)}." for task, names in table.averaged.items()]
    notes += _list_reasons(rankings)
    terminal_output.print_table(f"{file} · {n_systems} systems, {n_tasks} tasks", columns, rows, notes=notes)


def _print_places(variant: Variant, ranked: Sequence[Ranking], *, human: str) -> None:
    """The place of each system under each rule, in the order of the arithmetic mean."""
    mean = next(ranking for ranking in ranked if ranking.rule == "arithmetic_mean")
    systems = mean.scores.sort_values(ascending=False, kind="stable").index
    rows = [
        (f"{system} (people)" if system == human else system, *(_get_place(ranking, system) for ranking in ranked))
        for system in systems
    ]
    columns = ("system", *(str(number) for number in range(1, len(ranked) + 1)))
    title = f"places, {variant.replace('_', '-')}: {TITLES[variant]}"
    terminal_output.print_table(title, columns, rows, notes=[NUMBERS])


def _list_reasons(rankings: Mapping[Variant, Sequence[Ranking]]) -> list[str]:
    """Why rules gave nothing, or what was assumed: a note for each reason, with the rules that it is of."""
    rules: dict[str, list[str]] = {}
    for variant, ranked in rankings.items():
        for ranking in ranked:
            name = ranking.rule if variant == "plain" else f"{ranking.rule} ({variant.replace('_', '-')})"
            if ranking.reason:
                rules.setdefault(ranking.reason, []).append(name)
    return [f"{', '.join(names)}: {reason}" for reason, names in rules.items()]


def _get_place(ranking: Ranking, system: str) -> int | None:
    import pandas as pd

    place = ranking.places[system]
    return None if pd.isna(place) else int(place)
