"""The base class of all question types, and the parsing of an annotator's answers to all questions of an item."""

from __future__ import annotations

import hashlib
import json
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, model_validator

from aggregation import spelling
from aggregation.scoring import Normalisation, normalise_answer
from annotation.campaigns.sections.base import Name, Section, Text, Texts, Values
from annotation.errors import BadInput, Where

if TYPE_CHECKING:
    from aggregation.answers import AnswerTypeName
    from aggregation.planning.assumed_variance import PlannedResult

BLANK_RATE = 0.8
"""The chance that an optional text stays empty in a simulation."""


@dataclass(frozen=True, kw_only=True)
class TextSpan:
    """A part of a text: characters `start` to `end` (exclusive, counted in code points from 0), and their text.

    `label` is its class, empty where the question asks for no classes.
    """

    start: int
    end: int
    text: str
    label: str = ""


Answer = str | tuple[str, ...] | tuple[TextSpan, ...]
"""A parsed answer: one label or text, several labels, or several spans."""


@dataclass(frozen=True, kw_only=True)
class QuestionContent:
    """What questions need of an item: the options that only it has, None without such, and its fields as text."""

    options: tuple[str, ...] | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class QuestionMethods:
    """The methods that suit the answers of a question: consensus, agreement, and scores against gold.

    `adjudication` is no method of `aggregation`: an adjudicator decides, and the result is gold of that origin.
    """

    consensus: tuple[str, ...]
    agreement: tuple[str, ...]
    scores: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ItemConsensus:
    """The consensus on a question of an item: one label, or the ticked boxes.

    `confidence` is the share of the votes that agree with it, `votes` the number of votes.
    """

    labels: tuple[str, ...]
    confidence: float
    votes: int


