"""Two data sets over the same items compared as pilots, as tables, with the items that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from aggregation.pilot_comparison import PilotComparison, PilotDifference, compare_pilots
from aggregation.pilot_measures import PilotAnswers
from exports import writers
from exports.inputs import DataSet
from exports.number_formats import round_row

SKIP_KINDS = ("skipped", "abstained")
"""The kinds of exclusion of those who did not say anything of an item that was theirs."""
ITEM_COLUMNS = ("item_id", "compared", "missing_in", "text_differs", "gold_differs")


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedDataSets:
    """Two data sets compared as pilots: the numbers, and the `items` of either (ITEM_COLUMNS, sorted by id).

    `missing_in` names the data set that lacks the item, which is then not compared. `text_differs` and `gold_differs`
    say that both have it with another text (by its hash), or with other gold.
    """

    comparison: PilotComparison
    items: pd.DataFrame
    simulated: bool

    def list_differences(self) -> list[dict[str, Any]]:
        """The differences with the columns of pilot_differences.csv, numbers rounded."""
        return [round_row(asdict(row)) for row in self.comparison.differences]

    def build_files(self) -> dict[str, str]:
        """The tables as CSV: pilot_differences.csv, pilot_items.csv."""
        columns = [field.name for field in fields(PilotDifference)]
        return {
            "pilot_differences.csv": writers.format_rows(self.list_differences(), columns),
            "pilot_items.csv": writers.format_csv(self.items),
        }


def compare_data_sets(
    data_sets: tuple[DataSet, DataSet], *, text_hashes: Sequence[Mapping[str, str]]
) -> ComparedDataSets:
    """Compare two data sets by the first votes of each item (see `DataSet.keep_first_places`).

    Items are matched by id; `text_hashes` has for each data set the hash of each item's text. Raises HromadaError as
    `compare_pilots` does.
    """
    first, second = data_sets
    return ComparedDataSets(
        comparison=compare_pilots(build_pilot(first), build_pilot(second)),
        items=match_items(data_sets, text_hashes),
        simulated=first.simulated or second.simulated,
    )


def build_pilot(data: DataSet) -> PilotAnswers:
    """A data set as a pilot: its votes, and every item that somebody answered or skipped in the main stage."""
    first = data.keep_first_places()
    rows, kinds = first.responses, first.exclusion_kinds()
    is_due = kinds.isna() & rows["response"].isna()
    is_skipped = is_due | kinds.isin(SKIP_KINDS)
    offers = pd.DataFrame(
        {
            "item": rows["item_id"],
            "annotator": rows["annotator"],
            "skipped": is_skipped,
            "is_due": is_due,
            "seconds": pd.to_numeric(rows["seconds"]),
        }
    ).loc[kinds.isna() | is_skipped]
    known = offers["item"].isin(first.items["item_id"])
    return PilotAnswers(name=data.name, answers=first.build_answers(), offers=offers.loc[known].reset_index(drop=True))


def match_items(data_sets: Sequence[DataSet], text_hashes: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """Every item of the data sets with the columns ITEM_COLUMNS, sorted by id; gold that one lacks does not differ."""
    golds = [dict(zip(data.items["item_id"], data.items["gold"], strict=True)) for data in data_sets]
    rows = []
    for item in sorted(set().union(*text_hashes)):
        missing = [data.name for data, own in zip(data_sets, text_hashes, strict=True) if item not in own]
        texts = {own[item] for own in text_hashes if item in own}
        gold = {own[item] for own in golds if own.get(item) is not None}
        rows.append((item, not missing, missing[0] if missing else None, len(texts) > 1, len(gold) > 1))
    return pd.DataFrame(rows, columns=list(ITEM_COLUMNS), dtype=object)
