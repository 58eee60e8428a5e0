"""People beside models: a data set compared with models' answers, as tables, with the items that are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import pandas as pd

from aggregation.answers import Answers
from aggregation.comparison.model_differences import ModelDifference, PublishedScore
from aggregation.comparison.people_and_models import ModelAnswers, ModelComparison, compare_models
from aggregation.comparison.soft_labels import SoftScore, score_distributions
from aggregation.consensus.consensus import SHARED, TieChoice, TieRule
from aggregation.errors import HromadaError, Where
from aggregation.findings import Finding
from aggregation.intervals.panel import FEWEST_PEOPLE
from aggregation.judges.records import JudgeResult, JudgeRules
from exports import writers
from exports.inputs import DataSet
from exports.judges import build_judge_files, build_rules, measure_judges
from exports.model_answers import ReadAnswers, ReadModels
from exports.results import CIRCULAR
from exports.rounding import round_number, round_row

COMPARED, OTHER_STIMULUS, NOT_ANSWERED = "compared", "another stimulus", "not answered by the model"
NO_PEOPLE, NO_GOLD, UNKNOWN = "not answered by people", "no gold", "not of this project"
STATUSES = (COMPARED, OTHER_STIMULUS, NOT_ANSWERED, NO_PEOPLE, NO_GOLD, UNKNOWN)
UNEQUAL = (OTHER_STIMULUS, NOT_ANSWERED)
"""What makes a comparison unequal: people were scored on the item, and the model is not compared on it."""
REMEDIES = {
    OTHER_STIMULUS: "The model was shown another text or other options: build the benchmark again, and run it on that.",
    NO_PEOPLE: "Nobody has answered these items: collect answers, or run the model on the items that people had.",
    UNKNOWN: "Look whether `item_id` has the ids of this project.",
}
"""What to do where no answer of a model can be compared, by the status of its items."""
ITEM_COLUMNS = ("model", "item_id", "status", "people", "majority", "model_right")
MCNEMAR_COLUMNS = ("model", "both", "only_first", "only_second", "neither", "n_ties", "p_exact", "p_mid", "p_holm")
KINDS = ("class", "stratum", "tag")

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class ComparedModels:
    """A data set compared with models: the numbers, and for each model the status of each item, sorted by id.

    `n_items` counts the items of the data set, `n_scored` those on which people are scored. `notes` say what is
    doubtful or was left out. `ties` is the rule by which ties of the majority are scored. `soft_scores` are those of
    the models that predict distributions, `judges` what is measured of each model as a judge in people's place.
    """

    data: DataSet
    comparison: ModelComparison
    statuses: Mapping[str, Mapping[str, str]]
    n_items: int
    n_scored: int
    notes: tuple[str, ...]
    ties: TieRule = "shared"
    soft_scores: tuple[SoftScore, ...] = ()
    judges: tuple[JudgeResult, ...] = ()

    @property
    def has_equal_items(self) -> bool:
        """Whether every model is compared on all items on which people are scored."""
        return not any(status in UNEQUAL for own in self.statuses.values() for status in own.values())

    @property
    def mcnemar_note(self) -> str:
        """For whom McNemar's p speaks where people are too few for new ones; else empty."""
        people = [row.n_people for row in self.comparison.differences]
        if not self.comparison.mcnemar or min(people, default=FEWEST_PEOPLE) >= FEWEST_PEOPLE:
            return ""
        return Finding("mcnemar-few", n=min(people))

    def list_items(self, model: str, status: str) -> list[str]:
        """The items of that status beside this model."""
        return [item for item, own in self.statuses[model].items() if own == status]


