"""What people read, as Fluent files, one a language; a missing message or argument is an error, never silence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource
from fluent.syntax import ast

LANGUAGES = ("uk", "en", "ru")
DEFAULT = "uk"


@dataclass(frozen=True)
class Texts:
    """The messages of one language."""

    language: str
    bundle: FluentBundle

    def __call__(self, message: str, **arguments: str | int) -> str:
        """The message with its arguments; raises LookupError where either is missing."""
        pattern = self.bundle.get_message(message).value
        if pattern is None:
            raise LookupError(f"{self.language}: {message} has no text")
        text, errors = self.bundle.format_pattern(pattern, arguments)
        if errors:
            raise LookupError(f"{self.language}: {message}: {errors[0]}")
        return str(text)


def nearest(code: str | None) -> str:
    """The language to speak for a language code as Telegram gives it ("uk", "en-GB", none)."""
    short = (code or "").split("-")[0].lower()
    return short if short in LANGUAGES else DEFAULT


@cache
def texts(language: str) -> Texts:
    """The messages of a language; raises LookupError where its file is broken."""
    bundle = FluentBundle([language], use_isolating=False)
    for resource in resources(language).values():
        bundle.add_resource(resource)
    return Texts(language, bundle)


def resources(language: str) -> Mapping[str, ast.Resource]:
    """The parsed files of a language by name; Fluent itself would pass over what it cannot parse."""
    file = Path(__file__).parent / f"{language}.ftl"
    resource: ast.Resource = FluentResource(file.read_text(encoding="utf-8"))
    for entry in resource.body:
        if isinstance(entry, ast.Junk):
            raise LookupError(f"{file.name}: cannot be parsed: {(entry.content or '')[:60]!r}")
    return {file.name: resource}


def of_project(language: str) -> Texts:
    """Words that stand inside an item, in the project's language; in English where that has no file."""
    return texts(language if language in LANGUAGES else "en")


COMMANDS = ("start", "projects", "task", "ask", "pause", "language", "mydata", "withdraw", "forget", "help")
"""The commands of the menu, in its order."""


def commands(language: str) -> dict[str, str]:
    """The menu of commands in a language."""
    return {name: texts(language)(f"command-{name}") for name in COMMANDS}
