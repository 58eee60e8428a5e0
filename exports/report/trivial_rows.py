"""The report's table of what needs no understanding: the trivial baselines, and the ceiling beside them."""

from __future__ import annotations

from exports.pages.display_text import METRIC_NAMES, MINUS, NO_VALUE, format_percent, format_percent_interval
from exports.pages.scaffold import TableRow
from exports.pages.translation import localize_number, mark_text, translate
from exports.results import DataSetResult

BASELINE_NAMES = {
    "random": mark_text("Chance: an option by lot"),
    "random_by_class": mark_text("Chance: a class as often as gold has it"),
    "majority_class": mark_text("The most frequent class"),
    "position": mark_text("The place where gold is most often, from the first"),
    "position_from_end": mark_text("The place where gold is most often, from the last"),
    "longest_option": mark_text("The longest option"),
    "shortest_option": mark_text("The shortest option"),
    "most_mentioned_option": mark_text("The option that the text names most often"),
}
CEILING_NAME = mark_text("Ceiling: gold that is right and can be decided")


def build_trivial_rows(result: DataSetResult) -> tuple[TableRow, ...]:
    """A row for each baseline with a score: what it answers, its metrics, how often it takes by lot; last the ceiling.

    Those that do not apply are in trivial_baselines.csv with the reason. There is no ceiling without a gold review.
    """
    rows = []
    for one in result.trivial:
        if one.reason:
            continue
        values = [one.scores.get(metric) for metric in METRIC_NAMES]
        shown = [_format_number(value) for value in values]
        accuracy = one.scores.get("accuracy")
        cells = (one.answer or NO_VALUE, format_percent(accuracy), *shown[1:], str(one.n_torn))
        rows.append(TableRow(head=translate(BASELINE_NAMES[one.name]), cells=cells))
    if rows and result.ceiling is not None and result.ceiling.ceiling.value is not None:
        share = result.ceiling.ceiling
        cells = (NO_VALUE, format_percent(share.value), *[NO_VALUE] * len(METRIC_NAMES))
        interval = format_percent_interval(share.low, share.high)
        remark = translate("In brackets for items like these: [{interval}].", interval=interval)
        rows.append(TableRow(head=translate(CEILING_NAME), cells=cells, remark=remark))
    return tuple(rows)


def _format_number(value: float | None) -> str:
    """A number with three decimals; none where it is not known."""
    known = value is not None and value == value  # noqa: PLR0124  # only nan differs from itself
    return localize_number(f"{value:.3f}".replace("-", MINUS)) if known else NO_VALUE
