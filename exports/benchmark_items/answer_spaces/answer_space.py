"""What exports know of a type of question: its data set, how models are asked it, and how answers are written and read.

The stimulus is the text that people read, the question and the options are theirs too. Only the last line of a prompt
is not: it says how the answer is to be written, where people had buttons or marked a text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol

from exports.benchmark_items.sources import AnswerForm, TaskSource
from exports.benchmark_items.task_functions import Doc
from exports.inputs import DataSet

FieldType = Literal["text", "integer", "number", "boolean", "texts", "picture"]
"""What a field of a row holds in Parquet files."""
Cue = Mapping[str, str]
"""The last line of a prompt by language; English for other languages."""
ANSWER_CUE: Cue = MappingProxyType({"uk": "Відповідь:", "ru": "Ответ:", "en": "Answer:"})
"""The one of types that need no other."""
LONG_GAP = "\n\n\n"
"""Two empty lines end a reply, as they end each example before an item: reasoning has lines and paragraphs."""
MOST_TOKENS = 2048
"""How long a reply is at most, its reasoning with it, where the harness is not told otherwise."""


class ItemReader(Protocol):
    """What is stored of the items of a project for one of its questions; `options` are each item's own, by item."""

    @property
    def options(self) -> Mapping[str, Sequence[str] | None]: ...

    def read_texts(self, field: str) -> Mapping[str, str]:
        """The text of a field of each item."""

    def read_accepted(self) -> Mapping[str, tuple[str, ...]]:
        """Further right answers by item."""


class AnswerSpace(ABC):
    """A type of question in published files: one object, which knows nothing of a project.

    Methods take a `question` as the project file has it (its keys are attributes), a `doc`, which is a row of the
    items' files, and answers as they are stored.

    `question` is the name of the type, `category` what the Hub calls such tasks.
    `scorer` is the function of `task_functions` and `metrics` are what it returns, the primary one first. A model
    writes a reply of at most `most_tokens`, or `chooses` one of the options by their likelihoods, also by those of
    their texts if it `has_norm`. With `counts_options` rows count the votes for each option. `names_reasons` says that
    options are words, by which annotators can say why an item is unusable. `field_types` are the types of those fields
    of `build_fields` and `build_gold_fields` that are no text.
    """

    question: ClassVar[str]
    category: ClassVar[str]
    cue: ClassVar[Cue] = ANSWER_CUE
    primary: ClassVar[str] = "exact_match"
    scorer: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]]
    chooses: ClassVar[bool] = False
    has_norm: ClassVar[bool] = False
    most_tokens: ClassVar[int] = MOST_TOKENS
    counts_options: ClassVar[bool] = False
    names_reasons: ClassVar[bool] = False
    field_types: ClassVar[Mapping[str, FieldType]] = MappingProxyType({})

    def find_obstacle(self, question: Any) -> str | None:
        """Why models cannot be asked a question as people were; None where they can."""
        return None

    def number_positions(self, question: Any, options: Iterable[Sequence[str] | None]) -> Any:
        """The question with codes for the positions of options, where answers are stored as such."""
        return question

    def list_options(
        self,
        question: Any,
        listed: Sequence[str] | None,
    ) -> tuple[tuple[str, str], ...] | None:
        """The label and the text of each option of an item, without the abstention; None if an answer is no label."""
        return None

    def name_order(self, question: Any, order: Sequence[int]) -> Sequence[int | str]:
        """The order in which options were shown as it is published: their indices, unless their labels say more."""
        return order

    def read_order(self, question: Any, written: Sequence[int | str]) -> Sequence[int]:
        """The indices of the options in the order shown, as `name_order` wrote them."""
        return [int(index) for index in written]

    @abstractmethod
    def build_data_fields(self, question: Any, items: ItemReader, *, is_first: bool) -> dict[str, Any]:
        """The fields of `DataSet` that aggregating and scoring need; `is_first` is the first question of a project."""

    @abstractmethod
    def build_source_fields(self, question: Any) -> dict[str, Any]:
        """The fields of `TaskSource` that models have to be shown."""

    def choose_answer_form(self, source: TaskSource) -> AnswerForm | None:
        """How a model names an option; None where it names none."""
        return None

    def build_cue(self, source: TaskSource) -> str:
        """The last line of a prompt."""
        return translate_cue(self.cue, source)

    def choose_scorer(self, source: TaskSource) -> tuple[str, tuple[str, ...]]:
        """The scorer of a task, and its metrics."""
        return self.scorer, self.metrics

    @abstractmethod
    def build_fields(self, source: TaskSource, *, options: list[str], text: str | None) -> dict[str, Any]:
        """The fields of a row that reading an answer needs."""

    def build_gold_fields(self, source: TaskSource, doc: Doc) -> dict[str, Any]:
        """The gold in the model's answer space, and what goes with it."""
        return {"answer": self.encode_answer(doc["gold"], doc)}

    def encode_answer(self, stored: str, doc: Doc) -> str | None:
        """A stored answer (gold, or a person's) in the model's answer space; None if the item has no such answer."""
        return stored

    def build_reply(self, stored: str | None, doc: Doc) -> str:
        """What a replayed person writes to the harness; an empty text for a skip, and for what the item has not."""
        return "" if stored is None else self.encode_answer(stored, doc) or ""

    def find_option(self, stored: str | None, doc: Doc) -> int | None:
        """The index of the option that an answer chooses; None for a skip, and where there are no options."""
        return None

    @abstractmethod
    def read_reply(self, doc: Doc, replies: Sequence[Any]) -> str | None:
        """A reply of a model as answers are stored; None where no answer can be read."""

    def read_answer(self, written: object, item: str, data: DataSet, *, gold: object) -> str | None:
        """An answer as a file has it, in the form in which answers are stored; None where it has no such form.

        A label is a text or a whole number; boxes are a list of texts, parts of a text a list of {start, end}, with a
        `label` where parts have classes, or either as JSON in a text; a text is a text.
        """
        if isinstance(written, int) and not isinstance(written, bool):
            return str(written)
        return written if isinstance(written, str) else None

    def describe_generation(self) -> dict[str, object]:
        """Where a reply ends, as the harness has it: never at its first line, where a model may still be thinking."""
        return {"until": [LONG_GAP], "do_sample": False, "max_gen_toks": self.most_tokens}


def translate_cue(cue: Cue, source: TaskSource) -> str:
    """The last line of a prompt in the language of the data set."""
    return cue.get(source.data.language, cue["en"])
