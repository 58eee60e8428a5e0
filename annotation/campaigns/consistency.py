"""What the parts of a project file must agree on among each other; each finding names the key to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from annotation.campaigns.document import KeyPath
from annotation.campaigns.people import unknown_profile
from annotation.campaigns.questions import Choice, Choices, Question, Scale, SpanOf
from annotation.campaigns.rules import SecondsRule, TextRule
from annotation.campaigns.sections import Contradiction
from annotation.campaigns.sources import ItemsSection

if TYPE_CHECKING:
    from annotation.campaigns.project import ProjectFile


def contradiction(file: ProjectFile) -> Contradiction | None:
    """The first thing in the file that contradicts another, None where all agrees."""
    checks: tuple[Callable[[ProjectFile], Contradiction | None], ...] = (
        _questions, _items, _options, _conditions, _columns, _filtering, _stages, _controls, _quality, _people,
    )  # fmt: skip
    return next((found for check in checks if (found := check(file)) is not None), None)


def unheeded(file: ProjectFile) -> Contradiction | None:
    """A key that says nothing where it stands: a pilot asks what is wrong with items, and nobody passes or fails it.

    Only files that are read are refused for it; what is stored already goes on.
    """
    for key in ("pass_mark", "attempts", "cool_down", "explain"):
        if file.stages.pilot is not None and getattr(file.stages.pilot, key):
            says = f"Nobody passes or fails a pilot, and `{key}` would do nothing there; a qualification lets people in"
            return Contradiction(says, ("stages", "pilot", key))
    return None


def _asked(file: ProjectFile) -> Iterator[tuple[KeyPath, Question]]:
    """Every question with the key path under which it is written."""
    for number, question in enumerate(file.asked):
        yield ("question",) if file.questions is None else ("questions", number), question


def _questions(file: ProjectFile) -> Contradiction | None:
    if (file.question is None) == (file.questions is None):
        return Contradiction(
            "What is asked? Write `question` for one question, or `questions` for a list", ("questions",)
        )
    earlier: list[Question] = []
    for at, question in _asked(file):
        if question.name in {one.name for one in earlier}:
            return Contradiction(
                f"Two questions are named {question.name!r}; give each a `name` of its own", (*at, "name")
            )
        if earlier and question.step < earlier[-1].step:
            return Contradiction("The steps of the questions must not go back", (*at, "step"))
        earlier.append(question)
    if file.instructions and file.instructions_file:
        says = "The instructions are given twice; keep `instructions` or `instructions_file`"
        return Contradiction(says, ("instructions_file",))
    return None


def _items(file: ProjectFile) -> Contradiction | None:
    if not isinstance(file.items, ItemsSection):
        return _from_votes(file)
    if file.truth is not None:
        return Contradiction("Items from a file carry their gold in a column; leave `truth` out", ("truth",))
    if file.votes is None and file.overlap is None:
        return Contradiction("How many people answer each item? Add `overlap: 3`", ("overlap",))
    return None


def _from_votes(file: ProjectFile) -> Contradiction | None:
    if file.votes is None or file.votes.file is None:
        return Contradiction("Items from votes need `votes` with a `file`", ("votes", "file"))
    if file.overlap is not None:
        return Contradiction("Imported votes have the overlap that they have; leave `overlap` out", ("overlap",))
    if file.stages.named or file.controls is not None:
        at: KeyPath = ("stages",) if file.stages.named else ("controls",)
        return Contradiction("Items from votes have no stages and no control items to serve", at)
    for path, question in _asked(file):
        if question.required_columns():
            return Contradiction("A question about a part of the text needs items from a file", path)
    return None


def _options(file: ProjectFile) -> Contradiction | None:
    asked = [(at, question) for at, question in _asked(file) if isinstance(question, Choice | Choices)]
    section = file.items if isinstance(file.items, ItemsSection) else file.votes
    own = section.options if section is not None else None
    without = [at for at, question in asked if question.options is None]
    if without and not own:
        return Contradiction(
            "There are no options: write question.options, or name the columns that hold each item's own",
            (*without[0], "options"),
        )
    if own and not without:
        at = ("items" if isinstance(file.items, ItemsSection) else "votes", "options")
        if not asked:
            return Contradiction("No question takes the options of the items; leave `items.options` out", at)
        return Contradiction("The options are given twice, in the question and as columns of the items", at)
    return None


def _conditions(file: ProjectFile) -> Contradiction | None:
    earlier: dict[str, Question] = {}
    for path, question in _asked(file):
        for name, values in (question.show_if or {}).items():
            at = (*path, "show_if", name)
            if name not in earlier:
                return Contradiction(
                    f"{question.name!r} is shown if {name!r} was answered, which is not asked before it", at
                )
            if isinstance(earlier[name], SpanOf):
                says = f"{question.name!r} depends on the part marked in {name!r}; ask a choice before it instead"
                return Contradiction(says, at)
            known = earlier[name].answers
            strange = next((one for one in values if known is not None and one not in known), None)
            if strange is not None:
                says = f"{question.name!r} is shown if {name!r} is {strange!r}, which nobody can answer"
                return Contradiction(says, at)
        earlier[question.name] = question
    return None


def _columns(file: ProjectFile) -> Contradiction | None:
    """Named questions exist; a marked or corrected field is one that is shown."""
    names = {question.name for question in file.asked}
    golds = file.items.golds if isinstance(file.items, ItemsSection) else {}
    for at, named in (
        (("items", "golds"), golds),
        (("votes", "answers"), file.votes.answers if file.votes else {}),
        (("controls", "questions"), file.controls.questions if file.controls else ()),
    ):
        strange = next((name for name in named if name not in names), None)
        if strange is not None:
            return Contradiction(f"`{'.'.join(at)}` speaks of a question {strange!r} that is not asked", (*at, strange))
    if isinstance(file.items, ItemsSection):
        shown = {part.field for part in file.items.parts}
        for path, question in _asked(file):
            for column in question.required_columns():
                if column not in shown:
                    return Contradiction(
                        f"{question.name!r} is about the column {column!r}, which `items.show` does not show",
                        (*path, "field"),
                    )
    return None


def _filtering(file: ProjectFile) -> Contradiction | None:
    """Problems are boxes or texts, and what keeps an item can be answered."""
    rule, at = file.filtering, ("filtering",)
    if rule is None:
        return None
    if not rule.problems and not rule.keep:
        return Contradiction("What removes an item? Name questions in `problems`, or answers in `keep`", at)
    asked = {question.name: question for question in file.asked}
    for name in rule.problems:
        if name not in asked or asked[name].kind not in {"choices", "text"}:
            says = f"`filtering.problems` names {name!r}, which is no question answered by boxes or text"
            return Contradiction(says, (*at, "problems"))
    for name, values in (rule.keep or {}).items():
        known = asked[name].answers if name in asked and isinstance(asked[name], Choice | Scale) else None
        strange = next((one for one in values if one not in (known or ())), None)
        if strange is not None:
            says = f"`filtering.keep` speaks of {strange!r}, which nobody can answer to a question {name!r}"
            return Contradiction(says, (*at, "keep", name))
    gold = file.items.gold if isinstance(file.items, ItemsSection) else file.truth
    if rule.failure and not gold:
        return Contradiction("`filtering.failure` needs gold of the first question", (*at, "failure"))
    return None


def _stages(file: ProjectFile) -> Contradiction | None:
    if not isinstance(file.items, ItemsSection):
        return None
    golden = file.items.gold or file.items.golds
    for name in ("training", "qualification"):
        if name in file.stages.named and not golden:
            return Contradiction(f"The {name} stage needs gold; name its column in `items.gold`", ("stages", name))
    if file.stages.training and file.stages.training.explain and file.items.explanation is None:
        says = "The training explains; name the column in `items.explanation`"
        return Contradiction(says, ("stages", "training", "explain"))
    return None


def _controls(file: ProjectFile) -> Contradiction | None:
    if file.controls is None or not isinstance(file.items, ItemsSection):
        return None
    if not (file.items.gold or file.items.golds):
        return Contradiction("Control items need gold; name its column in `items.gold`", ("controls",))
    if file.controls.per_page is not None:
        at = ("controls", "per_page")
        if file.pages is None:
            return Contradiction("Control items per page need `pages`", at)
        if file.controls.per_page >= file.pages.items:
            return Contradiction("A page of nothing but control items brings no answers", at)
    return None


def _quality(file: ProjectFile) -> Contradiction | None:
    for number, rule in enumerate(file.quality):
        at = ("quality", number)
        if rule.rule == "control" and file.controls is None and (file.votes is None or file.votes.format != "toloka"):
            says = "A rule about control items needs `controls`, or votes from Toloka with their GOLDEN columns"
            return Contradiction(says, at)
        if not isinstance(file.items, ItemsSection) and (rule.rule != "control" or rule.consequence == "pause"):
            says = "Nobody works on imported votes: their rules are about control items, and flag or exclude"
            return Contradiction(says, at)
        if isinstance(rule, SecondsRule) and rule.per == "page" and file.pages is None:
            return Contradiction("A rule about pages needs `pages`", (*at, "per"))
        if isinstance(rule, TextRule) and ("words" in rule.refuses) != (rule.words is not None):
            return Contradiction("A rule about words needs the file with them in `words`", (*at, "refuses"))
        if isinstance(rule, TextRule) and not any(question.kind in {"text", "edit"} for question in file.asked):
            return Contradiction("A rule about texts needs a question that is answered by one", at)
    return None


def _people(file: ProjectFile) -> Contradiction | None:
    names: set[str] = set()
    for number, field in enumerate(file.profile):
        if field.name in names:
            return Contradiction(f"The profile asks for {field.name!r} twice", ("profile", number, "name"))
        names.add(field.name)
    if file.exposure is not None and file.project in file.exposure.exceptions:
        return Contradiction("A project needs no exposure exception for itself", ("exposure", "exceptions"))
    return unknown_profile(file.profile, file.admission)
