"""Agreement from sums that an engine takes, with both intervals: the jackknife over annotators is one pass.

The columns and formulas are those of `agreement.vote_sums` and `agreement.coefficients`, and every item is a group of
its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add

import ibis
import ibis.expr.types as ir
import numpy as np
import pandas as pd

from aggregation.agreement.coefficients import (
    BASIS_DESCRIPTIONS,
    DESCRIPTIONS,
    FIRST_SHARE_COLUMN,
    REASON_NO_VARIATION,
    SHARE_NAMES,
    CoefficientName,
    build_alpha,
    build_gwet_coefficient,
    build_mean,
)
from aggregation.agreement.item_columns import Statistic, TwoWayVariance, differentiate, name_units
from aggregation.agreement.table import REASON_NO_PAIRS, AgreementTable, Coefficient, Definition, estimate_statistic
from aggregation.agreement.vote_sums import (
    FIRST_CLASS_COLUMN,
    FIRST_MEAN_COLUMN,
    ONE_COLUMN,
    PAIRS_COLUMN,
    VOTES_COLUMN,
)
from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.intervals.resampling import FEWEST_GROUPS
from aggregation.relations.em import N_VOTES, sum_by_item
from aggregation.relations.vote_relation import ITEM, PAIR, Step, VoteRelation, name_columns, tell_nobody
from aggregation.schema import Floats, MeasurementLevel

MOST_ORDERED_LABELS = 30
"""Above the nominal level every two labels have a column."""
PAIRED, GWET = "paired", "gwet"
"""The kinds of columns: of items with two votes or more, and of all items, as Gwet's chance rests on them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Layout:
    """Which numbers of an item are summed: those of `VoteSums.items` and `VoteSums.gwet_items`, by place."""

    n_labels: int
    class_pairs: list[tuple[int, int]]

    @property
    def widths(self) -> dict[str, int]:
        """How many columns each kind has."""
        pairs = FIRST_CLASS_COLUMN + self.n_labels + len(self.class_pairs)
        return {PAIRED: pairs, GWET: FIRST_SHARE_COLUMN + self.n_labels}

    def build(self, counts: Sequence[ir.Column]) -> dict[str, dict[int, ir.Column]]:
        """The columns of each kind from the votes for each label; those that are not there are 0."""
        n_votes = reduce(add, counts)
        is_paired = (n_votes >= 2).cast("float64")
        others, pairs = ibis.greatest(n_votes - 1, 1), ibis.greatest(n_votes * (n_votes - 1), 1)
        equal = reduce(add, [count * (count - 1) for count in counts])
        of_pairs = {
            ONE_COLUMN: is_paired,
            VOTES_COLUMN: is_paired * n_votes,
            PAIRS_COLUMN: equal / others,
            FIRST_MEAN_COLUMN: equal / pairs,
        }
        of_pairs |= {FIRST_CLASS_COLUMN + place: is_paired * count for place, count in enumerate(counts)}
        first_pair = FIRST_CLASS_COLUMN + self.n_labels
        of_pairs |= {
            first_pair + place: counts[one] * counts[two] / others for place, (one, two) in enumerate(self.class_pairs)
        }
        of_all = {0: is_paired, 1: equal / pairs, FIRST_SHARE_COLUMN - 1: (n_votes >= 1).cast("float64")}
        of_all |= {FIRST_SHARE_COLUMN + place: count / ibis.greatest(n_votes, 1) for place, count in enumerate(counts)}
        return {PAIRED: of_pairs, GWET: of_all}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Asked:
    """A coefficient, its formula, and which columns it is made of; without a formula it has the reason."""

    name: CoefficientName
    kind: str
    level: MeasurementLevel
    statistic: Statistic | None
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class RelationSums:
    """The sums over the items of an engine (`SummedItems`), with the variance of one coefficient of theirs."""

    sums: Floats
    counts: tuple[int, int, int]
    n_groups: int
    n_people: int | None
    variance: TwoWayVariance
    is_grouped: bool = False

    @property
    def resampled_units(self) -> str:
        """The number of items with their name."""
        return name_units(self.n_groups, is_grouped=self.is_grouped)

    def compute(self, statistic: Statistic) -> float:
        """A statistic of the sums."""
        return float(statistic(self.sums[None])[0])

    def estimate_variance(self, statistic: Statistic) -> TwoWayVariance:  # noqa: ARG002  # it was found in a pass for all
        """The variance of the one coefficient."""
        return self.variance


