"""How fast the bot may send: the pace of one chat and of all, and the pauses that Telegram asks for.

A pause belongs to its chat. Only where several private chats are refused at once are all of them paused, briefly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.delivery.attempts import Backoff

CHAT_SECONDS = 1.0
"""Seconds between two paced messages to one chat: Telegram takes about one a second."""
OVERALL_SECONDS = 1 / 29
"""Seconds between any two messages while paced ones wait, replies counted: Telegram takes about 30 a second."""
MAX_DEBT_SECONDS = 2.0
"""Seconds that replies sent so far, which never wait themselves, can make the next paced message wait."""
MAX_DELAY_SECONDS, OVERDUE_SECONDS = 10.0, 1.0
"""Seconds that a paced message waits while replies go on and on, and seconds between two that have waited so long."""
MAX_REMEMBERED_CHATS = 10_000
"""Above so many chats, those that may get a message at once are forgotten."""
REFUSED_CHATS_FOR_ALL, REFUSAL_SECONDS = 5, 5.0
"""So many private chats that are refused within so many seconds, and none taken between, mean the limit of the bot."""
OVERALL_PAUSE_SECONDS, MAX_OVERALL_PAUSE_SECONDS = 1.0, 30.0
"""Seconds of the first pause of all chats, and of the longest; each is twice the one before."""


@dataclass
class RateLimit:
    """When the next message may be sent, in seconds of a monotonic clock.

    `allowed_at` (by chat id) and `overall_allowed_at` are for paced messages, `_pauses` for all messages: when the
    pauses end that Telegram asked for, by chat id. `_refused_at` says when private chats were refused since Telegram
    last took a message; `_overall_pause` is when the pause of all chats ends, and `_overall_backoff` how long it takes.
    """

    allowed_at: dict[int, float] = field(default_factory=dict)
    overall_allowed_at: float = 0.0
    _overdue_allowed_at: float = 0.0
    _pauses: dict[int, float] = field(default_factory=dict)
    _refused_at: dict[int, float] = field(default_factory=dict)
    _overall_pause: float = 0.0
    _overall_backoff: Backoff = field(
        default_factory=lambda: Backoff(first=OVERALL_PAUSE_SECONDS, longest=MAX_OVERALL_PAUSE_SECONDS)
    )

    def record_message(self, chat_id: int, *, now: float) -> None:
        """Count a message that is sent to this chat now."""
        if len(self.allowed_at) > MAX_REMEMBERED_CHATS:
            self.allowed_at = {chat: allowed_at for chat, allowed_at in self.allowed_at.items() if allowed_at > now}
        most = now + MAX_DEBT_SECONDS
        self.allowed_at[chat_id] = min(max(now, self.allowed_at.get(chat_id, 0.0)) + CHAT_SECONDS, most)
        self.overall_allowed_at = min(max(now, self.overall_allowed_at) + OVERALL_SECONDS, most)

    def pause_chat(self, chat_id: int, *, until: float, now: float) -> None:
        """Send nothing to this chat until then; others are not concerned."""
        self._pauses = {chat: end for chat, end in self._pauses.items() if end > now}
        self._pauses[chat_id] = max(until, self._pauses.get(chat_id, 0.0))

    def record_refusal(self, chat_id: int, *, until: float, now: float) -> None:
        """Telegram has asked this process for a pause of this chat until then.

        Where it did so for several private chats within seconds, and took no message between them, the limit is that of
        the bot: nothing is sent to any chat for a second, and twice as long each time that this follows. A chat that
        got more than a message in the last second has earned its pause itself, and a group may have others who write.
        """
        self.pause_chat(chat_id, until=until, now=now)
        if chat_id < 0 or self.allowed_at.get(chat_id, 0.0) > now + CHAT_SECONDS:
            return
        recent = {chat: at for chat, at in self._refused_at.items() if now - at <= REFUSAL_SECONDS}
        self._refused_at = recent | {chat_id: now}
        if len(self._refused_at) < REFUSED_CHATS_FOR_ALL or self._overall_pause > now:
            return
        self._overall_pause = max(self._overall_pause, min(now + self._overall_backoff.take_pause(), until))
        self._refused_at = {}

    def record_success(self) -> None:
        """Telegram has taken a message, so the limit of the bot is not reached."""
        self._refused_at = {}
        self._overall_backoff.reset()

    def get_pause_end(self, chat_id: int) -> float:
        """When the last known pause of this chat ends, or ended; 0 where there is none."""
        return max(self._pauses.get(chat_id, 0.0), self._overall_pause)

    def choose_chat(self, chats: Mapping[int, float], *, now: float) -> tuple[int | None, float]:
        """The chat that may get the next paced message, and 0; None and the seconds to wait, where none may get it now.

        `chats` says for each chat since when its message has waited.
        """
        allowed_at, _, chat = min(
            ((self._allow_chat(chat, since), self.allowed_at.get(chat, 0.0), chat) for chat, since in chats.items()),
            default=(now, now, None),
        )
        if chat is None or allowed_at > now:
            return None, allowed_at - now
        if max(self.allowed_at.get(chat, 0.0), self.overall_allowed_at) > now:
            self._overdue_allowed_at = now + OVERDUE_SECONDS
        return chat, 0.0

    def _allow_chat(self, chat_id: int, since: float) -> float:
        """When a paced message that has waited since then may be sent."""
        in_turn = max(self.allowed_at.get(chat_id, 0.0), self.overall_allowed_at)
        overdue = max(since + MAX_DELAY_SECONDS, self._overdue_allowed_at)
        return max(min(in_turn, overdue), self.get_pause_end(chat_id))
