"""The result of an annotation, control by control: lists of regions and values become one raw answer a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.questions import Choice, Choices, Edit, FreeText, Material, Question, Scale, SpanOf
from annotation.campaigns.questions import answers as reading
from annotation.errors import BadInput, Where
from annotation.label_studio import passes

REMEDY = "Push the project again; its configuration was changed in Label Studio."


def read(
    definition: ProjectFile,
    asked: Sequence[Question],
    result: Sequence[Mapping[str, Any]],
    material: Material,
    *,
    first: Mapping[str, str],
) -> dict[str, object]:
    """What each control says, by question; nothing for those that were not touched."""
    names = {one.name: one for one in asked}
    names |= {passes.none_control(one): one for one in asked if isinstance(one, SpanOf)}
    values: dict[str, list[Any]] = {}
    for one in result:
        name = str(one.get("from_name"))
        if name not in names:
            raise BadInput(
                f"Label Studio has an answer of {name!r}, which {definition.project!r} does not ask.",
                where=Where(field=name),
                remedy=REMEDY,
            )
        values.setdefault(name, []).append(one.get("value"))
    found = {one.name: _answer(one, values, material, first) for one in asked}
    return {name: answer for name, answer in found.items() if answer is not None}


def visible(asked: Sequence[Question], raw: Mapping[str, object], material: Material) -> dict[str, object]:
    """The answers to what was on the screen in the end; boxes of which none is ticked are an answer where allowed."""
    found: dict[str, str] = {}
    kept: dict[str, object] = {}
    for question in asked:
        if not reading.asked(question, found):
            continue
        given = raw.get(question.name)
        if given is None and isinstance(question, Choices) and question.required and question.least == 0:
            given = []
        if question.unanswered(given):
            continue
        kept[question.name] = given
        found[question.name] = question.stored(question.parse(given, material))
    return kept


def _answer(
    question: Question, values: Mapping[str, list[Any]], material: Material, first: Mapping[str, str]
) -> object:
    given = values.get(question.name, [])
    match question:
        case Choice() | Scale():
            chosen = _chosen(question, given, material)
            return None if not chosen else chosen[0] if len(chosen) == 1 else _several(question, chosen)
        case Choices():
            return _chosen(question, given, material) or None
        case Edit():
            written = _texts(given)
            filled = {(first.get(question.name) or material.fields.get(question.field, "")).strip()}
            return _written(question, [one for one in written if one.strip() not in filled] or written[:1])
        case FreeText():
            return _written(question, _texts(given))
        case SpanOf():
            nothing = bool(values.get(passes.none_control(question)))
            return _spans(question, given, material, nothing=nothing)
    return None


def _chosen(question: Question, given: Sequence[Any], material: Material) -> list[str]:
    """The labels, in the order in which they came."""
    labels = passes.labels(question, material.options)
    chosen: list[str] = []
    for value in given:
        listed = value.get("choices") if isinstance(value, Mapping) else value
        for one in [listed] if isinstance(listed, str) else listed or []:
            label = one[0] if isinstance(one, list) and len(one) == 1 else one
            if label not in labels:
                raise question.refusal(f"has {label!r} in Label Studio, which is no option.", REMEDY)
            chosen.append(label)
    return list(dict.fromkeys(chosen))


def _texts(given: Sequence[Any]) -> list[str]:
    """Every text once: a TextArea says "…", ["…"] or {"text": …} of either."""
    found: list[str] = []
    for value in given:
        inner = value.get("text") if isinstance(value, Mapping) else value
        found += [inner] if isinstance(inner, str) else [str(one) for one in inner or []]
    return list(dict.fromkeys(one for one in found if one.strip()))


def _written(question: Question, texts: Sequence[str]) -> str | None:
    return None if not texts else texts[0] if len(texts) == 1 else _several(question, texts)


def _several(question: Question, found: Sequence[str]) -> str:
    raise question.refusal(
        f"has {len(found)} answers in Label Studio: {' · '.join(one[:40] for one in found)}.",
        "Open the task there and leave one.",
    )


def _spans(question: SpanOf, given: Sequence[Any], material: Material, *, nothing: bool) -> object:
    text = material.fields.get(question.field, "")
    spans = [_span(question, value, text) for value in given]
    if spans and nothing:
        raise question.refusal("is marked and said not to be there, in Label Studio.", "Open the task, leave one.")
    return spans or (question.none if nothing else None)


def _span(question: SpanOf, value: Any, text: str) -> dict[str, object]:
    """Label Studio counts characters as we do, and writes line breaks of the marked text as `\\n`."""
    value = value if isinstance(value, Mapping) else {}
    offsets = value.get("globalOffsets") or value
    start, end = offsets.get("start"), offsets.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        raise question.refusal("has a part without a place in Label Studio.", "Open the task and mark it again.")
    said = value.get("text")
    if isinstance(said, str) and said.replace("\\n", "\n") != text[start:end].replace("\\n", "\n"):
        raise question.refusal(
            f"has {said!r} marked in Label Studio, where the item says {text[start:end]!r}.",
            "The item was changed; push it again.",
        )
    return {"start": start, "end": end, "text": text[start:end]}
