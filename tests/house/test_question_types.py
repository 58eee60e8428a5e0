"""What differs by the type of a question is asked of one object per type, in five places and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import aggregation
from aggregation.answer_types import ANSWER_TYPES, TYPES_BY_QUESTION
from annotation.campaigns.questions import KINDS
from annotation.label_studio_controls import CONTROLS
from bot.conversation.inputs import INPUTS
from exports.benchmark_items.answer_spaces import ANSWER_SPACES

PLACES = (
    "aggregation/answer_types/",
    "annotation/campaigns/questions/",
    "annotation/label_studio_controls/",
    "bot/conversation/inputs/",
    "exports/benchmark_items/answer_spaces/",
)
"""Where the objects and their tables are."""
STRANGERS = ("bot/emulator/",)  # Telegram's names of what a message holds
"""Where the same words name something else."""
NAMES = frozenset({*KINDS, *ANSWER_TYPES, *TYPES_BY_QUESTION})
CLASSES = frozenset({question.__name__ for question in KINDS.values()})
OTHER_NAMES = frozenset({"kind", "answer_type"})
"""Attributes and variables that hold the type of a question or of its answers; other kinds have other words."""


def list_texts(node: ast.expr) -> set[object]:
    """The texts in an expression: a text, or the elements of a tuple, list or set."""
    elements = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return {one.value for one in elements if isinstance(one, ast.Constant)}


def holds_type(node: ast.expr) -> bool:
    """Whether an expression is `kind`, `question.kind` or the like."""
    return getattr(node, "attr", getattr(node, "id", None)) in OTHER_NAMES


def is_dispatch(node: ast.AST) -> bool:
    """Whether a piece of code asks which type a question has, by its name or its class."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(map(holds_type, sides)) and any(list_texts(side) & NAMES for side in sides)
    if isinstance(node, ast.Dict):
        keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
        names = {key.id for key in node.keys if isinstance(key, ast.Name)}
        return (len(keys & NAMES) > 2 and keys <= NAMES) or bool(names & CLASSES)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"isinstance", "issubclass"}:
        return any(isinstance(one, ast.Name) and one.id in CLASSES for one in ast.walk(node.args[1]))
    if isinstance(node, ast.MatchClass):
        return isinstance(node.cls, ast.Name) and node.cls.id in CLASSES
    return False


def find_dispatch(source: str) -> Iterator[int]:
    """The lines of a module that ask which type a question has."""
    return (node.lineno for node in ast.walk(ast.parse(source)) if is_dispatch(node))  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", ["aggregation", "annotation", "bot", "exports"])
def test_only_five_places_know_the_types_of_questions(package: str) -> None:
    """Other modules ask the object of the type for a fact or a piece of work; each line here names the file."""
    root = Path(aggregation.__file__).parent.parent
    files = {path.relative_to(root).as_posix(): path for path in sorted((root / package).rglob("*.py"))}
    found = [
        f"{name}:{line}"
        for name, path in files.items()
        if not name.startswith(PLACES + STRANGERS)
        for line in sorted(find_dispatch(path.read_text("utf-8")))
    ]
    assert found == [], "Ask the object of the type (docs/explanation/question-types.md)."


@pytest.mark.parametrize(
    ("source", "n_found"),
    [
        ('if question.kind == "edit": pass', 1),
        ('if answers.kind in ("text", "edit"): pass', 1),
        ('if kind not in {"label"}: pass', 1),
        ("isinstance(question, ChoiceQuestion | ScaleQuestion)", 1),
        ("isinstance(question, (TextQuestion, SpanQuestion))", 1),
        ("match question:\n    case ChoiceQuestion(): pass", 1),
        ('WORDS = {"text": 1, "edit": 2, "span": 3}', 1),
        ("TYPES = {ChoiceQuestion: 1}", 1),
        ('if definition.kind == "baseline": pass', 0),
        ('row = {"text": 1, "cue": 2}', 0),
        ("isinstance(value, str)", 0),
    ],
)
def test_a_line_that_asks_for_a_type_is_found(source: str, n_found: int) -> None:
    """By name, by class, by a table; other kinds and other dictionaries are none of it."""
    assert len(list(find_dispatch(source))) == n_found


def test_every_type_has_an_object_in_each_place() -> None:
    """A type that one of the tables lacks would fail in the middle of a campaign."""
    assert set(KINDS) == set(TYPES_BY_QUESTION) == set(ANSWER_SPACES) == set(INPUTS) == set(CONTROLS)
    for kind, question in KINDS.items():
        assert getattr(question, "answer_type", TYPES_BY_QUESTION[kind].name) == TYPES_BY_QUESTION[kind].name
