"""What points of a scale say, in sentences for the paragraph: opinions by system, their differences, errors."""

from __future__ import annotations

from collections.abc import Iterator

from aggregation.scores.performance import Score
from exports.paper.sentences import Words
from exports.results import DataSetResult


def describe_opinions(result: DataSetResult, words: Words) -> Iterator[str]:
    """The mean of each system, or the median of a scale without means; differences; errors. Nothing of other types."""
    found = result.scale
    if found is None:
        return
    opinions = found.opinions[1:] or found.opinions
    means = [(one.system, one.mean) for one in opinions if one.mean is not None]
    name = result.data.name
    if means:
        values = "; ".join(f"{system} {_write(score, words)}".strip() for system, score in means)
        ends = {"low": found.ratings.names[0], "high": found.ratings.names[-1]}
        yield words["opinions"].format(
            name=name, values=values, population=_name_population(means[0][1], words), **ends
        )
    else:
        values = "; ".join(f"{one.system} {one.median.text}".strip() for one in opinions)
        yield words["medians"].format(name=name, values=values)
    for pair in found.differences:
        yield words["system difference"].format(
            one=pair.one, two=pair.two, value=_write(pair.difference, words), people=pair.n_common_people
        )
    for unit in result.point_units[:1]:
        lead = unit.scores[0]
        yield words[f"lead {lead.metric}"].format(name=name, value=_write(lead, words))


def _write(score: Score, words: Words) -> str:
    """The value with its interval for new people, or else for these: 3.82 [3.15–4.49]."""
    if score.value is None:
        return "—"
    low, high = (
        (score.ci_low, score.ci_high) if score.ci_low is not None else (score.item_only_low, score.item_only_high)
    )
    ends = "" if low is None or high is None else f" [{_number(low, words)}–{_number(high, words)}]"
    return f"{_number(score.value, words)}{ends}"


def _number(value: float, words: Words) -> str:
    return f"{value:z.2f}".replace(".", words["decimal"]).replace("-", "−")


def _name_population(score: Score, words: Words) -> str:
    return words["new population" if score.ci_low is not None else "this population"]
