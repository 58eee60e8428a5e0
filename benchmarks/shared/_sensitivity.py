"""A data set of 100,000 judgements with control items and times, for the grid of quality rules to be tried on."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
from _figures import Figure

from exports import sensitivity
from exports.inputs import INPUT_COLUMNS, ITEM_COLUMNS, DataSet

N_JUDGEMENTS, N_PEOPLE, OVERLAP, N_CONTROLS = 100_000, 300, 3, 20
ACCURACIES = tuple(number / 10 for number in range(10))
SECONDS = tuple(float(number) for number in range(10))
SEED, MOST_SECONDS = 20, 60
CLASSES = ("a", "b", "c")


def measure_sensitivity() -> Iterator[Figure]:
    """The seconds of a grid of 100 rules and the cuts of confidence over 100,000 judgements, the files included."""
    data = build_data_set(N_JUDGEMENTS, seed=SEED)
    started = time.perf_counter()
    settings = sensitivity.list_settings(data, accuracies=ACCURACIES, seconds=SECONDS)
    assert len(settings) == 100
    results = sensitivity.measure_settings(data, settings)
    cuts = sensitivity.measure_cuts(data, method="majority")
    sensitivity.build_sensitivity_files(data, results, cuts)
    seconds = time.perf_counter() - started
    title = "sensitivity grid of 100 rules over 100,000 judgements"
    yield Figure(title, seconds, "s", goal=f"< {MOST_SECONDS}", holds=seconds < MOST_SECONDS)


def build_data_set(n_judgements: int, *, seed: int) -> DataSet:
    """People whose skill varies from .4 to 1 answer items of three classes, and control items, in 0 to 20 seconds."""
    rng = np.random.default_rng(seed)
    n_items = n_judgements // OVERLAP
    skills = rng.uniform(0.4, 1.0, N_PEOPLE)
    gold = rng.integers(0, len(CLASSES), n_items)
    people = (np.arange(n_items)[:, None] * 7 + rng.integers(0, N_PEOPLE // OVERLAP, (n_items, 1)) * OVERLAP) % N_PEOPLE
    people = ((people + np.arange(OVERLAP)) % N_PEOPLE).ravel()
    items = np.repeat(np.arange(n_items), OVERLAP)
    controls = np.tile(np.arange(N_CONTROLS), N_PEOPLE)
    frames = [
        _build_answers(rng, [f"i{one}" for one in items], people, gold[items], skills, is_control=False),
        _build_answers(
            rng,
            [f"k{one}" for one in controls],
            np.repeat(np.arange(N_PEOPLE), N_CONTROLS),
            controls % len(CLASSES),
            skills,
            is_control=True,
        ),
    ]
    return DataSet(
        name="grid",
        title="grid",
        language="en",
        overlap=OVERLAP,
        classes=CLASSES,
        classes_are_positions=False,
        items=pd.DataFrame(
            {"item_id": [f"i{one}" for one in range(n_items)], "gold": [CLASSES[one] for one in gold]},
            columns=list(ITEM_COLUMNS),
            dtype=object,
        ).assign(group=[f"i{one}" for one in range(n_items)], n_options=len(CLASSES), gold_origin="construction"),
        responses=pd.concat(frames, ignore_index=True).astype(object).replace({np.nan: None}),
        control_gold={f"k{one}": CLASSES[one % len(CLASSES)] for one in range(N_CONTROLS)},
    )


def _build_answers(
    rng: np.random.Generator,
    items: list[str],
    people: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    gold: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    skills: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    *,
    is_control: bool,
) -> pd.DataFrame:
    n_answers = len(items)
    wrong = (gold + rng.integers(1, len(CLASSES), n_answers)) % len(CLASSES)
    answers = np.where(rng.random(n_answers) < skills[people], gold, wrong)
    kind = "control" if is_control else None
    return pd.DataFrame(
        {
            "item_id": items,
            "annotator": [f"p{one}" for one in people],
            "response": [CLASSES[one] for one in answers],
            "seconds": rng.uniform(0, 20, n_answers),
            "is_control": is_control,
            "excluded_kind": kind,
            "assignment_kind": kind,
        },
        columns=list(INPUT_COLUMNS),
    )
