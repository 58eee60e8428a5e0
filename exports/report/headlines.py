"""The cards under "At a glance": each figure with its interval and for whom that is, of how many, by which rule."""

from __future__ import annotations

from aggregation.agreement.table import Coefficient
from aggregation.findings import get_code, split_findings
from aggregation.scores.performance import Performance, Unit, UnitName
from exports.inputs import DataSet
from exports.pages.display_text import (
    COEFFICIENT_MEANINGS,
    COEFFICIENT_NAMES,
    FOR_NEW_PEOPLE,
    FOR_THESE_PEOPLE,
    NO_VALUE,
    TIE_RULE_NAMES,
    UNIT_NAMES,
    capitalize_first,
    format_coefficient,
    format_count,
    format_level,
    format_percent,
    format_percent_interval,
    get_metric_name,
    get_unit_name,
)
from exports.pages.localization import list_findings, mark_text, show_finding, translate
from exports.pages.scaffold import Headline, describe_interval
from exports.report.opinions import list_opinion_headlines
from exports.report.preferences import list_preference_headlines
from exports.results import DataSetResult

NO_INTERVAL = mark_text("No interval.")
MAY_BE_NARROW = mark_text("Nothing shows how new people differ: the interval may be too narrow")
NOTHING_WRONG = {
    "individual": mark_text(
        "People made no errors, so nothing shows how new people would differ: the interval may be too narrow"
    ),
    "majority": mark_text(
        "The majority made no errors, so nothing shows how new people would differ: the interval may be too narrow"
    ),
}
CHANCE = mark_text("Guessing gets {guessing} of these items, the most frequent label {most}")
UNITS: tuple[UnitName, ...] = ("individual", "majority")
"""The units of judgement that a card shows; not the majority where no item has two votes."""
ALPHA = "krippendorff_alpha_nominal"
"""What every alpha means on a card, where its level stands beside it."""
FEW_PEOPLE = ("few-people-panel", "one-person-panel", "few-people-agreement", "one-person-agreement")
"""The codes of the reasons why there is no interval for new people."""


def list_headlines(result: DataSetResult) -> tuple[Headline, ...]:
    """Who is preferred, the scores of single answers and of the majority, and one coefficient of agreement, if any.

    A scale has opinions and errors in place of the shares of right answers.

    One that is missing beside another is shown with the reason.
    """
    scores, agreed, level = result.performance, result.headline_agreement, result.options.confidence_level
    preferred = list_preference_headlines(result)
    if result.scale is not None:
        of_agreement = () if agreed is None else (_build_agreement(agreed, result, level),)
        return (*list_opinion_headlines(result), *of_agreement)
    if scores is None and (agreed is None or agreed.value is None):
        return preferred
    headlines: list[Headline]
    if scores is None and preferred:
        headlines = []
    elif scores is None:
        name = UNIT_NAMES["individual"]
        headlines = [Headline(translate(name), NO_VALUE, details=(show_finding(result.no_performance),))]
    else:
        units = UNITS if scores["majority"].most_votes != 1 else UNITS[:1]
        headlines = [_build_score(scores[unit], scores, result, level) for unit in units]
    if agreed is not None:
        headlines.append(_build_agreement(agreed, result, level))
    return (*preferred, *headlines)


def list_cautions(result: DataSetResult) -> tuple[str, ...]:
    """What is true of a whole card: that nothing is said of new people, or why that is doubtful."""
    scores = result.performance
    units = () if scores is None else [scores[unit] for unit in UNITS]
    warnings = [text for unit in units if unit.primary.ci_low is not None for text in unit.warnings]
    if scores is None and result.scale is not None:
        warnings += result.scale.opinions[0].warnings
    return list_findings(_find_few_people(result), *warnings)


def _find_few_people(result: DataSetResult) -> str:
    """Why a card has intervals for these people and none for new ones; empty if it has any for new ones, or none."""
    scores, agreed = result.performance, result.headline_agreement
    if agreed is not None and agreed.new_people_low is not None:
        return ""
    if scores is None:
        has_interval, reason = agreed is not None and agreed.low is not None, agreed.new_people_reason if agreed else ""
    else:
        single = scores["individual"].primary
        has_interval, reason = single.item_only_low is not None, single.reason
    few = [one for one in split_findings(reason) if get_code(one) in FEW_PEOPLE]
    return few[0] if has_interval and few else ""


