"""What the numbers would be under other quality rules: a grid of rules, each applied to all answers afterwards.

A rule of the grid sees all answers, those that rules of the campaign excluded among them. It stands for a campaign that
had filtered so at its end: places that the campaign gave to others are not given back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import pandas as pd

from aggregation.agreement.coefficients import compute_alpha
from aggregation.answer_types import build_consensus, compute_agreement, score_answers
from aggregation.answers import Answers
from aggregation.consensus.methods import Method
from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.intervals.resampling import Progress
from aggregation.intervals.shares import share_interval
from aggregation.scores.performance import Score
from exports.annotator_quality import list_control_answers
from exports.inputs import DataSet
from exports.score_variants import VARIANT_UNITS, restore_excluded

CUTS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
TOLERANCE = 1e-9
"""How far below a cut a confidence may be that rounding keeps from being equal to it."""


@dataclass(frozen=True, kw_only=True)
class CutResult:
    """What is left of the labels with a confidence of at least `cut`, 0 to 1.

    `n_kept` of the `n_items` main items with votes are kept; ties have no label. `balance` is the share of each class
    among the labels kept, empty where labels are no classes. `n_right` of the `n_known` items of known gold with that
    confidence have the right label, with the interval `right_low` to `right_high`, None without such items.
    `n_ties` of them are tied, and count 1/m for each of m tied answers.
    """

    cut: float
    n_kept: int
    n_items: int
    balance: dict[str, float]
    n_right: float
    n_known: int
    right_low: float | None
    right_high: float | None
    n_ties: int = 0
    n_right_ties_wrong: float = 0.0

    @property
    def kept(self) -> float:
        """The share of items that are kept."""
        return self.n_kept / self.n_items if self.n_items else 0.0

    @property
    def right(self) -> float | None:
        """The share of items of known gold that are right."""
        return self.n_right / self.n_known if self.n_known else None

    @property
    def right_ties_wrong(self) -> float | None:
        """The same share with every tie wrong; None where nothing ties."""
        return self.n_right_ties_wrong / self.n_known if self.n_ties else None


def measure_cuts(
    data: DataSet, *, method: Method, cuts: Sequence[float] = CUTS, seed: int = 0
) -> tuple[CutResult, ...]:
    """What each cut leaves of the labels that the method makes, cuts sorted.

    Raises HromadaError for a cut that is no share, Refused for a method that the answers do not allow.
    """
    if any(not 0 <= cut <= 1 for cut in cuts):
        raise HromadaError("A cut of confidence is not from 0 to 1.", remedy="Write it like 0.8.")
    whole = add_control_items(data)
    consensus = build_consensus(whole.build_answers(), method=method, ties="shared", seed=seed)
    labels = consensus.labels
    marks = _mark_labels(whole, labels["label"], consensus.list_tied_answers())
    labels = labels.assign(right=marks, main=labels.index.isin(data.items["item_id"]))
    return tuple(_measure_cut(data, labels, cut) for cut in sorted(set(cuts)))


def add_control_items(data: DataSet) -> DataSet:
    """The data set with its control items among the items, and the answers to them that rules left alone counting."""
    rows, item_ids = data.responses, set(data.items["item_id"])
    gold = {item: label for item, label in data.control_gold.items() if item not in item_ids}
    is_control = rows["is_control"].eq(other=True) & rows["item_id"].isin(gold) & rows["response"].notna()
    if data.classes is not None:
        is_control &= rows["response"].isin(data.classes)
    counts = is_control & (rows["excluded_kind"].isna() | (rows["excluded_kind"] == rows["assignment_kind"]))
    answered = sorted(set(rows.loc[counts, "item_id"]))
    controls = pd.DataFrame(
        {
            "item_id": answered,
            "group": answered,
            "gold": [gold[item] for item in answered],
            "n_options": len(data.classes) if data.classes is not None else data.items["n_options"].max(),
        },
        columns=list(data.items.columns),
        dtype=object,
    )
    return replace(
        data,
        items=pd.concat([data.items, controls], ignore_index=True) if answered else data.items,
        responses=rows.assign(excluded_kind=rows["excluded_kind"].mask(counts, None)),
    )


def _mark_labels(data: DataSet, labels: pd.Series[str], tied: Mapping[str, Sequence[str]]) -> pd.Series[float]:
    """Whether each label is right, 1 or 0, of a tie the share of right answers; nan without known gold."""
    gold = pd.Series(data.list_scoring_gold().to_numpy(), index=data.items["item_id"]).reindex(labels.index)
    marks = []
    for item, label, truth in zip(labels.index, labels.astype(object), gold.astype(object), strict=True):
        said = tied.get(str(item), () if label is None else (label,))
        is_known = truth is not None and len(said) > 0
        marks.append(sum(data.is_right(item, answer, truth) for answer in said) / len(said) if is_known else None)
    return pd.Series(marks, index=labels.index, dtype=float)


def _measure_cut(data: DataSet, labels: pd.DataFrame, cut: float) -> CutResult:
    sure = labels.loc[labels["confidence"] >= cut - TOLERANCE]
    main, with_gold = sure.loc[sure["main"] & sure["label"].notna()], sure.loc[sure["right"].notna()]
    shares = main["label"].value_counts(normalize=True)
    is_tied = with_gold["tie"].astype(bool)
    right, n_known = float(with_gold["right"].sum()), len(with_gold)
    interval = share_interval(right, n_known) if n_known else None
    return CutResult(
        cut=cut,
        n_kept=len(main),
        n_items=int(labels["main"].sum()),
        balance={label: float(shares.get(label, 0.0)) for label in data.counted_classes or ()} if len(main) else {},
        n_right=right,
        n_known=n_known,
        right_low=None if interval is None else interval.low,
        right_high=None if interval is None else interval.high,
        n_ties=int(is_tied.sum()),
        n_right_ties_wrong=float(with_gold["right"].mask(is_tied, 0.0).sum()),
    )


CONTROL_ACCURACIES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
LEAST_SECONDS = (0.0, 1.0, 2.0, 3.0, 5.0, 10.0)
COUNTED_COLUMNS = ("item_id", "annotator", "response", "skip_reason", "excluded_kind")
AS_COLLECTED = Finding("as-collected")
RULE = "grid"
"""The kind of exclusion of answers that a rule of the grid leaves out."""


@dataclass(frozen=True, kw_only=True)
class RuleSetting:
    """Who and what counts: annotators with more than `accuracy` of their control items right, answers that took
    `seconds` or longer. Annotators without control items and answers without a time stay; 0 leaves nothing out.
    """

    accuracy: float
    seconds: float

    @property
    def name(self) -> str:
        """The setting in words."""
        share, seconds = 100 * self.accuracy, self.seconds
        if self.accuracy and self.seconds:
            return Finding("control-and-seconds", share=share, seconds=seconds)
        if self.accuracy:
            return Finding("control-above", share=share)
        return Finding("seconds-from", seconds=seconds) if self.seconds else Finding("no-rule")


@dataclass(frozen=True, kw_only=True)
class SettingResult:
    """The numbers under a setting, `setting` None for the answers that count in the campaign.

    `n_answers` and `n_people` count what is left; `n_gold` the items with a unique most frequent answer, which is the
    size of gold by majority, of `n_items` in use. `single` and `majority` are None without gold; `agreement` is
    `agreement_name`, the headline coefficient of these answers.
    """

    setting: RuleSetting | None
    n_answers: int
    n_people: int
    n_gold: int
    n_items: int
    single: Score | None
    majority: Score | None
    agreement_name: str
    agreement: float | None

    @property
    def name(self) -> str:
        """The setting in words."""
        return AS_COLLECTED if self.setting is None else self.setting.name


@dataclass(frozen=True, kw_only=True, eq=False)
class _Facts:
    """What the rules read of each response: the control accuracy of its annotator and its time, nan where unknown."""

    accuracy: pd.Series[float]
    seconds: pd.Series[float]


def list_settings(
    data: DataSet,
    *,
    accuracies: Sequence[float] = CONTROL_ACCURACIES,
    seconds: Sequence[float] = LEAST_SECONDS,
) -> tuple[RuleSetting, ...]:
    """Every combination of the thresholds, without those that these answers have no facts for.

    Raises HromadaError for a threshold out of its range.
    """
    if any(not 0 <= accuracy < 1 for accuracy in accuracies):
        raise HromadaError("A control accuracy is not from 0 to below 1.", remedy="Write it like 0.5.")
    if any(not 0 <= limit < math.inf for limit in seconds):
        raise HromadaError("A number of seconds is not from 0 on.", remedy="Write it like 2.")
    facts = _collect_facts(restore_excluded(data))
    thresholds = {0.0, *accuracies} if facts.accuracy.notna().any() else {0.0}
    times = {0.0, *seconds} if facts.seconds.notna().any() else {0.0}
    return tuple(
        RuleSetting(accuracy=share, seconds=limit) for share, limit in product(sorted(thresholds), sorted(times))
    )


def measure_settings(
    data: DataSet, settings: Sequence[RuleSetting], *, progress: Progress | None = None
) -> tuple[SettingResult, ...]:
    """The numbers as collected, then under each setting; `progress` is called with the share of the work done."""
    restored = restore_excluded(data)
    facts = _collect_facts(restored)
    restored = replace(restored, responses=restored.responses.loc[:, list(COUNTED_COLUMNS)])  # copied for each setting
    results = [_measure_setting(data, None)]
    for number, setting in enumerate(settings, start=1):
        results.append(_measure_setting(_apply_setting(restored, facts, setting), setting))
        if progress is not None:
            progress(number / len(settings))
    return tuple(results)


def _collect_facts(data: DataSet) -> _Facts:
    marked = list_control_answers(data)
    shares = marked["right"].astype(float).groupby(marked["annotator"]).mean()
    rows = data.responses
    return _Facts(accuracy=rows["annotator"].map(shares).astype(float), seconds=pd.to_numeric(rows["seconds"]))


def _apply_setting(data: DataSet, facts: _Facts, setting: RuleSetting) -> DataSet:
    """The data set in which only the answers that the setting keeps count."""
    left_out = facts.seconds < setting.seconds
    if setting.accuracy:
        left_out |= facts.accuracy <= setting.accuracy
    kinds = data.responses["excluded_kind"]
    return replace(data, responses=data.responses.assign(excluded_kind=kinds.mask(left_out & kinds.isna(), RULE)))


def _measure_setting(data: DataSet, setting: RuleSetting | None) -> SettingResult:
    counted = data.keep_first_places()
    answers = counted.build_answers()
    frame = answers.votes.frame
    name, agreement = _compute_agreement(answers, counted.headline_coefficient)
    single, majority = _score_answers(counted, answers)
    return SettingResult(
        setting=setting,
        n_answers=len(frame),
        n_people=frame["annotator"].nunique(),
        n_gold=_count_decided_items(answers),
        n_items=len(data.items),
        single=single,
        majority=majority,
        agreement_name=name,
        agreement=agreement,
    )


def _score_answers(data: DataSet, answers: Answers) -> tuple[Score | None, Score | None]:
    if answers.votes.frame.empty or answers.votes.items["gold"].isna().all():
        return None, None
    scores = score_answers(answers, skips=data.build_skips(), units=VARIANT_UNITS)
    return scores["individual"].primary, scores["majority"].primary


def _compute_agreement(answers: Answers, name: str) -> tuple[str, float | None]:
    """The name and value of the headline coefficient, which is `name`."""
    if answers.votes.classes is not None:
        return compute_alpha(answers.votes)  # without the other coefficients, for every setting of the grid
    if answers.votes.frame.empty:
        return name, None
    rows = compute_agreement(answers, n_resamples=1).headline
    return name, next((row.value for row in rows if row.name == name and not row.of), None)


def _count_decided_items(answers: Answers) -> int:
    """The items that have a single most frequent answer."""
    sizes = answers.normalise_votes().frame.groupby(["item", "answer"], sort=False).size()
    of_item = sizes.groupby("item", sort=False)
    return int((sizes == of_item.transform("max")).groupby("item", sort=False).sum().eq(1).sum())
