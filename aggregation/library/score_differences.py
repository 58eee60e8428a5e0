"""People beside models on the same items, compared from a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from aggregation.comparison.model_differences import ModelDifference
from aggregation.comparison.people_and_models import ModelAnswers, ModelComparison, compare_models
from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.library import result_tables
from aggregation.library.result_tables import DrawnInterval
from aggregation.library.vote_frames import NAMES, FrameVotes, GoldLabels, Repeats, read_frame, spell_values
from aggregation.spelling import count_noun

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ModelTable: TypeAlias = "pd.DataFrame | Mapping[str, pd.Series[Any] | Mapping[Any, Any]]"
"""The answers of models: a frame with a column per model, or a Series or a dictionary of answers by item for each."""
COLUMNS = ("model", "unit", "people", "model's", "difference", *result_tables.INTERVALS, "p, Holm", "above")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScoreDifferences:
    """People's score less each model's, with two intervals of 95%: for these people, and for new people; on new items.

    `differences` has a row per model, unit (single answers, majority) and metric; `comparison` also has McNemar's
    tests, and the accuracy by class. `notes` say what was left out or looks doubtful.
    """

    comparison: ModelComparison
    notes: tuple[str, ...] = ()

    @property
    def differences(self) -> tuple[ModelDifference, ...]:
        """The differences over all items."""
        return self.comparison.differences

    @property
    def _primary(self) -> list[ModelDifference]:
        return [row for row in self.differences if row.metric == self.comparison.primary]

    def to_frame(self) -> pd.DataFrame:
        """One row per difference: model, unit, metric, kind, part, people, value (the model's), difference, ….

        The ends of intervals are in new_people_low, new_people_high, these_people_low and these_people_high. The other
        columns are those of model_comparison.csv. Rows over all items (`kind` is all) come first, then those by class.
        """
        frame = result_tables.build_frame((*self.differences, *self.comparison.parts))
        return frame.astype({"people": float, "difference": float, "p_value": float, "p_holm": float})

    def mcnemar_to_frame(self) -> pd.DataFrame:
        """McNemar's test of people's majority and each model: model, both, only_first, …, p_exact, p_mid, p_holm."""
        rows = self.comparison.mcnemar
        return pd.DataFrame([{"model": row.model, **asdict(row.test), "p_holm": row.p_holm} for row in rows])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the differences in accuracy with both intervals on `ax`, or on new axes; returns the axes."""
        drawn = [
            DrawnInterval(
                name=f"{row.unit_title} − {row.model}",
                value=row.difference,
                these_people=(row.item_only_low, row.item_only_high),
                new_people=(row.ci_low, row.ci_high),
            )
            for row in self._primary
        ]
        axes = result_tables.plot_intervals(drawn, ax=ax, label=f"{self.comparison.primary}, people − model")
        axes.axvline(0.0, color="0.6", lw=0.8, zorder=0)
        return axes

    def _list_rows(self) -> list[tuple[object, ...]]:
        return [
            (
                row.model,
                row.unit_title,
                result_tables.format_number(row.people),
                result_tables.format_number(row.value),
                result_tables.format_number(row.difference),
                result_tables.format_ends(row.item_only_low, row.item_only_high),
                result_tables.format_ends(row.ci_low, row.ci_high),
                result_tables.format_number(row.p_holm),
                row.above or result_tables.MISSING,
            )
            for row in self._primary
        ]

    def _list_notes(self) -> list[str]:
        return [*self.notes, *result_tables.group_reasons((row.model, row.reason) for row in self._primary)]

    def __repr__(self) -> str:
        return result_tables.format_text(COLUMNS, self._list_rows(), self._list_notes())

    def _repr_html_(self) -> str:
        return result_tables.format_html(COLUMNS, self._list_rows(), self._list_notes())


def compare_scores(
    votes: pd.DataFrame,
    models: ModelTable,
    *,
    gold: GoldLabels | None = None,
    labels: Sequence[Any] | None = None,
    group: str | None = None,
    repeats: Repeats = "first",
) -> ScoreDifferences:
    """Compare people's scores with models' on the same items; the numbers are those of `hromada compare`.

    `votes` and `gold` are as in `score_answers`. `models` is a frame with the item as its index (or in the column task
    or item) and a column of answers per model; or a dictionary with a Series or a dictionary of answers by item for
    each model. An empty answer, and one that is not among the labels, is wrong. A model is compared on the items that
    it and people answered; `notes` say which it has no answer for. `labels`, `group` and `repeats` are as in
    `measure_agreement`.

    Raises HromadaError, which names the column or the model, for what cannot be read, and for a model without any of
    the items.

    >>> import pandas as pd
    >>> from aggregation import compare_scores
    >>> votes = pd.DataFrame([(task, worker, (task + (worker == "c")) % 2) for task in range(9) for worker in "abcdef"],
    ...                      columns=["task", "worker", "label"])
    >>> truth = {task: task % 2 for task in range(9)}
    >>> compared = compare_scores(votes, {"always 0": {task: 0 for task in range(9)}}, gold=truth)
    >>> row = compared.differences[0]
    >>> row.model, row.unit, round(row.people, 4), round(row.value, 4), round(row.difference, 4)
    ('always 0', 'individual', 0.8333, 0.5556, 0.2778)
    """
    read = read_frame(votes, labels=labels, group=group, repeats=repeats, gold=gold, needs_gold=True)
    answered = read.answers.votes
    given = [_read_model(name, answers, read) for name, answers in _list_models(models)]
    truth = answered.items["gold"]
    classes = {label: [str(item) for item in truth.index[truth == label]] for label in read.labels}
    people = set(answered.frame["item"]) & set(truth.dropna().index)
    return ScoreDifferences(
        comparison=compare_models(read.answers, [model for model, _ in given], parts={"class": classes}),
        notes=(*read.notes, *_list_notes(given, people)),
    )


def _list_models(models: Any) -> Iterable[tuple[str, Any]]:
    """The answers of each model by its name."""
    if isinstance(models, pd.DataFrame):
        item = next((name for name in ("item", NAMES["item"]) if name in models.columns), None)
        models = models if item is None else models.set_index(item)
    if not isinstance(models, (pd.DataFrame, Mapping)):
        raise HromadaError(
            f"Models cannot be a {type(models).__name__}.",
            remedy="Give a dictionary of answers by item for each model: {'name': SERIES}.",
        )
    return [(str(name), answers) for name, answers in models.items()]


def _read_model(name: str, answers: Any, read: FrameVotes) -> tuple[ModelAnswers, int]:
    """The answers of a model as texts, and how many of them are no labels, which counts as none."""
    if not isinstance(answers, (pd.Series, Mapping)):
        raise HromadaError(
            f"The answers of {name!r} cannot be a {type(answers).__name__}.",
            remedy="Give a Series with the item as its index, or a dictionary of answers by item.",
        )
    given = answers if isinstance(answers, pd.Series) else pd.Series(answers, dtype=object)
    items, _ = spell_values(given.index.to_series(), name=f"the items of {name}")
    texts, _ = spell_values(given, name=name)
    if len(set(items)) < len(items):
        raise HromadaError(f"{name!r} has two answers to one item.", remedy="Give one answer per item.")
    known = set(read.labels)
    unread = [text for text in texts if text is not None and text not in known]
    read_answers = {
        str(item): (text if text in known else None)
        for item, text in zip(items, texts, strict=True)
        if item is not None
    }
    return ModelAnswers(name=name, answers=read_answers), len(unread)


def _list_notes(given: Iterable[tuple[ModelAnswers, int]], people: set[str]) -> Iterable[str]:
    for model, n_unread in given:
        missing = len(people - set(model.answers))
        if missing:
            yield f"{model.name}: {count_noun(missing, 'item')} left out, without an answer of the model."
        if n_unread:
            yield Finding("unreadable", model=model.name, n=n_unread)
