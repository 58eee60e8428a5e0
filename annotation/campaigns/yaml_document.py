"""Parses a YAML file: all values stay text as typed, and the line and column of every key are kept for messages.

The pydantic model of a key decides whether it is a number or a switch, so `yes`, `no`, `010` and dates stay text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, Event, NodeEvent
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.parser import Parser

from annotation.errors import BadInput, Where

MAX_CHARACTERS = 1_000_000
"""The longest file that is read."""
MAX_DEPTH = 40
"""The deepest nesting of lists and mappings that is read."""
_KEY = re.compile(r"\s*([\w-]+):(?:\s|$)")
_LONG_ESCAPE = re.compile(r"\\U([0-9A-Fa-f]{8})")

_BRACKETS = {"flow sequence": ("[", "]"), "flow mapping": ("{", "}")}
"""Both brackets of what the parser calls a flow."""

KeyPath = tuple[str | int, ...]
"""The keys and list indices that lead from the top of the file to a value: ("questions", 0, "text")."""

Position = tuple[int, int]
"""A line and a column, both from 1."""


@dataclass(frozen=True)
class YamlDocument:
    """A YAML mapping. `data` holds dicts, lists, texts and None; `positions` the line and column of every key path."""

    file: Path
    data: dict[str, Any]
    positions: dict[KeyPath, Position] = field(repr=False)

    def where(self, path: KeyPath) -> Where:
        """Where a key path is in the file: at its key, or at the nearest key above it that the file has."""
        existing_path = path
        while existing_path and existing_path not in self.positions:
            existing_path = existing_path[:-1]
        line, column = self.positions.get(existing_path, (1, 1))
        return Where(file=self.file, line=line, column=column, field=".".join(str(part) for part in path) or None)


def parse_yaml(text: str, *, file: Path) -> YamlDocument:
    """Parse one YAML mapping; raises BadInput with line and column for anything else."""
    if len(text) > MAX_CHARACTERS:
        raise BadInput(
            "The file is too large for a project file.", where=Where(file=file), remedy="Is it the right one?"
        )
    try:
        reader = YAML(typ="safe", pure=True)
        reader.Parser = partial(_PlainParser, file=file)
        node = reader.compose(text)
    except MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        where = Where(file=file, line=mark.line + 1, column=mark.column + 1) if mark else Where(file=file)
        reason = str(failure.problem or failure.context)
        problem, remedy = _explain_bracket(failure) or _explain_syntax(
            reason, text.splitlines()[: mark.line + 1] if mark else []
        )
        raise BadInput(problem, where=where, remedy=remedy) from None
    except (ValueError, OverflowError):
        raise BadInput(
            "This is not YAML: an escape names no character.",
            where=_locate_bad_escape(text, file),
            remedy="Write the character itself.",
        ) from None
    except YAMLError as failure:
        reason = str(failure).splitlines()[0]
        raise BadInput(
            f"This is not YAML: {reason}.", where=Where(file=file), remedy="Save it as plain text."
        ) from None
    if node is None:
        raise BadInput("The file is empty.", where=Where(file=file), remedy="Begin with `project: NAME`.")
    if not isinstance(node, MappingNode):
        raise BadInput(
            "A project file is a list of `key: value` lines.",
            where=_locate_node(node, file),
            remedy="Begin with `project: NAME`.",
        )
    positions: dict[KeyPath, Position] = {}
    return YamlDocument(file=file, data=_read_mapping(node, (), positions, file), positions=positions)


def _explain_bracket(failure: MarkedYAMLError) -> tuple[str, str] | None:
    """The problem and the remedy where a bracket or a quote is not closed, or closed twice; None for other mistakes."""
    reason, context, opened = str(failure.problem), str(failure.context), failure.context_mark
    closing = re.search(r"found '([\]}])'", reason) or re.search(r"got '([\]}])'", reason)
    for kind, (begin, end) in _BRACKETS.items():
        if kind in context and opened is not None:
            place = f"`{begin}` of line {opened.line + 1}, column {opened.column + 1}"
            if closing is not None and closing[1] != end:
                return f"The bracket {place} is closed by `{closing[1]}`.", f"Write `{end}`."
            remedy = f"Write `{end}`, or a comma between its values; quote texts that hold brackets, commas or colons."
            return f"The bracket {place} is not closed before this.", remedy
    if "quoted scalar" in context and "end of stream" in reason and opened is not None:
        place = f"line {opened.line + 1}, column {opened.column + 1}"
        return f"The quote of {place} is not closed.", "Write the same quote at the end of the text."
    if closing is not None:
        return f"The bracket `{closing[1]}` closes none.", "Take it out, or quote the text."
    return None


def _explain_syntax(reason: str, lines: Sequence[str]) -> tuple[str, str]:
    """The problem and the remedy for what the parser does not understand on the last of `lines`, which may be none."""
    *above, line = lines or [""]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "The line begins with a tab.", "Indent with blanks."
    if "'\\t'" in reason:
        return "There is a tab in the line.", "Write blanks."
    if reason.startswith("mapping values are not allowed"):
        if len(re.findall(r":(?:\s|$)", line)) > 1:
            return "There is a colon in the value.", 'Put the text in quotes, like title: "Quiz: animals".'
        return "The line is indented below a key that has a value already.", _suggest_indentation(above)
    if reason == "expected <block end>, but found '?'":
        return "The line is further out than the keys of its list.", "Begin it where the key above it begins."
    return f"This is not YAML: {reason}.", "Check indentation and quotes."


def _suggest_indentation(above: Sequence[str]) -> str:
    """The remedy for a line that is indented further than the key above it: either of both may be the one to move."""
    keys = (_KEY.match(line) for line in reversed(above))
    key = next((found[1] for found in keys if found is not None), None)
    return "Begin it where the other keys begin" + (f", or indent `{key}` above as far as it." if key else ".")


class _PlainParser(Parser):
    """Refuses anchors, aliases, tags and deep nesting: project files need none; they are mistakes or attacks.

    Each event is looked at before nodes are made of it, because those are made by recursion.
    """

    def __init__(self, loader: object, *, file: Path) -> None:
        super().__init__(loader)
        self._file = file
        self._depth = 0

    def get_event(self) -> Event:
        event: Event = super().get_event()
        self._depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        mark = event.start_mark
        where = Where(file=self._file, line=mark.line + 1, column=mark.column + 1)
        if isinstance(event, AliasEvent) or (isinstance(event, NodeEvent) and event.anchor is not None):
            raise BadInput(
                "Anchors and aliases (& and *) are not used here.", where=where, remedy="Write the text out."
            )
        if getattr(event, "tag", None) is not None:
            raise BadInput("Tags (!) are not used here.", where=where, remedy="Quote the text if it begins with `!`.")
        if self._depth > MAX_DEPTH:
            raise BadInput("The nesting is too deep.", where=where, remedy="Check the brackets.")
        return event


def _locate_bad_escape(text: str, file: Path) -> Where:
    """The line and column of a `\\U` escape above U+10FFFF, which the parser refuses without naming them."""
    for match in _LONG_ESCAPE.finditer(text):
        if int(match[1], 16) > sys.maxunicode:
            line = text.count("\n", 0, match.start()) + 1
            return Where(file=file, line=line, column=match.start() - text.rfind("\n", 0, match.start()))
    return Where(file=file)


def _locate_node(node: Node, file: Path, name: str | None = None) -> Where:
    return Where(file=file, line=node.start_mark.line + 1, column=node.start_mark.column + 1, field=name)


def _read_node(node: Node, path: KeyPath, positions: dict[KeyPath, Position], file: Path) -> Any:
    """The value of a node: dict, list, text or None. `positions` gains those of itself and its keys."""
    positions.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, MappingNode):
        return _read_mapping(node, path, positions, file)
    if isinstance(node, SequenceNode):
        return [_read_node(child, (*path, index), positions, file) for index, child in enumerate(node.value)]
    _refuse_unstorable(node, file)
    is_empty = isinstance(node, ScalarNode) and node.style is None and node.value in {"", "~", "null"}
    return None if is_empty else node.value


def _read_mapping(node: MappingNode, path: KeyPath, positions: dict[KeyPath, Position], file: Path) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, child in _list_pairs(node, file):
        _refuse_unstorable(key, file)
        name = str(key.value)
        if name in values:
            line, _ = positions[*path, name]
            raise BadInput(
                f"Duplicate key, first on line {line}.",
                where=_locate_node(key, file, name),
                remedy="Move all of its settings under one of them." if isinstance(child, MappingNode) else "Keep one.",
            )
        positions[*path, name] = (key.start_mark.line + 1, key.start_mark.column + 1)
        values[name] = _read_node(child, (*path, name), positions, file)
    return values


def _refuse_unstorable(node: Node, file: Path) -> None:
    """Refuse escapes of U+0000 and of surrogates, which no database stores as text."""
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in node.value):
        raise BadInput(
            "An escape stands for what cannot be stored (U+0000, or half a character).",
            where=_locate_node(node, file),
            remedy="Write the character itself.",
        )


def _list_pairs(node: MappingNode, file: Path) -> Iterator[tuple[ScalarNode, Node]]:
    """Yield each key of a mapping with its value; raises BadInput for a key that is a list or a mapping."""
    for key, child in node.value:
        if not isinstance(key, ScalarNode):
            raise BadInput("A key must be plain text.", where=_locate_node(key, file), remedy="Write `key: value`.")
        yield key, child
