"""The control Labels: parts of a text that are marked, beside a box for "nothing to mark"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.campaigns.questions import Question, QuestionContent, SpanQuestion
from annotation.campaigns.questions.question_base import decode_json
from annotation.label_studio_controls import control_base, decision_controls, elements
from annotation.label_studio_controls.elements import add_element, escape_html

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

CLASS_KEYS = ("labels", "hypertextlabels", "paragraphlabels")
"""The keys of a region under which Label Studio's controls store the classes of a marked part."""
MARKED, NOTHING = "marked", "none"
MAX_LABEL_LENGTH = 40
"""The longest question that is itself the label of what is marked, in characters."""
CONTEXT_LENGTH = 60
"""How many characters are shown on either side of a marked part."""


class SpanControl(control_base.ControlType[SpanQuestion]):
    """Marked parts of a column's text."""

    value_key = "text"
    is_shown_apart = True
    is_in_decisions = True

    def list_names(self, question: SpanQuestion) -> tuple[str, ...]:
        """Return the names of the control and of the box."""
        return question.name, elements.get_none_control(question.name)

    def count_hotkeys(self, question: SpanQuestion) -> Mapping[str, int]:
        """Return one for the marker, and one for "nothing" where that is an answer."""
        nothing = {} if question.none is None else {elements.get_none_control(question.name): 1}
        return {question.name: 1} | nothing

    def build_control(self, card: Element, question: SpanQuestion, context: control_base.ControlContext) -> None:
        """Add the marker, and "nothing" where that is an answer.

        Label Studio cannot require a mark: where one is required, it requires that marking is said to be done. The page
        shows that box once there is a mark, so nobody needs its key.
        """
        required = context.requirement.get("required") is True
        done = context.texts("marked")
        hints = [context.texts("mark-here"), *[context.texts("mark-done", done=done)] * required]
        elements.add_header(card, " ".join(hints), name="told", size=6)
        text = elements.get_text_object(question.field)
        marks = add_element(card, "Labels", name=question.name, toName=text, maxUsages=question.most)
        label = context.mark_names.get(question.name, question.text)
        _add_option(marks, "Label", label, alias=question.name, keys=context.hotkeys[question.name])
        aliases = [alias for alias in _list_aliases(question) if required or alias != MARKED]
        if not aliases:
            return
        name = elements.get_none_control(question.name)
        how = {"none": question.none} if question.none is not None else {}
        if MARKED in aliases:
            warned = elements.get_unmarked_class(question.name)
            add_element(card, "Style").text = _build_marked_style(warned, elements.escape_variables(label))
            elements.add_header(card, context.texts("is-unmarked"), name=f"warned hr-{warned}", size=6)
        asked = question.text.rstrip(".")
        message = context.texts("mark-or-none" if how else "mark-first", question=asked, done=done, **how)
        answers = add_element(
            card,
            "Choices",
            name=name,
            toName=text,
            choice="single-radio" if len(aliases) > 1 else "multiple",
            showInline=True,
            required=required,
            requiredMessage=elements.escape_variables(message) if required else None,
        )
        for alias in aliases:
            # a key that nobody presses, as in `elements.UNUSED_HOTKEYS`: the box may not be there
            keys = [f"ctrl+alt+shift+meta+{key[-1]}" for key in context.hotkeys[question.name]]
            shown, keys = (done, keys) if alias == MARKED else (question.none or "", [*context.hotkeys[name]])
            _add_option(answers, "Choice", shown, alias=alias, keys=keys)

    def describe_limit(self, question: SpanQuestion, texts: control_base.InterfaceWords) -> str | None:
        """Return how many parts may be marked."""
        return texts("at-most", most=question.most) if question.most > 1 else None

    def read_result(self, question: SpanQuestion, result: control_base.ControlResult) -> object:
        """Return the parts with their classes, or the text for "nothing"."""
        text = result.content.fields.get(question.field, "")
        chosen = decision_controls.read_choices(result.values.get(elements.get_none_control(question.name), []))
        is_nothing = any(alias != MARKED for alias in chosen)
        spans = [
            span | ({"label": label} if question.labels is not None and label else {})
            for value in result.values.get(question.name, [])
            for span in [_read_span(question, value, text)]
            for label in read_classes(value if isinstance(value, Mapping) else {}) or [""]
        ]
        if spans and is_nothing:
            raise question.build_refusal(
                "is marked and said not to be there, in Label Studio.", "Open the task, leave one."
            )
        return spans or (question.none if is_nothing else None)

    def show_value(self, question: SpanQuestion, content: QuestionContent, stored: str) -> str:
        """Return each part within the text around it."""
        parts = decode_json(stored)
        if not isinstance(parts, list):
            return super().show_value(question, content, stored)
        text = content.fields.get(question.field, "")
        return "<br>".join(_show_part(text, part["start"], part["end"], part.get("label", "")) for part in parts)

    def list_own_choices(self, n_candidates: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the choice that opens the marker."""
        return (decision_controls.OWN_MARKS,)

    def build_decision_control(
        self, parent: Element, question: SpanQuestion, context: control_base.ControlContext
    ) -> None:
        """Add the marker as annotators have it."""
        view = decision_controls.add_condition(parent, decision_controls.OWN_MARKS)
        control_base.add_question(view, question, self, context, False)


def name_marks(questions: Sequence[Question], texts: control_base.InterfaceWords) -> dict[str, str]:
    """Return what the labels of marked parts are called, by question: the question itself, or a word if it is long.

    Label Studio writes it on the button below the question and on each marked part.
    """
    marking = [question for question in questions if question.marks_parts]
    long = [question for question in marking if len(question.text) > MAX_LABEL_LENGTH]
    words = {
        question.name: texts("mark") if len(marking) == 1 else texts("mark-number", number=number)
        for number, question in enumerate(long, start=1)
    }
    return {question.name: words.get(question.name, question.text) for question in marking}


def _list_aliases(question: SpanQuestion) -> tuple[str, ...]:
    """The answers beside the marker: that the parts are marked, where that is required, and that there are none."""
    return (MARKED,) * question.required + (NOTHING,) * (question.none is not None)


def _build_marked_style(warned: str, label: str) -> str:
    """CSS: "Marked" is there once a part has the label; ticked without one, it is told of, and stops Submit.

    Label Studio writes the label on the last line of a marked part, in later releases behind a number: `1:Who?`.
    """
    marked = f'.htx-highlight:is([data-label*="{elements.escape_css(label)}"], :not([data-label]))'
    box = ".lsf-choices .lsf-choice:first-child"
    return f"""
.hr-{warned} ~ {box} .lsf-hint {{ display: none; }}
body:not(:has({marked})) .hr-{warned} ~ {box}:not(:has(:checked)) {{ display: none; }}
body:not(:has({marked})) .hr-{warned}:has(~ {box} :checked) {{ display: block; }}
body:not(:has({marked})):has(.hr-{warned}:not([style*="none"]) ~ {box} :checked) {elements.STOPPED}
"""


def _add_option(parent: Element, tag: str, text: str, *, alias: str, keys: Sequence[str]) -> None:
    value = elements.escape_variables(text)
    add_element(parent, tag, value=value, alias=alias, hotkey=keys[0] if keys else None)


def read_classes(region: Mapping[str, Any]) -> list[str]:
    """Return the classes of a marked part, as the controls Labels, HyperTextLabels and ParagraphLabels store them."""
    classes = next((region[key] for key in CLASS_KEYS if key in region), None)
    if isinstance(classes, str):
        return [classes]
    return classes if isinstance(classes, list) and all(isinstance(label, str) for label in classes) else []


def read_place(region: Any) -> tuple[int, int] | None:
    """Return the first character of a marked part and the one behind it, counted as we do; None for any other value."""
    region = region if isinstance(region, Mapping) else {}
    offsets = region.get("globalOffsets") or region
    offsets = offsets if isinstance(offsets, Mapping) else {}
    start, end = offsets.get("start"), offsets.get("end")
    return (start, end) if type(start) is int and type(end) is int else None


def read_text(region: Mapping[str, Any]) -> str | None:
    """Return the text of a marked part, whose line breaks Label Studio writes as `\\n`; None where there is none."""
    text = region.get("text")
    return text.replace("\\n", "\n") if isinstance(text, str) else None


def _read_span(question: SpanQuestion, value: Any, text: str) -> dict[str, object]:
    place = read_place(value)
    if place is None:
        raise question.build_refusal("has a part without a place in Label Studio.", "Open the task and mark it again.")
    start, end = place
    marked_text = read_text(value)
    if marked_text is not None and marked_text != text[start:end].replace("\\n", "\n"):
        raise question.build_refusal(
            f"has {marked_text!r} marked in Label Studio, where the item says {text[start:end]!r}.",
            "The item was changed; push it again.",
        )
    return {"start": start, "end": end, "text": text[start:end]}


def _show_part(text: str, start: int, end: int, label: str) -> str:
    before, after = text[max(0, start - CONTEXT_LENGTH) : start], text[end : end + CONTEXT_LENGTH]
    left, right = "…" * (start > CONTEXT_LENGTH), "…" * (end + CONTEXT_LENGTH < len(text))
    part = f'<span class="hr-mark">{escape_html(text[start:end])}</span>'
    marked = f"{left}{escape_html(before)}{part}{escape_html(after)}{right}"
    return f"<b>{escape_html(label)}</b>: {marked}" if label else marked
