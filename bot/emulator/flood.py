"""Flood control, off by default: beyond so many messages a second, 429 with the seconds to wait."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from bot.emulator.calls import CallRefused

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
