"""The sections of the project file for releases: facts declared by the organiser, published scores, lineage."""

from __future__ import annotations

from pydantic import Field

from annotation.campaigns.sections.base import Seconds, Section, Text

DECLARED_FACTS = {
    "recruitment": "how people were found: volunteers of a chat, students of a course, a crowd platform, colleagues",
    "pay": "what people got, per item or hour and in which currency, beside the local minimum wage, or `volunteers`",
    "ethics": "which board looked at it and under which number, or `not sought`, or why none was needed",
    "population": "whom the answers are meant to speak for: native speakers of what, where, how old",
    "ai_use": "whether people might use language models or search engines, and what was done to prevent it",
    "stimulus_differences": "how what people saw differs from what models get (few-shot examples, letters), or `none`",
    "licence": "the licence of the items and of the answers, and where the texts come from",
}
"""Each fact to declare, with what it should state; `hromada check` asks for those that are missing."""


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
    """`published:` scores of the same campaign in a paper (`source`), by name and as written there, for comparison."""

    source: Text
    scores: dict[str, Text] = Field(default_factory=dict)


class BenchmarkSection(Section):
    """`benchmark:` how the project becomes a benchmark: with `hidden` its test items are published without gold."""

    hidden: bool = False


class LineageSection(Section):
    """`lineage:` the origin of a follow-up project, as `hromada follow-up` writes it.

    `project` is the source project, `where` are the conditions by which its items were selected, `method` is the
    consensus method, and `definition_sha256` the sha256 of the source project's definition.
    """

    project: Text
    where: tuple[Text, ...] = ()
    method: Text
    definition_sha256: Text
