"""The labelling configurations of adjudication and of review: the item, the answers, and what is decided on them."""

from __future__ import annotations

import html
from xml.etree.ElementTree import Element, indent, tostring  # written here, never read

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import ChoicesQuestion, EditQuestion, Question, SpanQuestion, TextQuestion
from annotation.label_studio import decision_controls, passes
from annotation.label_studio.configs.controls import (
    ControlContext,
    add_control,
    add_element,
    add_header,
    add_view,
    escape_variables,
)
from annotation.label_studio.configs.label_config import add_html, add_item
from annotation.label_studio.configs.style import build_style
from annotation.label_studio.texts import InterfaceTexts, load_texts


def render_adjudication_config(definition: ProjectFile, question: Question) -> str:
    """The configuration as XML for the cases of a question; candidates and their number come with each task."""
    texts = load_texts(definition.language)
    marks = isinstance(question, SpanQuestion)
    fields = (question.field,) if isinstance(question, SpanQuestion) else ()
    corrected = isinstance(question, EditQuestion)
    page, shown, asked = _add_page(definition, fields, texts, beside=not corrected, panels=marks)
    verdicts = _add_card(asked, texts("verdict-asks"), wide=True)
    _add_choices(verdicts, decision_controls.VERDICT, decision_controls.VERDICTS_KEY, texts("verdict-asks"))
    _add_own_answer(shown if corrected else asked, definition, question, texts)
    is_not_broken = _add_condition(asked, decision_controls.BROKEN, when="choice-unselected")
    others = _add_card(is_not_broken, texts("also-asks"), told=texts("also-told"))
    add_element(
        others,
        "Choices",
        name=decision_controls.OTHERS,
        toName=decision_controls.ANSWERS_OBJECT,
        choice="multiple",
        value=f"${decision_controls.OTHERS_KEY}",
    )
    _add_reason(asked, decision_controls.BROKEN, texts("broken-asks"), None, texts)
    return _format_page(page)


def render_review_config(definition: ProjectFile) -> str:
    """The configuration as XML for the answers of a project, which are accepted or rejected."""
    texts = load_texts(definition.language)
    page, _, asked = _add_page(definition, (), texts, beside=False, panels=False)
    card = _add_card(asked, texts("review-asks"), wide=True)
    choices = add_element(
        card,
        "Choices",
        name=decision_controls.VERDICT,
        toName=decision_controls.ANSWERS_OBJECT,
        choice="single-radio",
        required=True,
        requiredMessage=escape_variables(texts("answer-this", question=texts("review-asks"))),
    )
    reasons = definition.review.reasons if definition.review is not None else ()
    offered = [(texts("accept"), decision_controls.ACCEPT)]
    offered += [
        (texts("reject", reason=reason), decision_controls.name_reason(place))
        for place, reason in enumerate(reasons, start=1)
    ]
    offered.append((texts("reject-other" if reasons else "reject-plain"), decision_controls.REJECT))
    for (value, alias), key in zip(offered, [*passes.ALL_HOTKEYS, *([None] * len(offered))], strict=False):
        add_element(choices, "Choice", value=escape_variables(value), alias=alias, hotkey=key)
    _add_reason(asked, decision_controls.REJECT, texts("reject-asks"), texts("reject-told"), texts)
    return _format_page(page)


def render_decision_instructions(definition: ProjectFile, *, review: bool, instructions: str) -> str:
    """What is to be done here, above the instructions of the project (HTML, see `render_instructions`)."""
    texts = load_texts(definition.language)
    told = texts("review-told" if review else "adjudicate-told")
    return f"<p><strong>{html.escape(told)}</strong></p>\n{instructions}"


