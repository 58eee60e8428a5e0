"""People beside models: paired differences with two-way intervals, tests, and where a model is above people.

A model is scored as one more annotator, by the same code, on the items that it and people answered. Each difference is
people's value less the model's. In its variance an item enters as h_i - m_i, and people as in their own score: a model
says the same again, so that it adds nothing to theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.answers import Answers
from aggregation.comparison.difference_tests import McNemarTest, adjust_by_holm, compute_mcnemar
from aggregation.comparison.model_differences import (
    ModelDifference,
    ModelPair,
    PublishedScore,
    build_difference,
    compare_published,
    correct_families,
)
from aggregation.comparison.scored_units import ScoredUnit, ScoredUnits, sum_scored_units
from aggregation.consensus.consensus import SHARED, TieChoice
from aggregation.errors import HromadaError
from aggregation.intervals.paired_measures import fix_answers, join_measures
from aggregation.intervals.panel import Contributions
from aggregation.schema import Floats, find_different_rows

MODEL = "model"
"""The name under which a model is scored as an annotator."""
ITEM_COLUMNS = ("model", "item_id", "people", "majority", "model_right")


@dataclass(frozen=True, kw_only=True)
class ModelAnswers:
    """The answers of a model by item, as answers are stored; None where it gave none, which is wrong."""

    name: str
    answers: Mapping[str, str | None]


@dataclass(frozen=True, kw_only=True)
class ModelMcNemar:
    """McNemar's test of people's majority (first) and a model (second); Holm's p over the models."""

    model: str
    test: McNemarTest
    p_holm: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelComparison:
    """People beside models.

    `differences` are over all items, `parts` those of the primary metric by part of the items. `items` has the columns
    model, item_id, people (the share of right answers), majority (0 or 1, or a tie's share) and model_right (0 or 1).
    """

    differences: tuple[ModelDifference, ...]
    parts: tuple[ModelDifference, ...]
    mcnemar: tuple[ModelMcNemar, ...]
    items: pd.DataFrame
    primary: str
    confidence_level: float


def compare_models(
    answers: Answers,
    models: Sequence[ModelAnswers],
    *,
    skips: pd.DataFrame | None = None,
    published: Sequence[PublishedScore] = (),
    parts: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    confidence_level: float = 0.95,
    tie_choice: TieChoice = SHARED,
) -> ModelComparison:
    """Compare people with models, each on the items that it and people answered.

    `skips` (columns item, annotator) are wrong answers; `parts` has, by kind (class, tag, stratum) and part, its items.
    Ties of the majority are shared, or follow `tie_choice`, in McNemar's test as well.

    Raises HromadaError for nothing to compare, two models of one name, people without gold, and a model that answered
    none of the items. Where it was asked and no answer can be read it is wrong.
    """
    _check_names([*(model.name for model in models), *(model.name for model in published)])
    with_gold = answers.votes.items.index[answers.votes.items["gold"].notna()]
    asked = set(answers.votes.frame["item"]) | (set() if skips is None else set(skips["item"]))
    scored = set(with_gold) & asked
    sums = _PeopleSums(answers=answers, skips=skips, tie_choice=tie_choice)
    differences, of_parts, mcnemar, items = [], [], [], []
    for model in models:
        pair = _pair_model(sums, model, frozenset(scored & set(model.answers)))
        differences += list(_list_differences(pair, confidence_level))
        of_parts += list(_list_parts(pair, parts or {}, confidence_level))
        rows = _list_items(pair)
        items.append(rows)
        test = compute_mcnemar(
            *(rows[name].to_numpy(dtype=np.float64) for name in ("majority", "model_right")),
            n_ties=pair.people.majority.n_ties if tie_choice.ties == "shared" else 0,
        )
        mcnemar.append(ModelMcNemar(model=model.name, test=test, p_holm=1.0))
    if published:
        everybody = sums.sum_people(frozenset(scored))
        differences += [
            compare_published(everybody, unit, score, confidence_level)
            for score in published
            for unit in get_args(ScoredUnit)
        ]
    units = sums.cache.values()
    holm = adjust_by_holm([row.test.p_mid for row in mcnemar])
    return ModelComparison(
        differences=tuple(
            correct_families(differences, lambda row: (row.unit, row.metric), confidence_level=confidence_level)
        ),
        parts=tuple(correct_families(of_parts, lambda row: (row.model, row.unit), confidence_level=confidence_level)),
        mcnemar=tuple(replace(one, p_holm=p or 0.0) for one, p in zip(mcnemar, holm, strict=True)),
        items=pd.concat(items, ignore_index=True) if items else pd.DataFrame(columns=list(ITEM_COLUMNS)),
        primary=next(iter(units)).primary,
        confidence_level=confidence_level,
    )


