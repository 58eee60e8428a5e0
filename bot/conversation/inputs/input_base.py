"""The base class of the ways to answer a question: how it is asked, and what a tap or a text does to its draft."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from annotation.campaigns.questions import Question
from annotation.errors import BadInput, Stale
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonRows, CallbackData, InlineButton

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")

Q = TypeVar("Q", bound=Question)


@dataclass(frozen=True, kw_only=True)
class RefusedInput:
    """A tap or a text that is no valid answer: the id of the text that says why, and its arguments. Nothing changes.

    With `repeats_item` the item is shown again below what a typed text is told; with `offers_commands` it is told what
    else can be done.
    """

    text_id: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    repeats_item: bool = False
    offers_commands: bool = False


class TypedButtons(StrEnum):
    """Which buttons on the screen a typed text may name, before it is read as an answer: by label, or also by words for
    yes, no and back.
    """

    NONE = "none"
    LABELS = "labels"
    WORDS = "words"


class QuestionInput(ABC):
    """A way to answer a question in the chat. It does no input or output, and knows nothing of other questions.

    The handlers store the draft that it returns. Where the draft has an answer to the question (`with_answer`), the
    next question is asked, or the answers are submitted; otherwise (`with_entry`) the question is shown again. After a
    typed text that happens in a new message below the item.
    """

    is_separate: bool = False
    """Whether the question is asked in a message of its own, from which its text can be copied."""
    takes_many_messages: bool = False
    """Whether several texts make one answer; otherwise the last one does."""
    arrange_options: Callable[[Sequence[InlineButton]], ButtonRows] = staticmethod(message_layout.arrange_buttons)
    """How the buttons of options make rows."""

    def build_item_blocks(self, shown: ShownQuestion, stimulus: str, language: str) -> list[TextBlock]:  # noqa: ARG002
        """What the item has of the question below its stimulus, whatever is asked now: texts to compare."""
        return []

    def name_options(self, shown: ShownQuestion, translate: Texts, *, language: str) -> tuple[str, ...]:  # noqa: ARG002
        """What stands for the options on buttons of their own; their texts, unless these are read with the item."""
        return shown.options

    def has_long_list(self, shown: ShownQuestion, language: str) -> bool:  # noqa: ARG002  # most have no list
        """Whether a long list of options stands between the stimulus and the buttons."""
        return False

    @abstractmethod
    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question, and what was entered so far, below the item."""

    @abstractmethod
    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """The buttons that answer the question."""

    @abstractmethod
    def apply_tap(self, asked: AskedQuestion, callback: CallbackData) -> AnswerDraft | RefusedInput:
        """The draft after a tap; raises Stale for a button that the question does not have."""

    @abstractmethod
    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """The draft after a typed text."""

    def apply_entered(self, asked: AskedQuestion, entered: Any) -> AnswerDraft | RefusedInput:  # noqa: ARG002
        """The draft after an answer that was entered on the answer page; raises BadInput for any other JSON value."""
        raise Stale("This question has buttons on the page.")

    def restore_entered(self, asked: AskedQuestion, stored: str | None) -> Any:  # noqa: ARG002  # most start empty
        """What the answer page begins with, as `apply_entered` takes it; `stored` is an answer to be changed."""
        return None

    def get_typed_buttons(self, asked: AskedQuestion, text: str) -> TypedButtons:  # noqa: ARG002  # most have none
        """Which buttons a typed text may name: those of a screen that decides something, such as to save a text."""
        return TypedButtons.NONE

    def takes_wishes(self, asked: AskedQuestion, text: str) -> bool:  # noqa: ARG002  # most try it as an answer first
        """Whether a word such as «стоп» is meant as what it does, before it is read as an answer."""
        return False

    def leave_entry(self, entry: Any) -> Any:
        """What is kept of an entry while an earlier question is asked."""
        return entry

    def has_step_before(self, asked: AskedQuestion) -> bool:  # noqa: ARG002  # most are answered in one step
        """Whether the buttons lead back within the question, so that none beside them leads to the one before."""
        return False

    def apply_edit(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """The draft after a change of the message that gave a stored answer."""
        return self.apply_text(asked, text)

    @abstractmethod
    def restore_entry(self, shown: ShownQuestion, stored: str) -> Any:
        """The entry with which a stored answer is opened for a change; None where the annotator begins anew."""

    @abstractmethod
    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:
        """A stored answer in words, short enough for a heading; `language` is that of the project."""


def refuse_words_with_number(text: str) -> RefusedInput | None:
    """How to write the number that a text has among other words; None where it has none, or several."""
    number = prompts.find_number(text)
    return RefusedInput(text_id="digits-only", arguments={"number": number}) if number else None


def require_text(entered: Any) -> str:
    """A text that was entered on the answer page; raises BadInput for any other value."""
    if not isinstance(entered, str) or _UNSTORABLE.search(entered):
        raise BadInput("This is not a text.")
    return entered.replace("\r\n", "\n")


def narrow_question(shown: ShownQuestion, question_type: type[Q]) -> Q:
    """The question as one of the type that an input is for; raises TypeError for another."""
    if not isinstance(shown.question, question_type):
        raise TypeError(f"{shown.name} is not a question of the type {question_type.kind}")
    return shown.question
