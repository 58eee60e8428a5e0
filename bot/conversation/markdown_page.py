"""Markdown as the answer page draws it: texts, and elements as lists of tag, attributes and what is inside."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.campaigns.markdown.document import Element, Formula, Node, parse_markdown
from annotation.campaigns.markdown.mathml import build_mathml

PageNode = str | list[object]
"""A text, or a list of the tag, the attributes, and the nodes inside; nothing in it is HTML to be parsed."""


def list_page_nodes(text: str) -> list[PageNode]:
    """The nodes of a text in Markdown; a formula that cannot be drawn is code."""
    return _describe(parse_markdown(text).nodes)


def _describe(nodes: Iterable[Node]) -> list[PageNode]:
    return [node if isinstance(node, str) else _describe_element(node) for node in nodes]


def _describe_element(node: Element | Formula) -> PageNode:
    if isinstance(node, Element):
        attributes = {name: value for name, value in node.attributes.items() if name != "info"}
        return [node.tag, attributes, *_describe(node.children)]
    drawn = build_mathml(node.latex, is_block=node.is_block)
    return ["code", {}, node.source] if drawn is None else _describe_element(drawn)
