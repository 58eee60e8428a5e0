"""The labelling configuration of a project (its label config), and the instructions, as Label Studio shows them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, indent, tostring  # written here, never read

from annotation.campaigns.project_file import ItemsSection, ProjectFile
from annotation.campaigns.questions import Question
from annotation.label_studio import passes
from annotation.label_studio.configs.style import build_style
from annotation.label_studio.texts import InterfaceTexts, load_texts
from annotation.label_studio_controls import elements, get_control, span_control
from annotation.label_studio_controls.control_base import ControlContext, add_question
from annotation.label_studio_controls.elements import add_element, add_header, add_view
from annotation.label_studio_controls.results import SEEN_CONTROL
from annotation.loading.judgements import label_studio_values

SECOND_OBJECT = "item:second"
"""The name of the object that shows the first answers and the right ones."""


def render_label_config(definition: ProjectFile, *, second_pass: bool = False) -> str:
    """The configuration as XML, for all questions of the pass.

    Aliases are the labels under which answers are stored. The second pass also shows the annotator's first answers
    and the right ones.
    """
    texts = load_texts(definition.language)
    questions = passes.list_questions(definition, second_pass=second_pass)
    by_name = {question.name: question for question in questions}
    fields = passes.list_marked_columns(definition, second_pass=second_pass)
    page = Element("View", {"className": "hr-page" + " hr-typed" * passes.is_typed(questions)})
    add_element(page, "Style").text = build_style(panels=any(question.marks_parts for question in questions))
    context = ControlContext(
        main_object=passes.get_main_object(definition, fields),
        hotkeys=passes.assign_hotkeys(definition, second_pass=second_pass),
        texts=texts,
        mark_names=span_control.name_marks(questions, texts),
    )
    corrected = [question for question in questions if get_control(question).is_beside_item]
    n_sides = max((len(question.option_columns) for question in questions), default=0)
    body = page if corrected or n_sides else add_view(page, "beside")
    pictures = passes.list_pictures(definition, second_pass=second_pass)
    has_parts = bool(pictures) or passes.has_shown_parts(definition, fields)
    is_empty = n_sides and not (fields or second_pass or has_parts)
    if corrected:
        _add_hints(body, texts)
    upper = body if is_empty else add_view(body, "columns" if corrected else "item")
    left = add_view(upper, "column") if corrected else upper
    if second_pass:
        _add_right_answers(left, texts, *context.hotkeys[SEEN_CONTROL])
    add_item(left, definition, fields, untitled=texts("original") if corrected else None, second_pass=second_pass)
    if n_sides:
        _add_sides(body, texts("side-letters").split()[:n_sides])
    if corrected:
        _add_questions(add_view(upper, "column"), corrected, by_name, context, definition)
    other_questions = [question for question in questions if question not in corrected]
    if other_questions:
        _add_questions(add_view(body, "questions"), other_questions, by_name, context, definition)
    indent(page)
    return tostring(page, encoding="unicode")


def _add_hints(page: Element, texts: InterfaceTexts) -> None:
    """Say how a corrected text is kept, or that it is empty: at the top of the page, in sight while one types below."""
    add_header(page, texts("edit-kept"), name="told hr-kept", size=6)
    add_header(page, texts("is-empty"), name="warned hr-emptied", size=6)


def _has_titles(definition: ProjectFile) -> bool:
    """Whether the shown columns have titles."""
    return isinstance(definition.items, ItemsSection) and any(part.title for part in definition.items.shown_columns)


def add_item(
    parent: Element,
    definition: ProjectFile,
    fields: Sequence[str],
    *,
    untitled: str | None = None,
    second_pass: bool = False,
) -> None:
    """Show an item: its pictures, its HTML, and each text in which spans are marked (`fields`); `untitled` heads it
    else.
    """
    if untitled is not None and not _has_titles(definition):
        add_header(parent, untitled, name="title", size=6)
    for part in passes.list_pictures(definition, second_pass=second_pass):
        picture = add_view(parent, "picture")
        if part.title:
            add_header(picture, part.title, name="title", size=6)
        name, key = elements.get_image_object(part.field), elements.get_image_key(part.field)
        add_element(picture, "Image", name=name, value=f"${key}", zoom=True, zoomControl=True)
    if passes.has_shown_parts(definition, fields):
        add_html(parent, passes.ITEM_OBJECT, passes.ITEM_HTML_KEY)
    parts = definition.items.shown_columns if isinstance(definition.items, ItemsSection) else ()
    for field in fields:
        title = next((part.title for part in parts if part.field == field and part.title), None)
        text = add_view(parent, "text")
        if title:
            add_header(text, title, name="title", size=6)
        add_element(
            text,
            "HyperText",
            name=elements.get_text_object(field),
            value=f"${elements.get_text_key(field)}",
            inline=True,
        )


def add_html(parent: Element, name: str, key: str) -> None:
    """Show a field of the task."""
    add_element(parent, "HyperText", name=name, value=f"${key}", inline=True, selectionEnabled=False)


def _add_right_answers(parent: Element, texts: InterfaceTexts, hotkey: str) -> None:
    """Show the first answers and the right ones above the item, with a box that Submit asks for."""
    view = add_view(parent, "second" + " hr-keyless" * (hotkey in elements.UNUSED_HOTKEYS))
    add_html(view, SECOND_OBJECT, label_studio_values.SECOND_PASS_KEY)
    elements.add_box(
        view,
        SEEN_CONTROL,
        SECOND_OBJECT,
        texts("seen"),
        hotkey=hotkey,
        required=True,
        requiredMessage=texts("seen-first", box=texts("seen")),
    )


def _add_sides(parent: Element, letters: Sequence[str]) -> None:
    """Show the compared texts side by side, each under its letter."""
    sides = add_view(parent, f"columns hr-sides hr-of-{len(letters)}")
    for number, letter in enumerate(letters, start=1):
        side = add_view(sides, "column")
        add_header(side, letter, name="title", size=6)
        add_html(side, elements.get_side_object(number), elements.get_side_key(number))


def _add_questions(
    parent: Element,
    questions: Sequence[Question],
    known: dict[str, Question],
    context: ControlContext,
    definition: ProjectFile,
) -> None:
    question_texts = {question.name: question.text for question in definition.all_questions}
    for question in questions:
        element = _add_condition_views(parent, question, known)
        notes = [
            context.texts("if", question=question_texts[name], answer=" / ".join(values))
            for name, values in _list_unsupported_conditions(question, known).items()
        ]
        required = question.required and not _list_unsupported_conditions(question, known)
        add_question(element, question, get_control(question), context, required, *notes)


def _add_condition_views(parent: Element, question: Question, pass_questions: Mapping[str, Question]) -> Element:
    """The element for a question: in as many nested Views as it has conditions on questions of this pass.

    A text to correct is shown from the beginning, and hidden by answers other than those that ask for it.
    """
    for name, values in (question.show_if or {}).items():
        condition_question = pass_questions.get(name)
        if condition_question is None or not _is_supported_condition(condition_question, values):
            continue
        when, choice_labels = "choice-selected", values
        if (
            get_control(question).is_beside_item
            and condition_question.takes_one_option
            and (others := _list_other_labels(condition_question, values))
        ):
            when, choice_labels = "choice-unselected", others
        parent = elements.add_view(
            parent, "when", visibleWhen=when, whenTagName=name, whenChoiceValue=",".join(choice_labels)
        )
    return parent


def _list_unsupported_conditions(
    question: Question, pass_questions: Mapping[str, Question]
) -> dict[str, tuple[str, ...]]:
    """The conditions of a question that Label Studio cannot check: they are shown as notes, and it is not required."""
    conditions = (question.show_if or {}).items()
    return {
        name: values
        for name, values in conditions
        if name not in pass_questions or not _is_supported_condition(pass_questions[name], values)
    }


def _is_supported_condition(condition_question: Question, values: tuple[str, ...]) -> bool:
    """Whether Label Studio can check these answers; it splits the list of options at commas."""
    return bool(condition_question.get_options(None) or elements.has_task_options(condition_question)) and not any(
        "," in value for value in values
    )


def _list_other_labels(condition_question: Question, values: tuple[str, ...]) -> tuple[str, ...]:
    """The labels of the other options; empty where options differ from item to item, or one label holds a comma."""
    others = tuple(label for label in condition_question.get_labels(None) if label not in values)
    return () if any("," in label for label in others) else others


HEADING = re.compile(r"^[ \t]*(#+[ \t].*)$", re.MULTILINE)


def render_instructions(definition: ProjectFile, *, text: str | None = None, second_pass: bool | None = None) -> str:
    """The title, warning, instructions, questions, what drafts keep, and what the page's keys do, as escaped HTML.

    Label Studio removes styles, and resets those of headings, paragraphs and lists: what tells them apart is in the
    HTML.

    `text` are the instructions in the database; the project file holds only those written in it. The questions are
    those of the pass, or all where nobody says which pass.
    """
    texts = load_texts(definition.language)
    questions: Sequence[Question] = definition.all_questions
    if second_pass is not None:
        questions = passes.list_questions(definition, second_pass=second_pass)
    instructions = definition.instructions if text is None else text
    parts = [f"<h3><strong>{html.escape(definition.title)}</strong></h3>"]
    if definition.content_warning:
        parts.append(f"<br><p><strong>{html.escape(definition.content_warning)}</strong></p>")
    blocks = re.split(r"\n\s*\n", HEADING.sub(r"\n\n\1\n\n", instructions))
    parts += [_render_paragraph(block) for block in blocks if block.strip()]
    asked = "".join(_render_line(question.text, question.help) for question in questions)
    parts += [_render_heading(texts("questions")), f"<ul>{asked}</ul>"]
    kept = [get_control(question).explain_draft(question, texts) for question in questions]
    if any(kept):
        told = dict.fromkeys([texts("kept-ticks"), *filter(None, kept)])
        parts += [_render_heading(texts("kept")), f"<ul>{''.join(map(_render_line, told))}</ul>"]
    told_of_page = map(_render_line, _list_page_lines(questions, texts))
    parts += [_render_heading(texts("page")), f"<ul>{''.join(told_of_page)}</ul>"]
    return "\n".join(parts)


def _list_page_lines(questions: Sequence[Question], texts: InterfaceTexts) -> list[str]:
    """What no project can change of Label Studio's page: what keys do, and that its own words are English."""
    controls = [(get_control(question), question) for question in questions]
    has_keys = any(sum(control.count_hotkeys(question).values()) for control, question in controls)
    lines = [texts("keys-toggle")] if has_keys else []
    if has_keys and any(control.is_typed for control, _ in controls):
        lines.append(texts("keys-outside"))
    return [*lines, texts("english-words")]


def _render_line(text: str, hint: str | None = None) -> str:
    return f"<li>• {html.escape(text)}{f'<br><em>{html.escape(hint)}</em>' if hint else ''}</li>"


def _render_heading(text: str) -> str:
    return f"<br><h4><strong>{html.escape(text)}</strong></h4>"


def _render_paragraph(text: str) -> str:
    """A paragraph, a heading of Markdown, or a list of lines that begin with a dash."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if lines[0].startswith("#") and len(lines) == 1:
        return _render_heading(lines[0].lstrip("# "))
    if all(re.match(r"[-*•]\s", line) for line in lines):
        return f"<ul>{''.join(_render_line(line[1:].strip()) for line in lines)}</ul>"
    return f"<br><p>{'<br>'.join(html.escape(line) for line in lines)}</p>"
