"""What a bot asks and what it is told: calls with their parameters, answers, refusals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class Refused(Exception):
    """The server says no, in its own words; `parameters` are the machine-readable part."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code, self.description, self.parameters = code, description, parameters

    def answer(self) -> Answer:
        """What goes over the wire."""
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        return Answer(self.code, body | ({"parameters": self.parameters} if self.parameters else {}))


class NoAnswer(Exception):
    """The connection gives no answer; whether the call took effect, the caller cannot know."""


def bad_request(text: str) -> Refused:
    """Most refusals are of this kind."""
    return Refused(400, f"Bad Request: {text}")


@dataclass(frozen=True)
class Answer:
    """An HTTP status and the object that goes with it."""

    status: int
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Upload:
    """A file that came with a call."""

    name: str
    content: bytes
    mime: str = "application/octet-stream"


@dataclass(frozen=True)
class Call:
    """One call; values are as the front got them: text in forms, JSON values in JSON bodies."""

    method: str
    values: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A text, empty where it was not given; raises Refused where it is no UTF-8."""
        value = self.values.get(name)
        text = "" if value is None else str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            raise bad_request("strings must be encoded in UTF-8") from None
        return text

    def number(self, name: str, default: int = 0) -> int:
        """A whole number."""
        value = self.values.get(name, default)
        try:
            return int(value)
        except (TypeError, ValueError, OverflowError):
            raise bad_request(f"invalid {name} specified") from None

    def flag(self, name: str) -> bool:
        """True, "true", "True" and "1" are yes."""
        return str(self.values.get(name, "")).lower() in {"true", "1"}

    def parsed(self, name: str) -> Any:
        """A list or an object, None where it was not given; forms carry these as JSON."""
        value = self.values.get(name)
        try:
            found = (json.loads(value) if value else None) if isinstance(value, str) else value
            json.dumps(found, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise bad_request("strings must be encoded in UTF-8") from None
        except ValueError:
            raise bad_request(f"can't parse {name.replace('_', ' ')} JSON object") from None
        return found

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
        found = self.rows(name)
        if not all(isinstance(one, dict) for one in found):
            raise bad_request(f"can't parse {name}: expected an Object")
        return found

    def rows(self, name: str) -> list[Any]:
        """A list, empty where it was not given."""
        value = self.parsed(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise bad_request(f"expected an Array of {name}")
        return value
