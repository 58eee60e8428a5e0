"""The base class of the controls of Label Studio: what is asked with them, read from them, and shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from annotation.campaigns.questions import Question, QuestionContent
from annotation.label_studio_controls import elements

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

PUSH_AGAIN_REMEDY = "Push the project again; its configuration was changed in Label Studio."
Q = TypeVar("Q", bound=Question)


class InterfaceWords(Protocol):
    """The words of one language that no project file has, by the id of the message."""

    def __call__(self, message: str, **arguments: str | int) -> str:
        """Return a message with its arguments."""


@dataclass(frozen=True, kw_only=True)
class ControlContext:
    """What all controls of a pass share: hotkeys by control, texts, and `main_object`.

    That is the name of the object to which all controls but those of spans refer (`toName`): the item's HTML, or else
    the first text in which spans are marked.
    """

    main_object: str
    hotkeys: Mapping[str, tuple[str, ...]]
    texts: InterfaceWords
    requirement: Mapping[str, str | bool | None] = field(default_factory=dict)
    """The attributes by which Label Studio requires an answer to the question at hand, or not."""
    mark_names: Mapping[str, str] = field(default_factory=dict)
    """What the labels of marked parts are called, by question."""
    confirms: bool = False
    """Whether nothing is an answer to the question at hand that has to be confirmed."""


@dataclass(frozen=True, kw_only=True)
class ControlResult:
    """What people did with the controls of an item: the values of its regions by control.

    `first` are the stored answers of the first pass. For a decision, `verdict` is the alias of what was chosen, and
    `candidates` are the answers among which it was.
    """

    values: Mapping[str, Sequence[Any]]
    content: QuestionContent
    first: Mapping[str, str] = field(default_factory=dict)
    verdict: str = ""
    candidates: Sequence[str] = ()


class ControlType(ABC, Generic[Q]):
    """The control of a question type. It does no input or output.

    The defaults of decisions are those of a question whose options are all candidates: an adjudicator can give no
    answer of their own.
    """

    value_key: ClassVar[str]
    """The key under which the value of a result has what people gave: `text`, `choices`."""
    holds_several: ClassVar[bool] = False
    """Whether several texts under this key are one answer, as ticked boxes are."""
    is_beside_item: ClassVar[bool] = False
    """Whether the control is a second column, beside the item and shown from the beginning, as a text to correct is."""
    is_shown_apart: ClassVar[bool] = False
    """Whether an answer needs more room than the line of a choice."""
    is_typed: ClassVar[bool] = False
    """Whether a text is typed into the control."""
    is_in_decisions: ClassVar[bool] = False
    """Whether adjudicators give an answer of their own with the same control."""

    def list_names(self, question: Q) -> tuple[str, ...]:
        """Return the names of the controls, each the `from_name` of the regions that people make."""
        return (question.name,)

    def count_hotkeys(self, question: Q) -> Mapping[str, int]:
        """Return how many hotkeys each of the controls wants."""
        return {question.name: len(question.get_options(None))}

    @abstractmethod
    def build_control(self, card: Element, question: Q, context: ControlContext) -> None:
        """Add the control to the card of the question."""

    def describe_limit(self, question: Q, texts: InterfaceWords) -> str | None:  # noqa: ARG002  # most have none
        """Return how many options may be chosen or parts marked; None where that is obvious."""
        return None

    def explain_draft(self, question: Q, texts: InterfaceWords) -> str | None:  # noqa: ARG002  # Label Studio keeps it
        """Return when Label Studio keeps a half-done answer; None where it does so at once."""
        return None

    def build_prediction(
        self,
        question: Q,  # noqa: ARG002  # most begin with nothing
        content: QuestionContent,  # noqa: ARG002
        first: str | None,  # noqa: ARG002
    ) -> dict[str, Any] | None:
        """Return the type and the value of the region with which the control begins; None for an empty control."""
        return None

    def build_data(
        self,
        question: Q,  # noqa: ARG002  # most need nothing
        content: QuestionContent,  # noqa: ARG002
        first: str | None,  # noqa: ARG002
        order: Sequence[int] | None,  # noqa: ARG002
    ) -> dict[str, str]:
        """Return what the control needs of a task, by data key.

        `first` is the stored answer of the first pass, `order` that in which the options are shown.
        """
        return {}

    def build_options(
        self,
        question: Q,
        content: QuestionContent,
        order: Sequence[int] | None,
        keys: Sequence[str],
        texts: InterfaceWords,  # noqa: ARG002  # options are data
    ) -> list[dict[str, str]]:
        """Return the options of a task as shown, with the hotkeys of their places; the abstention has the last."""
        options, labels = question.get_options(content.options), question.get_labels(content.options)
        shown = list(range(len(options)) if order is None else order)
        abstains = question.abstention is not None
        shown_options = []
        for place, index in enumerate(shown):
            one = {"value": options[index], "alias": labels[index]}
            last = abstains and index == len(options) - 1
            key = keys[-1:] if last else keys[place : min(place + 1, len(keys) - abstains)]
            shown_options.append(one | ({"hotkey": key[0]} if key else {}))
        return shown_options

    def read_value(self, value: object) -> list[str] | None:
        """Return what is under `value_key` as texts; None for what the control does not write.

        Exports of projects that the product did not make are read with it, where no question is known.
        """
        if isinstance(value, str):
            return [value]
        return value if isinstance(value, list) and all(isinstance(element, str) for element in value) else None

    @abstractmethod
    def read_result(self, question: Q, result: ControlResult) -> object:
        """Return the raw answer; None where nothing was given.

        Raises BadInput for unknown options, and for several answers where one is asked for.
        """

    def name_answers(self, question: Q, answers: Sequence[str], texts: InterfaceWords) -> dict[str, str]:  # noqa: ARG002
        """Return short names of stored answers where their texts are long, by answer; `answers` are all, as shown."""
        return {}

    def show_compared(
        self,
        question: Q,  # noqa: ARG002  # most compare nothing
        content: QuestionContent,  # noqa: ARG002
        answers: Sequence[str],  # noqa: ARG002
        texts: InterfaceWords,  # noqa: ARG002
    ) -> str:
        """Return the texts that such names are about, as HTML; empty where there are none."""
        return ""

    def show_value(self, question: Q, content: QuestionContent, stored: str) -> str:
        """Return a stored answer as HTML."""
        return elements.escape_html(question.describe_answer(stored, content))

    def list_own_choices(self, n_candidates: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the aliases of the choices by which an adjudicator gives an answer that is no candidate."""
        return ()

    def build_decision_control(self, parent: Element, question: Q, context: ControlContext) -> None:
        """Add the fields for an answer that is no candidate, each shown where its choice is taken."""

    def build_decision_data(self, question: Q, content: QuestionContent, candidates: Sequence[str]) -> dict[str, str]:  # noqa: ARG002
        """Return what these fields need of a task, by data key."""
        return {}

    def read_decision(self, question: Q, result: ControlResult) -> object:
        """Return the raw answer of an adjudicator's own; None or a blank one where nothing was given."""
        return self.read_result(question, result)