def measure_agreement(
    votes: VoteRelation,
    *,
    ordered: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    tell: Step = tell_nobody,
) -> AgreementTable:
    """Percent agreement, alpha and AC1 of all votes; ordinal alpha too if `ordered` has the labels in their order.

    Values and intervals equal those of `agreement.coefficients.compute_label_agreement` where every item is a group of
    its own. Raises HromadaError if `ordered` has other labels than the votes, or more than MOST_ORDERED_LABELS.
    """
    labels = _check_order(votes, ordered) if ordered is not None else votes.labels
    places = [votes.labels.index(label) for label in labels]
    layout = _Layout(n_labels=len(labels), class_pairs=[*combinations(range(len(labels)), 2)] if ordered else [])
    tell("votes of each item")
    of_items = sum_by_item(votes, votes.choose_labels()[:, places]).cache()
    try:
        sums, n_paired_votes = _sum_items(of_items, layout)
        n_paired = int(sums[PAIRED][ONE_COLUMN])
        asked = _list_asked(layout, n_paired=n_paired, is_ordered=bool(ordered))
        defined = [one for one in asked if one.statistic is not None]
        gradients = [differentiate(one.statistic, sums[one.kind]) for one in defined if one.statistic is not None]
        tell("variance over items")
        squares = _square_items(of_items, layout, defined, gradients)
        tell("without each annotator")
        losses = _leave_annotators_out(votes, of_items, places, layout, defined, gradients)
    finally:
        of_items.release()
    n_people = int((losses[f"{PAIRED}_cells"] > 0).sum())
    counts = {PAIRED: (n_paired, n_paired_votes, n_people), GWET: (votes.n_items, votes.n_votes, len(losses))}
    rows = []
    for one in asked:
        variance = TwoWayVariance(items=0.0, people=0.0, cells=0.0, items_df=0, people_df=0)
        if one.statistic is not None and n_paired >= 2:
            number = defined.index(one)
            n_groups = n_paired if one.kind == PAIRED else votes.n_items
            items = n_groups / (n_groups - 1) * float(squares[f"s{number}"] - squares[f"x{number}"] ** 2 / n_groups)
            variance = _add_people(one, sums[one.kind], losses, number, items=items, n_groups=n_groups, enough=n_people)
        items_of = RelationSums(
            sums=sums[one.kind],
            counts=counts[one.kind] if n_paired else (0, 0, 0),
            n_groups=votes.n_items if one.kind == GWET and n_paired >= FEWEST_GROUPS else n_paired,
            n_people=n_people,
            variance=variance,
        )
        rows.append(_estimate(one, items_of, confidence_level=confidence_level))
    return AgreementTable(rows=tuple(rows))


def _check_order(votes: VoteRelation, ordered: Sequence[str]) -> tuple[str, ...]:
    if len(ordered) > MOST_ORDERED_LABELS:
        raise HromadaError(
            f"There are {len(ordered)} ordered labels; {MOST_ORDERED_LABELS} are the most.",
            remedy="Measure agreement at the nominal level.",
        )
    unknown = sorted(set(votes.labels) - set(ordered))
    if unknown:
        raise HromadaError(f"The order has no label {unknown[0]!r}.", remedy="Name every label once, lowest first.")
    given = set(votes.labels)
    return tuple(label for label in dict.fromkeys(ordered) if label in given)


def _list_asked(layout: _Layout, *, n_paired: int, is_ordered: bool) -> list[_Asked]:
    """The coefficients in the order of their rows."""
    reason = "" if n_paired else REASON_NO_PAIRS
    first, second = np.array(layout.class_pairs, dtype=np.intp).reshape(-1, 2).T
    pairs, nothing = (first, second), np.zeros(0)  # neither level has values
    nominal = build_alpha(n_classes=layout.n_labels, class_pairs=pairs, measurement_level="nominal", values=nothing)
    found: list[tuple[CoefficientName, str, MeasurementLevel, Statistic, str]] = [
        ("percent_agreement", PAIRED, "nominal", build_mean(0), reason),
        ("krippendorff_alpha_nominal", PAIRED, "nominal", nominal, reason),
    ]
    if is_ordered:
        ordinal = build_alpha(n_classes=layout.n_labels, class_pairs=pairs, measurement_level="ordinal", values=nothing)
        found.append(("krippendorff_alpha_ordinal", PAIRED, "ordinal", ordinal, reason))
    one_label = Finding("one-label") if layout.n_labels < 2 else ""
    ac1 = build_gwet_coefficient(1, n_classes=max(2, layout.n_labels), total_weight=float(layout.n_labels))
    found.append(("gwet_ac1", GWET, "nominal", ac1, reason or one_label))
    return [
        _Asked(name=name, kind=kind, level=level, statistic=None if why else statistic, reason=why)
        for name, kind, level, statistic, why in found
    ]


