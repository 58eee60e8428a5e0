"""The lists of a Fluent file: words that annotators may type (`words-NAME`), with commas, and cities by time zone.

A list may include another: `words-go-on = { words-yes }, next`. Its own words are those without the included ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations

from fluent.syntax import ast

from aggregation import spelling
from bot.conversation.texts.fluent_files import FluentMessage, find_nodes

PREFIX = "words-"
_ZONE = re.compile(r"(\w+/[\w/-]+): ")


def split_list(text: str) -> tuple[str, ...]:
    """The entries of a list with commas, in one or more lines."""
    return tuple(" ".join(word.split()) for word in text.split(",") if word.strip())


def parse_cities(text: str) -> dict[str, str]:
    """The time zones of the cities in a text, by city; a city without a zone has an empty one.

    A zone and a colon stand before its cities: `Europe/Warsaw: Kraków, Gdańsk`.
    """
    first, *parts = _ZONE.split(" ".join(text.split()))
    zones = {"": first, **dict(zip(parts[::2], parts[1::2], strict=True))}
    return {city: zone for zone, cities in zones.items() for city in split_list(cities)}


def normalise_word(word: str) -> str:
    """The word as it is compared with that of another list."""
    return " ".join(spelling.build_key(word).split()).casefold()


def list_included(message: FluentMessage) -> tuple[str, ...]:
    """The names of the lists that a list includes, without `words-`."""
    nodes = (node for node in find_nodes(message.entry) if isinstance(node, ast.MessageReference))
    return tuple(node.id.name.removeprefix(PREFIX) for node in nodes)


def list_own_words(message: FluentMessage) -> frozenset[str]:
    """The words of a list without those of the lists that it includes, as they are compared."""
    elements = message.entry.value.elements if message.entry.value else ()
    text = ",".join(element.value for element in elements if isinstance(element, ast.TextElement))
    return frozenset(map(normalise_word, split_list(text)))


def list_separate_pairs(messages: Mapping[str, FluentMessage]) -> tuple[tuple[str, str], ...]:
    """The pairs of lists that may not share a word, by the English file: those that no list includes together."""
    names = [name for name in messages if name.startswith(PREFIX)]
    included = {name: {name} for name in names}
    for name in names:
        for other in list_included(messages[name]):
            included.setdefault(f"{PREFIX}{other}", {f"{PREFIX}{other}"}).add(name)
    return tuple((first, second) for first, second in combinations(names, 2) if not included[first] & included[second])
