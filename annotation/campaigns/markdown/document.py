"""Markdown as a tree of paragraphs, lists, tables, code and formulas; raw HTML and links are only text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from annotation.campaigns.markdown import parser_rules

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEEPEST = 60
"""How deep quotes and lists may be in each other: Python's recursion ends some hundred calls further."""
CACHED_TEXTS = 512
"""How many texts stay parsed: an item is drawn at every tap."""
_ENVIRONMENT = "\\begin{"
_NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


class Element(NamedTuple):
    """A part of a text, with the name of its HTML or MathML element.

    A heading is a paragraph of the class `heading`: the page has its own headings. `pre` has text only, and the words
    behind the fence as `info`; an `li` of an `ol` has its number, as it is written, as `value`.
    """

    tag: str
    children: tuple[Node, ...] = ()
    attributes: Mapping[str, str] = _NO_ATTRIBUTES


class Formula(NamedTuple):
    """A formula: its LaTeX, its source with the signs around it, and whether it has lines of its own."""

    latex: str
    source: str
    is_block: bool


Node = str | Element | Formula


class Document(NamedTuple):
    """A parsed text. `is_source` says that it is one paragraph of Markdown as written: parsed, it would lose text."""

    nodes: tuple[Node, ...]
    is_source: bool = False


@lru_cache(maxsize=CACHED_TEXTS)
def parse_markdown(text: str) -> Document:
    """Parse a text.

    Markdown drops what it has no place for, such as cells beyond the columns of a table. A text that would lose a
    letter or a digit, or of which nothing would be seen, is shown as it is written, and so is one with an environment
    of LaTeX outside of a formula, whose backslashes would go.
    """
    try:
        nodes = _build_nodes(_get_parser().parse(text))
    except RecursionError:
        nodes = ()
    shown = "".join(_list_texts(nodes))
    is_empty = text.strip() and not shown.strip()  # a fence without code
    is_whole = Counter(filter(str.isalnum, text)) <= Counter(filter(str.isalnum, shown))
    if is_empty or not is_whole or _ENVIRONMENT in shown:
        return Document((Element("p", (text.strip(),)),), is_source=True)
    return Document(nodes)


def list_formulas(nodes: Iterable[Node]) -> Iterator[Formula]:
    """Yield the formulas in their order."""
    for node in nodes:
        if isinstance(node, Formula):
            yield node
        elif isinstance(node, Element):
            yield from list_formulas(node.children)


@cache
def _get_parser() -> MarkdownIt:
    """Set up the parser. Entities stay as written: no HTML is read, and models read `&lt;` too."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline", "reference", "link", "image", "autolink", "entity"])
    parser_rules.add_rules(parser)
    return parser


def _build_nodes(tokens: Sequence[Token]) -> tuple[Node, ...]:
    opened: list[tuple[Token | None, list[Node]]] = [(None, [])]
    for token in tokens:
        if token.nesting > 0:
            opened.append((token, []))
        elif token.nesting < 0:
            start, children = opened.pop()
            opened[-1][1].append(_build_element(start or token, tuple(children)))
        else:
            opened[-1][1].extend(_build_leaf(token))
    return tuple(opened[0][1])


def _build_element(start: Token, children: tuple[Node, ...]) -> Element:
    if start.type == "heading_open":
        return Element("p", children, {"class": "heading"})
    if start.tag == "li" and start.info:
        return Element("li", children, {"value": start.info})
    alignment = str(start.attrs.get("style", "")).removeprefix("text-align:")
    return Element(start.tag, children, {"class": alignment} if alignment in {"right", "center"} else _NO_ATTRIBUTES)


def _build_leaf(token: Token) -> tuple[Node, ...]:
    if token.type == "inline":
        return _build_nodes(token.children or ())
    if token.type == parser_rules.FORMULA:
        return (Formula(token.content, token.markup, token.block),)
    if token.type == "code_inline":
        return (Element("code", (token.content,)),)
    if token.type in {"fence", "code_block"}:
        return (Element("pre", (token.content.strip("\n"),), {"info": token.info} if token.info else _NO_ATTRIBUTES),)
    if token.type == "hr":
        return (Element("hr"),)
    text = "\n" if token.type in {"softbreak", "hardbreak"} else token.content
    return (text,) if text else ()


def _list_texts(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield what people see of a text, its formulas without backslashes, and the word behind a fence.

    That word names the language of code and is not shown. More words, or one without code, are a text.
    """
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif isinstance(node, Formula):
            yield node.source.replace("\\", " ")
        elif node.tag in {"code", "pre"}:
            code, info = "".join(map(str, node.children)), node.attributes.get("info", "")
            yield code.replace("\\", " ") + (info if code.strip() and len(info.split()) == 1 else "")
        else:
            yield node.attributes.get("value", "")
            yield from _list_texts(node.children)
