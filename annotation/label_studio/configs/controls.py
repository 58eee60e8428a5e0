"""Each kind of question as a control of Label Studio: its words, its limits, and where the answer is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from xml.etree.ElementTree import Element  # written here, never read

from annotation.campaigns.questions import Choice, Choices, Edit, FreeText, Question, Scale, SpanOf
from annotation.label_studio import passes
from annotation.label_studio.configs.elements import add, block, head, literal
from annotation.label_studio.texts import Words

SHORT = 200
"""Answers of at most so many characters get one line to write in."""
INLINE = 48
"""Options that together have at most so many characters stand side by side."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What all controls of a pass share: the object they speak of, the keys of their options, the language."""

    about: str
    keys: Mapping[str, tuple[str, ...]]
    say: Words


def control(parent: Element, question: Question, scene: Scene, *, required: bool, told: Sequence[str] = ()) -> None:
    """The question's words and its control; `told` stands beside it."""
    card = block(parent, f"question hr-{question.kind}{' hr-wide' * passes.moving(question)}")
    head(card, question.text, name="asks")
    own = (question.help, _limit(question, scene.say), _optional(question, scene.say))
    beside = [*told, *(one for one in own if one)]
    if beside:
        head(card, " · ".join(beside), name="told", size=6)
    needed = {"required": required, "requiredMessage": _message(question, scene.say) if required else None}
    match question:
        case Choice() | Choices() | Scale():
            _options(card, question, scene, needed)
        case Edit() | FreeText():
            _writing(card, question, scene, needed)
        case SpanOf():
            _span(card, question, scene)


def _options(card: Element, question: Choice | Choices | Scale, scene: Scene, needed: Mapping[str, object]) -> None:
    several = isinstance(question, Choices)
    options = passes.texts(question)
    moving = passes.moving(question)
    inline = bool(options) and sum(map(len, options)) <= INLINE
    if isinstance(question, Scale) and question.ends is not None:
        head(card, f"{question.ends[0]} ← → {question.ends[1]}", name="ends", size=6)
    choices = add(
        card,
        "Choices",
        name=question.name,
        toName=scene.about,
        choice="multiple" if several else "single-radio",
        showInline=inline or isinstance(question, Scale),
        value=f"${passes.options_key(question)}" if moving else None,
        **needed,  # type: ignore[arg-type]
    )
    if not moving:
        _fixed(choices, options, passes.labels(question), scene.keys[question.name])


def _fixed(choices: Element, options: Sequence[str], labels: Sequence[str], keys: Sequence[str]) -> None:
    for option, label, key in zip_longest(options, labels, keys):
        add(choices, "Choice", value=literal(option), alias=label, hotkey=key)


def _writing(card: Element, question: Edit | FreeText, scene: Scene, needed: Mapping[str, object]) -> None:
    corrected = isinstance(question, Edit)
    rows = 14 if corrected else 1 if question.longest <= SHORT else 3
    add(
        card,
        "TextArea",
        name=question.name,
        toName=scene.about,
        value=f"${passes.edit_key(question)}" if isinstance(question, Edit) else None,
        rows=rows,
        maxSubmissions=1,
        editable=True,
        showSubmitButton=False,
        placeholder=None if corrected else scene.say("write-here"),
        **needed,  # type: ignore[arg-type]
    )


def _span(card: Element, question: SpanOf, scene: Scene) -> None:
    head(card, scene.say("mark-here"), name="told", size=6)
    marks = add(card, "Labels", name=question.name, toName=passes.text_object(question.field), maxUsages=question.most)
    add(marks, "Label", value=literal(question.text), alias=question.name, hotkey=_first(scene.keys[question.name]))
    if question.none is None:
        return
    name = passes.none_control(question)
    nothing = add(card, "Choices", name=name, toName=passes.text_object(question.field), choice="multiple")
    add(nothing, "Choice", value=literal(question.none), alias="none", hotkey=_first(scene.keys[name]))


def _first(keys: Sequence[str]) -> str | None:
    return keys[0] if keys else None


def _limit(question: Question, say: Words) -> str | None:
    """How many may be chosen or marked, where that is not obvious."""
    if isinstance(question, SpanOf):
        return say("at-most", most=question.most) if question.most > 1 else None
    if not isinstance(question, Choices):
        return None
    if question.most is None:
        return say("at-least", least=question.least) if question.least > 1 else None
    return (
        say("between", least=question.least, most=question.most)
        if question.least
        else say("at-most", most=question.most)
    )


def _optional(question: Question, say: Words) -> str | None:
    may = not question.required or (isinstance(question, Choices) and question.least == 0)
    return say("optional") if may else None


def _message(question: Question, say: Words) -> str:
    return literal(say("answer-this", question=question.text))
