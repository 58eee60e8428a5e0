"""By which rule a project that looks for faults keeps its items."""

from __future__ import annotations

from annotation.campaigns.questions.base import Values
from annotation.campaigns.sections import Name, Section, Share, Words


class FilteringSection(Section):
    """`filtering:` an item is removed for what more than `share` of the people who were asked have against it.

    Each box of the questions in `problems` (any text, where one is answered by text) is a problem of its own; `keep`
    names the answers to questions that do not speak against an item. With `failure` a wrong answer to the first
    question, given before the right one was shown, speaks against it too.
    """

    problems: Words = ()
    keep: dict[Name, Values] | None = None
    share: Share = 0.5
    failure: bool = False
