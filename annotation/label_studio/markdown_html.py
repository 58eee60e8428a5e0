"""Markdown as the HTML of a task: only elements that we write, around escaped text.

A formula is its source: what Label Studio leaves of MathML depends on its release.
"""

from __future__ import annotations

import html

from annotation.campaigns.markdown.document import Formula, Node, parse_markdown


def render_markdown(text: str) -> str:
    """The text as HTML."""
    return "".join(map(_render_node, parse_markdown(text).nodes))


def _render_node(node: Node) -> str:
    if isinstance(node, str):
        return html.escape(node)
    if isinstance(node, Formula):
        return f"<code>{html.escape(node.source)}</code>"
    inside = "".join(map(_render_node, node.children))
    kind = node.attributes.get("class", "")
    if kind == "heading":
        return f"<p><strong>{inside}</strong></p>"
    attribute = f' align="{kind}"' if kind else ""
    if number := node.attributes.get("value"):
        attribute = f' value="{html.escape(number)}"'
    return f"<{node.tag}{attribute}>" if node.tag == "hr" else f"<{node.tag}{attribute}>{inside}</{node.tag}>"
