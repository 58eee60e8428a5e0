"""Values of controls that no question type has, in exports of projects that other people made in Label Studio."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

PATH_SEPARATOR = " / "
"""What is between the steps of a path in a taxonomy, as Label Studio shows it."""


def read_single(value: Any) -> list[str] | None:
    """Return a rating, a number, a side or a time as one text; None for what no control writes."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    is_whole = isinstance(value, float) and value.is_integer()
    return [str(int(value)) if is_whole else json.dumps(value)]


def read_taxonomy(value: Any) -> list[str] | None:
    """Return the paths that were chosen, each as one text."""
    if not isinstance(value, list):
        return None
    paths = [path if isinstance(path, list) else [path] for path in value]
    if not all(isinstance(step, str) for path in paths for step in path):
        return None
    return [PATH_SEPARATOR.join(path) for path in paths]


def read_ranking(value: Any) -> list[str] | None:
    """Return the ids in their order as JSON, or the lists by bucket where there are several."""
    if isinstance(value, Mapping) and len(value) == 1:
        value = next(iter(value.values()))
    return [json.dumps(value, ensure_ascii=False)] if isinstance(value, list | Mapping) else None


ValueReader = Callable[[Any], list[str] | None]

READERS: Mapping[str, ValueReader] = {
    "rating": read_single,
    "number": read_single,
    "selected": read_single,
    "datetime": read_single,
    "taxonomy": read_taxonomy,
    "ranker": read_ranking,
}
"""What reads the value of a region by its key."""
SEVERAL = frozenset({"taxonomy"})
"""The keys under which several texts are one answer."""
