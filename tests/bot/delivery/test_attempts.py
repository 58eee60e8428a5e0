"""Pauses between attempts: they double up to a limit, however often something failed."""

from __future__ import annotations

from bot.delivery.attempts import Backoff


def test_pauses_double_up_to_the_limit_and_begin_again_after_a_success() -> None:
    """Half a second at first, a minute at most; the pause of the next failure can be read without counting it."""
    backoff = Backoff(first=0.5, longest=60.0)
    assert [backoff.take_pause() for _ in range(9)] == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert (backoff.pause, backoff.pause) == (60.0, 60.0)
    backoff.reset()
    assert backoff.take_pause() == 0.5


def test_a_thousand_failures_do_not_overflow() -> None:
    """As after a day without Telegram: the pause stays at its limit."""
    backoff = Backoff(first=0.5, longest=60.0, failures=5000)
    assert backoff.take_pause() == 60.0
