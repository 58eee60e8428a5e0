"""When a question is on the screen: `show_if`, as far as Label Studio can follow it."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element  # written here, never read

from annotation.campaigns.questions import Choice, Edit, Question, Scale
from annotation.label_studio import passes
from annotation.label_studio.configs.elements import block


def inside(parent: Element, question: Question, known: Mapping[str, Question]) -> Element:
    """Where to put the question: in as many Views as it has conditions on questions of this pass, or in the parent.

    A text to correct is there from the beginning and goes away with another answer than the one that asks for it.
    """
    for name, values in (question.show_if or {}).items():
        asked = known.get(name)
        if asked is None or not followed(asked, values):
            continue
        when, named = "choice-selected", values
        if isinstance(question, Edit) and isinstance(asked, Choice | Scale) and (others := _others(asked, values)):
            when, named = "choice-unselected", others
        parent = block(parent, "when", visibleWhen=when, whenTagName=name, whenChoiceValue=",".join(named))
    return parent


def unfollowed(question: Question, known: Mapping[str, Question]) -> dict[str, tuple[str, ...]]:
    """The conditions on which it is on the screen all the same: they are told, and it cannot be required there."""
    conditions = (question.show_if or {}).items()
    return {name: values for name, values in conditions if name not in known or not followed(known[name], values)}


def followed(asked: Question, values: tuple[str, ...]) -> bool:
    """Whether Label Studio can tell such an answer: it takes the options' list apart at commas."""
    return bool(passes.texts(asked) or passes.moving(asked)) and not any("," in value for value in values)


def _others(asked: Question, values: tuple[str, ...]) -> tuple[str, ...]:
    """The other options, where all of them are known and none holds a comma; else nothing."""
    others = tuple(one for one in passes.labels(asked) if one not in values)
    return () if any("," in one for one in others) else others
