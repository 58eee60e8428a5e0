"""All keys of the project file at its top level, with the types of their values."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from annotation.campaigns.questions import AnyQuestion, Question
from annotation.campaigns.sections import annotators
from annotation.campaigns.sections.base import Count, Language, Name, PathInFile, ProjectName, Seconds, Section, Text
from annotation.campaigns.sections.benchmark import BenchmarkSection
from annotation.campaigns.sections.panels import PanelSection
from annotation.campaigns.sections.quality import (
    CapsSection,
    DeclaredSection,
    ExpectedSection,
    FilteringSection,
    JudgesSection,
    LineageSection,
    PublishedSection,
    QualityRule,
    ReportsSection,
    ReviewSection,
)
from annotation.campaigns.sections.sources import (
    ItemsSection,
    TruthSection,
    VotesSection,
)
from annotation.campaigns.sections.stages import (
    ControlsSection,
    Overlap,
    PagesSection,
    RepeatsSection,
    SampledOverlap,
    StagesSection,
    find_largest_overlap,
    find_least_overlap,
)

FOOD_EMOJIS = tuple("🍎🍐🍊🍋🍌🍉🍇🍓🍒🍑🍍🥝🍅🥕🌽🥐🥨🧀🍪🍩")
"""The emojis of which one follows each answer if the project file does not set `emoji`."""


# The tags in angle brackets are names of no key, which Pydantic would put into the paths of errors.
Items = Annotated[
    Annotated[ItemsSection, Tag("<section>")] | Annotated[Literal["from votes"], Tag("<word>")],
    Discriminator(lambda value: "<word>" if isinstance(value, str) else "<section>"),
]


class ProjectSections(Section):
    """The keys of the project file, not yet checked against each other.

    `question` is the short form of `questions` for one question. `seed` seeds every random choice that
    annotators see, such as the order of options. `lease` is how many seconds an annotator may keep an item unanswered.
    The other keys are explained in the reference of the project file and at their sections.
    """

    project: ProjectName
    title: Text
    language: Language
    kind: Literal["annotation", "baseline"] = "annotation"
    instructions: str = ""
    instructions_file: PathInFile | None = None
    examples: annotators.ExamplesSection | None = None
    question: AnyQuestion | None = None
    questions: Annotated[tuple[AnyQuestion, ...], Field(min_length=1)] | None = None
    items: Items
    votes: VotesSection | None = None
    truth: TruthSection | None = None
    overlap: Overlap | None = None
    panels: dict[Name, PanelSection] = Field(default_factory=dict)
    seed: int = 0
    stages: StagesSection = StagesSection()
    pages: PagesSection | None = None
    controls: ControlsSection | None = None
    repeats: RepeatsSection | None = None
    quality: tuple[QualityRule, ...] = ()
    admission: annotators.AdmissionSection | None = None
    content_warning: Text | None = None
    consent: annotators.ConsentSection | None = None
    profile: tuple[annotators.ProfileField, ...] = ()
    reward: annotators.RewardSection | None = None
    invite_friends: Count | None = None
    attestation: annotators.AttestationSection | None = None
    exposure: annotators.ExposureSection | None = None
    reports: ReportsSection | None = None
    review: ReviewSection | None = None
    filtering: FilteringSection | None = None
    caps: CapsSection | None = None
    lease: Seconds | None = None
    surface: annotators.SurfaceSection = annotators.SurfaceSection()
    expected: ExpectedSection | None = None
    declared: DeclaredSection = DeclaredSection()
    published: PublishedSection | None = None
    judges: JudgesSection | None = None
    benchmark: BenchmarkSection = BenchmarkSection()
    lineage: LineageSection | None = None

    @cached_property
    def all_questions(self) -> tuple[Question, ...]:
        """The questions in their order, whether written as `question` or as `questions`."""
        return self.questions or ((self.question,) if self.question is not None else ())

    @property
    def shows_pictures(self) -> bool:
        """Whether the items show pictures."""
        return isinstance(self.items, ItemsSection) and any(part.is_picture for part in self.items.shown_columns)

    @cached_property
    def asks_in_steps(self) -> bool:
        """Whether some questions are shown only after the first ones were answered without them."""
        return any(question.step > 1 for question in self.all_questions)

    @property
    def min_overlap(self) -> int | None:
        """The smallest planned number of answers an item; None where no overlap is set, as with imported votes."""
        return find_least_overlap(self.overlap)

    @property
    def max_overlap(self) -> int | None:
        """The largest planned number of answers an item; None where no overlap is set."""
        return find_largest_overlap(self.overlap)

    @property
    def sampled_overlap(self) -> SampledOverlap | None:
        """The overlap with a sample of the items that get more answers; None for any other overlap."""
        return self.overlap if isinstance(self.overlap, SampledOverlap) else None

    @cached_property
    def has_countdown(self) -> bool:
        """Whether annotators are shown how many items are left."""
        return self.reward is not None and self.reward.countdown

    @cached_property
    def reward_emojis(self) -> tuple[str, ...]:
        """The emojis of which one follows each answer; empty if the project wants none."""
        return FOOD_EMOJIS if self.reward is None or self.reward.emoji is None else self.reward.emoji
