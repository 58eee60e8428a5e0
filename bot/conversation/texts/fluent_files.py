"""Reads the Fluent files of the texts: their messages with line, meaning and variables, and what cannot be parsed.

The comment above a message of `en.ftl` says where the message is shown, how long it may be and what its variables are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fluent.runtime import FluentResource
from fluent.syntax import ast, visitor

from annotation import input_files

MAX_TEXT_UNITS = 1500
"""The most UTF-16 units of a text whose comment names no limit: a message in Telegram has room for 4096."""
_LIMIT = re.compile(r"at most (\d+) characters")
_VARIABLE = re.compile(r"\$([a-z-]+) \((.+?)\): .+")


@dataclass(frozen=True)
class FluentMessage:
    """A message of a file; `line` counts from 1, `source` is the message as it is written, without its comment."""

    text_id: str
    line: int
    comment: str
    entry: ast.Message
    source: str

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names of its variables."""
        return frozenset(node.id.name for node in find_nodes(self.entry) if isinstance(node, ast.VariableReference))

    @cached_property
    def examples(self) -> dict[str, str | int]:
        """An example of each variable that the comment explains: a number, or a text, in quotes if it is digits."""
        found = (_VARIABLE.fullmatch(line) for line in self.comment.splitlines())
        return {one[1]: int(one[2]) if one[2].isdecimal() else one[2].strip('"') for one in found if one}

    @property
    def max_units(self) -> int:
        """How many UTF-16 units the comment allows."""
        limit = _LIMIT.search(" ".join(self.comment.split()))
        return int(limit[1]) if limit else MAX_TEXT_UNITS


@dataclass(frozen=True)
class FluentFile:
    """A parsed file; `junk` has the line and the beginning of everything that Fluent cannot read."""

    path: Path
    resource: ast.Resource
    messages: tuple[FluentMessage, ...]
    junk: tuple[tuple[int, str], ...]

    @property
    def language(self) -> str:
        """The code of the language, with which the name of the file ends."""
        return self.path.stem.rpartition(".")[2]

    @cached_property
    def by_id(self) -> dict[str, FluentMessage]:
        """The messages by id; of several with the same id the first."""
        found: dict[str, FluentMessage] = {}
        for message in self.messages:
            found.setdefault(message.text_id, message)
        return found


class _NodeCollector(visitor.Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[ast.BaseNode] = []

    def generic_visit(self, node: ast.BaseNode) -> None:
        self.found.append(node)
        super().generic_visit(node)


def find_nodes(entry: ast.BaseNode) -> list[ast.BaseNode]:
    """All parts of a message, each before what it contains."""
    collector = _NodeCollector()
    collector.visit(entry)
    return collector.found


def read_fluent_file(path: Path) -> FluentFile:
    """Read a Fluent file; raises BadInput for one that is missing, empty or not UTF-8."""
    text = input_files.read_text(path, of_campaign=False)
    resource: ast.Resource = FluentResource(text)
    return FluentFile(
        path=path,
        resource=resource,
        messages=tuple(_list_messages(resource, text)),
        junk=tuple(_list_junk(resource, text)),
    )


def _list_messages(resource: ast.Resource, text: str) -> Iterator[FluentMessage]:
    for entry in resource.body:
        if isinstance(entry, ast.Message):
            start, end = _get_start(entry.id), entry.span.end if entry.span else None
            yield FluentMessage(
                text_id=entry.id.name,
                line=text.count("\n", 0, start) + 1,
                comment=(entry.comment.content or "") if entry.comment else "",
                entry=entry,
                source=text[start:end],
            )


def _list_junk(resource: ast.Resource, text: str) -> Iterator[tuple[int, str]]:
    for entry in resource.body:
        if isinstance(entry, ast.Junk):
            content = entry.content or ""
            blank = len(content) - len(content.lstrip())
            yield text.count("\n", 0, _get_start(entry) + blank) + 1, content.strip().split("\n")[0][:60]


def _get_start(node: ast.SyntaxNode) -> int:
    return node.span.start if node.span else 0
