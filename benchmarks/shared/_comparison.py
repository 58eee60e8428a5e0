"""How long it takes to compare ten models with people on 100,000 items."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
from _figures import Figure
from numpy.typing import NDArray

from aggregation.answers import Answers
from aggregation.comparison.people_and_models import ModelAnswers, compare_models
from aggregation.schema import Votes

ITEMS, PEOPLE, VOTES, MODELS = 100_000, 500, 3, 10
LABELS = np.array(["a", "b", "c"], dtype=object)
MOST_SECONDS = 20


def measure_comparison() -> Iterator[Figure]:
    """The seconds of comparing ten models, with the differences by class."""
    answers, models, parts = build_campaign()
    start = time.perf_counter()
    compared = compare_models(answers, models, parts=parts)
    seconds = time.perf_counter() - start
    assert len(compared.mcnemar) == MODELS
    yield Figure(
        "comparing 10 models on 100,000 items", seconds, "s", goal=f"< {MOST_SECONDS}", holds=seconds < MOST_SECONDS
    )


def build_campaign() -> tuple[Answers, list[ModelAnswers], dict[str, dict[str, list[str]]]]:
    """People of whom nine in ten answers are right, and models from .6 to .96, on three labels."""
    rng = np.random.default_rng(0)
    ids = np.array([f"i{number:06}" for number in range(ITEMS)], dtype=object)
    gold = rng.integers(len(LABELS), size=ITEMS)
    people = np.array([f"p{number:03}" for number in range(PEOPLE)], dtype=object)
    said = LABELS[draw_labels(rng, np.repeat(gold, VOTES), right=0.9)]
    who = people[rng.integers(PEOPLE, size=ITEMS * VOTES)]
    frame = pd.DataFrame({"item": np.repeat(ids, VOTES), "annotator": who, "answer": said}, dtype=object)
    items = pd.DataFrame({"group": ids, "gold": LABELS[gold], "n_options": 3}, index=pd.Index(ids, dtype=object))
    votes = Votes(frame=frame, items=items, classes=tuple(LABELS))
    models = [
        ModelAnswers(
            name=f"model {number}",
            answers=dict(zip(ids, LABELS[draw_labels(rng, gold, right=0.6 + 0.04 * number)], strict=True)),
        )
        for number in range(MODELS)
    ]
    parts = {"class": {str(label): ids[gold == place].tolist() for place, label in enumerate(LABELS)}}
    return Answers(kind="label", votes=votes), models, parts


def draw_labels(rng: np.random.Generator, gold: NDArray[np.int64], *, right: float) -> NDArray[np.int64]:
    """Labels that are gold with that chance, else one of the others."""
    is_wrong = rng.random(gold.shape) > right
    return (gold + is_wrong * rng.integers(1, len(LABELS), size=gold.shape)) % len(LABELS)
