"""Names and numbers as pages show them: readable names of units, metrics and coefficients; percents and intervals.

The names in the tables are English, and are translated where they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aggregation.scales import ICC_NAMES
from aggregation.scores.performance import Score, Unit
from exports.inputs import DataSet
from exports.pages.localization import localize_number, mark_count, mark_text, translate, translate_count

UNIT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "individual": mark_text("Single answers"),
        "majority": mark_text("Majority"),
        "dawid_skene": mark_text("Dawid–Skene"),
        "mean": mark_text("Means of items"),
        "median": mark_text("Medians of items"),
    }
)
METHOD_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "majority": mark_text("majority"),
        "gold_majority": mark_text("majority weighed by gold"),
        "wawa": mark_text("Wawa"),
        "dawid_skene": mark_text("Dawid–Skene"),
        "one_coin_dawid_skene": mark_text("one-coin Dawid–Skene"),
        "glad": mark_text("GLAD"),
        "one_coin": mark_text("one-coin posterior"),
        "skills": mark_text("aggregation by skill"),
        "rover": mark_text("ROVER"),
        "closest": mark_text("the text nearest to all"),
        "mean": mark_text("the mean"),
        "median": mark_text("the median"),
    }
)
METRIC_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": mark_text("Accuracy"),
        "macro_f1": mark_text("Macro F1"),
        "weighted_f1": mark_text("Weighted F1"),
        "mcc": mark_text("MCC"),
    }
)
POINT_METRIC_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "mae": mark_text("Mean absolute error"),
        "rmse": mark_text("Root mean squared error"),
        "bias": mark_text("Bias (people less gold)"),
        "pearson": mark_text("Pearson’s r"),
        "spearman": mark_text("Spearman’s ρ"),
        "kendall_tau_b": mark_text("Kendall’s τ-b"),
        "kappa_quadratic": mark_text("Quadratic κ"),
    }
)
"""Metrics of the points of a scale against gold points; all are numbers."""
OTHER_METRIC_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "exact_match": mark_text("Exact match"),
        "f1a": mark_text("F1 over all boxes (F1a)"),
        "f1m": mark_text("Mean F1 of items (F1m)"),
        "f1m_of_averages": mark_text("F1 of mean precision and recall (F1m of Russian SuperGLUE)"),
        "f1": mark_text("F1 of words"),
        "f1_char": mark_text("F1 of characters (place)"),
        "f1_class": mark_text("F1 of words (place and class)"),
        "f1_char_class": mark_text("F1 of characters (place and class)"),
        "wer": mark_text("Word error rate (mean of answers)"),
        "cer": mark_text("Character error rate (mean of answers)"),
        "wer_corpus": mark_text("Word error rate (all edits over all words)"),
        "cer_corpus": mark_text("Character error rate (all edits, all characters)"),
        "chrf": mark_text("chrF"),
    }
)
NUMBER_METRICS = ("mcc", "wer", "cer", "wer_corpus", "cer_corpus")
"""Metrics that are no shares: their values are shown as numbers."""
SPAN_METRIC_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "exact_match": mark_text("Exact match (place)"),
        "exact_match_class": mark_text("Exact match (place and class)"),
        "f1": mark_text("F1 of words (place)"),
    }
)
"""What metrics of marked parts count, where texts have a metric of the same name."""
COEFFICIENT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "percent_agreement": mark_text("Percent agreement"),
        "percent_agreement_chance_corrected_per_item": mark_text("Percent agreement, corrected for chance"),
        "all_agree": mark_text("Unanimous items"),
        "strict_majority": mark_text("Strict majority"),
        "unique_plurality": mark_text("Unique plurality"),
        "krippendorff_alpha_nominal": mark_text("Krippendorff’s α (nominal)"),
        "krippendorff_alpha_ordinal": mark_text("Krippendorff’s α (ordinal)"),
        "krippendorff_alpha_interval": mark_text("Krippendorff’s α (interval)"),
        "krippendorff_alpha_ratio": mark_text("Krippendorff’s α (ratio)"),
        "fleiss_kappa": mark_text("Fleiss’s κ"),
        "cohen_kappa_pooled": mark_text("Cohen’s κ, pairs pooled"),
        "gwet_ac1": mark_text("Gwet’s AC1"),
        "gwet_ac2_linear": mark_text("Gwet’s AC2, linear"),
        "gwet_ac2_quadratic": mark_text("Gwet’s AC2, quadratic"),
        "icc_a_1": mark_text("ICC(A,1), agreement of one person"),
        "icc_c_1": mark_text("ICC(C,1), consistency of one person"),
        "icc_a_k": mark_text("ICC(A,k), agreement of the mean"),
        "icc_c_k": mark_text("ICC(C,k), consistency of the mean"),
        "exact_sets": mark_text("Equal sets of boxes"),
        "krippendorff_alpha_jaccard": mark_text("α of sets, Jaccard"),
        "krippendorff_alpha_masi": mark_text("α of sets, MASI"),
        "exact_match": mark_text("Equal texts"),
        "plurality_share": mark_text("Share of the plurality"),
        "mean_cer": mark_text("Mean CER"),
        "mean_chrf": mark_text("Mean chrF"),
        "span_f1_exact_class": mark_text("F1 of exact spans (place, class)"),
        "span_f1_token_class": mark_text("F1 of words (place and class)"),
        "span_f1_char_class": mark_text("F1 of characters (place, class)"),
        "span_majority_class": mark_text("Majority spans (place, class)"),
        "span_f1_exact": mark_text("F1 of exact spans (place)"),
        "span_f1_token": mark_text("F1 of marked words (place)"),
        "span_f1_char": mark_text("F1 of characters (place)"),
        "span_majority": mark_text("Spans of a majority (place)"),
    }
)
COEFFICIENT_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "percent_agreement": mark_text("share of pairs of answers to an item that are equal"),
        "percent_agreement_chance_corrected_per_item": mark_text("1 is all pairs equal, 0 is guessing an option"),
        "all_agree": mark_text("items on which all answers are equal"),
        "strict_majority": mark_text("items where one answer has over half the votes"),
        "unique_plurality": mark_text("items with a single most frequent answer"),
        "krippendorff_alpha_nominal": mark_text("1 is perfect agreement, 0 is chance"),
        "krippendorff_alpha_ordinal": mark_text("as nominal α, a miss by one rank weighing less"),
        "krippendorff_alpha_interval": mark_text("as nominal α, by squared distance"),
        "krippendorff_alpha_ratio": mark_text("as nominal α, by squared relative distance"),
        "fleiss_kappa": mark_text("as α, for equal numbers of answers"),
        "cohen_kappa_pooled": mark_text("corrected for chance, averaged over pairs of annotators"),
        "gwet_ac1": mark_text("chance-corrected, less affected by a rare label"),
        "gwet_ac2_linear": mark_text("as AC1, by distance"),
        "gwet_ac2_quadratic": mark_text("as AC1, by squared distance"),
        "icc_a_1": mark_text("share of variance that is of the items"),
        "icc_c_1": mark_text("as ICC(A,1), people’s severity left out"),
        "icc_a_k": mark_text("ICC(A,1) of the mean of all people"),
        "icc_c_k": mark_text("ICC(C,1) of the mean of all people"),
        "exact_sets": mark_text("pairs of answers with the very same boxes"),
        "krippendorff_alpha_jaccard": mark_text("as α, by the share of boxes in common"),
        "krippendorff_alpha_masi": mark_text("as α, a set within another being nearer"),
        "exact_match": mark_text("pairs of texts equal as compared"),
        "plurality_share": mark_text("answers that say the most frequent text"),
        "mean_cer": mark_text("characters apart, two texts at a time; 0 is equal"),
        "mean_chrf": mark_text("stretches of characters in common; 100 % is equal"),
        "span_f1_exact_class": mark_text("pairs of people, same ends and class"),
        "span_f1_token_class": mark_text("pairs of people, words with their class"),
        "span_f1_char_class": mark_text("pairs of people, characters with class"),
        "span_majority_class": mark_text("items where over half mark and name it"),
        "span_f1_exact": mark_text("pairs of people, spans with the same ends"),
        "span_f1_token": mark_text("pairs of people, words that spans touch"),
        "span_f1_char": mark_text("pairs of people, characters of spans"),
        "span_majority": mark_text("items where over half mark one span"),
    }
)  # no longer than these, to fit above a panel on a phone
TIE_RULE_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "first": mark_text("the tied label that came first among the answers is taken"),
        "alphabetical": mark_text("the first tied label by alphabet is taken"),
        "random": mark_text("one of the tied labels is drawn at random"),
        "shared": mark_text("the label is left open, shared by the tied ones"),
        "drop": mark_text("the label is left open"),
    }
)
SHARES_BESIDE_HEADLINE = ("percent_agreement", "all_agree", "strict_majority", "unique_plurality", "exact_sets")
"""The shares that are plotted beside the headline coefficient of a data set."""
NUMBER_COEFFICIENTS = (
    "krippendorff_alpha_nominal",
    "percent_agreement_chance_corrected_per_item",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "fleiss_kappa",
    "cohen_kappa_pooled",
    "gwet_ac1",
    "gwet_ac2_linear",
    "gwet_ac2_quadratic",
    *ICC_NAMES,
    "krippendorff_alpha_jaccard",
    "krippendorff_alpha_masi",
    "mean_cer",
)
"""The coefficients that are written as numbers: chance-corrected ones and error rates. All others are percents."""
FAR_FROM_PRIMARY = mark_text("Further from the score above than half its interval is wide.")
EXACT_SCORING = mark_text(
    "Right is what equals a right answer: all boxes, all parts of a text, or the text as it is compared."
)
NORMALISATION_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "words": mark_text(
            "words and numbers count, not case, blanks and punctuation; a number keeps its minus and decimal mark"
        ),
        "exact": mark_text("every sign counts, blanks alone do not"),
        "number": mark_text("numbers by their value (3,50 is 3.5), anything that is not a number as words"),
    }
)
NO_ANSWERS = mark_text("No number: nobody’s answer counts yet.")
NO_COMPARISON = mark_text("No number: no answer can be held against gold or against another one.")
OPTIONS_DIFFER = mark_text(
    "Options differ between items, so coefficients and methods that need shared classes are not computed."
)
POSITIONS = mark_text(
    "Classes are positions: the options differ from item to item, and their places are counted as labels."
)
COLUMNS = mark_text(
    "Classes are columns: the texts differ from item to item, and the columns that hold them are counted as labels."
)
COUNTED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "item": mark_count("{n} item", "{n} items"),
        "answer": mark_count("{n} answer", "{n} answers"),
        "person": mark_count("{n} person", "{n} people"),
        "annotator": mark_count("{n} annotator", "{n} annotators"),
        "skip": mark_count("{n} skip", "{n} skips"),
        "system": mark_count("{n} system", "{n} systems"),
        "tie": mark_count("{n} tie", "{n} ties"),
        "iteration": mark_count("{n} iteration", "{n} iterations"),
        "correction": mark_count("{n} correction", "{n} corrections"),
        "word": mark_count("{n} word", "{n} words"),
        "group": mark_count("{n} group", "{n} groups"),
        "session": mark_count("{n} session", "{n} sessions"),
        "repeat": mark_count("{n} repeat", "{n} repeats"),
        "warning": mark_count("{n} warning", "{n} warnings"),
        "difference": mark_count("{n} difference", "{n} differences"),
        "exposed answer": mark_count("{n} exposed answer", "{n} exposed answers"),
        "main answer": mark_count("{n} main answer", "{n} main answers"),
        "removed item": mark_count("{n} removed item", "{n} removed items"),
        "answered item": mark_count("{n} answered item", "{n} answered items"),
        "control item": mark_count("{n} control item", "{n} control items"),
        "training item": mark_count("{n} training item", "{n} training items"),
        "contributing annotator": mark_count("{n} contributing annotator", "{n} contributing annotators"),
        "McNemar test": mark_count("{n} McNemar test", "{n} McNemar tests"),
        "member of the team": mark_count("{n} member of the team", "{n} members of the team"),
    }
)
"""What pages count: the form with 1, and with other numbers."""
GOLD_ORIGINS = (
    mark_text("construction"), mark_text("expert"), mark_text("votes"), mark_text("adjudication"),
    mark_text("declared"),
)  # fmt: skip
VALUES = (
    mark_text("nominal"), mark_text("ordinal"), mark_text("interval"), mark_text("ratio"), mark_text("similarity"),
    mark_text("corrected"), mark_text("unchanged"), mark_text("unusable"), mark_text("not answered"),
    mark_text("text changed"), mark_text("usable"), mark_text("tied"), mark_text("met"), mark_text("unmet"),
    mark_text("not applicable"), mark_text("not evidenced"), mark_text("block"), mark_text("warn"),
    mark_text("state"), mark_text("error"), mark_text("warning"), mark_text("note"), mark_text("pilot item"),
    mark_text("training item"), mark_text("qualification item"), mark_text("control item"), mark_text("repeat"),
    mark_text("exposed"), mark_text("no answer"), mark_text("abstained"), mark_text("skipped"), mark_text("extra"),
    mark_text("several texts"), mark_text("item changed"), mark_text("deleted"), mark_text("earlier"),
    mark_text("second pass"), mark_text("withdrawn"), mark_text("erased"), mark_text("left out"),
    mark_text("not accepted"), mark_text("rejected"), mark_text("rule"), mark_text("organiser"),
)  # fmt: skip
"""Values that pages name by themselves: levels of measurement, statuses of corrections and of lines of the checklist,
severities of the lint, and kinds of exclusion.
"""
NO_VALUE = "–"
FOR_NEW_PEOPLE = mark_text("{level}: {interval}, new people and new items")
FOR_THESE_PEOPLE = mark_text("{level}: {interval}, these people and new items")
"""An interval with its level and the population that it is for."""
NEW_PEOPLE_HEAD = mark_text("{level}, new people and new items")
THESE_PEOPLE_HEAD = mark_text("{level}, these people and new items")
"""What intervals are for, at the head of a column or above a plot."""
MINUS = "−"


def format_percent(share: float | None) -> str:
    """Format a share as 95.7 %."""
    return NO_VALUE if share is None else localize_number(f"{100 * share:.1f} %")


def format_level(confidence_level: float) -> str:
    """Format the level of an interval as 95 %."""
    return localize_number(f"{100 * confidence_level:g} %")


def format_share(count: int, total: int) -> str:
    """A part of a whole as a percentage; empty where there is no whole."""
    return format_percent(count / total) if total else ""


def format_percent_interval(low: float | None, high: float | None) -> str:
    """Format the ends of an interval of shares as 93.1–97.5 %."""
    if low is None or high is None:
        return NO_VALUE
    return localize_number(f"{100 * low:.1f}–{100 * high:.1f} %")


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
    return NO_VALUE if value is None else localize_number(f"{value:z.2f}".replace("-", MINUS))


def format_number_interval(low: float | None, high: float | None) -> str:
    """Format an interval of such numbers as 0.61 to 0.94; with "to", because an end can be negative."""
    if low is None or high is None:
        return NO_VALUE
    return translate("{low} to {high}", low=format_number(low), high=format_number(high))


def format_score(score: Score) -> str:
    """Format a score with its interval for new people, if it has one: shares in percent, MCC and errors as numbers."""
    is_share = score.metric not in NUMBER_METRICS
    value = (format_percent if is_share else format_number)(score.value)
    if score.ci_low is None:
        return value
    interval = (format_percent_interval if is_share else format_number_interval)(score.ci_low, score.ci_high)
    return f"{value} [{interval}]"


def format_ties_wrong(score: Score) -> str:
    """Format the value with ties wrong as the score is."""
    is_share = score.metric not in NUMBER_METRICS
    return (format_percent if is_share else format_number)(score.value_ties_wrong)


def get_unit_name(unit: Unit) -> str:
    """The name of a unit of judgement, a majority with its number of votes; `majority of k` is of k fresh people."""
    translated_name = UNIT_NAMES.get(unit.unit)
    if translated_name is None:
        return translate("Majority of {n} new annotators", n=unit.unit.removeprefix("majority of "))
    n = unit.title.removeprefix("majority of ")
    return translate("Majority of {n}", n=n) if n != unit.title else translate(translated_name)


def get_metric_name(metric: str, data: DataSet) -> str:
    """The name of a metric of boxes, texts or spans in English, to be translated; `f1 BOX` is the F1 of one box."""
    if data.answer_type.marks_text:
        of_classes = metric == "exact_match" and data.span_classes is not None
        return SPAN_METRIC_NAMES.get(f"{metric}_class" if of_classes else metric) or OTHER_METRIC_NAMES[metric]
    return OTHER_METRIC_NAMES.get(metric) or f"F1: {metric.removeprefix('f1 ')}"


def name_origin(origin: str) -> str:
    """The name of an origin of gold; one that hromada does not know is data."""
    return translate(origin) if origin in GOLD_ORIGINS else origin


def capitalize_first(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun, one of COUNTED: 1 item, 2 items."""
    return translate_count(*COUNTED[noun], number)


def format_points(share: float | None) -> str:
    """Format a difference of shares in points with its sign: +1.5."""
    return NO_VALUE if share is None else localize_number(f"{100 * share:+z.1f}".replace("-", MINUS))


def shorten_text(text: str, *, max_length: int) -> str:
    """The text, or its beginning and an ellipsis where it is longer than `max_length`."""
    return text if len(text) <= max_length else text[: max_length - 1].rstrip() + "…"
