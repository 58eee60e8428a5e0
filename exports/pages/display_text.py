"""Names and numbers as pages show them: readable names of units, metrics and coefficients; percents and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aggregation.performance import Score

UNIT_NAMES: Mapping[str, str] = MappingProxyType(
    {"individual": "Single answers", "majority": "Majority", "dawid_skene": "Dawid–Skene"}
)
METHOD_NAMES: Mapping[str, str] = MappingProxyType(
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
        "closest": "the text nearest to all",
    }
)
METRIC_NAMES: Mapping[str, str] = MappingProxyType(
    {"accuracy": "Accuracy", "macro_f1": "Macro F1", "weighted_f1": "Weighted F1", "mcc": "MCC"}
)
OTHER_METRIC_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "exact_match": "Exact match",
        "f1a": "F1 over all boxes (F1a)",
        "f1m": "Mean F1 of items (F1m)",
        "f1m_of_averages": "F1 of mean precision and recall (F1m of Russian SuperGLUE)",
        "f1": "F1 of words",
        "f1_char": "F1 of characters",
        "wer": "Word error rate",
        "cer": "Character error rate",
        "chrf": "chrF",
    }
)
COEFFICIENT_NAMES: Mapping[str, str] = MappingProxyType(
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
        "cohen_kappa_pooled": "Cohen’s κ, pairs pooled",
        "gwet_ac1": "Gwet’s AC1",
        "gwet_ac2_linear": "Gwet’s AC2, linear",
        "gwet_ac2_quadratic": "Gwet’s AC2, quadratic",
        "exact_sets": "Equal sets of boxes",
        "krippendorff_alpha_jaccard": "α of sets, Jaccard",
        "krippendorff_alpha_masi": "α of sets, MASI",
        "exact_match": "Equal texts",
        "plurality_share": "Share of the plurality",
        "mean_cer": "Mean CER",
        "mean_chrf": "Mean chrF",
        "span_f1_exact": "F1 of exact spans",
        "span_f1_token": "F1 of marked words",
        "span_f1_char": "F1 of marked characters",
        "span_majority": "Spans of a majority",
    }
)
COEFFICIENT_MEANINGS: Mapping[str, str] = MappingProxyType(
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
        "cohen_kappa_pooled": "beyond chance, two people at a time",
        "gwet_ac1": "beyond chance that a rare label does not distort",
        "gwet_ac2_linear": "as AC1, by distance",
        "gwet_ac2_quadratic": "as AC1, by squared distance",
        "exact_sets": "pairs of answers with the very same boxes",
        "krippendorff_alpha_jaccard": "as α, by the share of boxes in common",
        "krippendorff_alpha_masi": "as α, a set within another being nearer",
        "exact_match": "pairs of texts equal as compared",
        "plurality_share": "answers that say the most frequent text",
        "mean_cer": "characters apart, two texts at a time; 0 is equal",
        "mean_chrf": "stretches of characters in common; 100 % is equal",
        "span_f1_exact": "pairs of people, spans with the same ends",
        "span_f1_token": "pairs of people, words that spans touch",
        "span_f1_char": "pairs of people, characters of spans",
        "span_majority": "items where over half mark one span",
    }
)  # no longer than these, to fit above a panel on a phone
TIE_RULE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "first": "the tied label that came first among the answers is taken",
        "alphabetical": "the first tied label by alphabet is taken",
        "random": "one of the tied labels is drawn at random",
        "shared": "the label is left open, shared by the tied ones",
        "drop": "the label is left open",
    }
)
MAIN_COEFFICIENTS = ("krippendorff_alpha_nominal", "percent_agreement_chance_corrected_per_item")
HEADLINE_COEFFICIENTS = (*MAIN_COEFFICIENTS, "krippendorff_alpha_masi", "exact_sets", "span_f1_token", "exact_match")
PLOTTED_COEFFICIENTS = (
    "percent_agreement",
    "percent_agreement_chance_corrected_per_item",
    "all_agree",
    "strict_majority",
    "unique_plurality",
    "krippendorff_alpha_nominal",
    "exact_sets",
    "krippendorff_alpha_masi",
    "exact_match",
    "span_f1_token",
)
NUMBER_COEFFICIENTS = (
    *MAIN_COEFFICIENTS,
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "fleiss_kappa",
    "cohen_kappa_pooled",
    "gwet_ac1",
    "gwet_ac2_linear",
    "gwet_ac2_quadratic",
    "krippendorff_alpha_jaccard",
    "krippendorff_alpha_masi",
    "mean_cer",
)
"""The coefficients that are written as numbers: chance-corrected ones and error rates. All others are percents."""
FAR_FROM_PRIMARY = "Further from the score above than half its interval is wide."
EXACT_SCORING = "Right is what equals a right answer: all boxes, all parts of a text, or the text as it is compared."
NORMALISATION_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "words": "words and numbers count, not case, blanks and punctuation; a number keeps its minus and decimal mark",
        "exact": "every sign counts, blanks alone do not",
        "number": "numbers by their value (3,50 is 3.5), anything that is no number as words",
    }
)
NO_ANSWERS = "No number: nobody’s answer counts yet."
NO_COMPARISON = "No number: no answer can be held against gold or against another one."
OPTIONS_DIFFER = "Options differ from item to item, so coefficients and methods that need shared classes are refused."
POSITIONS = "Classes are positions: the options differ from item to item, and their places are counted as labels."
NO_VALUE = "–"
MINUS = "−"


def format_percent(share: float | None) -> str:
    """Format a share as 95.7 %."""
    return NO_VALUE if share is None else f"{100 * share:.1f} %"


def format_percent_interval(low: float | None, high: float | None) -> str:
    """Format the ends of an interval of shares as 93.1–97.5 %."""
    return NO_VALUE if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f} %"


def format_coefficient(name: str, value: float | None) -> str:
    """Format a coefficient: as a number if it is one of NUMBER_COEFFICIENTS, else in percent."""
    if name not in NUMBER_COEFFICIENTS:
        return format_percent(value)
    return format_number(value)


def format_coefficient_interval(name: str, low: float | None, high: float | None) -> str:
    """Format the interval of a coefficient, as `format_coefficient` does its value."""
    if name not in NUMBER_COEFFICIENTS:
        return format_percent_interval(low, high)
    return format_number_interval(low, high)


def format_number(value: float | None) -> str:
    """Format a number between -1 and 1 as 0.86."""
    return NO_VALUE if value is None else f"{value:.2f}".replace("-", MINUS)


def format_number_interval(low: float | None, high: float | None) -> str:
    """Format an interval of such numbers as 0.61 to 0.94; with "to", because an end can be negative."""
    return NO_VALUE if low is None or high is None else f"{format_number(low)} to {format_number(high)}"


def format_score(score: Score) -> str:
    """Format a score with its interval: shares in percent, MCC and error rates as numbers."""
    if score.metric not in ("mcc", "wer", "cer"):
        return f"{format_percent(score.value)} [{format_percent_interval(score.ci_low, score.ci_high)}]"
    return f"{format_number(score.value)} [{format_number_interval(score.ci_low, score.ci_high)}]"


def get_unit_name(unit: str) -> str:
    """The name of a unit of judgement; `majority of k` is that of k fresh people."""
    return UNIT_NAMES.get(unit) or f"{capitalize_first(unit)} fresh people"


def get_metric_name(metric: str) -> str:
    """The name of a metric of boxes, texts or spans; `f1 BOX` is the F1 of one box."""
    return OTHER_METRIC_NAMES.get(metric) or f"F1: {metric.removeprefix('f1 ')}"


def capitalize_first(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun: 1 item, 2 items."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def shorten_text(text: str, *, max_length: int) -> str:
    """The text, or its beginning and an ellipsis where it is longer than `max_length`."""
    return text if len(text) <= max_length else text[: max_length - 1].rstrip() + "…"
