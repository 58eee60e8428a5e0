"""The texts of the interfaces in Label Studio that are not in the project file: a Fluent file for each language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource

LANGUAGES = frozenset(file.stem for file in Path(__file__).parent.glob("*.ftl"))
DEFAULT = "en"


class InterfaceTexts:
    """The messages of one language."""

    def __init__(self, language: str) -> None:
        text = (Path(__file__).parent / f"{language}.ftl").read_text(encoding="utf-8")
        self._bundle = FluentBundle([language], use_isolating=False)
        self._bundle.add_resource(FluentResource(text))

    def __call__(self, message: str, **arguments: str | int) -> str:
        """The message with its arguments; raises LookupError where either is missing."""
        pattern = self._bundle.get_message(message).value
        if pattern is None:
            raise LookupError(f"{message} has no text")
        text, errors = self._bundle.format_pattern(pattern, arguments)
        if errors:
            raise LookupError(f"{message}: {errors[0]}")
        return str(text)


def load_texts(language: str) -> InterfaceTexts:
    """The messages of a project's language; English for a language that has none here."""
    return _read_texts(language if language in LANGUAGES else DEFAULT)


@cache
def _read_texts(language: str) -> InterfaceTexts:
    return InterfaceTexts(language)