def add_question(
    parent: Element, question: Q, control: ControlType[Q], context: ControlContext, required: bool, *notes: str
) -> None:
    """Add the text of a question and its control; `notes` are shown beside it."""
    texts = context.texts
    wide = " hr-wide" * elements.has_task_options(question)
    is_keyless = any(key in elements.UNUSED_HOTKEYS for key in context.hotkeys.get(question.name, ()))
    card = elements.add_view(parent, f"question hr-{question.kind}{wide}{' hr-keyless' * is_keyless}")
    elements.add_header(card, question.text, name="asks")
    confirms = required and question.takes_empty_answer
    optional = None if confirms or not question.may_stay_empty else texts("optional")
    lines = [*notes, *filter(None, (question.help, control.describe_limit(question, texts), optional))]
    if lines:
        elements.add_header(card, " · ".join(lines), name="told", size=6)
    message = elements.escape_variables(texts("answer-this", question=question.text.rstrip("."))) if required else None
    requirement = {"required": required and not confirms, "requiredMessage": None if confirms else message}
    control.build_control(card, question, replace(context, requirement=requirement, confirms=confirms))


def read_list(question: Question, value: Any) -> list[Any]:
    """Return a value of a control as a list: one text is a list of one, nothing an empty list."""
    if isinstance(value, str):
        return [value]
    if value is not None and not isinstance(value, list):
        raise question.build_refusal("has a value in Label Studio that no control writes.", "Answer the task again.")
    return value or []


def take_only_answer(question: Question, answers: Sequence[str]) -> str | None:
    """Return the only answer, None where there is none; raises BadInput for several."""
    if len(answers) > 1:
        raise question.build_refusal(
            f"has {len(answers)} answers in Label Studio: {' · '.join(answer[:40] for answer in answers)}.",
            "Open the task there and leave one.",
        )
    return answers[0] if answers else None
