"""stories.json: how many texts were usable and why the others were not, how much was changed, and the agreement."""

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
from aggregation.agreement.table import Coefficient, estimate_item_mean
from aggregation.answer_types.text import compute_text_agreement
from aggregation.intervals.resampling import Resampling
from aggregation.text_difference import EditMeasures
from exports.corrections.text_pairs import (
    STATUSES,
    Correction,
    get_original,
    list_corrections,
    list_edit_questions,
    list_reason_questions,
)
from exports.full_responses import FullResponses, QuestionSpec
from exports.inputs import DataSet
from exports.number_formats import round_number, serialize_coefficient
from exports.pages.translation import translate

USABLE, UNUSABLE, TIED, UNANSWERED = "usable", "unusable", "tied", "no answer"
RESAMPLES, CONFIDENCE_LEVEL = 1000, 0.95

MEASURES: Mapping[str, Callable[[EditMeasures], float]] = MappingProxyType(
    {
        "cer": lambda edits: edits.cer,
        "wer": lambda edits: edits.wer,
        "chrf": lambda edits: edits.chrf,
        "words_kept": lambda edits: edits.words_kept,
    }
)
_POOLED: Mapping[str, Callable[[EditMeasures], tuple[int, int]]] = MappingProxyType(
    {
        "cer": lambda edits: (edits.characters_changed, edits.corrected_characters),
        "wer": lambda edits: (edits.words_changed, edits.corrected_words),
    }
)
_QUARTILES = MappingProxyType({"min": 0.0, "quartile_low": 0.25, "median": 0.5, "quartile_high": 0.75, "max": 1.0})


@dataclass(frozen=True, kw_only=True)
class CorrectedStory:
    """One text with all its corrections."""

    item_id: str
    group: str
    original: str
    corrections: tuple[Correction, ...]

    @property
    def verdict(self) -> str:
        """USABLE or UNUSABLE by the majority of pairs and of answers "unusable", TIED, or UNANSWERED without any.

        Skips, empty answers, and answers to a text that was changed afterwards are not counted.
        """
        counted = [correction for correction in self.corrections if correction.edits or correction.status == UNUSABLE]
        usable = sum(correction.edits is not None for correction in counted)
        unusable = len(counted) - usable
        if not counted:
            return UNANSWERED
        return TIED if usable == unusable else USABLE if usable > unusable else UNUSABLE

    @property
    def pairs(self) -> tuple[Correction, ...]:
        """The corrections that are a pair of texts."""
        return tuple(correction for correction in self.corrections if correction.edits is not None)

    @property
    def n_marked(self) -> int:
        """How many of the corrections their annotators marked as worth attention."""
        return sum(bool(correction.marks) for correction in self.corrections)


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrectionSummary:
    """One question of the type `edit`: every story of its data set, answered or not, and the numbers over them."""

    responses: FullResponses
    question: QuestionSpec
    stories: tuple[CorrectedStory, ...]
    means: Mapping[str, Coefficient]
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
        """The corrections that are a pair of texts."""
        return tuple(correction for correction in self.corrections if correction.edits is not None)

    @property
    def unchanged(self) -> float | None:
        """The share of the pairs in which nothing was changed."""
        return fmean(correction.status == "unchanged" for correction in self.pairs) if self.pairs else None

    @property
    def reasons(self) -> list[tuple[str, int, float, int]]:
        """Why texts were unusable, most frequent first: (reason, answers with it, their share, stories with it).

        The share is of all answers that call a text unusable. An answer can give several reasons, so the shares may
        add up to more than 1.
        """
        unusable = [correction for correction in self.corrections if correction.status == UNUSABLE]
        given = [(reason, correction.item_id) for correction in unusable for reason in correction.reasons]
        counts = Counter(reason for reason, _ in given)
        stories = Counter(reason for reason, _ in set(given))
        ranked = sorted(counts, key=lambda reason: (-counts[reason], reason))
        return [(reason, counts[reason], counts[reason] / len(unusable), stories[reason]) for reason in ranked]

    @property
    def marks(self) -> Counter[str]:
        """How many corrections have each mark."""
        return Counter(mark for correction in self.corrections for mark in correction.marks)

    def list_values(self, measure: str) -> list[float]:
        """The values of one of the MEASURES, one for each pair."""
        return [MEASURES[measure](pair.edits) for pair in self.pairs if pair.edits is not None]


