"""Messages as views build them: text blocks, HTML in as many messages as needed, and rows of buttons.

Text is escaped in this one place. Telegram takes 4,096 UTF-16 units of text after its entities, and a hundred entities.
A long text is sent in numbered parts, which end at a paragraph, a line, a sentence or a word; bold text is cut only
where it alone is too long.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bot.conversation import callbacks
from bot.conversation.callbacks import ButtonAction, CallbackData
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonRows, InlineButton

NARROW_LABEL, WIDE_LABEL, LETTER_LABEL = 14, 20, 3
"""Up to so many UTF-16 units labels stand in pairs, alone (longer ones are cut by some clients), or in rows of four."""
MAX_UNITS = 4096
PART_NUMBER_UNITS = 24
"""The units reserved for the number of a part."""
MAX_BOLD_PARTS = 90
BoldRange = tuple[int, int]
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s"), re.compile(r"\s"))
_PARAGRAPH_BREAK = "\n\n"


@dataclass(frozen=True)
class TextBlock:
    """One or several paragraphs with bold ranges; `fold` collapses them."""

    text: str
    bold: tuple[BoldRange, ...] = ()
    fold: bool = False


@dataclass(frozen=True, kw_only=True)
class RenderedMessage:
    """One message: HTML, rows of buttons, and the hint of the input field where an answer is typed."""

    html: str
    buttons: ButtonRows = ()
    input_hint: str | None = None


def build_button(label: str, action: ButtonAction, row_id: int = 0, *numbers: int, word: str = "") -> InlineButton:
    """A button with its callback data."""
    return InlineButton(label, callbacks.encode_callback(CallbackData(action, row_id, numbers, word)))


def render_text(
    translate: Texts, *texts: str, buttons: ButtonRows = (), input_hint: str | None = None
) -> RenderedMessage:
    """Plain paragraphs as one message, with buttons; the last part where the text needs several."""
    return render_messages([TextBlock(text) for text in texts], translate, buttons=buttons, input_hint=input_hint)[-1]


def render_messages(
    blocks: Sequence[TextBlock], translate: Texts, *, buttons: ButtonRows = (), input_hint: str | None = None
) -> tuple[RenderedMessage, ...]:
    """The blocks in as many messages as they need, with the buttons under the last."""
    *earlier, last = render_html_parts(blocks, part=translate("part", number="{number}", of="{of}"))
    return (
        *(RenderedMessage(html=part) for part in earlier),
        RenderedMessage(html=last, buttons=buttons, input_hint=input_hint),
    )


def arrange_buttons(buttons: Sequence[InlineButton]) -> ButtonRows:
    """Buttons in rows of four letters, two short words, or one."""
    longest = max((count_units(button.label) for button in buttons), default=0)
    width = 4 if longest <= LETTER_LABEL else 2 if longest <= NARROW_LABEL else 1
    return tuple(tuple(buttons[start : start + width]) for start in range(0, len(buttons), width))


def are_labels_short(labels: Sequence[str], *, max_units: int = WIDE_LABEL) -> bool:
    """Whether no client cuts any of these labels."""
    return all(count_units(label) <= max_units and "\n" not in label for label in labels)


def make_bold_unless_equal(text: str, unless: str) -> TextBlock:
    """A bold paragraph; an empty one where the other text says the same."""
    return TextBlock("") if text.strip() == unless.strip() else make_bold_block(text)


def make_bold_block(text: str) -> TextBlock:
    """A block that is bold as a whole."""
    return TextBlock(text, ((0, len(text)),))


def count_units(text: str) -> int:
    """The length of a text as Telegram counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def render_html_parts(blocks: Sequence[TextBlock], *, part: str, max_units: int = MAX_UNITS) -> tuple[str, ...]:
    """The blocks as HTML in as few parts as they need; `part` numbers them, with {number} and {of}."""
    blocks = [_strip_block(block) for block in blocks if block.text.strip()]
    if _count_block_units(blocks) <= max_units:
        return (_render_blocks(blocks),)
    unfolded = [replace(block, fold=False) for block in blocks]
    parts = list(_pack_blocks(unfolded, max_units - PART_NUMBER_UNITS))
    heads = (
        part.replace("{number}", str(number)).replace("{of}", str(len(parts))) for number in range(1, len(parts) + 1)
    )
    return tuple(
        _render_blocks([make_bold_block(head), *part_blocks]) for head, part_blocks in zip(heads, parts, strict=True)
    )