def _check_names(names: Sequence[str]) -> None:
    if not names:
        raise HromadaError(
            "There is nothing to compare people with.", remedy="Name another project, results of a model, or a --score."
        )
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise HromadaError(f"Two models are called {repeated[0]!r}.", remedy="Give each file or folder its own name.")


@dataclass(frozen=True, kw_only=True, eq=False)
class _PeopleSums:
    """People's answers, and the sums of them on sets of items; models that answered the same items share these."""

    answers: Answers
    skips: pd.DataFrame | None
    tie_choice: TieChoice
    cache: dict[frozenset[str], ScoredUnits] = field(default_factory=dict)

    def sum_people(self, items: frozenset[str]) -> ScoredUnits:
        """People on these items."""
        if items not in self.cache:
            votes = self.answers.votes
            frame = votes.frame.loc[votes.frame["item"].isin(items)].reset_index(drop=True)
            due = None if self.skips is None else self.skips.loc[self.skips["item"].isin(items)]
            given = self.answers.with_votes(replace(votes, frame=frame))
            self.cache[items] = sum_scored_units(given, due, tie_choice=self.tie_choice)
        return self.cache[items]


def _pair_model(sums: _PeopleSums, model: ModelAnswers, items: frozenset[str]) -> ModelPair:
    answers = sums.answers
    said = {item: model.answers[item] for item in sorted(items)}
    if not items:
        raise HromadaError(
            f"{model.name} answered none of the items that people are scored on.",
            remedy="Look whether ids and stimulus hashes are those of the project.",
        )
    people = sums.sum_people(items)
    rows = pd.DataFrame({"item": list(said), "annotator": MODEL, "answer": list(said.values())}, dtype=object)
    is_given = rows["answer"].notna()
    votes = replace(answers.votes, frame=rows.loc[is_given].reset_index(drop=True))
    own = sum_scored_units(answers.with_votes(votes), rows.loc[~is_given, ["item", "annotator"]])
    fixed = fix_answers(own.measure("individual"))
    groups = people.scored.groups
    joined = {unit: join_measures(people.measure(unit), fixed, groups=groups)[0] for unit in get_args(ScoredUnit)}
    return ModelPair(name=model.name, people=people, model=own, joined=joined)


def _list_differences(pair: ModelPair, confidence_level: float) -> Iterator[ModelDifference]:
    for unit in pair.joined:
        for name in pair.people.metrics:
            yield build_difference(pair, unit, name, None, confidence_level)


def _list_parts(
    pair: ModelPair, parts: Mapping[str, Mapping[str, Sequence[str]]], confidence_level: float
) -> Iterator[ModelDifference]:
    """The differences of the primary metric on each part of the items that holds any of them."""
    ids = pd.Index(pair.people.scored.gold.index)
    for unit in pair.joined:
        for kind, by_part in parts.items():
            for part, items in by_part.items():
                kept: NDArray[np.bool_] = ids.isin(list(items))
                if kept.any():
                    row = build_difference(pair, unit, pair.people.primary, kept, confidence_level)
                    yield replace(row, kind=kind, part=part)


def _list_items(pair: ModelPair) -> pd.DataFrame:
    def grade(units: ScoredUnits, contributions: Contributions) -> Floats:
        different, place = find_different_rows(contributions.columns)
        return units.metrics[units.primary].compute(different)[place]

    return pd.DataFrame(
        {
            "model": pair.name,
            "item_id": pair.people.scored.gold.index,
            "people": grade(pair.people, pair.people.individual),
            "majority": grade(pair.people, pair.people.majority),
            "model_right": grade(pair.model, pair.model.individual),
        }
    )
