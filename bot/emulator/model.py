"""What the local Telegram holds: people, chats, messages, files, and what was shown when."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from bot.emulator.calls import CallRefused, Upload, bad_request
from bot.emulator.entities import Entity, FormattedText
from bot.emulator.keyboards import Markup

MAX_UPLOAD, MAX_DOWNLOAD = 50 * 1024**2, 20 * 1024**2
"""Bytes of a file."""
MAX_PHOTO, MAX_WIDTH_AND_HEIGHT, MAX_RATIO = 10_000_000, 10_000, 20
"""Bytes of a photo, the sum of its width and height in pixels, and how much longer one side may be."""


def store_file(known: dict[str, File], upload: Upload, *, photo: bool = False) -> File:
    """Add an upload to the `known` files under a new id; the same bytes and name have the same unique id."""
    if len(upload.content) > MAX_UPLOAD:
        raise CallRefused(413, "Request Entity Too Large")
    if not upload.content:
        raise bad_request("file must be non-empty")
    width, height = _read_size(upload.content) if photo else (0, 0)
    digest = hashlib.sha256(upload.content + upload.name.encode()).hexdigest()
    folder = "photos" if photo else "documents"
    number = len(known)
    name = re.sub(r"[^\w.\-]", "_", upload.name, flags=re.ASCII) or "file"
    file = File(
        id=f"{'AgAC' if photo else 'BQAC'}{digest[:40]}{number}",
        unique_id=digest[:16],
        name=upload.name,
        mime=upload.mime,
        content=upload.content,
        path=f"{folder}/file_{number}_{name}",
        width=width,
        height=height,
    )
    known[file.id] = file
    return file


def _read_size(content: bytes) -> tuple[int, int]:
    """Width and height of a photo; raises CallRefused unless it is a picture of a size that Telegram takes."""
    width, height = _read_any_size(content)
    if width + height > MAX_WIDTH_AND_HEIGHT or max(width, height) > MAX_RATIO * min(width, height):
        raise bad_request("PHOTO_INVALID_DIMENSIONS")
    if len(content) > MAX_PHOTO:
        raise bad_request("file is too big")
    return width, height


def _read_any_size(content: bytes) -> tuple[int, int]:
    """Width and height of a PNG, a JPEG or a WebP; raises CallRefused for other files."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        return int(width), int(height)
    if content[:2] == b"\xff\xd8":
        match = re.search(rb"\xff[\xc0-\xc3].{3}(.{4})", content, re.DOTALL)
        if match:
            height, width = struct.unpack(">HH", match[1])
            return int(width), int(height)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP" and len(content) >= 30:
        return _read_webp_size(content[12:16], content[20:30])
    raise bad_request("IMAGE_PROCESS_FAILED")


