"""What is known of a judge, by which rules it is judged, and what is measured of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from aggregation.judges.alternative_annotator import EPSILON, JudgedPerson
from aggregation.judges.side_bias import NO_SWAPS, SwapCounts

MarginSource = Literal["start", "changed", "imported", "option"]
"""Where a margin comes from: the rules that were frozen before people answered, or else it is post hoc."""


@dataclass(frozen=True, kw_only=True)
class JudgeRules:
    """How judges are judged: ε of the alternative annotator test, and the margin of the equivalence test, if any.

    `has_random_sample` says that the items people answered are a random sample of those that judges score.
    """

    epsilon: float = EPSILON
    margin: float | None = None
    margin_source: MarginSource = "start"
    has_random_sample: bool = False
    confidence_level: float = 0.95


@dataclass(frozen=True, kw_only=True)
class JudgeAnswers:
    """What a judge answered, by item: `answers` to items with people's votes, `others` to items without.

    `swaps` counts the items that it was asked in both orders, `lengths` has the lengths of the compared texts, and
    `worths` what an answer is worth to the system `winner`, by item and answer, if two systems are compared.
    """

    name: str
    answers: Mapping[str, str]
    others: Mapping[str, str] = field(default_factory=dict)
    swaps: SwapCounts = NO_SWAPS
    lengths: Mapping[str, Sequence[int]] = field(default_factory=dict)
    winner: str = ""
    worths: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class JudgeScore:
    """One number of a judge, with its intervals for new people and items, and for these people and new items.

    `statistic` is `difference`, `judge_person`, `person_person`, `advantage_probability`, `winning_rate`,
    `alpha_people`, `alpha_with_judge`, `swap_consistency`, `length_slope` or `corrected_mean`, the last `of` a class, a
    system, or of points. `passes` is that of the equivalence test at `margin`, with `p_margin`, or of the alternative
    annotator test at `epsilon`. `post_hoc` says that the margin was not fixed before people answered.
    """

    judge: str
    statistic: str
    of: str = ""
    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    df: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    ci_method: str = ""
    n_items: int
    n_annotators: int
    n_answers: int
    warning: str = ""
    reason: str = ""
    epsilon: float | None = None
    margin: float | None = None
    p_margin: float | None = None
    passes: bool | None = None
    post_hoc: bool | None = None


@dataclass(frozen=True, kw_only=True)
class JudgeResult:
    """A judge: its scores, the people it was tested against, a verdict in one sentence, and what to know of them."""

    judge: str
    scores: tuple[JudgeScore, ...] = ()
    people: tuple[JudgedPerson, ...] = ()
    verdict: str
    notes: tuple[str, ...] = ()

    @property
    def by_statistic(self) -> Mapping[str, JudgeScore]:
        """The scores by their statistic; of corrected means the last."""
        return {score.statistic: score for score in self.scores}
