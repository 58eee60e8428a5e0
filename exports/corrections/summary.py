"""Corrections of texts, one per answer, and stories.json, which summarizes them by question.

A *story* is an item with a question of the type `edit` and all its corrections. Its *text* is what annotators are asked
to correct. A correction is a *pair* if it has a corrected text, changed or not, and it is known which text was
corrected. Only pairs have a difference and numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from aggregation import schema
from aggregation.agreement.table import Coefficient, Definition, estimate_item_mean
from aggregation.answer_types.text import compute_text_agreement
from aggregation.findings import Finding
from aggregation.intervals.resampling import Resampling
from aggregation.text_difference import DiffPart, EditMeasures, compute_difference, measure_edits, normalize_text
from exports import writers
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.inputs import DataSet
from exports.joint_answers import JointAnswer, JointAnswers, QuestionSpec
from exports.pages.localization import mark_text, translate
from exports.rounding import round_number, serialize_coefficient

STORY_COLUMNS: writers.ColumnTypes = MappingProxyType(
    {
        "dataset": "text", "question": "text", "item_id": "text", "item_revision": "integer", "group": "text",
        "annotator": "text", "status": "text", "reasons": "texts", "original": "text", "corrected": "text",
        "difference": "pairs", "cer": "number", "wer": "number", "chrf": "number", "words_kept": "number",
        "characters_changed": "integer", "words_changed": "integer", "seconds": "number", "other_answers": "object",
        "adjudicated": "text",
    }
)  # fmt: skip

Decision = Literal["gold", "right", "other", "broken"]
"""What adjudicators decided about a correction: it is the published text, it is also correct, or neither (`other`).

