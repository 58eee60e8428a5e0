"""Drafts the project file of a project that somebody made by hand in Label Studio, from its configuration and tasks."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.loading.project_drafts import project_draft
from annotation.loading.project_drafts.label_config import LabelConfig
from annotation.loading.project_drafts.languages import guess_language
from annotation.loading.project_drafts.question_guesses import QuestionGuess
from annotation.loading.project_drafts.votes_table import name_questions
from annotation.loading.project_drafts.yaml_lines import YamlLine, format_lines, list_doubts

ITEMS_FILE = "items.jsonl"
INSTRUCTIONS_FILE = "instructions.md"
ID_COLUMN = "label_studio_task"
"""The column of an item's id: the number of its task."""
_BREAK = re.compile(r"<(?:br|/p|/div|/li|/h\d)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True, kw_only=True)
class AdoptedDraft:
    """A drafted project: its files by name, and the lines of the project file that somebody should look at."""

    files: Mapping[str, str]
    doubts: tuple[str, ...]


def draft_adopted_project(
    name: str,
    *,
    source: str,
    title: str,
    instructions: str,
    config: LabelConfig,
    tasks: Mapping[int, Mapping[str, Any]],
    answers: Sequence[frozenset[str]],
) -> AdoptedDraft:
    """Draft the files of a project.

    `source` is its address there, `tasks` the data of its tasks by their number, `answers` the controls that each
    annotation has an answer of. There is no `overlap`, so that whoever answers there later counts as well.
    """
    shown = [field for field in config.shown if any(field in data for data in tasks.values())]
    shown = shown or list(dict.fromkeys(field for data in tasks.values() for field in data))[:1]
    names = dict(zip(config.questions, name_questions([*config.questions]), strict=True))
    questions = {
        names[control]: _complete_question(guess, control, answers, n_controls=len(names))
        for control, guess in config.questions.items()
    }
    texts = [str(data.get(field, "")) for data in [*tasks.values()][:1000] for field in shown]
    told = guess_language(texts, [guess.text for guess in questions.values()])
    control = next(iter(names))
    read = (
        YamlLine("answers", {name: one for one, name in names.items()})
        if len(names) > 1
        else YamlLine("answer", control)
    )
    guide = _read_html(instructions)
    lines = [
        YamlLine("project", name),
        YamlLine("title", title, "the name that people see"),
        told,
        *([YamlLine("instructions_file", INSTRUCTIONS_FILE)] if guide else []),
        *project_draft.write_questions(
            questions, {name: guess.text for name, guess in questions.items()}, str(told.value)
        ),
        YamlLine(
            "items",
            below=(
                YamlLine("file", ITEMS_FILE),
                YamlLine("id", ID_COLUMN, "the number of the task there"),
                YamlLine("show", shown[0] if len(shown) == 1 else tuple(shown)),
            ),
        ),
        YamlLine("votes", "", "how its annotations are read", below=(YamlLine("format", "label-studio"), read)),
    ]
    head = [f"# Written by `hromada label-studio adopt {source}`."]
    head += [f"# Left out, since no question type is like it: {one}" for one in config.others]
    files = {"project.yaml": "\n".join([*head, *format_lines(lines)]) + "\n"}
    files |= {INSTRUCTIONS_FILE: f"{guide}\n"} if guide else {}
    files[ITEMS_FILE] = write_items(tasks, shown)
    return AdoptedDraft(files=files, doubts=tuple(list_doubts(lines)))


def write_items(tasks: Mapping[int, Mapping[str, Any]], shown: Sequence[str]) -> str:
    """Write tasks as lines of the file of items; a field that is shown and that a task lacks is empty."""
    rows = ({ID_COLUMN: str(number), **dict.fromkeys(shown, ""), **data} for number, data in tasks.items())
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _complete_question(
    guess: QuestionGuess, control: str, answers: Sequence[frozenset[str]], *, n_controls: int
) -> QuestionGuess:
    """The question with its control's name where no header says what is asked, required only if all answered it."""
    all_answered = all(control in answered for answered in answers)
    is_required = n_controls == 1 or (guess.is_required and all_answered)
    return replace(guess, text=guess.text or control, is_required=is_required)


def _read_html(text: str) -> str:
    """The words of HTML, with its line breaks."""
    lines = html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).splitlines()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.strip() for line in lines)).strip()
