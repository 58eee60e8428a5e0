"""Facts about how the answers of a release came about, which no answer tells: frozen plain values, free of identities.

`bot/release_facts.py` fills them from the database; the checklist, the tables of facts and the files for a paper read
them. A count is None where nobody can know it, as for votes that were imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pydantic import SkipValidation

from aggregation.placeholders import is_placeholder

Told: TypeAlias = SkipValidation[str]
"""A finding, which pages translate, or words of the organiser; pydantic would make a plain text of it."""


@dataclass(frozen=True, kw_only=True)
class TextFact:
    """A text that people read, verbatim, in one version.

    `kind` is "instructions", "consent" or "content_warning"; `scope` is "project NAME" or "programme NAME"; `version`
    is the organiser's own number, None where the text has none. `n_people` counts the annotators who agreed to it (of a
    consent or a warning) or answered a main item under it (of instructions), `n_answers` the main answers given under
    it (of instructions).
    """

    kind: str
    scope: str
    version: str | None
    sha256: str
    text: str
    n_people: int | None = None
    n_answers: int | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingItem:
    """An item of the training as annotators met it: what is shown, its gold (the right answers) and the explanation."""

    item_id: str
    group: str
    shown: str
    gold: tuple[str, ...] = ()
    explanation: str | None = None


@dataclass(frozen=True, kw_only=True)
class Qualification:
    """The qualification: its rule in words, how many annotators tried, passed and failed, and what the rule is from.

    `fixed_before` says whether the rule was stored before the first attempt (None: nobody has tried).
    """

    rule: Told
    n_items: int
    n_tried: int
    n_passed: int
    n_failed: int
    fixed_before: bool | None


@dataclass(frozen=True, kw_only=True)
class ProfileCount:
    """How many contributing annotators gave an answer to a question about themselves.

    `value` is None for those who did not say. `n` is None where the cell is suppressed, because fewer people than
    `exports.privacy.MIN_CELL` are in it, or because it would tell a suppressed cell by subtraction.
    """

    field: str
    question: str
    value: str | None
    n: int | None


@dataclass(frozen=True, kw_only=True)
class SampleFact:
    """A sample that was drawn: for which pool, from what, by which seed; counts drawn and of candidates, by stratum."""

    pool: str
    method: Told
    seed: int | None
    sha256: str
    n_drawn: int
    n_candidates: int
    strata: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PlanFact:
    """The precision that was planned, frozen at the start: items and answers, and the promised half width.

    `half_width` is that of an interval at `share` right (both as fractions), None where none was computed.
    """

    n_items: int
    overlap: int
    half_width: float | None
    share: float | None
    words: Told


@dataclass(frozen=True, kw_only=True)
class LintFact:
    """A finding of the item lint: its rule, severity ("error", "warning", "note"), the sentence, and the items."""

    rule: str
    severity: str
    message: Told
    items: tuple[str, ...]
    remedy: Told


@dataclass(frozen=True, kw_only=True)
class Pay:
    """Pay as promised, in words, and as realised: `hourly` are the rates of paid annotators by active hour, sorted.

    `hourly` is empty where fewer than `exports.privacy.MIN_CELL` people were paid; amounts are in `currency`.
    """

    scheme: Told
    currency: str | None = None
    n_paid: int = 0
    hourly_median: float | None = None


@dataclass(frozen=True, kw_only=True)
class ProjectFacts:
    """The facts of one project.

    `kind` is "baseline" or "annotation" as in its file, `status` that of its life (loaded, running, paused, closed).
    `imported` says that every answer was imported, so that nothing about the people was seen here; `platforms` are the
    surfaces of its answers ("telegram", "label studio", "import", "simulation").

    `declared` has the organiser's facts by name (recruitment, pay, ethics, population, ai_use, stimulus_differences,
    licence), as they stand in the file, without those not declared; `stated` has those that are no placeholders, and
    `declared_meanings` says of every such name what it should state.
    `differences` has, in sentences, how what models get differs from what people had, as the benchmark's manifest has
    it; it is empty in raw files, and where there is no benchmark.

    `n_without_consent` counts main answers given before their annotator had agreed to any consent that was asked for
    (None: none is asked for). `profile_fields` are the questions about the annotators, by name. `admission` is in words
    who was admitted.

    `pilot_items` and `pilot_answers` count the pilot stage; `training_answers` what was answered in training, and
    `training_explains` whether explanations were shown after answers. `shared_ids` and `shared_groups` count ids and
    groups of training, qualification and control items that main items have too.

    `overlap_max` is the most answers of dynamic overlap. `controls` and `rules` are in words how control items come and
    which quality rules hold; `rules_fixed_before` says whether rules and items were frozen before the first main answer
    (None: there is none, or all were imported); `post_hoc` lists in words what was changed after the start.

    `exceptions` are the projects whose annotators may meet a group again here; `n_unlisted_exposed` counts main answers
    that count although their annotator had met the group in a project that is not listed.

    `undo` says in words how long an answer can be changed; `caps` in words how many items and how long at a time;
    `attestation` is the question after a session, with `attested` the answers to it, counted as in `ProfileCount`.

    `invited` … `finished` are the funnel (None where it is not known). `active_hours` is the time of all
    answers, of every stage. `shuffles_options` and `shuffles_items` say whether options and items come in an order of
    each annotator's own. `skips` says in words whether and how an item may be skipped.
    """

    name: str
    title: str
    language: str
    kind: str
    status: str
    imported: bool
    definition_sha256: str
    platforms: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    declared: Mapping[str, str] = field(default_factory=dict)
    declared_meanings: Mapping[str, str] = field(default_factory=dict)
    differences: tuple[Told, ...] = ()
    texts: tuple[TextFact, ...] = ()
    examples: tuple[str, ...] = ()
    training_items: tuple[TrainingItem, ...] = ()
    training_answers: int | None = None
    training_explains: bool = False
    shared_ids: int = 0
    shared_groups: int = 0
    qualification: Qualification | None = None
    n_without_consent: int | None = None
    profile_fields: Mapping[str, str] = field(default_factory=dict)
    profile: tuple[ProfileCount, ...] = ()
    admission: str = ""
    pay: Pay | None = None
    pilot_items: int = 0
    pilot_answers: int = 0
    frames: tuple[SampleFact, ...] = ()
    plan: PlanFact | None = None
    overlap: int | None = None
    overlap_max: int | None = None
    controls: Told = ""
    repeats: str = ""
    rules: tuple[str, ...] = ()
    rules_fixed_before: bool | None = None
    post_hoc: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    n_unlisted_exposed: int | None = None
    undo: Told = ""
    caps: str = ""
    skips: Told = ""
    attestation: str = ""
    attested: tuple[ProfileCount, ...] = ()
    invited: int | None = None
    invited_by_friends: int | None = None
    consented: int | None = None
    started: int | None = None
    finished: int | None = None
    active_hours: float | None = None
    shuffles_options: bool = False
    shuffles_items: bool = False
    hidden_gold: bool = False
    n_source_items: int | None = None
    published_source: str = ""
    published_scores: Mapping[str, str] = field(default_factory=dict)
    lineage: str = ""
    lint: tuple[LintFact, ...] = ()

    @property
    def stated(self) -> dict[str, str]:
        """The declared facts that say something, by name: `-` or `n/a` declares nothing."""
        meanings = self.declared_meanings
        return {
            name: text
            for name, text in self.declared.items()
            if not is_placeholder(text, meant=(name, meanings.get(name, "")))
        }


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """The facts of a release: a project, or a programme with its projects in its order, and what made it.

    `versions` are the versions of the software by name, `harness` that of the lm-evaluation-harness by which people
    were replayed, empty where they were not.
    """

    name: str
    title: str
    language: str
    is_programme: bool
    projects: tuple[ProjectFacts, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    harness: str = ""

    def get_project(self, name: str) -> ProjectFacts:
        """The facts of the project of that name, or of the project of a data set PROJECT/QUESTION."""
        own = name.partition("/")[0]
        return next(project for project in self.projects if project.name == own)