class Question(Section):
    """A question of the project file: all that other modules need to know of its type.

    Other modules ask the question and never its type. A new type is a subclass in a file of its own and an entry of
    the table in `questions`; the defaults here are those of a question that is answered with a text of one's own.

    Questions of step 2 are shown once those of step 1 are answered. `show_if` maps earlier questions to the answers of
    which one must have been given for this question to be asked. `metrics` selects from the scores that suit it.
    """

    kind: ClassVar[str]
    """The name of the type, as written under `type`."""
    answer_type: ClassVar[AnswerTypeName]
    """The type of the answers in `aggregation`."""
    usual_seconds: ClassVar[float]
    """The seconds that simulated people need, where the project has no `expected.seconds` and no pace is given."""
    is_closed: ClassVar[bool] = False
    """Whether answers are chosen from options; reviewers read all other answers."""
    takes_one_option: ClassVar[bool] = False
    """Whether an answer is one of the options."""
    takes_item_options: ClassVar[bool] = False
    """Whether each item may have options of its own."""
    is_nominal: ClassVar[bool] = False
    """Whether an answer is a label without an order: gold and votes are spelled as the options are, and a label that
    no option has is reported with all others."""
    min_options: ClassVar[int] = 2
    """The smallest number of options that the question can be asked with."""
    empty_answer: ClassVar[str | None] = None
    """The stored answer that names nothing, such as no ticked box; None if there is none."""
    marks_parts: ClassVar[bool] = False
    """Whether parts of the item's text are marked."""
    corrects_text: ClassVar[bool] = False
    """Whether an answer is a corrected copy of the item's text."""
    can_name_problems: ClassVar[bool] = False
    """Whether `filtering.problems` may name the question."""
    balances_order: ClassVar[bool] = False
    """Whether each annotator sees each of the shuffled options first equally often, and last when asked again."""

    name: Name = "answer"
    text: Text
    help: Text | None = None
    required: bool = True
    show_if: dict[str, Values] | None = None
    step: Annotated[int, Field(ge=1)] = 1
    metrics: Texts = ()

    @model_validator(mode="after")
    def _metrics_fit(self) -> Question:
        for metric in self.metrics:
            if metric not in self.methods.scores:
                raise ValueError(
                    f"The metric {metric!r} does not fit here; what does: {', '.join(self.methods.scores)}"
                )
        return self

    @property
    def planned_result(self) -> PlannedResult | None:
        """What answers are planned for where there is no gold; None for nothing."""
        return None

    @property
    def can_be_condition(self) -> bool:
        """Whether `show_if` of later questions may name the question."""
        return not self.marks_parts

    @property
    @abstractmethod
    def methods(self) -> QuestionMethods:
        """The methods that suit the answers."""

    @property
    def closed_answers(self) -> tuple[str, ...] | None:
        """All options, the abstention included; None where they are not the same for all items, or answers are open."""
        return None if self.fixed_options is None else self.get_options(None)

    @property
    def classes(self) -> tuple[str, ...] | None:
        """The labels that all items have, without the abstention; None if there are none."""
        return None

    @property
    def fixed_options(self) -> tuple[str, ...] | None:
        """The options that all items have, without the abstention; None if there are none."""
        return None

    @property
    def is_shuffled(self) -> bool:
        """Whether each annotator sees the options in another order."""
        return False

    @property
    def abstention(self) -> str | None:
        """The option of annotators who cannot decide; None if there is none."""
        return None

    @property
    def takes_empty_answer(self) -> bool:
        """Whether `empty_answer` may be given."""
        return False

    @property
    def may_stay_empty(self) -> bool:
        """Whether nothing is an answer when the question is asked."""
        return not self.required or self.takes_empty_answer

    @property
    def normalisation(self) -> Normalisation | None:
        """The rule of `aggregation.scoring` under which answers are compared; None where they are no texts."""
        return None

    @property
    def is_text(self) -> bool:
        """Whether an answer is a text of the annotator's own."""
        return self.normalisation is not None

    @property
    def longest_message(self) -> int | None:
        """How many characters one message with an answer may have; None where no message is limited."""
        return None

    @property
    def text_column(self) -> str | None:
        """The column of the item whose text is marked or corrected; None for other questions."""
        return None

    @property
    def part_classes(self) -> tuple[str, ...] | None:
        """The classes of marked parts; None if parts have none."""
        return None

    @property
    def none_text(self) -> str | None:
        """The text for "there is no such part"; None where that is not an answer."""
        return None

    def required_columns(self) -> tuple[str, ...]:
        """The columns of the item that the question needs."""
        return () if self.text_column is None else (self.text_column,)

    @property
    def option_columns(self) -> tuple[str, ...]:
        """The columns of the item with its options, where the question itself names them."""
        return ()

    @property
    def last_options(self) -> int:
        """How many options come after all others, whatever the order of these is."""
        return int(self.abstention is not None)

    @property
    def system_columns(self) -> tuple[str, ...]:
        """The columns of the item with the systems that wrote the texts to choose from; none for other questions."""
        return ()

    def with_positions(self, most_options: int) -> Question:  # noqa: ARG002  # most questions number no positions
        """Return the question with numbers as codes of positions; `most_options` is the longest list of an item."""
        return self

    def get_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:  # noqa: ARG002  # most have none
        """Return the texts of an item's options, the abstention included; `item_options` are the item's own."""
        return ()

    def get_substantive_options(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the texts of an item's options without the abstention."""
        return self.get_options(item_options)

    def get_labels(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the labels under which an item's options are stored and published, in the order of `get_options`."""
        return self.get_options(item_options)

    def get_substantive_labels(self, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the labels of an item's options without the abstention."""
        return self.get_labels(item_options)[: len(self.get_substantive_options(item_options))]

    def get_option_text(self, answer: str, item_options: Sequence[str] | None) -> str:
        """Return the text of the option with this label; an answer that is not a label is returned unchanged."""
        texts, labels = self.get_options(item_options), self.get_labels(item_options)
        return dict(zip(labels, texts, strict=True)).get(answer, answer)

    def describe_shown(self, item_options: Sequence[str] | None) -> dict[str, object]:
        """Return everything that annotators see of the question, as JSON for the digest of an item."""
        shown: dict[str, object] = {"name": self.name, "type": self.kind, "text": self.text}
        shown["options"] = list(self.get_options(item_options))
        return shown if self.help is None else shown | {"help": self.help}

    def find_option_problem(
        self,
        item_options: Sequence[str] | None,  # noqa: ARG002  # most questions take any options
        *,
        max_buttons: int | None,  # noqa: ARG002
    ) -> tuple[str, str] | None:
        """Return why the question cannot be asked with an item's options, and a remedy; None if it can.

        `max_buttons` is the largest number of options that can be shown; None where none are.
        """
        return None

    def is_unanswered(self, raw: object) -> bool:
        """Whether a raw answer (as it came from the bot or a file) is missing or blank."""
        return raw is None or (isinstance(raw, str) and not raw.strip())

    @abstractmethod
    def parse_answer(self, raw: object, content: QuestionContent) -> Answer:
        """Parse a raw answer to this question about an item; raises BadInput naming the question."""

    def encode_answer(self, answer: Answer) -> str:
        """Encode an answer as it is stored and published."""
        return answer if isinstance(answer, str) else json.dumps(list(answer), ensure_ascii=False)

    def build_refusal(self, problem: str, remedy: str) -> BadInput:
        """Build the BadInput for an invalid answer."""
        return BadInput(f"«{self.text}» {problem}", where=Where(field=self.name), remedy=remedy)

    def read_gold(self, written: str, content: QuestionContent) -> str:
        """Return gold as answers are stored; raises BadInput if it cannot be an answer."""
        return self.encode_answer(self.parse_answer(written, content))

    def find_label(self, written: str, content: QuestionContent) -> str | None:
        """Return the label that a text of a file means; None if it means none."""
        return spelling.find_name(written, self.get_labels(content.options))

    def spell_label(self, written: str, item_options: Sequence[str] | None) -> str:  # noqa: ARG002  # most have none
        """Return a label as the options spell it; a text that no option has is returned unchanged."""
        return written

    def is_abstention(self, stored: str | None) -> bool:
        """Whether a stored answer is the abstention."""
        return stored is not None and stored == self.abstention

    def split_answer(self, stored: str) -> tuple[str, ...]:
        """Return the labels, boxes or texts that a stored answer consists of."""
        return (stored,)

    def lint_gold(self, stored: str) -> tuple[str, ...]:
        """Return the labels or texts of gold that the lint compares with the options and the item."""
        return self.split_answer(stored)

    def list_parts(self, stored: str, item_options: Sequence[str] | None) -> tuple[str, ...]:
        """Return the parts of a stored answer as people read them: one option or text, boxes, or marked parts."""
        return (self.get_option_text(stored, item_options),)

    def describe_answer(self, stored: str, content: QuestionContent) -> str:
        """Return a stored answer in one line as adjudicators and reviewers read it."""
        return self.get_option_text(stored, content.options)

    def compute_majority(self, answers: Sequence[str]) -> ItemConsensus | None:
        """Return the most frequent of stored answers; None without answers, and for a tie.

        Texts that are equal under the question's normalisation count as one; the label is the most frequent of them.
        """
        if not answers:
            return None
        normalised = [normalise_answer(self.normalisation, answer) for answer in answers]
        ranked = Counter(normalised).most_common()
        if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
            return None
        top, n_top = ranked[0]
        originals = Counter(answer for answer, same in zip(answers, normalised, strict=True) if same == top)
        label = min(originals, key=lambda answer: (-originals[answer], answer))
        return ItemConsensus(labels=(label,), confidence=n_top / len(answers), votes=len(answers))

    def list_choices(self, item_options: Sequence[str] | None) -> tuple[str, ...]:  # noqa: ARG002  # open answers make none
        """Return the names of the closed choices that an answer makes: that of the question, or each box."""
        return ()

    def read_choices(self, stored: str) -> Mapping[str, str]:  # noqa: ARG002
        """Return the label that a stored answer chooses, by the names of `list_choices`; none for an abstention."""
        return {}

    def join_choices(self, choices: Mapping[str, str]) -> dict[str, str]:
        """Return the answer that makes these choices, as stored, by the question's name; empty if there are none."""
        return dict(choices)

    def count_labels(self, item_options: Sequence[str] | None) -> int:  # noqa: ARG002
        """Return how many labels one of the choices has."""
        return 2

    def draw_truth(self, content: QuestionContent, rng: random.Random) -> str | None:
        """Draw a truth for simulated annotators, as stored; None where an optional question stays unanswered."""
        if not self.required and rng.random() < BLANK_RATE:
            return None
        return self.draw_text(content, rng)

    def draw_wrong(self, content: QuestionContent, right: str, rng: random.Random) -> str:  # noqa: ARG002
        """Draw an answer other than the right one, if there is any."""
        return self.draw_text(content, rng)

    def draw_careless(self, content: QuestionContent, rng: random.Random) -> str | None:
        """Draw an answer without regard to the item; None where the question may stay unanswered."""
        return self.draw_text(content, rng) if self.required else None

    def draw_text(self, content: QuestionContent, rng: random.Random) -> str:
        """Draw an open answer; only questions without options need it."""
        raise NotImplementedError

    def draw_answer(
        self,
        content: QuestionContent,
        truth: str,
        *,
        accepted: Sequence[str] | None,
        skill: float,
        rng: random.Random,
    ) -> str:
        """Draw the answer of an annotator who is right with the chance `skill`.

        `accepted` are further right answers; None where the question has only one.
        """
        if rng.random() >= skill:
            return self.draw_wrong(content, truth, rng)
        return truth if accepted is None else rng.choice((truth, *accepted))


def require_text(question: Question, raw: object) -> str:
    """Return a raw answer without white space around it; raises BadInput where it is not one text."""
    if not isinstance(raw, str):
        raise question.build_refusal("takes one answer, as text.", "Give one.")
    return raw.strip()


def decode_json(raw: object) -> Any:
    """Decode a raw answer that may be JSON as text: an object, or a list of texts and objects.

    Any other text is returned unchanged, because it may begin with a bracket by chance: «[1]» is a footnote.
    """
    if not isinstance(raw, str) or raw.lstrip()[:1] not in {"[", "{"}:
        return raw
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return raw
    elements = value if isinstance(value, list) else [value]
    return value if all(isinstance(element, str | dict) for element in elements) else raw


def count_units(text: str) -> int:
    """The length of a text as Telegram counts it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def find_occurrences(part: str, text: str) -> list[int]:
    """Find all positions of a part in a text, overlapping ones too: «ана» twice in «анана»."""
    positions, position = [], text.find(part) if part else -1
    while position >= 0:
        positions.append(position)
        position = text.find(part, position + 1)
    return positions


def is_asked(question: Question, answers: Mapping[str, str]) -> bool:
    """Whether the earlier answers (as stored, by question name) meet every condition of `show_if`."""
    return all(_is_condition_met(values, answers.get(name)) for name, values in (question.show_if or {}).items())


def _is_condition_met(values: Sequence[str], stored: str | None) -> bool:
    """Whether a stored answer, one label or a JSON list of them, has one of the values."""
    if stored is None:
        return False
    try:
        answers = json.loads(stored) if stored.startswith("[") else [stored]
    except ValueError:
        answers = [stored]
    return any(
        answer in values or spelling.find_name(answer, values) is not None
        for answer in answers
        if isinstance(answer, str)
    )


def parse_answers(questions: Sequence[Question], raw: Mapping[str, object], content: QuestionContent) -> dict[str, str]:
    """Parse raw answers by question name into stored answers, in the order of the questions.

    Raises BadInput naming the question for an invalid answer, a missing one, one to a question that was not asked, and
    one to an unknown question.
    """
    names = [question.name for question in questions]
    for name in raw:
        if name not in names:
            raise BadInput(
                f"There is no question {name!r}.", where=Where(field=name), remedy=f"There are: {', '.join(names)}."
            )
    parsed: dict[str, str] = {}
    for question in questions:
        raw_answer = raw.get(question.name)
        is_missing = question.is_unanswered(raw_answer)
        if not is_asked(question, parsed):
            if not is_missing and decode_json(raw_answer) != []:
                raise question.build_refusal("was not asked here.", "Leave it out.")
        elif not is_missing:
            parsed[question.name] = question.encode_answer(question.parse_answer(raw_answer, content))
        elif question.required:
            raise question.build_refusal("is not answered.", "It needs an answer.")
    return parsed


def order_options(count: int, *, shuffle: bool, seed: int, key: Sequence[str], last: int = 0) -> list[int]:
    """Return the positions of `count` options in the order in which one annotator sees them.

    The order depends on the seed and on `key`: project, question, item and annotator. The `last` options (an
    abstention, a tie) keep their positions. Without `shuffle` the order does not change.
    """
    order = list(range(count - last))
    if shuffle:
        build_generator(seed, key).shuffle(order)
    return [*order, *range(count - last, count)]


def build_generator(seed: int, key: Sequence[str]) -> random.Random:
    """Return the generator of an order: the same for the same seed and key."""
    digest = hashlib.sha256("\x1f".join([str(seed), *key]).encode()).digest()
    return random.Random(int.from_bytes(digest))  # noqa: S311  # an order, not a secret
