"""How often people are right, scored from a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from aggregation import answer_types
from aggregation.agreement.two_populations import SAME_INTERVALS
from aggregation.findings import split_findings
from aggregation.library import result_tables
from aggregation.library.result_tables import DrawnInterval
from aggregation.library.vote_frames import GoldLabels, Repeats, read_frame
from aggregation.scores.performance import Performance, Score, Unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("unit", "total", "wrong", "accuracy", *result_tables.INTERVALS, "ties")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AnswerScores:
    """Scores of single answers, of majorities and of Dawid-Skene labels, each with two intervals of 95%.

    The intervals are for these people, and for new people; both for new items. `scores["majority"]` is one unit:
    `scores["majority"]["accuracy"]` has `value`, `ci_low` and `ci_high` (new people), `item_only_low` and
    `item_only_high` (these people). `notes` say what was left out or looks doubtful.
    """

    performance: Performance
    notes: tuple[str, ...] = ()

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units, the majorities of k new people last."""
        return (*self.performance.units, *self.performance.fresh_majorities)

    def __getitem__(self, unit: str) -> Unit:
        """The unit of that name: individual, majority, dawid_skene, `majority of 3`; raises KeyError for others."""
        return self.performance[unit]

    def to_frame(self) -> pd.DataFrame:
        """One row per unit and metric: unit, metric, value, new_people_low, new_people_high, these_people_low, …_high.

        The other columns are keys of `hromada baseline --json`: se, df, ci_method, reason, value_ties_wrong of the
        score, then total, wrong, n_ties, n_items, n_annotators of the unit.
        """
        scores = [score for unit in self.units for score in unit.scores]
        frame = result_tables.build_frame(scores)
        frame.insert(0, "unit", [unit.unit for unit in self.units for _ in unit.scores])
        for name in ("total", "wrong", "n_ties", "n_items", "n_annotators"):
            column = [getattr(unit, name) for unit in self.units for _ in unit.scores]
            frame[name] = pd.array(column, dtype="Int64")
        return frame

    def annotators_to_frame(self) -> pd.DataFrame:
        """One row per annotator: annotator, n, right, accuracy, independent_low, independent_high."""
        return self.performance.annotators.reset_index()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the accuracy of each unit with both intervals on `ax`, or on new axes; returns the axes."""
        drawn = [
            DrawnInterval(
                name=unit.title,
                value=unit.primary.value,
                these_people=(unit.primary.item_only_low, unit.primary.item_only_high),
                new_people=(unit.primary.ci_low, unit.primary.ci_high),
            )
            for unit in self.units
        ]
        return result_tables.plot_intervals(drawn, ax=ax, label=self.units[0].primary.metric)

    def _list_rows(self) -> list[tuple[object, ...]]:
        return [
            (
                unit.title,
                unit.total,
                result_tables.MISSING if unit.wrong is None else unit.wrong,
                result_tables.format_number(unit.primary.value),
                result_tables.format_ends(unit.primary.item_only_low, unit.primary.item_only_high),
                result_tables.format_ends(unit.primary.ci_low, unit.primary.ci_high),
                result_tables.MISSING if unit.n_ties is None else unit.n_ties,
            )
            for unit in self.units
        ]

    def _list_notes(self) -> list[str]:
        found = [
            (unit.title, sentence)
            for unit in self.units
            for sentence in (*unit.warnings, *split_findings(unit.primary.reason or _explain_same(unit.primary)))
        ]
        refused = [f"{unit}: {reason}" for unit, reason in self.performance.refused.items()]
        guessed = self.performance.random_exact
        chance = [] if guessed is None else [f"Guessing is right on {guessed:.4f} of these items."]
        return [*self.notes, *result_tables.group_reasons(found), *refused, *chance]

    def __repr__(self) -> str:
        return result_tables.format_text(COLUMNS, self._list_rows(), self._list_notes())

    def _repr_html_(self) -> str:
        return result_tables.format_html(COLUMNS, self._list_rows(), self._list_notes())


def score_answers(
    votes: pd.DataFrame,
    *,
    gold: GoldLabels | None = None,
    labels: Sequence[Any] | None = None,
    group: str | None = None,
    repeats: Repeats = "first",
) -> AnswerScores:
    """Score answers against gold; the numbers are those of `hromada baseline` for the same votes.

    `votes` is a frame as in `measure_agreement`, with the right label of each item in the column gold, or in `gold`: a
    Series with the item as its index, such as crowd-kit's `true_label`, or a dictionary. Items without gold are left
    out. An open tie of m labels counts 1/m. `labels`, `group` and `repeats` are as in `measure_agreement`.

    Raises HromadaError, which names the column, for votes and gold that cannot be read, and if there is no gold.

    >>> import pandas as pd
    >>> from aggregation import score_answers
    >>> votes = pd.DataFrame([(task, worker, (task + (worker == "c")) % 2) for task in range(9) for worker in "abcdef"],
    ...                      columns=["task", "worker", "label"])
    >>> scores = score_answers(votes, gold={task: task % 2 for task in range(9)})
    >>> round(scores["individual"]["accuracy"].value, 4), scores["majority"]["accuracy"].value
    (0.8333, 1.0)
    >>> frame = scores.to_frame()
    >>> frame.loc[frame.metric == "accuracy", ["unit", "value"]].round(4).to_string(index=False).split()[:4]
    ['unit', 'value', 'individual', '0.8333']
    """
    read = read_frame(votes, labels=labels, group=group, repeats=repeats, gold=gold, needs_gold=True)
    return AnswerScores(performance=answer_types.score_answers(read.answers), notes=read.notes)


def _explain_same(score: Score) -> str:
    """Why both intervals are the same; empty where they are not."""
    own, fresh = (score.item_only_low, score.item_only_high), (score.ci_low, score.ci_high)
    return SAME_INTERVALS if own == fresh != (None, None) else ""