def _estimate(one: _Asked, items: RelationSums, *, confidence_level: float) -> Coefficient:
    definition = Definition(
        name=one.name,
        how=f"{DESCRIPTIONS[one.name]}; {BASIS_DESCRIPTIONS['pooled']}",
        scale="share" if one.name in SHARE_NAMES else "correlation",
        level=one.level,
        reason_undefined=one.reason or REASON_NO_VARIATION,
    )
    return estimate_statistic(definition, one.statistic, items, confidence_level=confidence_level)


def _sum_items(of_items: ir.Table, layout: _Layout) -> tuple[dict[str, Floats], int]:
    """The sums of the columns of each kind, and the votes of items with two votes or more."""
    built = layout.build([of_items[name] for name in name_columns("s", layout.n_labels)])
    n_votes = of_items[N_VOTES]
    expressions = {f"{kind}_{place}": column.sum() for kind, of in built.items() for place, column in of.items()}
    expressions["n_votes"] = ibis.ifelse(n_votes >= 2, n_votes, 0).sum()
    found = of_items.agg(**expressions).execute().iloc[0]
    sums: dict[str, Floats] = {kind: np.zeros(width) for kind, width in layout.widths.items()}
    for kind, of in built.items():
        for place in of:
            sums[kind][place] = float(found[f"{kind}_{place}"])
    return sums, int(found["n_votes"])


def _add_up(columns: dict[int, ir.Column], gradient: Floats) -> ir.Column:
    """The change of a coefficient, as a linear function of the columns."""
    return reduce(add, [column * float(gradient[place]) for place, column in columns.items()])


def _square_items(
    of_items: ir.Table, layout: _Layout, defined: Sequence[_Asked], gradients: Sequence[Floats]
) -> pd.Series[float]:
    """For each coefficient the sums over items of what an item changes (x0, x1 …), and of its square (s0, s1 …)."""
    if not defined:
        return pd.Series(dtype=float)
    built = layout.build([of_items[name] for name in name_columns("s", layout.n_labels)])
    effects = {f"e{number}": _add_up(built[one.kind], gradients[number]) for number, one in enumerate(defined)}
    known = of_items.select(N_VOTES, **effects)
    sums: dict[str, ir.Scalar] = {}
    for number, one in enumerate(defined):
        effect = known[f"e{number}"] * _is_kept(one.kind, known[N_VOTES])
        sums |= {f"x{number}": effect.sum(), f"s{number}": (effect * effect).sum()}
    found: pd.Series[float] = known.agg(**sums).execute().iloc[0]
    return found


def _is_kept(kind: str, n_votes: ir.Column) -> ir.Column:
    """1.0 for an item whose columns count, else 0.0."""
    return (n_votes >= (2 if kind == PAIRED else 1)).cast("float64")


def _leave_annotators_out(
    votes: VoteRelation,
    of_items: ir.Table,
    places: Sequence[int],
    layout: _Layout,
    defined: Sequence[_Asked],
    gradients: Sequence[Floats],
) -> pd.DataFrame:
    """What the sums lose without each annotator: a row each, with sums over the items that the annotator answered.

    The columns are `KIND_PLACE`, `KIND_cells` (how many items), and by coefficient `e0` and `s0`, what the loss of an
    item changes and its square.
    """
    facts = {"annotator": votes.annotator, "label": np.argsort(places)[votes.label]}
    pairs = ibis.memtable(pd.DataFrame({PAIR: np.arange(len(votes.annotator), dtype=np.int32)} | facts))
    names, own_names = name_columns("s", layout.n_labels), name_columns("o", layout.n_labels)
    named = votes.coded.join(pairs, PAIR)
    given = {own: ibis.ifelse(named["label"] == place, 1, 0).sum() for place, own in enumerate(own_names)}
    cells = named.group_by([ITEM, "annotator"]).agg(**given).join(of_items, ITEM)
    whole = layout.build([cells[name] for name in names])
    rest = layout.build([cells[name] - cells[own] for name, own in zip(names, own_names, strict=True)])
    lost = {
        f"{kind}_{place}": (column - rest[kind][place]) * _is_kept(kind, cells[N_VOTES])
        for kind, of in whole.items()
        for place, column in of.items()
    }
    lost |= {f"{kind}_cells": _is_kept(kind, cells[N_VOTES]) for kind in whole}
    losses = cells.select("annotator", **lost)
    effects = {
        f"e{number}": _add_up({place: losses[f"{one.kind}_{place}"] for place in whole[one.kind]}, gradients[number])
        for number, one in enumerate(defined)
    }
    known = losses.mutate(**effects) if effects else losses
    sums = {name: known[name].sum() for name in [*lost, *effects]}
    sums |= {f"s{number}": (known[f"e{number}"] * known[f"e{number}"]).sum() for number in range(len(defined))}
    found: pd.DataFrame = known.group_by("annotator").agg(**sums).execute()
    return found.sort_values("annotator", ignore_index=True)


