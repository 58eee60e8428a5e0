"""The texts of the bot as Fluent files, one per language; a missing text or argument is an error.

What Fluent calls a message is called a text here, so that it is not confused with a message in the chat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource
from fluent.syntax import ast

from annotation.campaigns.bot_commands import ADJUDICATE, ADMIN, COMMANDS

LANGUAGES = ("uk", "en", "ru")
DEFAULT_LANGUAGE = "uk"
"""The language for annotators whose own language has no file."""
ORGANISER_LANGUAGES = ("uk", "en")
"""The languages of the texts for organisers."""


@dataclass(frozen=True)
class Texts:
    """The texts of one language; `_without_arguments` are those that are always the same, each formatted once."""

    language: str
    bundle: FluentBundle
    _without_arguments: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, text_id: str, **arguments: str | int) -> str:
        """The text with its arguments; raises LookupError where the text or an argument is missing."""
        if arguments:
            return self._format_text(text_id, arguments)
        if text_id not in self._without_arguments:
            self._without_arguments[text_id] = self._format_text(text_id, arguments)
        return self._without_arguments[text_id]

    def _format_text(self, text_id: str, arguments: dict[str, str | int]) -> str:
        pattern = self.bundle.get_message(text_id).value
        if pattern is None:
            raise LookupError(f"{self.language}: {text_id} has no text")
        text, errors = self.bundle.format_pattern(pattern, arguments)
        if errors:
            raise LookupError(f"{self.language}: {text_id}: {errors[0]}")
        return str(text)


def match_language(code: str | None) -> str:
    """The language of the bot for a language code from Telegram ("uk", "en-GB", None)."""
    language = (code or "").split("-")[0].lower()
    return language if language in LANGUAGES else DEFAULT_LANGUAGE


@cache
def get_texts(language: str) -> Texts:
    """The texts of a language; raises LookupError where its file cannot be parsed."""
    bundle = FluentBundle([language], use_isolating=False)
    for resource in parse_resources(language).values():
        bundle.add_resource(resource)
    return Texts(language, bundle)


@cache
def get_organiser_texts(language: str) -> Texts:
    """The texts for organisers: in English for whom the bot speaks English, otherwise in Ukrainian."""
    chosen = language if language in ORGANISER_LANGUAGES else DEFAULT_LANGUAGE
    bundle = FluentBundle([chosen], use_isolating=False)
    for resource in parse_resources(chosen, prefix="organisers.").values():
        bundle.add_resource(resource)
    return Texts(chosen, bundle)


def parse_resources(language: str, *, prefix: str = "") -> Mapping[str, ast.Resource]:
    """The parsed Fluent files of a language by name, those whose names begin so; raises LookupError for text that
    Fluent would skip as junk.
    """
    file = Path(__file__).parent / f"{prefix}{language}.ftl"
    resource: ast.Resource = FluentResource(file.read_text(encoding="utf-8"))
    for entry in resource.body:
        if isinstance(entry, ast.Junk):
            raise LookupError(f"{file.name}: cannot be parsed: {(entry.content or '')[:60]!r}")
    return {file.name: resource}


def get_item_texts(language: str) -> Texts:
    """The texts used inside an item: in the language of the project, or English where it has no file."""
    return get_texts(language if language in LANGUAGES else "en")


def list_commands(language: str, *, adjudicates: bool = False, organises: bool = False) -> dict[str, str]:
    """The commands with their descriptions in a language; with those of an adjudicator, and of an organiser."""
    first, *others = COMMANDS
    names = (first, *((ADJUDICATE,) if adjudicates else ()), *others)
    commands = {name: get_texts(language)(f"command-{name}") for name in names}
    return {ADMIN: get_organiser_texts(language)("admin-command"), **commands} if organises else commands
