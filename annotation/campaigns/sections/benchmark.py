"""The section of the project file about the benchmark that `hromada build` makes of a project."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from annotation.campaigns.sections.base import MAX_INTEGER, Section, Text, Texts
from annotation.campaigns.sections.sources import PoolSection

TRAINING: Literal["training"] = "training"
"""The word for the items of the training stage."""


_SWITCHES = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def _name_file(value: object) -> object:
    """A path instead of a section is that of the file of the pool."""
    return {"file": value} if isinstance(value, str) and value.strip() != TRAINING else value


def _read_switch(value: object) -> object:
    """`yes` and `no` are no texts."""
    return _SWITCHES.get(value.strip().lower(), value) if isinstance(value, str) else value


class FewShotSection(Section):
    """`few_shot:` the examples that models see before an item: the first `number` with gold of a pool.

    `pool` is the training, or items that nobody is asked: a file, or some of the campaign's items.
    """

    pool: Annotated[
        Annotated[Literal["training"], Tag("<word>")] | Annotated[PoolSection, Tag("<pool>")],
        Discriminator(lambda value: "<word>" if isinstance(value, str) else "<pool>"),
        BeforeValidator(_name_file),
    ] = TRAINING
    number: Annotated[int, Field(ge=0, le=MAX_INTEGER)] = 3


class BenchmarkSection(Section):
    """`benchmark:` how the project becomes a benchmark.

    With `hidden` its test items are published without gold. With `instructions` models read the instructions of people
    before everything else; a text is for models alone. `questions` are the names of those that become tasks; by default
    all with gold do. `answer` is what models answer a choice with: an option's own word, or the letter or number before
    it; by default the word if options are short.
    """

    hidden: bool = False
    instructions: Annotated[bool | Text, BeforeValidator(_read_switch)] = False
    few_shot: FewShotSection | None = None
    questions: Texts = ()
    answer: Literal["word", "letter", "number"] | None = None

    @property
    def own_pool(self) -> PoolSection | None:
        """The pool of examples, whose items nobody answers; None without one."""
        return None if self.few_shot is None or isinstance(self.few_shot.pool, str) else self.few_shot.pool
