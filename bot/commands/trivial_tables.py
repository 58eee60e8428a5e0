"""What `hromada baseline` shows of trivial baselines, and of people who choose an option for its place."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.commands.data_sets import format_title

if TYPE_CHECKING:
    import pandas as pd

    from aggregation.trivial_baselines import TrivialBaseline
    from exports.inputs import DataSet

BY_LOT = "Where a baseline is torn between options it takes one by lot; every metric is the one expected of that."


@dataclass(frozen=True, kw_only=True, eq=False)
class TrivialAnswers:
    """The baselines of a data set, none where nothing is chosen from options or no gold is known; and the people."""

    baselines: tuple[TrivialBaseline, ...] = ()
    preferences: pd.DataFrame | None = None


def read_trivial_answers(project: str, data: DataSet) -> TrivialAnswers:
    """Score the trivial baselines on the items on which people are scored, and test people for places they prefer."""
    from aggregation.position_preference import find_position_preferences
    from bot.commands import database_session
    from bot.option_answers import read_option_answers
    from exports.trivial_scores import score_option_items

    with database_session.open_database() as database, database.reading() as view:
        answers = read_option_answers(view, database_session.get_project(view, project), data)
    if answers is None:
        return TrivialAnswers()
    baselines = score_option_items(replace(data, option_items=answers.items))
    return TrivialAnswers(baselines=baselines, preferences=find_position_preferences(answers.places))


def describe_trivial_answers(trivial: TrivialAnswers) -> dict[str, Any]:
    """Both as JSON; an undefined score is None."""
    baselines = [
        asdict(one) | {"scores": {name: _get_number(value) for name, value in one.scores.items()}}
        for one in trivial.baselines
    ]
    preferences = trivial.preferences
    people = [] if preferences is None else preferences.rename_axis("annotator").reset_index().to_dict("records")
    return {"trivial_baselines": baselines, "position_preferences": people}


def print_trivial_answers(data: DataSet, trivial: TrivialAnswers) -> None:
    """Print the table of baselines, and that of people who prefer a place, if there are any."""
    from bot.commands import terminal_output

    if trivial.baselines:
        metrics = tuple(dict.fromkeys(name for one in trivial.baselines for name in one.scores))
        rows = [
            (
                one.name.replace("_", " "),
                one.answer,
                *(_get_number(one.scores.get(name)) for name in metrics),
                one.n_torn,
            )
            for one in trivial.baselines
            if not one.reason
        ]
        notes = [BY_LOT, *(f"{one.name.replace('_', ' ')}: {one.reason}" for one in trivial.baselines if one.reason)]
        columns = ("baseline", "answer", *metrics, "by lot")
        terminal_output.print_table(format_title(data, "without understanding"), columns, rows, notes=notes)
    found = trivial.preferences
    if found is not None and found["is_found"].any():
        rows = [
            (str(name), f"{row['place']} from the {row['side']}", row["n"], row["n_chosen"], row["n_expected"],
             row["preference"], f"{row['p_value']:.1g}")
            for name, row in found.loc[found["is_found"]].to_dict("index").items()
        ]  # fmt: skip
        columns = ("annotator", "place", "answers", "there", "expected", "preference", "p")
        note = "More answers at a place than their accuracy and the places of gold explain: look before you exclude."
        terminal_output.print_table(format_title(data, "people who prefer a place"), columns, rows, notes=[note])


def _get_number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