def _build_score(unit: Unit, scores: Performance, result: DataSetResult, level: float) -> Headline:
    score, name, data = unit.primary, get_unit_name(unit), result.data
    if score.metric != "accuracy":
        name = f"{name}: {translate(get_metric_name(score.metric, data))}"
    elif unit.unit == "individual":
        name = translate("Single answers right")
    rule = _describe_answers(data) if unit.unit == "individual" else _describe_majority(unit, scores)
    counts = _count_answers(unit) if unit.unit == "individual" else _count_items(unit)
    chance = _describe_chance(result, scores) if unit.unit == "individual" else ()
    details = (*_describe_interval(unit, result, level), counts, capitalize_first(rule), *chance)
    return Headline(name, format_percent(score.value), details=details)


def _describe_chance(result: DataSetResult, scores: Performance) -> tuple[str, ...]:
    """What guessing gets on the items that are scored, and the most frequent label, where labels are shared."""
    if scores.random_exact is None:
        return ()
    guessing = format_percent(scores.random_exact)
    if "majority" not in result.confusions:
        return (translate("Guessing gets {guessing} of these items", guessing=guessing),)
    of_classes = result.confusions["majority"].sum(axis=1)
    most = format_percent(float(of_classes.max() / of_classes.sum()))
    return (translate(CHANCE, guessing=guessing, most=most),)


def _describe_interval(unit: Unit, result: DataSetResult, level: float) -> tuple[str, ...]:
    """The interval with its population; where there is none for new people that for these, and why if no card says."""
    score = unit.primary
    if score.ci_low is not None:
        interval = format_percent_interval(score.ci_low, score.ci_high)
        own = translate(FOR_NEW_PEOPLE, level=format_level(level), interval=interval)
        is_guess = any(get_code(one) == "same-for-new-people" for one in split_findings(score.reason))
        why_narrow = NOTHING_WRONG[unit.unit] if score.value == 1 else MAY_BE_NARROW
        return (own, *((translate(why_narrow),) if is_guess else ()))
    if score.item_only_low is None:
        return (show_finding(score.reason) or translate(NO_INTERVAL),)
    interval = format_percent_interval(score.item_only_low, score.item_only_high)
    own = translate(FOR_THESE_PEOPLE, level=format_level(level), interval=interval)
    few = [one for one in split_findings(score.reason) if get_code(one) in FEW_PEOPLE]
    return (own, *(() if _find_few_people(result) else map(show_finding, few)))


def _count_answers(unit: Unit) -> str:
    return translate(
        "{answers} of {people} to {items} with gold",
        answers=format_count(unit.total, "answer"),
        people=format_count(unit.n_annotators, "person"),
        items=format_count(unit.n_items, "item"),
    )


def _count_items(unit: Unit) -> str:
    return translate(
        "{items} with gold, answered by {people}",
        items=format_count(unit.n_items, "item"),
        people=format_count(unit.n_annotators, "person"),
    )


def _describe_answers(data: DataSet) -> str:
    if not data.answer_type.is_label:
        rule = translate("right is what equals the gold as a whole")
    else:
        rule = translate("right is what equals the gold")
    if len(data.list_counted_skips()):
        rule = translate("{rule}, a skip is wrong", rule=rule)
    return rule


def _describe_majority(unit: Unit, scores: Performance) -> str:
    """The rule by which a majority has one answer, with the number of its votes, and what becomes of ties."""
    votes = unit.title.removeprefix("majority of ")
    if votes == unit.title:
        rule = translate("the most frequent answer to an item")
    else:
        rule = translate("the most frequent of {votes} answers to an item", votes=votes)
    if not unit.n_ties:
        ties = translate("no item ties")
    elif scores.ties == "shared":
        ties = translate("{ties}, where each of m answers counts 1/m", ties=format_count(unit.n_ties, "tie"))
    else:
        ties = f"{format_count(unit.n_ties, 'tie')}, {translate(TIE_RULE_NAMES[scores.ties])}"
    return f"{rule}; {ties}"


def _build_agreement(row: Coefficient, result: DataSetResult, level: float) -> Headline:
    name, value = translate(COEFFICIENT_NAMES[row.name]), format_coefficient(row.name, row.value)
    ends = describe_interval(row, confidence_level=level) or (translate(NO_INTERVAL),)
    if not row.n_items:
        return Headline(name, value, details=ends)
    if row.low is not None and _find_few_people(result):
        ends = ends[:1]
    counts = translate(
        "{answers} of {people} to {items} with two answers or more",
        answers=format_count(row.n_votes, "answer"),
        people=format_count(row.n_annotators, "person"),
        items=format_count(row.n_items, "item"),
    )
    meaning = COEFFICIENT_MEANINGS[ALPHA if row.name.startswith("krippendorff_alpha") else row.name]
    rule = translate("level {level}; {meaning}", level=translate(row.level), meaning=translate(meaning))
    return Headline(name, value, details=(*ends, counts, capitalize_first(rule)))
