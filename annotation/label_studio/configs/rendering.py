"""The labelling configuration of a project: what is shown, what is asked, how it looks."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, indent, tostring  # written here, never read

from annotation.campaigns.project import ItemsSection, ProjectFile
from annotation.campaigns.questions import Choices, Edit, Question, SpanOf
from annotation.label_studio import passes
from annotation.label_studio.configs import conditions
from annotation.label_studio.configs.controls import Scene, control
from annotation.label_studio.configs.elements import add, block, head
from annotation.label_studio.configs.style import style
from annotation.label_studio.texts import words


def rendered(definition: ProjectFile, *, second_pass: bool = False) -> str:
    """The configuration as XML, for all questions of the pass.

    Aliases are the labels under which answers are stored. The second pass shows her first answers and the right one.
    """
    say = words(definition.language)
    asked = passes.questions(definition, second_pass=second_pass)
    known = {question.name: question for question in asked}
    page = Element("View", {"className": "hr-page"})
    add(page, "Style").text = style(panels=any(isinstance(one, SpanOf) for one in asked))
    scene = Scene(about=_about(definition, second_pass=second_pass), keys=passes.hotkeys(definition), say=say)
    corrected = [one for one in asked if isinstance(one, Edit)]
    body = page if corrected else block(page, "beside")
    upper = block(body, "columns" if corrected else "item")
    left = block(upper, "column") if corrected else upper
    if corrected and not _titled(definition):
        head(left, say("original"), name="title", size=6)
    _item(left, definition, second_pass=second_pass)
    if corrected:
        _asks(block(upper, "column"), corrected, known, scene, definition)
    rest = [one for one in asked if not isinstance(one, Edit)]
    if rest:
        _asks(block(body, "questions"), rest, known, scene, definition)
    indent(page)
    return tostring(page, encoding="unicode")


def _about(definition: ProjectFile, *, second_pass: bool) -> str:
    """The object that questions speak of: what is shown, or the first text to mark in where that is all."""
    fields = passes.marked(definition, second_pass=second_pass)
    return passes.SHOWN_OBJECT if _shows(definition, fields) else passes.text_object(fields[0])


def _shows(definition: ProjectFile, fields: Sequence[str]) -> bool:
    """Whether anything is shown beside the texts to mark in."""
    if not isinstance(definition.items, ItemsSection):
        return True
    return any(part.field not in fields for part in definition.items.parts)


def _titled(definition: ProjectFile) -> bool:
    """Whether what is shown has titles of its own."""
    return isinstance(definition.items, ItemsSection) and any(part.title for part in definition.items.parts)


def _item(parent: Element, definition: ProjectFile, *, second_pass: bool) -> None:
    fields = passes.marked(definition, second_pass=second_pass)
    if _shows(definition, fields):
        _show(parent, passes.SHOWN_OBJECT, passes.SHOWN)
    parts = definition.items.parts if isinstance(definition.items, ItemsSection) else ()
    for field in fields:
        titled = next((part.title for part in parts if part.field == field and part.title), None)
        text = block(parent, "text")
        if titled:
            head(text, titled, name="title", size=6)
        add(text, "HyperText", name=passes.text_object(field), value=f"${passes.text_key(field)}", inline=True)
    if second_pass:
        second = block(parent, "second")
        _show(second, "item:second", passes.SECOND)


def _show(parent: Element, name: str, key: str) -> None:
    """A field of the task that is only read."""
    add(parent, "HyperText", name=name, value=f"${key}", inline=True, selectionEnabled=False)


def _asks(
    parent: Element, asked: Sequence[Question], known: dict[str, Question], scene: Scene, definition: ProjectFile
) -> None:
    words = {question.name: question.text for question in definition.asked}
    for question in asked:
        place = conditions.inside(parent, question, known)
        told = [
            scene.say("if", question=words[name], answer=" / ".join(values))
            for name, values in conditions.unfollowed(question, known).items()
        ]
        control(place, question, scene, required=_needed(question, known), told=told)


def _needed(question: Question, known: dict[str, Question]) -> bool:
    """Whether Label Studio is to insist on an answer; where none at all is an answer too, it must not."""
    if isinstance(question, SpanOf) or (isinstance(question, Choices) and question.least == 0):
        return False
    return question.required and not conditions.unfollowed(question, known)
