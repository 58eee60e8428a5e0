"""The report's tables of classes: precision, recall and F1 of each, and the confusion matrices."""

from __future__ import annotations

from dataclasses import dataclass

from aggregation.labels.confusion import NO_LABEL, compute_class_scores
from exports.class_tables import format_count
from exports.pages.display_text import NO_VALUE, UNIT_NAMES, format_percent, shorten_text
from exports.pages.scaffold import TableRow
from exports.pages.svg import SIMULATED
from exports.pages.translation import localize_number, translate
from exports.results import DataSetResult

MOST_CLASSES = 12
"""A confusion matrix of more classes is not shown; confusion_matrix.csv has it."""


@dataclass(frozen=True, kw_only=True)
class ConfusionTable:
    """One confusion matrix: its caption, the heads of its columns, and one row for each class that is gold."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]


def build_class_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """One row for each unit and class: precision, recall, F1, how often it is gold and how often the answer."""
    rows = []
    for unit, confusion in result.confusions.items():
        for name, scores in compute_class_scores(confusion).iterrows():
            shares = (scores[metric] for metric in ("precision", "recall", "f1"))
            cells = [NO_VALUE if share != share else format_percent(share) for share in shares]  # noqa: PLR0124  # nan
            counts = [_format_short(scores[count]) for count in ("support", "answered")]
            rows.append(TableRow(head=f"{translate(UNIT_NAMES[unit])}: {name}", cells=(*cells, *counts)))
    return tuple(rows)


def build_confusion_tables(result: DataSetResult) -> tuple[ConfusionTable, ...]:
    """The confusion matrix of each unit, gold down and answers across; none for many classes."""
    tables = []
    stamp = f"{translate(SIMULATED)} · " if result.data.simulated else ""
    for unit, confusion in result.confusions.items():
        if len(confusion) > MOST_CLASSES:
            continue
        answers = [answer for answer in confusion.columns if answer != NO_LABEL or confusion[NO_LABEL].any()]
        tables.append(
            ConfusionTable(
                caption=stamp
                + translate(
                    "{name}: {unit}, gold down, answers across",
                    name=result.data.name,
                    unit=translate(UNIT_NAMES[unit]),
                ),
                heads=(
                    translate("Gold"),
                    *(shorten_text(str(answer), max_length=24) or translate("no label") for answer in answers),
                ),
                rows=tuple(
                    TableRow(
                        head=shorten_text(str(gold), max_length=24),
                        cells=tuple(_format_short(confusion.loc[gold, answer]) for answer in answers),
                    )
                    for gold in confusion.index
                ),
            )
        )
    return tuple(tables)


def _format_short(number: float) -> str:
    """A count for readers: ties can make it a fraction, shown with one decimal."""
    whole = format_count(number)
    return localize_number(f"{number:.1f}") if "." in whole else whole
