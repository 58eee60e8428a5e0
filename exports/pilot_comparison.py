"""Pilots compared: what several data sets over the same items say, as tables, with the items that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from aggregation.pilot_comparison import PilotComparison, PilotDifference, PilotValue, compare_pilots
from aggregation.pilot_measures import PilotAnswers
from exports import writers
from exports.inputs import DataSet
from exports.number_formats import round_number

SKIP_KINDS = ("skipped", "abstained")
"""The kinds of exclusion of those who did not say anything of an item that was theirs."""
ITEM_COLUMNS = ("item_id", "compared", "missing_in", "text_differs", "gold_differs")

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ItemMatch:
    """An item of any of the data sets: `missing_in` names those that lack it; it is compared where none does.

    `text_differs` and `gold_differs` say that the data sets that have it show different texts (by their hash), or have
    different gold; gold that some lack differs from none.
    """

    item_id: str
    missing_in: tuple[str, ...]
    text_differs: bool
    gold_differs: bool

    @property
    def is_compared(self) -> bool:
        """Whether every data set has it."""
        return not self.missing_in


@dataclass(frozen=True, kw_only=True)
class ComparedDataSets:
    """Data sets compared as pilots: the numbers, and which items they are of."""

    comparison: PilotComparison
    items: tuple[ItemMatch, ...]
    confidence_level: float
    simulated: bool

    def list_items(self, *, which: str) -> list[str]:
        """The ids of the items that are left out (`others`), or compared though `text_differs` or `gold_differs`."""
        if which == "others":
            return [item.item_id for item in self.items if not item.is_compared]
        return [item.item_id for item in self.items if item.is_compared and getattr(item, which)]


def compare_data_sets(
    data_sets: Sequence[DataSet], *, text_hashes: Sequence[Mapping[str, str]], confidence_level: float = 0.95
) -> ComparedDataSets:
    """Compare the data sets by the first votes of each item (see `DataSet.keep_first_places`), in the order given.

    Items are matched by id; `text_hashes` has for each data set the hash of each item's text. Raises HromadaError as
    `compare_pilots` does.
    """
    return ComparedDataSets(
        comparison=compare_pilots([build_pilot(data) for data in data_sets], confidence_level=confidence_level),
        items=match_items(data_sets, text_hashes),
        confidence_level=confidence_level,
        simulated=any(data.simulated for data in data_sets),
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


def match_items(data_sets: Sequence[DataSet], text_hashes: Sequence[Mapping[str, str]]) -> tuple[ItemMatch, ...]:
    """Every item of the data sets, sorted by id."""
    hashes = {data.name: own for data, own in zip(data_sets, text_hashes, strict=True)}
    golds = {data.name: dict(zip(data.items["item_id"], data.items["gold"], strict=True)) for data in data_sets}
    return tuple(
        ItemMatch(
            item_id=str(item),
            missing_in=tuple(name for name, own in hashes.items() if item not in own),
            text_differs=len({own[item] for own in hashes.values() if item in own}) > 1,
            gold_differs=len({own[item] for own in golds.values() if own.get(item) is not None}) > 1,
        )
        for item in sorted(set().union(*hashes.values()))
    )


def list_value_rows(compared: ComparedDataSets) -> list[Row]:
    """The values of each project with the columns of pilot_values.csv, numbers rounded."""
    return [_round_row(asdict(row)) for row in compared.comparison.values]


def list_difference_rows(compared: ComparedDataSets) -> list[Row]:
    """The differences with the columns of pilot_differences.csv, numbers rounded."""
    return [_round_row(asdict(row)) for row in compared.comparison.differences]


def build_comparison_files(compared: ComparedDataSets) -> dict[str, str]:
    """The three tables as CSV: pilot_values.csv, pilot_differences.csv, pilot_items.csv."""
    items = [
        (item.item_id, item.is_compared, " ".join(item.missing_in), item.text_differs, item.gold_differs)
        for item in compared.items
    ]
    return {
        "pilot_values.csv": _format_rows(list_value_rows(compared), PilotValue),
        "pilot_differences.csv": _format_rows(list_difference_rows(compared), PilotDifference),
        "pilot_items.csv": writers.format_csv(pd.DataFrame(items, columns=list(ITEM_COLUMNS), dtype=object)),
    }


def _format_rows(rows: Sequence[Mapping[str, Any]], row_type: type) -> str:
    columns = [field.name for field in fields(row_type)]
    return writers.format_csv(pd.DataFrame(rows, columns=columns, dtype=object))


def _round_row(row: Row) -> Row:
    return {name: round_number(value) if isinstance(value, float) else value for name, value in row.items()}
