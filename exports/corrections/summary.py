"""stories.json: how many texts were usable and why the others were not, how much was changed, and the agreement."""

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
from aggregation.agreement.table import Coefficient, estimate_item_mean
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

Verdict = Literal["gold", "right", "other", "broken"]
"""What adjudicators made of a correction: the published text, right as well, neither, or that the item is broken."""
VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        "gold": mark_text("adjudicated: the published text"),
        "right": mark_text("adjudicated: right as well"),
        "other": mark_text("adjudicated: not chosen"),
        "broken": mark_text("adjudicated: the item is broken"),
    }
)
"""The same in words for a page."""
CorrectionStatus = Literal["corrected", "unchanged", "unusable", "not answered", "skipped", "text changed"]
STATUSES: Mapping[CorrectionStatus, str] = MappingProxyType(
    {
        "corrected": "the text was changed",
        "unchanged": "the text was confirmed as it stood",
        "unusable": "an earlier answer said that there is nothing to correct; its reasons stand beside it",
        "not answered": "the question was asked and left empty",
        "skipped": "the item was skipped",
        "text changed": "the item was changed after the answer, so the text that was corrected is not known any more",
    }
)


@dataclass(frozen=True, kw_only=True)
class Correction:
    """One annotator's correction of one text; `parts` and `edits` are set where the status is corrected or unchanged.

    `reasons` are the labels given for an unusable text, or the reason of a skip; `other_answers` are the annotator's
    answers to all other questions, and `marks` those of them that were ticked in a box that stands alone, like "worth
    attention". `adjudicated` is None where no adjudicator decided on the story, and without a
    correction that they could have judged.
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
    adjudicated: Verdict | None = None

    @property
    def row(self) -> writers.DataRow:
        """The correction as a row of the columns STORY_COLUMNS."""
        values = vars(self) | (vars(self.edits) if self.edits else {})
        values |= {"reasons": list(self.reasons), "other_answers": dict(self.other_answers)}
        values["difference"] = [list(part) for part in self.parts] if self.edits else None
        return {column: values.get(column) for column in STORY_COLUMNS}


def list_edit_questions(responses: JointAnswers) -> tuple[QuestionSpec, ...]:
    """The questions that ask for a corrected text."""
    return tuple(question for question in responses.questions if question.answer_type.revises_text)


def list_reason_questions(responses: JointAnswers, edit: QuestionSpec) -> tuple[QuestionSpec, ...]:
    """The questions that ask why a text is unusable: boxes or options asked after answers that skip the edit."""
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
    """The questions with a single box to tick, by which annotators mark what somebody should look at."""
    return tuple(
        question
        for question in responses.questions
        if question.answer_type.has_options and not question.answer_type.is_label and len(question.options or ()) == 1
    )


def get_original(responses: JointAnswers, edit: QuestionSpec, item_id: str) -> str:
    """The text that is corrected, normalized; empty where the item has none."""
    return normalize_text(responses.contents[item_id].fields.get(edit.field or "", ""))


def list_corrections(responses: JointAnswers, edit: QuestionSpec) -> Iterator[Correction]:
    """One correction for each response that counts, by item and annotator."""
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
) -> Verdict | None:
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
    """The status of a response; `current` says that the item has not changed since it."""
    answer = response.answers.get(edit.name)
    if answer is not None:
        return "text changed" if not current else "unchanged" if normalize_text(answer) == original else "corrected"
    if response.skip_reason is not None:
        return "skipped"
    return "not answered" if responses.was_asked(edit.name, response.answers) else "unusable"


def _list_reasons(
    responses: JointAnswers, questions: Sequence[QuestionSpec], response: JointAnswer, *, status: CorrectionStatus
) -> tuple[str, ...]:
    if status == "skipped":
        return (str(response.skip_reason),)
    if status != "unusable":
        return ()
    return tuple(label for question in questions for label in responses.list_labels(question.name, response.answers))


def _list_other_answers(
    responses: JointAnswers, excluded: Sequence[QuestionSpec], response: JointAnswer
) -> dict[str, str]:
    """The answers to all questions but the excluded ones, as stored, in the order of the questions."""
    names = {question.name for question in excluded}
    return {
        question.name: response.answers[question.name]
        for question in responses.questions
        if question.name in response.answers and question.name not in names
    }


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


def summarize_corrections(projects: Sequence[JointAnswers], *, seed: int = 0) -> tuple[CorrectionSummary, ...]:
    """Summarize each question of the type `edit`, in the order of the projects; `seed` is that of the intervals."""
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
        name,
        np.array(values, dtype=np.float64),
        groups=pd.Series([story.group for story in edited], dtype=object),
        n_votes=sum(len(story.pairs) for story in edited),
        n_annotators=len(annotators),
        resampling=resampling,
        how="mean over stories, each the mean of its corrections",
        level="similarity",
        reason_undefined=Finding("no-corrections"),
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
