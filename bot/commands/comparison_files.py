"""Files of comparisons for `hromada rank`: votes on two systems in each row, or a preferences.csv."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aggregation.answers import BOTH_BAD, TIE
from annotation.errors import BadInput, Where
from annotation.loading import tables
from annotation.loading.judgements import comparison_votes

if TYPE_CHECKING:
    import pandas as pd

    from annotation.input_files import FileRow

PAIR_COLUMNS = ("one", "two", "wins", "ties", "losses")
"""The columns of a preferences.csv that a ranking needs."""
NO_PEOPLE = "The file does not say who answered: intervals are for new items and for the people of these answers."
NO_ITEMS = "The file names no items: each comparison counts as an item of its own, so intervals may be too narrow."
COUNTS_ALONE = (
    "The file has counts alone: each comparison counts as an item of its own, so intervals are too narrow if people or"
    " items repeat. `hromada rank PROJECT` knows both."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonFile:
    """The comparisons of a file, the answers of a person to the same pair given twice, and what the file lacks."""

    comparisons: pd.DataFrame
    repeats: pd.DataFrame
    notes: tuple[str, ...]


def has_comparisons(file: Path) -> bool:
    """Whether the first row of a table compares systems; False for an empty file."""
    first = next(iter(tables.read_rows(file)), None)
    if first is None:
        return False
    return {*PAIR_COLUMNS} <= first.values.keys() or comparison_votes.find_layout(first.values) is not None


def read_comparison_file(file: Path) -> ComparisonFile:
    """Read a file of comparisons; raises BadInput with the place of a row that cannot be used."""
    import pandas as pd

    first = next(iter(tables.read_rows(file)))
    if {*PAIR_COLUMNS} <= first.values.keys():
        return ComparisonFile(comparisons=_read_counts(file), repeats=_list_repeats(None), notes=(COUNTS_ALONE,))
    rows = list(comparison_votes.read_comparisons(file))
    answered = [row for row in rows if row.answer]
    outcomes = {comparison_votes.LEFT: 1.0, comparison_votes.RIGHT: 0.0, TIE: 0.5, BOTH_BAD: 0.5}
    frame = pd.DataFrame(
        {
            "one": [row.left for row in answered],
            "two": [row.right for row in answered],
            "outcome": pd.Series([outcomes[row.answer] for row in answered], dtype=float),
            "both_bad": pd.Series([row.answer == BOTH_BAD for row in answered], dtype=bool),
            "left": 1.0,
        }
    )
    notes = [] if len(answered) == len(rows) else [f"Left out: {len(rows) - len(answered)} rows without a winner."]
    if any(row.item for row in answered):
        frame["item"] = ["\x1f".join(row.item) for row in answered]
        frame["group"] = [row.item[0] for row in answered]
    else:
        notes.append(NO_ITEMS)
    if any(row.annotator for row in answered):
        frame["annotator"] = [row.annotator for row in answered]
    else:
        notes.append(NO_PEOPLE)
    return ComparisonFile(comparisons=frame, repeats=_list_repeats(frame), notes=tuple(notes))


def _read_counts(file: Path) -> pd.DataFrame:
    """The comparisons that the counts of a preferences.csv sum, one a row."""
    import numpy as np
    import pandas as pd

    rows = list(tables.read_rows(file))
    data_sets = {(row.values.get("dataset"), row.values.get("question"), row.values.get("subset")) for row in rows}
    if len(data_sets) > 1:
        raise BadInput(
            f"The file has the pairs of {len(data_sets)} data sets.",
            where=Where(file=file),
            remedy="Keep the rows of one data set, question and subset.",
        )
    counts = [
        (row.values["one"], row.values["two"], outcome, is_bad, times)
        for row in rows
        for outcome, is_bad, times in _count_row(row)
    ]
    times = np.array([count[-1] for count in counts], dtype=np.intp)
    columns = pd.DataFrame([count[:-1] for count in counts], columns=["one", "two", "outcome", "both_bad"])
    return columns.loc[np.repeat(np.arange(len(counts)), times)].reset_index(drop=True)


def _count_row(row: FileRow) -> Iterator[tuple[float, bool, int]]:
    """The outcomes of a pair: for the first system, whether both are bad, and how often."""
    numbers = {}
    for column in (*PAIR_COLUMNS[2:], BOTH_BAD):
        written = str(row.values.get(column) or "0").strip()
        if not written.isdigit():
            raise BadInput(f"Invalid count {written!r}.", where=row.where(column), remedy="Write a whole number.")
        numbers[column] = int(written)
    yield 1.0, False, numbers["wins"]
    yield 0.0, False, numbers["losses"]
    yield 0.5, False, numbers["ties"] - numbers[BOTH_BAD]
    yield 0.5, True, numbers[BOTH_BAD]


def _list_repeats(frame: pd.DataFrame | None) -> pd.DataFrame:
    """The first two answers of each person to the same pair on the same item."""
    import numpy as np
    import pandas as pd

    from aggregation.preferences.results import REPEAT_COLUMNS

    if frame is None or not {"item", "annotator"} <= {*frame.columns} or frame.empty:
        return pd.DataFrame(columns=list(REPEAT_COLUMNS))
    is_swapped = frame["one"] > frame["two"]
    key = frame[["item", "annotator"]].assign(
        one=frame["one"].where(~is_swapped, frame["two"]), two=frame["two"].where(~is_swapped, frame["one"])
    )
    outcome = np.where(is_swapped, 1 - frame["outcome"], frame["outcome"])
    key = key.assign(
        answer=np.where(frame["both_bad"], BOTH_BAD, outcome.astype(str)), swapped=is_swapped, place=key.groupby(list(key.columns)).cumcount()
    )
    names = ["item", "annotator", "one", "two"]
    pairs = key.loc[key["place"] == 0].merge(key.loc[key["place"] == 1], on=names, suffixes=("", "_again"))
    found = pairs.assign(is_swapped=pairs["swapped"] != pairs["swapped_again"])
    return found[["annotator", "answer", "answer_again", "is_swapped"]].set_axis(list(REPEAT_COLUMNS), axis=1)
