"""The project file: one campaign described by one YAML file, checked before anything is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, ValidationError, model_validator

from annotation import files
from annotation.campaigns import document, mistakes
from annotation.campaigns.consistency import contradiction, unheeded
from annotation.campaigns.declarations import DeclaredSection, ExpectedSection, LineageSection, PublishedSection
from annotation.campaigns.examples import ExamplesSection
from annotation.campaigns.filtering import FilteringSection
from annotation.campaigns.people import (
    AdmissionSection,
    AttestationSection,
    ConsentSection,
    ExposureSection,
    ProfileField,
    RewardSection,
)
from annotation.campaigns.questions import AnyQuestion, Choice, Question
from annotation.campaigns.rules import CapsSection, QualityRule, ReportsSection, TextRule
from annotation.campaigns.sections import Language, ProjectName, Seconds, Section, Text
from annotation.campaigns.sources import (
    ItemsSection,
    LabelsSection,
    Part,
    PoolSection,
    SampleSection,
    TruthSection,
    VotesSection,
)
from annotation.campaigns.stages import (
    ControlsSection,
    DynamicOverlap,
    Overlap,
    PagesSection,
    RepeatsSection,
    StagesSection,
)
from annotation.errors import BadInput

__all__ = [
    "FROM_VOTES", "Campaign", "ItemsSection", "LabelsSection", "Part", "PoolSection", "ProjectFile", "SampleSection",
    "Section", "TruthSection", "VotesSection", "choice", "definition_of", "read",
]  # fmt: skip

FROM_VOTES = "from votes"


def _items_form(value: object) -> str:
    return "<word>" if isinstance(value, str) else "<section>"


Items = Annotated[
    Annotated[ItemsSection, Tag("<section>")] | Annotated[Literal["from votes"], Tag("<word>")],
    Discriminator(_items_form),
]


class ProjectFile(Section):
    """The whole file: `question` is the simple form, `questions` the list."""

    project: ProjectName
    title: Text
    language: Language
    kind: Literal["annotation", "baseline"] = "annotation"
    instructions: str = ""
    instructions_file: Text | None = None
    examples: ExamplesSection | None = None
    question: AnyQuestion | None = None
    questions: Annotated[tuple[AnyQuestion, ...], Field(min_length=1)] | None = None
    items: Items
    votes: VotesSection | None = None
    truth: TruthSection | None = None
    overlap: Overlap | None = None
    seed: int = 0
    stages: StagesSection = StagesSection()
    pages: PagesSection | None = None
    controls: ControlsSection | None = None
    repeats: RepeatsSection | None = None
    quality: tuple[QualityRule, ...] = ()
    admission: AdmissionSection | None = None
    content_warning: Text | None = None
    consent: ConsentSection | None = None
    profile: tuple[ProfileField, ...] = ()
    reward: RewardSection | None = None
    attestation: AttestationSection | None = None
    exposure: ExposureSection | None = None
    reports: ReportsSection | None = None
    filtering: FilteringSection | None = None
    caps: CapsSection | None = None
    lease: Seconds | None = None
    expected: ExpectedSection | None = None
    declared: DeclaredSection = DeclaredSection()
    published: PublishedSection | None = None
    lineage: LineageSection | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ProjectFile:
        wrong = contradiction(self)
        if wrong is not None:
            raise wrong.failure
        return self

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions in their order, whichever form they were written in."""
        return self.questions or ((self.question,) if self.question is not None else ())

    @property
    def least_overlap(self) -> int | None:
        """How many answers every item needs at least; None for imported votes."""
        return self.overlap.min if isinstance(self.overlap, DynamicOverlap) else self.overlap


class Campaign(Section):
    """A checked project file with its place; relative paths start from its folder."""

    file: Path
    definition: ProjectFile

    @property
    def name(self) -> str:
        """The project's name, unique in a database."""
        return self.definition.project

    def path(self, written: str) -> Path:
        """A path as written in the file, seen from the file's folder."""
        return self.file.parent / written

    def check_texts(self) -> None:
        """Read every text that the file names; raises BadInput for one that is missing or empty."""
        consent = (self.definition.consent.file,) if self.definition.consent else ()
        for written in consent:
            files.read_text(self.path(written))
        self.word_lists()

    def word_lists(self) -> dict[str, list[str]]:
        """The words that quality rules refuse, one a line, by the file as the project file names it."""
        named = (rule.words for rule in self.definition.quality if isinstance(rule, TextRule) and rule.words)
        return {
            written: [line.strip() for line in files.read_text(self.path(written)).splitlines() if line.strip()]
            for written in sorted(set(named))
        }

    def instructions(self) -> str:
        """What people read before the first item, from the file or from a file of its own."""
        written = self.definition.instructions_file
        return self.definition.instructions if written is None else files.read_text(self.path(written)).strip()


def read(path: Path) -> Campaign:
    """Read and check a project file; raises BadInput naming file, line, column, key and remedy."""
    source = document.parse(files.read_text(path), file=path)
    if "programme" in source.data and "project" not in source.data:
        raise BadInput(
            "This is a programme, not a project.",
            where=source.where(("programme",)),
            remedy="`hromada check` reads it; load the projects that it lists.",
        )
    try:
        definition = ProjectFile.model_validate(source.data)
    except ValidationError as failure:
        raise mistakes.sentence(source, failure, model=ProjectFile) from None
    idle = unheeded(definition)
    if idle is not None:
        raise BadInput(f"{idle.says}.", where=source.where(idle.at), remedy="Leave it out.")
    return Campaign(file=path, definition=definition)


def definition_of(stored: dict[str, Any]) -> ProjectFile:
    """The definition as the database keeps it."""
    return ProjectFile.model_validate(stored)


def choice(definition: ProjectFile, *, most_options: int) -> Choice | None:
    """The first question where it is a choice; `most_options` is the largest number of options that an item has."""
    first = definition.asked[0]
    return first.counted(most_options) if isinstance(first, Choice) else None
