"""Questions with options: one of them, any number of them, or a point on a scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from aggregation import spelling
from annotation.campaigns.questions.question_base import (
    Answer,
    Question,
    QuestionContent,
    QuestionMethods,
    decode_json,
    require_text,
)
from annotation.campaigns.sections.base import Section, Text
from annotation.input_files import parse_printed_list

Options = Annotated[tuple[Text, ...], Field(min_length=2)]
"""Two options or more."""
ScaleLevel = Literal["ordinal", "interval", "ratio"]

CLASS_METHODS = QuestionMethods(
    consensus=("majority", "dawid_skene"),
    agreement=("percent", "krippendorff_alpha_nominal", "fleiss_kappa", "gwet_ac1"),
    scores=("accuracy", "macro_f1", "weighted_f1", "mcc"),
)
"""The methods where labels are classes: all items have the same labels."""
CLASSLESS_METHODS = QuestionMethods(
    consensus=("majority", "one_coin"), agreement=("percent", "chance_corrected"), scores=("accuracy",)
)
"""The methods where each item has its own options, so that labels cannot be counted over items."""


def _refuse_duplicates(options: Sequence[str], noun: str) -> None:
    keys = [spelling.build_key(option) for option in options]
    duplicate = next((option for option, key in zip(options, keys, strict=True) if keys.count(key) > 1), None)
    if duplicate is not None:
        raise ValueError(f"The {noun} {duplicate!r} stands twice")


def _read_number(text: str) -> float | None:
    """The finite number that a text is, None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


class Positions(Section):
    """`labels: {positions: [A, B, C, D]}`: the code under which the option at each position is stored."""

    positions: Options

    @model_validator(mode="after")
    def _differ(self) -> Positions:
        _refuse_duplicates(self.positions, "position")
        return self


def _get_labels_tag(value: object) -> str:
    return "<word>" if isinstance(value, str) else "<codes>"


Labels = Annotated[
    Annotated[Literal["positions"], Tag("<word>")] | Annotated[Positions, Tag("<codes>")],
    Discriminator(_get_labels_tag),
]


class _OptionQuestion(Question):
    """A question with options: `options` are the same for all items, or None where every item has its own.

    With `shuffle` each annotator sees the options of each item in another order.
    """

    options: Options | None = None
    shuffle: bool = False

    @model_validator(mode="after")
    def _options_differ(self) -> _OptionQuestion:
        _refuse_duplicates(self.options or (), "option")
        return self

    def get_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the options of an item; `item_options` are the item's own."""
        return self.options if self.options is not None else tuple(item_options or ())


