"""Texts of messages: escaped, laid out, cut where Telegram refuses them, joined where people paste long ones."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import accumulate

from annotation.campaigns import bot_commands
from annotation.campaigns.questions.question_base import count_units
from bot.conversation import updates_and_calls
from bot.conversation.markdown_text import list_passages
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import (
    MAX_TEXT,
    ButtonAction,
    ButtonRows,
    CallbackData,
    IncomingUpdate,
    InlineButton,
    TextParts,
    UpdateKind,
)

LEAST_PART_UNITS = MAX_TEXT // 2
"""A shorter message is the last part of a text: no app cuts in the first half of what a message carries."""
MAX_GAP = timedelta(seconds=3)
"""How long after one part the next one is sent at the latest, by Telegram's dates, which are whole seconds.

Nobody reads what the bot says of the first, and types another text, in so short a time.
"""
MAX_PARTS = 50
"""The most parts that are joined; a text of more is too long for anything, and the rest of it is told apart."""


def may_have_more(message: IncomingUpdate) -> bool:
    """Whether a message may be a part of a text after which another one comes."""
    return _is_text(message) and count_units(message.text or "") >= LEAST_PART_UNITS


def is_next_part(message: IncomingUpdate, *, units: int, since: timedelta) -> bool:
    """Whether a message is the part after one of so many units, which was sent so long before.

    What would have fitted into one message with it, and a command, is a message of its own.
    """
    if not _is_text(message) or not timedelta(0) <= since <= MAX_GAP:
        return False
    text = message.text or ""
    return units + count_units(text) >= MAX_TEXT and not bot_commands.is_known_command(text)


def take_parts(first: IncomingUpdate, following: Sequence[IncomingUpdate]) -> tuple[IncomingUpdate, ...]:
    """The first message, and those of the following ones that are the next parts of its text."""
    parts = [first]
    for message in following:
        last = parts[-1]
        units = count_units(last.text or "")
        is_next = may_have_more(last) and is_next_part(message, units=units, since=message.at - last.at)
        if len(parts) == MAX_PARTS or not is_next or message.reply_to not in {None, last.reply_to}:
            break
        parts.append(message)
    return tuple(parts)


def join_parts(parts: Sequence[IncomingUpdate]) -> IncomingUpdate:
    """One message with the text of all parts; it counts as sent when the first was, and replies to what that does."""
    first, *others = parts
    if not others:
        return first
    text = before = first.text or ""
    for part in others:
        after = part.text or ""
        text = f"{text}{_find_separator(before, after)}{after}"
        before = after
    return replace(first, text=text, parts=describe_parts(parts[-1], number=len(parts)))


def describe_parts(last: IncomingUpdate, *, number: int = 1) -> TextParts:
    """The parts of a text of which this message is the last, or which has come as one."""
    return last.parts or TextParts(number=number, last_units=count_units(last.text or ""), last_at=last.at)


def _is_text(message: IncomingUpdate) -> bool:
    return message.kind is UpdateKind.MESSAGE and message.private and message.media is None and bool(message.text)


def _find_separator(before: str, after: str) -> str:
    """What stood between two parts: nothing where a full message was cut in a word, otherwise a blank.

    Apps leave the blanks at a cut out. A character of two units is never cut, so that a full message may lack one.
    """
    is_full = count_units(before) >= MAX_TEXT - 1
    return "" if is_full or before[-1:].isspace() or after[:1].isspace() else " "


NARROW_LABEL, WIDE_LABEL, LETTER_LABEL = 14, 20, 3
"""The longest labels, in UTF-16 units, of buttons in rows of two, in rows of one, and in rows of MAX_LETTERS.