`broken` is about the item: no correction of it is correct.
"""
DECISIONS: Mapping[Decision, str] = MappingProxyType(
    {
        "gold": mark_text("adjudicated: the published text"),
        "right": mark_text("adjudicated: right as well"),
        "other": mark_text("adjudicated: not chosen"),
        "broken": mark_text("adjudicated: the item is broken"),
    }
)
"""The same in words, for a page."""
CorrectionStatus = Literal["corrected", "unchanged", "unusable", "not answered", "skipped", "text changed"]
STATUSES: Mapping[CorrectionStatus, str] = MappingProxyType(
    {
        "corrected": "the text was changed",
        "unchanged": "the text was confirmed as it is",
        "unusable": "an earlier answer said that the text is unusable, so the question was not asked",
        "not answered": "the question was asked and left empty",
        "skipped": "the item was skipped",
        "text changed": "the item was changed after the answer, so the text that was corrected is no longer known",
    }
)
"""What each status means."""


@dataclass(frozen=True, kw_only=True)
class Correction:
    """One annotator's answer about one story, with any status.

    `original` is the present text of the item; if the status is "text changed", the annotator corrected an earlier one.
    `corrected` is None if there is no corrected text. `parts` and `edits` are set only for a pair, whose status is
    "corrected" or "unchanged".

    `reasons` are the labels given for an unusable text, or the reason of a skip. `other_answers` are the answers to all
    other questions, except those that ask for these reasons. `marks` are the ticked labels of questions with a single
    checkbox, like "worth attention".

    `adjudicated` is None if no adjudicator decided about the story. If they found the item broken, it is "broken" for
    each of its corrections. Otherwise it is None for corrections that are not a pair.
    """

    dataset: str
    question: str
    item_id: str
    item_revision: int
    group: str
    annotator: str
    status: CorrectionStatus
    original: str
    reasons: tuple[str, ...] = ()
    corrected: str | None = None
    parts: tuple[DiffPart, ...] = ()
    edits: EditMeasures | None = None
    seconds: float | None = None
    other_answers: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    adjudicated: Decision | None = None

    @property
    def row(self) -> writers.DataRow:
        """The correction as a row with the columns STORY_COLUMNS."""
        values = vars(self) | (vars(self.edits) if self.edits else {})
        values |= {"reasons": list(self.reasons), "other_answers": dict(self.other_answers)}
        values["difference"] = [list(part) for part in self.parts] if self.edits else None
        return {column: values.get(column) for column in STORY_COLUMNS}


def list_edit_questions(responses: JointAnswers) -> tuple[QuestionSpec, ...]:
    """Return the questions that ask for a corrected text."""
    return tuple(question for question in responses.questions if question.answer_type.revises_text)


def list_reason_questions(responses: JointAnswers, edit: QuestionSpec) -> tuple[QuestionSpec, ...]:
    """Return the questions that ask why a text is unusable.

    These are the `choice` and `choices` questions that are shown only after an answer with which `edit` is not asked.
    """
    return tuple(
        question
        for question in responses.questions
        if ANSWER_SPACES[question.kind].names_reasons
        and any(
            name in edit.show_if and not set(values) & set(edit.show_if[name])
            for name, values in question.show_if.items()
        )
    )


def list_mark_questions(responses: JointAnswers) -> tuple[QuestionSpec, ...]:
    """Return the questions with a single checkbox, by which annotators mark what somebody should look at."""
    return tuple(
        question
        for question in responses.questions
        if question.answer_type.has_options and not question.answer_type.is_label and len(question.options or ()) == 1
    )


def get_original(responses: JointAnswers, edit: QuestionSpec, item_id: str) -> str:
    """Return the present text of the item that `edit` asks to correct, normalized; empty if the item has none."""
    return normalize_text(responses.contents[item_id].fields.get(edit.field or "", ""))


def list_corrections(responses: JointAnswers, edit: QuestionSpec) -> Iterator[Correction]:
    """Yield a correction for each response that counts, skips included, sorted by item and annotator."""
    items = responses.data.items
    revisions = dict(zip(items["item_id"], items["item_revision"], strict=True))
    groups = dict(zip(items["item_id"], items["group"], strict=True))
    reason_questions, marks = list_reason_questions(responses, edit), list_mark_questions(responses)
    for response in responses.list_counted():
        original = get_original(responses, edit, response.item_id)
        answer = response.answers.get(edit.name)
        current = response.item_revision == revisions[response.item_id]
        status = _get_status(responses, edit, response, original, current=current)
        corrected = None if answer is None else normalize_text(answer)
        is_pair = corrected is not None and status in {"corrected", "unchanged"}
        parts = compute_difference(original, corrected) if is_pair and corrected is not None else ()
        yield Correction(
            dataset=responses.data.name,
            question=edit.name,
            item_id=response.item_id,
            item_revision=response.item_revision,
            group=str(groups[response.item_id]),
            annotator=response.annotator,
            status=status,
            original=original,
            reasons=_list_reasons(responses, reason_questions, response, status=status),
            corrected=corrected,
            parts=parts,
            edits=measure_edits(original, corrected, parts) if is_pair and corrected is not None else None,
            seconds=response.seconds,
            other_answers=_list_other_answers(responses, (edit, *reason_questions), response),
            marks=tuple(
                label for question in marks for label in responses.list_labels(question.name, response.answers)
            ),
            adjudicated=_judge_correction(responses, edit, response.item_id, corrected if is_pair else None),
        )


def _judge_correction(
    responses: JointAnswers, edit: QuestionSpec, item_id: str, corrected: str | None
) -> Decision | None:
    """Return what adjudicators decided about a correction; `corrected` is None if it is not a pair."""
    decided = responses.adjudicated.get(edit.name, {}).get(item_id)
    if decided is None:
        return None
    if decided.gold is None:
        return "broken"
    if corrected is None:
        return None
    right = [normalize_text(label) for label in decided.labels]
    return "gold" if corrected == right[0] else "right" if corrected in right else "other"


def _get_status(
    responses: JointAnswers, edit: QuestionSpec, response: JointAnswer, original: str, *, current: bool
) -> CorrectionStatus:
    """Return the status of a response; `current` says that the item has not changed since it was answered."""
    answer = response.answers.get(edit.name)
    if answer is not None:
        return "text changed" if not current else "unchanged" if normalize_text(answer) == original else "corrected"
    if response.skip_reason is not None:
        return "skipped"
    return "not answered" if responses.was_asked(edit.name, response.answers) else "unusable"


def _list_reasons(
    responses: JointAnswers, questions: Sequence[QuestionSpec], response: JointAnswer, *, status: CorrectionStatus
) -> tuple[str, ...]:
    """Return the reason of a skip, or the labels that say why a text is unusable; empty for any other status."""
    if status == "skipped":
        return (str(response.skip_reason),)
    if status != "unusable":
        return ()
    return tuple(label for question in questions for label in responses.list_labels(question.name, response.answers))


def _list_other_answers(
    responses: JointAnswers, excluded: Sequence[QuestionSpec], response: JointAnswer
) -> dict[str, str]:
    """Return the answers to all questions except the excluded ones, as stored, in the order of the questions."""
    names = {question.name for question in excluded}
    return {
        question.name: response.answers[question.name]
        for question in responses.questions
        if question.name in response.answers and question.name not in names
    }


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
_POOLED: Mapping[str, Callable[[EditMeasures], tuple[int, int]]] = MappingProxyType(
    {
        "cer": lambda edits: (edits.characters_changed, edits.corrected_characters),
        "wer": lambda edits: (edits.words_changed, edits.corrected_words),
    }
)
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


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrectionSummary:
    """One question of the type `edit`: all stories of its data set, also those without an answer, and their numbers.

    `means` has the mean of each of the MEASURES. `agreement` says how similar several corrections of a story are.
    """

    responses: JointAnswers
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
        """The corrections that are pairs."""
        return tuple(correction for correction in self.corrections if correction.edits is not None)

    @property
    def unchanged(self) -> float | None:
        """The share of pairs in which nothing was changed, or None without pairs."""
        return fmean(correction.status == "unchanged" for correction in self.pairs) if self.pairs else None

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
    questions = ", ".join(f"“{reason_question}”" for reason_question in reason_questions)
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
    """Divide the edits of all pairs by the length of all their corrected texts, so that long texts weigh more.

    None without pairs, or if all corrected texts are empty.
    """
    lengths = [get_lengths(pair.edits) for pair in summary.pairs if pair.edits is not None]
    total = sum(length for _, length in lengths)
    return sum(edited for edited, _ in lengths) / total if total else None