def summarize_corrections(projects: Sequence[FullResponses], *, seed: int = 0) -> tuple[CorrectionSummary, ...]:
    """Summarize each question of the type `edit`, in the order of the projects; `seed` is that of the intervals."""
    return tuple(
        _summarize_question(responses, question, seed=seed)
        for responses in projects
        for question in list_edit_questions(responses)
    )


def _summarize_question(responses: FullResponses, question: QuestionSpec, *, seed: int) -> CorrectionSummary:
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
        agreement=_compute_agreement(stories, resampling=resampling),
    )


def _compute_mean(
    name: str, measure: Callable[[EditMeasures], float], stories: Sequence[CorrectedStory], *, resampling: Resampling
) -> Coefficient:
    edited = [story for story in stories if story.pairs]
    values = [fmean(measure(pair.edits) for pair in story.pairs if pair.edits) for story in edited]
    annotators = {pair.annotator for story in edited for pair in story.pairs}
    return estimate_item_mean(
        name,
        np.array(values, dtype=np.float64),
        groups=pd.Series([story.group for story in edited], dtype=object),
        n_votes=sum(len(story.pairs) for story in edited),
        n_annotators=len(annotators),
        resampling=resampling,
        how="mean over stories, each the mean of its corrections",
        level="similarity",
        reason_undefined="Nobody corrected anything.",
    )


def _compute_agreement(stories: Sequence[CorrectedStory], *, resampling: Resampling) -> tuple[Coefficient, ...]:
    """How far several corrections of one story are from each other."""
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
    """The object of one question in stories.json; shares and rates are fractions."""
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
        "several": {
            "stories": sum(len(story.pairs) > 1 for story in summary.stories),
            "agreement": [serialize_coefficient(row) for row in summary.agreement],
        },
    }


def describe_usable_rule(summary: CorrectionSummary) -> str:
    """When a text counts as usable, and which questions give the reasons, as a sentence."""
    name, conditions = summary.question.name, summary.question.show_if
    if not conditions:
        return translate("A text is usable where “{question}” was answered.", question=name)
    condition = translate(" and ").join(
        translate("“{question}” is {answers}", question=earlier, answers=translate(" or ").join(values))
        for earlier, values in conditions.items()
    )
    names = [question.name for question in list_reason_questions(summary.responses, summary.question)]
    rule = translate(
        "“{question}” is asked where {condition}; any other answer there means unusable",
        question=name,
        condition=condition,
    )
    if not names:
        return f"{rule}."
    questions = ", ".join(f"“{name}”" for name in names)
    reasons = translate("the reasons are the answers to {questions}", questions=questions)
    return f"{rule}; {reasons}."


def _serialize_measure(summary: CorrectionSummary, name: str) -> dict[str, Any]:
    values = summary.list_values(name)
    quartiles = np.quantile(values, list(_QUARTILES.values())).tolist() if values else (None,) * len(_QUARTILES)
    spread = dict(zip(_QUARTILES, quartiles, strict=True))
    pooled = {} if name not in _POOLED else {"pooled": _compute_pooled_rate(summary, _POOLED[name])}
    numbers = {key: round_number(value) for key, value in (spread | pooled).items()}
    return {"n": len(values), **numbers, "mean": serialize_coefficient(summary.means[name])}


def _compute_pooled_rate(
    summary: CorrectionSummary, get_lengths: Callable[[EditMeasures], tuple[int, int]]
) -> float | None:
    """All edits over the length of all corrected texts, so that long texts weigh more."""
    lengths = [get_lengths(pair.edits) for pair in summary.pairs if pair.edits is not None]
    total = sum(length for _, length in lengths)
    return sum(edited for edited, _ in lengths) / total if total else None
