"""What the parts of a project file must agree on among each other; each finding is one sentence without a full stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from annotation.campaigns.people import unknown_profile
from annotation.campaigns.questions import Choice, Choices, Question, SpanOf
from annotation.campaigns.rules import SecondsRule, TextRule
from annotation.campaigns.sources import ItemsSection

if TYPE_CHECKING:
    from annotation.campaigns.project import ProjectFile


def problem(file: ProjectFile) -> str | None:
    """The first thing in the file that contradicts another, None where all agrees."""
    checks: tuple[Callable[[ProjectFile], str | None], ...] = (
        _questions, _items, _options, _conditions, _columns, _stages, _controls, _quality, _people,
    )  # fmt: skip
    return next((found for check in checks if (found := check(file)) is not None), None)


def _questions(file: ProjectFile) -> str | None:
    if (file.question is None) == (file.questions is None):
        return "What is asked? Write `question` for one question, or `questions` for a list"
    names = [question.name for question in file.asked]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return f"Two questions are named {twice!r}; give each a `name` of its own"
    if file.instructions and file.instructions_file:
        return "The instructions are given twice; keep `instructions` or `instructions_file`"
    steps = [question.step for question in file.asked]
    return "The steps of the questions must not go back" if steps != sorted(steps) else None


def _items(file: ProjectFile) -> str | None:
    if not isinstance(file.items, ItemsSection):
        return _from_votes(file)
    if file.truth is not None:
        return "Items from a file carry their gold in a column; leave `truth` out"
    if file.votes is None and file.overlap is None:
        return "How many people answer each item? Add `overlap: 3`"
    return None


def _from_votes(file: ProjectFile) -> str | None:
    if file.votes is None or file.votes.file is None:
        return "Items from votes need `votes` with a `file`"
    if file.overlap is not None:
        return "Imported votes have the overlap that they have; leave `overlap` out"
    if file.stages.named or file.controls is not None:
        return "Items from votes have no stages and no control items to serve"
    if any(question.required_columns() for question in file.asked):
        return "A question about a part of the text needs items from a file"
    return None


def _options(file: ProjectFile) -> str | None:
    asked = [question for question in file.asked if isinstance(question, Choice | Choices)]
    own = file.items.options if isinstance(file.items, ItemsSection) else file.votes and file.votes.options
    if any(question.options is None for question in asked) and not own:
        return "There are no options: write question.options, or name the columns that hold each item's own"
    if own and all(question.options is not None for question in asked):
        if not asked:
            return "No question takes the options of the items; leave `items.options` out"
        return "The options are given twice, in the question and as columns of the items"
    return None


def _conditions(file: ProjectFile) -> str | None:
    earlier: dict[str, Question] = {}
    for question in file.asked:
        for name, values in (question.show_if or {}).items():
            if name not in earlier:
                return f"{question.name!r} is shown if {name!r} was answered, which is not asked before it"
            if isinstance(earlier[name], SpanOf):
                return f"{question.name!r} depends on the part marked in {name!r}; ask a choice before it instead"
            known = earlier[name].answers
            strange = next((one for one in values if known is not None and one not in known), None)
            if strange is not None:
                return f"{question.name!r} is shown if {name!r} is {strange!r}, which nobody can answer"
        earlier[question.name] = question
    return None


def _columns(file: ProjectFile) -> str | None:
    """Named questions exist; a marked or corrected field is one that is shown."""
    names = {question.name for question in file.asked}
    golds = file.items.golds if isinstance(file.items, ItemsSection) else {}
    for key, named in (
        ("items.golds", golds),
        ("votes.answers", file.votes.answers if file.votes else {}),
        ("controls.questions", file.controls.questions if file.controls else ()),
    ):
        strange = next((name for name in named if name not in names), None)
        if strange is not None:
            return f"`{key}` speaks of a question {strange!r} that is not asked"
    if isinstance(file.items, ItemsSection):
        shown = {part.field for part in file.items.parts}
        for question in file.asked:
            for column in question.required_columns():
                if column not in shown:
                    return f"{question.name!r} is about the column {column!r}, which `items.show` does not show"
    return None


def _stages(file: ProjectFile) -> str | None:
    if not isinstance(file.items, ItemsSection):
        return None
    golden = file.items.gold or file.items.golds
    for name in ("training", "qualification"):
        if name in file.stages.named and not golden:
            return f"The {name} stage needs gold; name its column in `items.gold`"
    if file.stages.training and file.stages.training.explain and file.items.explanation is None:
        return "The training explains; name the column in `items.explanation`"
    return None


def _controls(file: ProjectFile) -> str | None:
    if file.controls is None or not isinstance(file.items, ItemsSection):
        return None
    if not (file.items.gold or file.items.golds):
        return "Control items need gold; name its column in `items.gold`"
    if file.controls.per_page is not None:
        if file.pages is None:
            return "Control items per page need `pages`"
        if file.controls.per_page >= file.pages.items:
            return "A page of nothing but control items brings no answers"
    return None


def _quality(file: ProjectFile) -> str | None:
    for rule in file.quality:
        if rule.rule == "control" and file.controls is None and (file.votes is None or file.votes.format != "toloka"):
            return "A rule about control items needs `controls`, or votes from Toloka with their GOLDEN columns"
        if not isinstance(file.items, ItemsSection) and (rule.rule != "control" or rule.consequence == "pause"):
            return "Nobody works on imported votes: their rules are about control items, and flag or exclude"
        if isinstance(rule, SecondsRule) and rule.per == "page" and file.pages is None:
            return "A rule about pages needs `pages`"
        if isinstance(rule, TextRule) and ("words" in rule.refuses) != (rule.words is not None):
            return "A rule about words needs the file with them in `words`"
        if isinstance(rule, TextRule) and not any(question.kind in {"text", "edit"} for question in file.asked):
            return "A rule about texts needs a question that is answered by one"
    return None


def _people(file: ProjectFile) -> str | None:
    names = [field.name for field in file.profile]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return f"The profile asks for {twice!r} twice"
    if file.exposure is not None and file.project in file.exposure.exceptions:
        return "A project needs no exposure exception for itself"
    return unknown_profile(file.profile, file.admission)
