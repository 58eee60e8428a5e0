"""The sections of the project file for releases: facts declared by the organiser, published scores, lineage."""

from __future__ import annotations

from pydantic import Field

from annotation.campaigns.sections.base import Seconds, Section, Text

DECLARED_FACTS = {
    "recruitment": "how people were found: volunteers of a chat, students of a course, a crowd platform, colleagues",
    "pay": "what people got, per item or hour and in which currency, or `volunteers`",
    "ethics": "which board looked at it and under which number, or `not sought`, or why none was needed",
    "population": "whom the answers are meant to speak for: native speakers of what, where, how old",
    "ai_use": "whether people might use language models or search engines, and what was done to prevent it",
    "stimulus_differences": "how what people saw differs from what models get (few-shot examples, letters), or `none`",
    "licence": "the licence of the items and of the answers, and where the texts come from",
}
"""Each declared fact with what it should state; `hromada check` asks for missing ones."""


class DeclaredSection(Section):
    """`declared:` facts for the release, in the organiser's words."""

    recruitment: Text | None = None
    pay: Text | None = None
    ethics: Text | None = None
    population: Text | None = None
    ai_use: Text | None = None
    stimulus_differences: Text | None = None
    licence: Text | None = None

    @property
    def missing(self) -> dict[str, str]:
        """The facts that are not declared yet, with what each should state."""
        return {name: description for name, description in DECLARED_FACTS.items() if getattr(self, name) is None}


class ExpectedSection(Section):
    """`expected:` how long one item should take, for planning."""

    seconds: Seconds


class PublishedSection(Section):
    """`published:` the scores that a paper reports of the same campaign, by name, as written there, for comparison."""

    source: Text
    scores: dict[str, Text] = Field(default_factory=dict)


class LineageSection(Section):
    """`lineage:` written by `hromada follow-up`: from which project, under which conditions, by which consensus."""

    project: Text
    where: tuple[Text, ...] = ()
    method: Text
    definition_sha256: Text
