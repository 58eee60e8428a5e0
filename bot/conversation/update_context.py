"""One update as handlers see it: the person, her language, where her conversation stands, and ways to reply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from annotation.campaigns.project import ProjectFile
from annotation.store.models import Annotator, Project
from annotation.workflow import definitions
from bot.conversation.callbacks import Press
from bot.conversation.conversation_state import Standing, State
from bot.conversation.texts import Texts, nearest, texts
from bot.conversation.updates_and_calls import Acknowledge, Call, Calls, Desk, Edit, Incoming, OfAssignment, Send
from bot.conversation.views import message_layout
from bot.conversation.views.message_layout import Message


@dataclass(frozen=True, kw_only=True)
class Visit:
    """What a handler decides on. `press` is what the tapped button carried, None for texts and forged taps."""

    session: Session
    incoming: Incoming
    now: datetime
    desk: Desk
    person: Annotator
    standing: Standing
    press: Press | None = None

    @property
    def who(self) -> int:
        """The person's id."""
        return self.person.id or 0

    @property
    def say(self) -> Texts:
        """Words in her language."""
        return texts(nearest(self.person.language))

    @property
    def text(self) -> str:
        """What she wrote."""
        return self.incoming.text or ""

    @property
    def command(self) -> str:
        """The command that she sent, without its slash; empty for any other text."""
        first = self.text.split(maxsplit=1)[0] if self.text.strip() else ""
        return first[1:].split("@")[0].lower() if first.startswith("/") else ""

    @property
    def state(self) -> State:
        """Where her conversation stands."""
        return self.standing.state

    def keep(self, state: State) -> None:
        """It stands there now."""
        self.standing.keep(self.session, state, now=self.now)

    def pressed(self) -> Press:
        """What the tapped button carried, where there is one for certain."""
        if self.press is None:
            raise LookupError("this handler is for taps")
        return self.press

    def project(self, project_id: int) -> tuple[Project, ProjectFile] | None:
        """A project with its definition, if there is one of that id."""
        found = self.session.get(Project, project_id)
        return None if found is None else (found, definitions.of(found))

    def acknowledge(self, message: str = "", *, alert: bool = False, **arguments: str | int) -> Calls:
        """Stop the button's spinning, with some words; nothing where nothing was tapped."""
        if self.incoming.query_id is None:
            return ()
        text = self.say(message, **arguments) if message else ""
        return (Acknowledge(query_id=self.incoming.query_id, text=text, alert=alert),)

    def send(self, *several: Message, remember: int | None = None) -> Calls:
        """New messages; the last is the one that shows that assignment."""
        chat, calls = self.incoming.chat_id, []
        for number, one in enumerate(several, 1):
            shows = remember if number == len(several) else None
            calls.append(Send(chat_id=chat, html=one.html, buttons=one.buttons, reply=one.reply, remember=shows))
        return tuple(calls)

    def tell(self, message: str, **arguments: str | int) -> Calls:
        """A sentence."""
        return self.send(message_layout.said(self.say, self.say(message, **arguments)))

    def edit(self, message: Message, *, assignment_id: int | None = None) -> Calls:
        """Change the message under the tapped button, or else the one that shows that assignment."""
        place: int | OfAssignment | None = self.incoming.message_id if self.incoming.query_id else None
        if place is None and assignment_id is not None:
            place = OfAssignment(assignment_id=assignment_id)
        if place is None:
            return ()
        return (Edit(chat_id=self.incoming.chat_id, message=place, html=message.html, buttons=message.buttons),)

    def replied(self, message: Message) -> Calls:
        """In place of the tapped button's message, else as a new one."""
        return self.edit(message) or self.send(message)

    def spoken(self) -> Visit:
        """The same, for what is said after the tap is acknowledged."""
        return replace(self, incoming=replace(self.incoming, query_id=None))


def joined(*several: Iterable[Call]) -> Calls:
    """Calls one after another."""
    return tuple(call for calls in several for call in calls)
