"""stories.json: the stories of each question of the type `edit`, and the numbers over their corrections."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from aggregation import schema
from aggregation.agreement.table import Coefficient, Definition, estimate_item_mean, estimate_item_ratio
from aggregation.answer_types.text import compute_text_agreement
from aggregation.findings import Finding
from aggregation.intervals.resampling import Resampling
from aggregation.text_difference import EditMeasures
from exports.corrections.correction import (
    STATUSES,
    Correction,
    get_original,
    list_corrections,
    list_edit_questions,
    list_reason_questions,
)
from exports.inputs import DataSet
from exports.joint_answers import JointAnswers, QuestionSpec
from exports.pages.localization import translate
from exports.rounding import round_number, serialize_coefficient

USABLE, UNUSABLE, TIED, UNANSWERED = "usable", "unusable", "tied", "no answer"
"""The verdicts on a story (`CorrectedStory.verdict`)."""
RESAMPLES, CONFIDENCE_LEVEL = 1000, 0.95

MEASURES: Mapping[str, Callable[[EditMeasures], float]] = MappingProxyType(
    {
        "cer": lambda edits: edits.cer,
        "wer": lambda edits: edits.wer,
        "chrf": lambda edits: edits.chrf,
        "words_kept": lambda edits: edits.words_kept,
    }
)
POOLED: Mapping[str, Callable[[EditMeasures], tuple[int, int]]] = MappingProxyType(
    {
        "cer": lambda edits: (edits.characters_changed, edits.corrected_characters),
        "wer": lambda edits: (edits.words_changed, edits.corrected_words),
    }
)
"""The edits of a correction and the length of its text: of these measures the sums of both are the figure to report.

