"""A text cut into paragraphs that fit into messages and can be joined again byte for byte, and differences of words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.conversation import message_layout
from bot.conversation.message_layout import TextBlock

MAX_PARAGRAPH_UNITS = 3000
"""The longest paragraph, in UTF-16 units: there is room for what a correction adds, in a message of the annotator's."""
MAX_CHANGES = 40
"""The most changes of one paragraph that are marked one by one; each takes two of the hundred entities of a message."""
CONTEXT_TOKENS = 10
"""How many unchanged words, blanks and signs are shown before and after a change of a long paragraph."""
_PARAGRAPH = re.compile(r"\S(?:[^\n]*\S)?")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'»”’)\]]*(\s+)")
_BLANK = re.compile(r"\s+")
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Paragraphs:
    """The paragraphs of a text; `gaps` is what stands before the first, between them and after the last."""

    texts: tuple[str, ...]
    gaps: tuple[str, ...]

    def join(self, corrected: Mapping[int, str]) -> str:
        """The text with these paragraphs in place of its own; without any, the text as it was."""
        parts = [self.gaps[0]]
        for index, (text, gap) in enumerate(zip(self.texts, self.gaps[1:], strict=True)):
            parts += [corrected.get(index, text), gap]
        return "".join(parts)


def split_paragraphs(text: str, *, max_units: int = MAX_PARAGRAPH_UNITS) -> Paragraphs:
    """Cut a text at line breaks, and a paragraph that is too long for a message at sentence ends too."""
    spans = [
        span
        for match in _PARAGRAPH.finditer(text)
        for span in _split_span(text, match.start(), match.end(), max_units=max_units)
    ]
    borders = [0, *(position for span in spans for position in span), len(text)]
    gaps = tuple(text[start:end] for start, end in zip(borders[::2], borders[1::2], strict=True))
    return Paragraphs(tuple(text[start:end] for start, end in spans), gaps)


def _split_span(text: str, start: int, end: int, *, max_units: int) -> Iterator[tuple[int, int]]:
    """Parts of the text between two positions, without the blanks between the parts."""
    while message_layout.count_units(text[start:end]) > max_units:
        limit = start + max_units // 2  # a character has at most two units
        while limit < end and message_layout.count_units(text[start : limit + 1]) <= max_units:
            limit += 1
        cut, after = _find_cut(text, start, limit)
        yield start, start + len(text[start:cut].rstrip())
        start = end - len(text[after:end].lstrip())
    yield start, end


def _find_cut(text: str, start: int, limit: int) -> tuple[int, int]:
    """Where a part ends and the next one begins: at the last sentence end, else at the last blank, else anywhere."""
    sentences = [match.span(1) for match in _SENTENCE_END.finditer(text, start, limit)]
    blanks = [match.span() for match in _BLANK.finditer(text, start, limit)]
    cut = (sentences or blanks or [(limit, limit)])[-1]
    following = _BLANK.match(text, cut[1])
    return cut if following is None else (cut[0], following.end())


def match_paragraphs(original: str, corrected: str) -> dict[int, str] | None:
    """The corrected paragraphs by their index in the original; None where they cannot be told apart."""
    before, after = split_paragraphs(original), split_paragraphs(corrected)
    changed: dict[int, str] = {}
    matcher = difflib.SequenceMatcher(None, before.texts, after.texts, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "replace" and last - first == end - start:
            changed |= dict(zip(range(first, last), after.texts[start:end], strict=True))
        elif tag == "replace" and last - first == 1:
            changed[first] = Paragraphs(after.texts[start:end], ("", *after.gaps[start + 1 : end], "")).join({})
        elif tag != "equal":
            return None
    return changed if before.join(changed) == corrected else None


def measure_similarity(before: str, after: str) -> float:
    """How much of two texts is the same words, from 0 to 1 (the ratio of `difflib`)."""
    return difflib.SequenceMatcher(None, _list_words(before), _list_words(after), autojunk=False).ratio()


def _list_words(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text) if token[0].isalnum()]


def build_difference(before: str, after: str) -> TextBlock:
    """The changed text with deleted words struck through and inserted ones bold; far from changes it is shortened."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    if len(codes) > 2 * MAX_CHANGES:
        return TextBlock(after)
    text, bold, struck = "", [], []
    for number, (tag, first, last, start, end) in enumerate(codes):
        if tag == "equal":
            text += _shorten_run(old[first:last], is_first=number == 0, is_last=number == len(codes) - 1)
            continue
        deleted, inserted = "".join(old[first:last]), "".join(new[start:end])
        if deleted.strip():
            struck.append(_find_words(deleted, len(text)))
            text += deleted + " " * bool(inserted.strip())
        if inserted.strip():
            bold.append(_find_words(inserted, len(text)))
        text += inserted
    return TextBlock(text, bold=tuple(bold), struck=tuple(struck))


def _find_words(part: str, start: int) -> tuple[int, int]:
    """Where the words of a part stand, without the blanks around them; the part begins at `start`."""
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _shorten_run(tokens: Sequence[str], *, is_first: bool, is_last: bool) -> str:
    """Unchanged tokens without their middle, or without what is far from the only change beside them."""
    if len(tokens) <= 3 * CONTEXT_TOKENS:
        return "".join(tokens)
    start = "" if is_first else "".join(tokens[:CONTEXT_TOKENS])
    end = "" if is_last else "".join(tokens[-CONTEXT_TOKENS:])
    return f"{start}…{end}"
