"""The tables of equal votes are computed once for all lines: most lines differ in facts, not in votes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from exports import tables


@pytest.fixture(scope="module", autouse=True)
def _equal_votes_are_counted_once() -> Iterator[None]:
    computed: dict[bytes, tables.Release] = {}
    compute = tables.build_release

    def build_release(data_sets: Any, **options: Any) -> tables.Release:
        del options["progress"]
        key = pickle.dumps((data_sets, sorted(options.items())))
        if key not in computed:
            computed[key] = compute(data_sets, **options)
        return computed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "build_release", build_release)
        yield
