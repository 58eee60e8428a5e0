"""Settings from files with secrets, as Docker and podman show them to a container in /run/secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation import secret_files, settings
from annotation.errors import BadInput
from bot.commands import system_checks


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a container's secrets; nothing else has settings."""
    folder = tmp_path / "secrets"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HROMADA_DATABASE_URL", raising=False)
    monkeypatch.setattr(settings, "SECRETS", folder)
    monkeypatch.setattr(secret_files, "SECRETS", folder)
    return folder


def test_a_file_gives_a_setting_and_yields_to_env(secrets: Path) -> None:
    """A line end at its end is none of it; an empty file is unset; other programs' files are not read."""
    for name, text in {
        "hromada_telegram_token": "1:file\n",
        "hromada_database_url": "sqlite:///other.db",
        "hromada_dashboard_token": "",
        "postgres_password": "x",
    }.items():
        (secrets / name).write_text(text, "utf-8")
    read = settings.read_settings()
    assert read.telegram_token is not None
    assert read.telegram_token.get_secret_value() == "1:file"
    assert (read.database_url, read.dashboard_token) == ("sqlite:///other.db", None)
    assert settings.read_file_settings().database_url == "sqlite:///other.db"
    (secrets.parent / ".env").write_text("HROMADA_DATABASE_URL=sqlite:///mine.db\n", "utf-8")
    assert settings.read_settings().database_url == "sqlite:///mine.db"


def test_a_misspelt_file_and_one_in_other_bytes_are_named(secrets: Path) -> None:
    """The first would be passed over without a word."""
    (secrets / "hromada_telegrm_token").write_text("1:file", "utf-8")
    found = system_checks._check_names()
    assert found.says == f"hromada_telegrm_token in {secrets} is not a setting. Did you mean HROMADA_TELEGRAM_TOKEN?"
    (secrets / "hromada_telegram_token").write_bytes(b"\xff\xfe1")
    with pytest.raises(BadInput, match="cannot be read") as refused:
        settings.read_settings()
    assert f"{secrets}/hromada_telegram_token" in str(refused.value)


def test_no_project_publishes_them(secrets: Path) -> None:
    """Whatever a file there is called, and by whatever link it is named."""
    (secrets / "postgres_password").write_text("x", "utf-8")
    (secrets.parent / "items.csv").symlink_to(secrets / "postgres_password")
    for path in (secrets / "postgres_password", secrets.parent / "items.csv"):
        found = secret_files.find_secret(path)
        assert found is not None
        assert found.reason == f"is in {secrets}, where containers find their secrets"