def _add_people(
    one: _Asked, sums: Floats, losses: pd.DataFrame, number: int, *, items: float, n_groups: int, enough: int
) -> TwoWayVariance:
    """The variance over items with that of people (see `ItemColumns.estimate_variance`), where they are enough."""
    people = cells = 0.0
    kept = losses.loc[losses[f"{one.kind}_cells"] > 0]
    n_people = len(kept) if enough >= FEWEST_PEOPLE else 0
    if n_people and one.statistic is not None:
        lost = np.zeros((n_people, len(sums)))
        for name in kept.columns:
            kind, _, place = str(name).partition("_")
            if kind == one.kind and place.isdigit():
                lost[:, int(place)] = kept[name]
        without = one.statistic(sums - lost)
        n_cells, effects = kept[f"{one.kind}_cells"].to_numpy(dtype=float), kept[f"e{number}"].to_numpy(dtype=float)
        mean = effects.sum() / n_cells.sum()
        of_people = without - without.mean()
        if np.isnan(of_people).any():
            of_people = effects - n_cells * mean
        factor = (n_people - 1) / n_people
        people = factor * float((of_people**2).sum())
        cells = factor * float(kept[f"s{number}"].sum() - n_cells.sum() * mean**2)
    return TwoWayVariance(items=items, people=people, cells=cells, items_df=n_groups - 1, people_df=n_people - 1)


def compute_agreement_with_others(votes: VoteRelation) -> pd.DataFrame:
    """How often each annotator says what most others say: a row each, index annotator sorted.

    Columns: n_votes, n (votes on items that others answered too) and majority, as in
    `agreement.people.compute_agreement_with_others`: a vote for one of t answers that tie counts 1/t, and without
    others' votes it is nan.
    """
    names, own_names = name_columns("s", len(votes.labels)), name_columns("o", len(votes.labels))
    facts = {"annotator": votes.annotator, "label": votes.label}
    pairs = ibis.memtable(pd.DataFrame({PAIR: np.arange(len(votes.annotator), dtype=np.int32)} | facts))
    named = votes.coded.join(pairs, PAIR)
    given = {own: ibis.ifelse(named["label"] == place, 1, 0).sum() for place, own in enumerate(own_names)}
    of_items = sum_by_item(votes, votes.choose_labels()).cache()
    try:
        cells = named.group_by([ITEM, "annotator"]).agg(**given).join(of_items, ITEM)
        rests = [cells[name] - cells[own] for name, own in zip(names, own_names, strict=True)]
        known = cells.select("annotator", *own_names, **{f"r{place}": rest for place, rest in enumerate(rests)})
        columns = [known[f"r{place}"] for place in range(len(rests))]
        topped = known.mutate(top=_find_top(columns), own=reduce(add, [known[own] for own in own_names]))
        is_top = [(topped[f"r{place}"] == topped["top"]).cast("float64") for place in range(len(rests))]
        matched = reduce(add, [topped[own] * top for own, top in zip(own_names, is_top, strict=True)])
        has_others = topped["top"] > 0
        scored = topped.select(
            "annotator",
            "own",
            compared=ibis.ifelse(has_others, topped["own"], 0),
            matched=ibis.ifelse(has_others, matched / reduce(add, is_top), 0.0),
        )
        sums = scored.group_by("annotator").agg(
            n_votes=scored["own"].sum(), n=scored["compared"].sum(), matched=scored["matched"].sum()
        )
        table = sums.execute().sort_values("annotator")
    finally:
        of_items.release()
    index = pd.Index(votes.annotators[table["annotator"]], name="annotator")
    n, total = table["n"].to_numpy(dtype=float), table["matched"].to_numpy(dtype=float)
    share = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    return pd.DataFrame(
        {"n_votes": table["n_votes"].to_numpy(dtype=int), "n": n.astype(int), "majority": share}, index=index
    )


def _find_top(columns: Iterable[ir.Column]) -> ir.Column:
    listed = [*columns]
    return ibis.greatest(*listed) if len(listed) > 1 else listed[0]