def compare_data_set(
    data: DataSet,
    read: ReadModels,
    *,
    published: Sequence[PublishedScore] = (),
    tie_choice: TieChoice = SHARED,
    rules: JudgeRules | None = None,
) -> ComparedModels:
    """Compare a data set, by the first votes of each item as scores do, with what was read of models.

    Items are matched by id and by the hash of what was shown; to `DataSet.parts` the classes of gold are added. Models
    are measured as judges by `rules`, those of the data set by default; without gold that is all. Raises HromadaError
    as `compare_models` does, where there is neither gold nor anything that a judge can be measured by, and for a model
    of which no answer can be compared, with its file.
    """
    first = data.keep_first_places()
    answers, skips = first.build_answers(), first.build_skips()
    golds = dict(zip(data.items["item_id"], data.list_scoring_gold(), strict=True))
    met = set(answers.votes.frame["item"]) | set(skips["item"])
    soft_scores = tuple(score for model in read.models for score in _score_distributions(model, data, answers))
    judges = measure_judges(data, read.models, answers, rules or build_rules(data))
    has_gold = any(gold is not None for gold in golds.values())
    statuses = {model.name: _match_items(model, data, golds, met, needs_gold=has_gold) for model in read.models}
    if not has_gold:
        _check_judges(data, read, statuses, is_measured=bool(soft_scores) or any(judge.scores for judge in judges))
        return ComparedModels(
            data=data,
            comparison=WITHOUT_GOLD,
            statuses=statuses,
            n_items=len(data.items),
            n_scored=0,
            notes=(*read.notes, Finding("no-gold"), *_list_unreadable(read)),
            ties=tie_choice.ties,
            soft_scores=soft_scores,
            judges=judges,
        )
    for model in read.models:
        _check_matches(model, statuses[model.name])
    models = [
        ModelAnswers(
            name=model.name,
            answers={item: model.answers[item] for item, own in statuses[model.name].items() if own == COMPARED},
        )
        for model in read.models
    ]
    classes = {name: [item for item, gold in golds.items() if gold == name] for name in data.classes or ()}
    comparison = compare_models(
        answers,
        models,
        skips=skips,
        published=[*read.published, *published],
        parts={**({"class": classes} if classes else {}), **data.parts},
        tie_choice=tie_choice,
    )
    return ComparedModels(
        data=data,
        comparison=comparison,
        statuses=statuses,
        n_items=len(data.items),
        n_scored=sum(golds[item] is not None for item in met),
        notes=(*read.notes, *_list_notes(read, comparison, has_skips=not skips.empty)),
        ties=tie_choice.ties,
        soft_scores=soft_scores,
        judges=judges,
    )


def _check_judges(
    data: DataSet, read: ReadModels, statuses: Mapping[str, Mapping[str, str]], *, is_measured: bool
) -> None:
    """Raise HromadaError where no gold is there to score by, and no model can be measured as a judge either."""
    if read.models and data.answer_type.is_label:
        for model in read.models:
            _check_matches(model, statuses[model.name])
    if not is_measured:
        can_judge = data.answer_type.is_label and bool(read.models)
        raise HromadaError(
            CIRCULAR if data.has_circular_gold else "No item has gold, so nobody can be scored.",
            remedy="A judge without gold needs items with answers of two people: collect them, or declare gold."
            if can_judge
            else "Declare gold in the file of the items, or decide it: `hromada adjudicate`.",
        )


def _list_unreadable(read: ReadModels) -> Iterator[str]:
    """Answers that no judge is measured by."""
    for model in read.models:
        if model.n_unreadable:
            yield Finding("judge-unreadable", model=model.name, n=model.n_unreadable)


WITHOUT_GOLD = ModelComparison(
    differences=(), parts=(), mcnemar=(), items=pd.DataFrame(), primary="accuracy", confidence_level=0.95
)


def _score_distributions(model: ReadAnswers, data: DataSet, answers: Answers) -> tuple[SoftScore, ...]:
    """The distances of a model's distributions from people's votes, with or without gold; not of another stimulus."""
    hashes = dict(zip(data.items["item_id"], data.items["stimulus_sha256"], strict=True))
    known = {
        item: own
        for item, own in model.distributions.items()
        if item in hashes and model.stimuli.get(item) in (None, hashes[item])
    }
    return score_distributions(answers.votes, known, model=model.name)


