"""Reads the questions of a labelling configuration of Label Studio."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotation.errors import BadInput, Where
from annotation.loading.project_drafts.question_guesses import QuestionGuess
from annotation.loading.project_drafts.yaml_lines import YamlLine

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SHOWN = frozenset({"Text", "HyperText", "Paragraphs", "Image", "Audio", "Video", "Table", "List"})
_TEXTS = frozenset({"Text", "HyperText"})
"""The tags of objects whose marked parts have places in a text."""
_LEFT, _RIGHT = "left", "right"


@dataclass(frozen=True, kw_only=True)
class LabelConfig:
    """The questions of a configuration by the name of their control, and the fields of the tasks that it shows.

    `others` are controls without a question type here, such as boxes on pictures, each with what it is in brackets.
    """

    questions: Mapping[str, QuestionGuess]
    shown: tuple[str, ...]
    others: tuple[str, ...]


def read_config(text: str, *, path: Path) -> LabelConfig:
    """Parse a configuration; raises BadInput for text that is none, and for one whose controls cannot be asked."""
    from xml.etree import ElementTree

    where = Where(file=path)
    remedy = "Copy it from the settings of the project in Label Studio: Labeling Interface, Code."
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadInput("A labelling configuration has no document type.", where=where, remedy=remedy)
    try:
        root = ElementTree.fromstring(text.strip())  # noqa: S314  # without a document type nothing can be expanded
    except ElementTree.ParseError as failure:
        line, column = failure.position
        place = Where(file=path, line=line, column=column + 1)
        raise BadInput("The labelling configuration is not XML.", where=place, remedy=remedy) from None
    questions: dict[str, QuestionGuess] = {}
    others: dict[str, None] = {}
    heading = ""
    objects = {str(one.get("name")): _get_field(one) for one in root.iter() if one.tag in _SHOWN and _get_field(one)}
    tags = {str(one.get("name")): one.tag for one in root.iter() if one.get("toName") is None}
    names = Counter(one.get("name") for one in root.iter() if one.get("toName") is not None)
    hidden = {one for view in root.iter() if view.get("visibleWhen") for one in view.iter()}
    for element in root.iter():
        heading = element.get("value", "") if element.tag == "Header" else heading
        name = element.get("name")
        if name is None or element.get("toName") is None:
            continue
        why = "its name is used twice" if names[name] > 1 else _explain_left_out(element, tags)
        question = None if why else _build_question(element, objects)
        if question is None:
            others[f"{name} ({why or element.tag})"] = None
        else:
            questions[name] = QuestionGuess(
                type=question.type,
                keys=question.keys,
                text=heading if heading and not heading.startswith("$") else "",
                is_required=element.get("required") == "true" and element not in hidden,
            )
            heading = ""
    if not questions:
        found = f" It has: {', '.join(others)}." if others else ""
        raise BadInput("No control of the configuration is a question here.", where=where, remedy=f"{remedy}{found}")
    return LabelConfig(questions=questions, shown=tuple(dict.fromkeys(objects.values())), others=tuple(others))


def _explain_left_out(element: Element, tags: Mapping[str, str]) -> str:
    """Why a control is not about the whole item, or marks no text; else empty. `tags` are those of objects by name."""
    if "true" in {element.get("perRegion"), element.get("perItem")}:
        return f"{element.tag} for each marked part"
    shown = tags.get(str(element.get("toName")).split(",")[0], "")
    if element.tag in {"Labels", "HyperTextLabels"} and shown not in _TEXTS:
        return f"{element.tag} on {shown or 'nothing'}"
    return ""


def _get_field(element: Element) -> str:
    value = element.get("value", "") or element.get("valueList", "")
    return value[1:] if value.startswith("$") else ""


def _build_question(element: Element, objects: Mapping[str, str]) -> QuestionGuess | None:
    """The question of a control; None for one that no question type is like."""
    tag = element.tag
    keys: tuple[YamlLine, ...] = ()
    match tag:
        case "Labels" | "HyperTextLabels" | "ParagraphLabels":
            labels = tuple(_list_values(element, "Label"))
            field = objects.get(str(element.get("toName")).split(",")[0], "text")
            kind = "span"
            keys = (
                YamlLine("field", field),
                YamlLine("most", "100"),
                *([YamlLine("labels", labels)] if labels else []),
            )
        case "Choices" | "Taxonomy":
            kind = "choices" if tag == "Taxonomy" or element.get("choice") == "multiple" else "choice"
            options = tuple(_list_values(element, "Choice"))
            if len(options) < 2:
                return None
            keys = (YamlLine("options", options),)
        case "Rating":
            kind = "scale"
            keys = (YamlLine("options", tuple(map(str, range(1, _read_number(element, "maxRating", 5) + 1)))),)
        case "Number":
            kind, keys = "text", (YamlLine("normalise", "number"),)
        case "Pairwise":
            sides = element.get("selectionLeft", _LEFT), element.get("selectionRight", _RIGHT)
            kind, keys = "choice", (YamlLine("options", sides),)
        case "TextArea":
            kind = "text"
        case _:
            return None
    return QuestionGuess(type=YamlLine("type", kind, f"the control {tag}"), keys=keys)


def _read_number(element: Element, name: str, otherwise: int) -> int:
    written = element.get(name, "")
    return min(100, int(written)) if written.isascii() and written.isdigit() and int(written) > 1 else otherwise


def _list_values(element: Element, tag: str, above: str = "") -> Iterator[str]:
    """The values of the options or classes; those of a taxonomy with the path to them."""
    for child in element:
        value = child.get("alias") or child.get("value")
        if child.tag != tag:
            yield from _list_values(child, tag, above)
        elif value:
            path = f"{above} / {value}" if above else value
            yield path
            yield from _list_values(child, tag, path)
