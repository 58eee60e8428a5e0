"""How far annotators agree, measured from a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from aggregation.agreement.coefficients import choose_label_headline
from aggregation.agreement.table import AgreementTable, Coefficient
from aggregation.agreement.two_populations import describe_coverage
from aggregation.answer_types import compute_agreement
from aggregation.errors import Refused
from aggregation.library import result_tables
from aggregation.library.result_tables import DrawnInterval
from aggregation.library.vote_frames import Repeats, read_frame
from aggregation.schema import MeasurementLevel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aggregation.library.engine_votes import EngineTable

COLUMNS = ("coefficient", "value", *result_tables.INTERVALS, "items", "votes")


@dataclass(frozen=True, kw_only=True, repr=False)
class MeasuredAgreement:
    """Coefficients of agreement, each with two intervals of 95%: for these people, and for new people; on new items.

    `agreement["gwet_ac1"]` is one coefficient: its `value`, `low` and `high` (these people), `new_people_low` and
    `new_people_high`, and `explanations` of what is missing. `headline` is the one to report: Krippendorff's alpha at
    the level of the labels. `notes` say what was left out or looks doubtful.
    """

    table: AgreementTable
    level: MeasurementLevel
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Coefficient:
        """The coefficient of that name; raises KeyError if there is none."""
        return self.table[name]

    @property
    def headline(self) -> Coefficient:
        """The coefficient to report."""
        return self.table[choose_label_headline(has_classes=True, level=self.level)]

    def to_frame(self) -> pd.DataFrame:
        """One row per coefficient: name, value, these_people_low, these_people_high, new_people_low, new_people_high.

        The other columns are the keys of `hromada agreement --json`: level, n_items, n_votes, n_annotators, how,
        reason, new_people_reason, undefined_resamples, basis, positions, of.
        """
        return result_tables.build_frame(self.table.rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the coefficients with both intervals on `ax`, or on new axes; returns the axes."""
        drawn = [
            DrawnInterval(
                name=row.name,
                value=row.value,
                these_people=(row.low, row.high),
                new_people=(row.new_people_low, row.new_people_high),
            )
            for row in self.table.rows
        ]
        return result_tables.plot_intervals(drawn, ax=ax, label="agreement")

    def _list_rows(self) -> list[tuple[object, ...]]:
        """The headline first."""
        rows = sorted(self.table.rows, key=lambda row: row is not self.headline)
        return [
            (
                row.name,
                result_tables.format_number(row.value),
                result_tables.format_ends(row.low, row.high),
                result_tables.format_ends(row.new_people_low, row.new_people_high),
                row.n_items,
                row.n_votes,
            )
            for row in rows
        ]

    def _list_notes(self) -> list[str]:
        rows = self.table.rows
        reasons = [(row.name, reason) for row in rows for reason in row.explanations]
        has_formula = any(row.low is not None and "percentile interval" not in row.how for row in rows)
        return [*self.notes, *result_tables.group_reasons(reasons), *([describe_coverage()] if has_formula else [])]

    def __repr__(self) -> str:
        return result_tables.format_text(COLUMNS, self._list_rows(), self._list_notes())

    def _repr_html_(self) -> str:
        return result_tables.format_html(COLUMNS, self._list_rows(), self._list_notes())


def measure_agreement(
    votes: pd.DataFrame | EngineTable,
    *,
    level: MeasurementLevel = "nominal",
    labels: Sequence[Any] | None = None,
    group: str | None = None,
    repeats: Repeats = "first",
) -> MeasuredAgreement:
    """Measure how far annotators agree; the numbers are those of `hromada agreement` for the same votes.

    `votes` has one vote per row and the columns task, worker and label, as crowd-kit, or item, annotator and answer;
    other columns are ignored. It is a frame, a table of Ibis or a relation of DuckDB; an engine computes percent
    agreement, alpha and AC1 at the nominal or ordinal level.

    `level` says what the labels are: `nominal`, `ordinal` (they have an order), `interval` or `ratio` (they are
    numbers). `labels` are all labels people could choose, lowest first; by default the categories of a categorical
    column, else the labels that occur, numbers by size. `group` names a column: items of one group, such as questions
    about one text, are resampled together. `repeats` says which of several votes of one annotator on one item count:
    `first`, `last` or `all`.

    Raises HromadaError, which names the column, for votes that cannot be read, and Refused for what an engine cannot
    compute.

    >>> import pandas as pd
    >>> from aggregation import measure_agreement
    >>> rows = [(task, worker, "yes" if task % 2 else "no") for task in range(8) for worker in "abcdef"]
    >>> votes = pd.DataFrame([*rows, (8, "a", "yes"), (8, "b", "no")], columns=["task", "worker", "label"])
    >>> agreement = measure_agreement(votes)
    >>> agreement.headline.name, round(agreement.headline.value, 4)
    ('krippendorff_alpha_nominal', 0.9216)
    >>> alpha = agreement.to_frame().set_index("name").loc["krippendorff_alpha_nominal"]
    >>> alpha[["these_people_low", "these_people_high"]].astype(float).round(2).to_list()
    [0.48, 0.99]
    """
    if isinstance(votes, pd.DataFrame):
        read = read_frame(votes, level=level, labels=labels, group=group, repeats=repeats)
        return MeasuredAgreement(table=compute_agreement(read.answers), level=level, notes=read.notes)
    if group is not None or level not in ("nominal", "ordinal"):
        raise Refused(
            "An engine measures agreement at the nominal or ordinal level, without groups.",
            remedy="Give the votes as a pandas frame.",
        )
    from aggregation.library.engine_votes import open_votes, order_labels
    from aggregation.relations import agreement

    with open_votes(votes, repeats=repeats) as opened:
        ordered = None if level == "nominal" else order_labels(opened, labels)
        table = agreement.measure_agreement(opened.coded, ordered=ordered)
    return MeasuredAgreement(table=table, level=level)
