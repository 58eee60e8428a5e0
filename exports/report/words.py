"""The report's words for names that the numbers have, and numbers as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

UNITS: Mapping[str, str] = MappingProxyType(
    {"individual": "Single answers", "majority": "Majority", "dawid_skene": "Dawid–Skene"}
)
METHODS: Mapping[str, str] = MappingProxyType({"majority": "majority", "dawid_skene": "Dawid–Skene"})
COEFFICIENTS: Mapping[str, str] = MappingProxyType(
    {
        "percent_agreement": "Equal pairs",
        "percent_agreement_chance_corrected_per_item": "Equal pairs beyond chance",
        "all_agree": "All agree",
        "strict_majority": "Strict majority",
        "unique_plurality": "Unique plurality",
        "krippendorff_alpha_nominal": "Krippendorff’s α",
    }
)
MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "percent_agreement": "share of equal pairs of answers to an item",
        "percent_agreement_chance_corrected_per_item": "0 is guessing among the item’s own options",
        "all_agree": "items on which everybody says the same",
        "strict_majority": "items where one answer has over half the votes",
        "unique_plurality": "items where one answer leads alone",
        "krippendorff_alpha_nominal": "1 is full agreement, 0 what chance would give",
    }
)  # no longer than this: a phone shows them above the panels
TIES: Mapping[str, str] = MappingProxyType(
    {
        "first": "the tied label that came first among the answers is taken",
        "alphabetical": "the first tied label by alphabet is taken",
        "random": "one of the tied labels is drawn at random",
        "shared": "the label is left open, shared by the tied ones",
        "drop": "the label is left open",
    }
)
CORRECTED = ("krippendorff_alpha_nominal", "percent_agreement_chance_corrected_per_item")
NONE = "–"
MINUS = "−"


def percent(share: float | None) -> str:
    """A share as 95.7 %."""
    return NONE if share is None else f"{100 * share:.1f} %"


def percents(low: float | None, high: float | None) -> str:
    """Two shares as 93.1–97.5 %."""
    return NONE if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f} %"


def coefficient(name: str, value: float | None) -> str:
    """Shares in percent, chance-corrected coefficients as numbers."""
    if name not in CORRECTED:
        return percent(value)
    return NONE if value is None else f"{value:.2f}".replace("-", MINUS)


def coefficients(name: str, low: float | None, high: float | None) -> str:
    """An interval of a coefficient; `to` where an end can be negative."""
    if name not in CORRECTED:
        return percents(low, high)
    return NONE if low is None or high is None else f"{coefficient(name, low)} to {coefficient(name, high)}"


def counted(number: int, noun: str) -> str:
    """1 item, 2 items."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shortened(text: str, *, letters: int) -> str:
    """The text, or its beginning with an ellipsis where it has more letters."""
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"