Some clients cut labels longer than WIDE_LABEL.
"""
MAX_LETTERS = 5
"""The most letters or numbers in one row of buttons."""
MAX_UNITS = 4096
"""The longest message, in UTF-16 units without markup."""
PART_NUMBER_UNITS = 24
"""The units of a message that are kept free for its heading, which numbers the parts of a long text."""
MAX_CAPTION = 1024
"""The longest caption of a picture, in UTF-16 units."""
MAX_BOLD_RANGES = 90
"""How many bold ranges of a block are rendered, so that a message has fewer than a hundred entities."""
BoldRange = tuple[int, int]
"""The start and end of a bold passage, in characters of its block."""
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s"), re.compile(r"\s"))
"""Where a long text is cut, best first: after a paragraph, a line, a sentence, a word."""
_PARAGRAPH_BREAK = "\n\n"
_COMMAND = re.compile(r"`(hromada [^`\n]+)`")


@dataclass(frozen=True)
class ShownPicture:
    """A picture of an item: its name, its caption, and the words by which it is known where it is not seen."""

    name: str
    caption: str
    words: str


@dataclass(frozen=True)
class TextBlock:
    """One or several paragraphs with bold, italic, struck, underlined and code ranges, which do not overlap.

    With `fold` they are collapsed until the reader expands them, with `copyable` a tap copies them as they are, and a
    `listing` has a fixed width and keeps its blanks. With `opens_message` the messages before end above them. A block
    that stands for a picture has it as `picture`. With `markdown` the text is the source of what is shown.
    """

    text: str
    bold: tuple[BoldRange, ...] = ()
    fold: bool = False
    struck: tuple[BoldRange, ...] = ()
    copyable: bool = False
    opens_message: bool = False
    underlined: tuple[BoldRange, ...] = ()
    code: tuple[BoldRange, ...] = ()
    picture: ShownPicture | None = None
    italic: tuple[BoldRange, ...] = ()
    listing: bool = False
    markdown: bool = False

    @property
    def marked(self) -> tuple[BoldRange, ...]:
        """All ranges."""
        return (*self.bold, *self.italic, *self.struck, *self.underlined, *self.code)

    def replace_ranges(self, text: str, move: Callable[[Iterable[BoldRange]], tuple[BoldRange, ...]]) -> TextBlock:
        """The block with another text, to which its ranges are moved."""
        return replace(
            self,
            text=text,
            bold=move(self.bold),
            italic=move(self.italic),
            struck=move(self.struck),
            underlined=move(self.underlined),
            code=move(self.code),
        )


@dataclass(frozen=True, kw_only=True)
class RenderedMessage:
    """One message: HTML, rows of buttons, and the hint of the input field where an answer is typed.

    From a message that is protected (`protect`) nothing can be copied or forwarded. With `leads_up` it replies to the
    first of the messages that are sent with it. Where it is sent, its `pictures` are sent before it.
    """

    html: str
    buttons: ButtonRows = ()
    input_hint: str | None = None
    protect: bool = True
    leads_up: bool = False
    pictures: tuple[ShownPicture, ...] = ()


def build_picture_blocks(title: str | None, name: str, *, number: int, translate: Texts) -> list[TextBlock]:
    """The blocks of the picture of an item with this number: its title, and a line in its place."""
    words = translate("picture", number=number)
    caption = shorten_text(title or words, MAX_CAPTION)
    shown = ShownPicture(name, caption, f"{words}: {title}" if title else words)
    return [*([make_bold_block(title)] if title else []), TextBlock(f"🖼 {words}", picture=shown)]


def build_button(
    label: str, action: ButtonAction, row_id: int = 0, *numbers: int, word: str = "", typed: Sequence[str] = ()
) -> InlineButton:
    """A button with its callback data; `typed` is what may be typed instead of a tap, besides its label."""
    return InlineButton(
        label, updates_and_calls.encode_callback(CallbackData(action, row_id, numbers, word)), tuple(typed)
    )


def render_text(
    translate: Texts, *texts: str, buttons: ButtonRows = (), input_hint: str | None = None
) -> RenderedMessage:
    """Plain paragraphs as one message, with buttons; only the last part of a text that is too long for one."""
    return render_messages([TextBlock(text) for text in texts], translate, buttons=buttons, input_hint=input_hint)[-1]


def render_messages(
    blocks: Sequence[TextBlock],
    translate: Texts,
    *,
    buttons: ButtonRows = (),
    input_hint: str | None = None,
    protect: bool = True,
) -> tuple[RenderedMessage, ...]:
    """The blocks in as many messages as they need, with the buttons under the last.

    Where a block opens a message, that message and those below it lead up to the first. The first has the pictures.
    """
    heading = translate("part", number="{number}", of="{of}")
    groups = list(_split_messages(blocks))
    messages = [
        RenderedMessage(html=part, protect=protect, leads_up=number > 0)
        for number, group in enumerate(groups)
        for part in render_html_parts(group, heading=heading)
    ]
    messages[0] = replace(messages[0], pictures=tuple(block.picture for block in blocks if block.picture is not None))
    return (*messages[:-1], replace(messages[-1], buttons=buttons, input_hint=input_hint))


def _split_messages(blocks: Sequence[TextBlock]) -> Iterator[list[TextBlock]]:
    """The blocks in groups, each of which begins with one that opens a message; there is at least one group."""
    group: list[TextBlock] = []
    for block in blocks:
        if block.opens_message and group:
            yield group
            group = []
        group.append(block)
    yield group


def arrange_buttons(buttons: Sequence[InlineButton]) -> ButtonRows:
    """Buttons in rows of two or one, by the longest label; letters in rows of at most five, all about as long."""
    longest = max((count_units(button.label) for button in buttons), default=0)
    width = count_columns(longest)
    if width == MAX_LETTERS:
        n_rows = -(-len(buttons) // width) or 1
        width = -(-len(buttons) // n_rows) or 1
    return tuple(tuple(buttons[start : start + width]) for start in range(0, len(buttons), width))


def count_columns(longest: int) -> int:
    """The most buttons in a row if the longest label has so many UTF-16 units."""
    return MAX_LETTERS if longest <= LETTER_LABEL else 2 if longest <= NARROW_LABEL else 1


def are_labels_short(labels: Sequence[str], *, max_units: int = WIDE_LABEL) -> bool:
    """Whether no client cuts any of these labels."""
    return all(count_units(label) <= max_units and "\n" not in label for label in labels)


def make_bold_unless_equal(text: str, other_text: str) -> TextBlock:
    """A bold block; an empty one where the other text is the same."""
    return TextBlock("") if text.strip() == other_text.strip() else make_bold_block(text)


def make_bold_block(text: str) -> TextBlock:
    """A block that is bold as a whole."""
    return TextBlock(text, ((0, len(text)),))


def mark_commands(text: str) -> TextBlock:
    """A text of ours whose commands, in backticks, are code: a tap copies one."""
    pieces = _COMMAND.split(text)  # every second one is a command
    ends = list(accumulate(map(len, pieces)))
    return TextBlock("".join(pieces), code=tuple(zip(ends[:-1:2], ends[1::2], strict=True)))


def render_html_parts(blocks: Sequence[TextBlock], *, heading: str, max_units: int = MAX_UNITS) -> tuple[str, ...]:
    """The blocks as HTML in as few parts as they need.

    Several parts get the heading, in which {number} becomes the number of the part and {of} how many parts there are.
    """
    blocks = _lay_out(blocks)
    if _count_block_units(blocks) <= max_units:
        return (_render_blocks(blocks),)
    unfolded = [replace(block, fold=False) for block in blocks]
    parts = list(_pack_blocks(unfolded, max_units - PART_NUMBER_UNITS))
    headings = (
        heading.replace("{number}", str(number)).replace("{of}", str(len(parts))) for number in range(1, len(parts) + 1)
    )
    return tuple(
        _render_blocks([make_bold_block(text), *part_blocks]) for text, part_blocks in zip(headings, parts, strict=True)
    )


def fits_one_message(blocks: Sequence[TextBlock]) -> bool:
    """Whether the blocks fit one message."""
    return _count_block_units(_lay_out(blocks)) <= MAX_UNITS


def _lay_out(blocks: Iterable[TextBlock]) -> list[TextBlock]:
    """The blocks that have text, Markdown in the blocks that show it."""
    shown = [one for block in blocks for one in (_show_markdown(block) if block.markdown else (block,))]
    return [_strip_block(block) for block in shown if block.text.strip()]


def _show_markdown(block: TextBlock) -> Iterator[TextBlock]:
    """Text and listings in turn; listings are not folded, as a quote can hold none."""
    for passage in list_passages(block.text):
        ranges = {style: tuple(found) for style, found in passage.ranges.items()}
        yield TextBlock(
            passage.text,
            ranges.get("bold", ()),
            fold=block.fold and not passage.is_listing,
            struck=ranges.get("struck", ()),
            code=ranges.get("code", ()),
            italic=ranges.get("italic", ()),
            listing=passage.is_listing,
        )


def shorten_text(text: str, max_units: int) -> str:
    """A text of at most that many units, with an ellipsis where it was cut."""
    if count_units(text) <= max_units:
        return text
    return text[: _find_break(TextBlock(text), max_units - 2)].rstrip() + " …"


def _strip_block(block: TextBlock) -> TextBlock:
    """The block without white space around it, which Telegram would strip."""
    blanks = "\n" if block.listing else None
    text = block.text.strip(blanks)
    if len(text) == len(block.text) and not block.marked:
        return block
    start = len(block.text) - len(block.text.lstrip(blanks))

    def move_ranges(ranges: Iterable[BoldRange]) -> tuple[BoldRange, ...]:
        moved = ((max(0, begin - start), min(len(text), end - start)) for begin, end in ranges)
        return tuple(sorted(_without_empty(moved)))[:MAX_BOLD_RANGES]

    return block.replace_ranges(text, move_ranges)


def _without_empty(ranges: Iterable[BoldRange]) -> tuple[BoldRange, ...]:
    return tuple((begin, end) for begin, end in ranges if begin < end)


def _count_block_units(blocks: Sequence[TextBlock]) -> int:
    return sum(count_units(block.text) for block in blocks) + len(_PARAGRAPH_BREAK) * max(0, len(blocks) - 1)


def _pack_blocks(blocks: Sequence[TextBlock], max_units: int) -> Iterator[list[TextBlock]]:
    """The blocks in parts, as many in each as fit; a block that is too long for a part of its own is cut."""
    part: list[TextBlock] = []
    remaining = list(blocks)
    while remaining:
        block = remaining.pop(0)
        if _count_block_units([*part, block]) <= max_units:
            part.append(block)
        elif count_units(block.text) <= max_units and part:
            yield part
            part = [block]
        else:
            free_units = max_units - _count_block_units([*part, TextBlock("")]) if part else max_units
            if free_units < max_units // 4:
                yield part
                part, free_units = [], max_units
            cut = _find_break(block, free_units)
            before, after = (
                _strip_block(_slice_block(block, 0, cut)),
                _strip_block(_slice_block(block, cut, len(block.text))),
            )
            yield [*part, before]
            part = []
            remaining[:0] = [after] if after.text else []
    if part:
        yield part


def _find_break(block: TextBlock, max_units: int) -> int:
    """The position at which to cut a text to at most that many units: the best break in its second half, if any."""
    end = _find_unit_limit(block.text, max_units)
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(block.text, 0, end) if _is_outside_bold(block, match.end())]
        if ends and ends[-1] > end // 2:
            return ends[-1]
    word_ends = [match.end() for match in _BREAKS[-1].finditer(block.text, 0, end)]
    if word_ends:
        return next((position for position in reversed(word_ends) if _is_outside_bold(block, position)), word_ends[-1])
    while end > 1 and (unicodedata.combining(block.text[end : end + 1] or " ") or block.text[end - 1] == "\u200d"):
        end -= 1
    return end


def _is_outside_bold(block: TextBlock, position: int) -> bool:
    """Whether a cut at this position splits no bold range."""
    return not any(start < position < end for start, end in block.marked)


def _find_unit_limit(text: str, max_units: int) -> int:
    """How many characters of a text have at most that many UTF-16 units."""
    used = 0
    for index, character in enumerate(text):
        used += 1 + (ord(character) > 0xFFFF)
        if used > max_units:
            return index
    return len(text)


def _slice_block(block: TextBlock, start: int, end: int) -> TextBlock:

    def move_ranges(ranges: Iterable[BoldRange]) -> tuple[BoldRange, ...]:
        return _without_empty((max(begin, start) - start, min(stop, end) - start) for begin, stop in ranges)

    return block.replace_ranges(block.text[start:end], move_ranges)


def _render_blocks(blocks: Sequence[TextBlock]) -> str:
    """The blocks with an empty line between two of them; a quote, which has margins, begins and ends with its line."""
    rendered = ""
    for number, block in enumerate(blocks):
        is_quote = number > 0 and (block.fold or blocks[number - 1].fold)
        rendered += ("" if not number else "\n" if is_quote else _PARAGRAPH_BREAK) + _render_block(block)
    return rendered


def _render_block(block: TextBlock) -> str:
    pieces, rendered_until = [], 0
    ranges = {"b": block.bold, "i": block.italic, "s": block.struck, "u": block.underlined, "code": block.code}
    tagged = [(start, end, tag) for tag, marked in ranges.items() for start, end in marked]
    for start, end, tag in sorted(tagged):
        if start < rendered_until:
            continue
        marked = f"<{tag}>{_escape_html(block.text[start:end])}</{tag}>"
        pieces += [_escape_html(block.text[rendered_until:start]), marked]
        rendered_until = end
    text = "".join([*pieces, _escape_html(block.text[rendered_until:])])
    if block.copyable or block.listing:
        return f"<pre>{text}</pre>"
    return f"<blockquote expandable>{text}</blockquote>" if block.fold else text


def _escape_html(text: str) -> str:
    return html.escape(text, quote=False)
