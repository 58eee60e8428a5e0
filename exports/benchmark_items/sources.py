"""The frozen input of a benchmark build, which `bot/benchmark_release.py` fills from the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from aggregation.consensus.consensus import TieRule
from aggregation.consensus.methods import Method
from exports.inputs import DataSet

HUMAN_RESPONSES = "human_responses"
"""The configuration of people's answers, which no task may be called."""
ITEM_TEXT_COLUMNS = (
    "item_id", "item_revision", "group", "stimulus", "stimulus_sha256", "options", "gold", "text", "images"
)  # fmt: skip
"""The columns of `TaskSource.texts` and `TaskSource.examples`."""
FEW_SHOT = 3
"""How many examples are shown before an item where the project does not say, if there are as many."""


AnswerForm = Literal["word", "letter", "number"]
"""How a model answers a choice: the option's own words, or the letter or the number before it in the prompt."""


@dataclass(frozen=True, kw_only=True)
class BuildOptions:
    """How a benchmark is built: the consensus that is gold where none is declared, and what the random choices need."""

    method: Method = "majority"
    ties: TieRule = "drop"
    seed: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskSource:
    """One data set with what models have to be shown; `kind` is the type of the question.

    `texts` has a row for each main item, in the order of `data.items`, and `examples` one for each item that may be an
    example (of the training, or of the pool that the project file names), in the order of its file, both with the
    columns ITEM_TEXT_COLUMNS: `options` is the item's own list (None where the question has fixed ones), `text` the
    field that is marked or corrected (None for other questions), `gold` the declared one, `images` the names of the
    pictures in the stimulus (None without any). `n_examples` are shown before an item; if the project file does not say
    so (`declares_examples`), main items can be taken, too.

    `options` are the fixed options, `labels` the codes under which options are stored by their position. `abstain` is
    an option that people had and models have not, `no_answer` the words for no marked part; `undecided` are the words
    of the answers that choose none of the compared texts. `answer_form` is how the project file wants choices to be
    answered, None where it does not say. `statuses` has the decision of the filtering rule by item, None without such a
    rule. `hidden` items are published without gold. With `shuffled` people saw the options in other orders, with
    `highlights` parts of the texts were highlighted. `declared` are the organiser's facts, `platforms` where people
    answered; `instructions` is what people read before the first item, `model_instructions` what models read before
    everything else.
    """

    data: DataSet
    kind: str
    text: str
    help: str | None = None
    options: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    abstain: str | None = None
    undecided: tuple[str, ...] = ()
    answer_form: AnswerForm | None = None
    no_answer: str | None = None
    ends: tuple[str, str] | None = None
    texts: pd.DataFrame
    examples: pd.DataFrame
    n_examples: int = FEW_SHOT
    declares_examples: bool = False
    statuses: Mapping[str, str] | None = None
    hidden: bool = False
    shuffled: bool = False
    highlights: bool = False
    instructions: str = ""
    model_instructions: str = ""
    declared: Mapping[str, str] = field(default_factory=dict)
    platforms: tuple[str, ...] = ()

    @property
    def shows_pictures(self) -> bool:
        """Whether an item has a picture in its stimulus."""
        return bool(self.texts["images"].notna().any())


@dataclass(frozen=True, kw_only=True)
class UnfitQuestion:
    """A question of which no task can be made, by the name that its data set would have, and why."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class BuildSource:
    """All that a build knows: a project, or a programme (`is_group`) with its projects.

    `definitions` maps each project to the sha256 of its definition and items. `collected` are the days of the first and
    the last answer of the main stage (None if no time is known), `closed` is the day on which the last of the projects
    was closed (None while one is open), all as 2026-11-27 in UTC. `pictures` are the bytes of the pictures by name,
    which is their SHA-256 with an ending; the benchmark has them as files, so they are not written a second time.
    """

    name: str
    title: str
    language: str
    is_group: bool
    tasks: tuple[TaskSource, ...]
    unfit: tuple[UnfitQuestion, ...]
    definitions: Mapping[str, str]
    version: str
    collected: tuple[str, str] | None = None
    closed: str | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict, metadata={"published": False}, repr=False)

    @property
    def simulated(self) -> bool:
        """Whether any answer was given by a simulated annotator."""
        return any(task.data.simulated for task in self.tasks)

    def list_declared(self, fact: str) -> Mapping[str, Any]:
        """A declared fact by project, of those that declare it."""
        return {
            task.data.name: task.declared[fact]
            for task in self.tasks
            if fact in task.declared and "/" not in task.data.name
        }
