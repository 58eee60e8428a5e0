"""The control Choices: one option, a point on a scale, or boxes to tick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Generic

from aggregation.sides import BOTH_BAD, SIDES, TIE
from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    PreferenceQuestion,
    Question,
    QuestionContent,
    ScaleQuestion,
    compared_texts,
)
from annotation.label_studio_controls import control_base, decision_controls, elements, foreign_values

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

INLINE_LENGTH = 48
"""Options with at most so many characters in all are shown side by side."""


class OptionControl(control_base.ControlType[control_base.Q], Generic[control_base.Q]):
    """Options of which one is chosen."""

    value_key = "choices"
    holds_several = True
    choice: ClassVar[str] = "single-radio"
    always_inline: ClassVar[bool] = False

    def count_hotkeys(self, question: control_base.Q) -> Mapping[str, int]:
        """Return one for each option; options in the task get the digits."""
        in_task = elements.has_task_options(question)
        return {question.name: len(elements.DIGIT_HOTKEYS if in_task else question.get_options(None))}

    def build_control(self, card: Element, question: control_base.Q, context: control_base.ControlContext) -> None:
        """Add the options: from the project file, or from the task."""
        options = question.get_options(None)
        in_task = elements.has_task_options(question)
        is_short = bool(options) and sum(map(len, options)) <= INLINE_LENGTH
        choices = elements.add_element(
            card,
            "Choices",
            name=question.name,
            toName=context.main_object,
            choice=self.choice,
            showInline=is_short or self.always_inline,
            value=f"${elements.get_options_key(question)}" if in_task else None,
            **context.requirement,
        )
        if in_task:
            return
        for option, label, key in zip_longest(options, question.get_labels(None), context.hotkeys[question.name]):
            elements.add_element(choices, "Choice", value=elements.escape_variables(option), alias=label, hotkey=key)

    def read_result(self, question: control_base.Q, result: control_base.ControlResult) -> object:
        """Return the label of the option."""
        return control_base.take_only_answer(question, read_labels(question, result))


class ChoiceControl(OptionControl[ChoiceQuestion]):
    """One of several options."""


class PreferenceControl(OptionControl[PreferenceQuestion]):
    """The better of several texts that are shown side by side, a tie, or "both bad"."""

    always_inline = True

    def count_hotkeys(self, question: PreferenceQuestion) -> Mapping[str, int]:
        """Return one for each answer."""
        return {question.name: len(question.get_labels(None))}

    def build_data(
        self,
        question: PreferenceQuestion,
        content: QuestionContent,
        first: str | None,  # noqa: ARG002  # it is shown in the table of the second pass
        order: Sequence[int] | None,
    ) -> dict[str, str]:
        """Return the texts in the order in which they are shown."""
        shown = [text for _, text in _list_sides(question, content, order)]
        return {
            elements.get_side_key(number): f'<div class="hr-words">{elements.escape_html(text)}</div>'
            for number, text in enumerate(shown, start=1)
        }

    def build_options(
        self,
        question: PreferenceQuestion,
        content: QuestionContent,
        order: Sequence[int] | None,
        keys: Sequence[str],
        texts: control_base.InterfaceWords,
    ) -> list[dict[str, str]]:
        """Return the letters as shown, between two of them the tie; the aliases are the columns'."""
        labels = question.get_labels(content.options)
        shown = [labels[index] for index in (range(len(labels)) if order is None else order)]
        names = self.name_answers(question, shown, texts)
        sides = [label for label in shown if label in SIDES]
        rest = [label for label in (TIE, BOTH_BAD) if label in shown]
        arranged = [sides[0], TIE, sides[1], *rest[1:]] if rest[:1] == [TIE] and len(sides) == 2 else [*sides, *rest]
        return [
            {"value": names[label], "alias": label} | ({} if key is None else {"hotkey": key})
            for label, key in zip_longest(arranged, keys[: len(arranged)])
        ]

    def name_answers(
        self, question: PreferenceQuestion, answers: Sequence[str], texts: control_base.InterfaceWords
    ) -> dict[str, str]:
        """Return a letter for each side, in the order of the answers, and the words of the others."""
        letters = iter(texts("side-letters").split())
        words = dict(zip(question.get_labels(None), question.get_options(None), strict=True))
        named = ((answer, next(letters) if answer in SIDES else None) for answer in answers)
        better = f"side-better-{compared_texts.find_gender(question.text)}"
        return {
            answer: words.get(answer, answer) if letter is None else texts(better, letter=letter)
            for answer, letter in named
        }

    def show_compared(
        self,
        question: PreferenceQuestion,
        content: QuestionContent,
        answers: Sequence[str],
        texts: control_base.InterfaceWords,
    ) -> str:
        """Return the texts, each under its letter."""
        own = dict(_list_sides(question, content, None))
        shown = [own[answer] for answer in answers if answer in own]
        return "".join(
            f'<div class="hr-piece"><div class="hr-title">{letter}</div>'
            f'<div class="hr-words">{elements.escape_html(text)}</div></div>'
            for letter, text in zip(texts("side-letters").split(), shown, strict=False)
        )


