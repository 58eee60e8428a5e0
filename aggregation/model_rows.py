"""The row of a difference of people and a model, and who is above whom in a family of rows that are tested together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from aggregation.consensus import name_majority
from aggregation.difference_tests import adjust_by_holm
from aggregation.scored_units import ScoredUnit

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class ModelDifference:
    """People's value of a metric less a model's, on the items of a `part` (a class, tag or stratum; `all` of them).

    `ci_low`, `ci_high`, `se` and `df` are for a fresh panel (new people and items), `item_only_low` and
    `item_only_high` for these people on new items. `p_value` tests whether the difference for a fresh panel is 0: of a
    share by `share_differences`, of other metrics by Student's t; `p_holm` is corrected for the models, or for the
    parts of one model, which are tested together. `detectable` is the least true difference that this design would have
    found with a power of 80 %, `item_only_detectable` the same for
    these people. `is_paired` is false for a published score. `above` is who is above the other by `p_holm`: `people`,
    `model`, or empty. `reason` says why a number is missing.

    People's value shares ties, or follows the rule that was asked for. `n_ties` counts the tied items of a majority;
    where there are any, `people_ties_wrong`, `difference_ties_wrong` and `p_ties_wrong` are those in which each tie is
    wrong, and somebody is `above` only where both differences show it. `fewest_votes` and `most_votes` are those of an
    item, for a majority.
    """

    model: str
    unit: ScoredUnit
    metric: str
    kind: str = ALL
    part: str = ALL
    people: float | None
    value: float | None
    difference: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    df: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    detectable: float | None = None
    item_only_detectable: float | None = None
    n_items: int
    n_people: int
    is_paired: bool = True
    above: str = ""
    reason: str = ""
    n_ties: int = 0
    people_ties_wrong: float | None = None
    difference_ties_wrong: float | None = None
    p_ties_wrong: float | None = None
    fewest_votes: int | None = None
    most_votes: int | None = None

    @property
    def unit_title(self) -> str:
        """The unit in words, a majority with its number of votes: `majority of 2–5`."""
        return "single answers" if self.unit == "individual" else name_majority(self.fewest_votes, self.most_votes)


def add_ties_wrong(row: ModelDifference, other: ModelDifference, *, n_ties: int) -> ModelDifference:
    """The row with the values of another one, in which ties are wrong."""
    return replace(
        row,
        n_ties=n_ties,
        people_ties_wrong=other.people,
        difference_ties_wrong=other.difference,
        p_ties_wrong=other.p_value,
    )


def correct_families(
    rows: Sequence[ModelDifference], family: Callable[[ModelDifference], Hashable], *, confidence_level: float
) -> list[ModelDifference]:
    """The rows with Holm's p and who is above, corrected within each family of rows that are tested together.

    Where there are ties, who is above must be so with shared ties and with ties wrong.
    """
    corrected = list(rows)
    places: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(family(row), []).append(place)
    for of_family in places.values():
        adjusted = adjust_by_holm([rows[place].p_value for place in of_family])
        wrong = adjust_by_holm([_get_ties_wrong(rows[place])[1] for place in of_family])
        for place, p, p_wrong in zip(of_family, adjusted, wrong, strict=True):
            above = _name_better(rows[place].difference, p, largest=1 - confidence_level)
            other = _name_better(_get_ties_wrong(rows[place])[0], p_wrong, largest=1 - confidence_level)
            corrected[place] = replace(rows[place], p_holm=p, above=above if above == other else "")
    return corrected


def _get_ties_wrong(row: ModelDifference) -> tuple[float | None, float | None]:
    """The difference and its p with ties wrong; its own where there are none."""
    return (row.difference_ties_wrong, row.p_ties_wrong) if row.n_ties else (row.difference, row.p_value)


def _name_better(difference: float | None, p: float | None, *, largest: float) -> str:
    if p is None or p >= largest or not difference:
        return ""
    return "people" if difference > 0 else "model"
