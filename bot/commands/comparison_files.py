"""Files of comparisons for `hromada rank`: votes on two systems in each row, or a preferences.csv."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aggregation.sides import BOTH_BAD, TIE
from annotation.errors import BadInput, Where
from annotation.loading import tables
from annotation.loading.drafts import pause_garbage_collection
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


@pause_garbage_collection()
def read_comparison_file(file: Path) -> ComparisonFile:
    """Read a file of comparisons; raises BadInput with the place of a row that cannot be used."""
    import pandas as pd

    first = next(iter(tables.read_rows(file)))
    if {*PAIR_COLUMNS} <= first.values.keys():
        return ComparisonFile(comparisons=_read_counts(file), repeats=_list_repeats(None), notes=(COUNTS_ALONE,))
    cells: list[tuple[str, str, str, str, str, str]] = []
    n_open = 0
    for row in comparison_votes.read_comparisons(file):
        if row.answer:
            question, *turn = row.item or ("",)
            item = "\x1f".join(row.item) if turn else question
            cells.append((row.left, row.right, row.answer, item, question, row.annotator))
        else:
            n_open += 1
    frame = pd.DataFrame(cells, columns=["one", "two", "winner", "item", "group", "annotator"], dtype=object)
    outcomes = {comparison_votes.LEFT: 1.0, comparison_votes.RIGHT: 0.0, TIE: 0.5, BOTH_BAD: 0.5}
    frame["outcome"] = frame["winner"].map(outcomes).astype(float)
    frame["both_bad"] = frame["winner"] == BOTH_BAD
    frame["left"] = 1.0
    notes = [f"Left out: {n_open} rows without a winner."] if n_open else []
    if not frame["item"].any():
        frame, notes = frame.drop(columns=["item", "group"]), [*notes, NO_ITEMS]
    if not frame["annotator"].any():
        frame, notes = frame.drop(columns="annotator"), [*notes, NO_PEOPLE]
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
    systems, names = pd.factorize(np.concatenate([frame["one"], frame["two"]]), sort=True)
    one, two = np.split(systems, 2)
    is_swapped = one > two
    pair = np.minimum(one, two) * len(names) + np.maximum(one, two)
    people, persons = pd.factorize(frame["annotator"])
    key = (pd.factorize(frame["item"])[0] * len(persons) + people) * len(names) ** 2 + pair
    outcome = np.where(is_swapped, 1 - frame["outcome"], frame["outcome"])
    told = pd.DataFrame(
        {
            "key": key,
            "annotator": frame["annotator"],
            "answer": np.where(frame["both_bad"], 2.0, outcome),
            "swapped": is_swapped,
        }
    )
    told = told.loc[told["key"].duplicated(keep=False)]
    place = told.groupby("key").cumcount()
    both = told.loc[place == 0].merge(told.loc[place == 1], on="key", suffixes=("", "_again"))
    both["is_swapped"] = both["swapped"] != both["swapped_again"]
    return both[["annotator", "answer", "answer_again", "is_swapped"]].set_axis(list(REPEAT_COLUMNS), axis=1)
