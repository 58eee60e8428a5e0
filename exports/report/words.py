"""The report's words for names that the numbers have, and numbers as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aggregation.performance import Score

UNITS: Mapping[str, str] = MappingProxyType(
    {"individual": "Single answers", "majority": "Majority", "dawid_skene": "Dawid–Skene"}
)
METHODS: Mapping[str, str] = MappingProxyType(
    {
        "majority": "majority",
        "gold_majority": "majority weighed by gold",
        "wawa": "Wawa",
        "dawid_skene": "Dawid–Skene",
        "one_coin_dawid_skene": "one-coin Dawid–Skene",
        "glad": "GLAD",
        "one_coin": "one-coin posterior",
        "skills": "aggregation by skill",
        "rover": "ROVER",
    }
)
METRICS: Mapping[str, str] = MappingProxyType(
    {"accuracy": "Accuracy", "macro_f1": "Macro F1", "weighted_f1": "Weighted F1", "mcc": "MCC"}
)
COEFFICIENTS: Mapping[str, str] = MappingProxyType(
    {
        "percent_agreement": "Equal pairs",
        "percent_agreement_chance_corrected_per_item": "Equal pairs beyond chance",
        "all_agree": "All agree",
        "strict_majority": "Strict majority",
        "unique_plurality": "Unique plurality",
        "krippendorff_alpha_nominal": "Krippendorff’s α",
        "krippendorff_alpha_ordinal": "Krippendorff’s α, ordinal",
        "krippendorff_alpha_interval": "Krippendorff’s α, interval",
        "krippendorff_alpha_ratio": "Krippendorff’s α, ratio",
        "fleiss_kappa": "Fleiss’s κ",
        "cohen_kappa_mean": "Cohen’s κ, mean of pairs",
        "gwet_ac1": "Gwet’s AC1",
        "gwet_ac2_linear": "Gwet’s AC2, linear",
        "gwet_ac2_quadratic": "Gwet’s AC2, quadratic",
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
        "krippendorff_alpha_ordinal": "as α, a miss by one rank weighing less",
        "krippendorff_alpha_interval": "as α, by squared distance",
        "krippendorff_alpha_ratio": "as α, by squared relative distance",
        "fleiss_kappa": "as α, for equal numbers of answers",
        "cohen_kappa_mean": "beyond chance, two people at a time",
        "gwet_ac1": "beyond chance that a rare label does not distort",
        "gwet_ac2_linear": "as AC1, by distance",
        "gwet_ac2_quadratic": "as AC1, by squared distance",
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
HEADLINES = ("krippendorff_alpha_nominal", "percent_agreement_chance_corrected_per_item")
PLOTTED = tuple(COEFFICIENTS)[:6]
CORRECTED = (*HEADLINES, *tuple(COEFFICIENTS)[6:])
FAR = "Further from the score above than half its interval is wide."
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
    return number(value)


def coefficients(name: str, low: float | None, high: float | None) -> str:
    """An interval of a coefficient."""
    if name not in CORRECTED:
        return percents(low, high)
    return numbers(low, high)


def number(value: float | None) -> str:
    """A number between -1 and 1 as 0.86."""
    return NONE if value is None else f"{value:.2f}".replace("-", MINUS)


def numbers(low: float | None, high: float | None) -> str:
    """An interval of such numbers; `to`, because an end can be negative."""
    return NONE if low is None or high is None else f"{number(low)} to {number(high)}"


def metric(score: Score) -> str:
    """A score with its interval: shares in percent, MCC as a number."""
    if score.metric != "mcc":
        return f"{percent(score.value)} [{percents(score.low, score.high)}]"
    return f"{number(score.value)} [{numbers(score.low, score.high)}]"


def capital(text: str) -> str:
    """The text with a capital letter."""
    return text[:1].upper() + text[1:]


def counted(number: int, noun: str) -> str:
    """1 item, 2 items."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shortened(text: str, *, letters: int) -> str:
    """The text, or its beginning with an ellipsis where it has more letters."""
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"
