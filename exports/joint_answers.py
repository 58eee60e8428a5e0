"""All answers of an annotator to all questions of an item, where a `DataSet` holds those to one question only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from aggregation.answer_types import TYPES_BY_QUESTION
from aggregation.answer_types.answer_type import AnswerType
from exports.adjudicated_gold import AdjudicatedItem
from exports.inputs import DataSet


@dataclass(frozen=True, kw_only=True)
class QuestionSpec:
    """A question: its `kind` as the project file has it, and the options where they are the same for all items.

    `show_if` maps earlier questions to the answers after which this one is asked. `field` is the item's text that an
    edit corrects.
    """

    name: str
    kind: str
    text: str
    options: tuple[str, ...] | None = None
    show_if: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    field: str | None = None

    @property
    def answer_type(self) -> AnswerType:
        """What is known of all answers of this type."""
        return TYPES_BY_QUESTION[self.kind]


@dataclass(frozen=True, kw_only=True)
class FilteringRule:
    """The rule by which items are kept; the fields are those of `filtering` in the project file."""

    problems: tuple[str, ...] = ()
    keep: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    share: float = 0.5
    failure: bool = False


class ItemContent(NamedTuple):
    """What an item shows in the first step, and the texts of its fields."""

    shown: str = ""
    fields: Mapping[str, str] = {}


class JointAnswer(NamedTuple):
    """One annotator's answers to one item, by question; empty where the item was skipped.

    `unasked` are the questions that they were never asked about it: those of a second pass that was not done, or that
    the file of votes has no column for.
    """

    item_id: str
    item_revision: int
    annotator: str
    answers: Mapping[str, str]
    skip_reason: str | None
    seconds: float | None
    unasked: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, eq=False)
class JointAnswers:
    """A data set with all questions of its project.

    `answers` has one mapping for each row of `data.responses`: question name → answer as stored. So has `unasked`, with
    the names of the questions that were not asked; where it is None, every question was. `adjudicated` has what
    adjudicators decided, by question and item_id.
    """

    data: DataSet
    questions: tuple[QuestionSpec, ...]
    answers: tuple[Mapping[str, str], ...]
    contents: Mapping[str, ItemContent]
    filtering: FilteringRule | None = None
    unasked: tuple[frozenset[str], ...] | None = None
    adjudicated: Mapping[str, Mapping[str, AdjudicatedItem]] = field(default_factory=dict)

    def list_counted(self, *, by_item: bool = True) -> Iterator[JointAnswer]:
        """The responses that count (`DataSet.exclusion_kinds`), skips too, to the items of the data set.

        Sorted by item and annotator, or in the order in which they were given.
        """
        items = set(self.data.items["item_id"])
        counts = self.data.exclusion_kinds().isna() & self.data.responses["item_id"].isin(items)
        columns = ("item_id", "item_revision", "annotator", "skip_reason", "seconds")
        rows = self.data.responses.loc[:, list(columns)].itertuples(index=False)
        unasked = (frozenset[str](),) * len(self.answers) if self.unasked is None else self.unasked
        responses = [
            JointAnswer(
                item_id=str(item),
                item_revision=int(revision),
                annotator=str(annotator),
                answers=answers,
                skip_reason=None if skip is None else str(skip),
                seconds=None if seconds is None else float(seconds),
                unasked=names,
            )
            for (item, revision, annotator, skip, seconds), answers, names, counted in zip(
                rows, self.answers, unasked, counts, strict=True
            )
            if counted
        ]
        return iter(sorted(responses, key=lambda row: (row.item_id, row.annotator)) if by_item else responses)

    def get_question(self, name: str) -> QuestionSpec:
        """The question of that name."""
        return next(question for question in self.questions if question.name == name)

    def list_labels(self, name: str, answers: Mapping[str, str]) -> tuple[str, ...]:
        """The answer to a question as labels, one a box where there are several; empty where it was not answered."""
        if name not in answers:
            return ()
        return self.get_question(name).answer_type.list_parts(answers[name])

    def was_asked(self, name: str, answers: Mapping[str, str]) -> bool:
        """Whether the earlier answers fulfil every condition of the question's `show_if`."""
        conditions = self.get_question(name).show_if.items()
        return all(set(self.list_labels(earlier, answers)) & set(values) for earlier, values in conditions)
