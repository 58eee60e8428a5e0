"""Calls of the Bot API with their parameters, answers and refusals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class CallRefused(Exception):
    """The server refuses a call, in the words of the real server; `parameters` are the machine-readable part."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code, self.description, self.parameters = code, description, parameters

    def answer(self) -> Answer:
        """The refusal as an answer."""
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        return Answer(self.code, body | ({"parameters": self.parameters} if self.parameters else {}))


def bad_request(text: str) -> CallRefused:
    """A refusal with the code 400."""
    return CallRefused(400, f"Bad Request: {text}")


@dataclass(frozen=True)
class Answer:
    """An HTTP status and the object of its body."""

    status: int
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Upload:
    """A file sent with a call."""

    name: str
    content: bytes
    mime: str = "application/octet-stream"


@dataclass(frozen=True)
class Call:
    """One call; its values are as they were received: text in forms, JSON values in JSON bodies."""

    method: str
    values: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A text parameter, empty where it was not given; raises CallRefused where it is not UTF-8."""
        value = self.values.get(name)
        text = "" if value is None else str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise bad_request("strings must be encoded in UTF-8") from None
        return text

    def number(self, name: str, default: int = 0) -> int:
        """A whole number; raises CallRefused for anything else."""
        value = self.values.get(name, default)
        try:
            return int(value)
        except (TypeError, ValueError, OverflowError):
            raise bad_request(f"invalid {name} specified") from None

    def flag(self, name: str) -> bool:
        """Whether the value is True, "true", "True" or "1"."""
        return str(self.values.get(name, "")).lower() in {"true", "1"}

    def parsed(self, name: str) -> Any:
        """A list or an object, None where it was not given; in forms it is JSON text."""
        value = self.values.get(name)
        try:
            parsed = (json.loads(value) if value else None) if isinstance(value, str) else value
            json.dumps(parsed, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise bad_request("strings must be encoded in UTF-8") from None
        except ValueError:
            raise bad_request(f"can't parse {name.replace('_', ' ')} JSON object") from None
        return parsed

    def table(self, name: str) -> dict[str, Any]:
        """An object, empty where it was not given."""
        value = self.parsed(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise bad_request(f"object expected as {name.replace('_', ' ')}")
        return value

    def tables(self, name: str) -> list[dict[str, Any]]:
        """A list of objects, empty where it was not given."""
        rows = self.rows(name)
        if not all(isinstance(row, dict) for row in rows):
            raise bad_request(f"can't parse {name}: expected an Object")
        return rows

    def rows(self, name: str) -> list[Any]:
        """A list, empty where it was not given."""
        value = self.parsed(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise bad_request(f"expected an Array of {name}")
        return value
