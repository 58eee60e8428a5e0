"""A local Telegram with faults, flood control and webhooks on demand, and people whose screens can be read."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from _webhooks import WEBHOOK_METHODS, NoAnswer, Webhook, WebhookSender
from aiohttp import web

from bot.emulator.calls import Answer, CallRefused, Upload
from bot.emulator.entities import FormattedText, detect_entities
from bot.emulator.methods import METHODS, Method
from bot.emulator.model import Chat, Content, Message, User, store_file
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram
from bot.emulator.updates import QueuedUpdate, UpdateQueue

_LOST_ANSWER_SECONDS = 60.0
"""Seconds that a call without an answer is held open, unless the caller hangs up."""
_WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
_DESCRIPTIONS = {401: "Unauthorized", 500: "Internal Server Error", 502: "Bad Gateway", 504: "Gateway Timeout"}


@dataclass(frozen=True)
class Fault:
    """The fault of one call: a refusal, or no answer at all; with `after` the call still takes effect."""

    method: str
    refusal: CallRefused | None
    after: bool = False

    def answer(self) -> Answer:
        """The refusal; raises NoAnswer where there is none."""
        if self.refusal is None:
            raise NoAnswer(self.method)
        return self.refusal.answer()


@dataclass
class Faults:
    """The faults to come.

    `latency` is the delay of each call in seconds of real time, `repeats` the number of confirmations that will be
    ignored, and `shuffle` draws a random order of updates, where it is set. `outage` is what every call is answered
    while it is set, `poll_outage` every call for updates.
    """

    latency: float = 0.0
    repeats: int = 0
    shuffle: random.Random | None = None
    outage: CallRefused | None = None
    poll_outage: CallRefused | None = None
    _spoiled: dict[str, CallRefused] = field(default_factory=dict)
    _next: list[Fault] = field(default_factory=list)
    _resumed: asyncio.Event | None = None

    def fail(self, method: str, code: int, text: str = "", *, after: bool = False, retry_after: int = 0) -> None:
        """Refuse the next call of a method with an HTTP code; with `after` it still takes effect."""
        if code == 429:
            description, more = f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after}
        else:
            description, more = text or _DESCRIPTIONS.get(code, "Bad Request"), {}
        self._next.append(Fault(method.lower(), CallRefused(code, description, **more), after))

    def spoil(self, text: str, code: int = 500) -> None:
        """Refuse every call from now on whose text contains these words."""
        self._spoiled[text] = CallRefused(code, _DESCRIPTIONS.get(code, "Bad Request"))

    def lose(self, method: str, *, after: bool = True) -> None:
        """Give no answer to the next call of a method; with `after` it still takes effect."""
        self._next.append(Fault(method.lower(), None, after))

    def forget(self) -> None:
        """Let every call through that was to fail."""
        self._next.clear()
        self._spoiled.clear()

    def duplicate(self, times: int = 1) -> None:
        """Deliver the next updates again so many times, even if they are confirmed."""
        self.repeats += times

    def reorder(self, rng: random.Random | None) -> None:
        """Deliver updates in random order from now on; None ends this."""
        self.shuffle = rng

    def stall(self) -> None:
        """Hold all calls back from now on."""
        self._resumed = asyncio.Event()

    def resume(self) -> None:
        """Let all calls through that were held back."""
        if self._resumed is not None:
            self._resumed.set()
        self._resumed = None

    def take_fault(self, method: str, values: Mapping[str, Any]) -> Fault | None:
        """The fault of this call, which is then removed unless its text is spoiled; None where there is none."""
        for text, refusal in self._spoiled.items():
            if text in str(values.get("text", "")):
                return Fault(method.lower(), refusal)
        for fault in self._next:
            if fault.method == method.lower():
                self._next.remove(fault)
                return fault
        return None

    def take_repeat(self) -> bool:
        """Whether to ignore this confirmation, so that its updates are delivered again."""
        if self.repeats == 0:
            return False
        self.repeats -= 1
        return True

    async def wait_for_network(self) -> None:
        """Wait as long as the network delays or holds back a call."""
        if self._resumed is not None:
            await self._resumed.wait()
        if self.latency:
            await asyncio.sleep(self.latency)


_ALL_CHATS = 0
"""The key of the bucket for all chats together; no chat has this id."""


@dataclass
class _Bucket:
    """A token bucket: how many messages may come now, and when that was computed."""

    left: float
    at: float


@dataclass
class Flood:
    """Messages a second to one chat and to all chats; a burst is how many may come at once."""

    per_chat: float = 1.0
    overall: float = 30.0
    burst: float = 1.0
    overall_burst: float = 30.0
    _buckets: dict[int, _Bucket] = field(default_factory=dict)

    def count_message(self, chat: int, now: float) -> None:
        """Count one message; raises CallRefused with 429, and counts nothing, where it comes too soon."""
        rates = {chat: (self.per_chat, self.burst), _ALL_CHATS: (self.overall, self.overall_burst)}
        filled = {key: self._fill_bucket(key, *rate, now) for key, rate in rates.items()}
        wait = max((1 - bucket.left) / rates[key][0] for key, bucket in filled.items())
        if wait > 1e-9:
            seconds = max(1, math.ceil(wait))
            raise CallRefused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
        for bucket in filled.values():
            bucket.left -= 1

    def _fill_bucket(self, key: int, rate: float, burst: float, now: float) -> _Bucket:
        bucket = self._buckets.setdefault(key, _Bucket(burst, now))
        bucket.left = min(burst, bucket.left + (now - bucket.at) * rate)
        bucket.at = now
        return bucket


@dataclass
class FaultyQueue(UpdateQueue):
    """A queue that delivers updates in random order, or again, as the faults say."""

    faults: Faults = field(default_factory=Faults)

    def confirm(self, offset: int) -> None:
        """Forget all updates before an offset, unless the confirmation is to be ignored."""
        if not self.faults.take_repeat():
            super().confirm(offset)

    def list_waiting(self, now: float, *, limit: int | None = None) -> list[QueuedUpdate]:
        """The oldest updates, in random order if the faults shuffle."""
        waiting = super().list_waiting(now, limit=limit)
        if self.faults.shuffle is not None:
            self.faults.shuffle.shuffle(waiting)
        return waiting


@dataclass(frozen=True)
class ObservedPerson(ScriptedPerson):
    """A scripted person whose screen can be read, and who does more than the chat page lets people do."""

    @property
    def screen(self) -> str:
        """The chat as the person sees it, as text."""
        return render_screen(self.chat, now=self.telegram.clock())

    @property
    def toasts(self) -> Sequence[str]:
        """The texts with which taps were answered, oldest first."""
        return [entry.text for entry in self.telegram.display_log.list_events(self.id, "toast", "alert")]

    def forward(self, message: Message, *, reply_to: Message | None = None) -> Message:
        """Forward a message of any chat to the bot, with its buttons; raises ValueError for one that is protected."""
        if message.protected:
            raise ValueError("This message is protected.")
        return self.send_content(message.content, self.chat, reply_to=reply_to, origin=message.sender)

    def upload(self, name: str, content: bytes, *, caption: str = "", photo: bool = False) -> Message:
        """Send a file."""
        file = store_file(self.telegram.files, Upload(name, content), photo=photo)
        return self.send_content(Content(detect_entities(FormattedText(caption)), file=file), self.chat)

    def deactivate(self) -> None:
        """Delete the account of the person; the bot gets no update about it."""
        self.user.deactivated = True


def render_screen(chat: Chat, *, now: float) -> str:
    """Render a chat as text: messages with buttons, then the keyboard, the reply box or "…" while the bot is typing."""
    return "\n".join(_render_lines(chat, now))


def _render_lines(chat: Chat, now: float) -> Iterator[str]:
    last: Message | None = None
    for last in chat.visible():
        name = last.sender.first_name
        file = f"[{last.content.kind}: {last.content.file.name}] " if last.content.file else ""
        yield f"{name}: {file}{last.text}{' (edited)' if last.edited and not last.sender.is_bot else ''}"
        markup = last.content.markup
        if markup is not None and markup.kind == "inline":
            yield from (" ".join(f"[{button.text}]" for button in row) for row in markup.rows)
        if last.reaction:
            yield last.reaction
    if chat.keyboard is not None:
        yield from (" ".join(f"<{button.text}>" for button in row) for row in chat.keyboard.rows)
    if last is not None and last.content.markup is not None and last.content.markup.kind == "force":
        yield f"> {last.content.markup.placeholder}"
    if chat.action[1] > now:
        yield f"… {chat.action[0]}"


@dataclass
class FaultyTelegram(Telegram):
    """A local Telegram with faults on demand.

    `flood` is None for no limits, `webhook_error` the last failure of the webhook with its time; `calls` counts the
    calls by method.
    """

    methods: ClassVar[Mapping[str, Method]] = METHODS | WEBHOOK_METHODS
    faults: Faults = field(default_factory=Faults)
    flood: Flood | None = None
    webhook: Webhook | None = None
    webhook_error: tuple[str, float] | None = None
    calls: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.queue = FaultyQueue(faults=self.faults)

    def person(
        self, number: int = 1, *, language: str | None = "uk", name: str = "Person", username: str | None = None
    ) -> ObservedPerson:
        """The person with that id, who is created with a private chat if there is none."""
        person = super().person(number, language=language, name=name, username=username)
        return ObservedPerson(self, person.user)

    def add_message(self, chat: Chat, sender: User, content: Content, *, reply_to: Message | None = None) -> Message:
        """Add a new message to a chat; raises CallRefused for one of the bot that comes too soon."""
        if self.flood is not None and sender.is_bot:
            self.flood.count_message(chat.id, self.clock())
        return super().add_message(chat, sender, content, reply_to=reply_to)

    async def handle(self, method: str, values: Mapping[str, Any], files: Mapping[str, Upload]) -> Answer:
        """Answer one call after the waiting of the network; raises NoAnswer if a fault says so."""
        await self.faults.wait_for_network()
        polls = method.lower() == "getupdates"
        outage = self.faults.outage or (self.faults.poll_outage if polls else None)
        if outage is not None:
            return outage.answer()
        if polls:
            self.calls["getupdates"] += 1
            fault = self.faults.take_fault(method, values)
            if fault is not None:
                return fault.answer()
            if self.webhook is not None:
                return CallRefused(409, _WEBHOOK_ACTIVE).answer()
        return await super().handle(method, values, files)

    def call(
        self, method: str, values: Mapping[str, Any] | None = None, files: Mapping[str, Upload] | None = None
    ) -> Answer:
        """Answer one call at once; raises NoAnswer if a fault says so."""
        self.calls[method.lower()] += 1
        fault = self.faults.take_fault(method, values or {})
        if fault is not None and not fault.after:
            return fault.answer()
        answer = super().call(method, values, files)
        return answer if fault is None else fault.answer()


class FaultyServer(Server):
    """A server that holds lost answers back, and sends updates to the webhook."""

    def __init__(self, telegram: FaultyTelegram) -> None:
        super().__init__(telegram)
        self._webhook_sender = WebhookSender(telegram)

    async def start(self, *, host: str = "127.0.0.1", port: int = 0) -> None:
        """Start to listen and to send."""
        await super().start(host=host, port=port)
        self._webhook_sender.start()

    async def stop(self) -> None:
        """Stop to send and to listen."""
        await self._webhook_sender.stop()
        await super().stop()

    async def handle_call(self, request: web.Request) -> web.StreamResponse:
        """Answer one call; one whose answer is lost hangs, unless the caller hangs up."""
        try:
            return await super().handle_call(request)
        except NoAnswer:
            await asyncio.sleep(_LOST_ANSWER_SECONDS)
            return web.json_response(CallRefused(504, "Gateway Timeout").answer().body, status=504)
