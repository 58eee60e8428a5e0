"""The comparisons of a data set whose question compares texts, and their numbers as published tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from aggregation.preferences.comparisons import expand_choices
from aggregation.preferences.places import PreferenceRanking
from aggregation.preferences.results import REPEAT_COLUMNS, PreferenceResults, measure_preferences
from aggregation.preferences.win_rates import Estimate
from aggregation.sides import SIDES
from exports.inputs import DataSet
from exports.rounding import VALUE_COLUMNS, format_fixed
from exports.score_variants import PRIMARY

PREFERENCE_COLUMNS = (
    "dataset", "question", "subset", "one", "two", "wins", "ties", "losses", "both_bad", *VALUE_COLUMNS, "p_value",
    "p_holm", "detectable",
)  # fmt: skip
RANKING_COLUMNS = (
    "dataset", "question", "system", "model", "strength", "component", "place", "place_low", "place_high",
    "mean_win_rate", "tie_parameter", *VALUE_COLUMNS,
)  # fmt: skip
POSITION_COLUMNS = (
    "dataset", "question", "who", "n", "left", "right", "ties", "share_left", *VALUE_COLUMNS, "p_value",
    "swap_consistency",
)  # fmt: skip
FIRST_CHOICE = "first_choice"
"""The model of the rows that hold a share of first choices among three texts or more, which is no strength."""

Row = dict[str, Any]


def read_preferences(data: DataSet, *, confidence_level: float) -> PreferenceResults | None:
    """The numbers of a data set that compares texts; None of any other, and without an answer that counts."""
    if not data.answer_type.compares_texts or data.list_counted_answers().empty:
        return None
    n_sides = max(map(len, data.systems.values()), default=2)
    frame = expand_choices(_list_choices(data))
    return measure_preferences(frame, _list_repeats(data), n_sides=n_sides, confidence_level=confidence_level)


def _list_choices(data: DataSet) -> pd.DataFrame:
    """The answers that count, as `expand_choices` takes them."""
    rows = data.list_counted_answers()
    rows = rows.loc[rows["item_id"].isin(list(data.systems))]
    groups = data.items.set_index("item_id")["group"]
    return pd.DataFrame(
        {
            "item": rows["item_id"],
            "group": rows["item_id"].map(groups),
            "annotator": rows["annotator"],
            "answer": rows["response"],
            "systems": [data.systems[item] for item in rows["item_id"]],
            "shown": [_read_order(order) for order in rows["option_order"]],
        }
    )


def _read_order(order: str | None) -> tuple[str, ...] | None:
    """The sides from the left, or from above; None if nobody knows their order."""
    return None if order is None else tuple(side for side in json.loads(order) if side in SIDES) or None


def _list_repeats(data: DataSet) -> pd.DataFrame:
    """The items that a person answered twice (REPEAT_COLUMNS)."""
    rows = data.responses
    is_excluded = rows["excluded_kind"] != rows["assignment_kind"]  # by more than being a repeat
    later = rows.loc[rows["is_repeat"].eq(other=True) & rows["response"].notna() & ~is_excluded]
    first = data.list_counted_answers().drop_duplicates(["item_id", "annotator"])
    pairs = first.merge(later, on=["item_id", "annotator"], suffixes=("", "_again"))
    orders = zip(pairs["option_order"], pairs["option_order_again"], strict=True)
    swapped = [one is not None and two is not None and _read_order(one) != _read_order(two) for one, two in orders]
    named = pairs[["annotator", "response", "response_again"]].assign(swapped=pd.Series(swapped, dtype=bool))
    return named.set_axis(list(REPEAT_COLUMNS), axis=1)


def build_preference_table(data: DataSet, found: PreferenceResults | None) -> pd.DataFrame:
    """preferences.csv: one row for each pair of systems, with the columns PREFERENCE_COLUMNS."""
    return _build_table(data, [] if found is None else list_pair_rows(found), PREFERENCE_COLUMNS)


def build_ranking_table(data: DataSet, found: PreferenceResults | None) -> pd.DataFrame:
    """preference_ranking.csv: one row for each model and system, with the columns RANKING_COLUMNS."""
    return _build_table(data, [] if found is None else list_ranking_rows(found), RANKING_COLUMNS)


def build_position_table(data: DataSet, found: PreferenceResults | None) -> pd.DataFrame:
    """positions.csv: everybody, then each person, with the columns POSITION_COLUMNS."""
    return _build_table(data, [] if found is None else list_position_rows(found), POSITION_COLUMNS)


def _build_table(data: DataSet, rows: Sequence[Row], columns: Sequence[str]) -> pd.DataFrame:
    written = [{name: _write_number(name, value) for name, value in row.items()} for row in rows]
    frame = pd.DataFrame(written, columns=list(columns), dtype=object)
    return frame.assign(dataset=data.name, question=data.question)


def _write_number(name: str, value: object) -> object:
    return format_fixed(value, 6 if name.startswith("p_") else 4) if isinstance(value, float) else value


def list_pair_rows(found: PreferenceResults) -> list[Row]:
    """The pairs as rows of preferences.csv, numbers as they are."""
    return [
        {
            "subset": PRIMARY,
            "one": pair.one,
            "two": pair.two,
            "wins": pair.wins,
            "ties": pair.ties,
            "losses": pair.losses,
            "both_bad": pair.both_bad,
            **list_values(pair.estimate),
            "p_value": pair.p_value,
            "p_holm": pair.p_holm,
            "detectable": pair.detectable,
        }
        for pair in found.pairs
    ]


def list_ranking_rows(found: PreferenceResults) -> list[Row]:
    """The systems as rows of preference_ranking.csv, by model, from the strongest."""
    rates = {system.system: system for system in found.systems}
    rows = [row for ranking in (found.bradley_terry, found.davidson) for row in _list_ranked(ranking)]
    if found.ranks_all_answers:
        by_share = sorted(found.systems, key=lambda system: -(system.first_choice.value or 0.0))
        rows += [
            {"system": system.system, "model": FIRST_CHOICE, **list_values(system.first_choice)} for system in by_share
        ]
    return [row | {"mean_win_rate": rates[row["system"]].mean_win_rate} for row in rows]


def _list_ranked(ranking: PreferenceRanking) -> Iterator[Row]:
    for ranked in ranking.systems:
        yield {
            "system": ranked.system,
            "model": ranking.model,
            "strength": ranked.strength.value,
            "component": ranked.component,
            "place": ranked.place,
            "place_low": ranked.place_low,
            "place_high": ranked.place_high,
            "tie_parameter": ranking.tie_parameter,
            **list_values(ranked.strength),
        }


def list_position_rows(found: PreferenceResults) -> list[Row]:
    """The sides that people chose as rows of positions.csv."""
    return [
        {
            "who": side.who,
            "n": side.left + side.right + side.ties,
            "left": side.left,
            "right": side.right,
            "ties": side.ties,
            "share_left": side.estimate.value,
            **list_values(side.estimate),
            "p_value": side.p_value,
            "swap_consistency": side.swap_consistency,
        }
        for side in found.positions
    ]


def list_values(estimate: Estimate) -> Row:
    """The cells VALUE_COLUMNS of a row; empty texts are None."""
    return {name: getattr(estimate, name) if getattr(estimate, name) != "" else None for name in VALUE_COLUMNS}


def describe_preferences(found: PreferenceResults) -> Mapping[str, Any]:
    """All numbers as JSON: the rows of the three tables, cycles, consistency, and what was left out."""
    comparisons, cycles = found.comparisons, found.cycles
    return {
        "pairs": list_pair_rows(found),
        "ranking": list_ranking_rows(found),
        "positions": list_position_rows(found),
        "condorcet_winner": cycles.winner,
        "circular_triads": cycles.triads,
        "consistency": {
            name: {"n": same.n_repeats, "equal": same.percent, "kappa": same.kappa, "reason": same.reason}
            for name, same in (
                ("repeats", found.consistency.repeated),
                ("repeats_with_sides_swapped", found.consistency.swapped),
            )
        },
        "same_system": comparisons.n_same,
        "nameless_system": comparisons.n_nameless,
    }
