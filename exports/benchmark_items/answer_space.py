"""What a model is shown and has to answer: how a prompt ends, and gold and people's answers in the model's words.

The stimulus is the text that people read, the question and the options are theirs too. Only the last line is not: it
says how the answer is to be written, where people had buttons or marked a text.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

from exports.benchmark_items import task_functions
from exports.benchmark_items.sources import TaskSource

ANSWER, NUMBERS, PARTS, NONE, TEXT = "answer", "numbers", "parts", "none", "text"
CUES = MappingProxyType(
    {
        "uk": {
            ANSWER: "Відповідь:",
            NUMBERS: "Номери всіх правильних варіантів через кому (0, якщо таких немає):",
            PARTS: "Частина тексту дослівно:",
            NONE: "Частина тексту дослівно, або «{}»:",
            TEXT: "Виправлений текст:",
        },
        "ru": {
            ANSWER: "Ответ:",
            NUMBERS: "Номера всех верных вариантов через запятую (0, если таких нет):",
            PARTS: "Часть текста дословно:",
            NONE: "Часть текста дословно, или «{}»:",
            TEXT: "Исправленный текст:",
        },
        "en": {
            ANSWER: "Answer:",
            NUMBERS: "The numbers of all right options, separated by commas (0 if there are none):",
            PARTS: "The part of the text, word for word:",
            NONE: "The part of the text, word for word, or “{}”:",
            TEXT: "The corrected text:",
        },
    }
)
"""The last line of a prompt, by language and way of answering; English for other languages."""


def build_question(source: TaskSource) -> str:
    """The question as people saw it, with its help."""
    return "\n".join([source.text, *([source.help] if source.help else ())])


def build_cue(source: TaskSource) -> str:
    """The last line of a prompt; before it, of a scale, what its ends mean."""
    cues = CUES.get(source.data.language, CUES["en"])
    if source.kind == "span":
        cue = cues[PARTS] if source.no_answer is None else cues[NONE].format(source.no_answer)
    else:
        cue = cues[{"choices": NUMBERS, "edit": TEXT}.get(source.kind, ANSWER)]
    if source.ends is None or not source.options:
        return cue
    (low, high), (first, *_, last) = source.ends, source.options
    return f"({first} – {low}, {last} – {high})\n{cue}"


def get_labels(source: TaskSource, options: list[str]) -> list[str]:
    """The labels under which the options of an item are stored."""
    return options if source.labels is None else list(source.labels[: len(options)])


def encode_answer(kind: str, stored: str, doc: task_functions.Doc) -> str | None:
    """A stored answer (gold, or a person's) in the model's answer space; None where it is none of the item's options.

    A choice is the option's text, boxes are numbers, marked parts are quoted one a line; where a quoted part would be
    found elsewhere in the text, as JSON with its place.
    """
    if kind == "label":
        return str(doc["options"][doc["labels"].index(stored)]) if stored in doc["labels"] else None
    if kind == "boxes":
        ticked = json.loads(stored)
        numbers = [str(number) for number, option in enumerate(doc["options"], start=1) if option in ticked]
        return ", ".join(numbers) or "0"
    if kind == "span":
        return _quote_parts(stored, doc)
    return stored


def _quote_parts(stored: str, doc: task_functions.Doc) -> str | None:
    ends = task_functions.parse_ends(stored)
    if not ends:
        return None if doc["no_answer"] is None else str(doc["no_answer"])
    quoted = "\n".join(doc["text"][start:end] for start, end in ends)
    return quoted if task_functions.read_spans(doc, [quoted]) == ends else stored


def build_reply(kind: str, stored: str | None, doc: task_functions.Doc) -> Any:
    """What a replayed person says to the harness: the number of the option, or a text; None and "" for a skip."""
    if kind == "label":
        return None if stored is None else doc["labels"].index(stored)
    return "" if stored is None else encode_answer(kind, stored, doc)