One correction that left three words of a story would otherwise outweigh all others.
"""
_QUARTILES = MappingProxyType({"min": 0.0, "quartile_low": 0.25, "median": 0.5, "quartile_high": 0.75, "max": 1.0})


@dataclass(frozen=True, kw_only=True)
class CorrectedStory:
    """One story: an item with its present text (`original`) and all its corrections."""

    item_id: str
    group: str
    original: str
    corrections: tuple[Correction, ...]

    @property
    def verdict(self) -> str:
        """USABLE if more corrections are pairs than "unusable", UNUSABLE if fewer, TIED if as many.

        Corrections with any other status do not count. UNANSWERED if none counts.
        """
        counted = [correction for correction in self.corrections if correction.edits or correction.status == UNUSABLE]
        usable = sum(correction.edits is not None for correction in counted)
        unusable = len(counted) - usable
        if not counted:
            return UNANSWERED
        return TIED if usable == unusable else USABLE if usable > unusable else UNUSABLE

    @property
    def pairs(self) -> tuple[Correction, ...]:
        """The corrections that are pairs."""
        return tuple(correction for correction in self.corrections if correction.edits is not None)

    @property
    def n_marked(self) -> int:
        """The number of corrections with a mark, such as "worth attention"."""
        return sum(bool(correction.marks) for correction in self.corrections)

    @property
    def n_dropped(self) -> int:
        """The number of corrections that dropped most of the text."""
        return sum(correction.edits.most_dropped for correction in self.pairs if correction.edits is not None)


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrectionSummary:
    """One question of the type `edit`: all stories of its data set, also those without an answer, and their numbers.

    `means` has the mean of each of the MEASURES over stories, `pooled` those of POOLED over all texts together.
    `agreement` says how similar several corrections of a story are.
    """

    responses: JointAnswers
    question: QuestionSpec
    stories: tuple[CorrectedStory, ...]
    means: Mapping[str, Coefficient]
    pooled: Mapping[str, Coefficient]
    agreement: tuple[Coefficient, ...]

    @property
    def data(self) -> DataSet:
        """The data set of the question."""
        return self.responses.data

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """All corrections, by story and annotator."""
        return tuple(correction for story in self.stories for correction in story.corrections)

    @property
    def pairs(self) -> tuple[Correction, ...]:
        """The corrections that are pairs."""
        return tuple(correction for correction in self.corrections if correction.edits is not None)

    @property
    def unchanged(self) -> float | None:
        """The share of pairs in which nothing was changed, or None without pairs."""
        return fmean(correction.status == "unchanged" for correction in self.pairs) if self.pairs else None

    @property
    def n_dropped(self) -> int:
        """The number of corrections that dropped most of their text."""
        return sum(story.n_dropped for story in self.stories)

    @property
    def reasons(self) -> list[tuple[str, int, float, int]]:
        """Why texts are unusable, most frequent first: (reason, answers with it, their share, stories with it).

        The share is that of all "unusable" answers. An answer can give several reasons, so the sum can exceed 1.
        """
        unusable = [correction for correction in self.corrections if correction.status == UNUSABLE]
        given = [(reason, correction.item_id) for correction in unusable for reason in correction.reasons]
        counts = Counter(reason for reason, _ in given)
        stories = Counter(reason for reason, _ in set(given))
        ranked = sorted(counts, key=lambda reason: (-counts[reason], reason))
        return [(reason, counts[reason], counts[reason] / len(unusable), stories[reason]) for reason in ranked]

    @property
    def marks(self) -> Counter[str]:
        """The number of corrections by mark."""
        return Counter(mark for correction in self.corrections for mark in correction.marks)

    def list_values(self, measure: str) -> list[float]:
        """Return the values of one of the MEASURES, one per pair."""
        return [MEASURES[measure](pair.edits) for pair in self.pairs if pair.edits is not None]


def summarize_corrections(projects: Sequence[JointAnswers], *, seed: int = 0) -> tuple[CorrectionSummary, ...]:
    """Summarize each question of the type `edit`, in the order of the projects.

    The intervals are made by resampling, of which `seed` is the seed.
    """
    return tuple(
        _summarize_question(responses, question, seed=seed)
        for responses in projects
        for question in list_edit_questions(responses)
    )


def _summarize_question(responses: JointAnswers, question: QuestionSpec, *, seed: int) -> CorrectionSummary:
    by_item: dict[str, list[Correction]] = defaultdict(list)
    for correction in list_corrections(responses, question):
        by_item[correction.item_id].append(correction)
    items = responses.data.items[["item_id", "group"]].itertuples(index=False)
    stories = tuple(
        CorrectedStory(
            item_id=str(item),
            group=str(group),
            original=get_original(responses, question, str(item)),
            corrections=tuple(by_item[str(item)]),
        )
        for item, group in items
    )
    resampling = Resampling(n_resamples=RESAMPLES, seed=seed, confidence_level=CONFIDENCE_LEVEL)
    return CorrectionSummary(
        responses=responses,
        question=question,
        stories=stories,
        means={
            name: _compute_mean(name, measure, stories, resampling=resampling) for name, measure in MEASURES.items()
        },
        pooled={name: _compute_pooled(name, lengths, stories, resampling) for name, lengths in POOLED.items()},
        agreement=_compute_agreement(stories, resampling=resampling),
    )


def _compute_mean(
    name: str, measure: Callable[[EditMeasures], float], stories: Sequence[CorrectedStory], *, resampling: Resampling
) -> Coefficient:
    edited = [story for story in stories if story.pairs]
    values = [fmean(measure(pair.edits) for pair in story.pairs if pair.edits) for story in edited]
    annotators = {pair.annotator for story in edited for pair in story.pairs}
    return estimate_item_mean(
        Definition(
            name=name,
            how="mean over stories, each the mean of its corrections",
            level="similarity",
            reason_undefined=Finding("no-corrections"),
        ),
        np.array(values, dtype=np.float64),
        resampling,
        groups=pd.Series([story.group for story in edited], dtype=object),
        n_votes=sum(len(story.pairs) for story in edited),
        n_annotators=len(annotators),
    )


def _compute_pooled(
    name: str,
    get_lengths: Callable[[EditMeasures], tuple[int, int]],
    stories: Sequence[CorrectedStory],
    resampling: Resampling,
) -> Coefficient:
    """The edits of all pairs over the length of all their corrected texts, so that long texts weigh more."""
    edited = [story for story in stories if story.pairs]
    sums = np.array(
        [np.sum([get_lengths(pair.edits) for pair in story.pairs if pair.edits], axis=0) for story in edited],
        dtype=np.float64,
    ).reshape(len(edited), 2)
    return estimate_item_ratio(
        Definition(
            name=name,
            how="edits of all corrections over the length of all corrected texts",
            level="similarity",
            reason_undefined=Finding("no-corrections"),
        ),
        sums[:, 0],
        sums[:, 1],
        resampling,
        groups=pd.Series([story.group for story in edited], dtype=object),
        n_votes=sum(len(story.pairs) for story in edited),
        n_annotators=len({pair.annotator for story in edited for pair in story.pairs}),
    )


def _compute_agreement(stories: Sequence[CorrectedStory], *, resampling: Resampling) -> tuple[Coefficient, ...]:
    """Return how similar several corrections of one story are, in several measures."""
    rows = [(pair.item_id, pair.annotator, pair.corrected) for story in stories for pair in story.pairs]
    index = pd.Index([story.item_id for story in stories], name="item")
    items = pd.DataFrame(
        {"group": [story.group for story in stories], "gold": None, "n_options": 2}, index=index, dtype=object
    )
    votes = schema.check_votes(pd.DataFrame(rows, columns=list(schema.VOTE_COLUMNS)), items=items, classes=None)
    return compute_text_agreement(
        votes,
        rule="verbatim",
        n_resamples=resampling.n_resamples,
        seed=resampling.seed,
        confidence_level=resampling.confidence_level,
    )


def serialize_summary(summary: CorrectionSummary) -> dict[str, Any]:
    """Return the object of one question in stories.json. Shares and rates are fractions.

    Its `answers` counts all corrections, also skips and empty answers; `answers_by_status` tells them apart.
    """
    data, verdicts = summary.data, Counter(story.verdict for story in summary.stories)
    statuses = Counter(correction.status for correction in summary.corrections)
    return {
        "question": summary.question.text,
        "simulated": data.simulated,
        "rule": describe_usable_rule(summary),
        "counts": {
            "stories": len(summary.stories),
            "stories_by_verdict": {name: verdicts[name] for name in (USABLE, UNUSABLE, TIED, UNANSWERED)},
            "answers": len(summary.corrections),
            "answers_by_status": {name: statuses[name] for name in STATUSES},
            "annotators": len({correction.annotator for correction in summary.corrections}),
            "excluded": len(data.list_excluded_responses()),
            "excluded_by_reason": data.count_excluded(),
        },
        "unusable_reasons": [
            {"reason": reason, "answers": answers, "share": round_number(share), "stories": stories}
            for reason, answers, share, stories in summary.reasons
        ],
        "edits": {name: _serialize_measure(summary, name) for name in MEASURES},
        "unchanged": {"corrections": statuses["unchanged"], "share": round_number(summary.unchanged)},
        "most_dropped": {
            "corrections": summary.n_dropped,
            "share": round_number(summary.n_dropped / len(summary.pairs)) if summary.pairs else None,
        },
        "several": {
            "stories": sum(len(story.pairs) > 1 for story in summary.stories),
            "agreement": [serialize_coefficient(row) for row in summary.agreement],
        },
    }


def describe_usable_rule(summary: CorrectionSummary) -> str:
    """Return a sentence that says which single answers mean "usable" and which "unusable", and where the reasons are.

    A story with several answers is usable by majority (`CorrectedStory.verdict`), which the sentence does not say.
    """
    name, conditions = summary.question.name, summary.question.show_if
    if not conditions:
        return translate("A text is usable where “{question}” was answered.", question=name)
    condition = translate(" and ").join(
        translate("“{question}” is {answers}", question=earlier, answers=translate(" or ").join(values))
        for earlier, values in conditions.items()
    )
    reason_questions = [question.name for question in list_reason_questions(summary.responses, summary.question)]
    rule = translate(
        "“{question}” is asked where {condition}; any other answer there means unusable",
        question=name,
        condition=condition,
    )
    if not reason_questions:
        return f"{rule}."
    questions = ", ".join(translate("“{name}”", name=reason) for reason in reason_questions)
    reasons = translate("the reasons are the answers to {questions}", questions=questions)
    return f"{rule}; {reasons}."


def _serialize_measure(summary: CorrectionSummary, name: str) -> dict[str, Any]:
    values = summary.list_values(name)
    quartiles = np.quantile(values, list(_QUARTILES.values())).tolist() if values else (None,) * len(_QUARTILES)
    spread = dict(zip(_QUARTILES, quartiles, strict=True))
    numbers = {key: round_number(value) for key, value in spread.items()}
    pooled = {"pooled": serialize_coefficient(summary.pooled[name])} if name in summary.pooled else {}
    return {"n": len(values), **numbers, **pooled, "mean": serialize_coefficient(summary.means[name])}
