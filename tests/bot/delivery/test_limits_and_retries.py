"""Pauses between attempts, which double up to a limit, and the limit of what one person can send."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.conversation.updates_and_calls import IncomingUpdate, UpdateKind
from bot.delivery.limits_and_retries import MAX_REMEMBERED_PEOPLE, Backoff, FloodLimit


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


def make_update(person: int, kind: UpdateKind = UpdateKind.MESSAGE, *, private: bool = True) -> IncomingUpdate:
    """An update of one person with a text, a button and a query id."""
    return IncomingUpdate(
        update_id=1, at=datetime(2026, 11, 21, tzinfo=UTC), kind=kind, telegram_id=person, chat_id=person,
        private=private, language_code="uk", text="слово", data="a:1", query_id="7", message_id=3, reply_to=2,
    )  # fmt: skip


def read_kinds(limit: FloodLimit, person: int, times: int, *, private: bool = True) -> list[str]:
    """What becomes of so many updates: their kinds, "" where they are dropped."""
    admitted = [limit.admit_update(make_update(person, private=private)) for _ in range(times)]
    return ["" if update is None else update.kind.value for update in admitted]


def test_a_bucket_gives_so_many_updates_then_a_note_then_nothing_until_it_is_full() -> None:
    """It fills up evenly while it is not empty; once it was empty, a minute passes."""
    now = 0.0
    limit = FloodLimit(4, clock=lambda: now)
    assert read_kinds(limit, 1, 3) == ["message"] * 3
    now = 30.0
    assert read_kinds(limit, 1, 6) == ["message"] * 3 + ["flooded", "", ""]
    assert read_kinds(limit, 2, 1) == ["message"]
    now = 89.0
    assert read_kinds(limit, 1, 2) == ["", ""]
    now = 90.0
    assert read_kinds(limit, 1, 6) == ["message"] * 4 + ["flooded", ""]
    now = 0.0
    assert read_kinds(limit, 1, 1) == [""]
    now = 60.0
    assert read_kinds(limit, 1, 1) == ["message"]


def test_a_note_has_no_content() -> None:
    """Only what is needed to acknowledge the tap and to answer."""
    limit = FloodLimit(1, clock=lambda: 0.0)
    limit.admit_update(make_update(1))
    assert limit.admit_update(make_update(1, UpdateKind.TAP)) == IncomingUpdate(
        update_id=1, at=datetime(2026, 11, 21, tzinfo=UTC), kind=UpdateKind.FLOODED, telegram_id=1, chat_id=1,
        private=True, language_code="uk", query_id="7",
    )  # fmt: skip


def test_memberships_pass_and_groups_are_not_told() -> None:
    """Who flooded in a group is told in the private chat."""
    limit = FloodLimit(1, clock=lambda: 0.0)
    assert read_kinds(limit, 1, 2, private=False) == ["message", ""]
    assert read_kinds(limit, 1, 2) == ["flooded", ""]
    blocked = make_update(1, UpdateKind.BLOCKED)
    assert limit.admit_update(blocked) is blocked
    assert read_kinds(FloodLimit(), 1, 500) == ["message"] * 500


def test_the_table_of_buckets_is_bounded_and_keeps_the_emptiest() -> None:
    """Full buckets are forgotten first: nothing is lost with them."""
    now = 0.0
    limit = FloodLimit(2, clock=lambda: now)
    read_kinds(limit, 0, 3)
    most = 0
    for person in range(1, 20_001):
        read_kinds(limit, person, 1)
        most = max(most, len(limit._buckets))
    assert most == MAX_REMEMBERED_PEOPLE
    assert read_kinds(limit, 0, 1) == [""]
    now = 60.0
    for person in range(20_001, 20_001 + MAX_REMEMBERED_PEOPLE):
        read_kinds(limit, person, 1)
    assert min(limit._buckets) > 20_000


def test_what_was_dropped_is_reported_once_a_minute() -> None:
    """Nothing where nothing was dropped."""
    now = 0.0
    limit = FloodLimit(1, clock=lambda: now)
    assert limit.take_report() == 0
    limit.count_dropped(5)
    assert (limit.take_report(), limit.take_report()) == (5, 0)
    limit.count_dropped(2)
    now = 59.0
    assert limit.take_report() == 0
    now = 60.0
    assert (limit.take_report(), limit.take_report()) == (2, 0)
