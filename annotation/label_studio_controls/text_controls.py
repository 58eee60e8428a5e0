"""The control TextArea: a text of one's own, or a corrected one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.campaigns.questions import EditQuestion, Question, QuestionContent, TextQuestion
from annotation.label_studio_controls import decision_controls, elements
from annotation.label_studio_controls.control_base import (
    ControlContext,
    ControlResult,
    ControlType,
    InterfaceWords,
    read_list,
    take_only_answer,
)
from annotation.label_studio_controls.decision_controls import N_BEGINNINGS, OWN

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ONE_LINE_LENGTH = 200
"""Texts of at most so many characters get a field of one line."""
EDIT_ROWS = 14
SIGN_CLASSES = {"-": "removed", "+": "inserted"}


class TextControl(ControlType[TextQuestion]):
    """A field for a text."""

    value_key = "text"
    is_typed = True

    def build_control(self, card: Element, question: TextQuestion, context: ControlContext) -> None:
        """Add the field: one line for short texts."""
        if context.requirement.get("required") is True:
            elements.add_header(card, context.texts("is-blank"), name="warned hr-needed", size=6)
        elements.add_text_area(
            card,
            question.name,
            context.main_object,
            rows=1 if _is_line(question) else 3,
            placeholder=context.texts("write-here" if _is_line(question) else "write-here-kept"),
            requirement=context.requirement,
        )

    def explain_draft(self, question: TextQuestion, texts: InterfaceWords) -> str | None:
        """Return the key that keeps the text."""
        return texts("kept-line" if _is_line(question) else "kept-text")

    def read_result(self, question: TextQuestion, result: ControlResult) -> object:
        """Return the text."""
        return take_only_answer(question, read_texts(question, result.values))

    def list_own_choices(self, n_candidates: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the choice that opens the field."""
        return (OWN,)

    def build_decision_control(self, parent: Element, question: TextQuestion, context: ControlContext) -> None:  # noqa: ARG002
        """Add an empty field."""
        texts = context.texts
        card = decision_controls.add_card(decision_controls.add_condition(parent, OWN), texts("write-own"))
        hint = texts("write-here")
        name = decision_controls.get_beginning_control(0)
        elements.add_text_area(
            card,
            name,
            context.main_object,
            rows=3,
            placeholder=hint,
            requirement={"required": True, "requiredMessage": hint},
        )

    def read_decision(self, question: TextQuestion, result: ControlResult) -> object:  # noqa: ARG002
        """Return the text of the field."""
        return decision_controls.read_text(result.values, 0, ())


def _is_line(question: TextQuestion) -> bool:
    return question.longest <= ONE_LINE_LENGTH


class EditControl(ControlType[EditQuestion]):
    """A field that begins with the text to correct; for decisions one for each text that a correction begins with."""

    value_key = "text"
    is_typed = True
    is_beside_item = True
    is_shown_apart = True

    def build_control(self, card: Element, question: EditQuestion, context: ControlContext) -> None:
        """Add the field; the page itself says at its top that the text is empty."""
        if context.requirement.get("required") is True:
            elements.add_view(card, "needed hr-corrected")
        key = elements.get_edit_key(question)
        elements.add_text_area(
            card, question.name, context.main_object, rows=EDIT_ROWS, begin_key=key, requirement=context.requirement
        )

    def build_data(
        self,
        question: EditQuestion,
        content: QuestionContent,
        first: str | None,
        order: Sequence[int] | None,  # noqa: ARG002  # it has no options
    ) -> dict[str, str]:
        """Return the text to correct, or in the second pass the corrected one."""
        return {elements.get_edit_key(question): first or get_original(question, content)}

    def explain_draft(self, question: EditQuestion, texts: InterfaceWords) -> str | None:  # noqa: ARG002
        """Return when the text is kept."""
        return texts("kept-edit")

    def build_prediction(
        self, question: EditQuestion, content: QuestionContent, first: str | None
    ) -> dict[str, Any] | None:
        """Return the text to correct. Label Studio keeps drafts of a region, and none of a field's first text."""
        return {"type": "textarea", "value": {"text": [first or get_original(question, content)]}}

    def read_result(self, question: EditQuestion, result: ControlResult) -> object:
        """Return the text; Label Studio may also give the one with which the field began."""
        written = read_texts(question, result.values)
        filled = (result.first.get(question.name) or get_original(question, result.content)).strip()
        return take_only_answer(question, [text for text in written if text.strip() != filled] or written[:1])

    def show_value(self, question: EditQuestion, content: QuestionContent, stored: str) -> str:
        """Return the text with what was removed and inserted."""
        from aggregation.text_difference import compute_difference  # only decisions need it, and the bot makes none

        return "".join(
            f'<span class="hr-{SIGN_CLASSES[part.sign]}">{elements.escape_html(part.text)}</span>'
            if part.sign in SIGN_CLASSES
            else elements.escape_html(part.text)
            for part in compute_difference(get_original(question, content), stored)
        )

    def list_own_choices(self, n_candidates: int) -> tuple[str, ...]:
        """Return the choices that open the fields: the candidates first, then the original."""
        numbers = (number for number in (*range(1, n_candidates + 1), 0) if number < N_BEGINNINGS)
        return tuple(map(decision_controls.name_beginning, numbers))

    def build_decision_control(self, parent: Element, question: EditQuestion, context: ControlContext) -> None:  # noqa: ARG002
        """Add a field for each text that a correction can begin with."""
        for number in range(N_BEGINNINGS):
            view = decision_controls.add_condition(parent, decision_controls.name_beginning(number))
            card = decision_controls.add_card(view, context.texts("edit-here"))
            name, key = decision_controls.get_beginning_control(number), decision_controls.get_beginning_key(number)
            elements.add_text_area(
                card, name, context.main_object, rows=EDIT_ROWS, begin_key=key, requirement={"required": False}
            )

    def build_decision_data(
        self, question: EditQuestion, content: QuestionContent, candidates: Sequence[str]
    ) -> dict[str, str]:
        """Return what the fields begin with; Label Studio asks for the key of every field, so that all have one."""
        texts = [get_original(question, content), *candidates, *([""] * N_BEGINNINGS)][:N_BEGINNINGS]
        return {decision_controls.get_beginning_key(number): text for number, text in enumerate(texts)}

    def read_decision(self, question: EditQuestion, result: ControlResult) -> object:
        """Return the text of the field that was opened."""
        number = next(n for n in range(N_BEGINNINGS) if decision_controls.name_beginning(n) == result.verdict)
        begun = [get_original(question, result.content), *result.candidates]
        return decision_controls.read_text(result.values, number, begun)


def get_original(question: EditQuestion, content: QuestionContent) -> str:
    """Return the text that is to be corrected."""
    return content.fields.get(question.field, "")


def read_texts(question: Question, values: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return every text of the question's field once: a TextArea returns "…", ["…"] or {"text": …} of either."""
    texts: list[str] = []
    for value in values.get(question.name, []):
        inner = value.get("text") if isinstance(value, Mapping) else value
        texts += [str(text) for text in read_list(question, inner)]
    return list(dict.fromkeys(text for text in texts if text.strip()))
