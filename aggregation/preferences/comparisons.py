"""Comparisons of two systems on one item by one person, as every function of this room takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.errors import HromadaError
from aggregation.intervals.panel import Contributions
from aggregation.schema import Codes, Floats
from aggregation.sides import BOTH_BAD, SIDES, TIE

COLUMNS = ("item", "group", "annotator", "one", "two", "outcome", "both_bad", "left", "answer")
"""The columns of a frame of comparisons; only `one`, `two` and `outcome` are needed."""
WIN, HALF, LOSS = 1.0, 0.5, 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparisons:
    """Comparisons as codes, one place each in all arrays: `one` < `two` are places among `systems`, which are sorted.

    `outcome` is 1, ½ or 0 for `one`; `both_bad` marks ties whose texts were both called bad. `left` is 1 where `one`
    was shown first, 0 where another was, nan if nobody knows. `answers` numbers the answers: one to three texts or more
    makes several comparisons. Without items each comparison is one (`knows_items`); without people there is nobody
    (`knows_people`, no person has a code). `n_same` comparisons of a system with itself and `n_nameless` with a system
    that has no name were left out.
    """

    systems: tuple[str, ...]
    one: Codes
    two: Codes
    outcome: Floats
    both_bad: NDArray[np.bool_]
    left: Floats
    items: Codes
    groups: Codes
    people: Codes
    person_ids: NDArray[np.object_]
    answers: Codes
    knows_items: bool
    knows_people: bool
    n_same: int
    n_nameless: int

    def __len__(self) -> int:
        """The number of comparisons."""
        return len(self.outcome)

    @property
    def n_people(self) -> int:
        """The number of people, 0 if nobody knows who answered."""
        return len(self.person_ids)

    def keep(self, chosen: Codes | NDArray[np.bool_]) -> Comparisons:
        """The chosen comparisons, by their places or by a mark of each, with the same systems.

        Items, groups, people and answers are numbered anew.
        """
        people, kept = pd.factorize(self.people[chosen])
        return replace(
            self,
            **{name: getattr(self, name)[chosen] for name in ("one", "two", "outcome", "both_bad", "left")},
            **{name: pd.factorize(getattr(self, name)[chosen])[0] for name in ("items", "groups", "answers")},
            people=people if self.knows_people else self.people[chosen],
            person_ids=self.person_ids[kept] if self.knows_people else self.person_ids,
        )

    def sum_values(self, values: Floats) -> Contributions:
        """What each item adds to [Σ value, n], for the two-way variance of a mean over comparisons."""
        n_items = int(self.items.max(initial=-1)) + 1
        different, change = np.unique(values, return_inverse=True)
        groups = np.zeros(n_items, dtype=np.intp)
        groups[self.items] = self.groups
        n_people = self.n_people
        sums = [np.bincount(self.items, weights=weights, minlength=n_items) for weights in (values, np.ones(len(self)))]
        return Contributions(
            columns=np.column_stack(sums),
            groups=groups,
            n_groups=int(self.groups.max(initial=-1)) + 1,
            changes=np.column_stack([different, np.ones(len(different))]),
            change=change,
            items=self.items,
            people=self.people,
            n_people=n_people,
            people_factor=n_people / max(n_people - 1, 1),
            cell_factor=1.0,
            n_independent=len(self),
        )


def check_comparisons(frame: pd.DataFrame) -> Comparisons:
    """Check and code a frame of comparisons, one a row.

    `one` and `two` name systems, `outcome` is 1, ½ or 0 for `one`. `item`, its `group` (the item without one),
    `annotator`, `both_bad`, `left` (1 where `one` was shown first, 0 where not) and `answer` can be missing. Raises
    HromadaError for a missing column and for any other outcome.
    """
    missing = [name for name in ("one", "two", "outcome") if name not in frame.columns]
    if missing:
        raise HromadaError(f"The comparisons lack the column {missing[0]}.", remedy="They need one, two and outcome.")
    outcome = frame["outcome"].to_numpy(np.float64)
    wrong = ~np.isin(outcome, (WIN, HALF, LOSS))
    if wrong.any():
        raise HromadaError(f"Invalid outcome {outcome[wrong][0]:g}.", remedy="Write 1, 0.5 or 0 for the first system.")
    codes, names = pd.factorize(np.concatenate([_read_names(frame["one"]), _read_names(frame["two"])]), sort=True)
    one, two = np.split(codes, 2)
    nameless = (one < 0) | (two < 0)
    same = ~nameless & (one == two)
    kept = ~(nameless | same)
    is_swapped = one > two
    n = len(frame)
    items = _code(frame, "item", np.arange(n))
    people, person_ids = _code_people(frame, kept)
    systems, (one, two) = _keep_met(names, np.minimum(one, two)[kept], np.maximum(one, two)[kept])
    left = frame["left"].to_numpy(np.float64) if "left" in frame.columns else np.full(n, np.nan)
    bad = frame["both_bad"].to_numpy(bool) if "both_bad" in frame.columns else np.zeros(n, dtype=bool)
    return Comparisons(
        systems=systems,
        one=one,
        two=two,
        outcome=np.where(is_swapped, 1 - outcome, outcome)[kept],
        both_bad=(bad & (outcome == HALF))[kept],
        left=np.where(is_swapped, 1 - left, left)[kept],
        items=pd.factorize(items[kept])[0],
        groups=pd.factorize(_code(frame, "group", items)[kept])[0],
        people=people,
        person_ids=person_ids,
        answers=pd.factorize(_code(frame, "answer", np.arange(n))[kept])[0],
        knows_items="item" in frame.columns,
        knows_people="annotator" in frame.columns,
        n_same=int(same.sum()),
        n_nameless=int(nameless.sum()),
    )


def _read_names(column: pd.Series[str]) -> NDArray[np.object_]:
    """The names of systems, None for a blank one; a column has few different ones."""
    codes, names = pd.factorize(column)
    read = np.array([str(name).strip() or None for name in names] + [None], dtype=object)
    return np.asarray(read[codes])


def _keep_met(names: NDArray[np.object_], one: Codes, two: Codes) -> tuple[tuple[str, ...], tuple[Codes, Codes]]:
    """The systems of these comparisons alone, and their codes."""
    met = np.unique(np.concatenate([one, two]))
    return tuple(str(names[code]) for code in met), (np.searchsorted(met, one), np.searchsorted(met, two))


def _code(frame: pd.DataFrame, name: str, otherwise: Codes) -> Codes:
    """The codes of a column, in its order; a missing column, and an empty cell, have the code that is given."""
    if name not in frame.columns:
        return otherwise
    codes, names = pd.factorize(frame[name])
    return np.where(codes < 0, len(names) + otherwise, codes) if (codes < 0).any() else codes


def _code_people(frame: pd.DataFrame, kept: NDArray[np.bool_]) -> tuple[Codes, NDArray[np.object_]]:
    """The code of each person, sorted by name; the comparisons without a name are those of one more person."""
    if "annotator" not in frame.columns:
        return np.zeros(int(kept.sum()), dtype=np.intp), np.zeros(0, dtype=object)
    codes, names = pd.factorize(frame["annotator"].fillna("").astype(str)[kept], sort=True)
    return codes, np.asarray(names, dtype=object)


def expand_choices(choices: pd.DataFrame) -> pd.DataFrame:
    """A frame of comparisons (COLUMNS) from answers to the question which of two texts or more is the best.

    `choices` has one row per answer: item, group, annotator, answer (as it is stored: `first`, `tie`, …), systems (a
    tuple, one per side), and shown (a tuple of the sides from the left, or None). The chosen text beats each of the
    other ones, with no order among them; a tie is a half for each two of them. `answer` numbers the answers.
    """
    rows: list[tuple[object, ...]] = []
    columns = ("item", "group", "annotator", "answer", "systems", "shown")
    for number, (item, group, annotator, answer, systems, shown) in enumerate(
        choices[list(columns)].itertuples(index=False, name=None)
    ):
        ranks = {side: place for place, side in enumerate(shown)} if shown else {}
        for one, two in _list_pairs(str(answer), len(systems)):
            left = float(ranks[SIDES[one]] < ranks[SIDES[two]]) if ranks else np.nan
            outcome = HALF if answer in (TIE, BOTH_BAD) else WIN
            rows.append((item, group, annotator, systems[one], systems[two], outcome, answer == BOTH_BAD, left, number))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _list_pairs(answer: str, n_sides: int) -> list[tuple[int, int]]:
    """The pairs of sides that an answer compares, the chosen one first."""
    if answer in (TIE, BOTH_BAD):
        return list(combinations(range(n_sides), 2))
    chosen = SIDES.index(answer)
    return [(chosen, other) for other in range(n_sides) if other != chosen]
