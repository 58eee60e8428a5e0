r"""Rules that are added to Markdown: formulas, and addresses, in which nothing is emphasis.

Formulas are written `$…$`, `$$…$$`, `\(…\)` or `\[…\]`. As in pandoc, no blank follows a single `$` that opens one,
none is before the `$` that closes it, and no digit after that: «between $5 and $10» has none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

FORMULA = "formula"
"""The type of their tokens: `content` is the LaTeX, `markup` the source, `block` whether it has lines of its own."""
LONGEST = 4000
"""How far the end of a formula is looked for, in characters; so long a one is not drawn anyway."""
_INLINE = re.compile(
    r"""\$\$ (?P<two> (?: [^$\\] | \\. )+ ) \$\$
    |   \$ (?!\s) (?P<one> (?: [^$\\] | \\. )+ ) (?<!\s) \$ (?!\d)
    |   \\\( (?P<round> .{1,4000}? ) \\\)
    |   \\\[ (?P<square> .{1,4000}? ) \\\]""",
    re.DOTALL | re.VERBOSE,
)
_ADDRESS = re.compile(r"://[^\s<>*`\\]+")
_CLOSED_BY = {"$$": "$$", r"\[": r"\]"}


def add_rules(parser: MarkdownIt) -> None:
    r"""Add the rules: before escapes, as `\(` would be one, and where lines of a formula would be a list or a title."""
    parser.inline.ruler.before("escape", FORMULA, _read_inline)
    parser.inline.ruler.before("escape", "address", _read_address)
    alternatives = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("fence", FORMULA, _read_block, {"alt": alternatives})


def _read_inline(state: StateInline, silent: bool) -> bool:
    found = _INLINE.match(state.src, state.pos, state.posMax) if state.src[state.pos] in "$\\" else None
    if found is None or not (latex := found[found.lastgroup or 0].strip()):
        return False
    if not silent:
        token = state.push(FORMULA, "", 0)
        token.content, token.markup = latex, found[0]
        token.block = found.lastgroup in {"two", "square"}
    state.pos = found.end()
    return True


def _read_address(state: StateInline, silent: bool) -> bool:
    """Read the address of a link behind its scheme as text, so that a `_` in it does not begin emphasis."""
    found = _ADDRESS.match(state.src, state.pos, state.posMax) if state.src[state.pos] == ":" else None
    if found is None:
        return False
    if not silent:
        state.pending += found[0]
    state.pos = found.end()
    return True


def _read_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Read a formula that begins a line and ends one, without an empty line in it."""
    start = state.bMarks[first] + state.tShift[first]
    closed_by = _CLOSED_BY.get(state.src[start : start + 2])
    if closed_by is None or state.is_code_block(first) or closed_by not in state.src[start + 2 : start + LONGEST]:
        return False
    for line in range(first, end):
        if state.isEmpty(line) or (line > first and state.sCount[line] < state.blkIndent):
            return False
        written = state.src[max(state.bMarks[line], start + 2) : state.eMarks[line]]
        if not written.rstrip().endswith(closed_by):
            continue
        source = state.getLines(first, line + 1, state.blkIndent, False).strip()
        found = _INLINE.fullmatch(source)
        if found is None or not (latex := found[found.lastgroup or 0].strip()):
            return False
        if not silent:
            token = state.push(FORMULA, "", 0)
            token.content, token.markup, token.block = latex, source, True
        state.line = line + 1
        return True
    return False
