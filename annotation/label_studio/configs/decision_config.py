"""The labelling configurations of adjudication and of review: the item, the answers, and what is decided on them."""

from __future__ import annotations

import html
from itertools import islice, zip_longest
from xml.etree.ElementTree import Element, indent, tostring  # written here, never read

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.questions import Question
from annotation.label_studio.configs.label_config import add_html, add_item
from annotation.label_studio.configs.style import build_style
from annotation.label_studio.texts import InterfaceTexts, load_texts
from annotation.label_studio_controls import decision_controls, elements, get_control, span_control
from annotation.label_studio_controls.control_base import ControlContext
from annotation.label_studio_controls.decision_controls import add_card, add_condition
from annotation.label_studio_controls.elements import add_element, add_text_area, add_view, escape_variables


def render_adjudication_config(definition: ProjectFile, question: Question) -> str:
    """The configuration as XML for the cases of a question; candidates and their number come with each task."""
    texts = load_texts(definition.language)
    control, marks = get_control(question), question.marks_parts
    fields = question.required_columns() if marks else ()
    page, shown, asked = _add_page(definition, fields, texts, beside=not control.is_beside_item, panels=marks)
    verdicts = add_card(asked, texts("verdict-asks"), wide=True)
    _add_choices(verdicts, decision_controls.VERDICT, decision_controls.VERDICTS_KEY, texts("verdict-asks"))
    unused = iter(elements.UNUSED_HOTKEYS)
    hotkeys = {name: tuple(islice(unused, count)) for name, count in control.count_hotkeys(question).items()}
    names = span_control.name_marks([question], texts)
    main = decision_controls.ANSWERS_OBJECT
    context = ControlContext(main_object=main, hotkeys=hotkeys, texts=texts, mark_names=names)
    control.build_decision_control(shown if control.is_beside_item else asked, question, context)
    is_not_broken = add_condition(asked, decision_controls.BROKEN, when="choice-unselected")
    others = add_card(add_view(is_not_broken, "keyless"), texts("also-asks"), told=texts("also-told"))
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
    card = add_card(asked, texts("review-asks"), wide=True)
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
    keys = (*elements.DIGIT_HOTKEYS, *elements.UNUSED_HOTKEYS)  # words of a reason choose nothing: see `passes`
    for (value, alias), key in zip_longest(offered, keys[: len(offered)]):
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
    page = Element("View", {"className": "hr-page hr-typed"})
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
    corrected = any(get_control(question).is_beside_item for question in definition.all_questions)
    add_item(add_view(columns, "column"), definition, fields, untitled=texts("original") if corrected else None)
    add_html(add_view(columns, "column"), decision_controls.ANSWERS_OBJECT, decision_controls.ANSWERS_KEY)
    return page, columns, add_view(page, "questions")


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


def _add_reason(parent: Element, alias: str, text: str, told: str | None, texts: InterfaceTexts) -> None:
    card = add_card(add_condition(parent, alias), text, told=told)
    add_text_area(
        card,
        decision_controls.REASON,
        decision_controls.ANSWERS_OBJECT,
        rows=2,
        placeholder=texts("write-here"),
        requirement={
            "required": True,
            "requiredMessage": escape_variables(texts("answer-this", question=text)),
        },
    )


def _format_page(page: Element) -> str:
    indent(page)
    return tostring(page, encoding="unicode")
