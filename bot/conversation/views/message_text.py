"""Texts as messages: escaped in this one place, folded or in numbered parts where they are long.

Telegram takes 4,096 UTF-16 units of text after its entities, and a hundred entities. A part ends at a paragraph, a
line, a sentence or a word; inside a bold part only where that alone is too long.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

MOST_UNITS = 4096
ROOM = 24
"""What the number of a part may take."""
MOST_MARKS = 90
Extent = tuple[int, int]
_ENDS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s"), re.compile(r"\s"))
_GAP = "\n\n"


@dataclass(frozen=True)
class Block:
    """A paragraph or several: its bold parts, and whether it folds."""

    text: str
    bold: tuple[Extent, ...] = ()
    fold: bool = False


def strong(text: str) -> Block:
    """All of it bold."""
    return Block(text, ((0, len(text)),))


def units(text: str) -> int:
    """The length of a text as Telegram counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def laid_out(blocks: Sequence[Block], *, part: str, most: int = MOST_UNITS) -> tuple[str, ...]:
    """The blocks as HTML, in as few messages as they need; `part` is what numbers them, with {number} and {of}."""
    blocks = [_clean(block) for block in blocks if block.text.strip()]
    if _length(blocks) <= most:
        return (_html(blocks),)
    unfolded = [replace(block, fold=False) for block in blocks]
    parts = list(_packed(unfolded, most - ROOM))
    heads = (part.replace("{number}", str(at)).replace("{of}", str(len(parts))) for at in range(1, len(parts) + 1))
    return tuple(_html([strong(head), *one]) for head, one in zip(heads, parts, strict=True))


def fits(blocks: Sequence[Block]) -> bool:
    """Whether one message takes them all."""
    return _length([_clean(block) for block in blocks if block.text.strip()]) <= MOST_UNITS


def shortened(text: str, most: int) -> str:
    """A text of at most so many units, with a sign where something is left out."""
    if units(text) <= most:
        return text
    return text[: _cut(Block(text), most - 2)].rstrip() + " …"


def _clean(block: Block) -> Block:
    """Without white space around it, which Telegram would take away."""
    start = len(block.text) - len(block.text.lstrip())
    text = block.text.strip()
    moved = ((max(0, one - start), min(len(text), other - start)) for one, other in block.bold)
    return Block(text, tuple(sorted(one for one in moved if one[0] < one[1]))[:MOST_MARKS], block.fold)


def _length(blocks: Sequence[Block]) -> int:
    return sum(units(block.text) for block in blocks) + len(_GAP) * max(0, len(blocks) - 1)


def _packed(blocks: Sequence[Block], most: int) -> Iterator[list[Block]]:
    """As many blocks in a part as it takes; one that is too long for a part of its own is cut."""
    page: list[Block] = []
    waiting = list(blocks)
    while waiting:
        block = waiting.pop(0)
        if _length([*page, block]) <= most:
            page.append(block)
        elif units(block.text) <= most and page:
            yield page
            page = [block]
        else:
            room = most - _length([*page, Block("")]) if page else most
            if room < most // 4:
                yield page
                page, room = [], most
            at = _cut(block, room)
            head, tail = _clean(_slice(block, 0, at)), _clean(_slice(block, at, len(block.text)))
            yield [*page, head]
            page = []
            waiting[:0] = [tail] if tail.text else []
    if page:
        yield page


def _cut(block: Block, most: int) -> int:
    """Where a text is cut so that at most `most` units stay: at the best place in its second half, else anywhere."""
    end = _fitting(block.text, most)
    for place in _ENDS:
        ends = [found.end() for found in place.finditer(block.text, 0, end) if _free(block, found.end())]
        if ends and ends[-1] > end // 2:
            return ends[-1]
    spaces = [found.end() for found in _ENDS[-1].finditer(block.text, 0, end)]
    if spaces:
        return next((place for place in reversed(spaces) if _free(block, place)), spaces[-1])
    while end > 1 and (unicodedata.combining(block.text[end : end + 1] or " ") or block.text[end - 1] == "\u200d"):
        end -= 1
    return end


def _free(block: Block, at: int) -> bool:
    """Whether no bold part would be cut there."""
    return not any(start < at < end for start, end in block.bold)


def _fitting(text: str, most: int) -> int:
    used = 0
    for index, character in enumerate(text):
        used += 1 + (ord(character) > 0xFFFF)
        if used > most:
            return index
    return len(text)


def _slice(block: Block, start: int, end: int) -> Block:
    inside = ((max(one, start) - start, min(other, end) - start) for one, other in block.bold)
    return replace(block, text=block.text[start:end], bold=tuple(one for one in inside if one[0] < one[1]))


def _html(blocks: Sequence[Block]) -> str:
    return _GAP.join(map(_block, blocks))


def _block(block: Block) -> str:
    parts, at = [], 0
    for start, end in block.bold:
        if start < at:
            continue
        parts += [_escaped(block.text[at:start]), f"<b>{_escaped(block.text[start:end])}</b>"]
        at = end
    text = "".join([*parts, _escaped(block.text[at:])])
    return f"<blockquote expandable>{text}</blockquote>" if block.fold else text


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
