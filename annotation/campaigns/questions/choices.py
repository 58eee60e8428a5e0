"""Questions answered with any number of options: boxes to tick."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from aggregation import spelling
from annotation.campaigns.questions import question_base
from annotation.campaigns.questions.choice import ItemOptionQuestion, find_option
from annotation.campaigns.sections.base import Text
from annotation.errors import BadInput
from annotation.input_files import parse_printed_list

if TYPE_CHECKING:
    from aggregation.answers import AnswerTypeName

TICKED = "ticked"
"""The label of a ticked box; one that is not ticked has an empty label."""
TICK_RATE = 0.3
"""The chance of each box to be ticked in a generated truth."""


class ChoicesQuestion(ItemOptionQuestion):
    """Any number of options (boxes to tick), from `least` to `most`; stored as a JSON list in their order."""

    kind: ClassVar[str] = "choices"
    usual_seconds: ClassVar[float] = 12.0
    answer_type: ClassVar[AnswerTypeName] = "boxes"
    takes_one_option: ClassVar[bool] = False
    min_options: ClassVar[int] = 1
    empty_answer: ClassVar[str | None] = "[]"
    can_name_problems: ClassVar[bool] = True

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
    def methods(self) -> question_base.QuestionMethods:
        """Methods for sets of options."""
        return question_base.QuestionMethods(
            consensus=("majority",) if self.options is None else ("majority", "dawid_skene"),
            agreement=("exact_sets", "krippendorff_alpha_masi", "krippendorff_alpha_nominal"),
            scores=("exact_match", "f1a", "f1m", "f1m_of_averages"),
        )

    @property
    def takes_empty_answer(self) -> bool:
        """Whether no box has to be ticked."""
        return self.least == 0

    def is_unanswered(self, raw: object) -> bool:
        """An empty list is an answer unless `least` requires options."""
        return super().is_unanswered(raw) or (self.least > 0 and question_base.decode_json(raw) in ([], ()))

    def parse_answer(self, raw: object, content: question_base.QuestionContent) -> question_base.Answer:
        """Parse a list of options, a list of them as text (JSON, or as Python prints it), or a single option."""
        value = question_base.decode_json(raw)
        if isinstance(value, str):
            printed = parse_printed_list(value.strip())
            value = printed if all(isinstance(element, str) for element in printed) else value
        elements = [value] if isinstance(value, str) and value.strip() else value
        if not isinstance(elements, list | tuple) or not all(isinstance(element, str) for element in elements):
            raise self.build_refusal("takes a list of options.", 'Write it like ["so", "so"].')
        options = self.get_options(content.options)
        chosen: list[str] = []
        for element in elements:
            option = find_option(element, options)
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

    def split_answer(self, stored: str) -> tuple[str, ...]:
        """Return the ticked boxes."""
        return tuple(json.loads(stored))

    def list_parts(self, stored: str, item_options: Sequence[str] | None) -> tuple[str, ...]:  # noqa: ARG002  # boxes are stored as texts
        """Return the ticked boxes."""
        boxes = question_base.decode_json(stored)
        return tuple(map(str, boxes)) if isinstance(boxes, list) else (str(boxes),)

    def describe_answer(self, stored: str, content: question_base.QuestionContent) -> str:
        """Return the ticked boxes in one line; an answer that is not a list of them is returned unchanged."""
        try:
            boxes = self.parse_answer(stored, content)
        except BadInput:
            return stored
        return ", ".join(map(str, boxes)) or "–"

    def compute_majority(self, answers: Sequence[str]) -> question_base.ItemConsensus | None:
        """Return every box that most answers tick; None without answers, and if one box is tied.

        The confidence is the smallest share of answers that agree on a box, ticked or not.
        """
        if not answers:
            return None
        lists = [question_base.decode_json(answer) for answer in answers]
        n_ticks = Counter(box for boxes in lists if isinstance(boxes, list) for box in boxes)
        ticked = tuple(box for box, count in n_ticks.items() if count * 2 > len(answers))
        n_agreeing = min((max(count, len(answers) - count) for count in n_ticks.values()), default=len(answers))
        if any(count * 2 == len(answers) for count in n_ticks.values()):
            return None
        return question_base.ItemConsensus(
            labels=tuple(sorted(ticked)), confidence=n_agreeing / len(answers), votes=len(answers)
        )

    def list_choices(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the boxes: each is a choice of its own."""
        return self.get_options(item_options)

    def read_choices(self, stored: str) -> Mapping[str, str]:
        """Return the ticked boxes; all others are not ticked."""
        ticked = json.loads(stored)
        return defaultdict(str, dict.fromkeys(ticked, TICKED))

    def join_choices(self, choices: Mapping[str, str]) -> dict[str, str]:
        """Return the list of the ticked boxes."""
        return {self.name: json.dumps([box for box, label in choices.items() if label == TICKED])}

    def count_labels(self, item_options: Sequence[str] | None) -> int:  # noqa: ARG002  # a box is ticked or not
        """Return 2: a box is ticked or not."""
        return 2

    def draw_truth(self, content: question_base.QuestionContent, rng: random.Random) -> str:
        """Draw each box by itself."""
        return self._draw_boxes(content, rng, chance=TICK_RATE)

    def draw_careless(self, content: question_base.QuestionContent, rng: random.Random) -> str:
        """Draw each box with the chance 1/2."""
        return self._draw_boxes(content, rng, chance=0.5)

    def draw_wrong(self, content: question_base.QuestionContent, right: str, rng: random.Random) -> str:
        """Draw the opposite of every box, as far as the question allows."""
        return self.draw_answer(content, right, accepted=None, skill=0.0, rng=rng)

    def draw_answer(
        self,
        content: question_base.QuestionContent,
        truth: str,
        *,
        accepted: Sequence[str] | None,  # noqa: ARG002  # boxes have one right answer
        skill: float,
        rng: random.Random,
    ) -> str:
        """Draw every box by itself: each is right with the chance `skill`."""
        right = set(json.loads(truth))
        boxes = self.get_options(content.options)
        return self._complete_boxes(boxes, [box for box in boxes if (box in right) == (rng.random() < skill)], rng)

    def _draw_boxes(self, content: question_base.QuestionContent, rng: random.Random, *, chance: float) -> str:
        boxes = self.get_options(content.options)
        return self._complete_boxes(boxes, [box for box in boxes if rng.random() < chance], rng)

    def _complete_boxes(self, boxes: Sequence[str], ticked: list[str], rng: random.Random) -> str:
        """Return the answer with ticked boxes, and others added or removed at random until the question takes it."""
        while len(ticked) < self.least:
            ticked.append(rng.choice([box for box in boxes if box not in ticked]))
        while len(ticked) > (self.most or len(boxes)):
            ticked.remove(rng.choice(ticked))
        return json.dumps([box for box in boxes if box in ticked], ensure_ascii=False)
