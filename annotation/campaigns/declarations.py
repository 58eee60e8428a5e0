"""What only the organiser knows, and a release has to state."""

from __future__ import annotations

from pydantic import Field

from annotation.campaigns.sections import Seconds, Section, Text

EXPLAINED = {
    "recruitment": "how people were found: volunteers of a chat, students of a course, a crowd platform, colleagues",
    "pay": "what people got, per item or hour and in which currency, or `volunteers`",
    "ethics": "which board looked at it and under which number, or `not sought`, or why none was needed",
    "population": "whom the answers are meant to speak for: native speakers of what, where, how old",
    "ai_use": "whether people might use language models or search engines, and what was done to prevent it",
    "stimulus_differences": "how what people saw differs from what models get (few-shot examples, letters), or `none`",
    "licence": "the licence of the items and of the answers, and where the texts come from",
}
"""Each fact with what it should say; `hromada check` asks for those that are missing."""


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
        """The facts that are not stated yet, with what each should say."""
        return {name: says for name, says in EXPLAINED.items() if getattr(self, name) is None}


class ExpectedSection(Section):
    """`expected:` how long one item should take, for planning."""

    seconds: Seconds


class PublishedSection(Section):
    """`published:` what a paper reports of the same campaign, to compare with: scores by name, as written there."""

    source: Text
    scores: dict[str, Text] = Field(default_factory=dict)


class LineageSection(Section):
    """`lineage:` written by `hromada derive`: from which project, under which conditions, by which consensus."""

    project: Text
    where: tuple[Text, ...] = ()
    method: Text
    definition_sha256: Text
