"""The plural forms of a language, as CLDR has them, and the forms that a message chooses from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from babel import Locale
from babel.localedata import exists
from fluent.syntax import ast

from bot.conversation.texts.fluent_files import FluentMessage, find_nodes

CATEGORIES = dict.fromkeys(("zero", "one", "two", "few", "many", "other")).keys()
"""The names of plural forms, in the order of CLDR."""
_TRIED = (*range(201), 1000, 1_000_000)


@dataclass(frozen=True)
class Choice:
    """A choice by a variable: the keys of its forms, among them that of the default, and the line of the message."""

    variable: str
    keys: tuple[str, ...]
    default: str

    @property
    def is_plural(self) -> bool:
        """Whether a form is named after a plural category."""
        return any(key in CATEGORIES for key in self.keys if key != "other") or self.keys == ("other",)


def is_known_language(language: str) -> bool:
    """Whether CLDR knows the plural forms of a language, by its code."""
    return language.isalpha() and language.islower() and bool(exists(language))


@cache
def list_numbers(language: str) -> dict[str, int]:
    """A whole number for each plural form that whole numbers take, by the form, in the order of CATEGORIES."""
    rule = Locale.parse(language).plural_form
    found: dict[str, int] = {}
    for number in _TRIED:
        found.setdefault(rule(number), number)
    return {category: found[category] for category in CATEGORIES if category in found}


def list_choices(message: FluentMessage) -> list[Choice]:
    """The choices of a message, outer ones first."""
    choices = []
    for node in list_selections(message.entry):
        names = [part.id.name for part in find_nodes(node.selector) if isinstance(part, ast.VariableReference)]
        keys = {get_key(variant): variant.default for variant in node.variants}
        default = next(key for key, is_default in keys.items() if is_default)
        choices.append(Choice(variable=names[0] if names else "", keys=tuple(keys), default=default))
    return choices


def list_missing_forms(choice: Choice, language: str) -> tuple[str, ...]:
    """The plural forms of whole numbers that a choice lacks.

    Where whole numbers never take the form `other`, it may stand for one of them, as the default.
    """
    needed = list_numbers(language)
    missing = tuple(category for category in needed if category not in choice.keys)
    stands_for_one = choice.default not in needed and len(missing) == 1
    return () if stands_for_one else missing


def list_selections(entry: ast.BaseNode) -> list[ast.SelectExpression]:
    """The choices of an entry as Fluent parses them, outer ones first."""
    return [node for node in find_nodes(entry) if isinstance(node, ast.SelectExpression)]


def get_key(variant: ast.Variant) -> str:
    """The name or the number of a form."""
    return str(variant.key.name if isinstance(variant.key, ast.Identifier) else variant.key.value)
