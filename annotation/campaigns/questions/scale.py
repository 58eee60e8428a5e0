"""Questions answered with a point on an ordered scale."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import model_validator

from aggregation import spelling
from aggregation.scales import ICC_NAMES, list_point_metrics, read_point
from annotation.campaigns.questions.choice import CLASS_METHODS, OptionQuestion, Options, find_option, refuse_duplicates
from annotation.campaigns.questions.question_base import Answer, QuestionContent, QuestionMethods, require_text
from annotation.campaigns.sections.base import Text

ScaleLevel = Literal["ordinal", "interval", "ratio"]

NEIGHBOUR_RATE = 0.8
"""In a simulation, the chance that a wrong point is drawn from the neighbours of the right one, not from all others."""


class ScaleQuestion(OptionQuestion):
    """A point on an ordered scale: `options` from lowest to highest; `ends` are captions of both ends.

    `level` is the level of measurement at which agreement compares the points: `ordinal` by their rank, `interval` by
    the difference of their numbers, `ratio` by that difference divided by their sum.
    """

    kind: ClassVar[str] = "scale"
    usual_seconds: ClassVar[float] = 8.0

    type: Literal["scale"]
    options: Options
    ends: tuple[Text, Text] | None = None
    level: ScaleLevel = "ordinal"

    @model_validator(mode="after")
    def _options_differ(self) -> ScaleQuestion:
        refuse_duplicates(self.options, "point of the scale")
        return self

    @model_validator(mode="after")
    def _options_have_the_level(self) -> ScaleQuestion:
        if self.level == "ordinal":
            return self
        points = [read_point(option) for option in self.options]
        for option, point in zip(self.options, points, strict=True):
            if point is None:
                raise ValueError(f"With `level: {self.level}` every point must be a number, and {option!r} is not")
            if self.level == "ratio" and point < 0:
                raise ValueError(f"With `level: ratio` no point may be negative, and {option!r} is; use `interval`")
        numbers = [point for point in points if point is not None]
        if sorted(set(numbers)) != numbers:
            raise ValueError(f"With `level: {self.level}` the points must rise from lowest to highest, each only once")
        return self

    @property
    def methods(self) -> QuestionMethods:
        """Methods for ordered answers."""
        return QuestionMethods(
            consensus=(*(() if self.level == "ordinal" else ("mean",)), "median", "majority", "dawid_skene"),
            agreement=(
                f"krippendorff_alpha_{self.level}",
                *(() if self.level == "ordinal" else ICC_NAMES),
                "percent_agreement",
            ),
            scores=(*list_point_metrics(self.options), *CLASS_METHODS.scores),
        )

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """The points of the scale."""
        return self.options

    @property
    def classes(self) -> tuple[str, ...]:
        """The points of the scale."""
        return self.options

    def describe_shown(self, item_options: Sequence[str] | None) -> dict[str, object]:
        """Return what annotators see, with the captions of both ends if there are any."""
        shown = super().describe_shown(item_options)
        return shown if self.ends is None else shown | {"ends": list(self.ends)}

    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:  # noqa: ARG002  # a scale is the same for all items
        """Return a point of the scale."""
        written = require_text(self, raw)
        point = find_option(self.spell_label(written, None), self.options)
        if point is None:
            raise self.build_refusal(
                f"cannot be answered with {spelling.quote_word(written, beside=self.options)}.",
                f"The scale goes {self.options[0]} … {self.options[-1]}.",
            )
        return point

    def spell_label(self, written: str, item_options: Sequence[str] | None) -> str:  # noqa: ARG002
        """Return the point that is the same number otherwise written (4.0 is 4, and 3.5 is 3,5); else the text."""
        number = read_point(written)
        same = [option for option in self.options if number is not None and read_point(option) == number]
        return same[0] if len(same) == 1 and written not in self.options else written

    def draw_wrong(self, content: QuestionContent, right: str, rng: random.Random) -> str:  # noqa: ARG002
        """Draw a wrong point, mostly a neighbour of the right one."""
        position = self.options.index(right)
        near = [self.options[index] for index in (position - 1, position + 1) if 0 <= index < len(self.options)]
        others = [point for point in self.options if point != right]
        return rng.choice(near if rng.random() < NEIGHBOUR_RATE else others)
