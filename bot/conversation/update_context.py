"""The context of one update for handlers: the annotator, their language and conversation state, and ways to reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from annotation.campaigns.project_file import ProjectFile
from annotation.errors import Stale
from annotation.vocabulary import FIRST_PAGE_ID
from annotation.workflow import assignments, definitions
from annotation.workflow.assignments import AnnotatorTransaction, AssignedItem, OpenedAssignment
from annotation.workflow.conversations import item_messages
from annotation.workflow.conversations.conversation_state import ConversationRecord, ConversationState, ConversationStep
from annotation.workflow.conversations.item_messages import TypedMessage
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.texts import Texts, get_texts, match_language
from bot.conversation.updates_and_calls import (
    AssignmentMessage,
    CallbackData,
    ConversationSettings,
    IncomingUpdate,
    MessageEdit,
    NewMessage,
    NewPhoto,
    TapAcknowledgement,
    TelegramCall,
    TelegramCalls,
    UpdateKind,
)

if TYPE_CHECKING:
    from annotation.store.models import AnnotatorRow, ProjectRow


TYPED_QUERY = "typed"
"""Stands for the id of a tap where the button was typed."""


@dataclass(frozen=True, kw_only=True)
class UpdateContext:
    """What a handler needs to answer one update.

    `transaction` holds the annotator, locked, and what was loaded of their work; it goes to every use-case of
    `assignments`, and its session, which is only passed on, to every other one. `callback` is the data of the tapped
    button; None for texts, and for taps on buttons that this bot did not make. `shown_items` are the items that the
    handlers showed, by assignment.
    """

    transaction: AnnotatorTransaction
    incoming: IncomingUpdate
    now: datetime
    settings: ConversationSettings
    record: ConversationRecord
    callback: CallbackData | None = None
    shown_items: dict[int, AssignedItem] = field(default_factory=dict)

    @property
    def annotator(self) -> AnnotatorRow:
        """The annotator."""
        return self.transaction.annotator

    @property
    def annotator_id(self) -> int:
        """The id of the annotator."""
        return self.transaction.annotator_id

    @property
    def has_telegram(self) -> bool:
        """Whether the annotator has a chat, to which the bot can write first."""
        return self.incoming.telegram_id < FIRST_PAGE_ID

    @property
    def has_page(self) -> bool:
        """Whether the chat can open the answer page."""
        return self.has_telegram and self.settings.page_url is not None

    @property
    def translate(self) -> Texts:
        """The texts in the annotator's language."""
        return get_texts(match_language(self.annotator.language))

    @property
    def text(self) -> str:
        """The text of the message; empty where there is none."""
        return self.incoming.text or ""

    @property
    def typed(self) -> TypedMessage:
        """The number and time of the message."""
        return TypedMessage(message_id=self.incoming.message_id or 0, at=self.incoming.at)

    @property
    def sees_prompt(self) -> bool:
        """Whether what the step of the conversation asks for was on the screen when the text was sent."""
        if self.state.step is not ConversationStep.REASON:
            return self.state.awaits_input(self.typed.message_id)
        item_ids = [self.state.subject_id]
        return item_messages.find_asked_assignment(self.transaction.session, item_ids, typed=self.typed) is not None

    @property
    def replies_elsewhere(self) -> bool:
        """Whether the text is a reply, but not to the message that asks for the step of the conversation."""
        replied = self.incoming.reply_to
        if replied is None or self.state.step is not ConversationStep.REASON:
            return replied not in {None, self.state.asked_in}
        return replied != item_messages.find_message(self.transaction.session, self.state.subject_id)

    @property
    def command(self) -> str:
        """The command in the message, without its slash; empty for any other text."""
        first_word = self.text.split(maxsplit=1)[0] if self.text.strip() else ""
        return first_word[1:].split("@")[0].lower() if first_word.startswith("/") else ""

    @property
    def state(self) -> ConversationState:
        """The state of the conversation."""
        return self.record.state

    def save_state(self, state: ConversationState) -> None:
        """Store a new state of the conversation."""
        self.record.save(self.transaction.session, state, now=self.now)

    def require_callback(self) -> CallbackData:
        """The data of the tapped button; raises LookupError where there is none."""
        if self.callback is None:
            raise LookupError("this handler is for taps")
        return self.callback

    def open_assignment(self, assignment_id: int) -> OpenedAssignment:
        """Open an assignment of the annotator; raises Stale where it is not theirs."""
        return assignments.open_assignment(self.transaction, assignment_id=assignment_id, now=self.now)

    def find_project(self, project_id: int) -> tuple[ProjectRow, ProjectFile] | None:
        """A project with its definition; None for an unknown id."""
        loaded = self.transaction.contexts.get(project_id)
        if loaded is not None:
            return loaded.project, loaded.definition
        return definitions.find_project(self.transaction.session, project_id=project_id)

    def get_project(self, project_id: int) -> tuple[ProjectRow, ProjectFile]:
        """A project with its definition; raises Stale for an unknown id."""
        project = self.find_project(project_id)
        if project is None:
            raise Stale("There is no such project.")
        return project

    def find_definition(self, project_id: int) -> ProjectFile | None:
        """The definition of a project; None for an unknown id."""
        project = self.find_project(project_id)
        return None if project is None else project[1]

    def acknowledge(self, text_id: str = "", *, alert: bool = False, **arguments: str | int) -> TelegramCalls:
        """Acknowledge the tap, with a text as a toast or an alert; no call where the update is no tap."""
        return self.acknowledge_with(self.translate(text_id, **arguments) if text_id else "", alert=alert)

    def acknowledge_with(self, text: str, *, alert: bool = False) -> TelegramCalls:
        """Acknowledge the tap with this text; no call where the update is no tap."""
        if self.incoming.query_id is None:
            return ()
        return (TapAcknowledgement(query_id=self.incoming.query_id, text=text, alert=alert),)

    def send(self, *messages: RenderedMessage, assignment_id: int | None = None) -> tuple[NewPhoto | NewMessage, ...]:
        """Calls that send new messages. With `assignment_id`, the last is the item message of that assignment."""
        calls: list[NewPhoto | NewMessage] = []
        for number, message in enumerate(messages, 1):
            calls += [
                NewPhoto(
                    chat_id=self.incoming.chat_id,
                    picture=picture.name,
                    caption=picture.caption,
                    protect=message.protect,
                    assignment_id=assignment_id,
                )
                for picture in message.pictures
            ]
            calls.append(
                NewMessage(
                    chat_id=self.incoming.chat_id,
                    html=message.html,
                    buttons=message.buttons,
                    input_hint=message.input_hint,
                    protect=message.protect,
                    assignment_id=assignment_id if number == len(messages) else None,
                    replies_above=number - 1 if message.leads_up else 0,
                    of_item=assignment_id is not None,
                )
            )
        return tuple(calls)

    def send_text(self, text_id: str, **arguments: str | int) -> TelegramCalls:
        """A call that sends one text as a new message."""
        return self.send(message_layout.render_text(self.translate, self.translate(text_id, **arguments)))

    def ask(
        self,
        messages: RenderedMessage | Sequence[RenderedMessage],
        step: ConversationStep = ConversationStep.CHOICE,
        *,
        subject_id: int = 0,
        profile_field: str = "",
    ) -> TelegramCalls:
        """Calls that ask for a step of the conversation with the last of the messages.

        Texts that are sent after it are the input, or choose one of its buttons.
        """
        update_id = self.incoming.update_id
        parts = (messages,) if isinstance(messages, RenderedMessage) else messages
        self.save_state(
            self.state.with_step(
                step,
                subject_id=subject_id,
                profile_field=profile_field,
                asked_by=update_id,
                prompt=prompts.encode_prompt(parts[-1]),
            )
        )
        *earlier, last = self.send(*parts)
        prompt = (self.annotator_id, update_id)
        return (*earlier, replace(last, prompt=prompt) if isinstance(last, NewMessage) else last)

    def close_prompt(self) -> TelegramCalls:
        """A call that removes the buttons of the message that asked last; none where it is unknown."""
        if self.state.asked_in is None or not self.state.prompt:
            return ()
        asked = prompts.decode_prompt(self.state.prompt)
        return self.as_tap(self.state.asked_in).edit(replace(asked, buttons=()))

    def redraw_item(self, message: RenderedMessage, *, assignment_id: int) -> TelegramCalls:
        """A call that lets the message of an item ask something else; texts that are sent before answer nothing."""
        item_messages.begin_redraw(self.transaction.session, assignment_id)
        self.save_state(self.state.without_prompt())
        return tuple(replace(call, redraws=assignment_id) for call in self.edit(message, assignment_id=assignment_id))

    def edit(self, message: RenderedMessage, *, assignment_id: int | None = None) -> tuple[MessageEdit, ...]:
        """A call that replaces the message with the tapped button, otherwise the item message of the assignment.

        No call where the update is no tap and no assignment is named.
        """
        target: int | AssignmentMessage | None = self.incoming.message_id if self.incoming.query_id else None
        if target is None and assignment_id is not None:
            target = AssignmentMessage(assignment_id=assignment_id)
        if target is None:
            return ()
        return (MessageEdit(chat_id=self.incoming.chat_id, message=target, html=message.html, buttons=message.buttons),)

    def edit_or_send(self, message: RenderedMessage) -> TelegramCalls:
        """A call that replaces the message with the tapped button; a new message where the update is no tap."""
        return self.edit(message) or self.send(message)

    def as_tap(self, message_id: int | None, callback: CallbackData | None = None) -> UpdateContext:
        """The context as if a button of this message were tapped instead of typed."""
        tap = replace(
            self.incoming, kind=UpdateKind.TAP, query_id=TYPED_QUERY, message_id=message_id, text=None, reply_to=None
        )
        return replace(self, incoming=tap, callback=callback)

    def confirm_typed(self, calls: TelegramCalls, understood: str) -> TelegramCalls:
        """The calls of a tap that was typed: a message says what was understood, and what the toast would say.

        There is no message where there is nothing to say.
        """
        confirmed: list[TelegramCall] = []
        for call in calls:
            confirmed += self._build_confirmation(call, understood) if isinstance(call, TapAcknowledgement) else [call]
        return tuple(confirmed)

    def _build_confirmation(self, acknowledgement: TapAcknowledgement, understood: str) -> TelegramCalls:
        lines = [understood] if understood else []
        if acknowledgement.text not in {"", self.translate("saved"), self.translate("noted")}:
            lines.append(acknowledgement.text)
        return self.send(message_layout.render_text(self.translate, "\n".join(lines))) if lines else ()

    def without_tap(self) -> UpdateContext:
        """The context as if no button were tapped: what follows is neither acknowledged again nor edits the message."""
        return replace(self, incoming=replace(self.incoming, query_id=None))


def join_calls(*groups: Iterable[TelegramCall]) -> TelegramCalls:
    """The calls of all groups, in their order."""
    return tuple(call for group in groups for call in group)