def _add_page(
    definition: ProjectFile, fields: tuple[str, ...], texts: InterfaceTexts, *, beside: bool, panels: bool
) -> tuple[Element, Element, Element]:
    """The page; in it the view of the item and the answers, and the one for what is asked, beside it or below."""
    page = Element("View", {"className": "hr-page"})
    add_element(page, "Style").text = build_style(panels=panels, decisions=True)
    if beside:
        body = add_view(page, "beside")
        shown = add_view(body, "item")
        add_item(shown, definition, fields)
        asked = add_view(body, "questions")
        add_html(
            add_view(asked, "question hr-answered"), decision_controls.ANSWERS_OBJECT, decision_controls.ANSWERS_KEY
        )
        return page, shown, asked
    columns = add_view(page, "columns")
    corrected = any(isinstance(question, EditQuestion) for question in definition.all_questions)
    add_item(add_view(columns, "column"), definition, fields, untitled=texts("original") if corrected else None)
    add_html(add_view(columns, "column"), decision_controls.ANSWERS_OBJECT, decision_controls.ANSWERS_KEY)
    return page, columns, add_view(page, "questions")


def _add_card(parent: Element, text: str, *, told: str | None = None, wide: bool = False) -> Element:
    card = add_view(parent, f"question{' hr-wide' * wide}")
    add_header(card, text, name="asks")
    if told:
        add_header(card, told, name="told", size=6)
    return card


def _add_condition(parent: Element, alias: str, *, when: str = "choice-selected") -> Element:
    return add_view(parent, "when", visibleWhen=when, whenTagName=decision_controls.VERDICT, whenChoiceValue=alias)


def _add_choices(parent: Element, name: str, key: str, text: str) -> None:
    add_element(
        parent,
        "Choices",
        name=name,
        toName=decision_controls.ANSWERS_OBJECT,
        choice="single-radio",
        value=f"${key}",
        required=True,
        requiredMessage=escape_variables(text),
    )


def _add_own_answer(parent: Element, definition: ProjectFile, question: Question, texts: InterfaceTexts) -> None:
    """The fields for an answer that is no candidate, each shown where its choice is taken."""
    match question:
        case EditQuestion():
            for number in range(decision_controls.N_BEGINNINGS):
                view = _add_condition(parent, decision_controls.name_beginning(number))
                card = _add_card(view, texts("edit-here"))
                _add_text_area(card, number, rows=14, begins=True)
        case TextQuestion():
            card = _add_card(_add_condition(parent, decision_controls.OWN), texts("write-own"))
            _add_text_area(card, 0, rows=3, placeholder=texts("write-here"))
        case SpanQuestion() | ChoicesQuestion():
            alias = decision_controls.OWN_MARKS if isinstance(question, SpanQuestion) else decision_controls.OWN
            hotkeys = dict.fromkeys(passes.assign_hotkeys(definition), ())
            context = ControlContext(main_object=decision_controls.ANSWERS_OBJECT, hotkeys=hotkeys, texts=texts)
            add_control(_add_condition(parent, alias), question, context, required=False)


def _add_text_area(
    parent: Element, number: int, *, rows: int, begins: bool = False, placeholder: str | None = None
) -> None:
    add_element(
        parent,
        "TextArea",
        name=decision_controls.get_beginning_control(number),
        toName=decision_controls.ANSWERS_OBJECT,
        value=f"${decision_controls.get_beginning_key(number)}" if begins else None,
        rows=rows,
        maxSubmissions=1,
        editable=True,
        showSubmitButton=False,
        placeholder=placeholder,
        required=not begins,
        requiredMessage=placeholder,
    )


def _add_reason(parent: Element, alias: str, text: str, told: str | None, texts: InterfaceTexts) -> None:
    card = _add_card(_add_condition(parent, alias), text, told=told)
    add_element(
        card,
        "TextArea",
        name=decision_controls.REASON,
        toName=decision_controls.ANSWERS_OBJECT,
        rows=2,
        maxSubmissions=1,
        editable=True,
        showSubmitButton=False,
        placeholder=texts("write-here"),
        required=True,
        requiredMessage=escape_variables(texts("answer-this", question=text)),
    )


def _format_page(page: Element) -> str:
    indent(page)
    return tostring(page, encoding="unicode")
