"""Small votes written out in tests, and the real data sets that the known answers belong to."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from aggregation import schema

Row = tuple[str, str, str]
KEYS = {
    "PARus": ("INPUT:premise", "INPUT:sent1", "INPUT:sent2", "INPUT:question"),
    "RWSD": ("INPUT:text", "INPUT:span1"),
    "RCB": ("premise", "hypothesis"),
}
FOLDERS = {
    "d_jn-product": "crowd_truth_inference",
    "s5_AdultContent": "crowd_truth_inference",
    "dog": "SpectralMethodsMeetEM",
    "rte": "SpectralMethodsMeetEM",
    "CF": "active-crowd-toolkit",
    "SP_amt": "active-crowd-toolkit",
}


def build(
    rows: Sequence[Row],
    *,
    classes: Sequence[str] | None = None,
    gold: Mapping[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
    n_options: int | Mapping[str, int] = 2,
    positions: bool = False,
    level: schema.MeasurementLevel = "nominal",
) -> schema.Votes:
    """Votes of (item, annotator, answer) rows; items are those of the rows and of `gold`, each its own group."""
    ids = sorted({row[0] for row in rows} | set(gold or {}))
    sizes = {item: n_options if isinstance(n_options, int) else n_options[item] for item in ids}
    items = pd.DataFrame(
        {
            "group": [(groups or {}).get(item, item) for item in ids],
            "gold": pd.Series([(gold or {}).get(item) for item in ids], dtype=object),
            "n_options": [sizes[item] for item in ids],
        },
    ).set_axis(pd.Index(ids, dtype=object), axis=0)
    frame = pd.DataFrame(list(rows), columns=list(schema.VOTE_COLUMNS), dtype=object)
    return schema.check_votes(
        frame, items=items, classes=classes, classes_are_positions=positions, measurement_level=level
    )


@pytest.fixture(scope="session")
def votes_of() -> Callable[..., schema.Votes]:
    return build


@pytest.fixture(scope="session")
def shared() -> Path:
    if "HROMADA_SHARED" not in os.environ:
        pytest.skip("HROMADA_SHARED names no folder with the real data")
    return Path(os.environ["HROMADA_SHARED"])


@pytest.fixture(scope="session")
def known(shared: Path) -> dict[str, Any]:
    """The figures computed elsewhere, by name."""
    figures: dict[str, Any] = json.loads((shared / "reference" / "known-answers.json").read_text(encoding="utf-8"))
    return figures


@pytest.fixture(scope="session")
def krippendorffs(known: dict[str, Any]) -> Callable[..., schema.Votes]:
    """Krippendorff's "C data" at a level of measurement: four observers, twelve units, classes 1 to 5, gaps."""

    def at(level: schema.MeasurementLevel) -> schema.Votes:
        rows = [
            (f"i{item:02}", f"r{rater}", str(answer))
            for rater, answers in enumerate(known["C_data (4 raters x 12 items, classes 1-5)"])
            for item, answer in enumerate(answers)
            if answer is not None
        ]
        return build(rows, classes="12345", level=level)

    return at


@pytest.fixture(scope="session")
def real(shared: Path) -> Callable[..., schema.Votes]:
    """A real data set by name; `clean` strips digits glued to labels, `first` keeps a person's first row on an item."""

    @cache
    def load(name: str, *, clean: bool = False, first: bool = False) -> schema.Votes:
        data = shared / "data"
        gold: dict[str, str] = {}
        if name in KEYS:
            rows = _assignments(data / "rsg-humanbenchmark" / name / f"assign_{name}.tsv", keys=KEYS[name])
        elif name == "patients":
            rows = _rows(data / "dawid-skene-1979" / "patients45.csv", "task")
        else:
            folder = data / "truth-inference" / FOLDERS[name] / name
            rows = _rows(folder / "label.csv", "item")
            gold = {row["item"]: row["truth"] for row in _table(folder / "truth.csv")}
        if name == "PARus":
            truth = _table(data / "rsg-humanbenchmark" / "PARus" / "gold_PARus.csv")
            gold = {_key(row[key.removeprefix("INPUT:")] for key in KEYS["PARus"]): row["gold"] for row in truth}
        if clean:
            rows = [(item, annotator, re.sub(r"\d+$", "", answer)) for item, annotator, answer in rows]
        if first:
            rows = list({row[:2]: row for row in reversed(rows)}.values())[::-1]
        classes = sorted({row[2] for row in rows})
        return build(rows, classes=classes, gold=gold, n_options=len(classes))

    return load


def _table(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def _rows(path: Path, item: str) -> list[Row]:
    return [(row[item], row["worker"], row["label"]) for row in _table(path)]


def _assignments(path: Path, *, keys: Sequence[str]) -> list[Row]:
    rows = []
    for row in _table(path, ";"):
        answer = row.get("OUTPUT:variant") or row.get("OUTPUT:result") or row["result"]
        annotator = row.get("ASSIGNMENT:worker_id") or row["worker_id"]
        rows.append((_key(row[key] for key in keys), annotator, answer))
    return rows


def _key(parts: Any) -> str:
    return "\t".join(parts)
