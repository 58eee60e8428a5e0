"""How far the results depend on quality rules and on the cut of confidence: two tables and a page with pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from exports import writers
from exports.inputs import DataSet
from exports.pages.scaffold import build_pages
from exports.rounding import round_number
from exports.sensitivity.page import render_sensitivity
from exports.sensitivity.rule_grid import (
    CONTROL_ACCURACIES,
    CUTS,
    LEAST_SECONDS,
    CutResult,
    RuleSetting,
    SettingResult,
    list_settings,
    measure_cuts,
    measure_settings,
)

__all__ = [
    "CONTROL_ACCURACIES",
    "CUTS",
    "LEAST_SECONDS",
    "CutResult",
    "RuleSetting",
    "SettingResult",
    "build_sensitivity_files",
    "list_cut_rows",
    "list_setting_rows",
    "list_settings",
    "measure_cuts",
    "measure_settings",
]

SCORE_FIELDS = ("value", "ci_low", "ci_high", "item_only_low", "item_only_high")


def list_setting_rows(results: Sequence[SettingResult]) -> list[dict[str, Any]]:
    """The rows of sensitivity.csv, and of the JSON: a setting each; unknown values are None."""
    return [
        {
            "setting": result.name,
            "control_accuracy": None if result.setting is None else result.setting.accuracy,
            "seconds": None if result.setting is None else result.setting.seconds,
            "n_answers": result.n_answers,
            "n_people": result.n_people,
            "n_gold": result.n_gold,
            "n_items": result.n_items,
            **{
                (unit if field == "value" else f"{unit}_{field}"): None
                if score is None
                else round_number(getattr(score, field))
                for unit, score in (("single", result.single), ("majority", result.majority))
                for field in SCORE_FIELDS
            },
            "majority_ties_wrong": None if result.majority is None else round_number(result.majority.value_ties_wrong),
            "metric": None if result.single is None else result.single.metric,
            "agreement": round_number(result.agreement),
            "coefficient": result.agreement_name or None,
        }
        for result in results
    ]


def list_cut_rows(cuts: Sequence[CutResult]) -> list[dict[str, Any]]:
    """The rows of confidence_cut.csv, and of the JSON: a cut each, with a column `share_of_LABEL` a class."""
    return [
        {
            "cut": cut.cut,
            "n_kept": cut.n_kept,
            "n_items": cut.n_items,
            "kept": round_number(cut.kept),
            # a whole number, or with the decimals that shared ties add
            "n_right": int(cut.n_right) if cut.n_right == int(cut.n_right) else round_number(cut.n_right),
            "n_known": cut.n_known,
            "right": round_number(cut.right),
            "right_low": round_number(cut.right_low),
            "right_high": round_number(cut.right_high),
            "n_ties": cut.n_ties,
            "right_ties_wrong": round_number(cut.right_ties_wrong),
            **{f"share_of_{label}": round_number(share) for label, share in cut.balance.items()},
        }
        for cut in cuts
    ]


def build_sensitivity_files(
    data: DataSet, results: Sequence[SettingResult], cuts: Sequence[CutResult]
) -> dict[str, str | bytes]:
    """Build sensitivity.csv, confidence_cut.csv, and sensitivity.html in every language: file name → content."""
    tables = {"sensitivity.csv": list_setting_rows(results), "confidence_cut.csv": list_cut_rows(cuts)}
    return {
        **{name: writers.format_csv(pd.DataFrame(rows).astype(object)) for name, rows in tables.items()},
        **build_pages("sensitivity", lambda: render_sensitivity(data, results, cuts)),
    }
