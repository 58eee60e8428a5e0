"""The settings, read from the environment, `.env` and files with secrets; secrets are never printed.

All names begin with HROMADA_. A file in /run/secrets, where containers find theirs, has the name of its setting.
"""

from __future__ import annotations

import re
import zoneinfo
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from annotation.errors import BadInput, Where

SECRETS = Path("/run/secrets")
"""The folder in which Docker and podman show a container its secrets."""
UNREADABLE = "Save it as UTF-8, readable by you."


class FileSettings(BaseSettings):
    """The settings that name files of an installation, which can be read without the others."""

    model_config = SettingsConfigDict(env_prefix="HROMADA_", env_file=".env", extra="ignore", frozen=True)

    database_url: str = Field(
        default="sqlite:///hromada.db", description="Where state lives, as SQLAlchemy writes it; the folder must exist."
    )
    key_file: Path = Field(
        default=Path("hromada.key"),
        description="The key of the pseudonyms, made at first use. If it is lost, nobody can be recognised again.",
    )
    backup_folder: Path = Field(
        default=Path("backups"),
        description="Where `hromada database backup --every` keeps backups; best on another disk, without the key.",
    )
    texts: Path | None = Field(
        default=None,
        description="A Fluent file, or a folder of them: texts for annotators in further languages, read at the start.",
    )

    @field_validator("texts", mode="before")
    @classmethod
    def _no_path_is_absent(cls, value: object) -> object:
        """Read an empty variable as unset: the empty path is the current folder."""
        return None if value == "" else value


class Settings(FileSettings):
    """All settings of an installation."""

    database_pool: int = Field(
        default=8,
        ge=1,
        description="How many transactions one process runs at once on PostgreSQL; SQLite takes no notice.",
    )
    sqlite_synchronous: Literal["NORMAL", "FULL"] = Field(
        default="NORMAL", description="NORMAL survives a killed process, FULL also a loss of power."
    )
    telegram_token: SecretStr | None = Field(default=None, description="The bot's token, as BotFather gave it.")
    telegram_tokens: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        default=(),
        description="In place of it, the tokens of several bots that serve the same campaigns, with commas.",
    )
    telegram_name: str | None = Field(
        default=None,
        description="The bot's user name, without @, for links; of several bots all, with commas, as the tokens.",
    )
    telegram_url: str = Field(
        default="https://api.telegram.org/bot", description="The Bot API server; change it for a local one."
    )
    telegram_protect: bool = Field(
        default=True, description="Whether what the bot sends cannot be forwarded or saved; items then stay unseen."
    )
    bot_handling: int = Field(default=16, ge=1, description="How many people a bot serves at once.")
    bot_sending: int = Field(
        default=256, ge=1, description="How many chats a bot sends to at once; each gets one call at a time."
    )
    bot_updates_a_minute: int = Field(
        default=120, ge=0, description="How many updates of one person a bot reads in a minute; 0 for all."
    )
    public_url: str | None = Field(
        default=None,
        description="The https address of the answer page, as a proxy offers it; the page is offered only with one.",
    )
    webhook_url: str | None = Field(
        default=None,
        description="For `hromada bot --webhook`: the address that Telegram calls, https, as the proxy offers it.",
    )
    webhook_listen: str = Field(
        default="127.0.0.1:8080",
        description="The host and port behind that proxy, for the webhook and the answer page.",
    )
    organisers: Annotated[tuple[int, ...], NoDecode] = Field(
        default=(),
        description="The Telegram ids of organisers, with commas; the bot obeys them in their chats: /admin.",
    )
    time_zone: str = Field(
        default="Europe/Kyiv",
        description="The time zone of everybody who has not set their own, for reminders and displayed times.",
    )
    health_listen: str | None = Field(
        default=None,
        description="The host and port of GET /health, whether the bot is well, and of GET /metrics; none by default.",
    )
    dashboard_token: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="What opens the dashboard where it listens beyond this machine: 16 characters or more.",
    )
    label_studio_url: str = Field(
        default="http://localhost:8080", description="Where Label Studio runs; the address that annotators open."
    )
    label_studio_token: SecretStr | None = Field(
        default=None, description="An access token of Label Studio: of an account that may open every project."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="How much to log.")
    log_format: Literal["text", "json"] = Field(
        default="text", description="How to log: lines of text, or one JSON object a line."
    )

    @property
    def bot_tokens(self) -> tuple[str, ...]:
        """The tokens of all bots, empty where none is set; raises BadInput where both settings are."""
        tokens = self.telegram_tokens
        if tokens and self.telegram_token is not None:
            raise BadInput(
                "HROMADA_TELEGRAM_TOKEN is set as well.",
                where=Where(field="HROMADA_TELEGRAM_TOKENS"),
                remedy="Keep one of them: the first for one bot, the other for several.",
            )
        if self.telegram_token is not None:
            tokens = (self.telegram_token,)
        return tuple(token.get_secret_value() for token in tokens)

    @property
    def bot_names(self) -> tuple[str, ...]:
        """The user names of the bots, in the order of their tokens, without @; empty where they are not set."""
        return tuple(name.removeprefix("@") for name in (self.telegram_name or "").replace(",", " ").split())

    @field_validator("organisers", "telegram_tokens", mode="before")
    @classmethod
    def _split_list(cls, value: object) -> object:
        """Read ids or tokens with commas or spaces between them."""
        return value.replace(",", " ").split() if isinstance(value, str) else value

    @field_validator("time_zone")
    @classmethod
    def _require_zone(cls, value: str) -> str:
        """Refuse what is not a time zone."""
        try:
            zoneinfo.ZoneInfo(value)  # 10 ms faster than the list of all zones
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"{value!r} is not a time zone: write it like Europe/Kyiv") from None
        return value

    @field_validator(
        "telegram_token",
        "telegram_name",
        "webhook_url",
        "health_listen",
        "dashboard_token",
        "label_studio_token",
        mode="before",
    )
    @classmethod
    def _empty_is_absent(cls, value: object) -> object:
        """Read an empty variable, such as `HROMADA_TELEGRAM_TOKEN=` in a copied `.env.example`, as unset."""
        return None if value == "" else value