def _list_sides(
    question: PreferenceQuestion, content: QuestionContent, order: Sequence[int] | None
) -> list[tuple[str, str]]:
    """The labels and texts of the sides, in this order of the options."""
    pairs = list(zip(question.get_labels(content.options), question.get_options(content.options), strict=True))
    shown = pairs if order is None else [pairs[index] for index in order]
    return [(label, text) for label, text in shown if label in SIDES]


class ScaleControl(OptionControl[ScaleQuestion]):
    """A point on a scale, between the captions of its ends: options, or a field for a number where they are many."""

    always_inline = True

    def build_control(self, card: Element, question: ScaleQuestion, context: control_base.ControlContext) -> None:
        """Add the captions and the points, or both ends and a field."""
        if not question.is_typed:
            if question.ends is not None:
                elements.add_header(card, f"{question.ends[0]} ← → {question.ends[1]}", name="ends", size=6)
            super().build_control(card, question, context)
            return
        ends = question.options[0], question.options[-1]
        captions = [f"{end} — {caption}" for end, caption in zip(ends, question.ends or (), strict=False)]
        elements.add_header(card, " · ".join(captions or (" … ".join(ends),)), name="ends", size=6)
        low, next_point, *_, high = question.options
        elements.add_element(
            card,
            "Number",
            name=question.name,
            toName=context.main_object,
            min=low,
            max=high,
            step=f"{Decimal(next_point) - Decimal(low):f}",
            **context.requirement,
        )

    def count_hotkeys(self, question: ScaleQuestion) -> Mapping[str, int]:
        """Return one for each point that is an option."""
        return {question.name: 0} if question.is_typed else super().count_hotkeys(question)

    def read_result(self, question: ScaleQuestion, result: control_base.ControlResult) -> object:
        """Return the point, of a number as the scale spells it."""
        if not question.is_typed:
            return super().read_result(question, result)
        numbers = [
            number
            for value in result.values.get(question.name, [])
            if isinstance(value, Mapping)
            for number in foreign_values.read_single(value.get("number")) or value.get("choices") or ()
        ]
        return control_base.take_only_answer(question, list(dict.fromkeys(numbers)))


class ChoicesControl(OptionControl[ChoicesQuestion]):
    """Boxes to tick."""

    choice = "multiple"
    is_in_decisions = True

    def list_names(self, question: ChoicesQuestion) -> tuple[str, ...]:
        """Return the names of the control and, where nothing is an answer, of the box that confirms it."""
        names = (question.name, elements.get_none_control(question.name))
        return names[: 1 + (question.required and question.takes_empty_answer)]

    def count_hotkeys(self, question: ChoicesQuestion) -> Mapping[str, int]:
        """Return one for each option, and one for the box that confirms nothing."""
        return {**dict.fromkeys(self.list_names(question), 1), **super().count_hotkeys(question)}

    def build_control(self, card: Element, question: ChoicesQuestion, context: control_base.ControlContext) -> None:
        """Add the boxes, and one that is shown and required while none of them is ticked."""
        super().build_control(card, question, context)
        if not context.confirms:
            return
        name, text = elements.get_none_control(question.name), context.texts("none-right")
        view = elements.add_view(card, "none", visibleWhen="choice-unselected", whenTagName=question.name)
        elements.add_box(
            view,
            name,
            context.main_object,
            text,
            alias="none",
            hotkey=next(iter(context.hotkeys[name]), None),
            required=True,
            requiredMessage=elements.escape_variables(
                context.texts("tick-or-confirm", question=question.text.rstrip("."), box=text)
            ),
        )

    def describe_limit(self, question: ChoicesQuestion, texts: control_base.InterfaceWords) -> str | None:
        """Return how many boxes are to be ticked."""
        if question.required and question.takes_empty_answer:
            limit = None if question.most is None else texts("at-most", most=question.most)
            return " · ".join(filter(None, (limit, texts("tick-nothing"))))
        if question.most is None:
            return texts("at-least", least=question.least) if question.least > 1 else None
        if question.least:
            return texts("between", least=question.least, most=question.most)
        return texts("at-most", most=question.most)

    def read_result(self, question: ChoicesQuestion, result: control_base.ControlResult) -> object:
        """Return the ticked boxes."""
        return read_labels(question, result) or None

    def list_own_choices(self, n_candidates: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the choice that opens the boxes."""
        return (decision_controls.OWN,)

    def build_decision_control(
        self, parent: Element, question: ChoicesQuestion, context: control_base.ControlContext
    ) -> None:
        """Add the boxes as annotators have them."""
        view = decision_controls.add_condition(parent, decision_controls.OWN)
        control_base.add_question(view, question, self, context, False)


def read_labels(question: Question, result: control_base.ControlResult) -> list[str]:
    """Return the chosen labels, in the order of the result."""
    labels = question.get_labels(result.content.options)
    chosen: list[str] = []
    for value in result.values.get(question.name, []):
        listed = value.get("choices") if isinstance(value, Mapping) else value
        for choice in control_base.read_list(question, listed):
            label = choice[0] if isinstance(choice, list) and len(choice) == 1 else choice
            if label not in labels:
                raise question.build_refusal(
                    f"has {label!r} in Label Studio, which is not an option.", control_base.PUSH_AGAIN_REMEDY
                )
            chosen.append(label)
    return list(dict.fromkeys(chosen))
