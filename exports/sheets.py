"""All that was asked of an item, beside the one question that a data set speaks of: corrections, problems, remarks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from exports.inputs import DataSet


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question: its `kind` as the project file has it, and the options where they are fixed.

    `show_if` maps earlier questions to the answers after which it is asked. `field` is the item's text that an edit
    corrects.
    """

    name: str
    kind: str
    text: str
    options: tuple[str, ...] | None = None
    show_if: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    field: str | None = None


@dataclass(frozen=True, kw_only=True)
class Filtering:
    """By which rule items are kept, as the project file has it: see `filtering` there."""

    problems: tuple[str, ...] = ()
    keep: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    share: float = 0.5
    failure: bool = False


class Content(NamedTuple):
    """What an item shows in the first step, and the texts of its fields."""

    shown: str = ""
    fields: Mapping[str, str] = {}


class Sheet(NamedTuple):
    """One person's answers to one item, by question; none where she skipped it."""

    item_id: str
    item_revision: int
    annotator: str
    answers: Mapping[str, str]
    skip_reason: str | None
    seconds: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Sheets:
    """A data set with all its questions. `answers` has one mapping a row of `data.responses`, by question as stored."""

    data: DataSet
    questions: tuple[Asked, ...]
    answers: tuple[Mapping[str, str], ...]
    contents: Mapping[str, Content]
    filtering: Filtering | None = None

    def counted(self, *, by_item: bool = True) -> Iterator[Sheet]:
        """What counts, skips too, on the items of the data set: the filter of every number.

        By item and annotator, or in the order in which it was given.
        """
        counts = self.data.reasons().isna() & self.data.responses["item_id"].isin(set(self.data.items["item_id"]))
        columns = ("item_id", "item_revision", "annotator", "skip_reason", "seconds")
        rows = self.data.responses.loc[:, list(columns)].itertuples(index=False)
        found = [
            Sheet(
                item_id=str(item),
                item_revision=int(revision),
                annotator=str(who),
                answers=answers,
                skip_reason=None if skip is None else str(skip),
                seconds=None if seconds is None else float(seconds),
            )
            for (item, revision, who, skip, seconds), answers, counting in zip(rows, self.answers, counts, strict=True)
            if counting
        ]
        return iter(sorted(found, key=lambda sheet: (sheet.item_id, sheet.annotator)) if by_item else found)

    def asked(self, name: str) -> Asked:
        """The question of that name."""
        return next(one for one in self.questions if one.name == name)

    def labels(self, name: str, answers: Mapping[str, str]) -> tuple[str, ...]:
        """What was answered to a question, box by box where there are several; empty where nothing was."""
        if name not in answers:
            return ()
        return tuple(json.loads(answers[name])) if self.asked(name).kind == "choices" else (answers[name],)

    def was_asked(self, name: str, answers: Mapping[str, str]) -> bool:
        """Whether the earlier answers let a question be asked: every condition of its `show_if`."""
        conditions = self.asked(name).show_if.items()
        return all(set(self.labels(earlier, answers)) & set(values) for earlier, values in conditions)