AnySettings = TypeVar("AnySettings", bound=FileSettings)


def list_misspelt_names() -> list[tuple[str, str]]:
    """The names that begin like a setting and are none, each with `.env` or the folder of secrets, where it is."""
    file = Path(".env")
    text = file.read_text("utf-8") if file.is_file() else ""
    written = [(name, ".env") for name in re.findall(r"^\s*(?:export\s+)?(HROMADA_\w+)\s*=", text, re.MULTILINE)]
    secrets = sorted(file.name for file in SECRETS.glob("*")) if SECRETS.is_dir() else []
    written += [(name, str(SECRETS)) for name in secrets if name.upper().startswith("HROMADA_")]
    return [one for one in written if one[0].upper().removeprefix("HROMADA_").lower() not in Settings.model_fields]


def list_secret_names() -> list[str]:
    """The names of the settings that are secrets, as they are written in .env."""
    fields = Settings.model_fields.items()
    return [f"HROMADA_{name.upper()}" for name, field in fields if "SecretStr" in str(field.annotation)]


def read_settings() -> Settings:
    """Read the settings; raises BadInput naming the variable, never its value."""
    return _read(Settings)


def read_file_settings() -> FileSettings:
    """Read the settings that name files, whatever the others are; raises BadInput as `read_settings`."""
    return _read(FileSettings)


def _read(model: type[AnySettings]) -> AnySettings:
    try:
        return model(_secrets_dir=SECRETS if SECRETS.is_dir() else None)
    except ValidationError as failure:
        first = failure.errors(include_input=False, include_context=False)[0]
        name = "HROMADA_" + "_".join(str(part) for part in first["loc"]).upper()
        raise BadInput(
            f"{first['msg']}.", remedy="Correct it in the environment, in .env or in its file.", where=Where(field=name)
        ) from None
    except SettingsError as failure:
        named = re.search(r'field "(\w+)"', str(failure))
        file = str(SECRETS if named is None else SECRETS / f"hromada_{named[1]}")
        raise BadInput("The file cannot be read.", where=Where(file=file), remedy=UNREADABLE) from None
    except (UnicodeDecodeError, OSError):
        raise BadInput("The file cannot be read.", where=Where(file=".env"), remedy=UNREADABLE) from None
