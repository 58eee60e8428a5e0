"""`hromada rank`: systems ranked by their scores on many tasks, or by comparisons of pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aggregation.errors import HromadaError
from bot.commands import data_sets, preference_tables, terminal_output
from bot.commands.command_line import AsJson
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from aggregation.preferences.results import PreferenceResults
    from aggregation.ranking import Ranking, Variant
    from bot.commands.score_files import ScoreTable

TITLES: Mapping[Variant, str] = {
    "plain": "every task counts 1",
    "weighted": "the tasks of a group share its weight",
    "two_step": "first within groups, then the groups",
}
NUMBERS = "A column a rule, by the numbers of the first table."
NOBODY = "–"
PROJECT_ENDINGS = (".yaml", ".yml")


def rank(
    source: Annotated[
        str,
        typer.Argument(
            help="A table of scores (model, task, value; metric and group if any), a table of comparisons (model_a,"
            " model_b, winner; left, right, label or winner; a preferences.csv), or a project that compares texts.",
            show_default=False,
        ),
    ],
    human: Annotated[str, typer.Option(help="The system that is people.")] = "HUMAN",
    group_weight: Annotated[
        list[str] | None, typer.Option(help="GROUP=NUMBER: a group of tasks counts so much, not 1.", show_default=False)
    ] = None,
    gamma: Annotated[float, typer.Option(help="The γ of the optimality gap, on the scale of the scores.")] = 0.95,
    question: data_sets.QuestionName = None,
    unblind: data_sets.Unblind = False,
    json: AsJson = False,
) -> None:
    """Rank systems by scores on many tasks, or by comparisons.

    By voting rules and means; higher scores are better. Vote'n'Rank's rules, the arithmetic and the geometric mean and
    the optimality gap; where the file has groups of tasks, weighted by them and in two steps as well. Comparisons are
    ranked by Bradley-Terry and Davidson strengths, with intervals, beside the voting rules that pairs allow.
    """
    from annotation.loading import tables
    from bot.commands import comparison_files, score_files

    file = Path(source)
    is_table = file.suffix.lower() in tables.ENDINGS
    if not is_table and (file.suffix.lower() in PROJECT_ENDINGS or not file.is_file()):
        _rank_project(source, question, unblind=unblind, json=json)
        return
    if comparison_files.has_comparisons(file):
        _rank_file(file, json=json)
        return
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


def _rank_project(name: str, question: str | None, *, unblind: bool, json: bool) -> None:
    """Rank the systems that the answers to a question compare."""
    from exports.results import DataSetResult

    with data_sets.open_view([name], by="rank", unblind=unblind) as view:
        data = data_sets.read_votes(data_sets.read_project(view, name), question)
    found = DataSetResult(data=data).preference
    if found is None:
        raise HromadaError(
            f"The question {data.question!r} compares no texts.",
            remedy="Name a question of the type preference, or rank a table of scores.",
        )
    if json:
        terminal_output.print_json({"dataset": data.name, "simulated": data.simulated} | _describe_comparisons(found))
    else:
        _print_comparisons(preference_tables.format_title(data), found, notes=())


def _rank_file(file: Path, *, json: bool) -> None:
    """Rank the systems that a file compares."""
    from aggregation.preferences.results import measure_preferences
    from bot.commands import comparison_files

    read = comparison_files.read_comparison_file(file)
    found = measure_preferences(read.comparisons, read.repeats)
    if json:
        terminal_output.print_json({"file": str(file), "notes": list(read.notes)} | _describe_comparisons(found))
    else:
        _print_comparisons(str(file), found, notes=read.notes)
        preference_tables.print_positions(str(file), found)


def _describe_comparisons(found: PreferenceResults) -> dict[str, Any]:
    """The ranking and its ground as JSON."""
    from exports.preferences import describe_preferences

    return {
        **describe_preferences(found),
        "rules": [
            {
                "rule": ranking.rule,
                "winners": list(ranking.winners),
                "places": {name: _get_place(ranking, name) for name in ranking.places.index},
                "reason": ranking.reason,
            }
            for ranking in _rank_pairs(found)
        ],
    }


def _print_comparisons(title: str, found: PreferenceResults, *, notes: Sequence[str]) -> None:
    """The ranking by strengths with intervals, the places under each voting rule, and the pairs."""
    preference_tables.print_ranking(title, found, notes=notes)
    ranked = _rank_pairs(found)
    if ranked:
        rows = [
            (f"{number} {one.rule}", ", ".join(one.winners) or NOBODY) for number, one in enumerate(ranked, start=1)
        ]
        reasons = _list_reasons({"plain": ranked})
        shares = "Each pair counts once, by its shares of wins; a tie is a win of neither."
        terminal_output.print_table(f"{title} · voting rules", ("rule", "winner"), rows, notes=[shares, *reasons])
        rates = {system.system: system.mean_win_rate for system in found.systems}
        columns = ("system", *(str(number) for number in range(1, len(ranked) + 1)))
        places = [
            (name, *(_get_place(ranking, name) for ranking in ranked))
            for name in sorted(rates, key=lambda name: -rates[name])
        ]
        terminal_output.print_table(f"{title} · places under each rule", columns, places, notes=[NUMBERS])
    preference_tables.print_pairs(title, found)


def _rank_pairs(found: PreferenceResults) -> tuple[Ranking, ...]:
    """The voting rules over the shares of wins of each pair; none without two systems."""
    import numpy as np
    import pandas as pd

    from aggregation.ranking import rank_by_pairs

    systems = list(found.comparisons.systems)
    if not systems:
        return ()
    met = found.counts.wins + found.counts.wins.T + found.counts.ties
    shares = np.divide(found.counts.wins, met, out=np.full(met.shape, np.nan), where=met > 0)
    return rank_by_pairs(pd.DataFrame(shares, index=systems, columns=systems))


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