def _read_webp_size(kind: bytes, data: bytes) -> tuple[int, int]:
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[4:7], "little"), 1 + int.from_bytes(data[7:10], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack("<HH", data[6:10])
    return int(width) & 0x3FFF, int(height) & 0x3FFF


@dataclass(frozen=True)
class DisplayedEvent:
    """Something that appeared on one person's screen.

    `kind` is message, edit, delete, toast, alert, action, reaction, pin, or sent and edited for the
    person's own messages; `buttons` are labels.
    """

    at: float
    person: int
    kind: str
    chat: int
    message: int = 0
    text: str = ""
    buttons: tuple[str, ...] = ()


@dataclass
class DisplayLog:
    """The append-only log; every watcher is called with each new entry."""

    entries: list[DisplayedEvent] = field(default_factory=list)
    watchers: list[Callable[[DisplayedEvent], None]] = field(default_factory=list)

    def add(self, entry: DisplayedEvent) -> None:
        """Append an entry."""
        self.entries.append(entry)
        for notify in tuple(self.watchers):
            notify(entry)

    def list_events(self, person: int, *kinds: str) -> list[DisplayedEvent]:
        """The entries of one person, oldest first; of these kinds, or all."""
        return [entry for entry in self.entries if entry.person == person and (not kinds or entry.kind in kinds)]


@dataclass
class User:
    """A person or the bot."""

    id: int
    first_name: str
    language: str | None = None
    username: str | None = None
    is_bot: bool = False
    deactivated: bool = False

    def wire(self) -> dict[str, Any]:
        """As the Bot API writes it."""
        fields = {"username": self.username, "language_code": self.language}
        body = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        return body | {name: value for name, value in fields.items() if value}


@dataclass(frozen=True)
class File:
    """An uploaded file; `path` is its path for downloads."""

    id: str
    unique_id: str
    name: str
    mime: str
    content: bytes
    path: str
    width: int = 0
    height: int = 0

    def wire(self) -> dict[str, Any]:
        """The part that documents, photos and getFile share."""
        return {"file_id": self.id, "file_unique_id": self.unique_id, "file_size": len(self.content)}


@dataclass(frozen=True)
class Content:
    """The content of a message; an edit with an equal content is refused as "not modified".

    `media` is one of the MEDIA: something that a person sends, of which only the kind matters.
    """

    body: FormattedText = field(default_factory=FormattedText)
    markup: Markup | None = None
    file: File | None = None
    media: str = ""

    @property
    def kind(self) -> str:
        """text, photo or document, or the `media`."""
        if self.media:
            return self.media
        return "text" if self.file is None else "photo" if self.file.width else "document"


@dataclass
class Message:
    """A message; `sender` is the bot or a person, `origin` whose message it was before it was forwarded."""

    id: int
    chat: Chat
    sender: User
    date: int
    content: Content
    reply_to: Message | None = None
    protected: bool = False
    silent: bool = False
    edited: int | None = None
    deleted: bool = False
    reaction: str = ""
    origin: User | None = None

    @property
    def text(self) -> str:
        """The text or the caption, without formatting."""
        return self.content.body.text

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities of the text or the caption."""
        return self.content.body.entities

    @property
    def buttons(self) -> tuple[tuple[str, str], ...]:
        """The inline buttons that can be tapped, as (label, data)."""
        markup = self.content.markup
        if markup is None or markup.kind != "inline":
            return ()
        return tuple((button.text, button.data) for button in markup.buttons if button.data is not None)

    def wire(self, *, reply: bool = True) -> dict[str, Any]:
        """As the Bot API writes it."""
        body: dict[str, Any] = {"message_id": self.id, "date": self.date, "chat": self.chat.wire()}
        body["from"] = self.sender.wire()
        if self.edited is not None:
            body["edit_date"] = self.edited
        if self.reply_to is not None and reply:
            body["reply_to_message"] = self.reply_to.wire(reply=False)
        if self.protected:
            body["has_protected_content"] = True
        if self.origin is not None:
            body["forward_origin"] = {"type": "user", "date": self.date, "sender_user": self.origin.wire()}
        body |= _serialize_content(self.content)
        markup = self.content.markup
        if markup is not None and markup.kind == "inline":
            body["reply_markup"] = markup.wire()
        return body


@dataclass
class Chat:
    """A chat; a private one has the id of its person.

    `started` says that the bot may write to the person, `blocked` that the person blocked the bot. `bot_status` is the
    membership of the bot in a group, `moved_to` the id of the supergroup that the group became. `action` is what the
    bot is doing ("typing"), and until when.
    """

    id: int
    type: str
    title: str = ""
    people: dict[int, User] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    started: bool = False
    blocked: bool = False
    bot_status: str = "member"
    moved_to: int | None = None
    keyboard: Markup | None = None
    pinned: list[int] = field(default_factory=list)
    action: tuple[str, float] = ("", 0.0)

    @property
    def person(self) -> User:
        """The person of a private chat."""
        return self.people[self.id]

    def visible(self) -> Iterable[Message]:
        """The messages that are not deleted, oldest first."""
        return [message for message in self.messages.values() if not message.deleted]

    def wire(self) -> dict[str, Any]:
        """As the Bot API writes it."""
        if self.type != "private":
            return {"id": self.id, "type": self.type, "title": self.title}
        fields = {"username": self.person.username}
        body = {"id": self.id, "type": self.type, "first_name": self.person.first_name}
        return body | {name: value for name, value in fields.items() if value}


@dataclass
class Tap:
    """A tap on an inline button of `message`."""

    id: str
    person: User
    message: Message
    data: str
    at: float
    answered: bool = False


_MEDIUM = {"file_id": "AgACmedium", "file_unique_id": "medium"}
MEDIA: dict[str, Any] = {
    "photo": [_MEDIUM | {"width": 640, "height": 480}],
    "sticker": _MEDIUM
    | {"type": "regular", "width": 512, "height": 512, "is_animated": False, "is_video": False, "emoji": "👍"},
    "voice": _MEDIUM | {"duration": 2, "mime_type": "audio/ogg"},
}
"""What a person can send besides text, as the bot gets it; there is no file behind it."""


def _serialize_content(content: Content) -> dict[str, Any]:
    if content.media:
        return {content.media: MEDIA[content.media]}
    entities = [entity.wire() for entity in content.body.entities]
    if content.file is None:
        return {"text": content.body.text, **({"entities": entities} if entities else {})}
    caption: dict[str, Any] = {"caption": content.body.text} if content.body.text else {}
    if entities:
        caption["caption_entities"] = entities
    file = content.file
    if content.kind == "photo":
        size = file.wire() | {"width": file.width, "height": file.height}
        return {"photo": [size], **caption}
    return {"document": file.wire() | {"file_name": file.name, "mime_type": file.mime}, **caption}
