"""Intervals of metrics that are no share where few items have a wrong answer, or few a right one.

What a few wrong answers say of a metric such as F1 hangs on the classes they happened to fall on, and no wrong answer
says nothing of it. So its ends are then those of the share of right answers as well, carried through the worst and the
best split of errors over classes, and cover no less often than those of the share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aggregation.intervals.shares import Interval
from aggregation.schema import Codes, Floats

FEW_ERRORS = 5
"""With fewer items (groups of them) with a wrong answer, or with a right one, ends are those of the share as well."""
STEPS = 8  # in which errors are dealt to classes
MOST_CLASSES = 6  # that errors are dealt to at a time: the rarest, and the most frequent one; of others as many steps
TINY = 1e-9

End = Literal["least", "most"]
Few = Literal["few-wrong", "few-right", "none-varies"]
"""Why an interval is carried from that of the share: few items have an error, few a right answer, or none varies."""
Carry = Callable[[Interval, End], float]
"""The least or the largest value that a metric can have with a share of right answers in an interval."""


def name_few(shares: Floats) -> Few:
    """Whether few of the shares of right answers, one a group of items, are below 1, or few above 0."""
    if int((shares < 1 - TINY).sum()) < FEW_ERRORS:
        return "few-wrong"
    return "few-right" if int((shares > TINY).sum()) < FEW_ERRORS else "none-varies"


def carry_interval(made: Interval, carry: Carry, *, value: float, share: Interval) -> Interval:
    """The interval of a metric (without ends, where there is no variance) widened to what that of the share allows.

    It holds the `value` of the metric; None where the share has none.
    """
    if share.low is None or share.high is None:
        return share
    lowest, highest = min(value, carry(share, "least")), max(value, carry(share, "most"))
    return Interval(
        low=lowest if made.low is None else min(lowest, made.low),
        high=highest if made.high is None else max(highest, made.high),
    )


def split_errors(compute: Callable[[Floats], Floats], gold: Floats, share: float, end: End) -> float:
    """The least or the largest value of a metric of label counts with this share of answers right.

    `gold` is the number of items of each class; `compute` takes rows of right, gold and answered numbers by class and
    their total. The value is the extreme one of many splits: errors are dealt to pairs of a gold class and another
    declared one (or none), a few at a time or all at once, each time where they change the metric most (least); and all
    go to one class, from the rarest or from the most frequent ones. Their test compares them with splits at random.
    """
    counts = _Counts(compute=compute, gold=np.asarray(gold, dtype=np.float64))
    errors = (1 - share) * float(gold.sum())
    sign = 1 if end == "least" else -1
    values = np.array([counts.deal(errors, steps=steps, sign=sign) for steps in (1, STEPS)] + counts.pour(errors))
    return sign * float(np.nanmin(sign * values))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Counts:
    """The gold numbers of classes, and a metric of label counts."""

    compute: Callable[[Floats], Floats]
    gold: Floats

    def score(self, right: Floats, answered: Floats) -> Floats:
        """The metric of rows of right and answered numbers."""
        n = len(right)
        return self.compute(np.hstack([right, np.tile(self.gold, (n, 1)), answered, np.full((n, 1), self.gold.sum())]))

    def deal(self, errors: float, *, steps: int, sign: int) -> float:
        """The metric with errors dealt where each portion makes it least (sign 1) or largest (-1)."""
        right, answered = self.gold.copy(), self.gold.copy()
        portion, left = errors / steps, errors
        while left > TINY * self.gold.sum():
            moves = self._list_moves(right)
            amounts = np.minimum(min(portion, left), right[moves[:, 0]])
            rows = np.arange(len(moves))
            rights, answers = np.tile(right, (len(moves), 1)), np.tile(answered, (len(moves), 1))
            rights[rows, moves[:, 0]] -= amounts
            answers[rows, moves[:, 0]] -= amounts
            answers[rows, moves[:, 1]] += amounts * (moves[:, 1] >= 0)
            values = np.nan_to_num(sign * self.score(rights, answers), nan=np.inf)
            best = int(np.argmin(values))
            right, answered, left = rights[best], answers[best], left - float(amounts[best])
        return float(self.score(right[None, :], answered[None, :])[0])

    def pour(self, errors: float) -> list[float]:
        """The metric with all errors to one class, from the others by their size, the rarest or the largest first."""
        targets = self._list_targets()
        kept = targets[self.gold[targets] > 0]
        rights, answers = [self.gold], [self.gold]
        for target in targets:
            sources = kept[kept != target]
            for order in (sources, sources[::-1]) if len(sources) else ():
                before = np.cumsum(self.gold[order]) - self.gold[order]
                moved = np.clip(errors - before, 0.0, self.gold[order])
                right, answered = self.gold.copy(), self.gold.copy()
                right[order] -= moved
                answered[order] -= moved
                rest = max(0.0, errors - float(moved.sum()))  # where the others are too few, the class errs as well
                right[target] -= rest
                answered[target] += moved.sum() - rest
                answered[order[0]] += rest
                rights.append(right)
                answers.append(answered)
        return self.score(np.array(rights[1:]), np.array(answers[1:])).tolist() if rights[1:] else []

    def _list_targets(self) -> Codes:
        """The classes that errors go to: some that are never gold, the rarest ones, and the most frequent one."""
        order = np.argsort(self.gold, kind="stable")
        kept = order[self.gold[order] > 0]
        never = order[self.gold[order] == 0][:STEPS]
        return np.concatenate([never, kept[: MOST_CLASSES - 1], kept[MOST_CLASSES - 1 :][-1:]])

    def _list_moves(self, right: Floats) -> Codes:
        """Pairs of a class that has right answers left and another gold class, or none (-1)."""
        sources = np.flatnonzero(right > TINY)
        sources = sources[np.argsort(self.gold[sources], kind="stable")]
        sources = np.append(sources[: MOST_CLASSES - 1], sources[MOST_CLASSES - 1 :][-1:])
        targets = [*self._list_targets(), -1]
        return np.array([(source, target) for source in sources for target in targets if source != target])
