"""Times that people read are made by few functions, in the time zone of the settings or of the person, and name it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

import pytest

from bot.commands import local_times
from bot.conversation.texts import get_texts
from bot.conversation.views import organiser_cards

WRITERS = {
    "bot/commands/local_times.py": "commands",
    "bot/conversation/time_zones.py": "annotators",
    "bot/conversation/views/onboarding.py": "what time it is in a zone, beside its name",
    "bot/conversation/views/organiser_cards.py": "organisers in the chat",
    "bot/web/words.py": "the dashboard",
    "annotation/workflow/monitoring/bot_waits.py": "logs and `/health`, in UTC",
    "bot/commands/database.py": "names of files",
    "annotation/store/processes.py": "the clock of SQLite",
    "annotation/store/backups/schedule.py": "names of files",
    "annotation/label_studio/client.py": "Label Studio",
}
"""The modules that write a time of day, and for whom."""
_CLOCK = re.compile(r"%[HMIX]|HH:mm|h:mm")


def list_written_times(source: str) -> list[str]:
    """Where a time of day is written: a format with hours, or an ISO time outside the dictionaries of JSON."""
    module = ast.parse(source)
    in_json = {
        id(node) for found in ast.walk(module) if isinstance(found, ast.Dict | ast.DictComp) for node in ast.walk(found)
    }
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(module)
        if (isinstance(node, ast.Constant) and isinstance(node.value, str) and _CLOCK.search(node.value))
        or (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "isoformat"
            and not ast.unparse(node.func).endswith(".date().isoformat")
            and id(node) not in in_json
        )
    ]


def read_modules(*packages: str) -> Iterator[tuple[str, str]]:
    for package in packages:
        root = Path(import_module(package).__path__[0])
        for path in sorted(root.rglob("*.py")):
            yield f"{package}/{path.relative_to(root)}", path.read_text("utf-8")


def test_only_these_modules_write_a_time_of_day() -> None:
    """Else a screen has times of another zone, which it does not name."""
    found = {
        name: times
        for name, source in read_modules("annotation", "bot", "exports")
        if not name.startswith("bot/emulator/")
        if (
            times := [time for time in list_written_times(source) if name.startswith("bot/") or "isoformat" not in time]
        )
    }
    assert {name: times for name, times in found.items() if name not in WRITERS} == {}
    assert set(WRITERS) - set(found) == set()


@pytest.mark.parametrize(
    "source",
    [
        'f"{at:%Y-%m-%d %H:%M} UTC"',
        'at.strftime("%H:%M")',
        "print(at.isoformat())",
        'format_datetime(at, "d MMM, HH:mm")',
    ],
)
def test_a_written_time_is_found(source: str) -> None:
    """The ways in which modules wrote times before."""
    assert list_written_times(source)
    assert not list_written_times('row = {"at": at.isoformat(), "day": f"{at:%Y-%m-%d}"}')


def test_a_card_names_the_zone_of_its_times_once() -> None:
    """By the city, in the language of the card; ages below a day need none."""
    now = datetime(2026, 11, 23, 16, 4, tzinfo=UTC)
    words = organiser_cards.make_words(get_texts("uk"), zone=None, default_zone="Europe/Kyiv", now=now)
    days = [None, now - timedelta(days=2), now - timedelta(days=1), now - timedelta(hours=3)]
    assert words.format_moments(days) == ["", "21.11, 18:04 (Київ)", "22.11, 18:04", "23.11, 15:04"]
    assert words.format_ages(days)[1:] == ["21.11, 18:04 (Київ)", "22.11, 18:04", words.format_ago(days[3])]


def test_a_moment_is_that_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the environment or .env; stored ISO times are read as well."""
    monkeypatch.setenv("HROMADA_TIME_ZONE", "Asia/Tokyo")
    at = datetime(2026, 11, 23, 16, 4, tzinfo=UTC)
    assert local_times.format_moment(at) == "2026-11-24 01:04 (Asia/Tokyo)"
    assert local_times.format_moment(at.isoformat()) == "2026-11-24 01:04 (Asia/Tokyo)"
    assert local_times.format_day(at) == "2026-11-24"