class ChoiceQuestion(_OptionQuestion):
    """One of several options.

    With `labels` an answer is stored as the code of the option's position; positions are then classes, the same for all
    items. `labels: positions` numbers them from 0. `abstain` is the text of an additional last option for annotators
    who cannot decide: it fills a place of the overlap, and is no class.
    """

    kind: ClassVar[str] = "choice"

    type: Literal["choice"]
    labels: Labels | None = None
    abstain: Text | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ChoiceQuestion:
        if self.options is not None and self.labels is not None:
            raise ValueError(
                "Positions are for options that differ from item to item; fixed options are classes already"
            )
        others = (*(self.options or ()), *(self.positions or ()))
        if self.abstain is not None and spelling.find_name(self.abstain, others) is not None:
            raise ValueError(f"{self.abstain!r} stands among the options already; `abstain` adds it")
        return self

    @property
    def positions(self) -> tuple[str, ...] | None:
        """The codes of the positions; None for `labels: positions` until `with_positions` has numbered them."""
        return self.labels.positions if isinstance(self.labels, Positions) else None

    def with_positions(self, most_options: int) -> ChoiceQuestion:
        """Return the question with numbers as codes; `most_options` is the largest number of options of an item."""
        if self.labels != "positions" or most_options < 2:
            return self
        codes = Positions(positions=tuple(str(position) for position in range(most_options)))
        return self.model_copy(update={"labels": codes})

    def get_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the options of an item, the abstention included; `item_options` are the item's own."""
        options = super().get_options(item_options)
        return options if self.abstain is None else (*options, self.abstain)

    def get_substantive_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the options of an item without the abstention."""
        return super().get_options(item_options)

    def get_labels(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the labels under which an item's options are stored and published, in the order of `get_options`."""
        options = self.get_options(item_options)
        if self.labels is None:
            return options
        n_substantive = len(options) - (self.abstain is not None)
        codes = self.positions or tuple(str(position) for position in range(n_substantive))
        return (*codes[:n_substantive], *options[n_substantive:])

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The labels that all items have, without the abstention; None where options differ from item to item."""
        return self.positions if self.labels is not None else self.options

    @property
    def closed_answers(self) -> tuple[str, ...] | None:
        """The labels that all items have, the abstention included; None where options differ from item to item."""
        return None if self.options is None else self.get_labels(None)

    @property
    def methods(self) -> QuestionMethods:
        """All methods for classes, fewer for options that differ from item to item."""
        return CLASSLESS_METHODS if self.options is None and self.labels is None else CLASS_METHODS

    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:
        """Return the label of an option; raises BadInput for anything else."""
        written, labels = require_text(self, raw), self.get_labels(content.options)
        label = written if written in labels else spelling.find_name(written, labels)
        if label is None:
            raise self.build_refusal(
                f"cannot be answered with {spelling.quote_word(written, beside=labels)}.",
                f"The options are: {spelling.list_words(labels, beside=(written,))}.",
            )
        return label


class ChoicesQuestion(_OptionQuestion):
    """Any number of options (boxes to tick), from `least` to `most`; stored as a JSON list in their order."""

    kind: ClassVar[str] = "choices"

    type: Literal["choices"]
    options: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    least: Annotated[int, Field(ge=0)] = 0
    most: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ChoicesQuestion:
        if self.most is not None and self.least > self.most:
            raise ValueError(f"At least {self.least} and at most {self.most} options contradict each other")
        return self

    @property
    def methods(self) -> QuestionMethods:
        """Methods for sets of options."""
        return QuestionMethods(
            consensus=("majority",) if self.options is None else ("majority", "dawid_skene"),
            agreement=("exact_sets", "krippendorff_alpha_masi", "krippendorff_alpha_nominal"),
            scores=("exact_match", "f1a", "f1m", "f1m_of_averages"),
        )

    @property
    def closed_answers(self) -> tuple[str, ...] | None:
        """The options that all items have; None where options differ from item to item."""
        return self.options

    def is_unanswered(self, raw: object) -> bool:
        """An empty list is an answer unless `least` requires options."""
        return super().is_unanswered(raw) or (self.least > 0 and decode_json(raw) in ([], ()))

    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:
        """Parse a list of options, a list of them as text (JSON, or as Python prints it), or a single option."""
        value = decode_json(raw)
        if isinstance(value, str):
            printed = parse_printed_list(value.strip())
            value = printed if all(isinstance(element, str) for element in printed) else value
        elements = [value] if isinstance(value, str) and value.strip() else value
        if not isinstance(elements, list | tuple) or not all(isinstance(element, str) for element in elements):
            raise self.build_refusal("takes a list of options.", 'Write it like ["so", "so"].')
        options = self.get_options(content.options)
        chosen: list[str] = []
        for element in elements:
            option = element if element in options else spelling.find_name(element, options)
            if option is None:
                raise self.build_refusal(
                    f"cannot be answered with {spelling.quote_word(element.strip(), beside=options)}.",
                    f"The options are: {spelling.list_words(options, beside=(element,))}.",
                )
            if option in chosen:
                raise self.build_refusal(f"has {option!r} twice.", "Give each option once.")
            chosen.append(option)
        if len(chosen) < self.least or len(chosen) > (self.most or len(options)):
            raise self.build_refusal(
                f"has {len(chosen)} options chosen.", f"Choose {self.least} to {self.most or len(options)} of them."
            )
        return tuple(option for option in options if option in chosen)


class ScaleQuestion(Question):
    """A point on an ordered scale: `options` from lowest to highest; `ends` are captions of both ends.

    `level` is the level of measurement at which agreement compares the points: `ordinal` by their rank, `interval` by
    the difference of the numbers that they are, `ratio` by that difference relative to their sum.
    """

    kind: ClassVar[str] = "scale"

    type: Literal["scale"]
    options: Options
    ends: tuple[Text, Text] | None = None
    level: ScaleLevel = "ordinal"

    @model_validator(mode="after")
    def _options_differ(self) -> ScaleQuestion:
        _refuse_duplicates(self.options, "point of the scale")
        return self

    @model_validator(mode="after")
    def _options_have_the_level(self) -> ScaleQuestion:
        if self.level == "ordinal":
            return self
        points = [_read_number(option) for option in self.options]
        for option, point in zip(self.options, points, strict=True):
            if point is None:
                raise ValueError(f"The level {self.level} needs points that are numbers, and {option!r} is none")
            if self.level == "ratio" and point < 0:
                raise ValueError(f"The level ratio needs points of 0 or more, and {option!r} is below; use interval")
        numbers = [point for point in points if point is not None]
        if sorted(set(numbers)) != numbers:
            raise ValueError(f"The points of a scale of the level {self.level} must rise from lowest to highest")
        return self

    @property
    def methods(self) -> QuestionMethods:
        """Methods for ordered answers."""
        return QuestionMethods(
            consensus=("median", "majority", "dawid_skene"),
            agreement=(f"krippendorff_alpha_{self.level}", "percent"),
            scores=("mean_absolute_error", "spearman", "accuracy"),
        )

    @property
    def closed_answers(self) -> tuple[str, ...] | None:
        """The points of the scale."""
        return self.options

    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:  # noqa: ARG002  # a scale is the same for all items
        """Return a point of the scale."""
        written = require_text(self, raw)
        point = written if written in self.options else spelling.find_name(written, self.options)
        if point is None:
            raise self.build_refusal(
                f"cannot be answered with {spelling.quote_word(written, beside=self.options)}.",
                f"The scale goes {self.options[0]} … {self.options[-1]}.",
            )
        return point
