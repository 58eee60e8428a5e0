"""Everything that comparisons say, from one frame of them: the pairs, the ranking, the sides, the cycles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from aggregation.preferences.comparisons import Comparisons, check_comparisons
from aggregation.preferences.places import Cycles, PreferenceRanking, find_cycles, rank_comparisons
from aggregation.preferences.positions import Consistency, SideShare, compute_consistency, measure_positions
from aggregation.preferences.strengths import Counts, count_outcomes
from aggregation.preferences.win_rates import PairResult, SystemShare, measure_pairs, measure_systems

REPEAT_COLUMNS = ("annotator", "first", "again", "swapped")


@dataclass(frozen=True, kw_only=True, eq=False)
class PreferenceResults:
    """The numbers of one frame of comparisons, each computed when it is first asked for.

    `repeats` has the columns REPEAT_COLUMNS: the two answers of a person to the same texts, and whether the sides were
    swapped. `n_sides` is how many texts an answer compares.
    """

    comparisons: Comparisons
    repeats: pd.DataFrame
    n_sides: int = 2
    confidence_level: float = 0.95

    @cached_property
    def counts(self) -> Counts:
        """Wins and ties of each two systems."""
        return count_outcomes(self.comparisons)

    @cached_property
    def pairs(self) -> tuple[PairResult, ...]:
        """The win rate of each pair."""
        return measure_pairs(self.comparisons, confidence_level=self.confidence_level)

    @cached_property
    def systems(self) -> tuple[SystemShare, ...]:
        """The mean win rate of each system, and its share of first choices among three texts or more."""
        return measure_systems(
            self.comparisons, self.pairs, n_sides=self.n_sides, confidence_level=self.confidence_level
        )

    @cached_property
    def bradley_terry(self) -> PreferenceRanking:
        """The ranking by strengths with ties as half wins."""
        return rank_comparisons(self.comparisons, confidence_level=self.confidence_level)

    @cached_property
    def davidson(self) -> PreferenceRanking:
        """The ranking by Davidson's model, in which ties have a parameter of their own."""
        return rank_comparisons(self.comparisons, model="davidson", confidence_level=self.confidence_level)

    @cached_property
    def positions(self) -> tuple[SideShare, ...]:
        """Who chose the text that was shown first, and how often."""
        return measure_positions(
            self.comparisons, self.repeats, n_sides=self.n_sides, confidence_level=self.confidence_level
        )

    @cached_property
    def consistency(self) -> Consistency:
        """How far people agree with themselves."""
        return compute_consistency(self.repeats, confidence_level=self.confidence_level)

    @cached_property
    def cycles(self) -> Cycles:
        """The winner of all majorities, and circles of them."""
        return find_cycles(self.counts, self.comparisons.systems)

    @property
    def has_all_pairs(self) -> bool:
        """Whether each two systems were compared."""
        n = len(self.comparisons.systems)
        return len(self.pairs) == n * (n - 1) // 2

    @property
    def ranks_all_answers(self) -> bool:
        """Whether choices among three texts or more were taken for wins over each other text."""
        return self.n_sides > 2


def measure_preferences(
    frame: pd.DataFrame,
    repeats: pd.DataFrame | None = None,
    *,
    n_sides: int = 2,
    confidence_level: float = 0.95,
) -> PreferenceResults:
    """The numbers of a frame of comparisons (`comparisons.COLUMNS`); raises HromadaError as `check_comparisons`."""
    return PreferenceResults(
        comparisons=check_comparisons(frame),
        repeats=pd.DataFrame(columns=list(REPEAT_COLUMNS)) if repeats is None else repeats,
        n_sides=n_sides,
        confidence_level=confidence_level,
    )
