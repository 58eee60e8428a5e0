"""Filtering as a data set: which items were kept, and why the others were not."""

from __future__ import annotations

from collections.abc import Sequence

from exports import rows, writers
from exports.items.page import page
from exports.items.reasons import REASONS, filtered, told
from exports.items.verdicts import FILTERED
from exports.sheets import Sheets

__all__ = ["FILTERED", "REASONS", "files"]


def files(every: Sequence[Sheets], *, seed: int = 0) -> dict[str, str | bytes]:
    """items.csv, .jsonl, .parquet, .json, .html and removal_reasons.csv by name; nothing where nothing is filtered."""
    found = filtered(every, seed=seed)
    if not found:
        return {}
    reasons = [reason.row(one.sheets.data.name) for one in found for reason in one.reasons]
    return {
        **rows.files("items", [item.row(one.sheets.data.name) for one in found for item in one.items], FILTERED),
        "removal_reasons.csv": rows.csv(reasons, REASONS),
        "items.json": writers.json_text({one.sheets.data.name: told(one) for one in found}),
        "items.html": page(found, seed=seed),
    }