def fits_one_message(blocks: Sequence[TextBlock]) -> bool:
    """Whether the blocks fit one message."""
    return _count_block_units([_strip_block(block) for block in blocks if block.text.strip()]) <= MAX_UNITS


def shorten_text(text: str, max_units: int) -> str:
    """A text of at most that many units, with an ellipsis where it was cut."""
    if count_units(text) <= max_units:
        return text
    return text[: _find_break(TextBlock(text), max_units - 2)].rstrip() + " …"


def _strip_block(block: TextBlock) -> TextBlock:
    """The block without white space around it, which Telegram would strip."""
    start = len(block.text) - len(block.text.lstrip())
    text = block.text.strip()
    ranges = ((max(0, begin - start), min(len(text), end - start)) for begin, end in block.bold)
    return TextBlock(text, tuple(sorted(begin for begin in ranges if begin[0] < begin[1]))[:MAX_BOLD_PARTS], block.fold)


def _count_block_units(blocks: Sequence[TextBlock]) -> int:
    return sum(count_units(block.text) for block in blocks) + len(_PARAGRAPH_BREAK) * max(0, len(blocks) - 1)


def _pack_blocks(blocks: Sequence[TextBlock], max_units: int) -> Iterator[list[TextBlock]]:
    """As many blocks in a part as fit; a block too long for a part of its own is cut."""
    page: list[TextBlock] = []
    remaining = list(blocks)
    while remaining:
        block = remaining.pop(0)
        if _count_block_units([*page, block]) <= max_units:
            page.append(block)
        elif count_units(block.text) <= max_units and page:
            yield page
            page = [block]
        else:
            room = max_units - _count_block_units([*page, TextBlock("")]) if page else max_units
            if room < max_units // 4:
                yield page
                page, room = [], max_units
            cut = _find_break(block, room)
            head, tail = (
                _strip_block(_slice_block(block, 0, cut)),
                _strip_block(_slice_block(block, cut, len(block.text))),
            )
            yield [*page, head]
            page = []
            remaining[:0] = [tail] if tail.text else []
    if page:
        yield page


def _find_break(block: TextBlock, max_units: int) -> int:
    """Where to cut a text to at most that many units: at the best break in its second half, else anywhere."""
    end = _find_unit_limit(block.text, max_units)
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(block.text, 0, end) if _is_outside_bold(block, match.end())]
        if ends and ends[-1] > end // 2:
            return ends[-1]
    spaces = [match.end() for match in _BREAKS[-1].finditer(block.text, 0, end)]
    if spaces:
        return next((pattern for pattern in reversed(spaces) if _is_outside_bold(block, pattern)), spaces[-1])
    while end > 1 and (unicodedata.combining(block.text[end : end + 1] or " ") or block.text[end - 1] == "\u200d"):
        end -= 1
    return end


def _is_outside_bold(block: TextBlock, position: int) -> bool:
    """Whether a cut at this position splits no bold range."""
    return not any(start < position < end for start, end in block.bold)


def _find_unit_limit(text: str, max_units: int) -> int:
    used = 0
    for index, character in enumerate(text):
        used += 1 + (ord(character) > 0xFFFF)
        if used > max_units:
            return index
    return len(text)


def _slice_block(block: TextBlock, start: int, end: int) -> TextBlock:
    inside = ((max(begin, start) - start, min(stop, end) - start) for begin, stop in block.bold)
    return replace(block, text=block.text[start:end], bold=tuple(begin for begin in inside if begin[0] < begin[1]))


def _render_blocks(blocks: Sequence[TextBlock]) -> str:
    return _PARAGRAPH_BREAK.join(map(_render_block, blocks))


def _render_block(block: TextBlock) -> str:
    parts, position = [], 0
    for start, end in block.bold:
        if start < position:
            continue
        parts += [_escape_html(block.text[position:start]), f"<b>{_escape_html(block.text[start:end])}</b>"]
        position = end
    text = "".join([*parts, _escape_html(block.text[position:])])
    return f"<blockquote expandable>{text}</blockquote>" if block.fold else text


def _escape_html(text: str) -> str:
    return html.escape(text, quote=False)