def _check_matches(model: ReadAnswers, statuses: Mapping[str, str]) -> None:
    counts = Counter(statuses.values())
    if not counts[COMPARED]:
        raise HromadaError(
            f"No answer can be compared; items: {', '.join(f'{n} {one}' for one, n in sorted(counts.items()))}.",
            remedy=next((remedy for status, remedy in REMEDIES.items() if counts[status]), REMEDIES[UNKNOWN]),
            where=Where(file=model.file),
        )


def _match_items(
    model: ReadAnswers, data: DataSet, golds: Mapping[str, str | None], met: set[str], *, needs_gold: bool
) -> dict[str, str]:
    """The status of every item of the data set or of the model, sorted by id."""
    hashes = dict(zip(data.items["item_id"], data.items["stimulus_sha256"], strict=True))
    statuses = {}
    for item in sorted({*hashes, *model.answers}):
        shown = model.stimuli.get(item)
        if item not in hashes:
            statuses[item] = UNKNOWN
        elif needs_gold and golds[item] is None:
            statuses[item] = NO_GOLD
        elif item not in met:
            statuses[item] = NO_PEOPLE
        elif item not in model.answers:
            statuses[item] = NOT_ANSWERED
        else:
            statuses[item] = COMPARED if shown is None or shown == hashes[item] else OTHER_STIMULUS
    return statuses


def _list_notes(read: ReadModels, comparison: ModelComparison, *, has_skips: bool) -> Iterator[str]:
    for model in read.models:
        if not all(model.stimuli.get(item) for item in model.answers):
            yield Finding("matched-by-ids", model=model.name)
        if model.n_unreadable:
            yield Finding("unreadable", model=model.name, n=model.n_unreadable)
    if any(not row.is_paired for row in comparison.differences):
        yield Finding("unpaired")
    if has_skips:
        yield Finding("skips-wrong")


def list_difference_rows(compared: ComparedModels) -> list[Row]:
    """All differences with the columns of model_comparison.csv, those over all items first, numbers rounded."""
    rows = (*compared.comparison.differences, *compared.comparison.parts)
    return [round_row(asdict(row)) for row in rows]


def list_mcnemar_rows(compared: ComparedModels) -> list[Row]:
    """McNemar's tests with the columns of model_mcnemar.csv."""
    return [
        round_row({"model": row.model, **asdict(row.test), "p_holm": row.p_holm}) for row in compared.comparison.mcnemar
    ]


def list_soft_rows(compared: ComparedModels) -> list[Row]:
    """The distances of distributions with the columns of soft_scores.csv."""
    return [round_row(asdict(row)) for row in compared.soft_scores]


def build_comparison_files(compared: ComparedModels) -> dict[str, str]:
    """The tables as CSV: model_comparison, model_mcnemar, model_items; soft_scores where models have distributions,
    judges and judge_people where models are measured as judges.
    """
    columns = [field.name for field in fields(ModelDifference)]
    items = pd.DataFrame(
        [(model, item, status) for model, own in compared.statuses.items() for item, status in own.items()],
        columns=list(ITEM_COLUMNS[:3]),
        dtype=object,
    )
    if not compared.comparison.items.empty:
        items = items.merge(compared.comparison.items, on=["model", "item_id"], how="left")
    shown = items.reindex(columns=list(ITEM_COLUMNS))
    for name in ITEM_COLUMNS[3:]:
        shown[name] = [None if value != value else round_number(value) for value in shown[name]]  # noqa: PLR0124
    soft_columns = [field.name for field in fields(SoftScore)]
    soft = {"soft_scores.csv": writers.format_rows(list_soft_rows(compared), soft_columns)}
    return {
        **(soft if compared.soft_scores else {}),
        **build_judge_files(compared.data, compared.judges),
        "model_comparison.csv": writers.format_rows(list_difference_rows(compared), columns),
        "model_mcnemar.csv": writers.format_rows(list_mcnemar_rows(compared), MCNEMAR_COLUMNS),
        "model_items.csv": writers.format_csv(shown.astype(object)),
    }
