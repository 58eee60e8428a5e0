"""`hromada label-studio up` writes the address and the token of its server into .env, unless there are others."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.commands.label_studio.server import _store_settings

MINE = {"HROMADA_LABEL_STUDIO_URL": "http://127.0.0.1:8080", "HROMADA_LABEL_STUDIO_TOKEN": "secret"}
LINES = [f"{name}={value}" for name, value in MINE.items()]


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The .env of an empty folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".env"


@pytest.mark.parametrize("before", ["", "HROMADA_DATABASE=a.db", "HROMADA_LABEL_STUDIO_URL=\n"])
def test_they_are_added_below_what_is_there(env: Path, before: str) -> None:
    """A name without a value is not a setting."""
    env.write_text(before, "utf-8")
    assert _store_settings(MINE) == "Its address and token were written into .env."
    assert env.read_text("utf-8").splitlines() == [*before.splitlines(), *LINES]
    assert _store_settings(MINE) == "Its address and token are in .env."


@pytest.mark.parametrize("other", ["HROMADA_LABEL_STUDIO_URL=http://elsewhere", " HROMADA_LABEL_STUDIO_TOKEN = mine"])
def test_other_settings_are_kept(env: Path, other: str) -> None:
    """And those of this server are told."""
    env.write_text(other, "utf-8")
    told = _store_settings(MINE)
    assert told.startswith("Other settings are there already")
    assert all(line in told for line in LINES)
    assert env.read_text("utf-8") == other


def test_what_the_environment_says_is_kept(env: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would win over the file."""
    monkeypatch.setenv("HROMADA_LABEL_STUDIO_URL", "http://elsewhere")
    assert _store_settings(MINE).startswith("Other settings are there already")
    assert not env.exists()
