"""Markdown as the parts of a message: text with bold, italic, struck and code ranges, and listings of fixed width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotation.campaigns.markdown.document import Element, Formula, Node, parse_markdown
from bot.conversation.formula_text import format_formula

_STYLES = {"strong": "bold", "em": "italic", "s": "struck", "code": "code"}
_RULE = "———"


@dataclass
class Passage:
    """A part of a text. `ranges` are those of each style, which do not overlap; a listing keeps blanks and lines.

    While it is written, every new line begins with `indent`.
    """

    text: str = ""
    ranges: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    is_listing: bool = False
    indent: str = ""

    def add(self, text: str, style: str = "") -> None:
        """Add text of a style; empty for a text without one."""
        start = len(self.text)
        self.text += text.replace("\n", f"\n{self.indent}")
        if style and text:
            self.ranges.setdefault(style, []).append((start, len(self.text)))

    def join(self, other: Passage, separator: str) -> None:
        """Add another passage below."""
        self.text += separator
        start = len(self.text)
        self.text += other.text
        for style, ranges in other.ranges.items():
            self.ranges.setdefault(style, []).extend((start + begin, start + end) for begin, end in ranges)


def list_passages(text: str) -> list[Passage]:
    """The passages of a text in Markdown, from top to bottom."""
    return _join_passages(_list_passages(parse_markdown(text).nodes), "\n\n")


def _join_passages(passages: Iterable[Passage], separator: str) -> list[Passage]:
    """The passages, joined wherever no listing separates them."""
    joined: list[Passage] = []
    for passage in passages:
        if joined and not passage.is_listing and not joined[-1].is_listing:
            joined[-1].join(passage, separator)
        else:
            joined.append(passage)
    return joined


def _list_passages(nodes: Iterable[Node], first: str = "", rest: str = "") -> Iterator[Passage]:
    """Yield the passages of parts; the lines of text begin with `rest`, but the first one with `first`."""
    indent = first
    for node in nodes:
        listing = _find_listing(node)
        if listing is not None:
            if indent.strip():
                yield Passage(indent.rstrip())
            yield Passage(listing, is_listing=True)
        elif isinstance(node, Element) and node.tag in {"ul", "ol"}:
            yield from _join_passages(_list_entries(node.children, indent, rest), "\n")
        elif isinstance(node, Element) and node.tag == "blockquote":
            yield from _join_passages(_list_passages(node.children, f"{indent}> ", f"{rest}> "), "\n")
        else:
            passage = Passage(indent, indent=rest)
            is_heading = isinstance(node, Element) and node.attributes.get("class") == "heading"
            _write((node,), passage, "bold" if is_heading else "")
            yield passage
        indent = rest


def _find_listing(node: Node) -> str | None:
    """What is shown in a fixed width: code, a table, the source of a formula; None for any other part."""
    if isinstance(node, Formula):
        return node.source if format_formula(node.latex) is None else None
    if isinstance(node, str) or node.tag not in {"pre", "table"}:
        return None
    return _format_table(node) if node.tag == "table" else "".join(map(str, node.children))


def _list_entries(entries: Iterable[Node], first: str, rest: str) -> Iterator[Passage]:
    """Yield the passages of the entries of a list, each with its sign or number."""
    indent = first
    for entry in entries:
        if isinstance(entry, Element):
            sign = f"{number}. " if (number := entry.attributes.get("value")) else "• "
            blanks = " " * len(sign)
            passages = list(_list_passages(entry.children, indent + sign, rest + blanks))
            yield from _join_passages(passages or [Passage(indent + sign.strip())], "\n")
            indent = rest


def _write(nodes: Iterable[Node], passage: Passage, style: str) -> None:
    """Write a text with its styles; of styles in each other the inner one is kept."""
    for node in nodes:
        if isinstance(node, str):
            passage.add(node, style)
        elif isinstance(node, Formula):
            shown = format_formula(node.latex)
            passage.add(node.source if shown is None else shown, "code" if shown is None else style)
        elif node.tag == "hr":
            passage.add(_RULE)
        else:
            _write(node.children, passage, _STYLES.get(node.tag, style))


def _format_table(table: Element) -> str:
    """The table in columns of fixed width, with a line below its head."""
    rows = [row for part in table.children if isinstance(part, Element) for row in part.children]
    cells = [[cell for cell in row.children if isinstance(cell, Element)] for row in rows if isinstance(row, Element)]
    texts = [[_format_cell(cell) for cell in row] for row in cells]
    widths = [max(map(_measure, column)) for column in zip(*texts, strict=True)]
    sides = [cell.attributes for cell in cells[0]]
    lines = [" | ".join(map(_fill, row, widths, sides)).rstrip() for row in texts]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _format_cell(cell: Element) -> str:
    passage = Passage()
    _write(cell.children, passage, "")
    return " ".join(passage.text.split())


def _fill(text: str, width: int, attributes: Mapping[str, str]) -> str:
    """The text with blanks up to a width, on the side where the column has them."""
    n_blanks = width - _measure(text)
    before = {"right": n_blanks, "center": n_blanks // 2}.get(attributes.get("class", ""), 0)
    return " " * before + text + " " * (n_blanks - before)


def _measure(text: str) -> int:
    """How many columns a text takes in a font of fixed width."""
    return sum(map(_measure_character, text))


def _measure_character(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Cf", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
