"""Writes the Fluent file of a new language: every English message with its meaning, to be translated in place."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from babel import Locale
from fluent.runtime import FluentBundle
from fluent.syntax import FluentParser, FluentSerializer, ast

from bot.conversation.texts import plural_forms
from bot.conversation.texts.file_check import CITIES, LANGUAGE_NAME, ZONES, build_bundle, format_example
from bot.conversation.texts.fluent_files import FluentFile, FluentMessage

MONTHS = "month-name"
_HEADER = """\
The texts of the bot in {name}: what annotators read, and what they may type.

Translate the text after each "=". Keep the names before it, {{ $variables }} and /commands as they are.
The lines above a message say where it is shown, explain its variables with an example of each, and give the English.
If you remove a message, people read it in English. The plural forms of this language: {forms}.
To look for faults: hromada texts check {language}.ftl
To use the file, write HROMADA_TEXTS={language}.ftl into .env and start the bot."""


def build_template(english: FluentFile, language: str) -> str:
    """The text of the file for a language that CLDR knows."""
    locale = Locale.parse(language)
    body: list[ast.EntryType] = [
        ast.ResourceComment(
            _HEADER.format(
                name=locale.get_display_name("en"),
                language=language,
                forms=", ".join(_list_forms(language)),
            )
        )
    ]
    body += _list_entries(english, language)
    written = (FluentSerializer().serialize_entry(entry).strip("\n") for entry in body)
    return "\n\n".join(written) + "\n"


def _list_entries(english: FluentFile, language: str) -> Iterator[ast.EntryType]:
    bundle = build_bundle(english)
    for entry in english.resource.body:
        if isinstance(entry, ast.Message):
            message = english.by_id[entry.id.name]
            written = _prefill(message.text_id, language) or copy.deepcopy(entry)
            for node in plural_forms.list_selections(written):
                _expand_forms(node, language)
            written.comment = ast.Comment("\n".join(_describe(message, bundle)))
            yield written
        elif isinstance(entry, ast.GroupComment):
            yield entry


def _describe(message: FluentMessage, bundle: FluentBundle) -> Iterator[str]:
    """The lines of the comment above a message."""
    yield from filter(None, message.comment.splitlines())
    if message.text_id not in {CITIES, ZONES}:
        yield from f"English: {format_example(message, bundle)}".splitlines()


def _prefill(text_id: str, language: str) -> ast.Message | None:
    """A message that CLDR has in the language: its own name, and the months as they stand in a date."""
    locale = Locale.parse(language)
    if text_id == LANGUAGE_NAME:
        name = locale.get_display_name(language) or language
        return _parse_message(f"{text_id} = {name[0].upper()}{name[1:]}\n")
    if text_id == MONTHS:
        months = locale.months["format"]["wide"]
        lines = [f"   {' *'[number == 12]}[{number}] {months[number]}" for number in range(1, 13)]
        return _parse_message(f"{text_id} = {{ $month ->\n" + "\n".join(lines) + "\n}\n")
    return None


def _parse_message(source: str) -> ast.Message:
    message = FluentParser(with_spans=False).parse_entry(source)
    if not isinstance(message, ast.Message):
        raise TypeError(f"{source!r} is not a message.")
    return message


def _list_forms(language: str) -> tuple[str, ...]:
    """The plural forms that a message should have: those of whole numbers, and the default."""
    return tuple(dict.fromkeys((*plural_forms.list_numbers(language), "other")))


def _expand_forms(node: ast.SelectExpression, language: str) -> None:
    """Give a choice by a number the plural forms of a language, each with the English text."""
    variants = {plural_forms.get_key(variant): variant for variant in node.variants}
    if not plural_forms.CATEGORIES & variants.keys() - {"other"}:
        return
    numbers = [variant for key, variant in variants.items() if key not in plural_forms.CATEGORIES]
    forms = [copy.deepcopy(variants.get(form, variants["other"])) for form in _list_forms(language)]
    for form, variant in zip(_list_forms(language), forms, strict=True):
        variant.key, variant.default = ast.Identifier(form), form == "other"
    node.variants = [*numbers, *forms]
