"""The controls of Label Studio for each kind of question, the conditions on which they are shown, and their XML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from xml.etree.ElementTree import Element, SubElement  # formatted here, never read

from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    Question,
    ScaleQuestion,
    SpanQuestion,
    TextQuestion,
)
from annotation.label_studio import passes
from annotation.label_studio.texts import InterfaceTexts
from annotation.loading.judgements.label_studio_json import get_none_control, list_option_labels, list_option_texts

ONE_LINE_LENGTH = 200
"""Texts of at most so many characters get a field of one line."""
INLINE_LENGTH = 48
"""Options with at most so many characters in all are shown side by side."""
_FORBIDDEN_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORD_JOINER = "\u2060"


@dataclass(frozen=True, kw_only=True)
class ControlContext:
    """What all controls of a pass share: hotkeys by control, texts, and `main_object`.

    That is the name of the object to which all controls but those of spans refer (`toName`): the item's HTML, or else
    the first text in which spans are marked.
    """

    main_object: str
    hotkeys: Mapping[str, tuple[str, ...]]
    texts: InterfaceTexts


def add_control(
    parent: Element, question: Question, context: ControlContext, *, required: bool, notes: Sequence[str] = ()
) -> None:
    """Add the text of a question and its control; `notes` are shown beside it."""
    card = add_view(parent, f"question hr-{question.kind}{' hr-wide' * passes.has_task_options(question)}")
    add_header(card, question.text, name="asks")
    details = (question.help, _describe_limit(question, context.texts), _describe_optional(question, context.texts))
    lines = [*notes, *filter(None, details)]
    if lines:
        add_header(card, " · ".join(lines), name="told", size=6)
    requirement = {
        "required": required,
        "requiredMessage": escape_variables(context.texts("answer-this", question=question.text)) if required else None,
    }
    match question:
        case ChoiceQuestion() | ChoicesQuestion() | ScaleQuestion():
            _add_choices(card, question, context, requirement)
        case EditQuestion() | TextQuestion():
            _add_text_area(card, question, context, requirement)
        case SpanQuestion():
            _add_labels(card, question, context)


def _add_choices(
    card: Element,
    question: ChoiceQuestion | ChoicesQuestion | ScaleQuestion,
    context: ControlContext,
    requirement: Mapping[str, object],
) -> None:
    several = isinstance(question, ChoicesQuestion)
    options = list_option_texts(question)
    in_task = passes.has_task_options(question)
    inline = bool(options) and sum(map(len, options)) <= INLINE_LENGTH
    if isinstance(question, ScaleQuestion) and question.ends is not None:
        add_header(card, f"{question.ends[0]} ← → {question.ends[1]}", name="ends", size=6)
    choices = add_element(
        card,
        "Choices",
        name=question.name,
        toName=context.main_object,
        choice="multiple" if several else "single-radio",
        showInline=inline or isinstance(question, ScaleQuestion),
        value=f"${passes.get_options_key(question)}" if in_task else None,
        **requirement,  # type: ignore[arg-type]
    )
    if not in_task:
        _add_fixed_options(choices, options, list_option_labels(question), context.hotkeys[question.name])


def _add_fixed_options(choices: Element, options: Sequence[str], labels: Sequence[str], keys: Sequence[str]) -> None:
    for option, label, key in zip_longest(options, labels, keys):
        add_element(choices, "Choice", value=escape_variables(option), alias=label, hotkey=key)


def _add_text_area(
    card: Element, question: EditQuestion | TextQuestion, context: ControlContext, requirement: Mapping[str, object]
) -> None:
    corrected = isinstance(question, EditQuestion)
    rows = 14 if corrected else 1 if question.longest <= ONE_LINE_LENGTH else 3
    add_element(
        card,
        "TextArea",
        name=question.name,
        toName=context.main_object,
        value=f"${passes.get_edit_key(question)}" if isinstance(question, EditQuestion) else None,
        rows=rows,
        maxSubmissions=1,
        editable=True,
        showSubmitButton=False,
        placeholder=None if corrected else context.texts("write-here"),
        **requirement,  # type: ignore[arg-type]
    )


def _add_labels(card: Element, question: SpanQuestion, context: ControlContext) -> None:
    add_header(card, context.texts("mark-here"), name="told", size=6)
    marks = add_element(
        card, "Labels", name=question.name, toName=passes.get_text_object(question.field), maxUsages=question.most
    )
    add_element(
        marks,
        "Label",
        value=escape_variables(question.text),
        alias=question.name,
        hotkey=_get_first_key(context.hotkeys[question.name]),
    )
    if question.none is None:
        return
    name = get_none_control(question)
    none_box = add_element(card, "Choices", name=name, toName=passes.get_text_object(question.field), choice="multiple")
    add_element(
        none_box,
        "Choice",
        value=escape_variables(question.none),
        alias="none",
        hotkey=_get_first_key(context.hotkeys[name]),
    )


def _get_first_key(keys: Sequence[str]) -> str | None:
    return keys[0] if keys else None


def _describe_limit(question: Question, texts: InterfaceTexts) -> str | None:
    """How many options may be chosen or spans marked, where that is not obvious."""
    if isinstance(question, SpanQuestion):
        return texts("at-most", most=question.most) if question.most > 1 else None
    if not isinstance(question, ChoicesQuestion):
        return None
    if question.most is None:
        return texts("at-least", least=question.least) if question.least > 1 else None
    return (
        texts("between", least=question.least, most=question.most)
        if question.least
        else texts("at-most", most=question.most)
    )


def _describe_optional(question: Question, texts: InterfaceTexts) -> str | None:
    return texts("optional") if passes.may_stay_empty(question) else None


def escape_variables(text: str) -> str:
    """The text with every `$` escaped, since Label Studio replaces `$` and a name by a field of the task."""
    return _FORBIDDEN_IN_XML.sub("", text).replace("$", f"{_WORD_JOINER}${_WORD_JOINER}")


def add_element(parent: Element, tag: str, **attributes: str | int | bool | None) -> Element:
    """Add a child; attributes that are None are left out, booleans are `true` and `false`."""
    formatted = {name: _format_attribute(value) for name, value in attributes.items() if value is not None}
    return SubElement(parent, tag, formatted)


def add_view(parent: Element, name: str, **attributes: str | None) -> Element:
    """Add a View with a CSS class of ours."""
    return add_element(parent, "View", className=f"hr-{name}", **attributes)


def add_header(parent: Element, text: str, *, name: str = "head", size: int = 5) -> None:
    """Add a View with a header."""
    add_element(add_view(parent, name), "Header", value=escape_variables(text), size=size)


def _format_attribute(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _FORBIDDEN_IN_XML.sub("", str(value))


def add_condition_views(parent: Element, question: Question, pass_questions: Mapping[str, Question]) -> Element:
    """The element for a question: in as many nested Views as it has conditions on questions of this pass.

    A text to correct is shown from the beginning, and hidden by answers other than those that ask for it.
    """
    for name, values in (question.show_if or {}).items():
        condition_question = pass_questions.get(name)
        if condition_question is None or not is_supported_condition(condition_question, values):
            continue
        when, choice_labels = "choice-selected", values
        if (
            isinstance(question, EditQuestion)
            and isinstance(condition_question, ChoiceQuestion | ScaleQuestion)
            and (others := _list_other_labels(condition_question, values))
        ):
            when, choice_labels = "choice-unselected", others
        parent = add_view(parent, "when", visibleWhen=when, whenTagName=name, whenChoiceValue=",".join(choice_labels))
    return parent


def list_unsupported_conditions(
    question: Question, pass_questions: Mapping[str, Question]
) -> dict[str, tuple[str, ...]]:
    """The conditions of a question that Label Studio cannot check: they are shown as notes, and it is not required."""
    conditions = (question.show_if or {}).items()
    return {
        name: values
        for name, values in conditions
        if name not in pass_questions or not is_supported_condition(pass_questions[name], values)
    }


def is_supported_condition(condition_question: Question, values: tuple[str, ...]) -> bool:
    """Whether Label Studio can check these answers; it splits the list of options at commas."""
    return bool(list_option_texts(condition_question) or passes.has_task_options(condition_question)) and not any(
        "," in value for value in values
    )


def _list_other_labels(condition_question: Question, values: tuple[str, ...]) -> tuple[str, ...]:
    """The labels of the other options; empty where options differ from item to item, or one label holds a comma."""
    others = tuple(label for label in list_option_labels(condition_question) if label not in values)
    return () if any("," in label for label in others) else others
